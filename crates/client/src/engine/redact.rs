//! Takes out of a text what must not be kept: keys, tokens, e-mail addresses, card numbers.
//!
//! It knows what such things look like, not what they are good for: a text that looks like a key counts as
//! one. Better a word too many than a key.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands in place of a key or token.
const KEY: &str = "[key]";
/// What stands in place of an e-mail address.
const ADDRESS: &str = "[e-mail]";
/// What stands in place of a card number.
const CARD: &str = "[card number]";

/// Keys and tokens by the forms that their makers give them, private keys, and passwords in addresses.
const MADE: &str = r"(?x)
    -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\z)
  | (?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?
  | (?-u:\b)(?:sk|pk|rk|sess)[-_][A-Za-z0-9][A-Za-z0-9_-]{10,}
  | (?-u:\b)(?:AIza|ya29\.|gsk_|hf_|npm_|xai-|r8_|pplx-|nvapi-|tgp_|fw_|csk-|glpat-|dop_v1_)[A-Za-z0-9_-]{12,}
  | (?-u:\b)(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}
  | (?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}
  | (?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{16}
  | (?i:(?-u:\b)(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{12,})
  | (?://)[^\s:/@]+:[^\s/@]+@
";
/// A secret that is named: the name stays, the value goes.
const NAMED: &str = r#"(?ix)
    (?-u:\b) (?P<name> (?: [a-z0-9]+ [_-] )* (?: api[_-]?key | access[_-]?key | secret[_-]?key
        | client[_-]?secret | secret | auth[_-]?token | access[_-]?token | refresh[_-]?token | token
        | passwd | password | passphrase ) ["']? \s* [:=] \s* ["']? )
    (?P<value> [^\s"',;]{6,} )
"#;
/// A long run of letters and digits: a token of a maker that is not known.
const LONG: &str = r"(?-u:\b)[A-Za-z0-9_-]{40,}(?-u:\b)";
const MAIL: &str = r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+";
const DIGITS: &str = r"(?-u:\b)[0-9](?:[ -]?[0-9]){12,18}(?-u:\b)";

struct Patterns {
    made: Regex,
    named: Regex,
    long: Regex,
    mail: Regex,
    digits: Regex,
}

/// `None` only where a pattern above does not compile, which a test rules out; then nothing is kept at all.
static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        made: Regex::new(MADE).ok()?,
        named: Regex::new(NAMED).ok()?,
        long: Regex::new(LONG).ok()?,
        mail: Regex::new(MAIL).ok()?,
        digits: Regex::new(DIGITS).ok()?,
    })
});

/// The text without keys, tokens, e-mail addresses and card numbers.
pub(super) fn redacted(text: &str) -> Cow<'_, str> {
    let Some(patterns) = PATTERNS.as_ref() else { return Cow::Borrowed("") };
    let text = without_secrets(patterns, Cow::Borrowed(text));
    let text = replaced(text, |text| patterns.mail.replace_all(text, ADDRESS));
    replaced(text, |text| {
        patterns.digits.replace_all(text, |found: &Captures<'_>| {
            let digits = &found[0];
            if is_card(digits) { CARD.to_owned() } else { digits.to_owned() }
        })
    })
}

/// The text without keys and tokens: for messages of providers, which may repeat what they were sent.
pub(crate) fn without_keys(text: &str) -> Cow<'_, str> {
    let Some(patterns) = PATTERNS.as_ref() else { return Cow::Borrowed("") };
    without_secrets(patterns, Cow::Borrowed(text))
}

fn without_secrets<'a>(patterns: &Patterns, text: Cow<'a, str>) -> Cow<'a, str> {
    let text = replaced(text, |text| patterns.made.replace_all(text, KEY));
    let text = replaced(text, |text| patterns.named.replace_all(text, "${name}[key]"));
    replaced(text, |text| {
        patterns.long.replace_all(text, |found: &Captures<'_>| {
            let word = &found[0];
            if is_mixed(word) { KEY.to_owned() } else { word.to_owned() }
        })
    })
}

/// One step of replacing, without a copy where nothing is found.
fn replaced(text: Cow<'_, str>, step: impl Fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    let changed = match step(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    };
    changed.map_or(text, Cow::Owned)
}

/// Whether small and capital letters and digits are mixed, as in no word.
fn is_mixed(word: &str) -> bool {
    let has = |test: fn(&u8) -> bool| word.as_bytes().iter().any(test);
    has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}

/// Whether the digits have a card number's check digit (ISO/IEC 7812-1, annex B).
fn is_card(text: &str) -> bool {
    let digits = text.bytes().rev().filter(u8::is_ascii_digit).map(|digit| u32::from(digit - b'0'));
    let sum: u32 = digits
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => digit,
            (_, twice) if twice > 9 => twice - 9,
            (_, twice) => twice,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(redacted(text), expected);
    }

    #[test]
    fn every_pattern_compiles() {
        assert!(PATTERNS.is_some());
    }

    #[test]
    fn keys_of_known_makers_go() {
        for key in [
            "sk-proj-abcDEF0123456789abcd",
            "sk_live_0123456789abcdef",
            "sk-ant-REDACTED",
            "AIzaFAKEFAKE0123456789",
            "gsk_abcdefghijklmnop1234",
            "ghp_abcdefghijklmnopqrst",
            "github_pat_11ABCDEFG0123456789_abc",
            "xoxb-123456789012-abcdef",
            "AKIAABCDEFGHIJKLMNOP",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123",
            "Bearer abcdefghijklmnop",
            "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6kL9n",
        ] {
            check(&format!("use {key} please"), "use [key] please");
        }
        check("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end", "[key] end");
        check("-----BEGIN PRIVATE KEY-----\ncut off", "[key]");
        check("postgres://ann:hunter2@db/x", "postgres:[key]db/x");
    }

    #[test]
    fn a_named_secret_loses_its_value_and_keeps_its_name() {
        check("password: hunter22", "password: [key]");
        check("{\"api_key\": \"abcdef123\"}", "{\"api_key\": \"[key]\"}");
        check("MY_SECRET_TOKEN=abc123def", "MY_SECRET_TOKEN=[key]");
        check("The token: a word", "The token: a word");
    }

    #[test]
    fn addresses_and_card_numbers_go() {
        check("write to ann.o'neil@example.org now", "write to ann.o'[e-mail] now");
        check("jürgen@müller.de", "[e-mail]");
        check("pay with 4111 1111 1111 1111 today", "pay with [card number] today");
        check("5500-0000-0000-0004", "[card number]");
    }

    #[test]
    fn what_only_resembles_them_stays() {
        for text in [
            "4111 1111 1111 1112 has the wrong check digit",
            "call 2026-11-30 at 12:00",
            "a task-oriented risk-averse desk-bound key-value store",
            "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "3.14159265358979323846264338327950288",
            "The secret of a good answer is a good question.",
            "@ home and user@host",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn messages_lose_keys_and_keep_addresses() {
        let told = without_keys("Incorrect API key provided: sk-test-0123456789ab. Ask help@example.org.");
        assert_eq!(told, "Incorrect API key provided: [key]. Ask help@example.org.");
    }
}
