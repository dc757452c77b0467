//! One line of the journal: how long it is, its checksum, and JSON. Knows no file.
//!
//! `LLLLLLLL CCCCCCCC {json}\n`: the length of the JSON in bytes and its CRC-32, both as eight hex
//! digits. JSON written by us holds no line break, so a broken line ends at the next break.

/// Bytes before the JSON.
const HEAD: usize = 18;
/// Longest line, in bytes, its break included.
pub(crate) const LONGEST: usize = 16 << 20;

/// Writes one line: the head is filled in once the JSON is there.
pub(crate) fn encode<T: serde::Serialize>(entry: &T) -> serde_json::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(768);
    line.resize(HEAD, b' ');
    serde_json::to_writer(&mut line, entry)?;
    let json = line.get(HEAD..).unwrap_or_default();
    let head = format!("{:08x} {:08x} ", json.len(), crc32(json));
    if let Some(place) = line.get_mut(..HEAD) {
        // A length of more than eight digits is beyond `LONGEST`, and is refused before it is written.
        place.copy_from_slice(head.as_bytes().get(..HEAD).unwrap_or(&[b' '; HEAD]));
    }
    line.push(b'\n');
    Ok(line)
}

/// The JSON of one line, given without its break; `None` when it is not whole.
pub(crate) fn decode(line: &[u8]) -> Option<&[u8]> {
    let (head, json) = line.split_at_checked(HEAD)?;
    let (length, rest) = head.split_at_checked(8)?;
    let (checksum, last) = rest.strip_prefix(b" ")?.split_at_checked(8)?;
    let whole =
        last == b" " && hex(length)? == u32::try_from(json.len()).ok()? && hex(checksum)? == crc32(json);
    whole.then_some(json)
}

/// Eight lower-case hex digits.
fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u32::from(value))
    })
}

/// CRC-32 as in gzip and PNG (polynomial `0xEDB88320`, reflected).
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        let [lowest, ..] = crc.to_le_bytes();
        let index = usize::from(lowest ^ byte);
        (crc >> 8) ^ TABLE.get(index).copied().unwrap_or(0)
    })
}

/// What each byte adds to the checksum.
static TABLE: [u32; 256] = table();

#[expect(clippy::indexing_slicing, reason = "a constant: out of bounds would not compile")]
const fn table() -> [u32; 256] {
    let mut table = [0_u32; 256];
    let mut byte = 0_usize;
    let mut start = 0_u32;
    while byte < 256 {
        let mut crc = start;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
        start += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn no_part_of_a_line_passes_for_a_line() {
        let line = encode(&"one \"row\"\nof text").unwrap();
        let whole = line.strip_suffix(b"\n").unwrap();
        assert!(!whole.contains(&b'\n'));
        assert_eq!(decode(whole), Some(&br#""one \"row\"\nof text""#[..]));
        for cut in 0..whole.len() {
            assert_eq!(decode(&whole[..cut]), None, "cut at byte {cut}");
        }
    }

    proptest! {
        #[test]
        fn a_changed_bit_is_noticed(text in ".{0,40}", at in any::<prop::sample::Index>(), bit in 0_u32..8) {
            let mut line = encode(&text).unwrap();
            line.pop();
            let at = at.index(line.len());
            line[at] ^= 1_u8 << bit;
            prop_assert_eq!(decode(&line), None);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&bytes);
        }
    }
}
