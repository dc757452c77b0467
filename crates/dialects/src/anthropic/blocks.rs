//! One block of a streamed reply, from its start event to its stop event.
//!
//! Text and arguments flow on as they come. What must go back to the provider unchanged (thinking with its
//! signature, server tools and their results) is put together here and handed on whole. Knows nothing of the
//! events around a block.

use std::borrow::Cow;

use mainstay_canon::{Extra, Failure, Kind, RawJson, WireEvent};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::{Object, keep, kept, raw, text};
use super::wire::{Block, arguments, is_blank, returnable};

/// Most members that deltas may add to one block.
const ADDED: usize = 64;

/// A block that has begun and not stopped.
#[derive(Debug)]
pub(super) enum OpenBlock {
    /// Text needs no memory.
    Text,
    /// Thinking, put together to be handed back.
    Thinking(Thinking),
    /// A block that says everything at its start and takes no deltas.
    Whole(RawJson),
    /// A tool call: its number, the input of its start event, whether a piece of arguments came since.
    Call { index: usize, input: Option<String>, said: bool },
    /// A block without a canonical name.
    Opaque(Opaque),
}

/// A thinking block in the making.
#[derive(Debug)]
pub(super) struct Thinking {
    text: String,
    signature: Option<String>,
    extra: Extra,
}

/// A block without a canonical name in the making.
#[derive(Debug)]
pub(super) struct Opaque {
    start: RawJson,
    /// Pieces of its `input`, as JSON text.
    input: String,
    /// Members that deltas added: texts are joined, anything else replaces.
    added: Vec<(String, Added)>,
}

#[derive(Debug)]
enum Added {
    Text(String),
    Value(RawJson),
}

impl OpenBlock {
    /// Begins a block. `calls` is how many tool calls began before.
    pub(super) fn start(
        block: Block<'_>,
        object: &Object<'_>,
        calls: usize,
        out: &mut Vec<WireEvent>,
    ) -> Self {
        match block {
            Block::Text { text, .. } => {
                say(text, WireEvent::Text, out);
                Self::Text
            }
            Block::Thinking { text } => {
                say(text.clone(), WireEvent::Reasoning, out);
                Self::Thinking(Thinking {
                    text,
                    signature: object.text("signature").map(Cow::into_owned),
                    extra: object.rest(&["type", "thinking", "signature"]),
                })
            }
            Block::Redacted => Self::Whole(kept(object)),
            Block::ToolUse { id, name, input, extra } => {
                out.push(WireEvent::ToolStart { index: calls, id, name, extra });
                let input = (!is_blank(input)).then(|| arguments(input));
                Self::Call { index: calls, input, said: false }
            }
            Block::Opaque => {
                Self::Opaque(Opaque { start: kept(object), input: String::new(), added: Vec::new() })
            }
        }
    }

    /// Bytes that the start of the block makes us keep.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Text => 0,
            Self::Thinking(thinking) => thinking.text.len(),
            Self::Whole(raw) => raw.text().len(),
            Self::Call { input, .. } => input.as_ref().map_or(0, String::len),
            Self::Opaque(opaque) => opaque.start.text().len(),
        }
    }

    /// Takes a delta; hands on what flows. Gives back how many bytes it made us keep.
    pub(super) fn take(&mut self, delta: Delta<'_>, out: &mut Vec<WireEvent>) -> usize {
        match (self, delta) {
            (Self::Thinking(thinking), Delta::Thinking(piece)) => {
                thinking.text.push_str(&piece);
                let length = piece.len();
                say(piece, WireEvent::Reasoning, out);
                length
            }
            (Self::Thinking(thinking), Delta::Signature(piece)) => {
                let length = piece.len();
                thinking.signature.get_or_insert_default().push_str(&piece);
                out.push(WireEvent::KeepAlive);
                length
            }
            (Self::Call { index, said, .. }, Delta::Json(piece)) => {
                if !piece.is_empty() {
                    *said = true;
                    out.push(WireEvent::ToolArguments { index: *index, delta: piece });
                }
                0
            }
            (Self::Opaque(opaque), delta) => {
                out.push(WireEvent::KeepAlive);
                opaque.take(delta)
            }
            (_, Delta::Text(piece)) => {
                say(piece, WireEvent::Text, out);
                0
            }
            (_, Delta::Thinking(piece)) => {
                say(piece, WireEvent::Reasoning, out);
                0
            }
            // Citations, which the content keeps, and deltas that were invented after this was written.
            (_, Delta::Signature(_) | Delta::Json(_) | Delta::Other(_)) => {
                out.push(WireEvent::KeepAlive);
                0
            }
        }
    }

    /// Ends the block. Gives back the number of a tool call that is still to be ended because no arguments
    /// came: whether it takes none or was cut is not known yet.
    pub(super) fn stop(self, out: &mut Vec<WireEvent>) -> Option<usize> {
        match self {
            Self::Text => None,
            Self::Thinking(thinking) => {
                out.push(WireEvent::ReasoningBlock(returnable(kept(&thinking))));
                None
            }
            Self::Whole(raw) => {
                out.push(WireEvent::ReasoningBlock(returnable(raw)));
                None
            }
            Self::Call { index, input: None, said: false } => Some(index),
            Self::Call { index, input, said } => {
                if let Some(delta) = input.filter(|_| !said) {
                    out.push(WireEvent::ToolArguments { index, delta });
                }
                out.push(WireEvent::ToolEnd { index });
                None
            }
            Self::Opaque(opaque) => {
                out.push(WireEvent::ReasoningBlock(returnable(opaque.whole())));
                None
            }
        }
    }
}

/// One delta.
#[derive(Debug)]
pub(super) enum Delta<'a> {
    Text(String),
    Thinking(String),
    Signature(String),
    Json(String),
    /// A delta without a canonical name, such as `citations_delta` and `compaction_delta`.
    Other(Object<'a>),
}

impl<'a> Delta<'a> {
    /// Reads a delta.
    pub(super) fn of(object: Object<'a>) -> Self {
        let text = |name| object.text(name).unwrap_or_default().into_owned();
        match object.text("type").as_deref() {
            Some("text_delta") => Self::Text(text("text")),
            Some("thinking_delta") => Self::Thinking(text("thinking")),
            Some("signature_delta") => Self::Signature(text("signature")),
            Some("input_json_delta") => Self::Json(text("partial_json")),
            Some(_) | None => Self::Other(object),
        }
    }

    /// Reads a delta whose block never began, as some servers send text.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for arguments that belong to no call.
    pub(super) fn alone(self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        match self {
            Self::Text(piece) => say(piece, WireEvent::Text, out),
            Self::Thinking(piece) => say(piece, WireEvent::Reasoning, out),
            Self::Json(piece) if !piece.is_empty() => {
                return Err(Failure::new(
                    Kind::InvalidResponse,
                    "the stream holds arguments that belong to no tool call",
                ));
            }
            Self::Json(_) | Self::Signature(_) | Self::Other(_) => out.push(WireEvent::KeepAlive),
        }
        Ok(())
    }
}

fn say(text: String, event: fn(String) -> WireEvent, out: &mut Vec<WireEvent>) {
    if !text.is_empty() {
        out.push(event(text));
    }
}

impl Opaque {
    fn take(&mut self, delta: Delta<'_>) -> usize {
        match delta {
            Delta::Json(piece) => {
                self.input.push_str(&piece);
                piece.len()
            }
            Delta::Text(piece) => self.join("text", piece),
            Delta::Thinking(piece) => self.join("thinking", piece),
            Delta::Signature(piece) => self.join("signature", piece),
            Delta::Other(object) => {
                let mut length = 0;
                for (name, value) in object.iter().filter(|(name, _)| *name != "type") {
                    length += match text(value) {
                        Some(piece) => self.join(name, piece.into_owned()),
                        None => self.replace(name, value),
                    };
                }
                length
            }
        }
    }

    fn join(&mut self, name: &str, piece: String) -> usize {
        let length = piece.len();
        let has_room = self.added.len() < ADDED;
        match self.added.iter_mut().find(|(known, _)| known == name) {
            Some((_, Added::Text(known))) => known.push_str(&piece),
            Some((_, known)) => *known = Added::Text(piece),
            None if has_room => self.added.push((name.to_owned(), Added::Text(piece))),
            None => return 0,
        }
        length
    }

    fn replace(&mut self, name: &str, value: &RawValue) -> usize {
        self.added.retain(|(known, _)| known != name);
        if self.added.len() >= ADDED {
            return 0;
        }
        self.added.push((name.to_owned(), Added::Value(keep(value))));
        value.get().len()
    }

    /// The block as it would stand in a whole reply.
    fn whole(self) -> RawJson {
        if self.input.is_empty() && self.added.is_empty() { self.start } else { kept(&self) }
    }
}

impl Serialize for Thinking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "thinking")?;
        map.serialize_entry("thinking", &self.text)?;
        if let Some(signature) = &self.signature {
            map.serialize_entry("signature", signature)?;
        }
        for (name, value) in self.extra.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Opaque {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let input = serde_json::from_str::<&RawValue>(&self.input).ok();
        let start = raw(&self.start).and_then(Object::of).unwrap_or_default();
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in start.iter() {
            if self.added.iter().any(|(added, _)| added == name) {
                continue;
            }
            match input.filter(|_| name == "input") {
                Some(input) => map.serialize_entry(name, input)?,
                None => map.serialize_entry(name, value)?,
            }
        }
        for (name, added) in &self.added {
            match added {
                Added::Text(text) => map.serialize_entry(name, text)?,
                Added::Value(value) => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}
