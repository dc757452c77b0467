//! OpenRouter: the OpenAI chat dialect, with many hosts behind it whose words shine through. Source:
//! OpenRouter API reference (Chat, Errors, Limits), as of 2026-11, and recordings of 2026-08.

use mainstay_canon::{Accepts, Failure, FinishMeaning, HintSource, Kind, ReasoningReplay, RetryHint};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat, ReasoningStyle, metadata_headers};

use crate::errors::{ErrorBody, Rule, apply, code, says};
use crate::hints;
use crate::words::{CONTEXT_FULL, FILTERED, LENGTH, PAUSE, REFUSAL, STOP, TOOL_CALL, broken};
use crate::{Auth, Bucket, Provider, Told};

/// OpenRouter.
pub(crate) static PROVIDER: Provider = Provider {
    id: "openrouter",
    base_url: "https://openrouter.ai/api/v1",
    auth: Auth::Bearer { env: "OPENROUTER_API_KEY" },
    upstream: &OpenAiChat {
        reasoning: ReasoningStyle::Details,
        file_urls: true,
        effort: EffortStyle::Object,
        ..OpenAiChat::STANDARD
    },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    // A 402 may be about calls in flight, and then says when to come back.
    hinted: &[402],
    request_id: &["x-generation-id", "x-request-id"],
};

/// Its own words, then those of the hosts: they leak as finish words, and stand in `native_finish_reason`.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("content_filter", FILTERED),
    ("error", broken(Kind::ServerError)),
    // Novita ended an answer of tool calls without a word (recorded 2025-07).
    ("", TOOL_CALL),
    // Hosts in the manner of OpenAI, Anthropic, TGI, vLLM.
    ("completed", STOP),
    ("end_turn", STOP),
    ("stop_sequence", STOP),
    ("eos", STOP),
    ("eos_token", STOP),
    ("max_tokens", LENGTH),
    ("max_output_tokens", LENGTH),
    ("function_call", TOOL_CALL),
    ("tool_use", TOOL_CALL),
    ("refusal", REFUSAL),
    ("pause_turn", PAUSE),
    ("model_length", CONTEXT_FULL),
    ("model_context_window_exceeded", CONTEXT_FULL),
    ("abort", broken(Kind::ServerError)),
    ("insufficient_system_resource", broken(Kind::Overloaded)),
    // Google's.
    ("STOP", STOP),
    ("MAX_TOKENS", LENGTH),
    ("SAFETY", FILTERED),
    ("RECITATION", FILTERED),
    ("LANGUAGE", FILTERED),
    ("BLOCKLIST", FILTERED),
    ("PROHIBITED_CONTENT", FILTERED),
    ("SPII", FILTERED),
    ("MODEL_ARMOR", FILTERED),
    ("MALFORMED_FUNCTION_CALL", broken(Kind::MalformedToolCall)),
    ("UNEXPECTED_TOOL_CALL", broken(Kind::MalformedToolCall)),
    ("TOO_MANY_TOOL_CALLS", broken(Kind::MalformedToolCall)),
    ("MALFORMED_RESPONSE", broken(Kind::ServerError)),
    ("OTHER", broken(Kind::ServerError)),
];

static BUCKETS: &[Bucket] = &[Bucket { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" }];

/// `metadata.error_type` is one closed list for all hosts; what the dialect's codes do not say of it.
static ERRORS: &[Rule] = &[
    code("string_too_long", Kind::InvalidRequest),
    code("image_download_failed", Kind::RequestDeclined),
    // The routing found no host for what this request needs, or for what the account allows.
    says(&[404], "no endpoints found that support", Kind::UnsupportedParameter),
    says(&[404], "data policy", Kind::Permission),
    says(&[404], "guardrail", Kind::Permission),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    let error = ErrorBody::of(told.body);
    apply(ERRORS, failure, &error);
    if failure.hint.is_none() {
        failure.hint = inner_reset(told);
    }
    let limit = error.at("/metadata/limit_source").and_then(serde_json::Value::as_str);
    let flagged = ["/metadata/reasons", "/metadata/flagged_input"]
        .iter()
        .any(|at| error.at(at).is_some_and(|value| !value.is_null()));
    match (failure.status, limit) {
        // Money set aside for calls in flight comes back within seconds.
        (Some(402), Some("openrouter_in_flight_budget")) => failure.kind = Kind::RateLimited,
        (Some(402 | 403), Some(_)) => failure.kind = Kind::QuotaExhausted,
        (Some(403), None) if flagged => failure.kind = Kind::ContentFiltered,
        _ => {}
    }
    // The free tier's quota of a day: with its reset it cools until then, without it is simply used up.
    let per_day = failure.kind == Kind::RateLimited && failure.message.contains("free-models-per-day");
    if per_day && PROVIDER.hint(429, told.headers, failure.hint, told.now).is_none() {
        failure.kind = Kind::QuotaExhausted;
    }
}

/// The reset of a bucket that the body repeats from a host's headers: a moment in Unix milliseconds.
fn inner_reset(told: &Told<'_>) -> Option<RetryHint> {
    let clock = hints::their_clock(told.headers, told.now);
    let after =
        hints::reset(&metadata_headers(told.body), BUCKETS, clock).filter(|after| !after.is_zero())?;
    Some(RetryHint { after, source: HintSource::Body, clamped: false })
}

/// What a model takes: everything, for OpenRouter leaves out what a host does not know. Its own list of
/// reasoning details must come back unchanged with calls.
fn accepts(_model: &str) -> Accepts {
    Accepts { reasoning_replay: ReasoningReplay::ToolLoop, ..Accepts::default() }
}
