//! Groq speaks the OpenAI chat dialect, fast and with its own counters. Source: Groq API reference (Chat,
//! Errors, Rate limits), as of 2026-11.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind, MaxTokensParam};
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::errors::{ErrorBody, Rule, apply, says};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Bucket, Provider, Told};

/// Groq.
pub(crate) static PROVIDER: Provider = Provider {
    id: "groq",
    base_url: "https://api.groq.com/openai/v1",
    auth: Auth::Bearer { env: "GROQ_API_KEY" },
    upstream: &OpenAiChat::STANDARD,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Complete.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("function_call", TOOL_CALL),
    ("content_filter", FILTERED),
];

/// Requests count by the day, tokens by the minute.
static BUCKETS: &[Bucket] = &[
    Bucket { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
    Bucket { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
];

static ERRORS: &[Rule] = &[
    // The model called a tool that was not offered, or wrote what is no call.
    says(&[422], "hallucinat", Kind::MalformedToolCall),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. The efforts of its other models are words that nobody else uses.
fn accepts(model: &str) -> Accepts {
    let is_gpt_oss = model.contains("gpt-oss");
    Accepts {
        max_tokens_param: MaxTokensParam::MaxCompletionTokens,
        effort: is_gpt_oss,
        images: !is_gpt_oss,
        ..Accepts::default()
    }
}
