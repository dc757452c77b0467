//! Half a surrogate pair, written `\ud83d` without its other half, is no character, and a strict parser gives up
//! the whole text for it. Servers that cut an emoji between two pieces send it (seen 2026-07).

use std::borrow::Cow;

/// The same JSON with every half of a pair replaced by U+FFFD, the replacement character; as it was where
/// there is none.
pub(crate) fn mended(json: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr(b'\\', rest.as_bytes())) {
        let start = at + found;
        match unit(json, start) {
            // A high half with its low one behind it is a character.
            Some(0xd800..=0xdbff) if matches!(unit(json, start + 6), Some(0xdc00..=0xdfff)) => {
                at = start + 12;
            }
            Some(0xd800..=0xdfff) => {
                mended.push_str(json.get(copied..start).unwrap_or_default());
                mended.push_str("\\ufffd");
                at = start + 6;
                copied = at;
            }
            Some(_) => at = start + 6,
            // Any other escape: its second byte may be a backslash, which begins nothing.
            None => at = (start + 2).min(json.len()),
        }
        if !json.is_char_boundary(at) {
            break;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    mended.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(mended)
}

/// The UTF-16 unit that is written there as `\uXXXX`.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        u16::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_is_replaced_and_a_pair_is_left() {
        for (json, expected) in [
            (r#""a\ud83db""#, r#""a\ufffdb""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00x""#, r#""\ufffdx""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\uD83D\ud83d\uDE00""#, r#""\ufffd\ud83d\uDE00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
        ] {
            assert_eq!(mended(json), expected);
            assert!(serde_json::from_str::<String>(&mended(json)).is_ok(), "{json}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_left() {
        for json in [
            r#""\\ud83d""#,
            r#""plain é 😀""#,
            r#""\n\t\"""#,
            r#""\u00e9""#,
            r#""\ud8""#,
            "\"\\",
            "\\é",
            "",
            r"\u",
        ] {
            assert!(matches!(mended(json), Cow::Borrowed(_)), "{json}");
        }
    }
}
