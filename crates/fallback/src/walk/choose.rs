//! Which tier is asked next, or how long to wait for one.

use std::time::Duration;

use mainstay_canon::Moment;
use mainstay_retry::{HINT_JITTER, share_of};

use super::run::{Fate, NotNow, Run, RunState};
use super::{TooLong, Walk};
use crate::board::{State, StaticSwitch};
use crate::health::{Admission, Ends, Knock};
use crate::step::{Continue, Skip, SkipReason};

/// How often something that has no known end is looked at again, before jitter of as much.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// How long a request counts as one that wants a tier.
const WANTS_FOR: Duration = Duration::from_secs(1);

/// What is next.
pub(super) enum Choice {
    /// Ask this one.
    Ask(usize, Admission),
    /// Wait that long, then choose again.
    Wait(Duration),
    /// No tier is left, or none in time.
    Nothing,
}

impl Walk {
    /// What is next, and how much time an attempt may use: decided under one lock.
    pub(super) fn choose(&mut self, now: Moment, chance: f64) -> (Choice, Duration) {
        let board = self.board.clone();
        let mut state = board.lock();
        let choice = self.pick(&mut state, now, chance);
        let share = match choice {
            Choice::Ask(slot, _) => self.share(&state, slot, now),
            Choice::Wait(_) | Choice::Nothing => Duration::ZERO,
        };
        (choice, share)
    }

    /// In this order: the same tier again, where that was decided; the first untried tier that is ready; a
    /// tier that was left for its own sake and is ready again; the static tier; the soonest of all.
    fn pick(&mut self, state: &mut State, now: Moment, chance: f64) -> Choice {
        if let Some(again) = self.again {
            if now < again.at {
                return Choice::Wait(now.until(again.at));
            }
            self.again = None;
            if let Some(admission) = self.knock(state, again.slot, now, chance) {
                return Choice::Ask(again.slot, admission);
            }
            // Others have met trouble there meanwhile.
            if let Some(run) = self.runs.get_mut(again.slot) {
                run.state = RunState::Parked;
            }
        }
        let switch = if self.alone { StaticSwitch::Auto } else { state.static_switch() };
        let static_first = switch == StaticSwitch::On;
        for held_back in if static_first { [true, false] } else { [false, true] } {
            if held_back && !self.static_is_free(switch) {
                continue;
            }
            for wanted in [RunState::Untried, RunState::Parked] {
                if let Some((slot, admission)) = self.first_ready(state, held_back, wanted, now, chance) {
                    return Choice::Ask(slot, admission);
                }
            }
        }
        self.soonest(switch, now, chance).map_or(Choice::Nothing, Choice::Wait)
    }

    /// Whether the static tier may be asked.
    pub(super) fn static_is_free(&self, switch: StaticSwitch) -> bool {
        match switch {
            StaticSwitch::On => true,
            StaticSwitch::Off => false,
            StaticSwitch::Auto => self.static_may_answer(),
        }
    }

    fn first_ready(
        &mut self,
        state: &mut State,
        held_back: bool,
        wanted: RunState,
        now: Moment,
        chance: f64,
    ) -> Option<(usize, Admission)> {
        for slot in 0..self.runs.len() {
            let Some(run) = self.runs.get(slot) else { continue };
            if run.is_static != held_back || run.state != wanted {
                continue;
            }
            if self.is_elsewhere(run) {
                continue;
            }
            if let Some(reason) = self.unfit(run) {
                self.skip(slot, reason, why_unfit(reason).into());
            } else if let Some(admission) = self.knock(state, slot, now, chance) {
                return Some((slot, admission));
            }
        }
        None
    }

    /// Asks the board to let this request in there. Why not is noted.
    fn knock(&mut self, state: &mut State, slot: usize, now: Moment, chance: f64) -> Option<Admission> {
        let run = self.runs.get_mut(slot)?;
        let tier = self.plan.tiers.get(run.tier)?;
        let counts = run.wanted.is_none_or(|then| now.since(then) >= WANTS_FOR);
        if counts {
            run.wanted = Some(now);
        }
        let knock = Knock { now, chance, limits: &tier.limits, tokens: self.prompt_tokens, counts, token: 0 };
        match state.admit(&run.key, knock) {
            Ok(admission) => Some(admission),
            Err(unready) => {
                run.unready = Some(NotNow { reason: unready.reason, ends: unready.ends, kind: unready.kind });
                // A tier that this request has asked has its row already.
                if run.state != RunState::Parked {
                    let why = match unready.ends {
                        Ends::At(until) => {
                            format!("for another {:.1} s: {}", now.until(until).as_secs_f64(), unready.why)
                        }
                        Ends::Soon | Ends::Never => unready.why.to_string(),
                    };
                    self.skip(slot, unready.reason, why);
                }
                None
            }
        }
    }

    /// Why this request is not for that tier, whatever its health.
    fn unfit(&self, run: &Run) -> Option<SkipReason> {
        if run.state == RunState::Untried && self.heard.contains(&run.key.target) {
            return Some(SkipReason::SameModel);
        }
        match (self.too_long_for, run.window) {
            (TooLong::For(Some(small)), Some(window)) if window <= small => Some(SkipReason::WindowTooSmall),
            (TooLong::No | TooLong::For(_), _) => None,
        }
    }

    fn is_out(&self, run: &Run) -> bool {
        self.is_elsewhere(run) || self.unfit(run).is_some()
    }

    /// Whether an answer that was partly handed over may not be continued there (7.4).
    fn is_elsewhere(&self, run: &Run) -> bool {
        match self.released {
            None | Some(Continue::AnyTier) => false,
            Some(Continue::No) => true,
            Some(Continue::SameTarget) => {
                self.failures.last().is_none_or(|failure| failure.target.as_ref() != Some(&run.key.target))
            }
        }
    }

    pub(super) fn skip(&mut self, slot: usize, reason: SkipReason, why: String) {
        let Some(run) = self.runs.get_mut(slot) else { return };
        if run.skipped != Some(reason) {
            run.skipped = Some(reason);
            self.skips.push(Skip { tier: run.tier, target: run.key.target.clone(), reason, why });
        }
    }

    /// Whether the static tier may answer: every other tier is unavailable or has failed this very request
    /// for reasons of availability. It never answers what others refused (6.4).
    pub(super) fn static_may_answer(&self) -> bool {
        let (mut unavailable, mut over_budget, mut others) = (false, false, false);
        for run in self.runs.iter().filter(|run| !run.is_static) {
            others = true;
            match run.state {
                RunState::Untried if self.is_out(run) => {}
                RunState::Untried | RunState::Parked | RunState::Spent(Fate::Unavailable) => {
                    unavailable = true;
                }
                RunState::Spent(Fate::OverBudget) => over_budget = true,
                RunState::Spent(Fate::Unfit) => {}
                RunState::Trying | RunState::Spent(Fate::Answered) => return false,
            }
        }
        unavailable || !others || (over_budget && self.plan.static_at_cap)
    }

    /// How long to wait for the tier that is ready soonest; `None` when none is in time, or when an answer
    /// is at hand already: a refusal is not sat on.
    fn soonest(&self, switch: StaticSwitch, now: Moment, chance: f64) -> Option<Duration> {
        if self.answer_at_hand().is_some() {
            return None;
        }
        let statics = self.static_is_free(switch);
        let chance = if chance.is_finite() { chance.clamp(0.0, 1.0) } else { 0.0 };
        let wait = self
            .runs
            .iter()
            .filter(|run| matches!(run.state, RunState::Untried | RunState::Parked))
            .filter(|run| (!run.is_static || statics) && !self.is_out(run))
            .filter_map(|run| match run.unready?.ends {
                Ends::At(until) => Some(now.until(until).saturating_add(HINT_JITTER.mul_f64(chance))),
                Ends::Soon => Some(LOOK_AGAIN.saturating_add(LOOK_AGAIN.mul_f64(chance))),
                Ends::Never => None,
            })
            .min()?
            .max(Duration::from_millis(1));
        (now.after(wait) < self.deadline).then_some(wait)
    }

    /// How much of the remaining time an attempt there may use (5.3a).
    fn share(&self, state: &State, slot: usize, now: Moment) -> Duration {
        let switch = state.static_switch();
        let spoken = self.runs.iter().any(|run| run.state == RunState::Spent(Fate::Answered));
        let waits_its_turn = |place: usize, run: &Run| {
            let may = if run.is_static {
                switch != StaticSwitch::Off && (!spoken || switch == StaticSwitch::On)
            } else {
                state.is_ready(&run.key, now)
            };
            place != slot && run.state == RunState::Untried && may && !self.is_out(run)
        };
        let untried = self.runs.iter().enumerate().filter(|(place, run)| waits_its_turn(*place, run)).count();
        share_of(self.time_left(now), u32::try_from(untried).unwrap_or(u32::MAX))
    }
}

fn why_unfit(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::SameModel => "the same model was asked under another key",
        SkipReason::WindowTooSmall => "its context window is no larger than one that was too small",
        SkipReason::Cooling
        | SkipReason::Open
        | SkipReason::HalfOpen
        | SkipReason::Returning
        | SkipReason::Disabled
        | SkipReason::Full
        | SkipReason::OverBudget
        | SkipReason::Unsupported
        | SkipReason::StaticHeldBack => "",
    }
}
