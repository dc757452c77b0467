//! A caller's request: the members of the body around the conversation.
//!
//! Source: Anthropic API reference, Messages, 2026-11. `max_tokens`, which the API demands, may be missing here:
//! a token count has none, and the budget states one where a caller does not. What has no canonical name is kept
//! as it stood.

use std::borrow::Cow;

use mainstay_canon::{
    ChatMessage, ChatRequest, ContentPart, Dialect, Extra, Failure, RawJson, Role, Tool, ToolChoice,
};
use serde_json::value::RawValue;

use super::effort_read::{read_format, read_reasoning};
use super::fault::{Fault, boolean, each, number, object, optional, required, string, tokens};
use super::json::{JsonKind, Object, keep, kind};
use super::message_read::{message, parts};
use super::request_write::BETA_HEADER;
use crate::Received;
use crate::paths::beneath;

/// The name under which it is noted that a caller takes sealed reasoning.
pub(super) const TAKES_SEALED: &str = "takes_sealed";

/// Members that are read here.
const KNOWN: [&str; 13] = [
    "model",
    "messages",
    "system",
    "max_tokens",
    "temperature",
    "top_p",
    "stop_sequences",
    "stream",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "metadata",
];

/// Reads a body.
pub(super) fn read(body: &[u8]) -> Result<Received, Failure> {
    let body = std::str::from_utf8(body).map_err(|_| Fault::new("the body is not UTF-8").failure())?;
    let body = Object::parse(body)
        .map_err(|error| Fault::new(format!("the body is not a JSON object: {error}")).failure())?;
    let request = request(&body).map_err(Fault::failure)?;
    let echo = if handles_blocks(&body, &request) { marked() } else { Extra::new() };
    Ok(Received { request, include_usage: true, echo })
}

/// Whether the caller goes through an answer block by block: one that asks for thinking or offers tools. Any other
/// may take the first block for the text.
fn handles_blocks(body: &Object<'_>, request: &ChatRequest) -> bool {
    let thinking = body.object("thinking").and_then(|thinking| thinking.text("type").map(Cow::into_owned));
    !request.tools.is_empty() || thinking.is_some_and(|kind| kind != "disabled")
}

/// What tells the writers of the reply so.
fn marked() -> Extra {
    RawJson::of(&true).ok().map(|raw| (TAKES_SEALED.to_owned(), raw)).into_iter().collect()
}

/// The caller's own members, told apart from what stands for a header.
fn literal(members: &Extra) -> Extra {
    let name = |name: &str| if name == BETA_HEADER { format!("\\{name}") } else { beneath("", name) };
    members.iter().map(|(known, raw)| (name(known), raw.clone())).collect()
}

fn request(body: &Object<'_>) -> Result<ChatRequest, Fault> {
    let mut request = ChatRequest {
        model_hint: Some(required(body, "model", string)?),
        max_tokens: optional(body, "max_tokens", tokens)?,
        temperature: optional(body, "temperature", number)?,
        top_p: optional(body, "top_p", number)?,
        stop: optional(body, "stop_sequences", |raw| each(raw, string))?.unwrap_or_default(),
        stream: optional(body, "stream", boolean)?.unwrap_or_default(),
        tools: optional(body, "tools", |raw| each(raw, tool))?.unwrap_or_default(),
        origin: Some(Dialect::Anthropic),
        extra: literal(&body.rest(&KNOWN)),
        ..ChatRequest::default()
    };
    if let Some(content) = optional(body, "system", system)? {
        request.messages.push(ChatMessage { content, ..ChatMessage::empty(Role::System) });
    }
    for messages in required(body, "messages", |raw| each(raw, message))? {
        request.messages.extend(messages);
    }
    if request.messages.iter().all(|message| message.role == Role::System) {
        return Err(Fault::new("at least one message is required").within("messages"));
    }
    optional(body, "tool_choice", |raw| tool_choice(raw, &mut request))?;
    optional(body, "metadata", |raw| metadata(raw, &mut request))?;
    read_reasoning(body, &mut request)?;
    read_format(body, &mut request);
    Ok(request)
}

/// `system`: a text or a list of texts.
fn system(raw: &RawValue) -> Result<Vec<ContentPart>, Fault> {
    match kind(raw) {
        JsonKind::String => {
            let text = string(raw)?;
            Ok(if text.is_empty() { Vec::new() } else { vec![ContentPart::text(text)] })
        }
        JsonKind::Array => parts(raw),
        JsonKind::Null | JsonKind::Boolean | JsonKind::Number | JsonKind::Object => {
            Err(Fault::expected("a string or an array of text blocks", raw))
        }
    }
}

fn tool(raw: &RawValue) -> Result<Tool, Fault> {
    let members = object(raw)?;
    let kind = optional(&members, "type", string)?;
    if let Some(kind) = kind.filter(|kind| kind != "custom") {
        let name = optional(&members, "name", string)?.unwrap_or(kind);
        return Ok(Tool {
            name,
            description: None,
            parameters: None,
            strict: None,
            extra: Extra::new(),
            native: Some(keep(raw)),
        });
    }
    let schema = |raw| object(raw).map(|_| keep(raw));
    Ok(Tool {
        name: required(&members, "name", string)?,
        description: optional(&members, "description", string)?,
        parameters: optional(&members, "input_schema", schema)?,
        strict: optional(&members, "strict", boolean)?,
        extra: members.rest(&["type", "name", "description", "input_schema", "strict"]),
        native: None,
    })
}

fn tool_choice(raw: &RawValue, request: &mut ChatRequest) -> Result<(), Fault> {
    let members = object(raw)?;
    let word = required(&members, "type", string)?;
    request.tool_choice = Some(match word.as_str() {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(required(&members, "name", string)?),
        _ => return Err(Fault::word("auto, any, tool or none", &word).within("type")),
    });
    request.parallel_tool_calls =
        optional(&members, "disable_parallel_tool_use", boolean)?.map(|alone| !alone);
    if !members.rest(&["type", "name", "disable_parallel_tool_use"]).is_empty() {
        request.extra.insert("tool_choice", keep(raw));
    }
    Ok(())
}

fn metadata(raw: &RawValue, request: &mut ChatRequest) -> Result<(), Fault> {
    let members = object(raw)?;
    request.meta.user_id = optional(&members, "user_id", string)?;
    // Kept whole, so that an upstream of another dialect says what it leaves out.
    if members.iter().next().is_some() {
        request.extra.insert("metadata", keep(raw));
    }
    Ok(())
}
