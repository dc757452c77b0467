//! One planned item, written.

use std::borrow::Cow;

use mainstay_canon::{ChatMessage, Extra};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::input_write::{Message, OutItem, Piece};
use super::parts::{Side, WrittenPart, WrittenText};
use super::tools::{Extras, WrittenCall};
use crate::openai_chat::json::Members;
use crate::openai_chat::lenient::read_object;

/// Longest id of a call, in bytes.
const ID_LIMIT: usize = 64;

/// An item as it is written.
pub(super) struct WrittenItem<'a> {
    pub(super) item: &'a OutItem<'a>,
    /// Whether the extras of messages, parts and results are this dialect's.
    pub(super) with_extra: bool,
    /// Which extras of calls are written.
    pub(super) extras: Extras,
}

impl Serialize for WrittenItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.item {
            OutItem::Raw(raw) => raw.serialize(serializer),
            OutItem::Kept(raw) => raw.serialize(serializer),
            OutItem::Bare(raw) => {
                let members: Members<'_> = read_object(Some(raw));
                serializer.collect_map(members.iter().filter(|(name, _)| *name != "id"))
            }
            OutItem::Message(message) => self.message(message, serializer),
            OutItem::Call { call, is_bare } => WrittenCall {
                call,
                id: &fit(&call.id),
                item_id: None,
                status: None,
                extras: self.extras,
                is_bare: *is_bare,
            }
            .serialize(serializer),
            OutItem::Result { message, id, is_custom } => self.result(message, id, *is_custom, serializer),
        }
    }
}

impl WrittenItem<'_> {
    fn message<S: Serializer>(&self, message: &Message<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "message")?;
        map.serialize_entry("role", message.role)?;
        let side = if message.role == "assistant" { Side::Output } else { Side::Input };
        let content =
            Written { pieces: &message.pieces, refusal: message.refusal, side, with_extra: self.with_extra };
        map.serialize_entry("content", &content)?;
        for (name, raw) in message.extra.into_iter().flat_map(Extra::iter) {
            if !(matches!(name, "type" | "role" | "content") || (message.is_bare && name == "id")) {
                map.serialize_entry(name, raw)?;
            }
        }
        map.end()
    }

    fn result<S: Serializer>(
        &self,
        message: &ChatMessage,
        id: &str,
        is_custom: bool,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(
            "type",
            if is_custom { "custom_tool_call_output" } else { "function_call_output" },
        )?;
        map.serialize_entry("call_id", &fit(id))?;
        let pieces: Vec<Piece<'_>> = message.content.iter().map(Piece::Part).collect();
        let output =
            Written { pieces: &pieces, refusal: None, side: Side::Input, with_extra: self.with_extra };
        map.serialize_entry("output", &output)?;
        if self.with_extra {
            for (name, raw) in
                message.extra.iter().filter(|(name, _)| !matches!(*name, "type" | "call_id" | "output"))
            {
                map.serialize_entry(name, raw)?;
            }
        }
        map.end()
    }
}

/// Content: a string where one plain text is all, for not every server takes lists.
struct Written<'a> {
    pieces: &'a [Piece<'a>],
    refusal: Option<&'a str>,
    side: Side,
    with_extra: bool,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Refusal<'a> {
            r#type: &'static str,
            refusal: &'a str,
        }
        match (self.pieces, self.refusal) {
            ([], None) => return serializer.serialize_str(""),
            ([only], None) if only.plain(self.with_extra).is_some() => {
                return only.plain(self.with_extra).serialize(serializer);
            }
            _ => {}
        }
        let mut seq = serializer.serialize_seq(None)?;
        for piece in self.pieces {
            let Self { side, with_extra, .. } = *self;
            match piece {
                Piece::Part(part) => seq.serialize_element(&WrittenPart { part, side, with_extra })?,
                Piece::Text(text) => seq.serialize_element(&WrittenText { text, side, extra: None })?,
            }
        }
        if let Some(refusal) = self.refusal {
            seq.serialize_element(&Refusal { r#type: "refusal", refusal })?;
        }
        seq.end()
    }
}

/// An id of a call that fits, the same for the same id.
fn fit(id: &str) -> Cow<'_, str> {
    if id.len() <= ID_LIMIT {
        return Cow::Borrowed(id);
    }
    // FNV-1a, 64 bits, beside the beginning of the id: plenty for the calls of one conversation.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let kept: String = id.chars().filter(char::is_ascii).take(40).collect();
    Cow::Owned(format!("{kept}_{hash:016x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_too_long_is_shortened_the_same_way_each_time() {
        assert_eq!(fit("call_1"), "call_1");
        let long = "resp_5z6z7ajs2bdq:".repeat(8);
        assert!(fit(&long).len() <= ID_LIMIT);
        assert_eq!(fit(&long), fit(&long));
        assert_ne!(fit(&long), fit(&format!("{long}1")));
    }
}
