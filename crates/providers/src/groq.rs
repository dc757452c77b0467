//! Groq speaks the OpenAI chat dialect, fast and with its own counters. Source: Groq API reference (Chat,
//! Errors, Rate limits), as of 2026-11.

use mainstay_canon::{
    Accepts, Failure, FinishMeaning, Kind, MaxTokensParam, ReasoningEffort, Temperatures, Thinking,
};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat};

use crate::efforts::LOW_TO_HIGH;
use crate::errors::{ErrorBody, Rule, apply, says, unsupported};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Bucket, Provider, Told};

/// Groq.
pub(crate) static PROVIDER: Provider = Provider {
    id: "groq",
    base_url: "https://api.groq.com/openai/v1",
    auth: Auth::Bearer { env: "GROQ_API_KEY" },
    upstream: &OpenAiChat {
        // Qwen's models know `none` and `default`, and no word between.
        effort: EffortStyle::WordOrDefault(&["qwen/"]),
        // A 400 each (OpenAI compatibility).
        refused_members: &["logit_bias", "logprobs", "top_logprobs"],
        speaker_names: false,
        ..OpenAiChat::STANDARD
    },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    // 498: no capacity for flex processing.
    hinted: &[498],
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
    // `raw` beside tools or JSON, or with gpt-oss; both ways to say it at once.
    unsupported("reasoning_format", "reasoning_format"),
    unsupported("include_reasoning", "include_reasoning"),
    unsupported("reasoning_effort", "reasoning_effort"),
    unsupported("combined with tool", "response_format"),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. Sources: Groq docs, Reasoning, Vision, Structured outputs and OpenAI compatibility, 2026-11.
fn accepts(model: &str) -> Accepts {
    let is_gpt_oss = model.contains("gpt-oss");
    let is_qwen = model.starts_with("qwen/");
    Accepts {
        max_tokens_param: MaxTokensParam::MaxCompletionTokens,
        temperature: Temperatures::up_to(200),
        most_stops: Some(4),
        images: !is_gpt_oss,
        most_images: Some(5),
        audio: false,
        files: false,
        most_tools: Some(128),
        // JSON mode and schemas refuse tools beside them.
        form_with_tools: false,
        effort: is_gpt_oss || is_qwen,
        efforts: if is_gpt_oss { LOW_TO_HIGH } else { &ReasoningEffort::ALL },
        thinking: match (is_gpt_oss, is_qwen) {
            (true, _) => Thinking::Always,
            (false, true) => Thinking::Optional,
            (false, false) => Thinking::Never,
        },
        ..Accepts::default()
    }
}
