//! Keys kept out of messages: Google names the key in some of its errors.

use std::borrow::Cow;

/// How Google's keys begin: API keys, and the newer ones of service accounts (2026-11).
const BEGINNINGS: [&str; 2] = ["AIza", "AQ."];

/// Shorter words are no keys.
const SHORTEST: usize = 16;

/// The message, with `[key]` in place of anything that looks like a key.
pub(super) fn without_keys(message: &str) -> Cow<'_, str> {
    let is_key =
        |word: &str| word.len() >= SHORTEST && BEGINNINGS.iter().any(|begin| word.starts_with(begin));
    // A key holds letters, digits, `-`, `_` and `.`; anything else divides.
    let divides = |letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | '.');
    if !message.split(divides).any(is_key) {
        return Cow::Borrowed(message);
    }
    let mut clean = String::with_capacity(message.len());
    for word in message.split_inclusive(divides) {
        let bare = word.trim_end_matches(divides);
        if is_key(bare) {
            clean.push_str("[key]");
            clean.push_str(word.get(bare.len()..).unwrap_or_default());
        } else {
            clean.push_str(word);
        }
    }
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_replaced_and_the_rest_stays() {
        for (message, clean) in [
            ("Consumer 'api_key:AIzaSyA-1_b2c3d4e5f6' is gone", "Consumer 'api_key:[key]' is gone"),
            ("?key=AIzaSyA-1_b2c3d4e5f6&alt=sse", "?key=[key]&alt=sse"),
            ("AQ.Ab8RN6K_1234567890", "[key]"),
            ("AIza is how keys begin, é", "AIza is how keys begin, é"),
            ("", ""),
        ] {
            assert_eq!(without_keys(message), clean);
        }
    }
}
