//! A moment that is passed in, never read.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since the Unix epoch, UTC.
///
/// The client's clock never runs backwards within a process, so moments may be subtracted; they
/// are also written to disk, so a cooldown outlives a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(i64);

impl Moment {
    /// The Unix epoch.
    pub const EPOCH: Self = Self(0);

    /// From microseconds since the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// From whole seconds since the Unix epoch.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    /// Microseconds since the Unix epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The moment `wait` later; stays at the end of time rather than wrap.
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(wait.as_micros()).unwrap_or(i64::MAX)))
    }

    /// How long after `earlier` this is; zero when it is not after.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// How long until `later`; zero when that has passed.
    pub fn until(self, later: Self) -> Duration {
        later.since(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_never_go_below_zero() {
        let early = Moment::from_secs(5);
        let late = early.after(Duration::from_millis(1500));
        assert_eq!(late.since(early), Duration::from_millis(1500));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(Moment::from_micros(i64::MAX).after(Duration::MAX).micros(), i64::MAX);
    }
}
