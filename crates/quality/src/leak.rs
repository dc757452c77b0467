//! Marks of tool-call syntaxes and chat templates that leaked into the text.
//!
//! A mark in a code block, in backticks or in quotes is talked about, not leaked. One pass over the text.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem;

use crate::words::markup::{Leak, MARKS, ROLES, Where};

/// A leaked mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaked {
    /// What it belongs to.
    pub(crate) leak: Leak,
    /// The mark.
    pub(crate) mark: &'static str,
    /// Where it stands, as a byte offset.
    pub(crate) at: usize,
}

/// `None` only if the list outgrew the automaton, which a test rules out.
static AUTOMATON: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MARKS.iter().map(|(mark, _, _)| mark)).ok());

/// Compiles the list now.
pub(crate) fn prepare() {
    LazyLock::force(&AUTOMATON);
    LazyLock::force(&TO_FUNCTIONS);
    LazyLock::force(&ACTION_INPUT);
}

/// The first leaked mark, tool calls before templates. Allocates nothing.
pub(crate) fn find(text: &str, prompt: &str) -> Option<Leaked> {
    let mut template = role_line(text);
    if !may_hold_mark(text.as_bytes()) {
        return agent_steps(text).or(template);
    }
    let mut code = Code::default();
    let automaton = AUTOMATON.as_ref()?;
    // Whether the prompt speaks of a mark is looked up once a mark.
    let mut spoken_of = [None; MARKS.len()];
    for hit in automaton.find_overlapping_iter(text) {
        let index = hit.pattern().as_usize();
        let Some((mark, leak, place)) = MARKS.get(index).copied() else { continue };
        if template.is_some() && leak == Leak::Template {
            continue;
        }
        code.advance(text, hit.start());
        if code.quoted(text, hit.start(), hit.end()) || !fits(text, hit.start(), hit.end(), place) {
            continue;
        }
        let spoken_of =
            spoken_of.get_mut(index).map(|known| *known.get_or_insert_with(|| prompt.contains(mark)));
        if spoken_of == Some(true) {
            continue;
        }
        let leaked = Leaked { leak, mark, at: hit.start() };
        if leak == Leak::Tool {
            return Some(leaked);
        }
        template = template.or(Some(leaked));
    }
    agent_steps(text).or(template).or_else(|| stray_thinking_end(text))
}

/// Whether some mark's first bytes stand in the text: most answers hold none, and need no closer look.
fn may_hold_mark(text: &[u8]) -> bool {
    let begins = |at: usize| {
        let next = text.get(at + 1).copied().unwrap_or(0);
        match text.get(at) {
            Some(b'[') => matches!(next, b'T' | b'I' | b'/'),
            Some(b'#') => next == b'#',
            Some(_) | None => !matches!(next, b' ' | b'=' | b'-' | b'0'..=b'9'),
        }
    };
    memchr::memchr3_iter(b'<', b'[', b'#', text).any(begins) || TO_FUNCTIONS.find(text).is_some()
}

/// The one mark that begins otherwise.
static TO_FUNCTIONS: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(b"to=functions."));
/// The line of an agent's step that names what the tool is given.
static ACTION_INPUT: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(b"\nAction Input:"));

fn fits(text: &str, start: usize, end: usize, place: Where) -> bool {
    match place {
        Where::Anywhere => true,
        Where::LineStart => {
            let before = text.get(..start).unwrap_or_default().trim_end_matches([' ', '\t']);
            before.is_empty() || before.ends_with('\n')
        }
        Where::BeforeJson => {
            let after = text.get(end..).unwrap_or_default().trim_start();
            after.starts_with(['{', '['])
        }
    }
}

/// A role on a line of its own before the answer: "assistant\n\nThe result is 12."
fn role_line(text: &str) -> Option<Leaked> {
    let (first, rest) = text.split_once('\n')?;
    let mark = ROLES.iter().find(|role| first.trim_end() == **role)?;
    (!rest.trim().is_empty()).then_some(Leaked { leak: Leak::Template, mark, at: 0 })
}

/// Steps of a text-driven agent: "Action: …", "Action Input: …", each on its line.
fn agent_steps(text: &str) -> Option<Leaked> {
    let input = ACTION_INPUT.find(text.as_bytes())?;
    let before = text.get(..input)?;
    let at = if before.starts_with("Action:") { 0 } else { before.rfind("\nAction:")? + 1 };
    let lines_between = before.get(at..)?.matches('\n').count();
    (lines_between == 0).then_some(Leaked { leak: Leak::Tool, mark: "Action Input:", at })
}

/// A thinking block's end without its beginning.
fn stray_thinking_end(text: &str) -> Option<Leaked> {
    let at = memchr::memmem::find(text.as_bytes(), b"</think>")?;
    let before = text.get(..at)?;
    let mut code = Code::default();
    code.advance(text, at);
    let opened = before.contains("<think>");
    let quoted = code.quoted(text, at, at + "</think>".len());
    (!opened && !quoted).then_some(Leaked { leak: Leak::Template, mark: "</think>", at })
}

/// Where in the text code blocks and backticks are open, kept while walking forward.
#[derive(Default)]
struct Code {
    at: usize,
    fenced: bool,
    ticked: bool,
}

impl Code {
    /// Walks on to `to`.
    fn advance(&mut self, text: &str, to: usize) {
        let bytes = text.as_bytes();
        while self.at < to {
            let Some(slice) = bytes.get(self.at..to) else { return };
            let Some(step) = memchr::memchr2(b'`', b'\n', slice) else {
                self.at = to;
                return;
            };
            self.at += step;
            if bytes.get(self.at..self.at + 3) == Some(b"```") {
                self.fenced = !self.fenced;
                self.at += 3;
                continue;
            }
            match bytes.get(self.at) {
                Some(b'`') => self.ticked = !self.ticked,
                Some(_) | None => self.ticked = false,
            }
            self.at += 1;
        }
    }

    /// Whether the mark from `start` to `end` stands in code or directly between quotes.
    fn quoted(&self, text: &str, start: usize, end: usize) -> bool {
        if self.fenced || self.ticked {
            return true;
        }
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let after = text.get(end..).and_then(|after| after.chars().next());
        let open = matches!(before, Some('"' | '\'' | '“' | '‘' | '«' | '„' | '「' | '(' | '`'));
        let close = matches!(after, Some('"' | '\'' | '”' | '’' | '»' | '“' | '」' | ')' | '`' | ','));
        open && close
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leak(text: &str) -> Option<Leak> {
        find(text, "").map(|leaked| leaked.leak)
    }

    #[test]
    fn every_mark_is_seen_at_a_glance() {
        for (mark, _, _) in MARKS {
            assert!(may_hold_mark(format!("text {mark}").as_bytes()), "{mark}");
        }
        assert!(!may_hold_mark(b"a < b, a[0] and # one"));
    }

    #[test]
    fn the_list_fits_the_automaton() {
        assert!(AUTOMATON.is_some());
    }

    #[test]
    fn tool_call_syntax_in_the_text_is_a_leak() {
        for text in [
            "<tool_call>\n{\"name\": \"f\"}\n</tool_call>",
            "Let me look.\n<function=get_weather>{\"city\": \"Oslo\"}</function>",
            "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}}]",
            "<｜tool▁calls▁begin｜>",
            "<|channel|>commentary to=functions.get_weather <|message|>{}<|call|>",
            "Action: get_weather\nAction Input: {\"city\": \"Oslo\"}\nObservation:",
        ] {
            assert_eq!(leak(text), Some(Leak::Tool), "{text}");
        }
    }

    #[test]
    fn template_tokens_in_the_text_are_a_leak() {
        for text in [
            "Hello!<|im_end|>",
            "<start_of_turn>model\nHello<end_of_turn>",
            "[/INST] Sure.</s>",
            "### Assistant: Blue.\n### Human: Why?",
            "assistant\n\nThe result is 12.",
            "Okay.</think>\n\nParis.",
        ] {
            assert_eq!(leak(text), Some(Leak::Template), "{text}");
        }
    }

    #[test]
    fn a_mark_that_is_talked_about_is_none() {
        for text in [
            "ChatML wraps each turn in `<|im_start|>role` and `<|im_end|>` tokens.",
            "`[INST]` and `[/INST]` delimit a user turn.",
            "Use \"<|eot_id|>\" to end a turn.",
            "Example:\n```\n<tool_call>\n{}\n</tool_call>\n```\nThat is all.",
            "The assistant\nwas late.",
            "The tag <tool_call> wraps a call.",
            "Take action: Action Input: none",
        ] {
            assert_eq!(leak(text), None, "{text}");
        }
        assert_eq!(find("It is <|im_end|> there.", "What does <|im_end|> mean?"), None);
    }

    #[test]
    fn many_quoted_marks_take_no_more_than_one_pass() {
        let text = "`</s>` ".repeat(100_000);
        assert_eq!(leak(&text), None);
    }
}
