//! JSON objects with their members unread, and lenient ways of reading one.
//!
//! A member of another kind than asked for reads as absent: no odd member may cost a whole answer. What nobody
//! reads keeps its text. Knows no member by name.

use std::borrow::Cow;
use std::fmt;

use mainstay_canon::{Extra, RawJson};
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object's members in their order. Of two with one name the later counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// The object that `text` is; nothing where it is no JSON or something else.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The object that a value is.
    pub(super) fn of(raw: &'a RawValue) -> Option<Self> {
        if kind(raw) == JsonKind::Object { Self::parse(raw.get()) } else { None }
    }

    /// The member of that name, unless it is null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let (_, raw) = self.0.iter().rev().find(|(known, _)| known == name)?;
        Some(*raw).filter(|raw| kind(raw) != JsonKind::Null)
    }

    /// The text under that name.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(text)
    }

    /// The word under that name, where it holds something. An enum may be spelled as its number.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        let raw = self.get(name)?;
        match kind(raw) {
            JsonKind::String => text(raw).map(Cow::into_owned).filter(|word| !word.is_empty()),
            JsonKind::Number => Some(raw.get().to_owned()),
            JsonKind::Null | JsonKind::Boolean | JsonKind::Array | JsonKind::Object => None,
        }
    }

    /// The count under that name: a whole number from 0, also where it is written with a point or in quotes.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        let word = self.word(name)?;
        word.strip_suffix(".0").unwrap_or(&word).parse().ok()
    }

    /// Whether the member of that name is true.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|raw| raw.get() == "true")
    }

    /// The object under that name.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.get(name).and_then(Self::of)
    }

    /// The elements of the array under that name; none where it is no array.
    pub(super) fn list(&self, name: &str) -> Vec<&'a RawValue> {
        self.get(name).and_then(items).unwrap_or_default()
    }

    /// All members, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, raw)| (name.as_ref(), *raw))
    }

    /// All members, taken apart.
    pub(super) fn into_members(self) -> Vec<(Cow<'a, str>, &'a RawValue)> {
        self.0
    }

    /// Whether a member says something that is not named in `known`.
    pub(super) fn has_beside(&self, known: &[&str]) -> bool {
        self.iter().any(|(name, raw)| !known.contains(&name) && kind(raw) != JsonKind::Null)
    }

    /// The members that are neither null nor named in `known`.
    pub(super) fn rest(&self, known: &[&str]) -> Extra {
        self.iter()
            .filter(|(name, raw)| !known.contains(name) && kind(raw) != JsonKind::Null)
            .filter_map(|(name, raw)| Some((name.to_owned(), RawJson::of(raw).ok()?)))
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

/// A string lent from its JSON text wherever that holds no escape.
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

/// What kind of value `raw` is: valid JSON tells it by its first byte.
pub(super) fn kind(raw: &RawValue) -> JsonKind {
    match raw.get().as_bytes().first() {
        Some(b'{') => JsonKind::Object,
        Some(b'[') => JsonKind::Array,
        Some(b'"') => JsonKind::String,
        Some(b't' | b'f') => JsonKind::Boolean,
        Some(b'n') | None => JsonKind::Null,
        Some(_) => JsonKind::Number,
    }
}

/// The string that `raw` is. Half a surrogate pair becomes a replacement character rather than a loss of the
/// whole text.
pub(super) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    if kind(raw) != JsonKind::String {
        return None;
    }
    match serde_json::from_str(raw.get()) {
        Ok(Lent(text)) => Some(text),
        Err(_) => serde_json::from_str(raw.get()).ok().map(|Lossy(text)| Cow::Owned(text)),
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

/// The elements of the array that `raw` is.
pub(super) fn items(raw: &RawValue) -> Option<Vec<&RawValue>> {
    if kind(raw) == JsonKind::Array { serde_json::from_str(raw.get()).ok() } else { None }
}

/// The raw value inside; nothing only if its text were not JSON, which it always is.
pub(super) fn raw(json: &RawJson) -> Option<&RawValue> {
    json.read().ok()
}

/// A value's JSON text. Only for values that always can be written.
pub(super) fn written<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // Our values have string keys and memory takes every byte, so there is no error to report.
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        Object::parse(text).unwrap()
    }

    #[test]
    fn members_are_read_by_kind_and_others_are_absent() {
        let object =
            object(r#"{"s":"a\n","n":12,"f":12.0,"q":"7","neg":-1,"o":{"x":1},"z":null,"e":"","t":true}"#);
        assert_eq!(object.text("s").as_deref(), Some("a\n"));
        assert_eq!((object.text("n"), object.word("n").as_deref()), (None, Some("12")));
        assert_eq!((object.count("n"), object.count("f"), object.count("q")), (Some(12), Some(12), Some(7)));
        assert_eq!((object.count("neg"), object.count("s"), object.count("none")), (None, None, None));
        assert_eq!(object.object("o").unwrap().count("x"), Some(1));
        assert!(object.get("z").is_none() && object.word("e").is_none());
        assert!(object.flag("t") && !object.flag("s") && object.list("o").is_empty());
    }

    #[test]
    fn only_an_object_is_one() {
        for text in ["", "[]", "7", "\"a\"", "{", "null"] {
            assert!(Object::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_last_of_two_members_counts_and_an_escaped_name_is_the_name() {
        assert_eq!(object(r#"{"a":1,"\u0061":2}"#).count("a"), Some(2));
        assert!(object(r#"{"a":1,"a":null}"#).get("a").is_none());
    }

    #[test]
    fn half_a_surrogate_pair_does_not_lose_the_text() {
        assert!(object(r#"{"s":"ab\ud83d"}"#).text("s").unwrap().starts_with("ab\u{fffd}"));
    }

    #[test]
    fn what_is_left_over_keeps_its_text() {
        let rest = object(r#"{"known":1,"n":1.500,"z":null,"o":{ "b" : 1}}"#).rest(&["known"]);
        assert_eq!(rest.names().collect::<Vec<_>>(), ["n", "o"]);
        assert!(object(r#"{"known":1,"n":2}"#).has_beside(&["known"]));
        assert!(!object(r#"{"known":1,"z":null}"#).has_beside(&["known"]));
        assert_eq!(
            (rest.get("n").unwrap().text(), rest.get("o").unwrap().text()),
            ("1.500", r#"{ "b" : 1}"#)
        );
    }
}
