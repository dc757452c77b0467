//! Mistral speaks the OpenAI chat dialect, with thinking as parts of the content, and refuses what it does not
//! know. Sources: Mistral API reference and its Python client 3.7, as of 2026-11.

use mainstay_canon::{
    Accepts, Failure, FinishMeaning, Kind, ReasoningEffort, ReasoningReplay, Temperatures, Thinking,
};
use mainstay_dialects::openai_chat::{OpenAiChat, OpenAiEmbeddings, ReasoningStyle};

use crate::efforts::ALL_OR_NOTHING;
use crate::errors::{ErrorBody, Rule, apply, code, says, unsupported};
use crate::words::{CONTEXT_FULL, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Provider, Told};

/// Mistral.
pub(crate) static PROVIDER: Provider = Provider {
    id: "mistral",
    base_url: "https://api.mistral.ai/v1",
    auth: Auth::Bearer { env: "MISTRAL_API_KEY" },
    upstream: &OpenAiChat {
        reasoning: ReasoningStyle::Parts,
        seed: "random_seed",
        tool_required: "any",
        tool_names: true,
        short_tool_ids: true,
        // Counts come with the last chunk, unasked.
        include_usage: false,
        only_members: Some(MEMBERS),
        strict_order: true,
        embeddings: Some(OpenAiEmbeddings {
            dimensions: "output_dimension",
            tokens: false,
            only_members: Some(&["metadata", "output_dtype"]),
            ..OpenAiEmbeddings::STANDARD
        }),
        ..OpenAiChat::STANDARD
    },
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    // Its headers say what is left of a minute, never until when.
    buckets: &[],
    hinted: &[],
    request_id: &["mistral-correlation-id", "x-request-id"],
};

/// Complete.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("model_length", CONTEXT_FULL),
    ("error", broken(Kind::ServerError)),
];

/// The members it takes beside those of the dialect's core; any other is a 422. OpenAI's `service_tier` is not
/// among them: its words mean nothing here.
static MEMBERS: &[&str] = &[
    "frequency_penalty",
    "guardrails",
    "logprobs",
    "metadata",
    "min_tokens",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_logprobs",
    "prompt_mode",
    "repetition_penalty",
    "safe_prompt",
    "top_k",
    "top_logprobs",
    "top_prompt_logprobs",
];

static ERRORS: &[Rule] = &[
    // 1500, whose status is 400.
    code("invalid_model", Kind::NotFound),
    // A whole tier's capacity, not this caller's share of it.
    code("3505", Kind::Overloaded),
    says(&[429], "service tier capacity exceeded", Kind::Overloaded),
    // 3230. Elsewhere the same conversation is in order.
    Rule {
        status: &[400],
        code: "invalid_request_message_order",
        says: "",
        kind: Kind::UnsupportedParameter,
        param: "messages",
    },
    unsupported("unexpected role", "messages"),
    unsupported("expected last role", "messages"),
    unsupported("reasoning_effort=", "reasoning_effort"),
    unsupported("prompt mode is not enabled", "prompt_mode"),
    // Its highest is 1.5.
    unsupported("temperature: input should be less than", "temperature"),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. An effort is for the models of 2026 only; the older dated ones refuse it. Thinking goes
/// back to models that think. Sources: the model pages and Reasoning, 2026-11.
fn accepts(model: &str) -> Accepts {
    let efforts = efforts(model);
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
    // These think, and cannot be told how much.
    let thinks = !efforts.is_empty() || starts(&["magistral", "deepseek-v4"]);
    let hears = model.contains("voxtral");
    Accepts {
        temperature: Temperatures::up_to(150),
        reasoning_replay: if thinks { ReasoningReplay::ToolLoop } else { ReasoningReplay::Never },
        images: !(hears
            || starts(&["codestral", "devstral", "mistral-code", "mistral-tiny", "open-mi", "glm-"])),
        most_images: Some(8),
        audio: hears,
        effort: !efforts.is_empty(),
        efforts,
        thinking: match (thinks, efforts.contains(&ReasoningEffort::None)) {
            (false, _) => Thinking::Never,
            (true, true) => Thinking::Optional,
            (true, false) => Thinking::Always,
        },
        ..Accepts::default()
    }
}

/// The efforts that a model knows. Mistral's own think or do not; the words between are a 400 (seen 2026-07). The
/// guests from Z.ai know more.
fn efforts(model: &str) -> &'static [ReasoningEffort] {
    const THINKING: [&str; 6] = [
        "devstral-",
        "mistral-medium",
        "mistral-small",
        "mistral-large-4",
        "mistral-vibe",
        "mistral-code-agent",
    ];
    let is_older = model.rsplit('-').next().is_some_and(|date| date.len() == 4 && date.starts_with("25"));
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
    if is_older {
        &[]
    } else if starts(&THINKING) {
        ALL_OR_NOTHING
    } else if starts(&["glm-5-2", "zai-glm-5-2"]) {
        &ReasoningEffort::ALL
    } else if starts(&["glm-", "zai-glm"]) {
        &[ReasoningEffort::Low, ReasoningEffort::High, ReasoningEffort::Max]
    } else {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_years_models_take_an_effort() {
        for model in ["mistral-medium-latest", "mistral-small-2603", "mistral-large-4", "zai-glm-5"] {
            assert!(accepts(model).effort, "{model}");
        }
        for model in ["mistral-medium-2508", "devstral-2512", "mistral-large-2512", "ministral-8b-latest"] {
            assert!(!accepts(model).effort, "{model}");
        }
    }

    #[test]
    fn thinking_goes_back_only_to_models_that_think() {
        for model in ["magistral-medium-2509", "mistral-small-2603"] {
            assert_eq!(accepts(model).reasoning_replay, ReasoningReplay::ToolLoop, "{model}");
        }
        for model in ["codestral-latest", "ministral-8b-latest", "mistral-large-2512"] {
            assert_eq!(accepts(model).reasoning_replay, ReasoningReplay::Never, "{model}");
        }
    }
}
