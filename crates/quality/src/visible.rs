//! What of a text a reader would see.
//!
//! Blanks, invisible characters, template tokens, an empty code fence and a thinking block show nothing.
//! It does not know why an answer ended or what was asked.

use crate::plain::{clip, is_invisible};
use crate::words::markup::SILENT;

/// Begins and ends a code block.
const FENCE: &str = "```";

/// Bytes of the longest language name behind a fence.
const LANGUAGE: usize = 32;

/// Longest name of a special token, in characters.
const SPECIAL_NAME: usize = 40;

/// The names of marks around thinking.
const THINKING: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// What a reader would see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visible<'a> {
    /// Words, numbers, pictures; from the first visible character on.
    Words(&'a str),
    /// Signs without a letter or digit, trimmed.
    Signs(&'a str),
    /// Nothing, and what stood there instead.
    Nothing(Nothing),
}

/// What stood where nothing was visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// No character at all.
    NoText,
    /// Blanks and invisible characters.
    Blank,
    /// Template tokens.
    Tokens,
    /// A code block without content.
    Fence,
    /// A thinking block without content.
    EmptyThinking,
    /// A thinking block with content, and no answer after it.
    Thinking,
}

/// Looks at a text. For ordinary text this ends at its first character.
pub(crate) fn look(text: &str) -> Visible<'_> {
    let mut rest = text;
    let mut nothing = if text.is_empty() { Nothing::NoText } else { Nothing::Blank };
    loop {
        rest = trim(rest);
        let Some(first) = rest.chars().next() else { return Visible::Nothing(nothing) };
        if first.is_alphanumeric() {
            return Visible::Words(rest);
        }
        if let Some((behind, found)) = skip(rest, first) {
            rest = behind;
            nothing = stronger(nothing, found);
            continue;
        }
        return if only_signs(rest) { Visible::Signs(trim_end(rest)) } else { Visible::Words(rest) };
    }
}

/// The text behind a leading thinking block, where the answer proper begins.
pub(crate) fn behind_thinking(text: &str) -> &str {
    let start = trim(text);
    if !start.starts_with('<') {
        return text;
    }
    thinking(start).map_or(text, |(behind, _)| behind)
}

fn trim(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c) || c.is_control())
}

fn trim_end(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || is_invisible(c) || c.is_control())
}

/// Thinking is the finding that matters most, then the fence and the tokens.
fn stronger(before: Nothing, found: Nothing) -> Nothing {
    match (before, found) {
        (Nothing::Thinking, _) | (_, Nothing::Thinking) => Nothing::Thinking,
        (Nothing::NoText | Nothing::Blank, found) => found,
        (Nothing::Tokens | Nothing::Fence | Nothing::EmptyThinking, _) => before,
    }
}

/// Skips one thing that shows nothing.
fn skip(text: &str, first: char) -> Option<(&str, Nothing)> {
    match first {
        '<' => thinking(text).or_else(|| silent(text)).or_else(|| special(text)),
        '[' | '&' => silent(text),
        '`' => fence(text),
        _ => None,
    }
}

fn thinking(text: &str) -> Option<(&str, Nothing)> {
    THINKING.iter().find_map(|name| {
        let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
        let close = inside.match_indices("</").find(|(at, _)| {
            inside
                .get(at + 2..)
                .is_some_and(|tag| tag.strip_prefix(name).is_some_and(|end| end.starts_with('>')))
        });
        let (body, behind) = match close {
            Some((at, _)) => (inside.get(..at)?, inside.get(at + 3 + name.len()..)?),
            None => (inside, ""),
        };
        let found = match (trim(body).is_empty(), close.is_some()) {
            (false, _) => Nothing::Thinking,
            (true, true) => Nothing::EmptyThinking,
            (true, false) => Nothing::Tokens,
        };
        Some((behind, found))
    })
}

fn silent(text: &str) -> Option<(&str, Nothing)> {
    let longest = SILENT.iter().filter(|token| text.starts_with(**token)).max_by_key(|token| token.len())?;
    Some((text.get(longest.len()..)?, Nothing::Tokens))
}

/// Whether a text that begins like this may turn out to be something that shows nothing: half a template token,
/// half a mark of thinking, an empty code block that is half closed.
pub(crate) fn may_vanish(words: &str) -> bool {
    let special = || {
        let inside = words.strip_prefix("<|").or_else(|| words.strip_prefix("<｜"))?;
        let open = !inside.contains(|c: char| c == '>' || c.is_whitespace());
        (open && inside.chars().nth(SPECIAL_NAME).is_none()).then_some(())
    };
    let half_mark = words.starts_with(['<', '[', '&'])
        && (SILENT.iter().any(|token| token.starts_with(words))
            || THINKING
                .iter()
                .any(|name| words.strip_prefix('<').is_some_and(|begun| name.starts_with(begun)))
            || special().is_some());
    half_mark || matches!(words.strip_prefix(FENCE).and_then(in_fence), Some("`" | "``"))
}

/// `<|name|>` and its fullwidth twin, at most forty characters long.
fn special(text: &str) -> Option<(&str, Nothing)> {
    let inside = text.strip_prefix("<|").or_else(|| text.strip_prefix("<｜"))?;
    let (end, _) = inside.char_indices().take(SPECIAL_NAME).find(|(_, c)| *c == '>')?;
    let name = inside.get(..end)?;
    let behind = inside.get(end + 1..)?;
    (name.ends_with(['|', '｜']) && !name.contains(char::is_whitespace)).then_some((behind, Nothing::Tokens))
}

/// A code block with nothing in it.
fn fence(text: &str) -> Option<(&str, Nothing)> {
    let inside = text.strip_prefix(FENCE)?;
    let behind = match in_fence(inside) {
        Some("") => "",
        Some(body) => body.strip_prefix(FENCE)?,
        None => inside.strip_prefix(FENCE)?,
    };
    Some((behind, Nothing::Fence))
}

/// What stands behind the language of a code block; nothing where no language stands before the first line end.
fn in_fence(inside: &str) -> Option<&str> {
    // A language is a word; looking no further keeps a text of nothing but fences linear.
    let first = clip(inside, LANGUAGE);
    let (language, body) = match first.find('\n') {
        Some(end) => (first.get(..end)?, inside.get(end + 1..)?),
        None if first.len() == inside.len() => (inside, ""),
        None => (first, inside.get(first.len()..)?),
    };
    let is_word = language.chars().all(|c| c.is_ascii_alphanumeric() || "+-_ #.".contains(c));
    is_word.then(|| trim(body))
}

/// Whether nothing but signs is left. Pictures and mathematics are words here.
fn only_signs(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || is_invisible(c)
            || c.is_ascii_punctuation()
            || is_punctuation(c)
    })
}

fn is_punctuation(c: char) -> bool {
    matches!(c,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}' | '\u{2500}'..='\u{257f}' | '\u{25a0}'..='\u{25cf}' | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3011}' | '\u{301c}' | '\u{30fb}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{964}')
}

/// Signs that end or part sentences: never an answer where none was asked for.
pub(crate) fn is_sentence_mark(c: char) -> bool {
    matches!(
        c,
        '.' | '?'
            | '!'
            | '…'
            | '-'
            | '–'
            | '—'
            | '。'
            | '？'
            | '！'
            | '．'
            | '・'
            | '·'
            | '¿'
            | '¡'
            | '؟'
            | '।'
            | ' '
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_tokens_fences_and_thinking_show_nothing() {
        let cases = [
            ("", Nothing::NoText),
            (" \u{200b}\n\u{feff}\u{a0}", Nothing::Blank),
            ("</s>", Nothing::Tokens),
            ("<|im_end|>", Nothing::Tokens),
            ("<｜end▁of▁sentence｜>", Nothing::Tokens),
            ("<br>", Nothing::Tokens),
            ("<think>", Nothing::Tokens),
            ("```\n```", Nothing::Fence),
            ("```python\n\n```\n", Nothing::Fence),
            ("``````", Nothing::Fence),
            ("```json", Nothing::Fence),
            ("<think>\n\n</think>\n", Nothing::EmptyThinking),
            ("<think>Let me see.</think>\n<|im_end|>", Nothing::Thinking),
            ("<think>Let me see", Nothing::Thinking),
        ];
        for (text, expected) in cases {
            assert_eq!(look(text), Visible::Nothing(expected), "{text:?}");
        }
    }

    #[test]
    fn what_shows_nothing_may_vanish_wherever_it_is_cut() {
        let whole = [
            "```\n```",
            "```python\n\n```",
            "```c++\n \n```\n```json\n```",
            "<|im_end|>",
            "<think></think>",
            "</s>",
        ];
        for text in whole {
            assert!(matches!(look(text), Visible::Nothing(_)), "{text:?}");
            for (end, _) in text.char_indices() {
                let goes = match look(&text[..end]) {
                    Visible::Words(words) => !may_vanish(words),
                    Visible::Signs(_) | Visible::Nothing(_) => false,
                };
                assert!(!goes, "{:?} of {text:?}", &text[..end]);
            }
        }
        for words in ["```\n`x", "```js\n``x", "```é\n`", "``` `"] {
            assert!(!may_vanish(words), "{words:?}");
        }
    }

    #[test]
    fn signs_are_told_from_words() {
        for text in [".", "...", "?", "—", "**", "{", "|", "• ", "\"", "。", ";", "{}", "[]"] {
            assert!(matches!(look(text), Visible::Signs(_)), "{text:?}");
        }
        for text in [
            "Yes",
            "4",
            "✅",
            "👍",
            "∞",
            "→",
            "是",
            "- item",
            "\"a\"",
            "```\nx = 1\n```",
            "<b>x</b>",
            "$5",
            "<div>",
        ] {
            assert!(matches!(look(text), Visible::Words(_)), "{text:?}");
        }
    }

    #[test]
    fn an_answer_behind_a_thinking_block_is_found() {
        assert_eq!(behind_thinking("<think>hm</think>Yes"), "Yes");
        assert_eq!(behind_thinking("Yes </think>"), "Yes </think>");
        assert_eq!(look("<think>hm</think> Yes"), Visible::Words("Yes"));
    }
}
