//! Finds the listed phrases in a plain window, all at once and in one pass.
//!
//! It knows where a phrase may begin and end, not what a phrase leads to.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::plain::{COVER, Plain};
use crate::words::{Sense, refusal_lists};

/// A phrase found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// What it says.
    pub(crate) sense: Sense,
    /// Its first plain byte.
    pub(crate) start: usize,
    /// Behind its last plain byte.
    pub(crate) end: usize,
}

/// The refusal lists, ready to search. Building them takes some milliseconds, once.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::load);

/// Phrases by the automaton that finds them.
pub(crate) struct Lexicon {
    /// `None` only if the lists outgrew the automaton, which a test rules out.
    automaton: Option<AhoCorasick>,
    entries: Vec<Entry>,
    /// The same phrases in order, for the question what a beginning may still become.
    sorted: Vec<Ordered>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Ordered {
    phrase: Box<str>,
    sense: Sense,
    stem: bool,
}

struct Entry {
    sense: Sense,
    stem: bool,
    opens_sentence: bool,
}

impl Lexicon {
    fn load() -> Self {
        let mut phrases: Vec<Vec<u8>> = Vec::new();
        let mut entries = Vec::new();
        let mut sorted = Vec::new();
        for list in refusal_lists() {
            for phrase in list.phrases() {
                let opens_sentence = phrase.starts_with('^');
                let stem = phrase.ends_with('*');
                let bare = phrase.trim_start_matches('^').trim_end_matches('*');
                let mut plain = Plain::<256>::of(bare).text().to_owned();
                if bare.ends_with('_') {
                    plain.push(' ');
                }
                entries.push(Entry { sense: list.sense, stem, opens_sentence });
                sorted.push(Ordered { phrase: plain.clone().into_boxed_str(), sense: list.sense, stem });
                phrases.push(plain.into_bytes());
            }
        }
        sorted.sort();
        let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(phrases).ok();
        Self { automaton, entries, sorted }
    }

    /// The phrases in `plain`, ordered by where they end. Allocates nothing.
    pub(crate) fn hits<'a>(&'a self, plain: &'a [u8]) -> impl Iterator<Item = Hit> + 'a {
        self.automaton.iter().flat_map(move |automaton| {
            automaton.find_overlapping_iter(plain).filter_map(move |found| {
                let entry = self.entries.get(found.pattern().as_usize())?;
                let (start, end) = (found.start(), found.end());
                let begins = !joined(plain, start);
                let ends = entry.stem || !joined(plain, end);
                let placed = !entry.opens_sentence || opens_sentence(plain, start);
                (begins && ends && placed).then_some(Hit { sense: entry.sense, start, end })
            })
        })
    }

    /// Whether some phrase of these senses begins with `text`, or `text` with it: the beginning of an
    /// answer that may still become, or already is, that phrase.
    pub(crate) fn may_begin(&self, text: &str, senses: impl Fn(Sense) -> bool) -> bool {
        // Phrases that begin with `text` stand together, right behind where `text` would stand.
        let from = self.sorted.partition_point(|known| known.phrase.as_ref() < text);
        let mut longer = self.sorted.iter().skip(from).take_while(|known| known.phrase.starts_with(text));
        if longer.any(|known| senses(known.sense)) {
            return true;
        }
        // Phrases that `text` begins with are its own beginnings.
        text.char_indices().skip(1).map(|(at, _)| at).any(|at| {
            let Some(beginning) = text.get(..at) else { return false };
            let from = self.sorted.partition_point(|known| known.phrase.as_ref() < beginning);
            let mut equal =
                self.sorted.iter().skip(from).take_while(|known| known.phrase.as_ref() == beginning);
            equal.any(|known| senses(known.sense) && (known.stem || !joined(text.as_bytes(), at)))
        })
    }
}

/// Whether the bytes on both sides of `at` belong to one word of a script that puts spaces between words
/// and whose words the lists spell out: Latin, Greek, Cyrillic.
fn joined(plain: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| plain.get(before)).copied() else { return false };
    let Some(after) = plain.get(at).copied() else { return false };
    let two_before = at.checked_sub(2).and_then(|before| plain.get(before)).copied();
    let word_before = before.is_ascii_alphanumeric()
        || (is_continuation(before) && two_before.is_some_and(is_two_byte_letter));
    word_before && (after.is_ascii_alphanumeric() || is_two_byte_letter(after))
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// First bytes of Latin Extended, Greek and Cyrillic letters.
const fn is_two_byte_letter(byte: u8) -> bool {
    matches!(byte, 0xc3..=0xd3)
}

fn opens_sentence(plain: &[u8], start: usize) -> bool {
    let before = plain.get(..start).unwrap_or_default();
    let last = before.iter().rev().find(|byte| !matches!(**byte, b' ' | COVER | b'"' | b'\'' | b'('));
    // The last byte of `。` stands for it.
    matches!(last, None | Some(b'\n' | b'.' | b'!' | b'?' | b':' | 0x82))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn senses(text: &str) -> Vec<Sense> {
        LEXICON.hits(Plain::<512>::without_quotes(text).bytes()).map(|hit| hit.sense).collect()
    }

    #[test]
    fn the_lists_fit_the_automaton() {
        assert!(LEXICON.automaton.is_some());
        assert!(LEXICON.sorted.iter().all(|known| !known.phrase.is_empty()));
    }

    #[test]
    fn a_phrase_is_found_as_words_and_not_inside_words() {
        assert!(senses("Désolé, mais non.").contains(&Sense::Apology));
        assert!(!senses("The sorrysome case").contains(&Sense::Apology));
        assert!(senses("Entschuldigung!").contains(&Sense::Apology));
        assert!(senses("죄송하지만").contains(&Sense::Apology));
        assert!(!senses("Oh dear me").contains(&Sense::Letter));
        assert!(senses("Dear Ana, hello").contains(&Sense::Letter));
    }

    #[test]
    fn a_beginning_knows_what_it_may_become() {
        let apology = |sense| sense == Sense::Apology;
        assert!(LEXICON.may_begin("sor", apology));
        assert!(LEXICON.may_begin("sorry, but", apology));
        assert!(!LEXICON.may_begin("sort", apology));
        assert!(!LEXICON.may_begin("the capital", apology));
    }
}
