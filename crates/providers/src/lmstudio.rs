//! LM Studio on this machine: the OpenAI chat dialect with errors in words. Source: LM Studio documentation
//! (OpenAI compatibility, REST API), as of 2026-10.

use mainstay_canon::{Accepts, FinishMeaning, Kind};
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::errors::{ErrorBody, Rule, TEMPLATES, apply, says};
use crate::words::{CONTEXT_FULL, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Provider};

/// LM Studio.
pub(crate) static PROVIDER: Provider = Provider {
    id: "lmstudio",
    base_url: "http://localhost:1234/v1",
    auth: Auth::None,
    upstream: &OpenAiChat::STANDARD,
    choose: |_, _| None,
    finish: FINISH,
    accepts: |_| Accepts::default(),
    refine: |failure, told| apply(ERRORS.iter().chain(TEMPLATES), failure, &ErrorBody::of(told.body)),
    buckets: &[],
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Complete: the dialect's words, then those of its own API, which name the same ends.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("function_call", TOOL_CALL),
    ("eosFound", STOP),
    ("stopStringFound", STOP),
    ("maxPredictedTokensReached", LENGTH),
    ("contextLengthReached", CONTEXT_FULL),
    ("toolCalls", TOOL_CALL),
    ("userStopped", broken(Kind::ServerError)),
    ("modelUnloaded", broken(Kind::ServerError)),
    ("failed", broken(Kind::ServerError)),
];

/// Most of its errors are a 400; inside a stream they count as a 500.
pub(crate) static ERRORS: &[Rule] = &[
    says(&[400, 404, 500], "greater than the context length", Kind::ContextLength),
    // Nothing is loaded, and loading on demand is off: somebody must load a model.
    says(&[400, 404], "no models loaded", Kind::NotFound),
    // The model went down or could not be brought up.
    says(&[400, 404], "model has crashed", Kind::ServerError),
    says(&[400, 404], "model is unloaded", Kind::ServerError),
    says(&[400, 404], "model unloaded", Kind::ServerError),
    says(&[400, 404], "failed to load model", Kind::ServerError),
];
