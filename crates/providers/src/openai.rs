//! OpenAI, Chat Completions and Responses; and servers that speak Responses as it does. Sources: OpenAI API
//! reference (Chat Completions, Responses, Error codes) and the model pages, as of 2026-11.

use mainstay_canon::{
    Accepts, ChatRequest, Dialect, Failure, FinishMeaning, Kind, MaxTokensParam, ReasoningEffort,
    ReasoningReplay, Route, Temperatures, Thinking,
};
use mainstay_dialects::Upstream;
use mainstay_dialects::openai_chat::{OpenAiChat, OpenAiEmbeddings, ReasoningStyle};
use mainstay_dialects::openai_responses::OpenAiResponses;

use crate::efforts::{
    LOW_TO_HIGH, LOW_TO_MAX, LOW_TO_XHIGH, MEDIUM_TO_XHIGH, MINIMAL_TO_HIGH, NONE_TO_HIGH, NONE_TO_MAX,
    NONE_TO_XHIGH,
};
use crate::errors::{ErrorBody, Rule, apply, code, says, unsupported};
use crate::words::{FILTERED, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Bucket, Provider, Told};

/// OpenAI.
pub(crate) static PROVIDER: Provider = Provider {
    id: "openai",
    base_url: "https://api.openai.com/v1",
    auth: Auth::Bearer { env: "OPENAI_API_KEY" },
    // Its models take reasoning back through Responses only.
    upstream: &OpenAiChat {
        reasoning: ReasoningStyle::Nowhere,
        embeddings: Some(OpenAiEmbeddings { base64: true, ..OpenAiEmbeddings::STANDARD }),
        ..OpenAiChat::STANDARD
    },
    choose,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Any server that speaks Responses.
pub(crate) static RESPONSES: Provider = Provider {
    id: "openai-responses-compatible",
    base_url: "",
    auth: Auth::Bearer { env: "" },
    upstream: &OpenAiResponses::STANDARD,
    choose: |_, _| None,
    finish: FINISH,
    accepts: |model| if base(model).starts_with("gpt-") { accepts(model) } else { accepts_elsewhere() },
    refine,
    buckets: BUCKETS,
    hinted: &[],
    // The later ones are Azure's and DeepSeek's (recorded 2026-08).
    request_id: &["x-request-id", "apim-request-id", "x-ds-trace-id"],
};

/// Which calls go through Responses: those that Chat Completions refuses, and those of a caller of that dialect,
/// whose words arrive unchanged so.
fn choose(request: &ChatRequest, model: &str) -> Option<&'static dyn Upstream> {
    let name = base(model);
    let goes = match route(name) {
        Route::Chat => false,
        Route::Responses => true,
        Route::Either | Route::ResponsesForTools => {
            request.origin == Some(Dialect::OpenaiResponses) || needs_responses(request, name)
        }
    };
    goes.then_some(&OpenAiResponses::STANDARD)
}

/// Which routes serve a model (model pages and deployment checklist, 2026-11).
fn route(name: &str) -> Route {
    let has = |part: &str| name.split('-').any(|known| known == part);
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if has("codex")
        || (has("pro") && reasons(name))
        || name.contains("deep-research")
        || name.starts_with("gpt-daybreak")
    {
        Route::Responses
    } else if name.contains("audio") || searches(name) {
        Route::Chat
    } else if starts(&["gpt-6-astra", "gpt-6.1-sol"]) {
        Route::ResponsesForTools
    } else {
        Route::Either
    }
}

/// Whether Chat Completions refuses the tools of a request: from GPT-5.4 on, functions beside any reasoning effort
/// but `none`, that which a model has by itself included; with some models, tools at all (deployment checklist,
/// 2026-11).
fn needs_responses(request: &ChatRequest, name: &str) -> bool {
    // Tools that Chat Completions alone can spell need that.
    let is_chats_own =
        request.origin == Some(Dialect::OpenaiChat) && request.tools.iter().any(|tool| tool.native.is_some());
    if request.tools.is_empty() || is_chats_own || !reasons(name) {
        return false;
    }
    if route(name) == Route::ResponsesForTools {
        return true;
    }
    let version = version(name);
    let thinks = match request.reasoning_effort {
        Some(effort) => effort != ReasoningEffort::None,
        // Unsaid: GPT-5.4 then does not think, later models do. A level that only OpenAI knows is one.
        None => version > (5, 4) || request.extra.get("reasoning_effort").is_some(),
    };
    version >= (5, 4) && thinks
}

/// Complete, for both dialects. `function_call` is the older spelling of `tool_calls`. The words with a reason are
/// the status of a response; one that is not over, or that somebody ended, is no answer.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("function_call", TOOL_CALL),
    ("content_filter", FILTERED),
    ("completed", STOP),
    ("incomplete:max_output_tokens", LENGTH),
    ("incomplete:max_messages", LENGTH),
    ("incomplete:content_filter", FILTERED),
    ("incomplete:steered", broken(Kind::StreamInterrupted)),
    ("failed", broken(Kind::ServerError)),
    ("cancelled", broken(Kind::StreamInterrupted)),
    ("queued", broken(Kind::StreamInterrupted)),
    ("in_progress", broken(Kind::StreamInterrupted)),
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
    says(&[404], "item with id", Kind::RequestDeclined),
    code("previous_response_not_found", Kind::RequestDeclined),
    // Reasoning of another model or organisation.
    code("invalid_encrypted_content", Kind::RequestDeclined),
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
    let images =
        !(hears || starts(&["gpt-3.5", "o1-mini", "o3-mini"]) || (first_four && !name.contains("turbo")));
    let efforts = if reasons { efforts(name) } else { &[] };
    let rests = efforts.contains(&ReasoningEffort::None);
    let is_o_series = leading_number(name.strip_prefix('o').unwrap_or_default()).is_some();
    Accepts {
        developer_role: reasons,
        max_tokens_param: if reasons {
            MaxTokensParam::MaxCompletionTokens
        } else {
            MaxTokensParam::MaxTokens
        },
        // Refused as soon as there is effort; searching models refuse it always.
        sampling: !reasons && !searches(name),
        sampling_at_rest: rests,
        temperature: Temperatures::up_to(200),
        penalties: !reasons || rests,
        most_stops: if refuses_stops(name) { Some(0) } else { Some(4) },
        // Encrypted, and only in Responses.
        reasoning_replay: if reasons { ReasoningReplay::All } else { ReasoningReplay::Never },
        images,
        audio: hears,
        // Models that see read documents, too.
        files: images,
        tools: !starts(&["o1-mini", "o1-preview", "gpt-5-chat"]),
        most_tools: Some(128),
        // "Not supported with this model", a 400.
        parallel_choice: !is_o_series || name.starts_with("o1-pro"),
        json_schema: !(hears || first_four || starts(&["gpt-3.5"]) || name == "gpt-4o-2024-05-13"),
        effort: reasons,
        efforts,
        effort_with_tools: version(name) < (5, 4),
        thinking: match (reasons, rests) {
            (false, _) => Thinking::Never,
            (true, true) => Thinking::Optional,
            (true, false) => Thinking::Always,
        },
        route: route(name),
        ..Accepts::default()
    }
}

/// The efforts that a reasoning model knows (model pages and API reference, `reasoning_effort`, 2026-11).
fn efforts(name: &str) -> &'static [ReasoningEffort] {
    let has = |part: &str| name.split('-').any(|known| known == part);
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match version(name) {
        // Not told how much, it thinks so.
        _ if name.starts_with("chat-latest") => &[ReasoningEffort::Medium],
        (0..5, _) => LOW_TO_HIGH,
        (5, 0) if has("pro") => &[ReasoningEffort::High],
        (5, 0) if has("codex") => LOW_TO_HIGH,
        (5, 0) => MINIMAL_TO_HIGH,
        (5, 1) if has("max") => LOW_TO_XHIGH,
        (5, 1) if has("codex") => LOW_TO_HIGH,
        (5, 1) => NONE_TO_HIGH,
        (5, 2) if has("codex") => LOW_TO_XHIGH,
        (5, _) if has("pro") => MEDIUM_TO_XHIGH,
        (5, _) => NONE_TO_XHIGH,
        _ if starts(&["gpt-6-astra", "gpt-6-rosalind", "gpt-6.1-sol"]) => LOW_TO_MAX,
        _ => NONE_TO_MAX,
    }
}

/// Whether a model refuses stop texts: `o3` and `o4-mini` (API reference, `stop`), and GPT from 5 on (seen since
/// 2025-08).
fn refuses_stops(name: &str) -> bool {
    let o_series =
        ["o3", "o4-mini"].iter().any(|start| name.starts_with(start)) && !name.starts_with("o3-mini");
    o_series || (reasons(name) && version(name) >= (5, 0)) || name.starts_with("chat-latest")
}

/// What another maker's model takes behind a server that speaks Responses.
fn accepts_elsewhere() -> Accepts {
    Accepts { reasoning_replay: ReasoningReplay::All, ..Accepts::default() }
}

/// The name of the model that a fine-tuned one was made from: `ft:gpt-4o-mini:acme::7p4l`.
fn base(model: &str) -> &str {
    let name = model.strip_prefix("ft:").unwrap_or(model);
    name.split(':').next().unwrap_or(name)
}

/// Whether a model thinks before it answers: `o1` and its kin, and GPT from 5 on but for its chat and
/// search variants.
fn reasons(name: &str) -> bool {
    if searches(name) {
        return false;
    }
    if let Some(version) = name.strip_prefix("gpt-").and_then(leading_number) {
        return version >= 5 && !name.contains("-chat");
    }
    let is_o_series = name.strip_prefix('o').and_then(leading_number).is_some();
    is_o_series
        || ["chat-latest", "daybreak", "gpt-daybreak", "codex"].iter().any(|start| name.starts_with(start))
}

/// Whether a model searches the web with every answer. Those for deep research are others.
fn searches(name: &str) -> bool {
    name.split('-').any(|part| part == "search")
}

/// The version in a name: `gpt-5.4-mini`, `gpt-6-sol`. Other families have none that would be compared.
fn version(name: &str) -> (u32, u32) {
    let Some(numbers) = name.strip_prefix("gpt-").and_then(|rest| rest.split('-').next()) else {
        return (0, 0);
    };
    let (major, minor) = numbers.split_once('.').unwrap_or((numbers, ""));
    (leading_number(major).unwrap_or(0), leading_number(minor).unwrap_or(0))
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
        assert!(accepts("gpt-6-astra").tools && accepts("gpt-4").tools);
    }

    #[test]
    fn a_model_for_deep_research_thinks_and_one_that_searches_does_not() {
        assert!(accepts("o3-deep-research").effort && !accepts("gpt-4o-search-preview").effort);
        assert!(!accepts("gpt-4o-search-preview").sampling && !accepts("o3-deep-research").sampling);
    }

    #[test]
    fn a_version_is_read_out_of_a_name() {
        for (name, expected) in [
            ("gpt-5", (5, 0)),
            ("gpt-5.4-mini-2026-03-17", (5, 4)),
            ("gpt-6-sol", (6, 0)),
            ("gpt-6.1-terra", (6, 1)),
            ("gpt-4o", (4, 0)),
            ("gpt-10.12", (10, 12)),
            ("o3", (0, 0)),
            ("gpt-audio-1.5", (0, 0)),
        ] {
            assert_eq!(version(name), expected, "{name}");
        }
    }
}
