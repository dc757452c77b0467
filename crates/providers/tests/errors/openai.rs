//! OpenAI: rate or quota, key or request, failure or overload.

use mainstay_canon::Kind;

use crate::{check, openai};

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
