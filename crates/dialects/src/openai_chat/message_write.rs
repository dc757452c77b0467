//! One planned turn, written.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::parts::Written;
use super::reasoning::AsDetails;
use super::tools::{Extras, WrittenCall};
use super::turns::{Piece, Turn};

/// A turn as it is written.
pub(super) struct WrittenTurn<'a> {
    pub(super) turn: &'a Turn<'a>,
    /// Whether the extras of parts are this dialect's.
    pub(super) with_extra: bool,
    /// Which extras of calls are written.
    pub(super) extras: Extras,
    /// Whether ids of calls are made nine letters or digits.
    pub(super) short_ids: bool,
}

impl Serialize for WrittenTurn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turn = self.turn;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", turn.role)?;
        self.write_content(&mut map)?;
        for (name, text) in [("name", turn.name), ("refusal", turn.refusal.as_deref())] {
            if let Some(text) = text {
                map.serialize_entry(name, text)?;
            }
        }
        if let Some(id) = turn.answers {
            map.serialize_entry("tool_call_id", &self.id(id))?;
        }
        if !turn.calls.is_empty() {
            map.serialize_entry("tool_calls", &Calls(self))?;
        }
        if let Some((name, text)) = &turn.reasoning {
            map.serialize_entry(name, text)?;
        }
        if !turn.details.is_empty() {
            map.serialize_entry("reasoning_details", &AsDetails(&turn.details))?;
        }
        for (name, raw) in turn.extra.iter().filter(|(name, _)| !says(turn, name)) {
            map.serialize_entry(name, raw)?;
        }
        if turn.begins_answer {
            map.serialize_entry("prefix", &true)?;
        }
        map.end()
    }
}

impl WrittenTurn<'_> {
    fn write_content<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let turn = self.turn;
        if let Some(raw) = turn.verbatim {
            return map.serialize_entry("content", raw);
        }
        match &turn.pieces[..] {
            [] if turn.role == "assistant" && says_more(turn) => map.serialize_entry("content", &()),
            [] => map.serialize_entry("content", ""),
            [only] if self.plain(only).is_some() => map.serialize_entry("content", &self.plain(only)),
            _ => map.serialize_entry("content", &Pieces(self)),
        }
    }

    /// A text with nothing beside it, which is written as a string: not every host takes lists.
    fn plain<'t>(&self, piece: &'t Piece<'_>) -> Option<&'t str> {
        match piece {
            Piece::Text(text) => Some(text),
            Piece::Part(part) if part.extra.is_empty() || !self.with_extra => part.as_text(),
            Piece::Part(_) | Piece::Raw(_) | Piece::Thinking(_) => None,
        }
    }

    fn id<'t>(&self, id: &'t str) -> Cow<'t, str> {
        if self.short_ids { short(id) } else { Cow::Borrowed(id) }
    }
}

/// Whether that member is written from the turn's own fields. On a turn that has no such field, such as the refusal
/// of a user, it is the caller's own and goes along.
fn says(turn: &Turn<'_>, member: &str) -> bool {
    match member {
        "role" | "content" => true,
        "name" => turn.name.is_some(),
        "refusal" => turn.refusal.is_some(),
        "tool_calls" => !turn.calls.is_empty(),
        "tool_call_id" => turn.answers.is_some(),
        "reasoning_details" => !turn.details.is_empty(),
        other => turn.reasoning.as_ref().is_some_and(|(name, _)| *name == other),
    }
}

/// Whether an assistant message holds something beside content, so that `null` is its honest content.
fn says_more(turn: &Turn<'_>) -> bool {
    !turn.calls.is_empty() || turn.refusal.is_some() || turn.extra.iter().any(|(name, _)| *name == "audio")
}

struct Pieces<'a>(&'a WrittenTurn<'a>);

impl Serialize for Pieces<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WrittenTurn { turn, with_extra, .. } = *self.0;
        let mut seq = serializer.serialize_seq(Some(turn.pieces.len()))?;
        for piece in &turn.pieces {
            match piece {
                Piece::Part(part) => seq.serialize_element(&Written { part, with_extra })?,
                Piece::Text(text) => seq.serialize_element(&TextPart { r#type: "text", text })?,
                Piece::Raw(raw) => seq.serialize_element(raw)?,
                Piece::Thinking(text) => {
                    let thinking = [TextPart { r#type: "text", text }];
                    seq.serialize_element(&ThinkingPart { r#type: "thinking", thinking })?;
                }
            }
        }
        seq.end()
    }
}

#[derive(serde::Serialize)]
struct TextPart<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(serde::Serialize)]
struct ThinkingPart<'a> {
    r#type: &'static str,
    thinking: [TextPart<'a>; 1],
}

struct Calls<'a>(&'a WrittenTurn<'a>);

impl Serialize for Calls<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turn = self.0;
        let mut seq = serializer.serialize_seq(Some(turn.turn.calls.len()))?;
        for call in &turn.turn.calls {
            seq.serialize_element(&WrittenCall { call, id: &turn.id(&call.id), extras: turn.extras })?;
        }
        seq.end()
    }
}

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An id of nine letters or digits, the same for the same id: older Mistral models take no other.
fn short(id: &str) -> Cow<'_, str> {
    if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(id);
    }
    // FNV-1a, 64 bits: nine letters hold 53 of them, plenty for the calls of one conversation.
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mut short = String::with_capacity(9);
    for _ in 0..9 {
        let at = usize::try_from(hash % 62).unwrap_or_default();
        short.push(LETTERS.get(at).copied().map_or('0', char::from));
        hash /= 62;
    }
    Cow::Owned(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_is_stable_and_nine_letters_long() {
        assert_eq!(short("abcDEF123"), "abcDEF123");
        let made = short("call_QpgJRI5C9DcjExMNU6lrJPcu");
        assert_eq!(made, short("call_QpgJRI5C9DcjExMNU6lrJPcu"));
        assert!(made.len() == 9 && made.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(made, short("call_QpgJRI5C9DcjExMNU6lrJPcv"));
    }
}
