//! What is wrong with a caller's request, and where: a path, what was expected, what was found.
//!
//! The strict ways of reading a member, for the face. Values are never quoted but for short words, so that no
//! prompt gets into an error.

use std::fmt::Display;

use mainstay_canon::{Failure, Kind};
use serde_json::value::RawValue;

use super::json::{Object, count, items, kind, text};

/// Longest word that is quoted, in characters.
const QUOTED: usize = 40;

/// One mistake.
#[derive(Debug)]
pub(super) struct Fault {
    path: String,
    message: String,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// Something of another kind than expected.
    pub(super) fn expected(what: &str, found: &RawValue) -> Self {
        Self::new(format!("expected {what}, found {}", kind(found).name()))
    }

    /// A word that is none of the known ones.
    pub(super) fn word(what: &str, found: &str) -> Self {
        let word: String = found.chars().take(QUOTED).collect();
        Self::new(format!("expected {what}, found {word:?}"))
    }

    /// Says in which member or element the mistake is.
    pub(super) fn within(mut self, place: impl Display) -> Self {
        self.path = if self.path.is_empty() { place.to_string() } else { format!("{place}.{}", self.path) };
        self
    }

    /// The failure to be told to the caller.
    pub(super) fn failure(self) -> Failure {
        if self.path.is_empty() {
            return Failure::new(Kind::InvalidRequest, self.message).status(400);
        }
        Failure::new(Kind::InvalidRequest, format!("{}: {}", self.path, self.message))
            .status(400)
            .param(self.path)
    }
}

pub(super) fn string(raw: &RawValue) -> Result<String, Fault> {
    text(raw).map(Into::into).ok_or_else(|| Fault::expected("a string", raw))
}

pub(super) fn boolean(raw: &RawValue) -> Result<bool, Fault> {
    raw.get().parse().map_err(|_| Fault::expected("a boolean", raw))
}

pub(super) fn number(raw: &RawValue) -> Result<f64, Fault> {
    serde_json::from_str(raw.get()).map_err(|_| Fault::expected("a number", raw))
}

/// A count of tokens.
pub(super) fn tokens(raw: &RawValue) -> Result<u32, Fault> {
    let what = "a whole number from 0 to 4294967295";
    count(raw).and_then(|count| u32::try_from(count).ok()).ok_or_else(|| Fault::expected(what, raw))
}

pub(super) fn object(raw: &RawValue) -> Result<Object<'_>, Fault> {
    Object::of(raw).ok_or_else(|| Fault::expected("an object", raw))
}

/// Every element of an array, read in the same way.
pub(super) fn each<'a, T>(
    raw: &'a RawValue,
    mut read: impl FnMut(&'a RawValue) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let elements = items(raw).ok_or_else(|| Fault::expected("an array", raw))?;
    elements.into_iter().enumerate().map(|(nth, raw)| read(raw).map_err(|fault| fault.within(nth))).collect()
}

/// A member that may be missing or null.
pub(super) fn optional<'a, T>(
    object: &Object<'a>,
    name: &str,
    read: impl FnOnce(&'a RawValue) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    object.get(name).map(read).transpose().map_err(|fault| fault.within(name))
}

/// A member that must be there.
pub(super) fn required<'a, T>(
    object: &Object<'a>,
    name: &str,
    read: impl FnOnce(&'a RawValue) -> Result<T, Fault>,
) -> Result<T, Fault> {
    match object.member(name) {
        Some(raw) => read(raw).map_err(|fault| fault.within(name)),
        None => Err(Fault::new("this field is required").within(name)),
    }
}
