//! Anthropic, and servers that speak as it does.

use std::time::Duration;

use mainstay_canon::Kind;

use crate::{anthropic, check, read};

#[test]
fn anthropic_errors_are_what_its_reference_says() {
    for (status, word, message, kind) in [
        (400, "invalid_request_error", "messages: at least one message is required", Kind::InvalidRequest),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 212000 tokens > 200000 maximum",
            Kind::ContextLength,
        ),
        (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API.",
            Kind::QuotaExhausted,
        ),
        (400, "invalid_request_error", "This organization has been disabled.", Kind::Permission),
        (
            400,
            "invalid_request_error",
            "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
            Kind::UnsupportedParameter,
        ),
        (401, "authentication_error", "invalid x-api-key", Kind::Auth),
        (402, "billing_error", "Check your billing", Kind::QuotaExhausted),
        (403, "permission_error", "Your API key does not have permission", Kind::Permission),
        (403, "forbidden", "Request not allowed", Kind::RequestDeclined),
        (404, "not_found_error", "model: x", Kind::NotFound),
        (404, "not_found_error", "File not found: file_1", Kind::RequestDeclined),
        (409, "conflict_error", "conflict", Kind::ServerError),
        (413, "request_too_large", "Request exceeds the maximum size", Kind::TooLarge),
        (429, "rate_limit_error", "Number of requests has exceeded your rate limit", Kind::RateLimited),
        (500, "api_error", "Internal server error", Kind::ServerError),
        (504, "timeout_error", "Timed out", Kind::ServerError),
        (529, "overloaded_error", "Overloaded", Kind::Overloaded),
    ] {
        let failure = check("anthropic", status, &anthropic(word, message), kind);
        assert_eq!(failure.provider_request_id.as_deref(), Some("req_1"));
        check("anthropic-compatible", status, &anthropic(word, message), kind);
    }
}

#[test]
fn anthropics_spend_limits_are_quota_not_rate() {
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Limit reached","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
    check("anthropic", 429, body, Kind::QuotaExhausted);
    let plain = anthropic("rate_limit_error", "Limit reached");
    let forbidden = ("x-should-retry", "false");
    assert_eq!(read("anthropic", 429, &[forbidden], &plain).kind, Kind::QuotaExhausted);
    let failure = read("anthropic", 429, &[forbidden, ("retry-after", "12")], &plain);
    assert_eq!((failure.kind, failure.hint.unwrap().after), (Kind::RateLimited, Duration::from_secs(12)));
    assert_eq!(
        read("anthropic", 529, &[forbidden], &anthropic("overloaded_error", "")).kind,
        Kind::Overloaded
    );
}
