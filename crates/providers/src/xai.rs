//! xAI speaks the OpenAI chat dialect; its errors are flat and its counts leave reasoning out. Source: xAI API
//! reference, as of 2026-11, and recordings of 2026-08.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind};
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::errors::{ErrorBody, Rule, apply, says};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Bucket, Provider, Told};

/// xAI.
pub(crate) static PROVIDER: Provider = Provider {
    id: "xai",
    base_url: "https://api.x.ai/v1",
    auth: Auth::Bearer { env: "XAI_API_KEY" },
    upstream: &OpenAiChat::STANDARD,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Complete. An answer of tool calls may come with an empty word.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("content_filter", FILTERED),
    ("", TOOL_CALL),
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
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. Only the small third generation lets one choose how much it thinks; the fourth refuses
/// the parameter.
fn accepts(model: &str) -> Accepts {
    Accepts { effort: model.starts_with("grok-3-mini"), ..Accepts::default() }
}
