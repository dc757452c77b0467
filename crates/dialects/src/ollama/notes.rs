//! What could not be said to a model, for the attempt's record: nothing is dropped in silence.

use std::collections::BTreeSet;

use mainstay_canon::{Dialect, Extra};

/// Notes on one request being written.
#[derive(Debug, Default)]
pub(super) struct Notes {
    said: Vec<String>,
    foreign: BTreeSet<String>,
}

impl Notes {
    /// Says something once.
    pub(super) fn say(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.said.contains(&note) {
            self.said.push(note);
        }
    }

    /// A parameter is left out.
    pub(super) fn dropped(&mut self, name: &str) {
        self.say(format!("dropped_param:{name}"));
    }

    /// Members that have no place in this dialect stay behind.
    pub(super) fn leave_behind(&mut self, extra: &Extra) {
        for name in extra.names() {
            self.leave_member(name);
        }
    }

    /// One member stays behind.
    pub(super) fn leave_member(&mut self, name: &str) {
        self.foreign.insert(name.to_owned());
    }

    /// All notes, the members of `origin` that stayed behind last.
    pub(super) fn into_list(mut self, origin: Option<Dialect>) -> Vec<String> {
        if !self.foreign.is_empty() {
            let names = self.foreign.into_iter().collect::<Vec<_>>().join(", ");
            let whose = origin.map_or("unknown origin", Dialect::name);
            self.said.push(format!("not passed on ({whose}): {names}"));
        }
        self.said
    }
}
