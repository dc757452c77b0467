//! A caller's messages: one on the wire may be several canonical ones, since results of tools stand inside the
//! user's message here.
//!
//! Source: Anthropic API reference, Messages and Tool use, 2026-11. A block that has no canonical name is kept
//! whole and in place.

use mainstay_canon::{
    ChatMessage, Content, ContentPart, Dialect, Extra, Media, MediaSource, Role, ToolCall, Verbatim,
};
use serde_json::value::RawValue;

use super::fault::{Fault, boolean, each, object, optional, required, string};
use super::json::{JsonKind, Object, keep, kind};
use super::wire::{arguments, returnable};
use crate::envelope::{Opened, open};
use crate::paths::beneath;

/// Reads one message.
pub(super) fn message(raw: &RawValue) -> Result<Vec<ChatMessage>, Fault> {
    let members = object(raw)?;
    let role = required(&members, "role", string)?;
    let extra = members.rest(&["role", "content"]);
    match role.as_str() {
        "user" => Ok(user(required(&members, "content", content)?, extra)),
        "assistant" => {
            let mut message = required(&members, "content", assistant)?;
            message.extra = extra;
            Ok(vec![message])
        }
        "system" => {
            let content = required(&members, "content", parts)?;
            Ok(vec![ChatMessage { content, extra, ..ChatMessage::empty(Role::System) }])
        }
        _ => Err(Fault::word("user, assistant or system", &role).within("role")),
    }
}

/// What a list of blocks holds.
enum Piece {
    Part(ContentPart),
    Result(Box<ChatMessage>),
}

fn user(pieces: Vec<Piece>, extra: Extra) -> Vec<ChatMessage> {
    let mut messages = Vec::new();
    let mut said = ChatMessage { extra, ..ChatMessage::empty(Role::User) };
    for piece in pieces {
        match piece {
            Piece::Part(part) => said.content.push(part),
            Piece::Result(result) => messages.push(*result),
        }
    }
    if !said.content.is_empty() || !said.extra.is_empty() || messages.is_empty() {
        messages.push(said);
    }
    messages
}

/// `content` of a user message.
fn content(raw: &RawValue) -> Result<Vec<Piece>, Fault> {
    match kind(raw) {
        JsonKind::String => Ok(vec![Piece::Part(ContentPart::text(string(raw)?))]),
        JsonKind::Array => each(raw, |raw| {
            let block = object(raw)?;
            if required(&block, "type", string)? == "tool_result" {
                return Ok(Piece::Result(Box::new(tool_result(&block)?)));
            }
            part(raw, &block).map(Piece::Part)
        }),
        JsonKind::Null | JsonKind::Boolean | JsonKind::Number | JsonKind::Object => Err(not_content(raw)),
    }
}

fn not_content(raw: &RawValue) -> Fault {
    Fault::expected("a string or an array of blocks", raw)
}

/// A text or a list of blocks none of which is a message of its own.
pub(super) fn parts(raw: &RawValue) -> Result<Vec<ContentPart>, Fault> {
    match kind(raw) {
        JsonKind::String => Ok(vec![ContentPart::text(string(raw)?)]),
        JsonKind::Array => each(raw, |raw| part(raw, &object(raw)?)),
        JsonKind::Null | JsonKind::Boolean | JsonKind::Number | JsonKind::Object => Err(not_content(raw)),
    }
}

fn tool_result(block: &Object<'_>) -> Result<ChatMessage, Fault> {
    Ok(ChatMessage {
        tool_call_id: Some(required(block, "tool_use_id", string)?),
        content: optional(block, "content", parts)?.unwrap_or_default(),
        tool_error: optional(block, "is_error", boolean)?.unwrap_or_default(),
        extra: block.rest(&["type", "tool_use_id", "content", "is_error"]),
        ..ChatMessage::empty(Role::Tool)
    })
}

fn part(raw: &RawValue, block: &Object<'_>) -> Result<ContentPart, Fault> {
    let word = required(block, "type", string)?;
    let part = match word.as_str() {
        "text" => {
            let text = required(block, "text", string)?;
            return Ok(ContentPart { content: Content::Text(text), extra: block.rest(&["type", "text"]) });
        }
        "image" => {
            let extra = extra(block, &["type", "source"]);
            media(block)?.map(|media| ContentPart { content: Content::Image(media), extra })
        }
        "document" => {
            let extra = extra(block, &["type", "source", "title"]);
            let title = optional(block, "title", string)?;
            media(block)?
                .map(|media| ContentPart { content: Content::File(Media { name: title, ..media }), extra })
        }
        _ => None,
    };
    Ok(part.unwrap_or_else(|| native(word, raw)))
}

/// Before the names of members of a source that has members without a canonical name.
pub(super) const SOURCE: &str = "source.";

/// The members of a medium that have no canonical name, those of its source under their path.
fn extra(block: &Object<'_>, known: &[&str]) -> Extra {
    let of_block = block.rest(known);
    let of_source = block.object("source").unwrap_or_default();
    let of_source = of_source.rest(&["type", "media_type", "data", "url", "file_id"]);
    let of_block = of_block.iter().map(|(name, raw)| (beneath("", name), raw.clone()));
    of_block.chain(of_source.iter().map(|(name, raw)| (beneath(SOURCE, name), raw.clone()))).collect()
}

fn native(kind: String, raw: &RawValue) -> ContentPart {
    let content = Content::Native { dialect: Dialect::Anthropic, kind, raw: keep(raw) };
    ContentPart { content, extra: Extra::new() }
}

/// The medium that a block holds; nothing for a source that only this dialect knows, such as a text document.
fn media(block: &Object<'_>) -> Result<Option<Media>, Fault> {
    let source = required(block, "source", object)?;
    let within = |fault: Fault| fault.within("source");
    let word = required(&source, "type", string).map_err(within)?;
    let member = |name: &str| required(&source, name, string).map_err(within);
    let (mime, source) = match word.as_str() {
        "base64" => {
            let mime = optional(&source, "media_type", string).map_err(within)?;
            (mime, MediaSource::Base64(member("data")?))
        }
        "url" => (None, MediaSource::Url(member("url")?)),
        "file" => (None, MediaSource::FileId(member("file_id")?)),
        _ => return Ok(None),
    };
    Ok(Some(Media { mime, name: None, source }))
}

/// Where a block of the model stands in the order in which canonical fields are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Said,
    Called,
}

/// `content` of an assistant message. It is kept as it came wherever its blocks or their order say more than the
/// canonical fields.
fn assistant(raw: &RawValue) -> Result<ChatMessage, Fault> {
    let mut message = ChatMessage::empty(Role::Assistant);
    if kind(raw) != JsonKind::Array {
        message.content = parts(raw)?;
        return Ok(message);
    }
    let mut latest = Place::Said;
    let mut is_plain = true;
    each(raw, |raw| {
        let block = object(raw)?;
        let word = required(&block, "type", string)?;
        let place = match word.as_str() {
            "thinking" => {
                let text = optional(&block, "thinking", string)?.unwrap_or_default();
                if !text.is_empty() {
                    message.reasoning_content.get_or_insert_default().push_str(&text);
                }
                message.reasoning_blocks.push(returnable(keep(raw)));
                is_plain = false;
                Place::Said
            }
            "redacted_thinking" => {
                let data = optional(&block, "data", string)?.unwrap_or_default();
                message.reasoning_blocks.extend(match open(&data) {
                    Opened::Block(block) => Some(block),
                    Opened::Empty => None,
                    Opened::Foreign => Some(returnable(keep(raw))),
                });
                is_plain = false;
                Place::Said
            }
            "tool_use" => {
                message.tool_calls.push(tool_use(&block)?);
                Place::Called
            }
            _ => {
                let part = part(raw, &block)?;
                is_plain &= part.as_text().is_some();
                message.content.push(part);
                Place::Said
            }
        };
        is_plain &= latest <= place;
        latest = place;
        Ok(())
    })?;
    if !is_plain {
        message.verbatim = Some(Verbatim { dialect: Dialect::Anthropic, content: keep(raw) });
    }
    Ok(message)
}

fn tool_use(block: &Object<'_>) -> Result<ToolCall, Fault> {
    Ok(ToolCall {
        id: required(block, "id", string)?,
        name: required(block, "name", string)?,
        arguments: arguments(block.get("input")),
        extra: block.rest(&["type", "id", "name", "input"]),
    })
}
