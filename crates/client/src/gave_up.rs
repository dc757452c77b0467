//! What a caller gets when no answer came: one error, with every attempt made.

use std::fmt;
use std::time::Duration;

use mainstay_canon::{Attempt, Cost, Failure};
use mainstay_cost::HardAbort;

/// No answer, and why. Carries the whole trail.
#[derive(Clone, Debug)]
pub struct GaveUp {
    /// Why nothing was handed over.
    pub reason: Reason,
    /// Our id of the request; `mainstay why` tells its story.
    pub request_id: String,
    /// Every attempt and every tier that was passed over, in order.
    pub attempts: Vec<Attempt>,
    /// Every failure, in order, each with what had arrived: a useless answer's text is worth showing.
    pub failures: Vec<Failure>,
    /// What the attempts cost together.
    pub cost: Cost,
    /// When trying again makes sense, from now.
    pub retry_after: Option<Duration>,
}

/// Why a request ended without an answer.
#[derive(Clone, Debug)]
pub enum Reason {
    /// Every tier failed or was unavailable.
    AllProvidersFailed {
        /// Whether every tier is unavailable only because of rate limits.
        only_rate_limits: bool,
        /// Whether any failure was about availability, so that trying later may help.
        about_availability: bool,
    },
    /// The request's time was up.
    Timeout,
    /// The request itself is wrong; no other tier was asked.
    InvalidRequest(Failure),
    /// The model refused and `[quality] on_refusal = "error"`.
    Refused(Failure),
    /// A cap does not leave room; no provider was asked for what does not fit.
    BudgetExceeded(HardAbort),
    /// The answer broke off after a part of it had been handed over.
    Interrupted(Failure),
    /// The call log cannot be written and `[log] on_failure = "refuse"`.
    LogUnavailable(String),
}

impl GaveUp {
    /// The last failure of the trail, in words.
    fn last_words(&self) -> Option<String> {
        self.attempts.iter().rev().find(|attempt| attempt.number.is_some()).map(|attempt| {
            let kind = attempt.error.map_or("no answer", |kind| kind.word());
            format!(
                "{}: {kind}{}{}",
                attempt.target,
                if attempt.why.is_empty() { "" } else { ": " },
                attempt.why
            )
        })
    }

    /// How many calls reached a provider.
    pub fn upstream_calls(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.number.is_some()).count()
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::AllProvidersFailed { .. } => {
                write!(f, "no provider gave an answer ({} calls", self.upstream_calls())?;
                match self.last_words() {
                    Some(last) => write!(f, "; last: {last})")?,
                    None => f.write_str("; every tier is unavailable)")?,
                }
                if let Some(wait) = self.retry_after {
                    write!(f, "; try again in {} s", wait.as_secs_f64().ceil())?;
                }
                Ok(())
            }
            Reason::Timeout => {
                write!(f, "the request's deadline passed after {} calls", self.upstream_calls())?;
                self.last_words().map_or(Ok(()), |last| write!(f, "; last: {last}"))
            }
            Reason::InvalidRequest(failure) => write!(f, "the request was refused as invalid: {failure}"),
            Reason::Refused(failure) => write!(f, "the model refused: {failure}"),
            Reason::BudgetExceeded(abort) => write!(f, "{abort}"),
            Reason::Interrupted(failure) => {
                write!(f, "the answer broke off after a part was handed over: {failure}")
            }
            Reason::LogUnavailable(why) => write!(f, "the call log cannot be written: {why}"),
        }
    }
}

impl std::error::Error for GaveUp {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::InvalidRequest(failure) | Reason::Refused(failure) | Reason::Interrupted(failure) => {
                Some(failure)
            }
            Reason::BudgetExceeded(abort) => Some(abort),
            Reason::AllProvidersFailed { .. } | Reason::Timeout | Reason::LogUnavailable(_) => None,
        }
    }
}
