//! xAI speaks the OpenAI chat dialect; its errors are flat and its counts leave reasoning out. Source: xAI API
//! reference, as of 2026-11, and recordings of 2026-08.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind, ReasoningEffort, Route, Temperatures, Thinking};
use mainstay_dialects::Upstream;
use mainstay_dialects::openai_chat::OpenAiChat;
use mainstay_dialects::openai_responses::OpenAiResponses;

use crate::efforts::{LOW_TO_HIGH, LOW_TO_XHIGH, NONE_TO_HIGH};
use crate::errors::{ErrorBody, Rule, apply, says, unsupported};
use crate::words::{CONTEXT_FULL, FILTERED, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Bucket, Provider, Told};

/// xAI.
pub(crate) static PROVIDER: Provider = Provider {
    id: "xai",
    base_url: "https://api.x.ai/v1",
    auth: Auth::Bearer { env: "XAI_API_KEY" },
    upstream: &OpenAiChat::STANDARD,
    choose: |_, model| {
        (route(model) == Route::Responses).then_some(&OpenAiResponses::STANDARD as &dyn Upstream)
    },
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Complete: the words of Chat Completions, those of its own protocol, which shine through, and the status of a
/// response. An answer of tool calls may come with an empty word.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("content_filter", FILTERED),
    ("", TOOL_CALL),
    ("REASON_STOP", STOP),
    ("REASON_MAX_LEN", LENGTH),
    ("REASON_MAX_CONTEXT", CONTEXT_FULL),
    ("REASON_TOOL_CALLS", TOOL_CALL),
    ("REASON_TIME_LIMIT", broken(Kind::ServerError)),
    ("REASON_INVALID", broken(Kind::ServerError)),
    ("completed", STOP),
    ("incomplete:max_output_tokens", LENGTH),
    ("incomplete:content_filter", FILTERED),
    ("failed", broken(Kind::ServerError)),
    ("cancelled", broken(Kind::StreamInterrupted)),
    ("queued", broken(Kind::StreamInterrupted)),
    ("in_progress", broken(Kind::StreamInterrupted)),
];

static BUCKETS: &[Bucket] = &[
    Bucket { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
    Bucket { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
];

static ERRORS: &[Rule] = &[
    // A wrong key is a 400 here, and a filtered prompt a 403.
    says(&[400], "incorrect api key", Kind::Auth),
    says(&[400, 403], "content violates usage guidelines", Kind::ContentFiltered),
    says(&[400, 403], "safety_check_type", Kind::ContentFiltered),
    // Money: a 429, since 2026-08 a 403.
    says(&[403, 429], "used all available credits", Kind::QuotaExhausted),
    says(&[403, 429], "spending limit", Kind::QuotaExhausted),
    says(&[403, 429], "doesn't have any credits", Kind::QuotaExhausted),
    unsupported("parameter reasoningeffort", "reasoning_effort"),
    unsupported("parameter presencepenalty", "presence_penalty"),
    unsupported("parameter frequencypenalty", "frequency_penalty"),
    unsupported("parameter stop", "stop"),
    unsupported("argument not supported on this model", ""),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. Sources: xAI docs, Reasoning and the model pages, 2026-11; that no model takes penalties and
/// which take an effort as seen in 400s from 2025-11 to 2026-09.
fn accepts(model: &str) -> Accepts {
    let efforts = efforts(model);
    let thinks = !model.contains("non-reasoning")
        && (!efforts.is_empty()
            || ["reasoning", "grok-4", "grok-build", "grok-code"].iter().any(|part| model.contains(part)));
    Accepts {
        temperature: Temperatures::up_to(200),
        penalties: false,
        most_stops: thinks.then_some(0),
        audio: false,
        most_tools: Some(128),
        effort: !efforts.is_empty(),
        efforts,
        thinking: match (thinks, efforts.contains(&ReasoningEffort::None)) {
            (false, _) => Thinking::Never,
            (true, true) => Thinking::Optional,
            (true, false) => Thinking::Always,
        },
        route: route(model),
        ..Accepts::default()
    }
}

/// The efforts that a model knows. Most think without being asked how much, and refuse the parameter.
fn efforts(model: &str) -> &'static [ReasoningEffort] {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
    if starts(&["grok-3-mini"]) {
        &[ReasoningEffort::Low, ReasoningEffort::High]
    } else if starts(&["grok-4.3"]) {
        NONE_TO_HIGH
    } else if starts(&["grok-4.5"]) {
        LOW_TO_HIGH
    } else if starts(&["grok-4.6", "grok-4.7"]) || model.contains("multi-agent") {
        LOW_TO_XHIGH
    } else {
        &[]
    }
}

/// The models that are several agents answer through Responses only (model pages, 2026-11).
fn route(model: &str) -> Route {
    if model.contains("multi-agent") { Route::Responses } else { Route::Either }
}
