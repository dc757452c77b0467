//! How much a caller wants thought, and in what form: `thinking`, `output_config` and the older `output_format`.
//!
//! Source: Anthropic API reference, Adaptive thinking, Effort and Structured outputs, 2026-11. What the canonical
//! fields say fully is said by them alone; anything more is kept as it stood, and the fields say what they can to
//! other dialects.

use mainstay_canon::{ChatRequest, Extra, ReasoningEffort, ResponseFormat};
use serde_json::value::RawValue;

use super::fault::{Fault, object, optional, string};
use super::json::{JsonKind, Object, keep, kept, kind};

/// Reads how much is to be thought.
pub(super) fn read_reasoning(body: &Object<'_>, request: &mut ChatRequest) -> Result<(), Fault> {
    let thinking = optional(body, "thinking", object)?;
    let config = optional(body, "output_config", object)?.unwrap_or_default();
    let effort = optional(&config, "effort", string).map_err(|fault| fault.within("output_config"))?;
    let effort = effort.as_deref().and_then(ReasoningEffort::from_word);
    request.reasoning_effort = effort.or_else(|| thinking.as_ref().and_then(stated_effort));

    let config = without_format(&config);
    if says_all(request.reasoning_effort, thinking.as_ref(), &config) {
        return Ok(());
    }
    if let Some(raw) = body.get("thinking") {
        request.extra.insert("thinking", keep(raw));
    }
    if !config.is_empty() {
        request.extra.insert("output_config", kept(&config));
    }
    Ok(())
}

/// Reads the schema of the answer.
pub(super) fn read_format(body: &Object<'_>, request: &mut ChatRequest) {
    let config = body.object("output_config");
    let format =
        config.as_ref().and_then(|config| config.object("format")).or_else(|| body.object("output_format"));
    if let Some(schema) = format.as_ref().and_then(schema) {
        // The dialect names no schema, others want a name.
        let name = "answer".to_owned();
        request.response_format = ResponseFormat::JsonSchema { name, schema: keep(schema), strict: None };
    }
}

fn schema<'a>(format: &Object<'a>) -> Option<&'a RawValue> {
    format.get("schema").filter(|raw| kind(raw) == JsonKind::Object)
}

/// What `output_config` says beside a format that its schema says fully.
fn without_format(config: &Object<'_>) -> Extra {
    let is_said = config
        .object("format")
        .is_some_and(|format| schema(&format).is_some() && format.rest(&["type", "schema"]).is_empty());
    config.rest(if is_said { &["format"] } else { &[] })
}

/// Whether the canonical effort alone leads to the very same members again.
fn says_all(effort: Option<ReasoningEffort>, thinking: Option<&Object<'_>>, config: &Extra) -> bool {
    let Some(thinking) = thinking.filter(|thinking| thinking.rest(&["type"]).is_empty()) else {
        return false;
    };
    match (thinking.text("type").as_deref(), effort) {
        (Some("disabled"), Some(ReasoningEffort::None)) => config.is_empty(),
        (Some("adaptive"), Some(effort)) => effort >= ReasoningEffort::Low && config.names().eq(["effort"]),
        (Some(_) | None, Some(_) | None) => false,
    }
}

/// The effort that a thinking budget comes close to.
fn stated_effort(thinking: &Object<'_>) -> Option<ReasoningEffort> {
    match thinking.text("type").as_deref() {
        Some("disabled") => Some(ReasoningEffort::None),
        Some("enabled") => Some(match thinking.count("budget_tokens") {
            Some(0..=2048) => ReasoningEffort::Low,
            Some(2049..=8192) | None => ReasoningEffort::Medium,
            Some(_) => ReasoningEffort::High,
        }),
        Some(_) | None => None,
    }
}
