//! Anthropic, Messages; and servers that speak as it does. Sources: Anthropic API reference (Messages,
//! Errors, Rate limits, Versions) and the model pages, as of 2026-11.

use mainstay_canon::{
    Accepts, Budget, Failure, FinishMeaning, ForcedTools, Kind, ReasoningEffort, ReasoningReplay,
    Temperatures, Thinking,
};
use mainstay_dialects::anthropic::{self, AnthropicMessages};

use crate::efforts::{LOW_TO_MAX, NONE_TO_MAX};
use crate::errors::{ErrorBody, Rule, apply, says, unsupported};
use crate::words::{CONTEXT_FULL, LENGTH, PAUSE, REFUSAL, STOP, TOOL_CALL};
use crate::{Auth, Bucket, Provider, Told};

/// Anthropic.
pub(crate) static PROVIDER: Provider = Provider {
    id: "anthropic",
    base_url: "https://api.anthropic.com",
    auth: Auth::Header { name: "x-api-key", env: "ANTHROPIC_API_KEY" },
    upstream: &UPSTREAM,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["request-id"],
};

/// Any server that speaks Anthropic Messages.
pub(crate) static COMPATIBLE: Provider = Provider {
    id: "anthropic-compatible",
    base_url: "",
    auth: Auth::Header { name: "x-api-key", env: "" },
    // Such servers know the version that every client has sent for years, and sign no thinking.
    upstream: &AnthropicMessages {
        version: AnthropicMessages::STANDARD.older_version,
        thinking: |model| if is_claude(model) { thinking(model) } else { anthropic::Thinking::Budget },
        unsigned_thinking: true,
        one_sampling: is_claude,
        ..AnthropicMessages::STANDARD
    },
    choose: |_, _| None,
    finish: FINISH,
    accepts: |model| if is_claude(model) { accepts(model) } else { accepts_elsewhere() },
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["request-id", "x-request-id"],
};

const UPSTREAM: AnthropicMessages = AnthropicMessages { thinking, ..AnthropicMessages::STANDARD };

/// Complete. `compaction` is a beta: the conversation was shortened and the turn goes on.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("end_turn", STOP),
    ("stop_sequence", STOP),
    ("max_tokens", LENGTH),
    ("tool_use", TOOL_CALL),
    ("pause_turn", PAUSE),
    ("compaction", PAUSE),
    ("refusal", REFUSAL),
    ("model_context_window_exceeded", CONTEXT_FULL),
];

static BUCKETS: &[Bucket] = &[
    bucket("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    bucket("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    bucket("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    bucket("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    bucket("anthropic-fast-input-tokens-remaining", "anthropic-fast-input-tokens-reset"),
    bucket("anthropic-fast-output-tokens-remaining", "anthropic-fast-output-tokens-reset"),
    // The buckets of a priority commitment are left out: at zero a call is served at the standard tier.
];

const fn bucket(remaining: &'static str, reset: &'static str) -> Bucket {
    Bucket { remaining, reset }
}

static ERRORS: &[Rule] = &[
    says(&[400, 401, 403], "organization has been disabled", Kind::Permission),
    // The edge refuses the caller's region.
    says(&[403], "request not allowed", Kind::RequestDeclined),
    // A model with a larger output may take it.
    unsupported("maximum allowed number of output tokens", "max_tokens"),
];

fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}

/// What a model takes, by family and version. An unknown name is one of the newest. Sources: the model pages,
/// Adaptive thinking, Effort, Tool use, Vision and PDF support, 2026-11.
fn accepts(model: &str) -> Accepts {
    let version = version(model);
    let always = always_thinks(model, version);
    Accepts {
        alternate_roles: true,
        // Refused, even at default values, from Opus 4.7 on and by all of the fifth generation.
        sampling: version < Version(4, 7),
        temperature: Temperatures::up_to(100),
        penalties: false,
        // Thinking is bound to its place in the conversation and must come back unmodified.
        reasoning_replay: ReasoningReplay::All,
        most_images: Some(if version >= Version(4, 6) { 600 } else { 100 }),
        audio: false,
        files: version >= Version(3, 5),
        // From these on a forced call is an error whatever is said of thinking; before, thinking gives way.
        forced_tools: match (always, version >= Version(5, 1)) {
            (true, true) => ForcedTools::Never,
            (true, false) | (false, _) => ForcedTools::AtRest,
        },
        json_schema: version >= Version(4, 5),
        effort: version >= Version(3, 7),
        efforts: match (version, always) {
            (version, _) if version < Version(4, 6) => &ReasoningEffort::ALL,
            (Version(4, 6), _) => NONE_TO_MAX_BUT_XHIGH,
            (_, true) => LOW_TO_MAX,
            (_, false) => NONE_TO_MAX,
        },
        thinking: match (version >= Version(3, 7), always) {
            (false, _) => Thinking::Never,
            (true, false) => Thinking::Optional,
            (true, true) => Thinking::Always,
        },
        // Deprecated from 4.6 on, refused from 4.7 on.
        budget: (version < Version(4, 7)).then_some(Budget { least: 1024, most: u32::MAX, stops: false }),
        ..Accepts::default()
    }
}

/// The efforts of the first models that are told one.
const NONE_TO_MAX_BUT_XHIGH: &[ReasoningEffort] = &[
    ReasoningEffort::None,
    ReasoningEffort::Low,
    ReasoningEffort::Medium,
    ReasoningEffort::High,
    ReasoningEffort::Max,
];

/// Whether a model refuses to be told not to think: Fable, Mythos, and the large ones from 5.5 on.
fn always_thinks(model: &str, version: Version) -> bool {
    ["fable", "mythos"].iter().any(|family| model.contains(family))
        || (version >= Version(5, 5) && !model.contains("haiku"))
}

/// What another maker's model takes behind a server that speaks as Anthropic does.
fn accepts_elsewhere() -> Accepts {
    Accepts {
        alternate_roles: true,
        temperature: Temperatures::up_to(100),
        reasoning_replay: ReasoningReplay::All,
        audio: false,
        ..Accepts::default()
    }
}

fn is_claude(model: &str) -> bool {
    model.contains("claude")
}

/// Budgets of thinking are deprecated from 4.6 on and refused from 4.7 on; before, there is nothing else.
fn thinking(model: &str) -> anthropic::Thinking {
    if version(model) < Version(4, 6) { anthropic::Thinking::Budget } else { anthropic::Thinking::Adaptive }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

/// The version in a name: `claude-sonnet-4-5-20250929`, `claude-3-5-haiku-latest`, `claude-opus-5`. A date
/// is no version; a name without one is newer than all that are known.
fn version(model: &str) -> Version {
    let mut numbers = model
        .split(['-', '.', '@', ':', '/'])
        .skip_while(|part| !part.starts_with("claude"))
        .skip(1)
        .map(|part| part.parse::<u32>().ok().filter(|_| part.len() <= 2));
    let Some(major) = numbers.by_ref().flatten().next() else {
        return Version(u32::MAX, 0);
    };
    Version(major, numbers.next().flatten().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_out_of_every_spelling() {
        for (model, expected) in [
            ("claude-3-haiku-20240307", Version(3, 0)),
            ("claude-3-5-haiku-latest", Version(3, 5)),
            ("claude-sonnet-4-20250514", Version(4, 0)),
            ("claude-sonnet-4-5-20250929", Version(4, 5)),
            ("claude-opus-4.7", Version(4, 7)),
            ("claude-opus-5", Version(5, 0)),
            ("claude-fable-5-1", Version(5, 1)),
            ("anthropic/claude-haiku-4-5", Version(4, 5)),
            ("claude-opus-4-6@20260205", Version(4, 6)),
            ("claude-next", Version(u32::MAX, 0)),
            ("MiniMax-M3", Version(u32::MAX, 0)),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }

    #[test]
    fn newer_models_refuse_sampling_and_budgets() {
        for model in [
            "claude-opus-4-7",
            "claude-opus-4-8",
            "claude-sonnet-5",
            "claude-haiku-5-5",
            "claude-fable-5",
            "claude-mythos-5-1",
        ] {
            assert!(!accepts(model).sampling, "{model}");
            assert_eq!(thinking(model), anthropic::Thinking::Adaptive, "{model}");
        }
        for model in ["claude-haiku-4-5", "claude-opus-4-5-20251101", "claude-3-7-sonnet-20250219"] {
            assert!(accepts(model).sampling && accepts(model).effort, "{model}");
            assert_eq!(thinking(model), anthropic::Thinking::Budget, "{model}");
        }
        assert!(accepts("claude-sonnet-4-6").sampling);
        assert_eq!(thinking("claude-sonnet-4-6"), anthropic::Thinking::Adaptive);
    }

    #[test]
    fn another_makers_model_takes_what_is_usual_there() {
        assert!((COMPATIBLE.accepts)("MiniMax-M3").sampling);
        assert!(!(COMPATIBLE.accepts)("claude-opus-5-5").sampling);
    }

    #[test]
    fn oldest_models_neither_think_nor_hold_to_a_schema() {
        let oldest = accepts("claude-3-5-haiku-20241022");
        assert!(!oldest.effort && !oldest.json_schema && oldest.tools);
    }
}
