//! Base64 back to bytes: text documents that this API wants as text, and vectors.
//!
//! RFC 4648, the standard alphabet, padding optional. Knows nothing else.

/// The bytes that `text` stands for; nothing where it is not base64. White space is passed over.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut bits: u32 = 0;
    let mut held: u32 = 0;
    let mut padding = false;
    for symbol in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        if symbol == b'=' {
            padding = true;
            continue;
        }
        if padding {
            return None;
        }
        bits = (bits << 6) | u32::from(value(symbol)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
        bits &= (1 << held) - 1;
    }
    // Six bits left over are a lone symbol; set bits left over are no clean end.
    (held < 6 && bits == 0).then_some(bytes)
}

fn value(symbol: u8) -> Option<u8> {
    match symbol {
        b'A'..=b'Z' => Some(symbol - b'A'),
        b'a'..=b'z' => Some(symbol - b'a' + 26),
        b'0'..=b'9' => Some(symbol - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard_are_read() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9v\nYmFy", "foobar"),
            ("Zm8", "fo"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(decode("+/8=").as_deref(), Some(&[0xfb, 0xff][..]));
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for text in ["Z", "Zg=a", "Zm9v!", "Zh==", "é"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
