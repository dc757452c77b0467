//! What only this dialect says, on its way to a caller.
//!
//! It goes with the next chunk, as hosts send it: log probabilities beside their text, annotations in a delta.

use std::collections::BTreeMap;

use mainstay_canon::{Extra, ExtraPiece, JoinedExtra, Joins, RawJson};

use super::reply_read::{CHOICE, MESSAGE};
use crate::framing::line;
use crate::paths::spelled;

/// Longest value of a member that every chunk repeats, in bytes.
const STANDING: usize = 256;

/// Members that we write ourselves, by place.
const OF_BODY: [&str; 7] = ["id", "object", "created", "model", "choices", "usage", "mainstay"];
const OF_CHOICE: [&str; 4] = ["index", "message", "delta", "finish_reason"];
const OF_DELTA: [&str; 6] =
    ["role", "content", "refusal", "reasoning_content", "reasoning_details", "tool_calls"];

/// Members that wait for the next chunk.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// Short texts of the body, such as a fingerprint: every chunk has them.
    standing: BTreeMap<String, RawJson>,
    body: JoinedExtra,
    choice: JoinedExtra,
    delta: JoinedExtra,
}

/// Members of one chunk.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) choice: Extra,
    pub(super) delta: Extra,
}

impl Beside {
    /// Takes a piece of this dialect in.
    pub(super) fn take(&mut self, piece: &ExtraPiece) {
        for (path, raw) in piece.members.iter() {
            if let Some(name) = path.strip_prefix(MESSAGE) {
                add(&mut self.delta, name, raw, &OF_DELTA, piece.joins);
            } else if let Some(name) = path.strip_prefix(CHOICE) {
                add(&mut self.choice, name, raw, &OF_CHOICE, piece.joins);
            } else if raw.text().starts_with('"') && raw.text().len() <= STANDING {
                if !OF_BODY.contains(&path) {
                    self.standing.insert(path.to_owned(), raw.clone());
                }
            } else {
                add(&mut self.body, path, raw, &OF_BODY, piece.joins);
            }
        }
    }

    /// Whether something waits that belongs into a delta.
    pub(super) fn has_delta(&self) -> bool {
        !self.delta.is_empty()
    }

    /// What goes into the choice and the delta of the next chunk.
    pub(super) fn next(&mut self) -> Members {
        Members { choice: drain(&mut self.choice), delta: drain(&mut self.delta) }
    }

    /// Writes the members of the body, each after a comma.
    pub(super) fn write_body(&mut self, out: &mut Vec<u8>) {
        for (name, raw) in &self.standing {
            member(name, raw, out);
        }
        members(&drain(&mut self.body), out);
    }
}

fn add(to: &mut JoinedExtra, name: &str, raw: &RawJson, ours: &[&str], joins: Joins) {
    if !ours.contains(&name) {
        let members = [(name.to_owned(), raw.clone())].into_iter().collect();
        // What is beyond the limit was left out before it came here.
        let _ = to.add(&ExtraPiece { dialect: mainstay_canon::Dialect::OpenaiChat, members, joins });
    }
}

fn drain(joined: &mut JoinedExtra) -> Extra {
    if joined.is_empty() { Extra::new() } else { std::mem::take(joined).extra() }
}

/// Writes members, each after a comma.
pub(super) fn members(extra: &Extra, out: &mut Vec<u8>) {
    for (name, raw) in extra.iter() {
        member(name, raw, out);
    }
}

fn member(name: &str, raw: &RawJson, out: &mut Vec<u8>) {
    out.push(b',');
    // A string and JSON can always be written.
    let _ = line::json(spelled(name), out);
    out.push(b':');
    let _ = line::json(raw, out);
}
