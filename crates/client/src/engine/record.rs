//! What a row of the call log takes from an attempt, an answer and a reply's head.

use std::time::Duration;

use mainstay_calllog::CallRecord;
use mainstay_canon::{Answer, Headers, Moment, Usage};
use mainstay_fallback::{Bucket, ReportedQuota};
use mainstay_providers::Provider;

use crate::gave_up::Reason;

/// What is noted where the limit on extras was passed.
const EXTRAS_LEFT_OUT: &str = "members of the provider's own dialect beyond 16 MB were left out";

/// What is known of a reply beside its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Came {
    /// HTTP status.
    pub(super) status: Option<u16>,
    /// The provider's id of the call.
    pub(super) provider_request_id: Option<String>,
    /// From sending to the first content; streams only.
    pub(super) ttft: Option<Duration>,
    /// Whether more extras came than one reply may have.
    pub(super) left_extras_out: bool,
}

impl Came {
    /// Writes it into a row.
    pub(super) fn fill(self, row: &mut CallRecord) {
        row.provider_request_id = self.provider_request_id.or(row.provider_request_id.take());
        row.ttft_ms = self.ttft.map(millis);
        if self.left_extras_out {
            row.add_note(EXTRAS_LEFT_OUT);
        }
    }
}

/// Takes from an answer what a row holds of it.
pub(super) fn fill_answer(row: &mut CallRecord, answer: &Answer) {
    fill_usage(row, &answer.usage);
    row.finish_reason_raw.clone_from(&answer.finish_reason_raw);
    if let Some(model) = answer.model.as_ref().filter(|model| !model.is_empty()) {
        row.model = Some(model.clone());
    }
}

/// Takes the counts of tokens.
pub(super) fn fill_usage(row: &mut CallRecord, usage: &Usage) {
    row.prompt_tokens = Some(usage.prompt);
    row.completion_tokens = Some(usage.completion);
    row.cached_tokens = Some(usage.cached);
    row.cache_write_tokens = Some(usage.cache_write);
    row.reasoning_tokens = Some(usage.reasoning);
    row.tokens_estimated = usage.estimated;
}

/// The error kind of a request that reached no provider.
pub(super) fn reason_word(reason: &Reason) -> &'static str {
    match reason {
        Reason::AllProvidersFailed { only_rate_limits: true, .. } => "rate_limited",
        Reason::AllProvidersFailed { .. } => "overloaded",
        Reason::Timeout => "timeout_total",
        Reason::InvalidRequest(failure) | Reason::Refused(failure) | Reason::Interrupted(failure) => {
            failure.kind.word()
        }
        Reason::BudgetExceeded(_) => "budget_exceeded",
        Reason::LogUnavailable(_) => "server_error",
    }
}

/// Whole milliseconds.
pub(super) fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

/// What a reply's headers say is left of the provider's rate limits.
pub(super) fn quota(provider: &Provider, headers: &Headers, now: Moment) -> Option<ReportedQuota> {
    let mut report = ReportedQuota::default();
    for remaining in provider.remaining(headers, now) {
        let bucket = Some(Bucket { left: remaining.left, resets: remaining.resets });
        // Of several buckets of a kind the emptiest decides.
        let kept = if remaining.of_tokens { &mut report.tokens } else { &mut report.requests };
        if kept.is_none_or(|known| known.left > remaining.left) {
            *kept = bucket;
        }
    }
    (report != ReportedQuota::default()).then_some(report)
}
