//! The members of a reply that this dialect gives a meaning to, whole or in an event of a stream.
//!
//! Texts are lent from the bytes; a member of an odd type reads as absent. What the members mean is read elsewhere.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;

use crate::openai_chat::lenient::{Count, Many, Text, read, read_object};

/// A response, whole or as an event of a stream shows it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) object: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) incomplete_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) output: Option<&'a RawValue>,
    /// The whole text once more, which SDKs make up and some servers send.
    #[serde(borrow)]
    pub(super) output_text: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    /// The text of a flat error object.
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    /// The text of an error in the manner of FastAPI.
    #[serde(borrow)]
    pub(super) detail: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Incomplete<'a> {
    #[serde(borrow)]
    reason: Text<'a>,
}

impl<'a> Response<'a> {
    /// The items of the output, in order.
    pub(super) fn items(&self) -> Vec<&'a RawValue> {
        read::<Many<&RawValue>>(self.output).0
    }

    /// The finish word: the status, with the reason of an incomplete answer.
    pub(super) fn word(&self) -> Option<String> {
        let status = self.status.filled()?;
        let details: Incomplete<'_> = read_object(self.incomplete_details);
        Some(match details.reason.filled().filter(|_| status == "incomplete") {
            Some(reason) => format!("{status}:{reason}"),
            None => status.to_owned(),
        })
    }
}

/// One event of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) item_id: Text<'a>,
    pub(super) output_index: Count,
    pub(super) content_index: Count,
    pub(super) summary_index: Count,
    #[serde(borrow)]
    pub(super) delta: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) refusal: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) annotation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) logprobs: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// The text that a member is. Half a surrogate pair, which a stream cut inside an emoji can hold, becomes
/// replacement characters rather than a loss of the whole text.
pub(super) fn text(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let raw = raw.filter(|raw| raw.get().starts_with('"'))?;
    match serde_json::from_str::<Text<'_>>(raw.get()) {
        Ok(text) => text.given(),
        Err(_) => serde_json::from_str::<Lossy>(raw.get()).ok().map(|Lossy(text)| Cow::Owned(text)),
    }
}

/// As [`text`], where it holds something.
pub(super) fn filled(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    text(raw).filter(|text| !text.is_empty())
}

/// A string whose lone surrogates are replaced.
struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(LossyVisitor)
    }
}

struct LossyVisitor;

impl Visitor<'_> for LossyVisitor {
    type Value = Lossy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Lossy, E> {
        Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(json: &str) -> Option<String> {
        serde_json::from_str::<Response<'_>>(json).unwrap().word()
    }

    #[test]
    fn the_finish_word_is_the_status_and_the_reason() {
        assert_eq!(word(r#"{"status":"completed"}"#).as_deref(), Some("completed"));
        assert_eq!(
            word(r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#).as_deref(),
            Some("incomplete:max_output_tokens")
        );
        assert_eq!(
            word(r#"{"status":"incomplete","incomplete_details":null}"#).as_deref(),
            Some("incomplete")
        );
        assert_eq!(
            word(r#"{"status":"completed","incomplete_details":{"reason":"x"}}"#).unwrap(),
            "completed"
        );
        for none in ["{}", r#"{"status":null}"#, r#"{"status":""}"#, r#"{"status":{}}"#] {
            assert_eq!(word(none), None, "{none}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_does_not_lose_the_text() {
        let raw = RawValue::from_string(r#""ab\ud83d""#.to_owned()).unwrap();
        assert!(text(Some(&raw)).unwrap().starts_with("ab\u{fffd}"));
        let number = RawValue::from_string("7".to_owned()).unwrap();
        assert_eq!(text(Some(&number)), None);
    }

    #[test]
    fn odd_members_are_no_error() {
        for json in [
            r#"{"output":{},"usage":7,"id":{},"error":false}"#,
            r#"{"output":[null,7,"x"],"incomplete_details":"x"}"#,
        ] {
            serde_json::from_str::<Response<'_>>(json).unwrap();
        }
        let event: Event<'_> =
            serde_json::from_str(r#"{"type":7,"output_index":"1","content_index":null,"item":null}"#)
                .unwrap();
        assert_eq!((event.output_index.0, event.content_index.0), (Some(1), None));
    }
}
