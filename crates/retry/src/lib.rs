//! Layer 4: again, next tier or stop; budgets, backoff, waits.
//!
//! Everything here is a function of values: a failure, a count, a moment, a number in `0.0..1.0`. No
//! clock is read, no dice are thrown and nothing sleeps. Which tiers there are and how they fare is not
//! known here either; that is the fallback layer's business.
//!
//! [`consequence`] is the single place where a kind of failure becomes a next step.

mod consequence;
mod options;
mod timers;
mod wait;

pub use consequence::{Consequence, HealthEffect, Next, QUOTA_PAUSE, Same, consequence, consequence_of};
pub use options::{RetryOptions, Timeouts};
pub use timers::{Timers, is_progress};
pub use wait::{
    COOLDOWN_CAP, HINT_CAP, HINT_JITTER, KEPT_FOR_A_TIER, SAT_OUT_BELOW, backoff, cooldown_for, hint_of,
    share_of, wait_before_retry,
};
