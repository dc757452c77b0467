//! The members of a reply that this dialect gives a meaning to, whole or in pieces.
//!
//! One set of structs for both: a chunk of a stream is a reply whose `message` is called `delta`. Texts are
//! lent from the bytes. What the members mean is read elsewhere.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::lenient::{Count, Many, Text, drain_map, drain_seq};

/// Defines a struct that is read from an object, with what the object says under other names in `rest`. A name
/// after `not` is passed over: it says nothing, or its meaning is known without reading.
macro_rules! read_from_object {
    (
        $(#[$meta:meta])*
        struct $name:ident not [$($silent:literal),*] {
            $($(#[$doc:meta])* $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(super) struct $name<'a> {
            $($(#[$doc])* pub(super) $field: $kind,)*
            /// Members with other names, nulls left out.
            pub(super) rest: Rest<'a>,
        }

        impl<'de: 'a, 'a> Deserialize<'de> for $name<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;
                impl<'de> Visitor<'de> for Members {
                    type Value = $name<'de>;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut found = $name::default();
                        while let Some(name) = map.next_key::<Text<'de>>()? {
                            match name.0.as_deref().unwrap_or_default() {
                                $(stringify!($field) => found.$field = map.next_value()?,)*
                                $($silent => { map.next_value::<IgnoredAny>()?; })*
                                _ => found.rest.take(name, map.next_value()?),
                            }
                        }
                        Ok(found)
                    }

                    // A list is no object, and no error either: some servers spell an empty object so.
                    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                        drain_seq(items)?;
                        Ok($name::default())
                    }
                }
                deserializer.deserialize_struct(stringify!($name), &[], Members)
            }
        }
    };
}

/// Members that have no field of their own.
#[derive(Debug, Default)]
pub(super) struct Rest<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Rest<'a> {
    fn take(&mut self, name: Text<'a>, raw: &'a RawValue) {
        if raw.get() != "null" {
            self.0.push((name.given().unwrap_or_default(), raw));
        }
    }

    /// All of them, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, raw)| (&**name, *raw))
    }
}

read_from_object! {
    /// A reply, or one chunk of it. Padding against eavesdroppers (`obfuscation`, Mistral's `p`) says nothing.
    struct Reply not ["created", "obfuscation", "p"] {
        id: Text<'a>,
        model: Text<'a>,
        choices: Choices<'a>,
        usage: Option<&'a RawValue>,
        /// Groq's own: usage and errors of a stream.
        x_groq: Option<&'a RawValue>,
        error: Option<&'a RawValue>,
        /// MiniMax's own: a status inside a 200.
        base_resp: Option<&'a RawValue>,
        /// MiniMax's own: its filter marked the prompt.
        input_sensitive: Option<&'a RawValue>,
        /// MiniMax's own: its filter marked the answer.
        output_sensitive: Option<&'a RawValue>,
        /// `error` in a flat error object.
        object: Text<'a>,
        /// The text of a flat error object.
        message: Option<&'a RawValue>,
        /// The text of an error in the manner of FastAPI.
        detail: Option<&'a RawValue>,
        system_fingerprint: Option<&'a RawValue>,
        service_tier: Option<&'a RawValue>,
    }
}

/// The choice that counts: the one with index 0, or without an index.
#[derive(Debug, Default)]
pub(super) struct Choices<'a> {
    /// That choice.
    pub(super) first: Option<Choice<'a>>,
    /// Whether there was a list at all.
    pub(super) listed: bool,
}

read_from_object! {
    /// One choice.
    struct Choice not [] {
        index: Count,
        delta: Option<Said<'a>>,
        message: Option<Said<'a>>,
        finish_reason: Text<'a>,
        /// OpenRouter's own: the word of the host behind it.
        native_finish_reason: Text<'a>,
        /// vLLM's own: the stop text that was hit, or the number of a stop token.
        stop_reason: Option<&'a RawValue>,
        error: Option<&'a RawValue>,
        logprobs: Option<&'a RawValue>,
    }
}

read_from_object! {
    /// What the model said: a message, or a piece of one.
    struct Said not ["role"] {
        content: Option<&'a RawValue>,
        refusal: Text<'a>,
        reasoning_content: Text<'a>,
        reasoning: Text<'a>,
        reasoning_details: Option<&'a RawValue>,
        tool_calls: Many<CallPiece<'a>>,
        /// The form before tools; some servers still send it.
        function_call: Option<FunctionPiece<'a>>,
    }
}

read_from_object! {
    /// A tool call, or a piece of one.
    struct CallPiece not ["type"] {
        index: Count,
        id: Text<'a>,
        function: Option<FunctionPiece<'a>>,
        /// A tool that takes free text.
        custom: Option<CustomPiece<'a>>,
    }
}

read_from_object! {
    /// The function of a call.
    struct FunctionPiece not [] {
        name: Text<'a>,
        /// A string that holds JSON; some servers send the JSON itself.
        arguments: Option<&'a RawValue>,
    }
}

read_from_object! {
    /// The free-text tool of a call.
    struct CustomPiece not [] {
        name: Text<'a>,
        input: Text<'a>,
    }
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
    fn what_has_no_field_is_left_over_without_nulls_and_padding() {
        let reply = read(
            r#"{"obfuscation":"xx","provider":"P","service_tier":null,"x":null,"choices":[{"delta":{"role":"a","n":1.0}}]}"#,
        );
        let names =
            |rest: &Rest<'_>| rest.iter().map(|(name, raw)| format!("{name}={raw}")).collect::<Vec<_>>();
        assert_eq!(names(&reply.rest), [r#"provider="P""#]);
        let choice = reply.choices.first.unwrap();
        assert_eq!(names(&choice.delta.unwrap().rest), ["n=1.0"]);
    }

    #[test]
    fn null_and_missing_members_are_no_error() {
        for json in [
            "{}",
            r#"{"choices":null}"#,
            r#"{"choices":{}}"#,
            r#"{"id":null,"choices":[{"delta":null,"message":null,"finish_reason":null,"index":null}]}"#,
            r#"{"choices":[{"delta":[]}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":null,"function_call":null,"content":null}}]}"#,
        ] {
            read(json);
        }
    }
}
