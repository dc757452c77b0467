//! What became of one attempt: settled, written down, told to the walk.

use mainstay_canon::{Answer, Attempt, Cost, Failure, Kind, Moment, Nanodollars, Outcome, Usage};
use mainstay_fallback::Continue;
use mainstay_retry::consequence_of;

use super::rows::{Handable, handable};
use super::{Arrived, InFlight, Trip};
use crate::engine::alerts::{Alert, Ends};
use crate::engine::record::{self, Came};
use crate::engine::{Engine, UNKNOWN_FINISH_REASON};
use mainstay_calllog::note;

/// A call that its caller abandoned, in words.
const CALLER_LEFT: &str = "the caller went away";

/// A part of an answer whose caller went away.
pub(crate) struct Abandoned {
    pub(crate) answer: Answer,
    pub(crate) came: Came,
    /// Whether any of it was handed over.
    pub(crate) released: bool,
}

impl Trip {
    /// The attempt failed, or its answer is useless and nothing of it was handed over.
    pub(crate) fn failed(&mut self, failure: Failure, came: Came) {
        let Some(mut flight) = self.in_flight.take() else { return };
        let now = self.engine.clock.now();
        let mut failure = failure.at(&flight.tier.target);
        flight.tier.endpoint.scrub(&mut failure);
        let answer = failure.answer.as_deref();
        let usage = answer.map(|answer| (answer.usage, answer.reported_cost));
        let cost = self.settle(&mut flight, failure.kind, usage, now);
        let outcome = if failure.is_about_quality() { Outcome::Quality } else { Outcome::Error };
        let mut attempt = entry(&flight, outcome, cost, now);
        attempt.http_status = failure.status.or(came.status);
        attempt.error = (!failure.is_about_quality()).then_some(failure.kind);
        attempt.quality = failure.verdict.as_ref().map(|verdict| verdict.quality);
        attempt.finish_reason = answer.map(|answer| answer.finish_reason);
        attempt.why.clone_from(&failure.message);
        let mut row = self.row(&flight, &attempt, answer);
        came.fill(&mut row);
        row.provider_request_id = failure.provider_request_id.clone().or(row.provider_request_id);
        row.finish_reason_raw = row.finish_reason_raw.or_else(|| failure.finish_reason_raw.clone());
        self.capture(&row, answer);
        self.trail.push(attempt);
        match handable(failure.kind) {
            Handable::No => drop(self.engine.write_row(row)),
            kind @ (Handable::Refusal | Handable::Filtered) => self.keep(kind, row),
        }
        self.alert_about(&failure);
        self.walk.failed(failure, now, self.engine.clock.chance());
        self.engine.publish_health();
    }

    /// What an operator must hear of a failure that leaves no mark on its tier's health (behaviour 5.5).
    fn alert_about(&self, failure: &Failure) {
        if failure.kind == Kind::UnknownFinishReason && consequence_of(failure).alert {
            let alert = Alert::new(UNKNOWN_FINISH_REASON, failure.target.as_ref(), failure.message.clone());
            self.engine.raise(alert, Ends::WhenQuiet);
        }
    }

    /// An answer broke off after a part of it had been handed over; `then` says what may follow.
    pub(crate) fn broke_off(&mut self, failure: &mut Failure, arrived: Arrived, then: Continue) {
        let Some(mut flight) = self.in_flight.take() else { return };
        let now = self.engine.clock.now();
        failure.target = Some(flight.tier.target.clone());
        flight.tier.endpoint.scrub(failure);
        let usage = Some((arrived.answer.usage, arrived.answer.reported_cost));
        let cost = self.settle(&mut flight, failure.kind, usage, now);
        // The line held; it is the answer that was no use.
        let outcome = if failure.is_about_quality() { Outcome::Quality } else { Outcome::Error };
        let mut attempt = entry(&flight, outcome, cost, now);
        attempt.http_status = arrived.came.status;
        attempt.error = (!failure.is_about_quality()).then_some(failure.kind);
        attempt.quality = Some(arrived.verdict.quality);
        attempt.why.clone_from(&failure.message);
        let mut row = self.row(&flight, &attempt, Some(&arrived.answer));
        arrived.came.fill(&mut row);
        row.released = true;
        self.capture(&row, Some(&arrived.answer));
        self.trail.push(attempt);
        // The part is with the caller already; a log that cannot be written has raised its own alert.
        drop(self.engine.write_row(row));
        self.alert_about(failure);
        self.walk.released(then);
        self.walk.failed(failure.clone(), now, self.engine.clock.chance());
        self.engine.publish_health();
    }

    /// The caller went away: what was spent is recorded (behaviour 7.5).
    ///
    /// A stream is charged for what had come. Of a whole answer nothing is seen before it is there, and a
    /// provider may go on writing it; so it is charged at its worst case, and its row says so.
    pub(crate) fn abort(&mut self, abandoned: Option<Abandoned>) {
        if self.over {
            return;
        }
        self.over = true;
        let now = self.engine.clock.now();
        self.write_kept();
        match self.in_flight.take() {
            Some(flight) => self.abandon(flight, abandoned, now),
            None if self.trail.iter().all(|attempt| attempt.number.is_none()) => {
                self.write_unanswered(Outcome::Aborted, Kind::Cancelled.word(), CALLER_LEFT);
            }
            None => {}
        }
        self.walk.aborted(now);
        self.engine.publish_health();
    }

    fn abandon(&mut self, mut flight: InFlight, abandoned: Option<Abandoned>, now: Moment) {
        let answer = abandoned.as_ref().map(|abandoned| &abandoned.answer);
        let usage = answer.map(|answer| (answer.usage, answer.reported_cost));
        let cost = self.settle(&mut flight, Kind::Cancelled, usage, now);
        if usage.is_none() && cost.known().is_some_and(|cost| cost > Nanodollars::ZERO) {
            flight.notes.push("charged at its worst case: what had been written is not known".to_owned());
        }
        let mut attempt = entry(&flight, Outcome::Aborted, cost, now);
        attempt.error = Some(Kind::Cancelled);
        CALLER_LEFT.clone_into(&mut attempt.why);
        attempt.http_status = abandoned.as_ref().and_then(|abandoned| abandoned.came.status);
        let mut row = self.row(&flight, &attempt, answer);
        self.capture(&row, answer);
        if let Some(abandoned) = abandoned {
            row.released = abandoned.released;
            abandoned.came.fill(&mut row);
        }
        self.trail.push(attempt);
        drop(self.engine.write_row(row));
    }

    /// Settles what an attempt cost, in the ledger and in the request's own sum.
    pub(super) fn settle(
        &mut self,
        flight: &mut InFlight,
        kind: Kind,
        usage: Option<(Usage, Option<Nanodollars>)>,
        now: Moment,
    ) -> Cost {
        if let Some((usage, _)) = usage {
            self.walk.used_tokens(usage.prompt.saturating_add(usage.completion));
        }
        let reservation = flight.reservation.take();
        let bill = self.bill(&flight.tier, now);
        let cost = Engine::charge(&bill, kind, usage, flight.worst);
        if self.engine.settle(reservation, cost, &bill) {
            flight.notes.push(note::OVERRUN.to_owned());
        }
        self.cost = self.cost.plus(cost);
        cost
    }
}

/// The trail's entry of an attempt that has ended.
pub(super) fn entry(flight: &InFlight, outcome: Outcome, cost: Cost, now: Moment) -> Attempt {
    Attempt {
        target: flight.tier.target.clone(),
        number: Some(flight.try_.number),
        tier_attempt: Some(flight.try_.tier_attempt),
        outcome,
        quality: None,
        finish_reason: None,
        error: None,
        http_status: None,
        latency_ms: record::millis(now.since(flight.started)),
        wait_ms: record::millis(flight.waited),
        cost,
        why: String::new(),
    }
}
