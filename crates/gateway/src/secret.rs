//! Tokens: made from the system's randomness, compared in a time that tells nothing.

use std::fmt::Write as _;
use std::hint::black_box;

use secrecy::SecretString;

/// Random bytes in a token: 192 bits.
const BYTES: usize = 24;

/// The system has no randomness to give.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers: {0}")]
pub struct NoRandomness(#[from] getrandom::Error);

/// A new token of 192 random bits, with an opening by which people and leak scanners know it.
pub(crate) fn token(opening: &str) -> Result<SecretString, NoRandomness> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes)?;
    let mut text = String::with_capacity(opening.len() + 2 * BYTES);
    text.push_str(opening);
    for byte in bytes {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text.into())
}

/// Whether two secrets are the same. How long it takes depends on their lengths only.
pub(crate) fn same(one: &str, other: &str) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let difference = one.bytes().zip(other.bytes()).fold(0_u8, |sum, (a, b)| black_box(sum | (a ^ b)));
    black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn no_two_tokens_are_alike_and_each_is_192_bits_long() {
        let (one, two) = (token("x_").unwrap(), token("x_").unwrap());
        assert_eq!(one.expose_secret().len(), 2 + 48);
        assert!(one.expose_secret().starts_with("x_"));
        assert!(!same(one.expose_secret(), two.expose_secret()));
    }

    #[test]
    fn only_the_same_text_is_the_same() {
        assert!(same("abc", "abc") && same("", ""));
        for other in ["abd", "ab", "abcd", "Abc", ""] {
            assert!(!same("abc", other), "{other}");
        }
    }
}
