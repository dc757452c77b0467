//! Text that goes round in circles.
//!
//! Only the last part of a text is read, because a model that loops does not come back; so the work is
//! bounded whatever the length. Two measures: how far back from the end the text repeats one period
//! exactly (digits are alike, so that a counted list is caught), and how many of its pieces came before,
//! by a rolling hash, which catches circles that drift.

use crate::plain::tail;

/// Bytes at the end of a text that are read.
const WINDOW: usize = 4096;
/// A period must come back at least so often …
const TURNS: usize = 4;
/// … and cover this many bytes if it makes up a third of the text,
const SHORT_LOOP: usize = 88;
/// … or this many in any case.
const LONG_LOOP: usize = 480;
/// A period of at most this many bytes, such as a dashed line, needs the long stretch and more turns.
const TINY_PERIOD: usize = 3;
/// A text that is nothing but this many bytes of one period is a circle, too.
const NOTHING_ELSE: usize = 36;
/// Digits of a number that is taken for one place in a list; a longer one may itself be a circle.
const LONGEST_NUMBER: usize = 4;
/// Bytes of a piece for the rolling hash.
const PIECE: usize = 24;
/// Slots of the table of pieces; a power of two.
const SLOTS: usize = 4096;
/// Share of pieces, in percent, that must have come before in a text of at least [`LEAST_DRIFT`] bytes.
const REPEATED: usize = 72;
/// Fewer bytes are not judged by their pieces.
const LEAST_DRIFT: usize = 360;

/// How a text repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// Where the repetition is seen to begin, as a byte of the text.
    pub(crate) at: usize,
    /// Bytes of one turn; 0 where the circle drifts.
    pub(crate) period: usize,
}

/// Whether `text` ends in a circle. Linear in the last few kilobytes, and free of allocation.
pub(crate) fn find(text: &str) -> Option<Loop> {
    let text = text.trim_end();
    let end = tail(text, WINDOW);
    if end.len() < NOTHING_ELSE || !may_repeat(end.as_bytes()) {
        return None;
    }
    let mut window = [0; WINDOW];
    let len = alike(end, &mut window);
    let bytes = window.get(..len)?;
    // Numbers were shortened: places are counted from the end and are right to a few bytes.
    let place = |from_end: usize| text.floor_char_boundary(text.len().saturating_sub(from_end));
    if let Some((length, period)) = periodic_end(bytes)
        && is_circle(bytes, length, period, text.len())
    {
        return Some(Loop { at: place(length), period });
    }
    (end.len() >= LEAST_DRIFT && repeated_share(bytes) >= REPEATED && has_words(bytes))
        .then(|| Loop { at: place(end.len()), period: 0 })
}

/// Whether the text could be a circle at all: its last bytes stood before, or many of its pieces did. Nearly
/// all answers are let go here.
fn may_repeat(bytes: &[u8]) -> bool {
    // Numbers are made alike first, so what is looked for holds none.
    let (_, last) = bytes.split_at(bytes.len().saturating_sub(LAST));
    let words = last.split(u8::is_ascii_digit).max_by_key(|words| words.len()).unwrap_or_default();
    if words.len() < LEAST {
        return true;
    }
    // A circle's last bytes stood one turn earlier; that place may overlap them.
    let behind = last.windows(words.len()).position(|part| part == words).unwrap_or(0) + words.len();
    let reach = bytes.len() - last.len() + behind - 1;
    if bytes.get(..reach).is_some_and(|earlier| memchr::memmem::find(earlier, words).is_some()) {
        return true;
    }
    if bytes.len() < LEAST_DRIFT {
        return false;
    }
    // Places are chosen by what stands there, so that they are chosen again when that comes again.
    let mut samples = Samples { seen: [0; SAMPLES], taken: 0, repeated: 0 };
    memchr::memchr_iter(b' ', bytes).for_each(|at| samples.take(bytes, at));
    if samples.taken * FEW_SAMPLES < bytes.len() {
        let chosen = bytes.iter().enumerate().filter(|(_, byte)| byte.trailing_zeros() >= 4);
        chosen.for_each(|(at, _)| samples.take(bytes, at));
    }
    samples.taken * FEW_SAMPLES < bytes.len() || samples.repeated * 100 >= samples.taken * SAMPLED
}

/// Some pieces of a text, and how many of them came before.
struct Samples {
    seen: [u64; SAMPLES],
    taken: usize,
    repeated: usize,
}

impl Samples {
    fn take(&mut self, bytes: &[u8], at: usize) {
        let Some(piece) = bytes.get(at..at + 8).and_then(|piece| <[u8; 8]>::try_from(piece).ok()) else {
            return;
        };
        let piece = u64::from_le_bytes(piece);
        let slot = usize::try_from(piece.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56).unwrap_or(0);
        self.taken += 1;
        if let Some(place) = self.seen.get_mut(slot) {
            self.repeated += usize::from(*place == piece);
            *place = piece;
        }
    }
}

/// Bytes at the end that a circle must have said before.
const LAST: usize = 24;
/// Fewer of them say nothing.
const LEAST: usize = 12;
/// Slots for the sampled pieces; two to the eighth.
const SAMPLES: usize = 256;
/// Fewer than one sample in so many bytes say nothing.
const FEW_SAMPLES: usize = 40;
/// Percent of the samples that repeat in a text that may drift in a circle.
const SAMPLED: usize = 30;

/// Whether `length` bytes of one period at the end of a text of `whole` bytes are a circle.
fn is_circle(bytes: &[u8], length: usize, period: usize, whole: usize) -> bool {
    let turn = bytes.get(bytes.len().saturating_sub(period)..).unwrap_or_default();
    let letters = turn.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
    // One number a turn is the counter of a list; several are data.
    let numbers = memchr::memchr_iter(b'0', turn).count();
    if letters && numbers > 1 && period > numbers && !plays_both_parts(turn) {
        return false;
    }
    let nothing_else = letters && length + period >= bytes.len() && length >= NOTHING_ELSE;
    if period <= TINY_PERIOD {
        let much = length >= LONG_LOOP * 2 || length * 2 >= whole;
        return nothing_else || (length >= SHORT_LOOP && much && says_something(turn));
    }
    let much = length >= LONG_LOOP || (length >= SHORT_LOOP && length * 3 >= whole);
    nothing_else || (much && says_something(turn))
}

/// A model that goes on for both sides of a talk is no table, whatever numbers it says.
fn plays_both_parts(turn: &[u8]) -> bool {
    let names = [&b"user:"[..], b"human:", b"assistant:"];
    names.iter().filter(|name| memchr::memmem::find(turn, name).is_some()).count() >= 2
}

/// Copies with every digit made alike, and short numbers one digit long, so that `9.` and `10.` are the same
/// place in a list. Multi-byte characters stay as they are.
fn alike(text: &str, window: &mut [u8]) -> usize {
    let mut len = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        if (2..=LONGEST_NUMBER).contains(&run) {
            continue;
        }
        if let Some(place) = window.get_mut(len) {
            *place = if run > 0 { b'0' } else { byte.to_ascii_lowercase() };
            len += 1;
        }
    }
    len
}

/// The longest end of `bytes` that repeats one period at least [`TURNS`] times, and that period.
///
/// The failure function of Knuth, Morris and Pratt over the reversed bytes gives the smallest period of
/// every end at once.
fn periodic_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let len = bytes.len().min(WINDOW);
    let mut failure = [0_u16; WINDOW + 1];
    let reversed = |at: usize| bytes.get(bytes.len() - 1 - at).copied();
    let mut best = None;
    let mut matched = 0_usize;
    for at in 1..len {
        while matched > 0 && reversed(at) != reversed(matched) {
            matched = usize::from(failure.get(matched - 1).copied().unwrap_or(0));
        }
        if reversed(at) == reversed(matched) {
            matched += 1;
        }
        if let Some(place) = failure.get_mut(at) {
            *place = u16::try_from(matched).unwrap_or(u16::MAX);
        }
        let length = at + 1;
        let period = length - matched;
        if period * TURNS <= length {
            best = Some((length, period));
        }
    }
    best
}

/// A turn of only blanks, dashes, dots or signs is a table or a drawing, not a circle of words; a long run of
/// one digit, and lines to be filled in, still are.
fn says_something(turn: &[u8]) -> bool {
    let letters = turn.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
    let digits = turn.iter().all(u8::is_ascii_digit);
    let gaps = turn.iter().filter(|byte| **byte == b'_' || **byte == b'?').count();
    letters || digits || (gaps * 2 > turn.len() && turn.len() > TINY_PERIOD)
}

fn has_words(bytes: &[u8]) -> bool {
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0x80).count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    // Rows of data are alike without being a circle.
    letters * 2 > bytes.len() && digits * 20 < bytes.len()
}

/// Percent of the pieces that came before, by a rolling hash in a table of fixed size. A piece that lost
/// its slot to another is simply not recognized, which can only lower the share.
fn repeated_share(bytes: &[u8]) -> usize {
    const BASE: u32 = 0x0100_0193;
    let mut table = [u32::MAX; SLOTS];
    let mut hash = 0_u32;
    // The factor by which the byte that leaves was multiplied when it entered.
    let mut out = 1_u32;
    for _ in 1..PIECE {
        out = out.wrapping_mul(BASE);
    }
    let mut repeated = 0;
    let mut pieces = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if let Some(gone) = at.checked_sub(PIECE).and_then(|gone| bytes.get(gone)) {
            hash = hash.wrapping_sub(u32::from(*gone).wrapping_add(1).wrapping_mul(out));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(u32::from(*byte) + 1);
        if at + 1 < PIECE {
            continue;
        }
        pieces += 1;
        let mixed = (hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b);
        let slot = (mixed >> 20) as usize;
        if let Some(place) = table.get_mut(slot) {
            if *place == hash {
                repeated += 1;
            } else {
                *place = hash;
            }
        }
    }
    repeated * 100 / pieces.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_of_words_letters_and_counted_lines_are_found() {
        let counted: String = (1..40).fold(String::new(), |list, n| list + &format!("{n}. Apples\n"));
        for text in [
            "I am a machine. ".repeat(12),
            format!("Yes, it is.{}", "\n\nUser: Thank you.\n\nJoi: You're welcome.".repeat(6)),
            "哈".repeat(40),
            "\u{fffd}".repeat(40),
            format!("0.8333{}", "4".repeat(300)),
            "[UNK] ".repeat(9),
            "\n\nUser: 1. 2. 3.\n\nAssistant: 1. 2. 3.".repeat(9),
            "the the the the the the the the the the the".to_owned(),
            counted,
            format!("An ordinary beginning of an answer. {}", "go on and on and ".repeat(60)),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_drifting_circle_is_found_by_its_pieces() {
        let lines = [
            "What is the capital of France?",
            "Paris is the capital of France, of course.",
            "Thank you for the answer!",
        ];
        let text: String = (0..60).fold(String::new(), |text, n| text + lines[(n * n + n / 3) % 3] + "\n");
        assert!(find(&text).is_some());
    }

    #[test]
    fn songs_tables_numbers_and_code_are_no_circles() {
        let rows = "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n| 7 | 8 | 9 |\n";
        for text in [
            "Row, row, row your boat,\nGently down the stream.\nMerrily, merrily, merrily, merrily,\nLife is but a dream.",
            "0 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1",
            "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.",
            "na na na na na na na na, hey hey, goodbye",
            "10101010",
            "1. Test case 1: a = 751, b = 1 (pass)\n2. Test case 2: a = 752, b = 2 (pass)\n3. Test case 3: a = 753, b = 3 (pass)\n4. Test case 4: a = 754, b = 4 (pass)",
            "ha ha ha ha ha ha",
            rows,
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28",
            &format!("A title\n{}\nSome text and then another line\n{}", "=".repeat(80), "-".repeat(80)),
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn a_megabyte_of_one_letter_is_quick() {
        let text = "a".repeat(1 << 20);
        assert!(find(&text).is_some());
    }
}
