//! Vectors as base64: the bytes of 32-bit floats (IEEE 754), the lowest first. RFC 4648, padded.
//!
//! OpenAI API reference, Create embeddings, `encoding_format`, 2026-11; both of its SDKs ask for it by
//! themselves and decode it so.

use crate::anthropic::base64::decode;

/// Letters for six bits each.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A vector's text.
pub(crate) fn encode(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or_default());
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for (place, shift) in [18_u32, 12, 6, 0].into_iter().enumerate() {
            let letter = usize::try_from((bits >> shift) & 0x3f).ok().and_then(|value| ALPHABET.get(value));
            // One byte makes two letters, two make three.
            let letter = letter.filter(|_| place <= group.len()).copied().unwrap_or(b'=');
            text.push(char::from(letter));
        }
    }
    text
}

/// The vector of such a text; nothing where it is none.
pub(crate) fn floats(text: &str) -> Option<Vec<f32>> {
    let bytes = decode(text)?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_to_the_bit() {
        let odd = [0.0, -0.0, 1.0, f32::MIN_POSITIVE, f32::MAX, 1e-45, 0.1, -3.402_823e38];
        for length in 0..odd.len() {
            let vector = &odd[..length];
            let text = encode(vector);
            assert_eq!(text.len() % 4, 0);
            let read: Vec<u32> = floats(&text).unwrap().into_iter().map(f32::to_bits).collect();
            assert_eq!(read, vector.iter().map(|number| number.to_bits()).collect::<Vec<_>>());
        }
        // 1.0 is 00 00 80 3f, as Python's struct.pack("<f", 1.0) writes it.
        assert_eq!(encode(&[1.0]), "AACAPw==");
        assert_eq!(encode(&[1.0, -2.5]), "AACAPwAAIMA=");
    }

    #[test]
    fn a_text_that_is_not_whole_floats_is_none() {
        for text in ["AAA", "AACAPw=A", "AACAPwA=", "***", "AAAA"] {
            assert_eq!(floats(text), None, "{text}");
        }
    }
}
