//! Where data are cut, and other choices: taken from the data themselves, so that one input is one case.

/// Longest data that are also given byte by byte.
const BYTEWISE: usize = 4096;

/// Numbers that look drawn, but follow from the data.
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice of these data (FNV-1a).
    pub(crate) fn of(data: &[u8]) -> Self {
        let hash = data.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash | 1)
    }

    /// A number from 0 to `most`, both included (xorshift).
    pub(crate) fn roll(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let sides = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1).max(1);
        usize::try_from(self.0 % sides).unwrap_or(0)
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.roll(all.len().checked_sub(1)?))
    }
}

/// Several ways to cut the data: at one place, at two, into small pieces with empty ones between, and byte by
/// byte where that is not too many.
pub(crate) fn ways(data: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut dice = Dice::of(data);
    let (one, other) = (dice.roll(data.len()), dice.roll(data.len()));
    let (low, high) = (one.min(other), one.max(other));
    let mut ways = vec![at(data, &[one]), at(data, &[low, low, high])];
    let mut small = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + dice.roll(63.min(rest.len() - 1)));
        small.push(piece);
        rest = after;
    }
    ways.push(small);
    if data.len() <= BYTEWISE {
        ways.push(data.chunks(1).collect());
    }
    ways
}

/// The data cut at these places, lowest first.
fn at<'a>(data: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = data;
    let mut from = 0;
    for place in places {
        let (piece, after) = rest.split_at_checked(place.saturating_sub(from)).unwrap_or((rest, &[]));
        pieces.push(piece);
        (rest, from) = (after, *place);
    }
    pieces.push(rest);
    pieces
}

/// A text cut into pieces of a few characters each.
pub(crate) fn words<'a>(text: &'a str, dice: &mut Dice) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.ceil_char_boundary(1 + dice.roll(11));
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The data as text, if they are text.
pub(crate) fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_cutting_gives_all_the_bytes() {
        for length in [0, 1, 2, 3, 64, 65, 1000] {
            let data: Vec<u8> = (0..length).map(|n| u8::try_from(n % 251).unwrap()).collect();
            let ways = ways(&data);
            assert_eq!(ways.len(), 4);
            for way in ways {
                assert_eq!(way.concat(), data);
            }
            let text = "é世🙂a".repeat(length);
            assert_eq!(words(&text, &mut Dice::of(&data)).concat(), text);
        }
    }
}
