//! Finds the listed phrases in a plain window, all at once and in one pass.
//!
//! It knows where a phrase may begin and end, not what a phrase leads to.

use std::sync::LazyLock;

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
    tree: Tree,
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
        let mut phrases: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
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
                let number = u32::try_from(entries.len()).unwrap_or(u32::MAX);
                entries.push(Entry { sense: list.sense, stem, opens_sentence });
                sorted.push(Ordered { phrase: plain.clone().into_boxed_str(), sense: list.sense, stem });
                phrases.push((plain.into_bytes(), number));
            }
        }
        sorted.sort();
        phrases.sort();
        Self { tree: Tree::of(&phrases), entries, sorted }
    }

    /// The phrases in `plain`, ordered by where they end. Allocates nothing.
    pub(crate) fn hits(&self, plain: &[u8]) -> Hits {
        let mut hits =
            Hits { found: [Stored { sense: Sense::Self_, start: 0, end: 0 }; MOST_HITS], count: 0 };
        let mut in_word = false;
        for (at, byte) in plain.iter().enumerate() {
            let letter = byte.is_ascii_alphanumeric();
            // Most bytes stand inside a word, where no phrase begins.
            let inside = in_word && letter;
            in_word = letter;
            if inside || !self.tree.begins(plain, at) || joined(plain, at) {
                continue;
            }
            self.tree.walk(plain, at, |number, end| {
                let Some(entry) = self.entries.get(number as usize) else { return };
                let ends = entry.stem || !joined(plain, end);
                let placed = !entry.opens_sentence || opens_sentence(plain, at);
                if ends && placed {
                    hits.push(entry.sense, at, end);
                }
            });
        }
        hits
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

/// Phrases that are told apart in one window; what follows is not read.
const MOST_HITS: usize = 224;

#[derive(Clone, Copy)]
struct Stored {
    sense: Sense,
    start: u16,
    end: u16,
}

/// The phrases found in a window.
pub(crate) struct Hits {
    found: [Stored; MOST_HITS],
    count: usize,
}

impl Hits {
    /// Keeps them ordered by their ends, and the longer of two that end together first.
    fn push(&mut self, sense: Sense, start: usize, end: usize) {
        let (Ok(start), Ok(end)) = (u16::try_from(start), u16::try_from(end)) else { return };
        if self.count == MOST_HITS {
            return;
        }
        let mut place = self.count;
        while let Some(before) = place.checked_sub(1).and_then(|before| self.found.get(before)).copied() {
            if before.end <= end {
                break;
            }
            if let Some(slot) = self.found.get_mut(place) {
                *slot = before;
            }
            place -= 1;
        }
        if let Some(slot) = self.found.get_mut(place) {
            *slot = Stored { sense, start, end };
        }
        self.count += 1;
    }

    /// In the order of their ends.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Hit> + '_ {
        self.found.iter().take(self.count).map(|hit| Hit {
            sense: hit.sense,
            start: usize::from(hit.start),
            end: usize::from(hit.end),
        })
    }
}

/// The phrases as a tree of bytes. Phrases begin where words begin, so a window needs few walks, and most of
/// them are short.
struct Tree {
    nodes: Vec<Node>,
    /// Numbers of the phrases that end at a node, node by node.
    ends: Vec<u32>,
    /// The nodes of the first two bytes, by these bytes; 0 where no phrase begins so.
    pairs: Vec<u32>,
    /// One bit for each hash of the three bytes with which a phrase of two or three begins.
    short: Vec<u64>,
    /// One bit for each hash of the four bytes with which a longer phrase begins.
    long: Vec<u64>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    byte: u8,
    /// How many nodes follow it; they stand together.
    children: u16,
    first_child: u32,
    first_end: u32,
    ends: u16,
}

impl Tree {
    /// Of phrases in ascending order.
    fn of(phrases: &[(Vec<u8>, u32)]) -> Self {
        let mut tree = Self {
            nodes: vec![Node::default()],
            ends: Vec::new(),
            pairs: vec![0; 1 << 16],
            short: vec![0; 1 << 10],
            long: vec![0; 1 << 10],
        };
        tree.grow(0, phrases, 0);
        for (first, second, node) in tree.first_two() {
            if let Some(place) = tree.pairs.get_mut(usize::from(first) << 8 | usize::from(second)) {
                *place = node;
            }
        }
        for (phrase, _) in phrases {
            match four(phrase, 0) {
                Some(four) => set(&mut tree.long, four),
                None => tree.note_short(phrase),
            }
        }
        tree
    }

    /// Notes a phrase of fewer than four bytes by its first three, whatever follows a shorter one.
    fn note_short(&mut self, phrase: &[u8]) {
        let behind = |byte: &u8| !byte.is_ascii_alphanumeric();
        match phrase {
            [first, second] => {
                (0..=u8::MAX)
                    .filter(behind)
                    .for_each(|third| set(&mut self.short, three(*first, *second, third)));
            }
            [first, second, third] => set(&mut self.short, three(*first, *second, *third)),
            // One byte is looked at by itself, and four are no short phrase.
            _ => {}
        }
    }

    /// Whether some phrase may begin at `at`; seldom yes where none does.
    fn begins(&self, plain: &[u8], at: usize) -> bool {
        if four(plain, at).is_none_or(|four| is_set(&self.long, four)) {
            return true;
        }
        let byte = |at: usize| plain.get(at).copied().unwrap_or(0);
        let (first, second) = (byte(at), byte(at + 1));
        (first == SINGLE && !second.is_ascii_alphanumeric())
            || is_set(&self.short, three(first, second, byte(at + 2)))
    }

    fn first_two(&self) -> Vec<(u8, u8, u32)> {
        let mut all = Vec::new();
        for first in self.children(0) {
            let Some(node) = self.nodes.get(first as usize) else { continue };
            for second in self.children(first) {
                all.extend(self.nodes.get(second as usize).map(|child| (node.byte, child.byte, second)));
            }
        }
        all
    }

    fn children(&self, node: u32) -> std::ops::Range<u32> {
        let node = self.nodes.get(node as usize).copied().unwrap_or_default();
        node.first_child..node.first_child + u32::from(node.children)
    }

    /// Adds what follows the first `depth` bytes, which `phrases` share and `node` stands for.
    fn grow(&mut self, node: usize, phrases: &[(Vec<u8>, u32)], depth: usize) {
        let here = phrases.iter().take_while(|(phrase, _)| phrase.len() == depth);
        let first_end = small(self.ends.len());
        self.ends.extend(here.map(|(_, number)| *number));
        let ends = self.ends.len() - first_end as usize;
        let longer = phrases.get(ends..).unwrap_or_default();
        let groups: Vec<&[(Vec<u8>, u32)]> =
            longer.chunk_by(|(a, _), (b, _)| a.get(depth) == b.get(depth)).collect();
        let first_child = self.nodes.len();
        if let Some(node) = self.nodes.get_mut(node) {
            node.first_child = small(first_child);
            node.children = u16::try_from(groups.len()).unwrap_or(u16::MAX);
            node.first_end = first_end;
            node.ends = u16::try_from(ends).unwrap_or(u16::MAX);
        }
        for group in &groups {
            let byte = group.first().and_then(|(phrase, _)| phrase.get(depth)).copied().unwrap_or(0);
            self.nodes.push(Node { byte, ..Node::default() });
        }
        for (index, group) in groups.into_iter().enumerate() {
            self.grow(first_child + index, group, depth + 1);
        }
    }

    /// Calls `found(number, end)` for each phrase that begins at `at`, the shorter first.
    fn walk(&self, plain: &[u8], at: usize, mut found: impl FnMut(u32, usize)) {
        let (Some(first), second) = (plain.get(at).copied(), plain.get(at + 1).copied()) else { return };
        let pair = usize::from(first) << 8 | usize::from(second.unwrap_or(0));
        let mut node = match self.pairs.get(pair).copied() {
            Some(number) if number != 0 => {
                // A phrase of one byte ends before the pair.
                self.short(first, at, &mut found);
                number
            }
            Some(_) | None => return self.short(first, at, &mut found),
        };
        let mut end = at + 2;
        loop {
            let Some(here) = self.nodes.get(node as usize) else { return };
            let from = here.first_end as usize;
            for number in self.ends.get(from..from + usize::from(here.ends)).unwrap_or_default() {
                found(*number, end);
            }
            let Some(byte) = plain.get(end).copied() else { return };
            let from = here.first_child as usize;
            let children = self.nodes.get(from..from + usize::from(here.children)).unwrap_or_default();
            let Some(next) = children.iter().position(|child| child.byte == byte) else { return };
            node = here.first_child + small(next);
            end += 1;
        }
    }

    /// The phrases of one byte, such as "i".
    fn short(&self, first: u8, at: usize, found: &mut impl FnMut(u32, usize)) {
        if first != SINGLE {
            return;
        }
        let child = self
            .children(0)
            .filter_map(|child| self.nodes.get(child as usize))
            .find(|child| child.byte == first);
        let Some(child) = child.filter(|child| child.ends > 0) else { return };
        let from = child.first_end as usize;
        for number in self.ends.get(from..from + usize::from(child.ends)).unwrap_or_default() {
            found(*number, at + 1);
        }
    }
}

/// The only phrase of one byte: "i".
const SINGLE: u8 = b'i';

/// Three bytes, folded to sixteen bits.
fn three(first: u8, second: u8, third: u8) -> usize {
    let all = u32::from_le_bytes([first, second, third, 0]);
    usize::try_from(all.wrapping_mul(0x9e37_79b1) >> 16).unwrap_or(0)
}

/// The four bytes at `at`, folded to sixteen bits.
fn four(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok())?;
    usize::try_from(u32::from_le_bytes(four).wrapping_mul(0x9e37_79b1) >> 16).ok()
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits.get(at >> 6).is_some_and(|bits| bits >> (at & 63) & 1 == 1)
}

fn set(bits: &mut [u64], at: usize) {
    if let Some(bits) = bits.get_mut(at >> 6) {
        *bits |= 1 << (at & 63);
    }
}

/// There are far fewer than four thousand million phrases.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
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
        LEXICON.hits(Plain::<512>::without_quotes(text).bytes()).iter().map(|hit| hit.sense).collect()
    }

    #[test]
    fn no_phrase_is_empty_and_only_one_is_a_single_byte() {
        let single = LEXICON.sorted.iter().filter(|known| known.phrase.len() == 1);
        assert!(single.into_iter().all(|known| known.phrase.as_ref() == "i"));
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
