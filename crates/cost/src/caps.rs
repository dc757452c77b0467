//! Caps, who they are counted for, and the refusal that one of them causes.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mainstay_canon::{Moment, Nanodollars};

/// The user that a call without a user counts against (behaviour 8.2c).
pub const ANONYMOUS: &str = "anonymous";

/// What may be spent. An absent cap is no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Caps {
    /// By everybody in one day.
    pub daily: Option<Nanodollars>,
    /// By everybody in one month.
    pub monthly: Option<Nanodollars>,
    /// By one user in one day.
    pub per_user_daily: Option<Nanodollars>,
    /// By one session, ever.
    pub per_session: Option<Nanodollars>,
    /// Whose midnights divide the days. A change of zone starts no new day that has a name already.
    pub timezone: TimeZone,
    /// At how many percent of a cap a warning is given; 0 for none.
    pub warn_at_percent: u8,
}

impl Default for Caps {
    /// No limit at all; days in UTC, warnings at 80 percent.
    fn default() -> Self {
        Self {
            daily: None,
            monthly: None,
            per_user_daily: None,
            per_session: None,
            timezone: TimeZone::UTC,
            warn_at_percent: 80,
        }
    }
}

impl Caps {
    /// Whether any cap is set.
    pub fn any(&self) -> bool {
        [self.daily, self.monthly, self.per_user_daily, self.per_session].iter().any(Option::is_some)
    }
}

/// What one virtual key may spend. An absent cap is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCaps {
    /// The key's name, never the key.
    pub name: String,
    /// In one day.
    pub daily: Option<Nanodollars>,
    /// In one month.
    pub monthly: Option<Nanodollars>,
    /// In all.
    pub total: Option<Nanodollars>,
}

/// Which cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CapKind {
    /// Everybody's day.
    Daily,
    /// Everybody's month.
    Monthly,
    /// One user's day.
    PerUserDaily,
    /// One session.
    PerSession,
    /// One key's day.
    KeyDaily,
    /// One key's month.
    KeyMonthly,
    /// One key as a whole.
    KeyTotal,
}

impl CapKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Daily,
        Self::Monthly,
        Self::PerUserDaily,
        Self::PerSession,
        Self::KeyDaily,
        Self::KeyMonthly,
        Self::KeyTotal,
    ];

    /// The name that the config file uses; for a key's caps the word after `key`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Monthly => "monthly",
            Self::PerUserDaily => "per_user_daily",
            Self::PerSession => "per_session",
            Self::KeyDaily => "key daily",
            Self::KeyMonthly => "key monthly",
            Self::KeyTotal => "key total",
        }
    }
}

impl fmt::Display for CapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whom a call is counted for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spender {
    /// The end user; [`ANONYMOUS`] where absent.
    pub user: Option<String>,
    /// The session; the request itself where absent.
    pub session: Option<String>,
    /// Our id of the request, the same for all its attempts.
    pub request_id: String,
}

/// A call that was refused before any provider was asked, because a cap does not leave room for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardAbort {
    /// The cap; of several that do not fit, the one that leaves least.
    pub cap: CapKind,
    /// How much it allows.
    pub limit: Nanodollars,
    /// What is spent of it.
    pub spent: Nanodollars,
    /// What is set aside for calls that are under way.
    pub reserved: Nanodollars,
    /// What this call may cost.
    pub needed: Nanodollars,
    /// When the cap starts anew; never for a session and for a key as a whole.
    pub resets_at: Option<Moment>,
}

impl HardAbort {
    /// What the cap leaves.
    pub fn left(&self) -> Nanodollars {
        let left = self.limit.saturating_sub(self.spent).saturating_sub(self.reserved);
        left.max(Nanodollars::ZERO)
    }
}

impl fmt::Display for HardAbort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cap, limit, spent, reserved, needed, resets_at } = self;
        write!(
            f,
            "the cap {cap} = ${limit} leaves ${} (${spent} spent, ${reserved} set aside) and this call may cost ${needed}",
            self.left()
        )?;
        match resets_at.and_then(|at| Timestamp::from_microsecond(at.micros()).ok()) {
            Some(at) => write!(f, "; it starts anew at {at}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for HardAbort {}

/// How one cap stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapStatus {
    /// The cap.
    pub cap: CapKind,
    /// How much it allows.
    pub limit: Nanodollars,
    /// What is spent of it.
    pub spent: Nanodollars,
    /// What is set aside for calls that are under way.
    pub reserved: Nanodollars,
    /// When it starts anew.
    pub resets_at: Option<Moment>,
}

/// A cap whose spending has just passed the share at which a warning is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapWarning {
    /// The cap.
    pub cap: CapKind,
    /// Whose: the user, the session or the key. `None` for everybody's.
    pub whose: Option<String>,
    /// How much it allows.
    pub limit: Nanodollars,
    /// What is spent of it.
    pub spent: Nanodollars,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_cap_as_the_config_spells_it_and_speaks_in_dollars() {
        let abort = HardAbort {
            cap: CapKind::PerUserDaily,
            limit: "2.00".parse().unwrap(),
            spent: "1.50".parse().unwrap(),
            reserved: "0.25".parse().unwrap(),
            needed: "0.40".parse().unwrap(),
            resets_at: Some(Moment::from_secs(1_796_083_200)),
        };
        assert_eq!(
            abort.to_string(),
            "the cap per_user_daily = $2.00 leaves $0.25 ($1.50 spent, $0.25 set aside) and this call may \
             cost $0.40; it starts anew at 2026-12-01T00:00:00Z"
        );
    }

    #[test]
    fn an_overrun_leaves_nothing_and_not_less() {
        let one: Nanodollars = "1".parse().unwrap();
        let abort = HardAbort {
            cap: CapKind::PerSession,
            limit: one,
            spent: "3".parse().unwrap(),
            reserved: one,
            needed: one,
            resets_at: None,
        };
        assert_eq!(abort.left(), Nanodollars::ZERO);
    }
}
