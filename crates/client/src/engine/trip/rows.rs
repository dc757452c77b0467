//! Rows of one request: what each says, and which wait until it is known what was handed over.

use mainstay_calllog::{CallRecord, note};
use mainstay_canon::{Answer, Attempt, Cost, FinishReason, Kind, Moment, Outcome, Quality};
use mainstay_fallback::Try;

use super::{Errand, InFlight, Trip};
use crate::engine::{capture, record};

/// Rows of useless answers of which one may be handed over in the end, because nothing better came
/// (behaviour 6.5a). They are written when that is decided; all other rows are written at once.
#[derive(Default)]
pub(super) struct Kept {
    refusal: Option<CallRecord>,
    filtered: Option<CallRecord>,
}

/// Whether a failure may turn out to be the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handable {
    No,
    Refusal,
    Filtered,
}

/// Whether a failure of that kind may turn out to be the answer.
pub(super) const fn handable(kind: Kind) -> Handable {
    match kind {
        Kind::Bad(Quality::Refusal) => Handable::Refusal,
        Kind::Bad(Quality::Filtered) | Kind::ContentFiltered | Kind::ContentProhibited => Handable::Filtered,
        Kind::Bad(
            Quality::Ok
            | Quality::Empty
            | Quality::TruncatedEmpty
            | Quality::ReasoningOnly
            | Quality::Truncated
            | Quality::Paused
            | Quality::SuspiciouslyShort
            | Quality::MalformedToolCall
            | Quality::SchemaMismatch
            | Quality::Degenerate
            | Quality::Interrupted,
        )
        | Kind::Connect
        | Kind::Tls
        | Kind::TimeoutFirstByte
        | Kind::TimeoutIdle
        | Kind::TimeoutTotal
        | Kind::RateLimited
        | Kind::QuotaExhausted
        | Kind::Overloaded
        | Kind::ServerError
        | Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::Auth
        | Kind::Permission
        | Kind::NotFound
        | Kind::RequestDeclined
        | Kind::StreamInterrupted
        | Kind::InvalidResponse
        | Kind::UnknownFinishReason
        | Kind::MalformedToolCall
        | Kind::BudgetExceeded
        | Kind::UnpricedModel
        | Kind::Cancelled => Handable::No,
    }
}

impl Trip {
    /// A row for the request, with nothing of an attempt in it.
    fn blank_row(&self, at: Moment) -> CallRecord {
        let id = self.engine.ids.next(at);
        let mut row =
            CallRecord::new(id, at, &self.request_id, &self.route.chain.name).with_meta(&self.request.meta);
        row.stream = self.request.stream;
        match self.errand {
            Errand::Chat => {}
            Errand::Vectors(_) => row.add_note(note::EMBEDDINGS),
        }
        row
    }

    /// The row of an attempt, with what is known of its answer.
    pub(super) fn row(&self, flight: &InFlight, attempt: &Attempt, answer: Option<&Answer>) -> CallRecord {
        let mut row = self.blank_row(flight.started).of(attempt);
        for remark in &flight.notes {
            row.add_note(remark);
        }
        if let Some(answer) = answer {
            record::fill_answer(&mut row, answer);
        }
        row
    }

    /// What a row says of how its attempt was made.
    pub(super) fn notes_of(&self, attempt: &Try) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(at) = self.continues_at {
            notes.push(format!("{} at byte {at}", note::CONTINUED));
        }
        if attempt.probe {
            notes.push(note::PROBE.to_owned());
        }
        notes
    }

    /// Keeps what was asked and answered, where the operator wants that.
    pub(super) fn capture(&self, row: &CallRecord, answer: Option<&Answer>) {
        let Some(prompt) = &self.prompt_text else { return };
        if let Some(entry) = capture::entry(row.id, prompt, answer, self.engine.config.log.capture) {
            // The row decides whether the call is refused; the text beside it does not.
            drop(self.engine.write(&entry));
        }
    }

    /// Rows of the tiers that were passed over since this was last asked.
    pub(super) fn write_skips(&mut self, now: Moment) {
        for skip in self.walk.take_skips() {
            let attempt = Attempt {
                target: skip.target,
                number: None,
                tier_attempt: None,
                outcome: Outcome::Skipped,
                quality: None,
                finish_reason: None,
                error: None,
                http_status: None,
                latency_ms: 0,
                wait_ms: 0,
                cost: Cost::ZERO,
                why: skip.why,
            };
            let mut row = self.blank_row(now).of(&attempt);
            row.add_note(skip.reason.word());
            self.trail.push(attempt);
            drop(self.engine.write_row(row));
        }
    }

    /// Holds a row back until it is known whether its answer is handed over. Only the last of a kind can be.
    pub(super) fn keep(&mut self, kind: Handable, row: CallRecord) {
        let place = match kind {
            Handable::No => return drop(self.engine.write_row(row)),
            Handable::Refusal => &mut self.kept.refusal,
            Handable::Filtered => &mut self.kept.filtered,
        };
        if let Some(earlier) = place.replace(row) {
            drop(self.engine.write_row(earlier));
        }
    }

    /// Nothing that was kept is handed over.
    pub(super) fn write_kept(&mut self) {
        for row in [self.kept.refusal.take(), self.kept.filtered.take()].into_iter().flatten() {
            drop(self.engine.write_row(row));
        }
    }

    /// The last refusal, or else the last filtered answer, is handed over: its row says so.
    ///
    /// # Errors
    ///
    /// As [`Engine::write_row`](crate::Engine).
    pub(super) fn write_handed_over(&mut self, quality: Quality) -> Result<(), String> {
        let place =
            if quality == Quality::Refusal { &mut self.kept.refusal } else { &mut self.kept.filtered };
        let Some(mut row) = place.take() else {
            self.write_kept();
            return Ok(());
        };
        row.released = true;
        row.outcome = Outcome::Quality;
        row.quality = Some(quality);
        if quality == Quality::Filtered {
            row.finish_reason = Some(FinishReason::ContentFilter);
        }
        self.write_kept();
        self.engine.write_row(row)
    }

    /// A request that reached no provider is a row, too, with no tier.
    pub(super) fn write_unanswered(&self, outcome: Outcome, error_kind: &str, why: &str) {
        let mut row = self.blank_row(self.engine.clock.now());
        row.outcome = outcome;
        row.error_kind = Some(error_kind.to_owned());
        why.clone_into(&mut row.detail);
        drop(self.engine.write_row(row));
    }
}
