//! JSON as servers that call themselves OpenAI-compatible really send it: a string that is a number, a list
//! that is null. A member of an odd type must not cost the whole answer, so these types read it as absent.
//!
//! Knows JSON; knows no member by name.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A text, lent where it holds no escape. Numbers read as their digits, all else as absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl<'a> Text<'a> {
    /// The text, if it holds anything.
    pub(crate) fn filled(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// The text, empty or not.
    pub(crate) fn given(self) -> Option<Cow<'a, str>> {
        self.0
    }

    /// A copy of the text, if it holds anything.
    pub(crate) fn owned(&self) -> Option<String> {
        self.filled().map(str::to_owned)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        drain_seq(items)?;
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        drain_map(members)?;
        Ok(None)
    }
}

/// A count. A whole number that is written as a float or a string counts too; all else is "not said".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) Option<u64>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let text = raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw);
        Ok(Self(whole(text)))
    }
}

/// `12`, or `12.0`.
fn whole(text: &str) -> Option<u64> {
    let digits = text
        .split_once('.')
        .map_or(text, |(whole, rest)| if rest.bytes().all(|digit| digit == b'0') { whole } else { "" });
    digits.parse().ok()
}

/// A list whose nulls are left out; what is no list is an empty one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Many<T>(pub(crate) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ManyVisitor(std::marker::PhantomData))
    }
}

struct ManyVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ManyVisitor<T> {
    type Value = Many<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(item) = items.next_element::<Option<T>>()? {
            found.extend(item);
        }
        Ok(Many(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        drain_map(members)?;
        Ok(Many::default())
    }

    fn visit_borrowed_str<E>(self, _: &'de str) -> Result<Self::Value, E> {
        Ok(Many::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Many::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Many::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Many::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Many::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Many::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Many::default())
    }
}

pub(crate) fn drain_seq<'de, A: SeqAccess<'de>>(mut items: A) -> Result<(), A::Error> {
    while items.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

pub(crate) fn drain_map<'de, A: MapAccess<'de>>(mut members: A) -> Result<(), A::Error> {
    while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads a raw value into a type that gives way; what does not fit reads as its default.
pub(crate) fn read<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// As [`read`], for structs: a list is no object, though a parser would fill a struct from one.
pub(crate) fn read_object<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    read(raw.filter(|raw| raw.get().starts_with('{')))
}

/// Whether a member says something: not null, false, zero, or an empty text, list or object.
pub(crate) fn says_something(raw: &RawValue) -> bool {
    let compact = raw.get().trim();
    let empty_inside =
        || compact.get(1..compact.len().saturating_sub(1)).is_none_or(|inside| inside.trim().is_empty());
    match compact.as_bytes().first() {
        Some(b'"' | b'[' | b'{') => !empty_inside(),
        Some(_) => !matches!(compact, "null" | "false" | "0"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        serde_json::from_str::<Text<'_>>(json).unwrap().given().map(Cow::into_owned)
    }

    #[test]
    fn a_text_may_be_a_number_and_anything_else_is_absent() {
        assert_eq!(text("\"a\\nb\"").as_deref(), Some("a\nb"));
        assert_eq!(text("77").as_deref(), Some("77"));
        for absent in ["null", "true", "[1,[2]]", "{\"a\":{}}"] {
            assert_eq!(text(absent), None, "{absent}");
        }
    }

    #[test]
    fn a_text_without_escapes_is_lent() {
        let lent: Text<'_> = serde_json::from_str("\"plain\"").unwrap();
        assert!(matches!(lent.0, Some(Cow::Borrowed("plain"))));
    }

    #[test]
    fn a_count_is_whole_and_not_negative() {
        let count = |json: &str| serde_json::from_str::<Count>(json).unwrap().0;
        assert_eq!((count("12"), count("12.0"), count("\"12\"")), (Some(12), Some(12), Some(12)));
        for unsaid in ["null", "-1", "1.5", "1e300", "[]", "{}", "true"] {
            assert_eq!(count(unsaid), None, "{unsaid}");
        }
    }

    #[test]
    fn a_list_gives_way() {
        let list = |json: &str| serde_json::from_str::<Many<Count>>(json).unwrap().0.len();
        assert_eq!(list("[1,null,2]"), 2);
        for none in ["null", "{}", "{\"a\":1}", "\"x\"", "3", "-3", "1.5", "true"] {
            assert_eq!(list(none), 0, "{none}");
        }
    }

    #[test]
    fn empty_things_say_nothing() {
        let says = |json: &str| says_something(&RawValue::from_string(json.to_owned()).unwrap());
        for empty in ["null", "false", "0", "\"\"", "{}", "{ }", "[\n]"] {
            assert!(!says(empty), "{empty}");
        }
        for full in ["\"x\"", "1", "true", "{\"a\":1}", "[0]"] {
            assert!(says(full), "{full}");
        }
    }
}
