//! How much to think, how to sample, and the API version that follows from both.
//!
//! Source: Anthropic API reference, Adaptive thinking, Effort and Versions, 2026-11. What a model accepts comes
//! in from outside.

use mainstay_canon::{Budget, ChatRequest, RawJson, ReasoningEffort, ResponseFormat, Temperatures};
use serde::Serialize;

use super::json::{Object, raw};
use super::parts::Notes;
use crate::{Call, limits};

/// How a model is told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// `thinking: {type: "adaptive"}` and `output_config.effort` (Opus 4.6 and later).
    Adaptive,
    /// `thinking: {type: "enabled", budget_tokens}` (4.x models up to Opus 4.5, Sonnet 4.5 and Haiku 4.5).
    Budget,
}

/// The `thinking` member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ThinkingMember {
    Adaptive,
    Enabled { budget_tokens: u32 },
    Disabled,
}

/// What is sent of all this.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) thinking: Option<ThinkingMember>,
    pub(super) effort: Option<&'static str>,
    pub(super) temperature: Option<f64>,
    pub(super) top_p: Option<f64>,
}

/// Least budget that the API takes, in tokens.
pub(super) const LEAST_BUDGET: u32 = 1024;

/// Whether a `thinking` member that the caller wrote itself is one that the model takes. Where not, it is left to
/// the effort that it comes near.
pub(super) fn is_taken(stated: &RawJson, call: &Call<'_>) -> bool {
    let word =
        raw(stated).and_then(Object::of).and_then(|thinking| thinking.text("type").map(Into::<String>::into));
    match word.as_deref() {
        Some("disabled") => call.accepts.thinking != mainstay_canon::Thinking::Always,
        Some("enabled") => call.accepts.budget.is_some(),
        // Any other word is for the provider to judge.
        Some(_) | None => true,
    }
}

/// The highest temperature of the API, in hundredths.
const HOTTEST: u16 = 100;

/// Decides what is sent.
pub(super) fn plan(
    request: &ChatRequest,
    call: &Call<'_>,
    style: Thinking,
    max_tokens: u32,
    is_own: bool,
    notes: &mut Notes,
) -> Plan {
    let mut plan = Plan::default();
    let own = |name: &str| request.extra.get(name).filter(|_| is_own);
    let is_refused = own("thinking").is_some_and(|stated| !is_taken(stated, call));
    let says_itself = !is_refused && ["thinking", "output_config"].iter().any(|name| own(name).is_some());
    if let Some(effort) = request.reasoning_effort.filter(|_| !says_itself) {
        match limits::effort(call.accepts, effort) {
            Some((sent, note)) => {
                if let Some(note) = note {
                    notes.add(note);
                }
                think(&mut plan, sent, style, max_tokens, call, notes);
                if limits::is_forced(request) && plan.thinks() {
                    // The API refuses a forced call together with thinking.
                    plan.thinking = None;
                    notes.add("thinking is left out: a tool call is forced");
                }
            }
            None if effort == ReasoningEffort::None => {}
            None => notes.add("reasoning_effort is left out: the model takes none"),
        }
    }
    sample(&mut plan, request, call, is_own, notes);
    plan
}

impl Plan {
    fn thinks(&self) -> bool {
        matches!(self.thinking, Some(ThinkingMember::Adaptive | ThinkingMember::Enabled { .. }))
    }
}

fn think(
    plan: &mut Plan,
    effort: ReasoningEffort,
    style: Thinking,
    max_tokens: u32,
    call: &Call<'_>,
    notes: &mut Notes,
) {
    let Some(word) = word(effort) else {
        plan.thinking = Some(ThinkingMember::Disabled);
        return;
    };
    match style {
        Thinking::Adaptive => {
            if effort.word() != word {
                notes.add(format!("reasoning_effort {} is sent as {word}", effort.word()));
            }
            plan.effort = Some(word);
            plan.thinking = Some(ThinkingMember::Adaptive);
        }
        Thinking::Budget => match budget(effort, max_tokens, call.accepts.budget.unwrap_or(Budget::ANY)) {
            Some(budget_tokens) => plan.thinking = Some(ThinkingMember::Enabled { budget_tokens }),
            None => notes.add("reasoning_effort is left out: max_tokens leaves no room for thinking"),
        },
    }
}

/// The word for an effort; nothing for none at all.
const fn word(effort: ReasoningEffort) -> Option<&'static str> {
    Some(match effort {
        ReasoningEffort::None => return None,
        // The API has no lower word.
        ReasoningEffort::Minimal | ReasoningEffort::Low => "low",
        ReasoningEffort::Medium => "medium",
        ReasoningEffort::High => "high",
        ReasoningEffort::Xhigh => "xhigh",
        ReasoningEffort::Max => "max",
    })
}

/// A budget for thinking, in tokens, that leaves a fifth of the limit for the answer.
fn budget(effort: ReasoningEffort, max_tokens: u32, taken: Budget) -> Option<u32> {
    let wanted = match effort {
        ReasoningEffort::None => return None,
        ReasoningEffort::Minimal => LEAST_BUDGET,
        ReasoningEffort::Low => 2048,
        ReasoningEffort::Medium => 8192,
        ReasoningEffort::High => 16_384,
        ReasoningEffort::Xhigh | ReasoningEffort::Max => 32_768,
    };
    let room = max_tokens - max_tokens / 5;
    let budget = wanted.min(room).min(taken.most);
    Some(budget).filter(|&budget| budget >= taken.least.max(LEAST_BUDGET) && budget < max_tokens)
}

fn sample(plan: &mut Plan, request: &ChatRequest, call: &Call<'_>, is_own: bool, notes: &mut Notes) {
    if request.temperature.is_none() && request.top_p.is_none() {
        return;
    }
    if !call.accepts.samples(request.reasoning_effort) {
        notes.add("temperature and top_p are left out: the model takes none");
        return;
    }
    if plan.thinks() {
        // The API takes them only at their defaults while the model thinks.
        notes.add("temperature and top_p are left out: they do not go with thinking");
        return;
    }
    plan.temperature = request.temperature;
    plan.top_p = request.top_p;
    // A caller of this dialect is told by the provider itself what is out of range.
    if let Some(wanted) = request.temperature.filter(|_| !is_own) {
        let taken = call.accepts.temperature;
        let taken = Temperatures { most: taken.most.min(HOTTEST), ..taken };
        let (sent, note) = limits::temperature(taken, wanted);
        if let Some(note) = note {
            notes.add(note);
        }
        plan.temperature = Some(sent);
    }
}

/// The schema that is sent, if one is asked for and taken.
pub(super) fn schema<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    notes: &mut Notes,
) -> Option<&'a mainstay_canon::RawJson> {
    match &request.response_format {
        ResponseFormat::Text => None,
        ResponseFormat::Json => {
            notes.add("response_format json is left out: this dialect has schemas only");
            None
        }
        ResponseFormat::JsonSchema { .. } if !call.accepts.json_schema => {
            notes.add("response_format json_schema is left out: the model takes none");
            None
        }
        ResponseFormat::JsonSchema { schema, .. } => Some(schema),
    }
}
