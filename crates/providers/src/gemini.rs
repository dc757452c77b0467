//! Google Gemini, generateContent; and servers that speak as it does. Sources: Gemini API reference
//! (GenerateContentResponse, FinishReason, BlockReason), Thinking, Thought signatures and Troubleshooting, as of 2026-11.

use mainstay_canon::{
    Accepts, Budget, Failure, FinishMeaning, Kind, ReasoningEffort, ReasoningReplay, Temperatures, Thinking,
};
use mainstay_dialects::gemini::{self, GeminiContent, Generation};

use crate::errors::{ErrorBody, Rule, apply, says, unsupported};
use crate::words::{FILTERED, LENGTH, PAUSE, STOP, broken};
use crate::{Auth, Provider, Told};

/// Google Gemini.
pub(crate) static PROVIDER: Provider = Provider {
    id: "gemini",
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    // The API takes the key in the address, too, from where it gets into logs.
    auth: Auth::Header { name: "x-goog-api-key", env: "GEMINI_API_KEY" },
    upstream: &UPSTREAM,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    // It reports no rate-limit headers and no id of a call.
    buckets: &[],
    hinted: &[],
    request_id: &[],
};

/// Any server that speaks generateContent.
pub(crate) static COMPATIBLE: Provider = Provider {
    id: "gemini-compatible",
    base_url: "",
    auth: Auth::Header { name: "x-goog-api-key", env: "" },
    upstream: &UPSTREAM,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: &[],
    hinted: &[],
    request_id: &["x-request-id"],
};

const UPSTREAM: GeminiContent = GeminiContent { generation };

/// The prompt itself was blocked as prohibited.
const PROHIBITED: FinishMeaning = FinishMeaning::Prohibited;
/// The provider's own word for an answer that it broke off.
const BROKEN_OFF: FinishMeaning = broken(Kind::ServerError);
/// The model broke the form of a call or an answer.
const MALFORMED: FinishMeaning = broken(Kind::MalformedToolCall);

/// Complete: the finish reasons, the reasons for which a prompt is blocked, and their numbers, with which a server
/// answers that encodes enums so (recorded 2025-08). The two services number differently from 6 on; a number stands
/// here where both mean the same by it.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("STOP", STOP),
    ("MAX_TOKENS", LENGTH),
    ("SAFETY", FILTERED),
    ("RECITATION", FILTERED),
    ("LANGUAGE", FILTERED),
    ("BLOCKLIST", FILTERED),
    ("PROHIBITED_CONTENT", FILTERED),
    ("SPII", FILTERED),
    ("MODEL_ARMOR", FILTERED),
    ("ESCALATION", FILTERED),
    ("IMAGE_SAFETY", FILTERED),
    ("IMAGE_PROHIBITED_CONTENT", FILTERED),
    ("IMAGE_RECITATION", FILTERED),
    ("CONTINUATION", PAUSE),
    ("OTHER", BROKEN_OFF),
    ("IMAGE_OTHER", BROKEN_OFF),
    ("NO_IMAGE", BROKEN_OFF),
    ("PUP_LIMITED_DISABLED", BROKEN_OFF),
    ("FINISH_REASON_UNSPECIFIED", BROKEN_OFF),
    ("MALFORMED_FUNCTION_CALL", MALFORMED),
    ("MALFORMED_RESPONSE", MALFORMED),
    ("UNEXPECTED_TOOL_CALL", MALFORMED),
    ("TOO_MANY_TOOL_CALLS", MALFORMED),
    // The conversation lacks what this model wants back: asking again changes nothing, another tier may not mind.
    ("MISSING_THOUGHT_SIGNATURE", broken(Kind::UnsupportedParameter)),
    ("promptFeedback:SAFETY", FILTERED),
    ("promptFeedback:OTHER", FILTERED),
    ("promptFeedback:BLOCKLIST", PROHIBITED),
    ("promptFeedback:PROHIBITED_CONTENT", PROHIBITED),
    ("promptFeedback:IMAGE_SAFETY", FILTERED),
    ("promptFeedback:MODEL_ARMOR", FILTERED),
    ("promptFeedback:JAILBREAK", FILTERED),
    // Both spellings are documented.
    ("promptFeedback:BLOCK_REASON_UNSPECIFIED", FILTERED),
    ("promptFeedback:BLOCKED_REASON_UNSPECIFIED", FILTERED),
    ("0", BROKEN_OFF),
    ("1", STOP),
    ("2", LENGTH),
    ("3", FILTERED),
    ("4", FILTERED),
    ("5", BROKEN_OFF),
    ("6", FILTERED),
    ("7", FILTERED),
    ("8", FILTERED),
    ("promptFeedback:0", FILTERED),
    ("promptFeedback:1", FILTERED),
    ("promptFeedback:2", FILTERED),
    ("promptFeedback:3", PROHIBITED),
    ("promptFeedback:4", PROHIBITED),
    ("promptFeedback:5", FILTERED),
];

static ERRORS: &[Rule] = &[
    // Keys, under whichever status.
    says(&[400, 401, 403], "api key not valid", Kind::Auth),
    says(&[400, 401, 403], "api key expired", Kind::Auth),
    says(&[401, 403], "reported as leaked", Kind::Auth),
    says(&[401, 403], "unregistered callers", Kind::Auth),
    // What this one request names: an address, a file, a cache.
    says(&[400], "cannot fetch content from the provided url", Kind::RequestDeclined),
    says(&[400], "not in an active state", Kind::RequestDeclined),
    says(&[403, 404], "access the file", Kind::RequestDeclined),
    says(&[403, 404], "cachedcontent", Kind::RequestDeclined),
    says(&[404], "file not found", Kind::RequestDeclined),
    // Where the account or its address stands, which no wait mends.
    says(&[400], "location is not supported", Kind::Permission),
    says(&[400], "not available in your country", Kind::Permission),
    // Money, where the quota's name does not say so.
    says(&[429], "credits are depleted", Kind::QuotaExhausted),
    says(&[429], "spending cap", Kind::QuotaExhausted),
    says(&[429], "spend cap", Kind::QuotaExhausted),
    // A quota of nothing: this plan does not have the model.
    says(&[429], "limit: 0,", Kind::QuotaExhausted),
    says(&[400], "input context is too long", Kind::ContextLength),
    says(&[500], "input context is too long", Kind::ContextLength),
    // What is wrong here is wrong for this model only: a tier below is asked.
    unsupported("thought_signature", "messages"),
    unsupported("thought signature", "messages"),
    unsupported("function calling is not enabled", "tools"),
    unsupported("function calling with a response mime type", "response_format"),
    unsupported("json mode is not enabled", "response_format"),
    unsupported("too many states for serving", "response_format"),
    unsupported("developer instruction is not enabled", "messages"),
    unsupported("thinking level", "reasoning_effort"),
    unsupported("thinking_level", "reasoning_effort"),
    unsupported("thinking budget", "reasoning_effort"),
    unsupported("thinking_budget", "reasoning_effort"),
    unsupported("only works in thinking mode", "reasoning_effort"),
    unsupported("max_output_tokens", "max_tokens"),
    unsupported("maxoutputtokens", "max_tokens"),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes, by family and version. An unknown name is one of the newest.
fn accepts(model: &str) -> Accepts {
    // Open models before the fourth generation: no instruction, no tools, no JSON here.
    let is_plain = version_after("gemma-", model).is_some_and(|version| version < Version(4, 0));
    let is_open = model.contains("gemma-");
    let draws_or_speaks = ["-image", "-tts"].iter().any(|word| model.contains(word));
    let thinks = version_after("gemini-", model).is_none_or(|version| version >= Version(2, 5));
    let effort = thinks && !is_plain && !draws_or_speaks;
    // One table says how much a model can be told to think.
    let (efforts, budget) = match generation(model).thinking {
        _ if !effort => (&[] as &[ReasoningEffort], None),
        gemini::Thinking::Levels(levels) => (levels, None),
        gemini::Thinking::Budget { least, most, stops } => {
            (&ReasoningEffort::ALL as &[_], Some(Budget { least, most, stops }))
        }
    };
    Accepts {
        system_role: !is_plain,
        alternate_roles: true,
        sampling: !refuses_sampling(model),
        temperature: Temperatures::up_to(200),
        most_stops: Some(5),
        // Signatures must come back with the parts they came with.
        reasoning_replay: ReasoningReplay::All,
        audio: !is_open,
        files: !is_open,
        tools: !is_plain && !draws_or_speaks,
        json_schema: !is_plain,
        form_with_tools: generation(model).json_with_tools,
        effort,
        efforts,
        thinking: match (effort, budget.is_some_and(|budget| budget.stops)) {
            (false, _) => Thinking::Never,
            (true, true) => Thinking::Optional,
            (true, false) => Thinking::Always,
        },
        budget,
        ..Accepts::default()
    }
}

/// Whether a model takes neither temperature nor its kin: the flash line from 3.6 on, and 3.5 Flash-Lite (What's new
/// in Gemini 3.6, 2026).
fn refuses_sampling(model: &str) -> bool {
    version_after("gemini-", model).is_some_and(|version| {
        model.contains("-flash")
            && version < Version(4, 0)
            && (version >= Version(3, 6) || (version >= Version(3, 5) && model.contains("-lite")))
    })
}

/// What a model's generation asks of a request.
fn generation(model: &str) -> Generation {
    use ReasoningEffort::{High, Low, Medium, Minimal, Xhigh};
    let version = version_after("gemini-", model);
    let is_pro = model.contains("-pro");
    if version.is_some_and(|version| version < Version(3, 0)) {
        let thinking = if is_pro {
            gemini::Thinking::Budget { least: 128, most: 32_768, stops: false }
        } else if model.contains("-lite") {
            gemini::Thinking::Budget { least: 512, most: 24_576, stops: true }
        } else {
            gemini::Thinking::Budget { least: 1, most: 24_576, stops: true }
        };
        return Generation { thinking, ..Generation::OLDER };
    }
    let levels: &[ReasoningEffort] = match version {
        Some(Version(3, 0)) if is_pro => &[Low, High],
        // From 3.8 on the least level is low, as it always was for the large ones.
        Some(version) if version < Version(3, 8) && model.contains("-flash") => &[Minimal, Low, Medium, High],
        Some(_) if model.contains("-hydrogen") => &[Low, Medium, High, Xhigh],
        Some(_) | None => &[Low, Medium, High],
    };
    Generation { thinking: gemini::Thinking::Levels(levels), ..Generation::NEWEST }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

/// The version in a name right after its family: `gemini-2.5-flash`, `gemini-3-pro-preview`, `gemma-3-27b-it`. A date
/// is no version, and a family within the family (`gemini-omni-1.2-flash`) counts for itself.
fn version_after(family: &str, model: &str) -> Option<Version> {
    let (_, rest) = model.split_once(family)?;
    let number = rest.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    let part = |text: &str| text.parse().ok().filter(|_| text.len() <= 2);
    Some(Version(part(major)?, part(minor)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReasoningEffort::{High, Low, Medium, Minimal, Xhigh};

    #[test]
    fn a_version_is_read_out_of_every_spelling() {
        for (model, expected) in [
            ("gemini-2.5-flash", Some(Version(2, 5))),
            ("gemini-3-pro-preview", Some(Version(3, 0))),
            ("gemini-3.1-flash-lite", Some(Version(3, 1))),
            ("gemini-4-argon", Some(Version(4, 0))),
            ("models/gemini-2.0-flash-001", Some(Version(2, 0))),
            ("google/gemini-3.8-flash", Some(Version(3, 8))),
            ("gemini-exp-1206", None),
            ("gemini-1206", None),
            ("gemini-flash-latest", None),
            ("gemini-omni-1.2-flash", None),
            ("g-test", None),
        ] {
            assert_eq!(version_after("gemini-", model), expected, "{model}");
        }
    }

    #[test]
    fn thinking_is_told_in_budgets_before_the_third_generation_and_in_levels_after() {
        for (model, thinking) in [
            ("gemini-2.5-pro", gemini::Thinking::Budget { least: 128, most: 32_768, stops: false }),
            ("gemini-2.5-flash", gemini::Thinking::Budget { least: 1, most: 24_576, stops: true }),
            ("gemini-2.5-flash-lite", gemini::Thinking::Budget { least: 512, most: 24_576, stops: true }),
            ("gemini-3-pro-preview", gemini::Thinking::Levels(&[Low, High])),
            ("gemini-3.1-pro-preview", gemini::Thinking::Levels(&[Low, Medium, High])),
            ("gemini-3-flash-preview", gemini::Thinking::Levels(&[Minimal, Low, Medium, High])),
            ("gemini-3.5-flash-lite", gemini::Thinking::Levels(&[Minimal, Low, Medium, High])),
            ("gemini-3.8-flash", gemini::Thinking::Levels(&[Low, Medium, High])),
            ("gemini-4-hydrogen", gemini::Thinking::Levels(&[Low, Medium, High, Xhigh])),
            ("gemini-pro-latest", gemini::Thinking::Levels(&[Low, Medium, High])),
            ("anything", gemini::Thinking::Levels(&[Low, Medium, High])),
        ] {
            assert_eq!(generation(model).thinking, thinking, "{model}");
        }
    }

    #[test]
    fn signatures_are_demanded_from_the_third_generation_on() {
        for model in
            ["gemini-3-flash-preview", "gemini-3.8-flash", "gemini-4-argon", "gemini-flash-latest", "x"]
        {
            assert!(generation(model).signed_calls && generation(model).json_with_tools, "{model}");
        }
        for model in ["gemini-2.5-pro", "gemini-2.0-flash", "gemini-1.5-flash"] {
            assert!(!generation(model).signed_calls && !generation(model).media_in_results, "{model}");
        }
    }

    #[test]
    fn what_a_family_does_not_take_is_known() {
        let plain = accepts("gemma-3-27b-it");
        assert!(!plain.system_role && !plain.tools && !plain.json_schema && !plain.effort);
        let newer = accepts("gemma-4-31b-it");
        assert!(newer.system_role && newer.tools && newer.effort);
        assert!(!accepts("gemini-2.0-flash").effort && accepts("gemini-2.5-flash").effort);
        assert!(!accepts("gemini-3-pro-image-preview").tools && accepts("gemini-3-pro-preview").tools);
        for model in ["gemini-2.5-flash", "gemini-4-argon"] {
            assert_eq!(accepts(model).reasoning_replay, ReasoningReplay::All, "{model}");
        }
    }

    #[test]
    fn only_the_prompts_own_blocks_are_prohibited() {
        let prohibited: Vec<&str> =
            FINISH.iter().filter(|(_, meaning)| *meaning == PROHIBITED).map(|(word, _)| *word).collect();
        assert_eq!(
            prohibited,
            [
                "promptFeedback:BLOCKLIST",
                "promptFeedback:PROHIBITED_CONTENT",
                "promptFeedback:3",
                "promptFeedback:4"
            ]
        );
    }
}
