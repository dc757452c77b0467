//! Mistral speaks the OpenAI chat dialect, with thinking as parts of the content. Source: Mistral API
//! reference, as of 2026-11.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind, ReasoningReplay};
use mainstay_dialects::openai_chat::{OpenAiChat, ReasoningStyle};

use crate::errors::{ErrorBody, Rule, apply, code};
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
        ..OpenAiChat::STANDARD
    },
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

/// 1500 is its code of an unknown model, whose status is 400.
static ERRORS: &[Rule] = &[code("invalid_model", Kind::NotFound)];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes. An effort is for the models of 2026 only; the older dated ones refuse it.
fn accepts(model: &str) -> Accepts {
    const THINKING: [&str; 8] = [
        "devstral-",
        "mistral-medium",
        "mistral-small",
        "mistral-large-4",
        "mistral-vibe",
        "mistral-code-agent",
        "glm-",
        "zai-glm",
    ];
    let is_older = model.rsplit('-').next().is_some_and(|date| date.len() == 4 && date.starts_with("25"));
    Accepts {
        reasoning_replay: ReasoningReplay::ToolLoop,
        effort: !is_older && THINKING.iter().any(|start| model.starts_with(start)),
        ..Accepts::default()
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
}
