//! How much to think, how to sample, and the API version that follows from both.
//!
//! Source: Anthropic API reference, Adaptive thinking, Effort and Versions, 2026-11. What a model accepts comes
//! in from outside.

use mainstay_canon::{ChatRequest, ReasoningEffort, ResponseFormat, ToolChoice};
use serde::Serialize;

use super::parts::Notes;
use crate::Call;

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
    let says_itself =
        is_own && ["thinking", "output_config"].iter().any(|name| request.extra.get(name).is_some());
    if let Some(effort) = request.reasoning_effort.filter(|_| !says_itself) {
        if call.accepts.effort {
            think(&mut plan, effort, style, max_tokens, is_forced(request), notes);
        } else {
            notes.add("reasoning_effort is left out: the model takes none");
        }
    }
    sample(&mut plan, request, call, is_own, notes);
    plan
}

fn think(
    plan: &mut Plan,
    effort: ReasoningEffort,
    style: Thinking,
    max_tokens: u32,
    is_forced: bool,
    notes: &mut Notes,
) {
    let Some(word) = word(effort, notes) else {
        plan.thinking = Some(ThinkingMember::Disabled);
        return;
    };
    match style {
        Thinking::Adaptive => {
            plan.effort = Some(word);
            plan.thinking = Some(ThinkingMember::Adaptive);
        }
        Thinking::Budget => match budget(effort, max_tokens) {
            Some(budget_tokens) => plan.thinking = Some(ThinkingMember::Enabled { budget_tokens }),
            None => notes.add("reasoning_effort is left out: max_tokens leaves no room for thinking"),
        },
    }
    if is_forced && plan.thinking.take().is_some() {
        // The API refuses a forced call together with thinking.
        notes.add("thinking is left out: a tool call is forced");
    }
}

/// The word for an effort; nothing for none at all.
fn word(effort: ReasoningEffort, notes: &mut Notes) -> Option<&'static str> {
    Some(match effort {
        ReasoningEffort::None => return None,
        ReasoningEffort::Minimal => {
            notes.add("reasoning_effort minimal is sent as low");
            "low"
        }
        ReasoningEffort::Low => "low",
        ReasoningEffort::Medium => "medium",
        ReasoningEffort::High => "high",
        ReasoningEffort::Xhigh => "xhigh",
        ReasoningEffort::Max => "max",
    })
}

/// A budget for thinking, in tokens, that leaves a fifth of the limit for the answer.
fn budget(effort: ReasoningEffort, max_tokens: u32) -> Option<u32> {
    let wanted = match effort {
        ReasoningEffort::None => return None,
        ReasoningEffort::Minimal => LEAST_BUDGET,
        ReasoningEffort::Low => 2048,
        ReasoningEffort::Medium => 8192,
        ReasoningEffort::High => 16_384,
        ReasoningEffort::Xhigh | ReasoningEffort::Max => 32_768,
    };
    let room = max_tokens - max_tokens / 5;
    Some(wanted.min(room)).filter(|&budget| budget >= LEAST_BUDGET && budget < max_tokens)
}

fn sample(plan: &mut Plan, request: &ChatRequest, call: &Call<'_>, is_own: bool, notes: &mut Notes) {
    if request.temperature.is_none() && request.top_p.is_none() {
        return;
    }
    if !call.accepts.sampling {
        notes.add("temperature and top_p are left out: the model takes none");
        return;
    }
    let thinks = matches!(plan.thinking, Some(ThinkingMember::Adaptive | ThinkingMember::Enabled { .. }));
    if thinks {
        // The API takes them only at their defaults while the model thinks.
        notes.add("temperature and top_p are left out: they do not go with thinking");
        return;
    }
    plan.temperature = request.temperature;
    plan.top_p = request.top_p;
    if let Some(hot) = request.temperature.filter(|&temperature| temperature > 1.0 && !is_own) {
        notes.add(format!("temperature {hot} is sent as 1, the highest here"));
        plan.temperature = Some(1.0);
    }
}

fn is_forced(request: &ChatRequest) -> bool {
    match &request.tool_choice {
        Some(ToolChoice::Required | ToolChoice::Named(_)) => true,
        Some(ToolChoice::Auto | ToolChoice::None) | None => false,
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
