//! MiniMax speaks the OpenAI chat dialect, thinks inside the text and fails inside a 200. Source: MiniMax API
//! reference (Text, Error codes), as of 2026-11.

use mainstay_canon::{Accepts, FinishMeaning, MaxTokensParam, ReasoningReplay};
use mainstay_dialects::openai_chat::{OpenAiChat, ReasoningStyle};

use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Provider};

/// MiniMax.
pub(crate) static PROVIDER: Provider = Provider {
    id: "minimax",
    base_url: "https://api.minimax.io/v1",
    auth: Auth::Bearer { env: "MINIMAX_API_KEY" },
    upstream: &OpenAiChat { reasoning: ReasoningStyle::Tags, ..OpenAiChat::STANDARD },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    // Its codes, in `base_resp`, are read with the dialect.
    refine: |_, _| {},
    buckets: &[],
    hinted: &[],
    request_id: &["trace-id", "x-request-id"],
};

/// Complete.
static FINISH: &[(&str, FinishMeaning)] =
    &[("stop", STOP), ("length", LENGTH), ("tool_calls", TOOL_CALL), ("content_filter", FILTERED)];

/// What a model takes. Thinking goes back with calls, between the tags it came in; how much there is of it
/// cannot be chosen.
fn accepts(model: &str) -> Accepts {
    Accepts {
        max_tokens_param: MaxTokensParam::MaxCompletionTokens,
        reasoning_replay: ReasoningReplay::ToolLoop,
        images: model.contains("M3"),
        json_schema: false,
        effort: false,
        ..Accepts::default()
    }
}
