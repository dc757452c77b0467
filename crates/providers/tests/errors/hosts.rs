//! DeepSeek, Groq, MiniMax, xAI, and compatible servers in all their shapes.

use std::time::Duration;

use mainstay_canon::Kind;

use crate::{check, openai, read};

#[test]
fn xais_errors_are_told_apart() {
    let flat = |message: &str| format!(r#"{{"code":"Some code","error":"{message}"}}"#);
    for (status, message, kind, param) in [
        (400, "Incorrect API key provided: xai-x.", Kind::Auth, None),
        (400, "Model not found: grok-x", Kind::InvalidRequest, None),
        (
            403,
            "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
            Kind::ContentFiltered,
            None,
        ),
        (
            429,
            "Your team has either used all available credits or reached its monthly spending limit.",
            Kind::QuotaExhausted,
            None,
        ),
        (
            403,
            "Your team has either used all available credits or reached its monthly spending limit.",
            Kind::QuotaExhausted,
            None,
        ),
        (
            403,
            "Your newly created team doesn't have any credits or licenses yet.",
            Kind::QuotaExhausted,
            None,
        ),
        (429, "Too many requests for team", Kind::RateLimited, None),
        (
            400,
            "Model grok-4.20 does not support parameter reasoningEffort.",
            Kind::UnsupportedParameter,
            Some("reasoning_effort"),
        ),
        (
            400,
            "Model grok-4.6 does not support parameter presencePenalty.",
            Kind::UnsupportedParameter,
            Some("presence_penalty"),
        ),
        (400, "Model grok-4.6 does not support parameter stop.", Kind::UnsupportedParameter, Some("stop")),
        (400, "Argument not supported on this model: presencePenalty", Kind::UnsupportedParameter, None),
        (400, "This model's maximum prompt length is 131072", Kind::ContextLength, None),
        (503, "The service is at capacity", Kind::Overloaded, None),
    ] {
        let failure = check("xai", status, &flat(message), kind);
        assert_eq!(failure.param.as_deref(), param, "{message}");
    }
}

#[test]
fn groqs_errors_are_told_apart() {
    for (status, kind_word, code, message, kind) in [
        (
            400,
            "invalid_request_error",
            "tool_use_failed",
            "Failed to call a function.",
            Kind::MalformedToolCall,
        ),
        (
            400,
            "invalid_request_error",
            "json_validate_failed",
            "Failed to generate JSON.",
            Kind::MalformedToolCall,
        ),
        (
            400,
            "invalid_request_error",
            "",
            "reasoning_format `raw` is not supported with tools",
            Kind::UnsupportedParameter,
        ),
        (
            400,
            "invalid_request_error",
            "",
            "json mode cannot be combined with tool/function calling",
            Kind::UnsupportedParameter,
        ),
        (401, "invalid_request_error", "invalid_api_key", "Invalid API Key", Kind::Auth),
        (404, "invalid_request_error", "model_not_found", "The model `x` does not exist", Kind::NotFound),
        (413, "tokens", "rate_limit_exceeded", "Request too large for model", Kind::TooLarge),
        (422, "invalid_request_error", "", "The model hallucinated a tool", Kind::MalformedToolCall),
        (424, "invalid_request_error", "", "Failed dependency", Kind::ServerError),
        (
            429,
            "tokens",
            "rate_limit_exceeded",
            "Rate limit reached. Please try again in 7.66s.",
            Kind::RateLimited,
        ),
        (498, "server_error", "capacity_exceeded", "Flex capacity exceeded", Kind::Overloaded),
        (500, "internal_server_error", "", "Internal Server Error", Kind::ServerError),
        (503, "service_unavailable", "", "Service Unavailable", Kind::Overloaded),
    ] {
        check("groq", status, &openai(message, kind_word, code), kind);
    }
    let busy = openai("Flex capacity exceeded", "server_error", "capacity_exceeded");
    let failure = read("groq", 498, &[("retry-after", "3")], &busy);
    assert_eq!(failure.hint.unwrap().after, Duration::from_secs(3));
    let left = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "7.66s")];
    let limited = openai("Rate limit reached", "tokens", "rate_limit_exceeded");
    assert_eq!(read("groq", 429, &left, &limited).hint.unwrap().after, Duration::from_millis(7660));
}

#[test]
fn minimaxs_codes_stand_at_the_end_of_a_message_too() {
    for (status, message, kind) in [
        (500, "unknown error, 999 (1000)", Kind::ServerError),
        (429, "rate limit exceeded (1002)", Kind::RateLimited),
        (429, "usage limit exceeded, 5-hour usage limit reached (2056)", Kind::QuotaExhausted),
        (400, "invalid params, invalid function arguments json string (2013)", Kind::InvalidRequest),
        (401, "invalid api key (2049)", Kind::Auth),
        (500, "input new_sensitive (1026)", Kind::ContentFiltered),
        (402, "insufficient balance (1008)", Kind::QuotaExhausted),
        // No code of theirs: what the dialect reads stands.
        (400, "no such thing (4711)", Kind::InvalidRequest),
        (429, "slow down", Kind::RateLimited),
    ] {
        check("minimax", status, &openai(message, "some_error", ""), kind);
    }
    let until = openai("usage limit exceeded, resets at 2026-03-01T15:00:00Z (2056)", "rate_limit_error", "");
    let failure = check("minimax", 429, &until, Kind::QuotaExhausted);
    assert_eq!(
        (failure.hint.unwrap().after, failure.code.as_deref()),
        (Duration::from_hours(3), Some("2056"))
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
