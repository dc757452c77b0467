//! Answers that are cut in the middle of a thought, of a call, and between their finish word and their end.

use super::broken::{READ, head};
use crate::said::{Said, SaidCall};
use crate::server::{Seen, Step};
use crate::spell::Spelling;
use crate::wire::chunk;

/// An answer that thinks; the cut comes in the middle of it.
pub(super) fn in_reasoning(thinking: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let said = Said { piece: 4, ..Said::text("").thinking(thinking) };
    in_the_middle(&said, thinking, spelling, seen)
}

/// An answer that is one call; the cut comes in the middle of its arguments.
pub(super) fn in_call(call: &SaidCall, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let said = Said { piece: 4, ..Said::call(&call.name, &call.arguments) };
    in_the_middle(&said, &call.arguments, spelling, seen)
}

/// The content's first half and a reset.
fn in_the_middle(said: &Said, within: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    if !seen.stream {
        return document_cut(said, within, spelling, seen);
    }
    let events = said.parts(spelling, &seen.model);
    let half = events.content.iter().take(events.content.len().div_ceil(2));
    let mut steps = vec![head(spelling)];
    steps.extend(events.opening.iter().chain(half).map(|event| chunk(event)));
    steps.extend([Step::Wait(READ), Step::Reset]);
    steps
}

/// A document up to the middle of `within`, or its own middle where that does not stand in it as it is.
fn document_cut(said: &Said, within: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let body = said.body(spelling, &seen.model).to_string();
    let at = body.find(within).map_or(body.len() / 2, |at| at + within.len() / 2);
    let head = format!(
        "HTTP/1.1 200 Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
        body.len(),
        body.get(..at).unwrap_or_default()
    );
    vec![Step::Bytes(head.into()), Step::Wait(READ), Step::Reset]
}

/// A stream up to the event with its finish word, and a reset.
pub(super) fn after_finish(text: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let said = Said::text(text);
    let events = said.parts(spelling, &seen.model);
    let mut steps = vec![head(spelling)];
    let begun = events
        .opening
        .iter()
        .chain(&events.content)
        .chain(events.ending.iter().take(to_finish(&events.ending)));
    steps.extend(begun.map(|event| chunk(event)));
    steps.extend([Step::Wait(READ), Step::Reset]);
    steps
}

/// How many of the last events there are up to the first that says why the answer ended.
pub(super) fn to_finish(ending: &[String]) -> usize {
    const WORDS: [&str; 5] =
        ["\"stop\"", "\"end_turn\"", "\"STOP\"", "\"response.completed\"", "\"done\":true"];
    let says = |event: &String| WORDS.iter().any(|word| event.contains(word));
    ending.iter().position(says).map_or(ending.len(), |at| at + 1)
}
