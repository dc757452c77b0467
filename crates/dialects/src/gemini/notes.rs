//! What could not be told to a model, for the attempt's record: nothing is dropped in silence.

use mainstay_canon::Extra;

/// Notes on one request being written, each thing once.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// Most notes of one request.
    const MOST: usize = 32;
    /// Longest note, in characters.
    const LONGEST: usize = 300;

    /// Adds a note unless it stands there already.
    pub(super) fn add(&mut self, note: impl Into<String>) {
        let mut note = note.into();
        if let Some((cut, _)) = note.char_indices().nth(Self::LONGEST) {
            note.truncate(cut);
            note.push('…');
        }
        if self.0.len() < Self::MOST && !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    /// Names members that stay behind because another dialect alone understands them.
    pub(super) fn leave_behind(&mut self, what: &str, extra: &Extra) {
        if !extra.is_empty() {
            let names: Vec<&str> = extra.names().collect();
            self.add(format!(
                "left out of {what}, which only another dialect understands: {}",
                names.join(", ")
            ));
        }
    }

    /// All notes, in order.
    pub(super) fn into_vec(self) -> Vec<String> {
        self.0
    }
}
