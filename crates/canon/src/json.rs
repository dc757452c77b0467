//! JSON that is carried, not read: its bytes survive unchanged.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One JSON value kept as the text it arrived in.
///
/// Numbers keep their digits and objects their order, which a parsed tree would lose.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Checks that `text` is one JSON value and keeps it.
    ///
    /// # Errors
    ///
    /// The parser's own error when `text` is not JSON.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Writes `value` as JSON and keeps the text.
    ///
    /// # Errors
    ///
    /// When the value cannot be written, which a map with keys that are not strings cannot.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Reads the value into a type.
    ///
    /// # Errors
    ///
    /// The parser's own error when the text has another shape.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Members of an incoming object that the canonical chat has no name for, kept by name.
///
/// Members of its inner objects that have no name either stand among them under their paths, such as
/// `text.verbosity`. A caller's member that is itself named so, with a dot, is kept as `\text.verbosity`: a dialect
/// that keeps paths writes it without the backslash, and never as a path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Extra(BTreeMap<String, RawJson>);

impl Extra {
    /// No members. Allocates nothing.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Keeps a member, replacing one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: RawJson) {
        self.0.insert(name.into(), value);
    }

    /// The member of that name.
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0.get(name)
    }

    /// Takes the member of that name out.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        self.0.remove(name)
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The names of the members, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl FromIterator<(String, RawJson)> for Extra {
    fn from_iter<I: IntoIterator<Item = (String, RawJson)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_every_digit() {
        let raw = RawJson::parse("12345678901234567890.10").unwrap();
        assert_eq!(serde_json::to_string(&raw).unwrap(), "12345678901234567890.10");
    }

    #[test]
    fn text_that_is_not_json_is_refused() {
        assert!(RawJson::parse("{").is_err());
    }
}
