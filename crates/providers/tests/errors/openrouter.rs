//! OpenRouter: its own limits, its routing, and what the hosts behind it say.

use std::time::Duration;

use mainstay_canon::{HintSource, Kind};

use crate::{check, openrouter, read};

#[test]
fn openrouters_402_is_two_things() {
    let in_flight =
        openrouter(402, "Too much in flight", r#"{"limit_source":"openrouter_in_flight_budget"}"#);
    let failure = read("openrouter", 402, &[("retry-after", "3")], &in_flight);
    assert_eq!((failure.kind, failure.hint.unwrap().after), (Kind::RateLimited, Duration::from_secs(3)));
    check(
        "openrouter",
        402,
        &openrouter(402, "Pay", r#"{"limit_source":"openrouter_credits"}"#),
        Kind::QuotaExhausted,
    );
    check("openrouter", 402, &openrouter(402, "Insufficient credits", "{}"), Kind::QuotaExhausted);
}

#[test]
fn openrouters_403_is_three_things() {
    let flagged = r#"{"reasons":["violence"],"flagged_input":"…","provider_name":"North"}"#;
    check("openrouter", 403, &openrouter(403, "Input flagged", flagged), Kind::ContentFiltered);
    for source in ["openrouter_guardrail_budget", "openrouter_workspace_budget", "openrouter_key_limit"] {
        let body = openrouter(403, "Budget", &format!(r#"{{"limit_source":"{source}"}}"#));
        check("openrouter", 403, &body, Kind::QuotaExhausted);
    }
    check("openrouter", 403, &openrouter(403, "Forbidden", r#"{"reasons":null}"#), Kind::Permission);
    check("openrouter", 403, &openrouter(403, "Forbidden", "null"), Kind::Permission);
}

#[test]
fn openrouters_canon_of_error_types_decides() {
    for (status, word, kind) in [
        (400, "context_length_exceeded", Kind::ContextLength),
        (400, "token_limit_exceeded", Kind::ContextLength),
        (400, "string_too_long", Kind::InvalidRequest),
        (401, "authentication", Kind::Auth),
        (403, "permission_denied", Kind::Permission),
        (402, "payment_required", Kind::QuotaExhausted),
        (429, "rate_limit_exceeded", Kind::RateLimited),
        (503, "provider_overloaded", Kind::Overloaded),
        (502, "provider_unavailable", Kind::Overloaded),
        (400, "invalid_request", Kind::InvalidRequest),
        (400, "invalid_prompt", Kind::InvalidRequest),
        (404, "not_found", Kind::NotFound),
        (412, "precondition_failed", Kind::InvalidRequest),
        (413, "payload_too_large", Kind::TooLarge),
        (422, "unprocessable", Kind::InvalidRequest),
        (400, "content_policy_violation", Kind::ContentFiltered),
        (400, "refusal", Kind::ContentFiltered),
        (400, "invalid_image", Kind::InvalidRequest),
        (400, "image_download_failed", Kind::RequestDeclined),
        (500, "server", Kind::ServerError),
        (524, "timeout", Kind::Overloaded),
        (500, "unmapped", Kind::ServerError),
    ] {
        let body = openrouter(status, "Provider returned error", &format!(r#"{{"error_type":"{word}"}}"#));
        check("openrouter", status, &body, kind);
    }
}

#[test]
fn openrouters_routing_says_what_it_lacks() {
    check(
        "openrouter",
        404,
        &openrouter(404, "No endpoints found that support tool use", "{}"),
        Kind::UnsupportedParameter,
    );
    check(
        "openrouter",
        404,
        &openrouter(404, "No endpoints found matching your data policy", "{}"),
        Kind::Permission,
    );
    check("openrouter", 404, &openrouter(404, "No endpoints found for x", "{}"), Kind::NotFound);
    check("openrouter", 400, &openrouter(400, "x is not a valid model ID", "{}"), Kind::NotFound);
    check(
        "openrouter",
        429,
        &openrouter(429, "Provider returned error", r#"{"raw":"x is temporarily rate-limited upstream"}"#),
        Kind::RateLimited,
    );
}

#[test]
fn openrouters_daily_quota_cools_until_its_reset_or_is_used_up() {
    let metadata = r#"{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1772380800000"}}"#;
    let failure = check(
        "openrouter",
        429,
        &openrouter(429, "Rate limit exceeded: free-models-per-day. Add credits", metadata),
        Kind::RateLimited,
    );
    let hint = failure.hint.unwrap();
    assert_eq!((hint.after, hint.source), (Duration::from_hours(4), HintSource::Body));
    check(
        "openrouter",
        429,
        &openrouter(429, "Rate limit exceeded: free-models-per-day", "{}"),
        Kind::QuotaExhausted,
    );
    check(
        "openrouter",
        429,
        &openrouter(429, "Rate limit exceeded: free-models-per-min", "{}"),
        Kind::RateLimited,
    );
}
