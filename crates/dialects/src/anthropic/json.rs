//! JSON objects whose members stay the text they arrived in, and the few ways of reading one member.
//!
//! Reading is lenient here: a member of another kind than asked for reads as absent. Who must complain about
//! it (the face that reads a caller's request) does so itself. Knows nothing of the dialect.

use std::borrow::Cow;
use std::fmt;

use mainstay_canon::{Extra, RawJson};
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

/// One object, its members unread and in order. Where a name stands twice, the last one counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// The object that `text` is.
    ///
    /// The error says where the text stops being JSON and quotes nothing of it.
    pub(super) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('{') {
            serde_json::from_str(text)
        } else {
            // The parser's own error would quote a string that stands here.
            Err(serde::de::Error::custom("not an object"))
        }
    }

    /// The object that a member is; nothing where it is something else.
    pub(super) fn of(raw: &'a RawValue) -> Option<Self> {
        if kind(raw) == JsonKind::Object { Self::parse(raw.get()).ok() } else { None }
    }

    /// The member of that name, null or not.
    pub(super) fn member(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|&(_, raw)| raw)
    }

    /// The member of that name unless it is null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.member(name).filter(|raw| kind(raw) != JsonKind::Null)
    }

    /// The text under that name.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(text)
    }

    /// The text under that name, where it holds something.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        self.text(name).filter(|word| !word.is_empty()).map(Cow::into_owned)
    }

    /// The count under that name.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(count)
    }

    /// The object under that name.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.get(name).and_then(Self::of)
    }

    /// The object with another value under that name, if it has the name.
    pub(super) fn with(mut self, name: &str, value: &'a RawValue) -> Self {
        for (_, raw) in self.0.iter_mut().filter(|(known, _)| known == name) {
            *raw = value;
        }
        self
    }

    /// All members, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, raw)| (name.as_ref(), *raw))
    }

    /// The members that are not null and not named in `known`.
    pub(super) fn rest(&self, known: &[&str]) -> Extra {
        self.iter()
            .filter(|(name, raw)| !known.contains(name) && kind(raw) != JsonKind::Null)
            .map(|(name, raw)| (name.to_owned(), keep(raw)))
            .collect()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Lent(name), raw)) = map.next_entry::<Lent<'de>, &'de RawValue>()? {
                    members.push((name, raw));
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Writes the members back, replaced ones included, in the old order.
impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, raw) in &self.0 {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}

/// A string borrowed from its JSON text wherever that holds no escape.
#[derive(serde::Deserialize)]
struct Lent<'a>(#[serde(borrow)] Cow<'a, str>);

/// What kind of value a JSON text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl JsonKind {
    /// The kind, for messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// What kind of value `raw` is. Valid JSON tells it by its first byte.
pub(super) fn kind(raw: &RawValue) -> JsonKind {
    match raw.get().as_bytes().first() {
        Some(b'{') => JsonKind::Object,
        Some(b'[') => JsonKind::Array,
        Some(b'"') => JsonKind::String,
        Some(b't' | b'f') => JsonKind::Boolean,
        Some(b'n') => JsonKind::Null,
        Some(_) | None => JsonKind::Number,
    }
}

/// The string that `raw` is. Half a surrogate pair, which a stream cut inside an emoji can hold, becomes
/// replacement characters rather than a loss of the whole text.
pub(super) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    if kind(raw) != JsonKind::String {
        return None;
    }
    match serde_json::from_str::<Lent<'_>>(raw.get()) {
        Ok(Lent(text)) => Some(text),
        Err(_) => serde_json::from_str::<Lossy>(raw.get()).ok().map(|Lossy(text)| Cow::Owned(text)),
    }
}

/// A string whose lone surrogates are replaced.
struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Lossy;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Lossy, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// The count that `raw` is: a whole number from 0, also where it is written with a point.
pub(super) fn count(raw: &RawValue) -> Option<u64> {
    let text = raw.get();
    text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok())
}

/// The elements of the array that `raw` is.
pub(super) fn items(raw: &RawValue) -> Option<Vec<&RawValue>> {
    if kind(raw) == JsonKind::Array { serde_json::from_str(raw.get()).ok() } else { None }
}

/// A copy that outlives the text it was read from.
pub(super) fn keep(raw: &RawValue) -> RawJson {
    // A raw value is JSON already, so this cannot fail; null would stand for it if it did.
    RawJson::of(raw).unwrap_or_else(|_| null())
}

/// A value written as JSON and kept. Only for values that always can be written.
pub(super) fn kept<T: Serialize + ?Sized>(value: &T) -> RawJson {
    RawJson::of(value).unwrap_or_else(|_| null())
}

fn null() -> RawJson {
    keep(RawValue::NULL)
}

/// `{}`.
pub(super) fn empty_object() -> &'static RawValue {
    serde_json::from_str("{}").unwrap_or(RawValue::NULL)
}

/// The raw value inside; nothing only if the text were not JSON, which a [`RawJson`] never is.
pub(super) fn raw(json: &RawJson) -> Option<&RawValue> {
    json.read().ok()
}

/// Adds a value's JSON to `out`. Only for values that always can be written.
pub(super) fn put<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Our values have string keys and a vector takes every byte, so there is no error to report.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        Object::parse(text).unwrap()
    }

    #[test]
    fn members_are_read_by_kind_and_others_are_absent() {
        let object = object(r#"{"s":"a\n","n":12,"f":12.0,"neg":-1,"o":{"x":1},"z":null,"e":""}"#);
        assert_eq!(object.text("s").as_deref(), Some("a\n"));
        assert_eq!(object.text("n"), None);
        assert_eq!((object.count("n"), object.count("f"), object.count("neg")), (Some(12), Some(12), None));
        assert_eq!(object.object("o").unwrap().count("x"), Some(1));
        assert!(object.member("z").is_some() && object.get("z").is_none());
        assert_eq!(object.word("e"), None);
    }

    #[test]
    fn the_last_of_two_members_counts() {
        assert_eq!(object(r#"{"a":1,"a":2}"#).count("a"), Some(2));
        assert_eq!(object(r#"{"a":1,"a":2}"#).rest(&[]).get("a").unwrap().text(), "2");
    }

    #[test]
    fn an_escaped_name_is_the_name() {
        assert_eq!(object(r#"{"\u0061b":1}"#).count("ab"), Some(1));
    }

    #[test]
    fn half_a_surrogate_pair_does_not_lose_the_text() {
        let object = object(r#"{"s":"ab\ud83d"}"#);
        assert!(object.text("s").unwrap().starts_with("ab\u{fffd}"));
    }

    #[test]
    fn what_is_left_over_keeps_its_text() {
        let rest = object(r#"{"known":1,"n":1.500,"z":null,"o":{ "b" : 1, "a":2}}"#).rest(&["known"]);
        assert_eq!(rest.names().collect::<Vec<_>>(), ["n", "o"]);
        assert_eq!(rest.get("n").unwrap().text(), "1.500");
        assert_eq!(rest.get("o").unwrap().text(), r#"{ "b" : 1, "a":2}"#);
    }
}
