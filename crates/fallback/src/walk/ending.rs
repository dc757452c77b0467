//! How a request ends when no answer was accepted (behaviour 6.5, 6.5a).

use std::time::Duration;

use mainstay_canon::{Failure, Kind, Moment};

use super::run::{Fate, Run, RunState, Said, fate_of, said};
use super::{LEAST_TIME, Walk};
use crate::board::StaticSwitch;
use crate::health::Ends;
use crate::step::{End, SkipReason};

/// What kept a tier from answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// Only a rate limit.
    RateLimit,
    /// Something else about availability.
    Unavailable,
    /// The request does not fit it, or no cap leaves room.
    Unfit,
    /// It answered, and the answer was no use.
    Answered,
    /// Its turn did not come.
    NotReached,
}

impl Walk {
    /// A refusal, else a filter's verdict if that was the last one: an answer that can be handed over.
    pub(super) fn answer_at_hand(&self) -> Option<End> {
        if self.released.is_some() {
            return None;
        }
        let of = |wanted: Said| self.failures.iter().rev().find(|failure| said(failure.kind) == wanted);
        if let Some(refusal) = of(Said::Refused) {
            return Some(End::Refusal(refusal.clone()));
        }
        let last = self.failures.iter().rev().find(|failure| said(failure.kind) != Said::Nothing)?;
        (said(last.kind) == Said::Filtered).then(|| End::Filtered(last.clone()))
    }

    pub(super) fn end(&mut self, now: Moment) -> End {
        if let Some(end) = self.answer_at_hand() {
            return end;
        }
        let timed_out = self.time_left(now) < LEAST_TIME;
        if let Some(last) = self.failures.last()
            && matches!(last.kind, Kind::InvalidRequest | Kind::Cancelled)
        {
            return End::CallerError(last.clone());
        }
        let switch = self.board.static_switch();
        self.note_held_back(switch);
        let retry_after = self.retry_after(switch, now);
        if !timed_out
            && retry_after.is_none()
            && let Some(end) = self.own_fault()
        {
            return end;
        }
        let causes: Vec<Cause> = self.runs.iter().filter(|run| self.counts(run, switch)).map(cause).collect();
        let any = |wanted: Cause| causes.contains(&wanted);
        End::AllFailed {
            retry_after,
            only_rate_limits: any(Cause::RateLimit)
                && !any(Cause::Unavailable)
                && !any(Cause::Answered)
                && !any(Cause::NotReached),
            about_availability: any(Cause::RateLimit) || any(Cause::Unavailable),
            timed_out,
        }
    }

    /// The request is at fault, or its budget: every failure says so, and waiting would change nothing.
    fn own_fault(&self) -> Option<End> {
        let is_own = |failure: &Failure| matches!(fate_of(failure.kind), Fate::Unfit | Fate::OverBudget);
        if !self.failures.iter().all(is_own) {
            return None;
        }
        let dear = self.failures.iter().rev().find(|failure| fate_of(failure.kind) == Fate::OverBudget);
        match dear {
            Some(failure) => Some(End::BudgetExceeded(failure.clone())),
            None => self.failures.last().map(|failure| End::CallerError(failure.clone())),
        }
    }

    /// Writes down that the static tier was not asked, where the others did not do and it might have.
    fn note_held_back(&mut self, switch: StaticSwitch) {
        let why = match switch {
            StaticSwitch::Off => "switched off by an operator",
            StaticSwitch::On => return,
            StaticSwitch::Auto if self.static_may_answer() => return,
            StaticSwitch::Auto => "it does not answer what others refused, answered badly or cannot do",
        };
        for slot in 0..self.runs.len() {
            let untried = |run: &Run| run.is_static && run.state == RunState::Untried;
            if self.runs.get(slot).is_some_and(untried) {
                self.skip(slot, SkipReason::StaticHeldBack, why.into());
            }
        }
    }

    /// Whether the tier's state says something about when and why the request ended.
    fn counts(&self, run: &Run, switch: StaticSwitch) -> bool {
        !run.is_static || run.attempts > 0 || self.static_is_free(switch)
    }

    /// The soonest moment at which a tier that was unavailable may be asked again, from now.
    fn retry_after(&self, switch: StaticSwitch, now: Moment) -> Option<Duration> {
        let state = self.board.lock();
        self.runs
            .iter()
            .filter(|run| self.counts(run, switch))
            .filter(|run| matches!(cause(run), Cause::RateLimit | Cause::Unavailable))
            .filter_map(|run| {
                let ends = match state.ready_at(&run.key, now) {
                    Some(ends) => ends,
                    // Not its health but its load kept it from answering.
                    None => run.unready?.ends,
                };
                match ends {
                    Ends::At(until) => Some(now.until(until)).filter(|wait| !wait.is_zero()),
                    Ends::Soon => Some(Duration::from_secs(1)),
                    Ends::Never => None,
                }
            })
            .min()
    }
}

/// What kept a tier from answering.
fn cause(run: &Run) -> Cause {
    match run.state {
        RunState::Untried => run.unready.map_or(Cause::NotReached, |not_now| match not_now.reason {
            SkipReason::Full => Cause::RateLimit,
            SkipReason::Cooling if not_now.kind == Some(Kind::RateLimited) => Cause::RateLimit,
            SkipReason::Cooling
            | SkipReason::Open
            | SkipReason::HalfOpen
            | SkipReason::Returning
            | SkipReason::Disabled => Cause::Unavailable,
            SkipReason::OverBudget
            | SkipReason::Unsupported
            | SkipReason::WindowTooSmall
            | SkipReason::SameModel
            | SkipReason::StaticHeldBack => Cause::Unfit,
        }),
        RunState::Trying => Cause::NotReached,
        RunState::Parked | RunState::Spent(Fate::Unavailable) => {
            if run.last == Some(Kind::RateLimited) {
                Cause::RateLimit
            } else {
                Cause::Unavailable
            }
        }
        RunState::Spent(Fate::Unfit | Fate::OverBudget) => Cause::Unfit,
        RunState::Spent(Fate::Answered) => Cause::Answered,
    }
}
