//! vLLM on this machine: the OpenAI chat dialect with words of its engine. Source: vLLM documentation and source
//! (OpenAI-compatible server), as of 2026-10.

use mainstay_canon::{Accepts, FinishMeaning, Kind, Quality};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat};

use crate::errors::{ErrorBody, Rule, TEMPLATES, apply, says, unsupported};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Provider};

/// A vLLM server.
pub(crate) static PROVIDER: Provider = Provider {
    id: "vllm",
    base_url: "http://localhost:8000/v1",
    auth: Auth::None,
    upstream: &OpenAiChat { effort: EffortStyle::WordOrTemplate, ..OpenAiChat::STANDARD },
    choose: |_, _| None,
    finish: FINISH,
    accepts: |_| Accepts::default(),
    refine: |failure, told| apply(ERRORS.iter().chain(TEMPLATES), failure, &ErrorBody::of(told.body)),
    buckets: &[],
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Complete. The last three are the engine's: it gave a request up, failed, or caught its model in a loop; a
/// stream then ends with `[DONE]` like a good one.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("function_call", TOOL_CALL),
    ("content_filter", FILTERED),
    ("abort", broken(Kind::ServerError)),
    ("error", broken(Kind::ServerError)),
    ("repetition", broken(Kind::Bad(Quality::Degenerate))),
];

/// What its codes, which repeat the status, do not tell.
pub(crate) static ERRORS: &[Rule] = &[
    // The prompt alone fills the window.
    says(&[400], "max_tokens must be at least 1, got -", Kind::ContextLength),
    says(&[400], "max_completion_tokens must be at least 1, got -", Kind::ContextLength),
    // It was started without what these need.
    unsupported("tool choice requires --", "tool_choice"),
    unsupported("is not a multimodal model", "messages"),
    // A word that this version does not list, or that the model's template does not know.
    unsupported("reasoning_effort", "reasoning_effort"),
    unsupported("reasoning effort", "reasoning_effort"),
    unsupported("chat_template_kwargs", "reasoning_effort"),
];
