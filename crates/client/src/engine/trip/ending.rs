//! How a request ends: an answer that is handed over, a refusal that is, or the error with every attempt.

use std::time::Duration;

use mainstay_calllog::{CallRecord, note};
use mainstay_canon::{Answer, ChatResponse, Failure, FinishReason, Kind, Outcome, Quality, Target, Verdict};
use mainstay_config::ReturnOrError;
use mainstay_fallback::End;

use super::outcome::entry;
use super::{Arrived, NoAttempt, Trip};
use crate::engine::record;
use crate::gave_up::{GaveUp, Reason};

impl Trip {
    /// The answer is good enough to hand over: settles, writes the row, closes the walk.
    ///
    /// # Errors
    ///
    /// When the call log cannot be written and the config says to refuse then.
    pub(crate) fn answered(&mut self, arrived: Arrived) -> Result<ChatResponse, GaveUp> {
        let Some(mut flight) = self.in_flight.take() else {
            return Err(self.nobody());
        };
        let Arrived { answer, verdict, came, repaired } = arrived;
        let now = self.engine.clock.now();
        let usage = Some((answer.usage, answer.reported_cost));
        let cost = self.settle(&mut flight, Kind::Bad(Quality::Ok), usage, now);
        self.walk.succeeded(now);
        self.engine.publish_health();
        let outcome = self.engine.outcome_of(&verdict);
        let mut attempt = entry(&flight, outcome, cost, now);
        attempt.http_status = came.status;
        attempt.quality = Some(verdict.quality);
        attempt.finish_reason = Some(answer.finish_reason);
        attempt.why = verdict.detail.to_string();
        let mut row = self.row(&flight, &attempt, Some(&answer));
        let ttft = came.ttft;
        came.fill(&mut row);
        row.released = true;
        row.rescued = !self.trail.is_empty();
        let observed = self.engine.only_observes() && outcome == Outcome::Quality;
        add_notes(&mut row, flight.tier.static_fallback, observed, repaired);
        self.capture(&row, Some(&answer));
        self.trail.push(attempt);
        self.write_kept();
        self.over = true;
        let written = self.engine.write_row(row);
        written.map_err(|why| self.gave_up(Reason::LogUnavailable(why), None))?;
        let mut response = self.response(answer, flight.tier.target.clone(), verdict);
        response.time_to_first_token_ms = ttft.map(record::millis);
        response.from_static_tier = flight.tier.static_fallback;
        response.continued_at = self.first_break;
        Ok(response)
    }

    /// Nothing more follows what was handed over.
    pub(crate) fn interrupted(&mut self, failure: Failure) -> GaveUp {
        self.over = true;
        self.write_kept();
        self.gave_up(Reason::Interrupted(failure), None)
    }

    /// Nothing is left to try: a refusal that is returned as an answer, or the error.
    pub(crate) fn finish(&mut self, none: NoAttempt) -> Result<ChatResponse, GaveUp> {
        self.over = true;
        let none = match none {
            NoAttempt::End(End::Refusal(failure))
                if self.engine.config.quality.on_refusal == ReturnOrError::Return =>
            {
                return self.hand_over(failure, Quality::Refusal);
            }
            NoAttempt::End(End::Filtered(failure)) => return self.hand_over(failure, Quality::Filtered),
            none @ (NoAttempt::End(_) | NoAttempt::Unwritten) => none,
        };
        let gave_up = self.ended(none);
        self.close(&gave_up);
        Err(gave_up)
    }

    /// The error that a request ends with of which nothing is handed over.
    pub(super) fn ended(&mut self, none: NoAttempt) -> GaveUp {
        let end = match none {
            NoAttempt::End(end) => end,
            NoAttempt::Unwritten => {
                let why = self.unwritten.take().unwrap_or_default();
                return self.gave_up(Reason::LogUnavailable(why), None);
            }
        };
        match end {
            End::Refusal(failure) => self.gave_up(Reason::Refused(failure), None),
            // What a filter blocked is the caller's own text, where no answer can be handed over that says so.
            End::Filtered(failure) | End::CallerError(failure) => {
                self.gave_up(Reason::InvalidRequest(failure), None)
            }
            End::BudgetExceeded(failure) => match self.last_cap.take() {
                Some(abort) => self.gave_up(Reason::BudgetExceeded(abort), None),
                None => self.gave_up(Reason::InvalidRequest(failure), None),
            },
            End::AllFailed { retry_after, timed_out: true, .. } => self.gave_up(Reason::Timeout, retry_after),
            End::AllFailed { retry_after, only_rate_limits, about_availability, timed_out: false } => {
                let reason = Reason::AllProvidersFailed { only_rate_limits, about_availability };
                self.gave_up(reason, retry_after)
            }
        }
    }

    /// Writes the rows that are left when nothing is handed over.
    pub(super) fn close(&mut self, gave_up: &GaveUp) {
        self.write_kept();
        let unwritten = matches!(gave_up.reason, Reason::LogUnavailable(_));
        if !unwritten && self.trail.iter().all(|attempt| attempt.number.is_none()) {
            let (kind, why) = (record::reason_word(&gave_up.reason), gave_up.to_string());
            self.write_unanswered(Outcome::Skipped, kind, &why);
        }
    }

    /// The last refusal or filtered answer is what the caller gets (behaviour 6.5a).
    fn hand_over(&mut self, failure: Failure, quality: Quality) -> Result<ChatResponse, GaveUp> {
        if let Err(why) = self.write_handed_over(quality) {
            return Err(self.gave_up(Reason::LogUnavailable(why), None));
        }
        let target =
            failure.target.clone().or_else(|| self.trail.last().map(|attempt| attempt.target.clone()));
        let Some(target) = target else {
            return Err(self.nobody());
        };
        let mut answer = failure.answer.map(|answer| *answer).unwrap_or_default();
        let verdict = failure.verdict.unwrap_or(Verdict::of(quality, "provider", ""));
        // A refusal in plain words is one for the caller's dialect, too; and a filter that spoke through an
        // error status left no finish reason.
        if quality == Quality::Filtered {
            answer.finish_reason = FinishReason::ContentFilter;
        } else if answer.finish_reason == FinishReason::Stop {
            answer.finish_reason = FinishReason::Refusal;
        }
        Ok(self.response(answer, target, verdict))
    }

    fn response(&self, answer: Answer, target: Target, quality: Verdict) -> ChatResponse {
        ChatResponse {
            answer,
            request_id: self.request_id.clone(),
            target,
            quality,
            cost: self.cost,
            latency_ms: record::millis(self.engine.clock.now().since(self.started)),
            time_to_first_token_ms: None,
            attempts: self.trail.clone(),
            from_static_tier: false,
            continued_at: None,
        }
    }

    /// Nobody answered, and nobody could have.
    pub(super) fn nobody(&self) -> GaveUp {
        self.gave_up(Reason::AllProvidersFailed { only_rate_limits: false, about_availability: false }, None)
    }

    pub(super) fn gave_up(&self, reason: Reason, retry_after: Option<Duration>) -> GaveUp {
        GaveUp {
            reason,
            request_id: self.request_id.clone(),
            attempts: self.trail.clone(),
            failures: self.walk.failures().to_vec(),
            cost: self.cost,
            retry_after,
        }
    }
}

/// What is remarkable about an answer that is handed over.
fn add_notes(row: &mut CallRecord, static_tier: bool, observed: bool, repaired: bool) {
    let remarks = [(note::STATIC_TIER, static_tier), (note::OBSERVED, observed), (note::REPAIRED, repaired)];
    for (remark, _) in remarks.into_iter().filter(|(_, holds)| *holds) {
        row.add_note(remark);
    }
}
