//! The `content` of an answer, in every form it comes in.
//!
//! A string everywhere, a list of parts at Mistral (text, thinking, references; a stream switches between
//! both), an object at Cloudflare when a JSON schema was asked for. Knows nothing of requests.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient::{Many, Text, read, read_object};

/// One piece of content.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// Visible text.
    Text(Cow<'a, str>),
    /// Thinking: its text, and the part as it stood.
    Thinking(String, &'a RawValue),
    /// Text of a refusal.
    Refusal(Cow<'a, str>),
    /// A part without a place in an answer, such as a reference.
    Other(&'a RawValue),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    refusal: Text<'a>,
}

/// Hands over the pieces of a `content` member, in order. An object is its own JSON text.
pub(super) fn pieces<'a>(raw: &'a RawValue, mut on_piece: impl FnMut(Piece<'a>)) {
    match raw.get().as_bytes().first() {
        Some(b'"') => {
            if let Some(text) = read::<Text<'a>>(Some(raw)).given() {
                on_piece(Piece::Text(text));
            }
        }
        Some(b'[') => {
            for part in read::<Many<&'a RawValue>>(Some(raw)).0 {
                on_piece(piece(part));
            }
        }
        Some(b'{') => on_piece(Piece::Text(Cow::Borrowed(raw.get()))),
        // A number or a boolean is an answer too: some servers parse the model's JSON.
        Some(_) if raw.get() != "null" => on_piece(Piece::Text(Cow::Borrowed(raw.get()))),
        Some(_) | None => {}
    }
}

fn piece(raw: &RawValue) -> Piece<'_> {
    if raw.get().starts_with('"') {
        return Piece::Text(read::<Text<'_>>(Some(raw)).given().unwrap_or_default());
    }
    let part: Part<'_> = read_object(Some(raw));
    match part.kind.filled() {
        Some("thinking") => Piece::Thinking(thinking_text(part.thinking), raw),
        Some("refusal") => part.refusal.given().map_or(Piece::Other(raw), Piece::Refusal),
        Some("text" | "output_text") | None => part.text.given().map_or(Piece::Other(raw), Piece::Text),
        Some(_) => Piece::Other(raw),
    }
}

/// The text of a thinking part: a string, or a list of text parts.
pub(super) fn thinking_text(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else { return String::new() };
    let mut whole = String::new();
    pieces(raw, |piece| {
        if let Piece::Text(text) = piece {
            whole.push_str(&text);
        }
    });
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Vec<String> {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        let mut seen = Vec::new();
        pieces(&raw, |piece| {
            seen.push(match piece {
                Piece::Text(text) => format!("text {text}"),
                Piece::Thinking(text, raw) => format!("thinking {text} of {} bytes", raw.get().len()),
                Piece::Refusal(text) => format!("refusal {text}"),
                Piece::Other(raw) => format!("other {}", raw.get()),
            });
        });
        seen
    }

    #[test]
    fn content_is_a_string_a_list_or_an_object() {
        assert_eq!(shown(r#""a\tb""#), ["text a\tb"]);
        assert_eq!(shown(r#"{"city": "Oslo"}"#), [r#"text {"city": "Oslo"}"#]);
        assert_eq!(shown("null"), [""; 0]);
        assert_eq!(shown("42"), ["text 42"]);
        assert_eq!(
            shown(
                r#"[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes"},"!"]"#
            ),
            ["thinking Hm. of 61 bytes", "text Yes", "text !"]
        );
    }

    #[test]
    fn parts_without_a_place_are_kept_apart() {
        assert_eq!(
            shown(r#"[{"type":"reference","reference_ids":[1]},{"type":"refusal","refusal":"No."},null,7]"#),
            [r#"other {"type":"reference","reference_ids":[1]}"#, "refusal No.", "other 7"]
        );
    }
}
