//! Makes an attempt ready to be sent: money set aside, request written; or passes its tier over.

use std::sync::Arc;

use mainstay_canon::{Failure, Kind, Moment};
use mainstay_dialects::{Call, Outbound, Upstream};
use mainstay_fallback::Try;

use super::embedding::chats;
use super::{Errand, InFlight, Prepared, Trip};
use crate::engine::TierRuntime;
use crate::engine::money::{Bill, Budget, Length, NoBudget};

impl Trip {
    /// Reserves and writes the request. `None` when the tier had to be passed over; the walk then knows why.
    pub(super) fn prepare(&mut self, try_: Try, now: Moment) -> Option<Prepared> {
        let tier = self.route.chain.tiers.get(try_.tier).cloned()?;
        if let Err(why) = self.engine.can_write() {
            self.pass_over(NoBudget::Unwritten(why), &tier, now);
            return None;
        }
        let budget = match self.budget(&try_, &tier, now) {
            Ok(budget) => budget,
            Err(none) => {
                self.pass_over(none, &tier, now);
                return None;
            }
        };
        let max_tokens = budget.limit.tokens;
        let upstream = tier.upstream_for(&self.outgoing);
        let mut outbound = match self.written(&tier, upstream, max_tokens) {
            Ok(outbound) => outbound,
            Err(failure) => {
                self.engine.give_back(budget.reservation);
                self.walk.refused_locally(with_its_field(failure).at(&tier.target), now);
                return None;
            }
        };
        let mut notes = self.notes_of(&try_);
        notes.append(&mut outbound.notes);
        notes.extend(budget.limit.note);
        let time_left = try_.time_left;
        let set_aside = max_tokens.filter(|_| budget.reservation.is_some());
        self.in_flight = Some(InFlight {
            tier: Arc::clone(&tier),
            try_,
            reservation: budget.reservation,
            started: now,
            waited: std::mem::take(&mut self.waited),
            notes,
            worst: budget.worst,
        });
        Some(Prepared { tier, upstream, outbound, time_left, set_aside })
    }

    /// Sets aside what the attempt may cost.
    fn budget(&self, try_: &Try, tier: &TierRuntime, now: Moment) -> Result<Budget, NoBudget> {
        let bill = self.bill(tier, now);
        match self.errand {
            Errand::Chat => {
                let length = Length { asked: self.request.max_tokens, grows: try_.grow_max_tokens };
                self.engine.budget_for(&bill, length)
            }
            Errand::Vectors(_) => self.engine.budget_for_vectors(&bill, self.prompt_bound),
        }
    }

    /// Writes what is sent.
    fn written(
        &self,
        tier: &TierRuntime,
        upstream: &dyn Upstream,
        max_tokens: Option<u32>,
    ) -> Result<Outbound, Failure> {
        match &self.errand {
            Errand::Chat => {
                chats(tier)?;
                let (target, accepts, stream) = (&tier.target, &tier.accepts, self.request.stream);
                upstream.write_request(&self.outgoing, &Call { target, accepts, stream, max_tokens })
            }
            Errand::Vectors(vectors) => vectors.outbound(tier),
        }
    }

    /// The tier handed out last is not asked: no money for it, or it cannot do it.
    fn pass_over(&mut self, none: NoBudget, tier: &TierRuntime, now: Moment) {
        match none {
            NoBudget::Cap(abort) => {
                let failure = Failure::new(Kind::BudgetExceeded, abort.to_string()).at(&tier.target);
                self.walk.over_budget(failure, now);
                self.last_cap = Some(*abort);
            }
            NoBudget::Unfit(failure) => self.walk.refused_locally(failure.at(&tier.target), now),
            NoBudget::Unwritten(why) => {
                self.walk.aborted(now);
                self.unwritten = Some(why);
            }
        }
    }

    /// What an attempt on that tier may cost, or did.
    pub(super) fn bill<'a>(&'a self, tier: &'a TierRuntime, now: Moment) -> Bill<'a> {
        Bill {
            request: &self.outgoing,
            spender: &self.spender,
            key: self.options.key_caps.as_deref(),
            tier,
            now,
        }
    }
}

/// Not every dialect's words for what it cannot be told say which field of the request that is; a row must.
fn with_its_field(mut failure: Failure) -> Failure {
    if let Some(param) = failure.param.as_deref().filter(|param| !failure.message.contains(*param)) {
        failure.message = format!("{param}: {}", failure.message);
    }
    failure
}
