//! The content of a streamed reply, put together as a whole reply has it.
//!
//! A whole reply keeps its content only where the canonical fields do not say all of it, in its order: citations,
//! server tools, a text behind a call. Whether that is so, both readers decide here.

use mainstay_canon::{EXTRA_LIMIT, Extra, RawJson};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::blocks::Delta;
use super::json::{empty_object, keep, kept};
use super::wire::Block;

/// Where a block stands in the order in which the canonical fields are written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Reasoning,
    Text,
    Call,
}

/// Whether the canonical fields say all that the blocks say, in their order.
#[derive(Debug, Default)]
pub(super) struct Order {
    is_broken: bool,
    last: Option<Place>,
}

impl Order {
    /// Takes the next block.
    pub(super) fn take(&mut self, block: &Block<'_>) {
        let (place, is_plain) = match block {
            Block::Text { extra, .. } => (Place::Text, extra.is_empty() && self.last != Some(Place::Text)),
            Block::Thinking { .. } | Block::Redacted => (Place::Reasoning, true),
            Block::ToolUse { extra, .. } => (Place::Call, extra.names().all(|name| name == "caller")),
            Block::Opaque => (Place::Reasoning, false),
        };
        self.is_broken |= !is_plain || self.last.is_some_and(|last| last > place);
        self.last = Some(place);
    }

    /// Something came that has no canonical place at all.
    pub(super) fn break_off(&mut self) {
        self.is_broken = true;
    }

    /// Whether the canonical fields say all.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_broken
    }

    /// Whether the last block was text: another one behind it is a block of its own.
    fn is_after_text(&self) -> bool {
        self.last == Some(Place::Text)
    }
}

/// The blocks so far.
#[derive(Debug, Default)]
pub(super) struct Content {
    order: Order,
    blocks: Vec<Made>,
    bytes: usize,
    taken: bool,
}

/// One block in the making.
#[derive(Debug)]
enum Made {
    Text {
        text: String,
        citations: Option<Vec<RawJson>>,
        extra: Extra,
    },
    Call {
        id: String,
        name: String,
        input: Option<RawJson>,
        arguments: String,
        extra: Extra,
    },
    /// A block that is handed on whole when it stops.
    Whole(Option<RawJson>),
}

impl Content {
    /// A block begins. Gives back its number, and what a caller of this dialect must be told beside it: a text
    /// that is not to run on in the block before, or that has more members.
    pub(super) fn begin(&mut self, block: &Block<'_>) -> (usize, Option<RawJson>) {
        let is_own = match block {
            Block::Text { extra, .. } => self.order.is_after_text() || !extra.is_empty(),
            Block::Thinking { .. } | Block::Redacted | Block::ToolUse { .. } | Block::Opaque => false,
        };
        self.order.take(block);
        let made = match block {
            Block::Text { text, extra } => {
                let (text, mut extra) = (text.clone(), extra.clone());
                let citations = extra.remove("citations").and_then(|raw| raw.read().ok());
                Made::Text { text, citations, extra }
            }
            Block::ToolUse { id, name, input, extra } => Made::Call {
                id: id.clone(),
                name: name.clone(),
                input: input.map(keep),
                arguments: String::new(),
                extra: extra.clone(),
            },
            Block::Thinking { .. } | Block::Redacted | Block::Opaque => Made::Whole(None),
        };
        let told = match block {
            Block::Text { extra, .. } if is_own => Some(kept(&Begun(extra))),
            Block::Text { .. }
            | Block::Thinking { .. }
            | Block::Redacted
            | Block::ToolUse { .. }
            | Block::Opaque => None,
        };
        self.blocks.push(made);
        (self.blocks.len() - 1, told)
    }

    /// A piece of a block.
    pub(super) fn delta(&mut self, number: usize, delta: &Delta<'_>) {
        if self.bytes > EXTRA_LIMIT {
            return;
        }
        let added = match (self.blocks.get_mut(number), delta) {
            (Some(Made::Text { text, .. }), Delta::Text(piece)) => {
                text.push_str(piece);
                piece.len()
            }
            (Some(Made::Text { citations, .. }), Delta::Other(object)) => {
                self.order.break_off();
                let Some(citation) = object.get("citation") else { return };
                citations.get_or_insert_default().push(keep(citation));
                citation.get().len()
            }
            (Some(Made::Call { arguments, .. }), Delta::Json(piece)) => {
                arguments.push_str(piece);
                piece.len()
            }
            _ => 0,
        };
        self.bytes = self.bytes.saturating_add(added);
    }

    /// A block that is handed on whole has stopped.
    pub(super) fn whole(&mut self, number: usize, raw: &RawJson) {
        if let Some(Made::Whole(whole)) = self.blocks.get_mut(number)
            && self.bytes <= EXTRA_LIMIT
        {
            self.bytes = self.bytes.saturating_add(raw.text().len());
            *whole = Some(raw.clone());
        }
    }

    /// The content, if it says more than the canonical fields and is no larger than extras may be. Once: what a
    /// server says behind its finish word has no place in it.
    pub(super) fn take(&mut self) -> Option<RawJson> {
        let blocks = std::mem::take(&mut self.blocks);
        let is_wanted = !self.order.is_plain() && self.bytes <= EXTRA_LIMIT && !blocks.is_empty();
        let is_first = !std::mem::replace(&mut self.taken, true);
        (is_wanted && is_first).then(|| kept(&blocks))
    }
}

/// A text block as it is begun.
struct Begun<'a>(&'a Extra);

impl Serialize for Begun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "text")?;
        map.serialize_entry("text", "")?;
        for (name, raw) in self.0.iter() {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}

impl Serialize for Made {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mut map, extra) = match self {
            Self::Whole(raw) => return raw.serialize(serializer),
            Self::Text { text, citations, extra } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
                if let Some(citations) = citations {
                    map.serialize_entry("citations", citations)?;
                }
                (map, extra)
            }
            Self::Call { id, name, input, arguments, extra } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                match (serde_json::from_str::<&RawValue>(arguments), input) {
                    (Ok(said), _) => map.serialize_entry("input", said)?,
                    (Err(_), Some(input)) => map.serialize_entry("input", input)?,
                    (Err(_), None) => map.serialize_entry("input", empty_object())?,
                }
                (map, extra)
            }
        };
        for (name, raw) in extra.iter() {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}

/// The members of a delta without a canonical name, such as `citations_delta`.
pub(super) fn told(delta: &Delta<'_>) -> Option<RawJson> {
    match delta {
        Delta::Other(object) => Some(kept(object)),
        Delta::Text(_) | Delta::Thinking(_) | Delta::Signature(_) | Delta::Json(_) => None,
    }
}
