//! What a streamed reply says under names that have no canonical one.
//!
//! It is kept under the names that a whole reply keeps it by. Members of the body are running values, and hosts
//! repeat them on every chunk: they are told when they are new. What stands in a choice or a message belongs to
//! its chunk, so lists grow.

use mainstay_canon::{Dialect, Extra, ExtraPiece, Joins, WireEvent};
use serde_json::value::RawValue;

use super::json::keep;
use super::lenient::says_something;
use super::reply_read::{CHOICE, MESSAGE};
use super::shown;
use super::wire::{Choice, Reply, Said};
use crate::paths::beneath;

/// Most bytes of values that are remembered to see what is new: 256 KB. Beyond, values are told again.
const REMEMBERED: usize = 256 * 1024;
/// Most names that are remembered.
const NAMES: usize = 64;

/// What was told of one reply.
#[derive(Debug, Default)]
pub(super) struct Extras {
    told: Vec<(String, Box<str>)>,
    bytes: usize,
}

impl Extras {
    /// Members of the body that are new.
    pub(super) fn of_reply(&mut self, reply: &Reply<'_>, out: &mut Vec<WireEvent>) {
        let named = [
            ("system_fingerprint", reply.system_fingerprint),
            ("service_tier", reply.service_tier),
            ("x_groq", reply.x_groq),
            ("input_sensitive", reply.input_sensitive),
            ("output_sensitive", reply.output_sensitive),
        ];
        let named = named.into_iter().filter_map(|(name, raw)| Some((name, raw?)));
        let mut members = Extra::new();
        for (name, raw) in named.chain(reply.rest.iter()) {
            let path = beneath("", name);
            if self.is_news(&path, raw) {
                keep(&mut members, path, raw);
            }
        }
        tell(members, Joins::Replace, out);
    }

    /// Members of the choice and of what is said in it.
    pub(super) fn of_choice(
        &mut self,
        choice: &Choice<'_>,
        said: Option<&Said<'_>>,
        out: &mut Vec<WireEvent>,
    ) {
        let mut members = Extra::new();
        let native =
            choice.native_finish_reason.filled().and_then(|word| mainstay_canon::RawJson::of(word).ok());
        if let Some(native) = native {
            members.insert(format!("{CHOICE}native_finish_reason"), native);
        }
        let named = [("logprobs", choice.logprobs), ("stop_reason", choice.stop_reason)];
        let named = named.into_iter().filter_map(|(name, raw)| Some((name, raw?)));
        for (name, raw) in named.chain(choice.rest.iter()) {
            let path = beneath(CHOICE, name);
            if grows(raw) || self.is_news(&path, raw) {
                keep(&mut members, path, raw);
            }
        }
        let mut growing = Extra::new();
        let mut seen = Vec::new();
        for (name, raw) in said.into_iter().flat_map(|said| said.rest.iter()) {
            seen.extend(shown::of_member(name, raw));
            if name == shown::AUDIO && raw.get().starts_with('{') {
                let [standing, grows] = shown::pieces_of_sound(raw);
                for (to, raw) in [(&mut members, standing), (&mut growing, grows)] {
                    if let Some(raw) = raw {
                        to.insert(beneath(MESSAGE, name), raw);
                    }
                }
                continue;
            }
            keep(&mut members, beneath(MESSAGE, name), raw);
        }
        tell(members, Joins::Append, out);
        tell(growing, Joins::Concat, out);
        out.extend(seen.into_iter().map(WireEvent::Shown));
    }

    /// Whether that name had another value, or none; then it is remembered.
    fn is_news(&mut self, name: &str, raw: &RawValue) -> bool {
        let value = raw.get();
        let has_room = self.told.len() < NAMES;
        match self.told.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) if **known == *value => return false,
            Some((_, known)) => {
                let others = self.bytes.saturating_sub(known.len());
                // What does not fit is forgotten, so that it counts as news again.
                *known = if others.saturating_add(value.len()) <= REMEMBERED { value } else { "" }.into();
                self.bytes = others.saturating_add(known.len());
            }
            None if has_room && self.bytes.saturating_add(value.len()) <= REMEMBERED => {
                self.told.push((name.to_owned(), value.into()));
                self.bytes = self.bytes.saturating_add(value.len());
            }
            None => {}
        }
        true
    }
}

/// Whether a value adds to what was said before: it holds a list of something.
fn grows(raw: &RawValue) -> bool {
    raw.get().contains('[') && says_something(raw)
}

/// Parts of a content that have no place in an answer.
pub(super) fn unplaced(parts: &[&RawValue], out: &mut Vec<WireEvent>) {
    if let Some(parts) = (!parts.is_empty()).then(|| mainstay_canon::RawJson::of(parts).ok()).flatten() {
        let mut members = Extra::new();
        members.insert(format!("{MESSAGE}content"), parts);
        tell(members, Joins::Append, out);
    }
}

/// Tells members, if there are any.
pub(super) fn tell(members: Extra, joins: Joins, out: &mut Vec<WireEvent>) {
    if !members.is_empty() {
        out.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::OpenaiChat, members, joins }));
    }
}
