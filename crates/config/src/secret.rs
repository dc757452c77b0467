//! Keys that are carried and never shown, and the blotting out of whatever looks like one.
//!
//! A key has no business in the file, but people put it there by mistake; the message about that
//! mistake must not spread it. Knows nothing of providers.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// A provider's key: where it came from, and the secret itself.
#[derive(Clone)]
pub struct Key {
    /// The variable or file it was read from; this is what records show.
    pub name: String,
    /// The secret; printed as `[REDACTED]`.
    pub secret: SecretString,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.secret.expose_secret() == other.secret.expose_secret()
    }
}

/// How the keys of well-known services begin.
const PREFIXES: [&str; 20] = [
    "sk-",
    "sk_",
    "pk-",
    "AIza",
    "AQ.",
    "gsk_",
    "xai-",
    "eyJ",
    "AKIA",
    "ASIA",
    "ABSK",
    "hf_",
    "ghp_",
    "nvapi-",
    "r8_",
    "pplx-",
    "tgp_",
    "fw_",
    "csk-",
    "bedrock-api-key-",
];

/// Shortest known secret that is looked for in a message: blotting out shorter ones would only make
/// the message unreadable.
const SHORTEST: usize = 8;

/// Whether a word is more likely a key than the name of something.
pub(crate) fn looks_like_a_key(word: &str) -> bool {
    let prefixed = PREFIXES.iter().any(|prefix| {
        word.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() >= 8 && rest.bytes().any(|b| b.is_ascii_digit()))
    });
    prefixed || word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_random) || is_uuid(word)
}

/// Sixteen letters and digits or more in no order that a name would have.
fn is_random(run: &str) -> bool {
    if run.len() < 16 {
        return false;
    }
    let letters = run.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = run.len() - letters;
    let lower = run.bytes().any(|b| b.is_ascii_lowercase());
    let upper = run.bytes().any(|b| b.is_ascii_uppercase());
    (digits >= 2 && letters >= 2) || (run.len() >= 24 && lower && upper)
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && word.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

/// Whether a key of the file holds a secret, or would if its owner had his way.
fn names_a_secret(key: &str) -> bool {
    let key = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    !key.ends_with("_file")
        && [
            "api_key",
            "apikey",
            "api-key",
            "secret",
            "password",
            "passwd",
            "token",
            "webhook",
            "authorization",
        ]
        .iter()
        .any(|word| key.contains(word))
        && !key.contains("tokens")
}

/// Whether a word is a variable's name as almost everybody writes it.
fn is_variable_like(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !looks_like_a_key(word)
}

/// A line of the file with asterisks for what looks like a secret; every character keeps its place.
pub(crate) fn mask_line(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut secret_follows = false;
    let mut rest = line;
    while !rest.is_empty() {
        let gap = rest.find(is_word).unwrap_or(rest.len());
        let (between, after) = rest.split_at(gap);
        masked.push_str(between);
        let end = after.find(|c| !is_word(c)).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        let follows = after.trim_start_matches(['"', '\'', ' ', '\t']);
        if follows.starts_with('=') {
            secret_follows = names_a_secret(word);
            masked.push_str(&mask(word));
        } else if secret_follows && !is_variable_like(word) {
            masked.extend(word.chars().map(|_| '*'));
        } else {
            masked.push_str(&mask(word));
        }
        rest = after;
    }
    masked
}

fn is_word(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '"' | '\'' | '=' | ',' | '[' | ']' | '{' | '}' | '#' | '(' | ')')
}

/// A value with asterisks for what looks like a secret in it.
pub(crate) fn mask(text: &str) -> String {
    let text = mask_userinfo(text);
    text.split_inclusive(['/', ':', '?', '&', ' ', '='])
        .map(|part| {
            let word = part.trim_end_matches(['/', ':', '?', '&', ' ', '=']);
            if looks_like_a_key(word) { "*".repeat(part.chars().count()) } else { part.to_owned() }
        })
        .collect()
}

/// `user:password@` of an address is for nobody's eyes.
fn mask_userinfo(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority);
    let Some((user, host)) = authority.rsplit_once('@') else { return text.to_owned() };
    let shown = match user.split_once(':') {
        Some((name, password)) => format!("{name}:{}", "*".repeat(password.chars().count())),
        None => user.to_owned(),
    };
    format!("{scheme}://{shown}@{host}{path}")
}

/// An address for people: the password in it, if any, blotted out.
pub(crate) fn shown_address(address: &str) -> String {
    mask_userinfo(address)
}

/// A text of the file in quotation marks, fit for a terminal.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut shown: String = mask(text).chars().take(LONGEST).map(printable).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// Control characters and those that turn the direction of a line do not reach a terminal.
pub(crate) fn printable(c: char) -> char {
    let turns =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    if c == '\t' {
        ' '
    } else if c.is_control() || turns {
        '\u{fffd}'
    } else {
        c
    }
}

/// Blots the known secrets out of a finished message.
pub(crate) fn redact(text: &mut String, secrets: &[SecretString]) {
    for secret in secrets.iter().map(ExposeSecret::expose_secret).filter(|secret| secret.len() >= SHORTEST) {
        if text.contains(secret) {
            *text = text.replace(secret, &"*".repeat(secret.chars().count()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_told_from_names() {
        for key in [
            "sk-proj-4f9a8b7c6d5e",
            "AIzaSyA1234567890abcdef",
            "gsk_1234567890ab",
            "0123456789abcdef0123456789abcdef",
            "550e8400-e29b-41d4-a716-446655440000",
            "eyJhbGciOiJIUzI1NiJ9",
            "qWeRtYuIoPaSdFgHjKlZxCvB",
        ] {
            assert!(looks_like_a_key(key), "{key}");
        }
        for name in [
            "claude-sonnet-5-5-20251001",
            "gpt-6-luna",
            "DEEPSEEK_API_KEY",
            "MAINSTAY_ADMIN_TOKEN",
            "max_completion_tokens",
            "llama-3-70b-instruct",
            "meta-llama/llama-prompt-guard-2-22m",
            "suspiciously_short",
            "",
        ] {
            assert!(!looks_like_a_key(name), "{name}");
        }
    }

    #[test]
    fn a_line_keeps_its_shape_and_loses_its_secrets() {
        for (line, shown) in [
            (r#"api_key = "hunter2""#, r#"api_key = "*******""#),
            (r"api_key = sk-4f9a8b7c6d5e", "api_key = ***************"),
            (r#"api_key_env = "OPENAI_API_KEY""#, r#"api_key_env = "OPENAI_API_KEY""#),
            (r#"api_key_env = "sk-4f9a8b7c6d5e""#, r#"api_key_env = "***************""#),
            (r#"api_key_file = "/run/secrets/openai""#, r#"api_key_file = "/run/secrets/openai""#),
            (r#"url = "postgres://ann:hunter2@host/db""#, r#"url = "postgres://ann:*******@host/db""#),
            (r#"x = { "password" = "a", y = "b" }"#, r#"x = { "password" = "*", y = "b" }"#),
            (r#"max_tokens_param = "max_tokens""#, r#"max_tokens_param = "max_tokens""#),
            (r#"model = "gpt-6-luna""#, r#"model = "gpt-6-luna""#),
        ] {
            assert_eq!(mask_line(line), shown);
        }
    }

    #[test]
    fn a_key_prints_its_name_only() {
        let key = Key { name: "OPENAI_API_KEY".to_owned(), secret: "sk-1234567890".into() };
        assert_eq!(format!("{key:?}"), r#"Key { name: "OPENAI_API_KEY", .. }"#);
    }

    #[test]
    fn nothing_reaches_the_terminal_raw() {
        assert_eq!(quoted("a\u{1b}[31m\u{202e}b"), "\"a\u{fffd}[31m\u{fffd}b\"");
        assert_eq!(quoted(&"é".repeat(100)).chars().count(), 83);
    }

    proptest! {
        #[test]
        fn masking_never_moves_a_character(line in "[^\n]*") {
            prop_assert_eq!(mask_line(&line).chars().count(), line.chars().count());
        }

        #[test]
        fn a_known_secret_does_not_survive(before in ".*", secret in "[A-Za-z0-9_-]{8,40}", after in ".*") {
            let mut text = format!("{before}{secret}{after}");
            redact(&mut text, &[SecretString::from(secret.clone())]);
            prop_assert!(!text.contains(&secret));
        }
    }
}
