//! What is written down: rows of the call log, alerts, health for the next start.

use std::time::Duration;

use mainstay_calllog::CallRecord;
use mainstay_canon::{Answer, Attempt, Headers, Moment};
use mainstay_fallback::{Bucket, Change, DisabledBy, HealthChange, ReportedQuota};
use mainstay_providers::Provider;

use super::Alert;
use super::trip::Trip;
use crate::gave_up::Reason;

/// A row for one attempt or one tier that was passed over, which began at `at`.
pub(super) fn of_attempt(trip: &Trip, attempt: &Attempt, at: Moment) -> CallRecord {
    of_request(trip, at).of(attempt)
}

/// A row for a request, with nothing of an attempt in it.
pub(super) fn of_request(trip: &Trip, at: Moment) -> CallRecord {
    let id = trip.engine.ids.next(at);
    let mut row =
        CallRecord::new(id, at, &trip.request_id, &trip.route.chain.name).with_meta(&trip.request.meta);
    row.stream = trip.request.stream;
    row
}

/// Takes from an answer what a row holds of it.
pub(super) fn fill_answer(row: &mut CallRecord, answer: &Answer) {
    row.prompt_tokens = Some(answer.usage.prompt);
    row.completion_tokens = Some(answer.usage.completion);
    row.cached_tokens = Some(answer.usage.cached);
    row.cache_write_tokens = Some(answer.usage.cache_write);
    row.reasoning_tokens = Some(answer.usage.reasoning);
    row.tokens_estimated = answer.usage.estimated;
    row.finish_reason = Some(answer.finish_reason);
    row.finish_reason_raw.clone_from(&answer.finish_reason_raw);
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

/// What a person should hear of a change of health, if anything (behaviour 5.5, 9.4a).
pub(super) fn alert_of(change: &HealthChange) -> Option<Alert> {
    if !change.alert {
        return None;
    }
    let (kind, over) = match change.change {
        Change::Disabled { by: DisabledBy::Quota, .. } => ("quota_exhausted", false),
        Change::Disabled { by: DisabledBy::Credential, .. } => ("tier_disabled", false),
        Change::Disabled { by: DisabledBy::Operator, .. } => ("tier_disabled_by_operator", false),
        Change::Opened { .. } => ("breaker_open", false),
        Change::Cooling { .. } => ("tier_cooling", false),
        Change::Recovered => ("tier_recovered", true),
    };
    Some(Alert { kind, tier: Some(change.target.clone()), message: change.why.clone(), over })
}
