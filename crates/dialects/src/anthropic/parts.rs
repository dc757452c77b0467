//! Content parts as the blocks of a request.
//!
//! Source: Anthropic API reference, Messages, 2026-11. Knows one part at a time; what order blocks must stand in
//! is the conversation's business.

use std::borrow::Cow;

use mainstay_canon::{Accepts, Content, ContentPart, Dialect, Extra, Failure};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::{Object, raw};
use super::media::{Source, Sourced, source, unsupported};
use super::message_read::SOURCE;
use crate::paths::spelled;

/// What could not be told, each thing once.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// Most notes of one request.
    const MOST: usize = 32;
    /// Longest note, in characters.
    const LONGEST: usize = 300;

    /// Adds a note unless it stands there already.
    pub(super) fn add(&mut self, note: impl Into<String>) {
        let mut note = note.into();
        if let Some((cut, _)) = note.char_indices().nth(Self::LONGEST) {
            note.truncate(cut);
            note.push('…');
        }
        if self.0.len() < Self::MOST && !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    /// The notes, in order.
    pub(super) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// One block of a request.
#[derive(Debug)]
pub(super) enum OutBlock<'a> {
    /// A block that is sent as it came.
    Raw(&'a RawValue),
    Text {
        text: Cow<'a, str>,
        extra: Option<&'a Extra>,
    },
    Media {
        kind: &'static str,
        source: Source<'a>,
        title: Option<&'a str>,
        extra: Option<&'a Extra>,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: &'a str,
        input: Option<&'a RawValue>,
        extra: Option<&'a Extra>,
    },
    ToolResult {
        id: Cow<'a, str>,
        content: OutContent<'a>,
        is_error: bool,
        extra: Option<&'a Extra>,
    },
}

/// The `content` of a message or a tool result, and `system`: a string where one plain text is all, else blocks.
#[derive(Debug)]
pub(super) enum OutContent<'a> {
    /// Content that is sent as it came.
    Raw(&'a RawValue),
    Blocks(Vec<OutBlock<'a>>),
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    System,
    User,
    Assistant,
    Result,
}

/// Turns parts into blocks for one call.
#[derive(Debug)]
pub(super) struct PartWriter<'c> {
    accepts: &'c Accepts,
    /// Whose dialect the request's extras are.
    origin: Option<Dialect>,
    pub(super) notes: Notes,
    /// Whether something was written that only the older API version takes.
    pub(super) needs_older_version: bool,
}

impl<'c> PartWriter<'c> {
    pub(super) fn new(accepts: &'c Accepts, origin: Option<Dialect>) -> Self {
        Self { accepts, origin, notes: Notes::default(), needs_older_version: false }
    }

    /// Whether the request's extras are this dialect's.
    pub(super) fn is_own(&self) -> bool {
        self.origin == Some(Dialect::Anthropic)
    }

    /// The extras of something if they are ours; else they are left out and noted.
    pub(super) fn extra<'a>(&mut self, extra: &'a Extra, what: &str) -> Option<&'a Extra> {
        if extra.is_empty() {
            return None;
        }
        if self.is_own() {
            return Some(extra);
        }
        let names: Vec<&str> = extra.names().collect();
        self.notes
            .add(format!("left out of {what}, which only another dialect understands: {}", names.join(", ")));
        None
    }

    /// The blocks of a message's parts. Blank texts are left out: the API refuses them.
    ///
    /// # Errors
    ///
    /// `UnsupportedParameter` for a part that cannot be sent here.
    pub(super) fn blocks<'a>(
        &mut self,
        parts: &'a [ContentPart],
        place: Place,
        message: usize,
    ) -> Result<Vec<OutBlock<'a>>, Failure> {
        let mut blocks = Vec::with_capacity(parts.len());
        for (nth, part) in parts.iter().enumerate() {
            let block = self.block(part, place);
            if let Some(block) = block.map_err(|f| f.param(format!("messages.{message}.content.{nth}")))? {
                blocks.push(block);
            }
        }
        Ok(blocks)
    }

    fn block<'a>(&mut self, part: &'a ContentPart, place: Place) -> Result<Option<OutBlock<'a>>, Failure> {
        let (kind, media) = match &part.content {
            Content::Text(text) if text.trim().is_empty() => return Ok(None),
            Content::Text(text) => {
                let extra = self.extra(&part.extra, "a text");
                // 2026-10-21 refuses citations on the caller's texts.
                self.needs_older_version |= place == Place::User && extra.is_some_and(has_citations);
                return Ok(Some(OutBlock::Text { text: text.into(), extra }));
            }
            Content::Native { dialect: Dialect::Anthropic, raw: block, kind } => {
                // 2026-10-21 refuses documents in the model's turns.
                self.needs_older_version |= place == Place::Assistant && kind == "document";
                return Ok(raw(block).map(OutBlock::Raw));
            }
            Content::Native { dialect, kind, .. } => {
                return Err(unsupported(format!("a part of type {kind:?} is known to {dialect} only")));
            }
            Content::Audio(_) => return Err(unsupported("this dialect takes no audio")),
            Content::Image(media) => ("image", media),
            Content::File(media) => ("document", media),
        };
        if place == Place::System || (place == Place::Assistant && !self.is_own()) {
            return Err(unsupported(
                format!("this dialect takes no {kind} in a {place:?} message").to_lowercase(),
            ));
        }
        if kind == "image" && !self.accepts.images {
            return Err(unsupported("the model takes no images"));
        }
        self.needs_older_version |= place == Place::Assistant && kind == "document";
        let title = media.name.as_deref().filter(|_| kind == "document");
        let source = source(media, kind, self.is_own())?;
        if let (Source::File(_), Some(origin)) = (&source, self.origin.filter(|_| !self.is_own())) {
            return Err(unsupported(format!("a file uploaded to a provider of {origin} is not known here")));
        }
        Ok(Some(OutBlock::Media { kind, source, title, extra: self.extra(&part.extra, kind) }))
    }
}

/// Whether a text carries citations that are not an empty list.
fn has_citations(extra: &Extra) -> bool {
    extra.get("citations").is_some_and(|citations| !matches!(citations.text(), "null" | "[]"))
}

/// The elements of content that is sent as it came; nothing where it is neither a text nor a list.
pub(super) fn elements(content: &RawValue) -> Option<Vec<OutBlock<'_>>> {
    match super::json::text(content) {
        Some(text) if text.trim().is_empty() => Some(Vec::new()),
        Some(text) => Some(vec![OutBlock::Text { text, extra: None }]),
        None => Some(super::json::items(content)?.into_iter().map(OutBlock::Raw).collect()),
    }
}

/// The `type` of a block that is sent as it came.
pub(super) fn raw_type(raw: &RawValue) -> Option<Cow<'_, str>> {
    Object::of(raw)?.text("type")
}

/// A string where one plain text is all, else the list.
pub(super) fn serialize_blocks<S: Serializer>(
    blocks: &[OutBlock<'_>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match blocks {
        [OutBlock::Text { text, extra: None }] => serializer.serialize_str(text),
        blocks => serializer.collect_seq(blocks),
    }
}

impl Serialize for OutContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(raw) => raw.serialize(serializer),
            Self::Blocks(blocks) => serialize_blocks(blocks, serializer),
        }
    }
}

impl Serialize for OutBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Raw(raw) = self {
            return raw.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        let extra = match self {
            Self::Raw(_) => None,
            Self::Text { text, extra } => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
                *extra
            }
            Self::Media { kind, source, title, extra } => {
                map.serialize_entry("type", kind)?;
                map.serialize_entry("source", &Sourced { source, extra: *extra })?;
                if let Some(title) = title {
                    map.serialize_entry("title", title)?;
                }
                *extra
            }
            Self::ToolUse { id, name, input, extra } => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                match input {
                    Some(input) => map.serialize_entry("input", input)?,
                    None => map.serialize_entry("input", &Object::default())?,
                }
                *extra
            }
            Self::ToolResult { id, content, is_error, extra } => {
                map.serialize_entry("type", "tool_result")?;
                map.serialize_entry("tool_use_id", id)?;
                if !matches!(content, OutContent::Blocks(blocks) if blocks.is_empty()) {
                    map.serialize_entry("content", content)?;
                }
                if *is_error {
                    map.serialize_entry("is_error", is_error)?;
                }
                *extra
            }
        };
        let extra = extra.into_iter().flat_map(Extra::iter);
        if let Self::Media { .. } = self {
            // Among them stand those of the source, which are written there.
            for (name, value) in extra.filter(|(name, _)| !name.starts_with(SOURCE)) {
                map.serialize_entry(spelled(name), value)?;
            }
            return map.end();
        }
        for (name, value) in extra {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
