//! The members of a reply that this dialect gives a meaning to, whole or in pieces.
//!
//! One set of structs for both: a chunk of a stream is a reply whose `message` is called `delta`. Texts are
//! lent from the bytes. What the members mean is read elsewhere.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::lenient::{Count, Many, Text, drain_map};

/// A reply, or one chunk of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reply<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) choices: Choices<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    /// Groq's own: usage and errors of a stream.
    #[serde(borrow)]
    pub(super) x_groq: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    /// MiniMax's own: a status inside a 200.
    #[serde(borrow)]
    pub(super) base_resp: Option<&'a RawValue>,
    /// MiniMax's own: its filter marked the prompt.
    #[serde(borrow)]
    pub(super) input_sensitive: Option<&'a RawValue>,
    /// MiniMax's own: its filter marked the answer.
    #[serde(borrow)]
    pub(super) output_sensitive: Option<&'a RawValue>,
    /// `error` in a flat error object.
    #[serde(borrow)]
    pub(super) object: Text<'a>,
    /// The text of a flat error object.
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    /// The text of an error in the manner of FastAPI.
    #[serde(borrow)]
    pub(super) detail: Option<&'a RawValue>,
}

/// The choice that counts: the one with index 0, or without an index.
#[derive(Debug, Default)]
pub(super) struct Choices<'a> {
    /// That choice.
    pub(super) first: Option<Choice<'a>>,
    /// Whether there was a list at all.
    pub(super) listed: bool,
}

/// One choice.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    pub(super) index: Count,
    #[serde(borrow)]
    pub(super) delta: Option<Said<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<Said<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
    /// OpenRouter's own: the word of the host behind it.
    #[serde(borrow)]
    pub(super) native_finish_reason: Text<'a>,
    /// vLLM's own: the stop text that was hit, or the number of a stop token.
    #[serde(borrow)]
    pub(super) stop_reason: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// What the model said: a message, or a piece of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) refusal: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_calls: Many<CallPiece<'a>>,
    /// The form before tools; some servers still send it.
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionPiece<'a>>,
}

/// A tool call, or a piece of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPiece<'a> {
    pub(super) index: Count,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) function: Option<FunctionPiece<'a>>,
    /// A tool that takes free text.
    #[serde(borrow)]
    pub(super) custom: Option<CustomPiece<'a>>,
}

/// The function of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionPiece<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// A string that holds JSON; some servers send the JSON itself.
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// The free-text tool of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CustomPiece<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Choices<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoicesVisitor)
    }
}

/// Keeps one choice and no list: a stream has a chunk for every token.
struct ChoicesVisitor;

impl<'de> Visitor<'de> for ChoicesVisitor {
    type Value = Choices<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of choices")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut first = None;
        while let Some(item) = items.next_element::<Option<Choice<'de>>>()? {
            let Some(choice) = item else { continue };
            if first.is_none() && choice.index.0.unwrap_or(0) == 0 {
                first = Some(choice);
            }
        }
        Ok(Choices { first, listed: true })
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        drain_map(members)?;
        Ok(Choices::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Choices::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Reply<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn only_the_choice_with_index_0_counts() {
        let reply = read(
            r#"{"choices":[null,{"index":1,"finish_reason":"length"},{"index":0,"finish_reason":"stop"}]}"#,
        );
        assert_eq!(reply.choices.first.unwrap().finish_reason.filled(), Some("stop"));
        let other = read(r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#);
        assert!(other.choices.first.is_none() && other.choices.listed);
    }

    #[test]
    fn null_and_missing_members_are_no_error() {
        for json in [
            "{}",
            r#"{"choices":null}"#,
            r#"{"choices":{}}"#,
            r#"{"id":null,"choices":[{"delta":null,"message":null,"finish_reason":null,"index":null}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":null,"function_call":null,"content":null}}]}"#,
        ] {
            read(json);
        }
    }
}
