//! The words in which health is spoken of.

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Kind, Moment};
use mainstay_retry::{Consequence, RetryOptions};

use crate::board::Change;
use crate::plan::{BreakerSettings, Limits};
use crate::step::SkipReason;

/// Why a state was entered, and when.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) kind: Option<Kind>,
    pub(crate) why: Arc<str>,
    pub(crate) since: Moment,
}

impl Cause {
    pub(crate) fn new(kind: Option<Kind>, why: &str, since: Moment) -> Self {
        Self { kind, why: why.into(), since }
    }
}

/// A target is left alone until a moment, and unproven from then until a success.
#[derive(Clone, Debug)]
pub(crate) struct Cooling {
    pub(crate) until: Moment,
    /// Up to here it is the provider's own wish, which nothing overrides.
    pub(crate) hinted_until: Option<Moment>,
    /// The end that was last told of.
    pub(crate) told_until: Moment,
    pub(crate) cause: Cause,
}

impl Cooling {
    /// A failure of a call that had begun before the cooldown. Without a hint it says nothing new; a hint
    /// makes the cooldown longer, never shorter. Told of when it is longer by a second or more.
    pub(super) fn extend(
        &mut self,
        until: Moment,
        hinted_until: Option<Moment>,
        cause: &Cause,
    ) -> Option<Change> {
        hinted_until?;
        self.hinted_until = self.hinted_until.max(hinted_until);
        if until <= self.until {
            return None;
        }
        self.until = until;
        self.cause = cause.clone();
        let tell = until.since(self.told_until) >= Duration::from_secs(1);
        tell.then(|| {
            self.told_until = until;
            Change::Cooling { until }
        })
    }
}

/// A target is out, for its bill or its key.
#[derive(Clone, Debug)]
pub(crate) struct Disabled {
    pub(crate) ends: DisabledEnds,
    pub(crate) cause: Cause,
}

/// How a disablement ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisabledEnds {
    /// By itself.
    At(Moment),
    /// When a probe succeeds; the next may be made from this moment on.
    ByProbe { next: Moment },
}

/// When a target that cannot be asked now may be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    At(Moment),
    /// As soon as something now under way has ended.
    Soon,
    /// Not by waiting.
    Never,
}

/// Why a target cannot be asked now.
#[derive(Clone, Debug)]
pub(crate) struct Unready {
    pub(crate) reason: SkipReason,
    pub(crate) ends: Ends,
    pub(crate) kind: Option<Kind>,
    pub(crate) why: Arc<str>,
}

impl Unready {
    pub(super) fn new(reason: SkipReason, ends: Ends, cause: &Cause) -> Self {
        Self { reason, ends, kind: cause.kind, why: Arc::clone(&cause.why) }
    }
}

/// A call that was let in.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    pub(crate) at: Moment,
    pub(crate) tokens: u64,
    pub(crate) probe: Option<u64>,
    /// Which stretch of the target's life it began in: later trouble is not blamed on it twice.
    pub(super) episode: u64,
}

/// One request's wish to call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knock<'a> {
    pub(crate) now: Moment,
    pub(crate) chance: f64,
    pub(crate) limits: &'a Limits,
    pub(crate) tokens: u64,
    /// Whether it counts as one more request that wants the target.
    pub(crate) counts: bool,
    /// Names the probe that it may become.
    pub(crate) token: u64,
}

/// What became of a call that failed.
#[derive(Clone, Debug)]
pub(crate) struct Blow<'a> {
    pub(crate) consequence: Consequence,
    pub(crate) hint: Option<Duration>,
    /// The wait before the same tier is asked again, if that is meant; else the tier is left.
    pub(crate) again: Option<Duration>,
    /// Whether an answer came that counts against the target in a quality breaker.
    pub(crate) useless: bool,
    pub(crate) quality_breaker: bool,
    pub(crate) options: &'a RetryOptions,
    pub(crate) breaker: &'a BreakerSettings,
    pub(crate) cause: Cause,
}
