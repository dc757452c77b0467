//! OpenAI, Chat Completions. Sources: OpenAI API reference (Chat Completions, Error codes) and the model
//! pages, as of 2026-11.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind, MaxTokensParam};
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::errors::{ErrorBody, Rule, apply, says, unsupported};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL};
use crate::{Auth, Bucket, Provider, Told};

/// OpenAI.
pub(crate) static PROVIDER: Provider = Provider {
    id: "openai",
    base_url: "https://api.openai.com/v1",
    auth: Auth::Bearer { env: "OPENAI_API_KEY" },
    upstream: &OpenAiChat::STANDARD,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Complete. `function_call` is the older spelling of `tool_calls`.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("function_call", TOOL_CALL),
    ("content_filter", FILTERED),
];

static BUCKETS: &[Bucket] = &[
    Bucket { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
    Bucket { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
    Bucket { remaining: "x-ratelimit-remaining-project-tokens", reset: "x-ratelimit-reset-project-tokens" },
    Bucket { remaining: "x-ratelimit-remaining-input-images", reset: "x-ratelimit-reset-input-images" },
    Bucket {
        remaining: "x-ratelimit-remaining-tokens_usage_based",
        reset: "x-ratelimit-reset-tokens_usage_based",
    },
];

static ERRORS: &[Rule] = &[
    // A key that may not do this is no wrong key.
    says(&[401, 403], "insufficient permissions", Kind::Permission),
    // These speak of something the request names, not of the model.
    says(&[404], "no such file", Kind::RequestDeclined),
    says(&[404], "file with id", Kind::RequestDeclined),
    says(&[404], "response with id", Kind::RequestDeclined),
    says(&[404], "container with id", Kind::RequestDeclined),
    // A larger model may take it.
    unsupported("max_tokens is too large", "max_tokens"),
    unsupported("max_completion_tokens is too large", "max_completion_tokens"),
    // GPT-5.4 and later, in Chat Completions (2026-11).
    unsupported("function tools with reasoning_effort", "reasoning_effort"),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes, by its family. Families that OpenAI adds are reasoning models of the newest kind.
fn accepts(model: &str) -> Accepts {
    let name = base(model);
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let reasons = reasons(name);
    let hears = name.contains("audio");
    let first_four = name == "gpt-4" || starts(&["gpt-4-"]);
    Accepts {
        developer_role: reasons,
        max_tokens_param: if reasons {
            MaxTokensParam::MaxCompletionTokens
        } else {
            MaxTokensParam::MaxTokens
        },
        // Refused as soon as there is effort; searching models refuse it always.
        sampling: !reasons && !name.contains("search"),
        images: !(hears
            || starts(&["gpt-3.5", "o1-mini", "o3-mini"])
            || (first_four && !name.contains("turbo"))),
        // These two call tools only through the Responses API (deployment checklist, 2026-11).
        tools: !starts(&["gpt-6-astra", "gpt-6.1-sol"]),
        json_schema: !(hears || first_four || starts(&["gpt-3.5"]) || name == "gpt-4o-2024-05-13"),
        effort: reasons,
        ..Accepts::default()
    }
}

/// The name of the model that a fine-tuned one was made from: `ft:gpt-4o-mini:acme::7p4l`.
fn base(model: &str) -> &str {
    let name = model.strip_prefix("ft:").unwrap_or(model);
    name.split(':').next().unwrap_or(name)
}

/// Whether a model thinks before it answers: `o1` and its kin, and GPT from 5 on but for its chat and
/// search variants.
fn reasons(name: &str) -> bool {
    if name.contains("search") {
        return false;
    }
    if let Some(version) = name.strip_prefix("gpt-").and_then(leading_number) {
        return version >= 5 && !name.contains("-chat");
    }
    let is_o_series = name.strip_prefix('o').and_then(leading_number).is_some();
    is_o_series
        || ["chat-latest", "daybreak", "gpt-daybreak", "codex"].iter().any(|start| name.starts_with(start))
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_models_take_the_newer_limit_and_no_sampling() {
        for model in [
            "o1",
            "o3-mini",
            "o4-mini",
            "gpt-5",
            "gpt-5-mini",
            "gpt-5.4-2026-03-05",
            "gpt-6-luna",
            "gpt-10",
            "chat-latest",
        ] {
            let accepts = accepts(model);
            assert_eq!(accepts.max_tokens_param, MaxTokensParam::MaxCompletionTokens, "{model}");
            assert!(!accepts.sampling && accepts.developer_role && accepts.effort, "{model}");
        }
    }

    #[test]
    fn older_models_take_the_older_limit_and_sampling() {
        for model in [
            "gpt-3.5-turbo",
            "gpt-4",
            "gpt-4.1-mini",
            "gpt-4o",
            "gpt-5-chat-latest",
            "ft:gpt-4o-mini:acme::7p4l",
            "omni",
        ] {
            let accepts = accepts(model);
            assert_eq!(accepts.max_tokens_param, MaxTokensParam::MaxTokens, "{model}");
            assert!(accepts.sampling && !accepts.developer_role && !accepts.effort, "{model}");
        }
        assert!(!accepts("gpt-5-search-api").sampling);
    }

    #[test]
    fn what_a_model_cannot_see_call_or_hold_to_is_known() {
        assert!(!accepts("gpt-4").images && accepts("gpt-4-turbo").images && accepts("gpt-4o").images);
        assert!(!accepts("gpt-4-turbo").json_schema && accepts("gpt-4.1").json_schema);
        assert!(!accepts("gpt-6-astra").tools && !accepts("gpt-6.1-sol").tools && accepts("gpt-6-sol").tools);
    }
}
