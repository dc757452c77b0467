//! What the error words of this dialect mean, whoever of its speakers uses them.
//!
//! Codes decide before types, types before the message, the message before the status: a 429 is three
//! things, and a 400 is at least five. Sources: the error references of OpenAI, OpenRouter, DeepSeek, Moonshot,
//! Z.ai, DashScope and Mistral, and the sources of vLLM and llama.cpp, as of 2026-11.

use mainstay_canon::Kind;

/// What an error says about itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words<'a> {
    /// Its `code`, where that is a word.
    pub(super) code: Option<&'a str>,
    /// Finer codes: `innererror.code`, `metadata.error_type`.
    pub(super) finer: [Option<&'a str>; 2],
    /// Its `type`.
    pub(super) kind: Option<&'a str>,
    /// Its text.
    pub(super) message: &'a str,
}

/// The kind of an error, from its words and the status under which it must be treated.
pub(super) fn kind(words: &Words<'_>, status: u16) -> Kind {
    let message = words.message.to_ascii_lowercase();
    let by_word = words
        .finer
        .into_iter()
        .chain([words.code, words.kind])
        .flatten()
        .find_map(|word| of_word(word, status, &message));
    by_word.or_else(|| of_message(&message, status)).unwrap_or_else(|| of_status(status))
}

/// The status that usually carries an error of that word, for errors inside a 200.
pub(super) fn usual_status(kind: Kind) -> u16 {
    match kind {
        Kind::RateLimited | Kind::QuotaExhausted => 429,
        Kind::Overloaded => 503,
        Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::MalformedToolCall
        | Kind::UnknownFinishReason => 400,
        Kind::TooLarge => 413,
        Kind::Auth => 401,
        Kind::Permission | Kind::RequestDeclined => 403,
        Kind::NotFound => 404,
        Kind::BudgetExceeded | Kind::UnpricedModel => 402,
        Kind::TimeoutFirstByte | Kind::TimeoutIdle | Kind::TimeoutTotal => 504,
        Kind::Connect
        | Kind::Tls
        | Kind::StreamInterrupted
        | Kind::InvalidResponse
        | Kind::Cancelled
        | Kind::Bad(_)
        | Kind::ServerError => 500,
    }
}

/// The meaning of a code or type. `None` for words that say less than the message or the status does.
fn of_word(word: &str, status: u16, message: &str) -> Option<Kind> {
    let small = word.to_ascii_lowercase();
    Some(match small.as_str() {
        // Alibaba spells its throttles `Throttling.RateQuota` and so on.
        word if word.starts_with("throttling") => Kind::RateLimited,
        "rate_limit_exceeded" | "rate_limit_error" | "requests" | "tokens" if too_large(status, message) => {
            Kind::TooLarge
        }
        // OpenAI's slow_down used to come as 503, and then it is the server that is slow.
        "slow_down" if status == 503 => Kind::Overloaded,
        "rate_limit_exceeded"
        | "rate_limit_error"
        | "rate_limit_reached_error"
        | "ratelimitreached"
        | "rate_limited"
        | "too_many_requests"
        | "slow_down"
        | "requests"
        | "tokens"
        | "1302"
        | "1305" => {
            // Azure says so when capacity is short, not the caller's quota.
            if message.contains("high demand") { Kind::Overloaded } else { Kind::RateLimited }
        }
        "insufficient_quota"
        | "credit_balance_exhausted"
        | "organization_spend_limit_exceeded"
        | "project_spend_limit_exceeded"
        | "organization_usage_limit_exceeded"
        | "billing_hard_limit_reached"
        | "billing_not_active"
        | "billing_error"
        | "exceeded_current_quota_error"
        | "insufficient_balance"
        | "payment_required"
        | "arrearage"
        | "1113" => Kind::QuotaExhausted,
        "server_is_overloaded"
        | "service_unavailable_error"
        | "overloaded_error"
        | "engine_overloaded_error"
        | "unavailable_error"
        | "provider_overloaded"
        | "provider_unavailable"
        | "capacity_exceeded"
        | "service_tier_capacity_exceeded"
        | "overloaded" => Kind::Overloaded,
        "context_length_exceeded"
        | "exceed_context_size_error"
        | "max_tokens_exceeded"
        | "token_limit_exceeded"
        | "model_context_window_exceeded" => Kind::ContextLength,
        "string_above_max_length"
        | "string_too_long"
        | "payload_too_large"
        | "request_too_large"
        | "image_too_large"
        | "image_file_too_large" => Kind::TooLarge,
        "invalid_api_key"
        | "no_organization"
        | "ip_not_authorized"
        | "authentication_error"
        | "authentication"
        | "invalid_authentication_error"
        | "invalid_authentication" => Kind::Auth,
        "permission_error" | "permission_denied" | "insufficient_permissions" => Kind::Permission,
        "unsupported_country_region_territory"
        | "file_not_found"
        | "image_not_found"
        | "image_file_not_found" => Kind::RequestDeclined,
        "model_not_found" | "deploymentnotfound" | "invalid_model" | "not_found_error" | "not_found"
        | "unknown_model" => Kind::NotFound,
        "content_policy_violation"
        | "content_filter"
        | "responsibleaipolicyviolation"
        | "image_content_policy_violation"
        | "data_inspection_failed"
        | "datainspectionfailed"
        | "bio_policy"
        | "misalignment_policy_violation"
        | "cyber_policy_violation"
        | "refusal"
        | "sensitive"
        | "1301" => Kind::ContentFiltered,
        "unsupported_parameter" | "unsupported_value" | "unknown_parameter" | "not_supported_error" => {
            Kind::UnsupportedParameter
        }
        "tool_use_failed" | "json_validate_failed" => Kind::MalformedToolCall,
        "server_error"
        | "internal_server_error"
        | "internal_error"
        | "api_error"
        | "server"
        | "timeout"
        | "timeout_error" => {
            let overloaded = matches!(status, 503 | 524 | 529) || message.contains("overloaded");
            if overloaded { Kind::Overloaded } else { Kind::ServerError }
        }
        _ => return None,
    })
}

/// What Groq and OpenAI call a rate limit although no waiting helps: one request over the whole minute's limit.
fn too_large(status: u16, message: &str) -> bool {
    status == 413 || message.starts_with("request too large")
}

/// Texts by which an over-long prompt is known where no code says it: OpenAI and vLLM, vLLM, llama.cpp,
/// Together and TGI, xAI, Anthropic's models, Gemini's, Ollama, DeepSeek and Groq, LM Studio.
const CONTEXT: [&str; 15] = [
    "maximum context length",
    "max context length",
    "longer than the maximum model length",
    "available context size",
    "max_new_tokens` must be",
    "maximum prompt length",
    "prompt is too long",
    "prompt too long",
    "input token count",
    "exceeds the context length",
    "input length exceeds",
    "reduce the length of the messages",
    "context length of only",
    "context window",
    "context size has been exceeded",
];

const FILTERED: [&str; 6] = [
    "input was flagged",
    "has been flagged",
    "content management policy",
    "content violates usage guidelines",
    "safety_check_type",
    "violating our usage policy",
];

const NO_SUCH_MODEL: [&str; 5] = [
    "is not a valid model",
    "supported api model names are",
    "model not exist",
    "invalid model",
    "does not exist or you do not have access",
];

const BAD_KEY: [&str; 3] = ["incorrect api key", "invalid api key", "api key not valid"];

const UNSUPPORTED: [&str; 7] = [
    "no endpoints found that support",
    "not supported",
    "does not support",
    "do not support",
    "unsupported parameter",
    "unrecognized request argument",
    "extra inputs are not permitted",
];

/// What a 403 or 404 says that is about this one request, not about the key or the model.
const THIS_REQUEST: [&str; 7] = [
    "no such file",
    "file not found",
    "could not find file",
    "image not found",
    "in your region",
    "in your country",
    "country, region",
];

/// The meaning of a message, for statuses that leave it open.
fn of_message(message: &str, status: u16) -> Option<Kind> {
    let any = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    let open = matches!(status, 200 | 400 | 403 | 404 | 413 | 422 | 500);
    if open && any(&CONTEXT) {
        return Some(Kind::ContextLength);
    }
    if matches!(status, 200 | 400 | 403) && any(&FILTERED) {
        return Some(Kind::ContentFiltered);
    }
    if matches!(status, 403 | 404) && any(&THIS_REQUEST) {
        return Some(Kind::RequestDeclined);
    }
    if !matches!(status, 200 | 400 | 404 | 422) {
        return None;
    }
    if any(&BAD_KEY) {
        return Some(Kind::Auth);
    }
    if any(&NO_SUCH_MODEL) {
        return Some(Kind::NotFound);
    }
    any(&UNSUPPORTED).then_some(Kind::UnsupportedParameter)
}

/// The meaning of a status alone.
pub(super) fn of_status(status: u16) -> Kind {
    match status {
        401 => Kind::Auth,
        402 => Kind::QuotaExhausted,
        403 => Kind::Permission,
        404 => Kind::NotFound,
        // Behaviour 5.5: these are retried like a server's failure. So is an error without a status of its
        // own, inside a 200.
        200..=299 | 408 | 409 | 424 | 425 | 499 | 500..=502 | 504..=523 | 525..=528 | 530..=599 => {
            Kind::ServerError
        }
        413 => Kind::TooLarge,
        429 => Kind::RateLimited,
        // 498 is Groq's word for "no capacity".
        498 | 503 | 524 | 529 => Kind::Overloaded,
        400..=497 => Kind::InvalidRequest,
        _ => Kind::InvalidResponse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: Option<&str>, kind_word: Option<&str>, message: &str, status: u16) -> Kind {
        kind(&Words { code, kind: kind_word, message, ..Words::default() }, status)
    }

    #[test]
    fn a_429_is_decided_by_its_code_then_by_its_type() {
        let limited = |code, word| of(Some(code), Some(word), "", 429);
        assert_eq!(limited("rate_limit_exceeded", "tokens"), Kind::RateLimited);
        assert_eq!(limited("credit_balance_exhausted", "insufficient_quota"), Kind::QuotaExhausted);
        assert_eq!(limited("slow_down", "rate_limit_error"), Kind::RateLimited);
        assert_eq!(of(None, Some("insufficient_quota"), "", 429), Kind::QuotaExhausted);
        assert_eq!(of(None, Some("engine_overloaded_error"), "", 429), Kind::Overloaded);
        assert_eq!(of(None, None, "", 429), Kind::RateLimited);
        assert_eq!(of(Some("slow_down"), None, "", 503), Kind::Overloaded);
    }

    #[test]
    fn a_request_over_the_minute_limit_is_too_large_however_long_one_waits() {
        assert_eq!(
            of(Some("rate_limit_exceeded"), Some("tokens"), "Request too large for model", 413),
            Kind::TooLarge
        );
        assert_eq!(
            of(Some("rate_limit_exceeded"), Some("tokens"), "Request too large for gpt-x", 429),
            Kind::TooLarge
        );
    }

    #[test]
    fn an_over_long_prompt_is_known_by_code_and_by_text() {
        assert_eq!(of(Some("context_length_exceeded"), None, "", 400), Kind::ContextLength);
        assert_eq!(of(None, Some("exceed_context_size_error"), "", 400), Kind::ContextLength);
        for message in [
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
            "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
            "the request exceeds the available context size, try increasing it",
            "`inputs` tokens + `max_new_tokens` must be <= 4097",
            "prompt too long; exceeded max context length by 12 tokens",
        ] {
            assert_eq!(
                of(None, Some("invalid_request_error"), message, 400),
                Kind::ContextLength,
                "{message}"
            );
        }
        // Together says it with a 403.
        let together = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097";
        assert_eq!(of(None, None, together, 403), Kind::ContextLength);
        assert_eq!(of(None, None, "maximum context length", 429), Kind::RateLimited);
    }

    #[test]
    fn an_unknown_model_is_not_found_whatever_the_status() {
        assert_eq!(of(Some("model_not_found"), Some("invalid_request_error"), "", 400), Kind::NotFound);
        assert_eq!(of(Some("1500"), Some("invalid_model"), "Invalid model: x", 400), Kind::NotFound);
        assert_eq!(of(None, None, "x is not a valid model ID", 400), Kind::NotFound);
        assert_eq!(of(None, None, "", 404), Kind::NotFound);
    }

    #[test]
    fn a_403_or_404_about_this_one_request_says_nothing_about_the_tier() {
        let said = |message, status| of(None, Some("invalid_request_error"), message, status);
        assert_eq!(said("No such File object: file-1", 404), Kind::RequestDeclined);
        assert_eq!(said("The service is not available in your region", 403), Kind::RequestDeclined);
        assert_eq!(said("Your input was flagged for: violence", 403), Kind::ContentFiltered);
        assert_eq!(said("No endpoints found that support image input", 404), Kind::UnsupportedParameter);
        assert_eq!(said("You have no access to this project", 403), Kind::Permission);
    }

    #[test]
    fn a_weak_type_leaves_the_decision_to_the_status() {
        let weak = |status| of(None, Some("invalid_request_error"), "no", status);
        assert_eq!(weak(400), Kind::InvalidRequest);
        assert_eq!(weak(401), Kind::Auth);
        assert_eq!(weak(403), Kind::Permission);
        assert_eq!(weak(503), Kind::Overloaded);
        assert_eq!(of(Some("invalid_api_key"), Some("invalid_request_error"), "no", 401), Kind::Auth);
    }

    #[test]
    fn a_parameter_that_another_model_may_take_is_told_apart_from_a_wrong_one() {
        let said = |message| of(None, Some("invalid_request_error"), message, 400);
        assert_eq!(said("Thinking mode does not support this tool_choice"), Kind::UnsupportedParameter);
        assert_eq!(
            said("Function tools with reasoning_effort are not supported"),
            Kind::UnsupportedParameter
        );
        assert_eq!(of(Some("unsupported_value"), None, "", 400), Kind::UnsupportedParameter);
        assert_eq!(said("Invalid 'temperature': decimal above maximum value"), Kind::InvalidRequest);
    }

    #[test]
    fn every_status_has_a_kind_and_every_kind_a_status() {
        for (status, expected) in [
            (402, Kind::QuotaExhausted),
            (408, Kind::ServerError),
            (409, Kind::ServerError),
            (422, Kind::InvalidRequest),
            (498, Kind::Overloaded),
            (500, Kind::ServerError),
            (504, Kind::ServerError),
            (529, Kind::Overloaded),
            (301, Kind::InvalidResponse),
        ] {
            assert_eq!(of(None, None, "", status), expected, "{status}");
        }
        assert_eq!(usual_status(Kind::QuotaExhausted), 429);
    }
}
