//! Their file as a tree in which what was read is taken out, so that the rest can be named.

use serde_json::{Map, Value};

use crate::Note;

/// Most members that one section names in notes; a longer rest is counted.
const MOST_NAMED: usize = 50;

/// One map of their file.
pub(crate) struct Section {
    path: String,
    members: Map<String, Value>,
}

impl Section {
    /// A map at that path; the top has none.
    pub(crate) fn new(path: String, members: Map<String, Value>) -> Self {
        Self { path, members }
    }

    /// Where a member stands.
    pub(crate) fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// A member, which is then gone; `null` is absent.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name).filter(|value| !value.is_null())
    }

    /// A map inside, empty where it is absent or something else.
    pub(crate) fn section(&mut self, name: &str) -> Self {
        let path = self.at(name);
        match self.members.remove(name) {
            Some(Value::Object(members)) => Self::new(path, members),
            None | Some(Value::Null) => Self::new(path, Map::new()),
            Some(other) => {
                // Put back, so that it is named among the rest.
                self.members.insert(name.to_owned(), other);
                Self::new(path, Map::new())
            }
        }
    }

    /// A text; a number is its digits.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            other @ (Value::Bool(_) | Value::Array(_) | Value::Object(_) | Value::Null) => {
                self.members.insert(name.to_owned(), other);
                None
            }
        }
    }

    /// A number that is not negative.
    pub(crate) fn number(&mut self, name: &str) -> Option<f64> {
        let number = match self.members.get(name)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) | Value::Null => None,
        }
        .filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
        self.members.remove(name);
        Some(number)
    }

    /// A whole number.
    pub(crate) fn whole(&mut self, name: &str) -> Option<u64> {
        let number = self.number(name)?;
        // Their counts are far below 2^53.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let whole = (number.min(9e15)) as u64;
        Some(whole)
    }

    /// A member that changes nothing here, taken without a word.
    pub(crate) fn ignore(&mut self, names: &[&str]) {
        for name in names {
            self.members.remove(*name);
        }
    }

    /// Members with one and the same remark.
    pub(crate) fn remark(&mut self, names: &[&str], what: &str, notes: &mut Vec<Note>) {
        for name in names {
            if self.take(name).is_some() {
                notes.push(Note { about: self.at(name), what: what.to_owned() });
            }
        }
    }

    /// What nobody asked for.
    pub(crate) fn rest(self, notes: &mut Vec<Note>, what: &str) {
        let count = self.members.len();
        for name in self.members.keys().take(MOST_NAMED) {
            notes.push(Note { about: self.at(&clean(name)), what: what.to_owned() });
        }
        if count > MOST_NAMED {
            let what = format!("{} more members: {what}", count - MOST_NAMED);
            notes.push(Note { about: self.at("…"), what });
        }
    }
}

/// A name of theirs on one line of ours.
pub(crate) fn clean(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect()
}

/// The variable in `os.environ/NAME`.
pub(crate) fn variable(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix("os.environ/")?;
    let fits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    fits.then_some(name)
}
