//! The timers and budgets that `[defaults]` sets and a tier may override.

use std::time::Duration;

use crate::report::{Report, Typed};
use crate::table::Section;

/// What one table says about attempts, waits and breakers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
    pub(crate) retry_budget: Option<Typed<u64>>,
    pub(crate) cooldown: Option<Typed<Duration>>,
    pub(crate) connect_timeout: Option<Typed<Duration>>,
    pub(crate) first_byte_timeout: Option<Typed<Duration>>,
    pub(crate) first_content_timeout: Option<Typed<Duration>>,
    pub(crate) idle_timeout: Option<Typed<Duration>>,
    pub(crate) answer_timeout: Option<Typed<Duration>>,
    pub(crate) backoff: Option<Typed<Duration>>,
    pub(crate) backoff_cap: Option<Typed<Duration>>,
    pub(crate) breaker_threshold: Option<Typed<u64>>,
    pub(crate) breaker_open: Option<Typed<Duration>>,
    pub(crate) return_over: Option<Typed<Duration>>,
}

impl Patience {
    /// Reads the keys that `[defaults]` and a tier share.
    pub(crate) fn read(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Self {
        Self {
            retry_budget: section.number(report, "retry_budget", 1..=20),
            cooldown: section.duration(report, "cooldown"),
            connect_timeout: section.time_limit(report, "connect_timeout"),
            first_byte_timeout: section.time_limit(report, "first_byte_timeout"),
            first_content_timeout: section.time_limit(report, "first_content_timeout"),
            idle_timeout: section.time_limit(report, "idle_timeout"),
            answer_timeout: section.time_limit(report, "answer_timeout"),
            backoff: section.duration(report, "backoff"),
            backoff_cap: section.duration(report, "backoff_cap"),
            breaker_threshold: section.number(report, "breaker_threshold", 1..=10_000),
            breaker_open: section.time_limit(report, "breaker_open"),
            return_over: section.duration(report, "return_over"),
        }
    }
}

/// The first that is set, else the default.
pub(crate) fn first<T: Copy>(own: Option<&Typed<T>>, shared: Option<&Typed<T>>, default: T) -> T {
    own.or(shared).map_or(default, |typed| typed.value)
}
