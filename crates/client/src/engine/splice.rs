//! Going on where an answer broke off, without a repeated word (behaviour 7.4).

use mainstay_canon::{ChatMessage, ChatRequest, Role};

/// Longest repetition that is looked for where the two parts meet, in bytes.
pub(crate) const OVERLAP: usize = 200;

/// What a model is told that is to go on.
const GO_ON: &str = "Your answer broke off. Go on exactly where it stopped: write only what comes next, without \
                     repeating anything and without a word about the interruption.";

/// The request whose answer goes on from `partial`.
pub(super) fn request_to_continue(request: &ChatRequest, partial: &str) -> ChatRequest {
    let mut going_on = request.clone();
    going_on.messages.push(ChatMessage::new(Role::Assistant, partial));
    going_on.messages.push(ChatMessage::new(Role::User, GO_ON));
    going_on
}

/// How many bytes at the start of `next` repeat the end of `so_far`.
///
/// The longest repetition counts; a shorter one could be a word that is rightly said twice.
pub(crate) fn repeated(so_far: &str, next: &str) -> usize {
    let longest = next.len().min(so_far.len()).min(OVERLAP);
    (1..=longest)
        .rev()
        .filter(|length| next.is_char_boundary(*length))
        .find(|length| {
            next.get(..*length).is_some_and(|start| so_far.ends_with(start) && is_evidence(so_far, start))
        })
        .unwrap_or(0)
}

/// Whether a repetition is one. A single letter or space says nothing, unless it completes the very word
/// that was cut.
fn is_evidence(so_far: &str, start: &str) -> bool {
    let words = start.trim();
    let whole_word = so_far.len() == start.len()
        || so_far
            .get(..so_far.len() - start.len())
            .is_some_and(|before| !before.ends_with(char::is_alphanumeric));
    words.chars().count() >= 2 && whole_word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_again_is_found() {
        for (so_far, next, again) in [
            ("The committee met on Tues", "Tuesday and agreed.", "Tues"),
            ("The committee met", "The committee met on Tuesday.", "The committee met"),
            ("one two three", " four", ""),
            ("He said that", "that it was late", "that"),
            ("a banana", "nation of fruit", ""),
            ("", "Hello", ""),
            ("Grüße aus Köln", "Köln am Rhein", "Köln"),
        ] {
            assert_eq!(next.get(..repeated(so_far, next)), Some(again), "{so_far:?} + {next:?}");
        }
    }

    #[test]
    fn a_request_to_go_on_ends_with_the_part_and_the_wish() {
        let request = request_to_continue(&ChatRequest::user("Tell me."), "Once upon");
        let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
        assert_eq!(request.messages.get(1).map(ChatMessage::text).as_deref(), Some("Once upon"));
    }
}
