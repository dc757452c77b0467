//! What could not be said to a model, for the attempt's record: nothing is dropped in silence.

use std::collections::BTreeSet;

use mainstay_canon::{Dialect, Extra};

/// Notes on one request being written.
#[derive(Debug)]
pub(super) struct Notes {
    /// Whose dialect the extras are, where the caller said so.
    origin: Option<Dialect>,
    foreign: BTreeSet<String>,
    said: Vec<String>,
}

impl Notes {
    /// Notes on a request whose extras are of that dialect.
    pub(super) fn new(origin: Option<Dialect>) -> Self {
        Self { origin, foreign: BTreeSet::new(), said: Vec::new() }
    }

    /// Whether extras are written. A caller in code who names no dialect means whoever is asked.
    pub(super) fn extras_are_ours(&self) -> bool {
        self.origin.is_none_or(|dialect| dialect == Dialect::OpenaiResponses)
    }

    /// Whether the request came in OpenAI's other dialect, which has a few members and all files in common.
    pub(super) fn is_from_chat(&self) -> bool {
        self.origin == Some(Dialect::OpenaiChat)
    }

    /// A parameter is left out.
    pub(super) fn dropped(&mut self, name: &str) {
        self.say(format!("dropped_param:{name}"));
    }

    /// Says something once.
    pub(super) fn say(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.said.contains(&note) {
            self.said.push(note);
        }
    }

    /// Names the extras that stay behind because they are another dialect's.
    pub(super) fn leave_behind(&mut self, extra: &Extra) {
        if !self.extras_are_ours() {
            self.foreign.extend(extra.names().map(str::to_owned));
        }
    }

    /// Names one member that stays behind.
    pub(super) fn leave_member(&mut self, name: &str) {
        self.foreign.insert(name.to_owned());
    }

    /// All notes.
    pub(super) fn into_list(mut self) -> Vec<String> {
        if !self.foreign.is_empty() {
            let names = self.foreign.into_iter().collect::<Vec<_>>().join(", ");
            let whose = self.origin.map_or("unknown origin", Dialect::name);
            self.said.push(format!("not passed on ({whose}): {names}"));
        }
        self.said
    }
}
