//! MiniMax speaks the OpenAI chat dialect, thinks inside the text and fails inside a 200. Source: MiniMax API
//! reference (Text, Error codes), as of 2026-11, and errors that were seen in the field in 2026.

use mainstay_canon::{
    Accepts, Failure, FinishMeaning, HintSource, MaxTokensParam, ReasoningEffort, ReasoningReplay, RetryHint,
    Temperatures, Thinking,
};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat, ReasoningStyle, base_resp_meaning};

use crate::hints;
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Provider, Told};

/// MiniMax.
pub(crate) static PROVIDER: Provider = Provider {
    id: "minimax",
    base_url: "https://api.minimax.io/v1",
    auth: Auth::Bearer { env: "MINIMAX_API_KEY" },
    upstream: &OpenAiChat {
        reasoning: ReasoningStyle::Tags,
        effort: EffortStyle::Switch("adaptive"),
        // Its route for embeddings has a shape of its own, which is not spoken here.
        embeddings: None,
        ..OpenAiChat::STANDARD
    },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    // It reports no rate-limit headers.
    buckets: &[],
    hinted: &[],
    request_id: &["trace-id", "x-request-id"],
};

/// Complete.
static FINISH: &[(&str, FinishMeaning)] =
    &[("stop", STOP), ("length", LENGTH), ("tool_calls", TOOL_CALL), ("content_filter", FILTERED)];

/// Codes inside a 200, in `base_resp`, are read with the dialect. The same codes stand at the end of the message
/// of an HTTP error, as in `usage limit exceeded, …, resets at 2026-05-15T15:00:00Z (2056)`, whose own type is
/// only as fine as its status.
fn refine(failure: &mut Failure, told: &Told<'_>) {
    let code = failure.message.rsplit_once('(').and_then(|(_, code)| code.trim_end().strip_suffix(')'));
    let Some((kind, _)) = code.and_then(base_resp_meaning) else { return };
    failure.code = code.map(str::to_owned);
    failure.kind = kind;
    failure.hint = failure.hint.or_else(|| spoken_reset(&failure.message, told));
}

/// The moment that a message names.
fn spoken_reset(message: &str, told: &Told<'_>) -> Option<RetryHint> {
    let (_, rest) = message.split_once("resets at ")?;
    let until = rest.split_whitespace().next()?.trim_end_matches([',', '.']);
    let after = hints::wait(until, hints::their_clock(told.headers, told.now))?;
    Some(RetryHint { after, source: HintSource::Body, clamped: false }).filter(|hint| !hint.after.is_zero())
}

/// What a model takes. Thinking goes back with calls, between the tags it came in. M3 can be told not to think and
/// nothing finer; the second generation always thinks.
fn accepts(model: &str) -> Accepts {
    let is_second = model.starts_with("MiniMax-M2");
    Accepts {
        max_tokens_param: MaxTokensParam::MaxCompletionTokens,
        // Above 0 and up to 1; anything else is an error.
        temperature: Temperatures { least: 1, most: 100 },
        // Passed over in silence.
        penalties: false,
        reasoning_replay: ReasoningReplay::ToolLoop,
        images: model.contains("M3"),
        audio: false,
        files: false,
        json_schema: false,
        effort: !is_second,
        efforts: &ReasoningEffort::ALL,
        thinking: if is_second { Thinking::Always } else { Thinking::Optional },
        ..Accepts::default()
    }
}
