//! Moonbeam, which does not exist: a provider that nobody planned for, with a way of its own in everything that a
//! provider may have its own way in.

use mainstay_canon::{Accepts, Failure, FinishMeaning, FinishReason, Kind, MaxTokensParam, ReasoningReplay};
use mainstay_dialects::openai_chat::{OpenAiChat, ReasoningStyle};
use mainstay_providers::{Auth, Bucket, Provider, Told};

/// Moonbeam.
pub(crate) static PROVIDER: Provider = Provider {
    id: "moonbeam",
    base_url: "https://api.moonbeam.example/v7",
    auth: Auth::Header { name: "x-moonbeam-key", env: "MOONBEAM_API_KEY" },
    upstream: &OpenAiChat {
        path: "/shine",
        reasoning: ReasoningStyle::Tags,
        seed: "moon_seed",
        tool_required: "must",
        tool_names: true,
        include_usage: false,
        ..OpenAiChat::STANDARD
    },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: &[Bucket { remaining: "x-moonbeam-left", reset: "x-moonbeam-next-rise" }],
    hinted: &[425],
    request_id: &["x-moonbeam-ray", "x-request-id"],
};

/// The dialect's words, and Moonbeam's.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", FinishMeaning::Answer(FinishReason::Stop)),
    ("length", FinishMeaning::Answer(FinishReason::Length)),
    ("tool_calls", FinishMeaning::Answer(FinishReason::ToolCall)),
    ("moonset", FinishMeaning::Answer(FinishReason::Stop)),
    ("eclipse", FinishMeaning::Answer(FinishReason::ContentFilter)),
    ("new_moon", FinishMeaning::Broken(Kind::Overloaded)),
    ("far_side", FinishMeaning::ContextFull),
];

/// A tide is what others call an overload.
fn refine(failure: &mut Failure, _told: &Told<'_>) {
    if failure.message.contains("the tide is high") {
        failure.kind = Kind::Overloaded;
    }
}

fn accepts(model: &str) -> Accepts {
    Accepts {
        max_tokens_param: MaxTokensParam::MaxCompletionTokens,
        reasoning_replay: ReasoningReplay::ToolLoop,
        images: model.contains("crescent"),
        sampling: false,
        ..Accepts::default()
    }
}
