//! JSON out of what a model wrapped around it, where nothing is lost by unwrapping.
//!
//! A code fence, prose around one value, a comma too many: each can be taken away without changing what
//! the value says. Missing brackets and quotes are not guessed.

use std::borrow::Cow;

use serde_json::Value;

/// Places at which a value is looked for in prose.
const TRIES: usize = 8;

/// Reads `text` as JSON. The text is `Borrowed` where it was JSON as it stood, `Owned` where something
/// was taken away.
pub(crate) fn read(text: &str) -> Option<(Value, Cow<'_, str>)> {
    let bare = text.trim();
    if let Ok(value) = serde_json::from_str(bare) {
        return Some((value, Cow::Borrowed(text)));
    }
    let bare = bare.trim_start_matches('\u{feff}');
    unfenced(bare)
        .and_then(tolerant)
        .or_else(|| tolerant(bare))
        .or_else(|| in_prose(bare))
        .map(|(value, text)| (value, Cow::Owned(text)))
}

/// Whether `text` is JSON that was cut before it was whole: it opens and never closes.
pub(crate) fn is_cut(text: &str) -> bool {
    let bare = text.trim();
    let body =
        bare.strip_prefix("```").map_or(bare, |fenced| fenced.split_once('\n').map_or("", |(_, body)| body));
    let body = body.trim_start();
    body.starts_with(['{', '[']) && value_end(body).is_none()
}

/// The inside of one code fence that is the whole text, or ends it.
fn unfenced(text: &str) -> Option<&str> {
    let open = text.find("```")?;
    let (language, body) = text.get(open + 3..)?.split_once('\n')?;
    if !language.trim().chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let (body, rest) = body.split_once("```")?;
    (!rest.contains("```")).then(|| body.trim())
}

/// Reads a value that may have commas too many.
fn tolerant(text: &str) -> Option<(Value, String)> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some((value, text.to_owned()));
    }
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let fewer = without_trailing_commas(text)?;
    serde_json::from_str(&fewer).ok().map(|value| (value, fewer))
}

/// The only object or array in prose. Two of them would leave a choice, which is not ours.
fn in_prose(text: &str) -> Option<(Value, String)> {
    let mut found = None;
    let mut from = 0;
    for _ in 0..TRIES {
        let Some(open) = text.get(from..)?.find(['{', '[']) else { break };
        let start = from + open;
        let rest = text.get(start..)?;
        let Some(len) = value_end(rest) else {
            from = start + 1;
            continue;
        };
        match rest.get(..len).and_then(tolerant) {
            // A number in brackets is a footnote, a name in braces a placeholder.
            Some((value, json)) if is_substantial(&value) => {
                if found.is_some() {
                    return None;
                }
                found = Some((value, json));
                from = start + len;
            }
            Some(_) => from = start + len,
            None => from = start + 1,
        }
    }
    found
}

fn is_substantial(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => {
            items.len() != 1 || items.iter().any(|item| item.is_object() || item.is_array())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Behind the bracket that closes the one that `text` begins with.
fn value_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if string => escaped = true,
            b'"' => string = !string,
            b'{' | b'[' if !string => depth += 1,
            b'}' | b']' if !string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Leaves out commas that stand before a closing bracket. `None` where there are none.
fn without_trailing_commas(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut string = false;
    let mut escaped = false;
    let mut removed = false;
    for (at, c) in text.char_indices() {
        if !string && c == ',' {
            let next = text.get(at + 1..).unwrap_or_default().trim_start();
            if next.starts_with(['}', ']']) {
                removed = true;
                continue;
            }
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if string => escaped = true,
            '"' => string = !string,
            _ => {}
        }
        kept.push(c);
    }
    removed.then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> Option<String> {
        read(text).map(|(_, text)| text.into_owned())
    }

    #[test]
    fn json_as_it_stands_is_left_alone() {
        assert!(matches!(read(" {\"a\": 1}\n"), Some((_, Cow::Borrowed(" {\"a\": 1}\n")))));
        assert!(matches!(read("42"), Some((_, Cow::Borrowed("42")))));
    }

    #[test]
    fn fences_prose_and_commas_are_taken_away() {
        assert_eq!(repaired("```json\n{\"a\": 1}\n```").unwrap(), "{\"a\": 1}");
        assert_eq!(repaired("Here it is:\n```\n[1, 2]\n```\nEnjoy!").unwrap(), "[1, 2]");
        assert_eq!(repaired("The answer [1] is {\"a\": \"}\"} as asked.").unwrap(), "{\"a\": \"}\"}");
        assert_eq!(repaired("{\"a\": [1, 2,], \"b\": \",]\",}").unwrap(), "{\"a\": [1, 2], \"b\": \",]\"}");
        assert_eq!(repaired("\u{feff}{\"a\": 1}").unwrap(), "{\"a\": 1}");
    }

    #[test]
    fn nothing_is_guessed() {
        for text in [
            "{\"a\": 1",
            "{a: 1}",
            "{'a': 1}",
            "{\"a\": 1} or {\"a\": 2}",
            "plain words",
            "```json\n{\"a\":\n```",
            "",
        ] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }

    #[test]
    fn json_that_was_cut_is_recognized() {
        assert!(is_cut("{\"a\": [1, 2"));
        assert!(is_cut("```json\n{\"a\": \"}"));
        assert!(!is_cut("{\"a\": 1}"));
        assert!(!is_cut("words {"));
    }

    #[test]
    fn a_megabyte_of_brackets_or_commas_is_quick() {
        assert!(read(&"[".repeat(1 << 20)).is_none());
        assert!(read(&("[".to_owned() + &", ".repeat(1 << 19))).is_none());
    }
}
