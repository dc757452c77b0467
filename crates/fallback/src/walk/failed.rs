//! What one failure means for the rest of the request, and for the board.

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Failure, Kind, Moment, Quality};
use mainstay_retry::{
    Consequence, HealthEffect, Next, SAT_OUT_BELOW, Same, consequence_of, hint_of, wait_before_retry,
};

use super::run::{RunState, Said, fate_of, is_about_the_key, said};
use super::{Again, LEAST_TIME, Out, TooLong, Walk, correct};
use crate::board::cause_line;
use crate::health::{Blow, Cause};
use crate::plan::TierPlan;
use crate::step::Continue;

/// An attempt that the request's own deadline cut sooner than this says nothing about its provider.
const PATIENCE: Duration = Duration::from_secs(10);

impl Walk {
    /// The attempt handed out last failed, or its answer was judged useless.
    pub fn failed(&mut self, failure: Failure, now: Moment, chance: f64) {
        let Some(out) = self.out.take() else {
            self.failures.push(failure);
            return;
        };
        let plan = Arc::clone(&self.plan);
        let found = self.runs.get(out.slot).and_then(|run| plan.tiers.get(run.tier));
        let Some(tier) = found else { return };
        let failure = if failure.target.is_none() { failure.at(&tier.target) } else { failure };
        let consequence = self.consequence(&failure, &out, now);
        let again = self.wait_for_same(&failure, &consequence, out.slot, tier, now, chance);
        let left = self.strike(&failure, consequence, again, &out, tier, now);
        self.settle(&failure, &consequence, again.filter(|_| !left), out.slot, tier, now);
        self.go_on_or_stop(&failure, &consequence, out.slot);
        self.failures.push(failure);
    }

    /// What follows from the failure, as this request met it.
    fn consequence(&self, failure: &Failure, out: &Out, now: Moment) -> Consequence {
        let mut found = consequence_of(failure);
        let used = now.since(out.admission.at);
        // The share of the request's time ran out, not a limit of the tier: nobody's fault as such. Only a
        // provider that stayed silent for long, time after time, opens its breaker in the end.
        if failure.kind == Kind::TimeoutTotal && used.saturating_add(LEAST_TIME) >= out.time_left {
            found.health = HealthEffect::None;
            found.counts_toward_breaker = used >= PATIENCE && !out.answering;
        }
        // A released answer that stalls is continued where it was; there is no other place (7.4).
        let stalled = matches!(failure.kind, Kind::TimeoutFirstByte | Kind::TimeoutIdle);
        if stalled && self.released.is_some_and(|then| then != Continue::No) {
            found.same = Same::WithinBudget;
        }
        found
    }

    /// How long to wait before the same tier is asked again; `None` when it is not.
    fn wait_for_same(
        &mut self,
        failure: &Failure,
        consequence: &Consequence,
        slot: usize,
        tier: &TierPlan,
        now: Moment,
        chance: f64,
    ) -> Option<Duration> {
        let run = self.runs.get_mut(slot)?;
        if run.attempts >= tier.retry.retry_budget || self.released == Some(Continue::No) {
            return None;
        }
        match consequence.same {
            // `choose` comes back to a parked tier when no other is available.
            Same::Never | Same::OnlyIfAlone => return None,
            Same::WithinBudget => {}
            Same::OnceLarger if !self.can_grow || run.grown => return None,
            Same::OnceLarger => run.grown = true,
        }
        if hint_of(failure).is_some_and(|hint| hint >= SAT_OUT_BELOW) {
            return None;
        }
        let wait = wait_before_retry(failure, run.attempts, &tier.retry, chance);
        (now.after(wait) < self.deadline).then_some(wait)
    }

    /// Tells the board. Whether the tier is left.
    fn strike(
        &self,
        failure: &Failure,
        consequence: Consequence,
        again: Option<Duration>,
        out: &Out,
        tier: &TierPlan,
        now: Moment,
    ) -> bool {
        let Some(run) = self.runs.get(out.slot) else { return true };
        let useless = match said(failure.kind) {
            Said::OtherVerdict => failure.kind != Kind::Bad(Quality::Ok),
            Said::Refused | Said::Filtered | Said::Nothing => false,
        };
        let line = cause_line(failure.kind, failure.status, &failure.message);
        let blow = Blow {
            consequence,
            hint: hint_of(failure),
            again,
            useless,
            quality_breaker: self.plan.quality_breaker,
            options: &tier.retry,
            breaker: self.plan.breaker_of(tier),
            cause: Cause::new(Some(failure.kind), &line, now),
        };
        let mut state = self.board.lock();
        correct(&mut state, run, out, now);
        state.failed(&run.key, &out.admission, &blow, now, self.plan.return_over_of(run.tier))
    }

    /// Where the request stands with the tier now.
    fn settle(
        &mut self,
        failure: &Failure,
        consequence: &Consequence,
        again: Option<Duration>,
        slot: usize,
        tier: &TierPlan,
        now: Moment,
    ) {
        let Some(run) = self.runs.get_mut(slot) else { return };
        run.last = Some(failure.kind);
        if let Some(wait) = again {
            self.again = Some(Again { slot, at: now.after(wait) });
            return;
        }
        let parks = match consequence.same {
            Same::OnlyIfAlone => true,
            Same::WithinBudget => consequence.health != HealthEffect::None,
            Same::Never | Same::OnceLarger => false,
        };
        run.state = if parks && run.attempts < tier.retry.retry_budget {
            RunState::Parked
        } else {
            RunState::Spent(fate_of(failure.kind))
        };
        if !is_about_the_key(failure.kind) && !self.heard.contains(&tier.target) {
            self.heard.push(tier.target.clone());
        }
    }

    /// Whether any other tier is asked.
    pub(super) fn go_on_or_stop(&mut self, failure: &Failure, consequence: &Consequence, slot: usize) {
        match said(failure.kind) {
            Said::Refused => {
                if let Some(run) = self.runs.get(slot)
                    && !self.refusers.contains(&run.key.target.provider)
                {
                    self.refusers.push(Arc::clone(&run.key.target.provider));
                }
            }
            Said::Filtered | Said::OtherVerdict | Said::Nothing => {}
        }
        let most = usize::try_from(self.plan.max_refusals.max(1)).unwrap_or(usize::MAX);
        let stop = match consequence.next {
            Next::Yes | Next::AtOnce => false,
            Next::No => true,
            Next::LargerWindow => {
                let window = self.runs.get(slot).and_then(|run| run.window);
                self.too_long_for = match self.too_long_for {
                    TooLong::No => TooLong::For(window),
                    TooLong::For(known) => TooLong::For(known.max(window)),
                };
                false
            }
            Next::IfRefusalsFallBack => !self.plan.fallback_on_refusal || self.refusers.len() >= most,
            Next::IfFiltersFallBack => !self.plan.fallback_on_filter,
        };
        let over = self.released == Some(Continue::No);
        self.stopped |= stop || over;
    }
}
