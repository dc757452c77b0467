//! The words at the beginning of an answer as numbers: single words, pairs, triples, and characters where a
//! script puts no spaces between words. What a number is worth is the model's business.

use crate::plain::COVER;

/// Characters of the plain window that are read. Labelled answers to sensitive requests are cut at this length,
/// so nothing behind it may count: the model would learn where they were cut.
const REACH: usize = 160;
/// Words from the beginning that are told apart from later ones.
const OPENING: usize = 8;

/// Stands for the end of a sentence.
const STOP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Stands for quoted speech.
const QUOTE: u64 = 0xc2b2_ae3d_27d4_eb4f;
/// Stands for the beginning of the answer.
const BEGIN: u64 = 0x1656_67b1_9e37_79f9;

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

const PAIR: u64 = 0x2545_f491_4f6c_dd1d;
const TRIPLE: u64 = 0xd6e8_feb8_6659_fd93;
const GAP: u64 = 0xa076_1d64_78bd_642f;
const FIRST: u64 = 0xe703_7ed1_a0b4_28db;
const STEM: u64 = 0x8ebc_6af0_9c88_c6e3;
const CHARS: u64 = 0x5899_65cc_7537_4cc3;

/// How a byte is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A letter or digit of a word.
    Word,
    /// A character that is a word by itself: Han, kana, Thai.
    Alone,
    /// A Hangul syllable: a letter of a word, and read by itself as well.
    Syllable,
    /// The end of a sentence.
    Stop,
    /// Covered speech.
    Cover,
    /// Anything between words.
    Between,
}

/// Calls `sink` with the number of each gram of the first characters of `plain`.
pub(crate) fn each(plain: &[u8], sink: &mut impl FnMut(u64)) {
    let mut reader = Reader { sink, words: [BEGIN; 2], count: 0, chars: [0; 3], run: 0 };
    let mut word = Word::default();
    let (mut at, mut chars) = (0, 0);
    while chars < REACH {
        let Some(first) = plain.get(at).copied() else { break };
        let (kind, width) = kind(plain, at, first);
        let end = (at + width).min(plain.len());
        let bytes = plain.get(at..end).unwrap_or_default();
        match kind {
            Kind::Word | Kind::Syllable => {
                word.add(bytes);
                if kind == Kind::Syllable {
                    reader.character(bytes);
                }
            }
            Kind::Alone => {
                word.end(&mut reader);
                reader.character(bytes);
            }
            Kind::Stop => {
                word.end(&mut reader);
                reader.token(STOP, false);
            }
            Kind::Cover => {
                word.end(&mut reader);
                if reader.words[1] != QUOTE {
                    reader.token(QUOTE, false);
                }
            }
            Kind::Between => word.end(&mut reader),
        }
        at = end;
        chars += 1;
    }
    // A word that the reach cuts is not read: it may be half a word.
    if at >= plain.len() {
        word.end(&mut reader);
    }
}

fn kind(plain: &[u8], at: usize, first: u8) -> (Kind, usize) {
    match first {
        b'a'..=b'z' | b'0'..=b'9' | b'\'' => (Kind::Word, 1),
        b'.' | b'!' | b'?' | b'\n' => (Kind::Stop, 1),
        COVER => (Kind::Cover, 1),
        0xc3..=0xdf => (Kind::Word, 2),
        0xe0 => match plain.get(at + 1) {
            Some(0xb8..=0xbb) => (Kind::Alone, 3),
            Some(0xa5) if matches!(plain.get(at + 2), Some(0xa4 | 0xa5)) => (Kind::Stop, 3),
            Some(_) | None => (Kind::Word, 3),
        },
        0xe1 => (Kind::Word, 3),
        0xe3 => match (plain.get(at + 1), plain.get(at + 2)) {
            (Some(0x80), Some(0x82)) => (Kind::Stop, 3),
            (Some(0x80), _) => (Kind::Between, 3),
            (Some(_) | None, _) => (Kind::Alone, 3),
        },
        0xe4..=0xe9 => (Kind::Alone, 3),
        0xea..=0xed => (Kind::Syllable, 3),
        0xc2 => (Kind::Between, 2),
        0xe2 | 0xee | 0xef => (Kind::Between, 3),
        0xf0.. => (Kind::Between, 4),
        _ => (Kind::Between, 1),
    }
}

#[derive(Default)]
struct Word {
    hash: u64,
    stem: u64,
    letters: usize,
}

impl Word {
    fn add(&mut self, bytes: &[u8]) {
        if self.letters == 0 {
            self.hash = SEED;
        }
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
        self.letters += 1;
        if self.letters == 5 {
            self.stem = self.hash;
        }
    }

    fn end<S: FnMut(u64)>(&mut self, reader: &mut Reader<'_, S>) {
        if self.letters == 0 {
            return;
        }
        if self.letters > 6 {
            (reader.sink)(mix(self.stem, STEM));
        }
        reader.token(self.hash, true);
        self.letters = 0;
    }
}

struct Reader<'a, S> {
    sink: &'a mut S,
    /// The last two words, the nearer one last.
    words: [u64; 2],
    count: usize,
    /// The last three characters of a run.
    chars: [u64; 3],
    run: usize,
}

impl<S: FnMut(u64)> Reader<'_, S> {
    fn token(&mut self, word: u64, single: bool) {
        let [before, last] = self.words;
        if single {
            (self.sink)(mix(word, SEED));
            if self.count < OPENING {
                (self.sink)(mix(word, FIRST));
            }
        }
        let pair = mix(word ^ last.rotate_left(17), PAIR);
        (self.sink)(pair);
        (self.sink)(mix(pair ^ before.rotate_left(29), TRIPLE));
        if single && before != BEGIN {
            (self.sink)(mix(word ^ before.rotate_left(17), GAP));
        }
        self.count += usize::from(single);
        self.words = [last, word];
        if !single {
            self.run = 0;
        }
    }

    /// A character that is read by itself, with up to three before it.
    fn character(&mut self, bytes: &[u8]) {
        let c = bytes.iter().fold(SEED, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
        let [first, second, third] = self.chars;
        let mut gram = mix(c, CHARS);
        (self.sink)(gram);
        for (index, before) in [third, second, first].into_iter().enumerate() {
            if self.run <= index {
                break;
            }
            gram = mix(gram ^ before.rotate_left(23), CHARS);
            (self.sink)(gram);
        }
        self.chars = [second, third, c];
        self.run += 1;
    }
}

/// A well-spread number of two.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ b) * u128::from(PAIR | 1);
    #[allow(clippy::cast_possible_truncation, reason = "both halves are taken")]
    let folded = (product as u64) ^ ((product >> 64) as u64);
    folded.wrapping_mul(STOP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(text: &str) -> Vec<u64> {
        let mut all = Vec::new();
        each(text.as_bytes(), &mut |gram| all.push(gram));
        all
    }

    #[test]
    fn words_pairs_and_triples_are_told_apart_by_their_order() {
        let there = grams("i can not");
        assert_eq!(there, grams("i can not"));
        assert_ne!(there, grams("not can i"));
        assert_eq!(there.len(), grams("we may go").len());
    }

    #[test]
    fn characters_stand_alone_where_a_script_has_no_spaces() {
        assert!(grams("我无法回答").len() >= 10);
        assert!(grams("도와드릴 수 없습니다").len() > grams("can not help").len());
    }

    #[test]
    fn nothing_behind_the_reach_counts() {
        let long = "word ".repeat(32);
        assert_eq!(grams(&long), grams(&format!("{long} and more words")));
    }

    #[test]
    fn broken_bytes_are_read_without_a_stumble() {
        for byte in 0..=255 {
            each(&[byte], &mut |_| {});
            each(&[b'a', byte, byte], &mut |_| {});
        }
    }
}
