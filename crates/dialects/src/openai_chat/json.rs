//! Reading a caller's JSON strictly, with the path of whatever is wrong.
//!
//! Objects are lists of raw members: what nobody takes is left over, byte for byte, for `extra`. An error
//! says what kind of thing was found, never the thing itself, for that may be a prompt.

use std::borrow::Cow;
use std::fmt;

use mainstay_canon::{Extra, Failure, Kind, RawJson};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::lenient::Text;
use crate::paths::beneath;

/// Where in a body something stands, such as `messages[2].content[0].type`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'p> {
    /// The body itself.
    Root,
    /// A member of an object.
    Member(&'p Path<'p>, &'p str),
    /// An item of a list.
    Item(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// The path of a member.
    pub(crate) fn member<'p>(&'p self, name: &'p str) -> Path<'p> {
        Path::Member(self, name)
    }

    /// The path of an item.
    pub(crate) fn item(&self, index: usize) -> Path<'_> {
        Path::Item(self, index)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Path::Root, name) => f.write_str(name),
            Self::Member(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// The failure of a field that is not what it should be.
pub(crate) fn wrong(path: &Path<'_>, expected: &str, found: Option<&RawValue>) -> Failure {
    invalid(path, &format!("expected {expected}, found {}", kind_of(found)))
}

/// The failure of a word that is none of those expected. Only for members whose values are vocabulary.
pub(crate) fn wrong_word(path: &Path<'_>, expected: &str, found: &str) -> Failure {
    let shown: String = found.chars().take(40).collect();
    invalid(path, &format!("expected {expected}, found {shown:?}"))
}

/// The failure of a field, in our words.
pub(crate) fn invalid(path: &Path<'_>, what: &str) -> Failure {
    let path = path.to_string();
    if path.is_empty() {
        return Failure::new(Kind::InvalidRequest, format!("the body: {what}"));
    }
    Failure::new(Kind::InvalidRequest, format!("{path}: {what}")).param(path)
}

fn kind_of(found: Option<&RawValue>) -> &'static str {
    match found.and_then(|raw| raw.get().trim_start().bytes().next()) {
        None => "nothing",
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
    }
}

/// The members of an object, not read yet.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Takes a member out; null counts as absent. Of two with one name the later counts.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let mut found = None;
        self.0.retain(|(known, raw)| {
            let ours = known == name;
            if ours {
                found = Some(*raw);
            }
            !ours
        });
        found.filter(|raw| raw.get() != "null")
    }

    /// Looks at a member without taking it; null counts as absent.
    pub(crate) fn look(&self, name: &str) -> Option<&'a RawValue> {
        self.0
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, raw)| *raw)
            .filter(|raw| raw.get() != "null")
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is left, in its order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, raw)| (&**name, *raw))
    }

    /// Keeps what is left, by name.
    pub(crate) fn keep_in(&self, extra: &mut Extra) {
        for (name, raw) in self.iter() {
            keep(extra, name, raw);
        }
    }

    /// Keeps what is left where members of inner objects stand too, each name after the path of its object.
    pub(crate) fn keep_beneath(&self, object: &str, extra: &mut Extra) {
        for (name, raw) in self.iter() {
            keep(extra, beneath(object, name), raw);
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, raw)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
            members.push((name.given().unwrap_or_default(), raw));
        }
        Ok(Members(members))
    }
}

/// Keeps a copy of a raw value under a name.
pub(crate) fn keep(extra: &mut Extra, name: impl Into<String>, raw: &RawValue) {
    // Copying a raw value cannot fail: it is JSON already.
    if let Ok(raw) = RawJson::of(raw) {
        extra.insert(name, raw);
    }
}

/// An object's members.
pub(crate) fn object<'a>(raw: &'a RawValue, path: &Path<'_>) -> Result<Members<'a>, Failure> {
    serde_json::from_str(raw.get()).map_err(|_| wrong(path, "an object", Some(raw)))
}

/// A list's items.
pub(crate) fn list<'a>(raw: &'a RawValue, path: &Path<'_>) -> Result<Vec<&'a RawValue>, Failure> {
    serde_json::from_str(raw.get()).map_err(|_| wrong(path, "a list", Some(raw)))
}

/// A string.
pub(crate) fn string<'a>(raw: &'a RawValue, path: &Path<'_>) -> Result<Cow<'a, str>, Failure> {
    if !raw.get().starts_with('"') {
        return Err(wrong(path, "a string", Some(raw)));
    }
    let text: Text<'a> = serde_json::from_str(raw.get())
        .map_err(|_| invalid(path, "expected a string, found one with a broken escape"))?;
    Ok(text.given().unwrap_or_default())
}

/// A number.
pub(crate) fn number(raw: &RawValue, path: &Path<'_>) -> Result<f64, Failure> {
    serde_json::from_str(raw.get()).map_err(|_| wrong(path, "a number", Some(raw)))
}

/// A whole number.
pub(crate) fn integer(raw: &RawValue, path: &Path<'_>) -> Result<i64, Failure> {
    serde_json::from_str(raw.get()).map_err(|_| wrong(path, "a whole number", Some(raw)))
}

/// True or false.
pub(crate) fn boolean(raw: &RawValue, path: &Path<'_>) -> Result<bool, Failure> {
    serde_json::from_str(raw.get()).map_err(|_| wrong(path, "true or false", Some(raw)))
}

/// A string that must be there.
pub(crate) fn required_string(found: Option<&RawValue>, path: &Path<'_>) -> Result<String, Failure> {
    let Some(raw) = found else { return Err(wrong(path, "a string", None)) };
    string(raw, path).map(Cow::into_owned)
}

/// A string that may be missing.
pub(crate) fn optional_string(found: Option<&RawValue>, path: &Path<'_>) -> Result<Option<String>, Failure> {
    found.map(|raw| string(raw, path).map(Cow::into_owned)).transpose()
}

/// Says where a parser stopped, but not at what: that could be a prompt.
pub(crate) fn place(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        serde_json::error::Category::Eof => "it ends early",
        serde_json::error::Category::Data => "a member has an unexpected type",
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => "it breaks JSON",
    };
    format!("{what} at line {}, column {}", error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_code() {
        let messages = Path::Root.member("messages");
        let message = messages.item(2);
        let content = message.member("content");
        let part = content.item(0);
        assert_eq!(part.member("type").to_string(), "messages[2].content[0].type");
    }

    #[test]
    fn what_nobody_takes_is_left_over_byte_for_byte() {
        let raw =
            RawValue::from_string(r#"{"a":1,"b":12345678901234567890.10,"a":2,"c":null}"#.into()).unwrap();
        let mut members = object(&raw, &Path::Root).unwrap();
        assert_eq!(members.take("a").unwrap().get(), "2");
        assert!(members.take("c").is_none());
        let mut extra = Extra::new();
        members.keep_beneath("x.", &mut extra);
        assert_eq!(extra.get("x.b").unwrap().text(), "12345678901234567890.10");
        assert_eq!(extra.names().count(), 1);
    }

    #[test]
    fn an_error_never_shows_the_value() {
        let raw = RawValue::from_string("\"my secret\"".into()).unwrap();
        let failure = integer(&raw, &Path::Root.member("seed")).unwrap_err();
        assert_eq!(failure.message, "seed: expected a whole number, found a string");
        assert_eq!(failure.param.as_deref(), Some("seed"));
    }
}
