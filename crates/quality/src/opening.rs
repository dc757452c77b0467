//! Whether the beginning of an answer may still become a refusal.
//!
//! The first words decide: an answer that begins "The capital" cannot become an apology. After politeness
//! ("Great question.") the next sentence is looked at; after words that may open a refusal ("I'm sorry,
//! but") one has to wait for what they lead to.

use crate::lexicon::LEXICON;
use crate::page;
use crate::plain::Plain;
use crate::reading::Reading;
use crate::words::Sense;
use crate::words::errors::ERRORS;
use crate::words::first::{BRIDGES, FIRST, GIVING_KO, INTERJECTIONS, TURNS};
use crate::words::markup::{MARKS, SILENT};

/// Plain bytes of a beginning that are read.
const BEGINNING: usize = 1024;
/// A finished sentence of this strength may be the refusal itself.
const WEIGHTY: f32 = 0.7;
/// Bytes of an unfinished tag that are waited for.
const TAG: usize = 40;

/// Whether `text`, the visible beginning of an answer, may still become a refusal, an error message or a
/// leaked token.
pub(crate) fn may_refuse(text: &str) -> bool {
    if text.starts_with("```") {
        return false;
    }
    if text.starts_with(['<', '[']) && may_be_mark(text) {
        return true;
    }
    let window = Plain::<BEGINNING>::without_quotes(text);
    let plain = window.bytes();
    if plain.is_empty() {
        return true;
    }
    let reading = Reading::of(plain);
    let sentences = reading.sentences();
    for sentence in sentences {
        let words = plain.get(sentence.start..sentence.end).unwrap_or_default();
        let words = std::str::from_utf8(words).unwrap_or_default().trim_start_matches(is_lead);
        if !is_finished(words) {
            let taken_back = (sentence.has(Sense::Idiom) || sentence.has(Sense::Sympathy))
                && sentence.strength() < WEIGHTY;
            return !taken_back && (may_open(words) || is_open_korean(text, words));
        }
        if sentence.strength() >= WEIGHTY || page::is_error_text(text, crate::demand::Demand::unknown) {
            return true;
        }
        let goes_on = sentence.is_preface() || sentence.has(Sense::Identity) || either_begins(FIRST, words);
        if !goes_on {
            return false;
        }
    }
    // Politeness so far; or no word yet, and then a number is an answer.
    !sentences.is_empty() || !plain.iter().any(u8::is_ascii_digit)
}

fn is_lead(c: char) -> bool {
    matches!(c, ' ' | '"' | '\'' | '(' | '\u{1}' | '-' | '¡' | '¿' | ',')
}

fn is_finished(words: &str) -> bool {
    words.trim_end().ends_with(['.', '!', '?', '。', '।', '؟']) || words.ends_with('\n')
}

/// The text is the beginning of a mark, begins with one, or is a tag that is not closed yet.
fn may_be_mark(text: &str) -> bool {
    let marks = MARKS.iter().map(|(mark, _, _)| *mark).chain(SILENT.iter().copied());
    let pages = ["<!DOCTYPE html", "<!doctype html", "<html", "<think>"];
    let known = marks.chain(pages).any(|mark| mark.starts_with(text) || text.starts_with(mark));
    known || (text.starts_with('<') && text.len() < TAG && !text.contains(['>', ' ', '\n']))
}

/// Whether a sentence that has only begun may open a refusal.
fn may_open(words: &str) -> bool {
    let mut words = words;
    // "No, I'm sorry, …": interjections stand before the sentence proper, seldom more than two.
    for _ in 0..3 {
        let begins = |list: &str| list.split('|').any(|word| word.starts_with(words));
        if begins(INTERJECTIONS) {
            return true;
        }
        let Some(rest) = INTERJECTIONS.split('|').find_map(|word| words.strip_prefix(word)) else { break };
        words = rest;
    }
    if either_begins(FIRST, words) || either_begins(ERRORS, words) || LEXICON.may_begin(words, opens) {
        return true;
    }
    match after_subject(words) {
        Some(rest) if may_follow_subject(rest) => true,
        Some(_) | None => is_politeness(words),
    }
}

/// Politeness that has not ended may lead to a refusal: "I understand why you ask, but …". After a comma it
/// has to turn.
fn is_politeness(words: &str) -> bool {
    if !LEXICON.may_begin(words, |sense| sense == Sense::Preface) {
        return false;
    }
    match words.split_once([',', '，']) {
        Some((before, rest)) => before.split(' ').count() < 3 || either_begins(TURNS, rest.trim_start()),
        None => true,
    }
}

/// A Korean sentence without its end, unless it gives something or is laid out as a list or under a heading.
fn is_open_korean(text: &str, words: &str) -> bool {
    let korean = words.chars().next().is_some_and(|c| matches!(c, '가'..='힣'));
    let laid_out = text.starts_with(['#', '*', '-', '1', '|', '•', '"', '“', '\'', '[']);
    korean && !laid_out && !either_begins(GIVING_KO, words)
}

/// Senses whose phrases open a refusal by themselves.
fn opens(sense: Sense) -> bool {
    match sense {
        Sense::Apology
        | Sense::ICan
        | Sense::Cannot
        | Sense::CannotAct
        | Sense::Decline
        | Sense::Deflect
        | Sense::Identity
        | Sense::Lack => true,
        Sense::Self_
        | Sense::Other
        | Sense::Not
        | Sense::Act
        | Sense::Object
        | Sense::Policy
        | Sense::Moral
        | Sense::Crime
        | Sense::Value
        | Sense::Denial
        | Sense::Redirect
        | Sense::Idiom
        | Sense::Sympathy
        | Sense::Explains
        | Sense::Asks
        | Sense::Letter
        | Sense::Narration
        | Sense::Preface
        | Sense::Giving
        | Sense::Turn
        | Sense::Offer => false,
    }
}

fn either_begins(list: &str, words: &str) -> bool {
    list.split('|').any(|first| first.starts_with(words) || words.starts_with(first))
}

/// What follows "I", "we" or "I'm".
fn after_subject(words: &str) -> Option<&str> {
    ["i'm ", "i'd ", "i'll ", "we ", "i "].iter().find_map(|subject| words.strip_prefix(subject)).or_else(
        || {
            // The subject alone may still be followed by anything.
            matches!(words, "i" | "we" | "i'" | "i'm" | "i'd" | "i'll" | "i'l").then_some("")
        },
    )
}

fn may_follow_subject(rest: &str) -> bool {
    let mut rest = rest;
    loop {
        if rest.is_empty() {
            return true;
        }
        let follows = |sense| opens(sense) || sense == Sense::Not;
        if LEXICON.may_begin(rest, follows) || BRIDGES.split('|').any(|bridge| bridge.starts_with(rest)) {
            return true;
        }
        let bridge = BRIDGES.split('|').filter_map(|bridge| rest.strip_prefix(bridge)?.strip_prefix(' '));
        match bridge.min_by_key(|rest| rest.len()) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_beginnings_are_known_by_their_first_words() {
        for text in [
            "The capital",
            "To make",
            "Paris",
            "1. ",
            "Step one",
            "Yes, ",
            "Sure! H",
            "def f",
            "I think",
            "I love",
            "We sh",
            "It's a g",
            "Here ",
            "# Intro",
            "**Rai",
            "```python",
            "La capi",
            "42",
            "Okay, here",
            "Great question! Rai",
            "I'm sorry to hear that. Here",
        ] {
            assert!(!may_refuse(text), "{text}");
        }
    }

    #[test]
    fn what_may_open_a_refusal_is_waited_for() {
        for text in [
            "I",
            "I'm",
            "I can",
            "I can't",
            "I really can't",
            "I'm sorry, but",
            "Sorry",
            "Unf",
            "Unfortunately, ",
            "As an AI",
            "Thank you for your message.",
            "Great question",
            "Okay, I",
            "> I ca",
            "🚫",
            "My apol",
            "Your request was",
            "**",
            "<|im",
            "Lo siento",
            "Es tut mir",
            "Je ne",
            "抱歉",
            "我无法",
            "죄송",
            "申し訳",
            "An error occ",
            "[TOOL_",
            "It is not app",
            "I am just an AI",
        ] {
            assert!(may_refuse(text), "{text}");
        }
    }
}
