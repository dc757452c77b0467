//! Reasoning that is handed back unchanged: `reasoning_details`, thinking parts, and blocks of other dialects.
//!
//! A stream sends one block in pieces; they are put together again here, because the provider wants back what
//! it would have sent whole. Blocks of another dialect travel to the caller in an envelope of our own type and
//! are unwrapped when they come back, so that a signature survives a caller that speaks this dialect.

use std::borrow::{Borrow, Cow};

use mainstay_canon::{Dialect, Failure, Kind, RawJson, ReasoningBlock, Target};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::content::thinking_text;
use super::json::Members;
use super::lenient::{Many, Text, read, read_object};

/// Most text of one block of a stream, in bytes: 16 MB.
const BLOCK_LIMIT: usize = 16 * 1024 * 1024;

/// The `type` of our envelope.
const ENVELOPE: &str = "mainstay.reasoning";

/// The items of a `reasoning_details` member.
pub(super) fn items(raw: Option<&RawValue>) -> Vec<&RawValue> {
    read::<Many<&RawValue>>(raw).0
}

/// The readable text of an item, for hosts that send no `reasoning` beside it.
pub(super) fn item_text(raw: &RawValue) -> String {
    let item: Item<'_> = read_object(Some(raw));
    item.text.given().or(item.summary.given()).map(Cow::into_owned).unwrap_or_default()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    index: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    summary: Text<'a>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
}

/// One item as a block; our envelope gives the block inside it.
pub(super) fn block(raw: &RawValue) -> Option<ReasoningBlock> {
    let kind: Kindred<'_> = read_object(Some(raw));
    if kind.kind.filled() == Some(ENVELOPE) {
        return serde_json::from_str::<Envelope<'_>>(raw.get()).ok()?.open();
    }
    Some(ReasoningBlock { dialect: Dialect::OpenaiChat, origin: None, raw: RawJson::of(raw).ok()? })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kindred<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
}

/// Whether a block is a thinking part of a message's content, not an item of `reasoning_details`.
pub(super) fn is_thinking_part(block: &ReasoningBlock) -> bool {
    block.raw.read::<Kindred<'_>>().is_ok_and(|block| block.kind.filled() == Some("thinking"))
}

/// A block of another dialect on its way through a caller.
#[derive(Debug, Serialize, Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    dialect: Dialect,
    origin: Option<Target>,
    #[serde(borrow)]
    block: &'a RawValue,
}

impl Envelope<'_> {
    fn open(&self) -> Option<ReasoningBlock> {
        let raw = RawJson::of(self.block).ok()?;
        Some(ReasoningBlock { dialect: self.dialect, origin: self.origin.clone(), raw })
    }
}

/// Blocks written as `reasoning_details`: our dialect's as they are, others in the envelope.
pub(super) struct AsDetails<'a, T>(pub(super) &'a [T]);

impl<T: Borrow<ReasoningBlock>> Serialize for AsDetails<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|block| Detail(block.borrow())))
    }
}

struct Detail<'a>(&'a ReasoningBlock);

impl Serialize for Detail<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ReasoningBlock { dialect, origin, raw } = self.0;
        if *dialect == Dialect::OpenaiChat {
            return raw.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("type", ENVELOPE)?;
        map.serialize_entry("dialect", dialect)?;
        map.serialize_entry("origin", origin)?;
        map.serialize_entry("block", raw)?;
        map.end()
    }
}

/// Puts the blocks of a stream together again.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    open: Option<Open>,
}

/// A block that may go on.
#[derive(Debug)]
struct Open {
    kind: String,
    index: Option<String>,
    id: Option<String>,
    /// The member that is streamed.
    streamed: &'static str,
    text: String,
    /// The first piece, which is the whole block unless another follows.
    first: RawJson,
    /// Later pieces of other members than the streamed one; the last of a name counts.
    later: Vec<(String, RawJson)>,
    pieces: usize,
}

impl Gathering {
    /// Takes one item of a chunk; gives back the block that it brings to an end.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for a block over the limit.
    pub(super) fn add(&mut self, raw: &RawValue) -> Result<Option<ReasoningBlock>, Failure> {
        let item: Item<'_> = read_object(Some(raw));
        let Some(next) = Open::of(&item, raw) else { return Ok(None) };
        if let Some(open) = self.open.as_mut().filter(|open| open.goes_on_with(&next)) {
            return open.join(&next, raw).map(|()| None);
        }
        Ok(self.open.replace(next).and_then(Open::whole))
    }

    /// The block that was still open.
    pub(super) fn end(&mut self) -> Option<ReasoningBlock> {
        self.open.take().and_then(Open::whole)
    }
}

impl Open {
    fn of(item: &Item<'_>, raw: &RawValue) -> Option<Self> {
        let (streamed, text) = match (&item.text.0, &item.summary.0, item.thinking) {
            (Some(text), _, _) => ("text", text.clone().into_owned()),
            (None, Some(summary), _) => ("summary", summary.clone().into_owned()),
            (None, None, Some(thinking)) => ("thinking", thinking_text(Some(thinking))),
            (None, None, None) => ("", String::new()),
        };
        Some(Self {
            kind: item.kind.owned().unwrap_or_default(),
            index: item.index.owned(),
            id: item.id.owned(),
            streamed,
            text,
            first: RawJson::of(raw).ok()?,
            later: Vec::new(),
            pieces: 1,
        })
    }

    /// Whether the next piece belongs to this block. Encrypted data always come whole.
    fn goes_on_with(&self, next: &Self) -> bool {
        let same_id = self.id.is_none() || next.id.is_none() || self.id == next.id;
        // A lone signature has no text of its own but the type and index of the text it signs.
        let streamed =
            !self.streamed.is_empty() && (next.streamed == self.streamed || next.streamed.is_empty());
        self.kind == next.kind && self.index == next.index && same_id && streamed
    }

    fn join(&mut self, next: &Self, raw: &RawValue) -> Result<(), Failure> {
        if self.text.len().saturating_add(next.text.len()) > BLOCK_LIMIT {
            return Err(Failure::new(Kind::InvalidResponse, "a reasoning block is larger than 16 MB"));
        }
        self.text.push_str(&next.text);
        self.pieces = self.pieces.saturating_add(1);
        let members: Members<'_> = read_object(Some(raw));
        for (name, value) in members.iter() {
            let Ok(value) = RawJson::of(value) else { continue };
            if name == self.streamed || value.text() == "null" {
                continue;
            }
            match self.later.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value,
                None => self.later.push((name.to_owned(), value)),
            }
        }
        Ok(())
    }

    fn whole(self) -> Option<ReasoningBlock> {
        if self.pieces == 1 {
            return self.first.read().ok().and_then(block);
        }
        let raw = RawJson::of(&Joined(&self)).ok()?;
        Some(ReasoningBlock { dialect: Dialect::OpenaiChat, origin: None, raw })
    }
}

/// A block of several pieces: the first one's members in their order, the streamed one joined, later ones added.
struct Joined<'a>(&'a Open);

impl Serialize for Joined<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let open = self.0;
        let first: Members<'_> = open.first.read().unwrap_or_default();
        let mut map = serializer.serialize_map(None)?;
        for (name, raw) in first.iter() {
            if name == open.streamed {
                open.serialize_streamed(&mut map)?;
            } else if let Some((_, later)) = open.later.iter().find(|(known, _)| known == name) {
                map.serialize_entry(name, later)?;
            } else {
                map.serialize_entry(name, raw)?;
            }
        }
        for (name, later) in
            open.later.iter().filter(|(name, _)| !first.iter().any(|(known, _)| known == name))
        {
            map.serialize_entry(name, later)?;
        }
        map.end()
    }
}

impl Open {
    fn serialize_streamed<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        #[derive(Serialize)]
        struct TextPart<'a> {
            r#type: &'static str,
            text: &'a str,
        }
        if self.streamed == "thinking" {
            return map.serialize_entry("thinking", &[TextPart { r#type: "text", text: &self.text }]);
        }
        map.serialize_entry(self.streamed, &self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(pieces: &[&str]) -> Vec<String> {
        let mut gathering = Gathering::default();
        let mut blocks = Vec::new();
        for piece in pieces {
            let raw = RawValue::from_string((*piece).to_owned()).unwrap();
            blocks.extend(gathering.add(&raw).unwrap());
        }
        blocks.extend(gathering.end());
        blocks.iter().map(|block| block.raw.text().to_owned()).collect()
    }

    #[test]
    fn a_block_in_one_piece_keeps_its_bytes() {
        let odd = r#"{ "type":"reasoning.encrypted", "data":"QUJD", "n":1.0 }"#;
        assert_eq!(gather(&[odd]), [odd]);
    }

    #[test]
    fn pieces_of_a_block_are_joined_and_the_signature_comes_last() {
        assert_eq!(
            gather(&[
                r#"{"type":"reasoning.text","text":"Two ","format":"f","index":0,"signature":null}"#,
                r#"{"type":"reasoning.text","text":"steps.","format":"f","index":0}"#,
                r#"{"type":"reasoning.text","signature":"c2ln","format":"f","index":0}"#,
                r#"{"type":"reasoning.encrypted","data":"QQ==","index":1}"#,
            ]),
            [
                r#"{"type":"reasoning.text","text":"Two steps.","format":"f","index":0,"signature":"c2ln"}"#,
                r#"{"type":"reasoning.encrypted","data":"QQ==","index":1}"#,
            ]
        );
    }

    #[test]
    fn encrypted_blocks_are_never_joined() {
        let encrypted = r#"{"type":"reasoning.encrypted","data":"QQ=="}"#;
        assert_eq!(gather(&[encrypted, encrypted]), [encrypted, encrypted]);
    }

    #[test]
    fn thinking_parts_are_joined_too() {
        assert_eq!(
            gather(&[
                r#"{"type":"thinking","thinking":[{"type":"text","text":"Hm, "}],"closed":false}"#,
                r#"{"type":"thinking","thinking":[{"type":"text","text":"ok."}],"closed":true}"#,
            ]),
            [r#"{"type":"thinking","thinking":[{"type":"text","text":"Hm, ok."}],"closed":true}"#]
        );
    }

    #[test]
    fn a_block_of_another_dialect_survives_the_way_through_a_caller() {
        let origin = Some(Target::new("anthropic", "claude-sonnet-5-5"));
        let raw = RawJson::parse(r#"{"type":"thinking","thinking":"","signature":"c2ln"}"#).unwrap();
        let sent = [ReasoningBlock { dialect: Dialect::Anthropic, origin, raw }];
        let wire = serde_json::to_string(&AsDetails(&sent)).unwrap();
        let list = RawValue::from_string(wire).unwrap();
        let back: Vec<_> = items(Some(&list)).into_iter().filter_map(block).collect();
        assert_eq!(back, sent);
    }
}
