//! DeepSeek speaks the OpenAI chat dialect, with a reasoning field, a cache count and a finish word of its
//! own. Source: DeepSeek API documentation, as of 2026-11.

use mainstay_canon::{
    Accepts, Failure, FinishMeaning, ForcedTools, Kind, ReasoningEffort, ReasoningReplay, Temperatures,
    Thinking,
};
use mainstay_dialects::openai_chat::{EffortStyle, OpenAiChat};

use crate::errors::{ErrorBody, Rule, apply, says, unsupported};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Provider, Told};

/// DeepSeek.
pub(crate) static PROVIDER: Provider = Provider {
    id: "deepseek",
    base_url: "https://api.deepseek.com/v1",
    auth: Auth::Bearer { env: "DEEPSEEK_API_KEY" },
    // It makes no embeddings.
    upstream: &OpenAiChat { effort: EffortStyle::WordOrOff, embeddings: None, ..OpenAiChat::STANDARD },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    // It reports no rate-limit headers.
    buckets: &[],
    hinted: &[],
    request_id: &["x-request-id", "x-ds-trace-id"],
};

/// Complete. The last one is no ending: the answer was cut for want of machines.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("content_filter", FILTERED),
    ("insufficient_system_resource", broken(Kind::Overloaded)),
];

static ERRORS: &[Rule] = &[
    says(&[400], "content exists risk", Kind::ContentFiltered),
    says(&[400], "model not exist", Kind::NotFound),
    // What is wrong here is wrong for this model only: a tier below is asked.
    unsupported("this tool_choice", "tool_choice"),
    unsupported("must be passed back to the api", "reasoning_content"),
    unsupported("response_format type is unavailable", "response_format"),
    unsupported("valid range of max_tokens", "max_tokens"),
    unsupported("reasoning_effort", "reasoning_effort"),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. From V3.2 on reasoning must come back with calls; the R1 line refuses it (400), and takes
/// no tools. Sources: DeepSeek API docs, Thinking mode, Function calling, JSON output, Create chat completion.
fn accepts(model: &str) -> Accepts {
    let is_first_reasoner = model.contains("reasoner") || model.contains("-r1");
    let thinks = !["chat", "coder", "v3"].iter().any(|word| model.contains(word));
    let is_told = thinks && !is_first_reasoner;
    Accepts {
        // While it thinks, sampling is passed over in silence.
        sampling: !thinks,
        sampling_at_rest: is_told,
        temperature: Temperatures::up_to(200),
        most_stops: Some(16),
        reasoning_replay: if is_first_reasoner { ReasoningReplay::Never } else { ReasoningReplay::ToolLoop },
        images: model.contains("flash"),
        audio: false,
        files: false,
        most_tools: Some(128),
        // "Thinking mode does not support this tool_choice": a 400.
        forced_tools: if thinks { ForcedTools::AtRest } else { ForcedTools::Always },
        // JSON mode is documented, a schema is not.
        json_schema: false,
        effort: is_told,
        efforts: if is_told { EFFORTS } else { &[] },
        thinking: match (thinks, is_told) {
            (false, _) => Thinking::Never,
            (true, true) => Thinking::Optional,
            (true, false) => Thinking::Always,
        },
        ..Accepts::default()
    }
}

/// What it knows; other words it maps by itself, `medium` and `xhigh` to `high`.
const EFFORTS: &[ReasoningEffort] =
    &[ReasoningEffort::None, ReasoningEffort::Low, ReasoningEffort::High, ReasoningEffort::Max];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_goes_back_with_calls_but_never_to_the_first_reasoner() {
        for model in ["deepseek-flash", "deepseek-v4-pro", "deepseek-think"] {
            assert_eq!(accepts(model).reasoning_replay, ReasoningReplay::ToolLoop, "{model}");
            assert!(accepts(model).effort, "{model}");
        }
        for model in ["deepseek-reasoner", "deepseek-r1"] {
            assert_eq!(accepts(model).reasoning_replay, ReasoningReplay::Never, "{model}");
        }
    }

    #[test]
    fn only_the_flash_line_sees() {
        assert!(accepts("deepseek-flash").images && !accepts("deepseek-v4-pro").images);
    }
}
