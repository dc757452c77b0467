//! The members of a reply that this dialect gives a meaning to.
//!
//! One struct for both: a line of a stream and a whole reply are the same object. Texts are lent from the bytes.

use std::borrow::Cow;

use mainstay_canon::WireUsage;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::openai_chat::lenient::{Count, Many, Text, read, says_something};

/// A reply, or one line of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Option<Said<'a>>,
    #[serde(borrow)]
    done: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) done_reason: Text<'a>,
    prompt_eval_count: Count,
    eval_count: Count,
    /// Log probabilities of the tokens of this piece.
    #[serde(borrow)]
    pub(super) logprobs: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    /// Where version 0.11.3 put a failure to read its model's tool call.
    #[serde(borrow, rename = "error parsing tool call")]
    unread_call: Option<&'a RawValue>,
}

/// What the model said, or a piece of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said<'a> {
    #[serde(borrow)]
    pub(super) content: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: Many<Call<'a>>,
}

/// A tool call. It always comes whole.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    /// An object; servers in the manner of OpenAI send a string that holds one.
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl Chunk<'_> {
    /// Whether this is the last of the answer, where that is said.
    pub(super) fn done(&self) -> Option<bool> {
        self.done.and_then(|raw| raw.get().parse().ok())
    }

    /// The counts. Servers leave out what they did not count, such as a prompt that lay in the cache.
    pub(super) fn usage(&self) -> WireUsage {
        WireUsage { prompt: self.prompt_eval_count.0, completion: self.eval_count.0, ..WireUsage::default() }
    }

    /// Whether something went wrong.
    pub(super) fn fails(&self) -> bool {
        self.error.is_some_and(says_something) || self.unread_call.is_some()
    }

    /// Whether anything was said.
    pub(super) fn says(&self) -> bool {
        self.message.as_ref().is_some_and(|said| {
            said.content.filled().or(said.thinking.filled()).is_some() || said.calls().next().is_some()
        })
    }
}

impl<'a> Said<'a> {
    /// The calls that name a tool or say something to it.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call<'a>> {
        self.tool_calls.0.iter().filter(|call| !call.name().is_empty() || !call.arguments().is_empty())
    }
}

impl<'a> Call<'a> {
    /// The tool's name; empty where there is none.
    pub(super) fn name(&self) -> &str {
        self.function.as_ref().and_then(|function| function.name.filled()).unwrap_or_default()
    }

    /// The arguments as JSON text; empty where there are none.
    pub(super) fn arguments(&self) -> Cow<'a, str> {
        match self.function.as_ref().and_then(|function| function.arguments) {
            Some(raw) if raw.get().starts_with('"') => {
                read::<Text<'a>>(Some(raw)).given().unwrap_or_default()
            }
            Some(raw) if raw.get() != "null" => Cow::Borrowed(raw.get()),
            Some(_) | None => Cow::Borrowed(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_and_missing_members_are_no_error() {
        for json in [
            "{}",
            r#"{"message":null,"done":null,"done_reason":null,"eval_count":null,"error":null}"#,
            r#"{"message":{"content":null,"thinking":null,"tool_calls":null},"done":"yes"}"#,
            r#"{"message":{"tool_calls":[null,{},{"function":null},{"function":{"arguments":null}}]}}"#,
            r#"{"model":7,"message":{"content":["a"]},"prompt_eval_count":-1,"error":""}"#,
        ] {
            let chunk: Chunk<'_> = serde_json::from_str(json).unwrap();
            assert!(!chunk.says() && !chunk.fails() && chunk.done().is_none(), "{json}");
            assert_eq!(chunk.usage(), WireUsage::default(), "{json}");
        }
    }

    #[test]
    fn arguments_are_the_text_of_their_object() {
        let of = |json: &str| {
            let call: Call<'_> =
                serde_json::from_str::<Said<'_>>(json).unwrap().tool_calls.0.into_iter().next().unwrap();
            call.arguments().into_owned()
        };
        for (arguments, text) in [
            (r#"{"x": 1.50, "y":[12345678901234567890]}"#, r#"{"x": 1.50, "y":[12345678901234567890]}"#),
            (r#""{\"x\":1}""#, r#"{"x":1}"#),
            ("null", ""),
            ("[1]", "[1]"),
        ] {
            let json = format!(r#"{{"tool_calls":[{{"function":{{"name":"f","arguments":{arguments}}}}}]}}"#);
            assert_eq!(of(&json), text);
        }
    }
}
