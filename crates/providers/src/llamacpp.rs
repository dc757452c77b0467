//! The llama.cpp server on this machine: the OpenAI chat dialect with errors of its own. Source: llama.cpp server
//! documentation and source, as of 2026-10, and recordings of 2026-08.

use mainstay_canon::{Accepts, FinishMeaning, Kind};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat};

use crate::errors::{ErrorBody, Rule, TEMPLATES, apply, says};
use crate::words::{LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Provider};

/// A llama.cpp server.
pub(crate) static PROVIDER: Provider = Provider {
    id: "llamacpp",
    base_url: "http://localhost:8080/v1",
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

/// Complete.
static FINISH: &[(&str, FinishMeaning)] = &[("stop", STOP), ("length", LENGTH), ("tool_calls", TOOL_CALL)];

/// What it calls a `server_error` with a 500, although the request or the model is at fault.
pub(crate) static ERRORS: &[Rule] = &[
    // Its batch is too small for the prompt.
    says(&[500], "too large to process", Kind::ContextLength),
    // It was started without what these need.
    says(&[500], "requires --jinja", Kind::UnsupportedParameter),
    says(&[500], "image input is not supported", Kind::UnsupportedParameter),
    // It could not fetch the image that the request points to.
    says(&[500], "cannot make get request", Kind::RequestDeclined),
    // It could not read the call that its model wrote.
    says(&[500], "failed to parse input at pos", Kind::MalformedToolCall),
];
