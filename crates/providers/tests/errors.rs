//! Error replies, provider by provider: what they are, and how long to stay away. Bodies in the shapes of
//! the providers' documentation as of 2026-11.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::Duration;

use mainstay_canon::{Failure, Headers, HintSource, Kind, Moment};
use mainstay_providers::{Told, by_id, for_dialect};

/// 2026-03-01T12:00:00Z.
const NOW: Moment = Moment::from_secs(1_772_366_400);

fn read(provider: &str, status: u16, fields: &[(&str, &str)], body: &str) -> Failure {
    let headers: Headers = fields.iter().copied().collect();
    let provider =
        by_id(provider).unwrap_or_else(|| for_dialect(mainstay_canon::Dialect::Anthropic).unwrap());
    provider.read_error(status, &headers, body.as_bytes(), NOW)
}

fn openai(message: &str, kind: &str, code: &str) -> String {
    format!(r#"{{"error":{{"message":"{message}","type":"{kind}","param":null,"code":"{code}"}}}}"#)
}

fn anthropic(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
}

fn openrouter(code: u16, message: &str, metadata: &str) -> String {
    format!(r#"{{"error":{{"code":{code},"message":"{message}","metadata":{metadata}}}}}"#)
}

fn check(provider: &str, status: u16, body: &str, kind: Kind) -> Failure {
    let failure = read(provider, status, &[], body);
    assert_eq!(failure.kind, kind, "{provider} {status} {body}");
    assert_eq!(failure.status, Some(status));
    failure
}

#[test]
fn openai_tells_rate_from_quota_by_code_then_type() {
    for code in ["rate_limit_exceeded", "slow_down"] {
        check("openai", 429, &openai("Rate limit reached", "tokens", code), Kind::RateLimited);
    }
    for code in [
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        "billing_hard_limit_reached",
    ] {
        check(
            "openai",
            429,
            &openai("You exceeded your current quota", "insufficient_quota", code),
            Kind::QuotaExhausted,
        );
    }
    let large = openai(
        "Request too large for gpt-x on tokens per min (TPM): Limit 10000, Requested 20000",
        "tokens",
        "rate_limit_exceeded",
    );
    check("openai", 429, &large, Kind::TooLarge);
}

#[test]
fn openai_tells_the_key_the_model_and_the_request_apart() {
    let invalid = "invalid_request_error";
    check("openai", 401, &openai("Incorrect API key provided", invalid, "invalid_api_key"), Kind::Auth);
    let scope =
        openai("You have insufficient permissions for this operation. Missing scopes: x", invalid, "");
    check("openai", 401, &scope, Kind::Permission);
    check("openai", 403, &openai("You may not", "permission_error", ""), Kind::Permission);
    let region = "unsupported_country_region_territory";
    check(
        "openai",
        403,
        &openai("Country, region, or territory not supported", invalid, region),
        Kind::RequestDeclined,
    );
    check("openai", 404, &openai("The model `x` does not exist", invalid, "model_not_found"), Kind::NotFound);
    check("openai", 400, &openai("The model `x` does not exist", invalid, "model_not_found"), Kind::NotFound);
    check("openai", 404, &openai("No such File object: file-1", invalid, ""), Kind::RequestDeclined);
    check("openai", 404, &openai("Nothing here", invalid, ""), Kind::NotFound);
}

#[test]
fn openai_tells_a_wrong_request_from_one_for_another_model() {
    let invalid = "invalid_request_error";
    check(
        "openai",
        400,
        &openai("Missing required parameter", invalid, "missing_required_parameter"),
        Kind::InvalidRequest,
    );
    check(
        "openai",
        400,
        &openai("This model's maximum context length is 1", invalid, "context_length_exceeded"),
        Kind::ContextLength,
    );
    check(
        "openai",
        400,
        &openai("Unsupported parameter", invalid, "unsupported_parameter"),
        Kind::UnsupportedParameter,
    );
    check("openai", 400, &openai("flagged", invalid, "content_policy_violation"), Kind::ContentFiltered);
    let tools = openai(
        "Function tools with reasoning_effort are not supported for gpt-x in /v1/chat/completions. Please use /v1/responses instead.",
        invalid,
        "",
    );
    let failure = check("openai", 400, &tools, Kind::UnsupportedParameter);
    assert_eq!(failure.param.as_deref(), Some("reasoning_effort"));
    let large = openai(
        "max_tokens is too large: 50000. This model supports at most 16384 completion tokens",
        invalid,
        "",
    );
    assert_eq!(check("openai", 400, &large, Kind::UnsupportedParameter).param.as_deref(), Some("max_tokens"));
}

#[test]
fn openai_tells_overload_from_failure() {
    check("openai", 500, &openai("The server had an error", "server_error", ""), Kind::ServerError);
    check(
        "openai",
        503,
        &openai("Overloaded", "service_unavailable_error", "server_is_overloaded"),
        Kind::Overloaded,
    );
    check("openai", 409, &openai("Conflict", "invalid_request_error", ""), Kind::ServerError);
    check("openai", 502, "<html><body>Bad gateway</body></html>", Kind::ServerError);
    check("openai", 503, "", Kind::Overloaded);
}

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

#[test]
fn deepseeks_errors_are_told_apart() {
    let said = |message| openai(message, "invalid_request_error", "invalid_request_error");
    check(
        "deepseek",
        402,
        &openai("Insufficient Balance", "unknown_error", "invalid_request_error"),
        Kind::QuotaExhausted,
    );
    check(
        "deepseek",
        401,
        &openai("Authentication Fails", "authentication_error", "invalid_request_error"),
        Kind::Auth,
    );
    check("deepseek", 400, &said("Content Exists Risk"), Kind::ContentFiltered);
    check("deepseek", 400, &said("Model Not Exist"), Kind::NotFound);
    check(
        "deepseek",
        400,
        &said("The supported API model names are a or b, but you passed c."),
        Kind::NotFound,
    );
    check(
        "deepseek",
        400,
        &said("This model's maximum context length is 1048565 tokens. However, you requested"),
        Kind::ContextLength,
    );
    check("deepseek", 422, &said("Invalid parameters"), Kind::InvalidRequest);
    check("deepseek", 503, &said("Server overloaded"), Kind::Overloaded);
    for (message, param) in [
        ("Thinking mode does not support this tool_choice", "tool_choice"),
        ("The `reasoning_content` in the thinking mode must be passed back to the API.", "reasoning_content"),
        ("This response_format type is unavailable now", "response_format"),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "max_tokens"),
    ] {
        let failure = check("deepseek", 400, &said(message), Kind::UnsupportedParameter);
        assert_eq!(failure.param.as_deref(), Some(param));
    }
}

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

#[test]
fn compatible_servers_are_read_in_all_their_shapes() {
    let check = |status, body: &str, kind| {
        check("compatible", status, body, kind);
        check("local", status, body, kind);
    };
    check(
        503,
        r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
        Kind::Overloaded,
    );
    check(
        400,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":4}}"#,
        Kind::ContextLength,
    );
    check(
        500,
        r#"{"error":{"code":500,"message":"input is too large to process. increase the physical batch size","type":"server_error"}}"#,
        Kind::ContextLength,
    );
    check(
        400,
        r#"{"object":"error","message":"max_tokens must be at least 1, got -12.","type":"BadRequestError","param":null,"code":400}"#,
        Kind::ContextLength,
    );
    check(404, r#"{"error":"No models loaded. Please load a model"}"#, Kind::NotFound);
    check(404, r#"{"error":{"message":"model 'x' not found","type":"not_found_error"}}"#, Kind::NotFound);
    check(412, r#"{"error":{"message":"Account suspended"}}"#, Kind::QuotaExhausted);
    check(
        403,
        r#"{"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097"}}"#,
        Kind::ContextLength,
    );
    check(
        400,
        r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: x"}"#,
        Kind::Auth,
    );
    check(429, r#"{"error":{"code":"1113","message":"Arrears"}}"#, Kind::QuotaExhausted);
    check(
        400,
        r#"{"error":{"code":"data_inspection_failed","message":"Inappropriate"}}"#,
        Kind::ContentFiltered,
    );
    check(
        400,
        r#"{"error":{"code":"content_filter","status":400,"message":"The response was filtered","param":"prompt","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#,
        Kind::ContentFiltered,
    );
}

#[test]
fn a_hint_counts_only_where_a_server_asks_to_be_left_alone() {
    let fields = [("retry-after", "30")];
    for (status, counts) in
        [(429, true), (503, true), (529, true), (400, false), (402, false), (500, false), (200, false)]
    {
        let failure = read("openai", status, &fields, "{}");
        assert_eq!(failure.hint.is_some(), counts, "{status}");
    }
    assert!(read("openrouter", 402, &fields, "{}").hint.is_some());
}

#[test]
fn an_error_inside_a_200_is_completed_by_its_effective_status() {
    let provider = by_id("openrouter").unwrap();
    let headers: Headers = [("retry-after", "9"), ("X-Generation-Id", "gen-1")].into_iter().collect();
    let body = br#"{"error":{"code":429,"message":"slow down"}}"#;
    let failure = provider.upstream.read_reply(body).unwrap_err();
    let failure = provider.refined(failure, &Told { headers: &headers, body, now: NOW });
    assert_eq!((failure.kind, failure.status), (Kind::RateLimited, Some(429)));
    assert_eq!(failure.hint.unwrap().after, Duration::from_secs(9));
    assert_eq!(failure.provider_request_id.as_deref(), Some("gen-1"));
}

#[test]
fn any_body_of_any_status_is_some_failure() {
    for provider in mainstay_providers::ALL {
        for status in [100, 200, 304, 400, 418, 429, 599, 999] {
            for body in [
                "",
                "null",
                "[]",
                "{}",
                "\u{0}",
                "{\"error\":[]}",
                "{\"error\":{\"metadata\":7,\"code\":{}}}",
                "[[[[",
            ] {
                let failure = provider.read_error(status, &Headers::new(), body.as_bytes(), NOW);
                assert_eq!(failure.status, Some(status), "{} {status} {body}", provider.id);
            }
        }
    }
}
