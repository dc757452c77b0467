//! What of a provider's words may go into a record.

use std::borrow::Cow;

/// How much of a body that is not JSON is shown, in characters.
const EXCERPT: usize = 80;

/// The beginning of a body that is not JSON, on one line.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..body.len().min(EXCERPT * 4)).unwrap_or_default());
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(EXCERPT).collect();
    if line.is_empty() { "an empty body".to_owned() } else { format!("not JSON: {}", without_keys(&line)) }
}

/// A provider that repeats the key it refuses must not bring it into our records.
pub(crate) fn without_keys(message: &str) -> Cow<'_, str> {
    const PREFIXES: [&str; 6] = ["sk-", "gsk_", "xai-", "AIza", "pplx-", "r8_"];
    let is_key = |word: &str| word.len() >= 8 && PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    let divides =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ':' | ';' | '=');
    if !message.split(divides).any(is_key) {
        return Cow::Borrowed(message);
    }
    let cleaned = message.split_inclusive(divides).map(|word| {
        let bare = word.trim_end_matches(divides);
        if is_key(bare) { word.replacen(bare, "[key]", 1) } else { word.to_owned() }
    });
    Cow::Owned(cleaned.collect())
}
