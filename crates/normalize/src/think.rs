//! Thinking that a model leaks into its text is told apart from the answer (behaviour 1.4).
//!
//! Only at the start of a text: a tag inside later prose or code is something the model writes *about*.
//! Knows no provider and no wire; works on text cut anywhere.

use mainstay_canon::Dialect;

/// Most bytes of white space that are held while it is open what they belong to.
const BLANK_LIMIT: usize = 64;

/// A pair of marks around thinking.
#[derive(Debug)]
struct Tag {
    open: &'static str,
    close: &'static str,
}

/// `<think>` is DeepSeek's and Qwen's and what most chat templates copy; the others are the special
/// tokens of Seed-OSS, Magistral, Command A Reasoning and Kimi, seen as text where a server runs
/// without the reasoning parser of its model (2026-11).
static LEAKED: &[Tag] = &[
    Tag { open: "<think>", close: "</think>" },
    Tag { open: "<seed:think>", close: "</seed:think>" },
    Tag { open: "[THINK]", close: "[/THINK]" },
    Tag { open: "<|START_THINKING|>", close: "<|END_THINKING|>" },
    Tag { open: "◁think▷", close: "◁/think▷" },
    // Plain words that people also ask for in prompts, so they come last and only below count where
    // reasoning has no channel of its own. `<thought>` is Gemini's OpenAI-compatible endpoint.
    Tag { open: "<thinking>", close: "</thinking>" },
    Tag { open: "<thought>", close: "</thought>" },
];

/// How many of [`LEAKED`] are special tokens, which nobody asks a model to write.
const SPECIAL: usize = 5;

/// The marks that count as leaked thinking in that dialect.
fn tags(dialect: Dialect) -> &'static [Tag] {
    match dialect {
        Dialect::OpenaiChat | Dialect::Ollama => LEAKED,
        // Reasoning has blocks of its own here; `<thinking>` in the text was asked for by the prompt.
        Dialect::OpenaiResponses | Dialect::Anthropic | Dialect::Gemini | Dialect::Bedrock => {
            LEAKED.get(..SPECIAL).unwrap_or(LEAKED)
        }
    }
}

/// A stretch of what came as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Part of the answer.
    Text(String),
    /// Part of the thinking.
    Reasoning(String),
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Nothing but white space so far, in the whole text or since a block of thinking was closed.
    Start(Start),
    /// Within a block of thinking; `fresh` until it has said something.
    Inside { close: &'static str, fresh: bool },
    /// Past the start: the rest is text.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Of the whole text: white space is part of the answer if no thinking follows.
    Answer,
    /// After a closed block: blank lines belong to the block.
    AfterBlock,
    /// The same, on a later line: what is left of the white space indents the answer.
    AfterBlankLine,
}

/// What the start of a text turns out to be.
enum Opening {
    /// More text is needed; so many bytes of it need not be kept.
    Open { spent: usize, start: Start },
    /// A block begins, its content after so many bytes.
    Block { spent: usize, close: &'static str },
    /// A closing mark without an opening one (its opening mark was part of the prompt's template).
    StrayClose { spent: usize },
    /// The answer, after so many bytes.
    Answer { spent: usize },
}

/// Tells thinking and answer apart as text arrives.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    state: State,
    /// What cannot be told yet: white space and the beginning of a mark.
    held: String,
    tags: &'static [Tag],
}

impl Splitter {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self { state: State::Start(Start::Answer), held: String::new(), tags: tags(dialect) }
    }

    /// Takes more text, and gives what can be told by now. Past the start of an ordinary answer the
    /// text is handed on as it is, without a copy.
    pub(crate) fn push(&mut self, text: String, out: &mut Vec<Piece>) {
        let mut rest = if self.held.is_empty() {
            text
        } else {
            let mut held = std::mem::take(&mut self.held);
            held.push_str(&text);
            held
        };
        while !rest.is_empty() {
            match self.state {
                State::Text => {
                    out.push(Piece::Text(rest));
                    return;
                }
                State::Start(start) => {
                    if !self.read_start(start, &mut rest) {
                        self.held = rest;
                        return;
                    }
                }
                State::Inside { close, fresh } => {
                    if !self.read_inside(close, fresh, &mut rest, out) {
                        self.held = rest;
                        return;
                    }
                }
            }
        }
    }

    /// Whether text came that cannot be told yet.
    pub(crate) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// The text is over: what was held is what it looks like.
    pub(crate) fn finish(&mut self, out: &mut Vec<Piece>) {
        let held = std::mem::take(&mut self.held);
        let (keep, wrap): (&str, fn(String) -> Piece) = match self.state {
            State::Inside { .. } => (held.trim_ascii_end(), Piece::Reasoning),
            State::Start(Start::AfterBlock | Start::AfterBlankLine) if is_blank(&held) => ("", Piece::Text),
            State::Start(_) | State::Text => (&held, Piece::Text),
        };
        if !keep.is_empty() {
            out.push(wrap(keep.to_owned()));
        }
        self.state = State::Text;
    }

    /// Whether the start could be told; then the state is another and `rest` what follows.
    fn read_start(&mut self, start: Start, rest: &mut String) -> bool {
        match opening(self.tags, start, rest) {
            Opening::Open { spent, start } => {
                rest.drain(..spent);
                self.state = State::Start(start);
                return false;
            }
            Opening::Block { spent, close } => {
                rest.drain(..spent);
                self.state = State::Inside { close, fresh: true };
            }
            Opening::StrayClose { spent } => {
                rest.drain(..spent);
                self.state = State::Start(Start::AfterBlock);
            }
            Opening::Answer { spent } => {
                rest.drain(..spent);
                self.state = State::Text;
            }
        }
        true
    }

    /// Whether the block was closed; then `rest` is what follows it, else what must be held.
    fn read_inside(
        &mut self,
        close: &'static str,
        fresh: bool,
        rest: &mut String,
        out: &mut Vec<Piece>,
    ) -> bool {
        if fresh {
            let blank = rest.len() - rest.trim_ascii_start().len();
            rest.drain(..blank);
            self.state = State::Inside { close, fresh: rest.is_empty() };
        }
        let found = rest.find(close);
        let said = found.unwrap_or_else(|| rest.len() - beginning_of(close, rest));
        let said = said - blank_end(rest.get(..said).unwrap_or(rest));
        if let Some(said) = rest.get(..said).filter(|said| !said.is_empty()) {
            out.push(Piece::Reasoning(said.to_owned()));
        }
        rest.drain(..found.map_or(said, |at| at + close.len()));
        if found.is_some() {
            self.state = State::Start(Start::AfterBlock);
        }
        found.is_some()
    }
}

/// Looks at the start of a text that is not empty.
fn opening(tags: &'static [Tag], start: Start, text: &str) -> Opening {
    let body = text.trim_ascii_start();
    let blank = text.len() - body.len();
    let lead = text.get(..blank).unwrap_or("");
    let (spent, start) = match (start, lead.rfind(['\n', '\r'])) {
        (Start::Answer, _) if blank > BLANK_LIMIT => return Opening::Answer { spent: 0 },
        (Start::Answer, _) | (Start::AfterBlankLine, None) => (0, start),
        (Start::AfterBlock | Start::AfterBlankLine, Some(line)) => (line + 1, Start::AfterBlankLine),
        (Start::AfterBlock, None) => (blank, start),
    };
    // After a block only the answer's indentation is left to keep, and only so much of it.
    let spent = match start {
        Start::Answer => spent,
        Start::AfterBlock | Start::AfterBlankLine => spent.max(blank.saturating_sub(BLANK_LIMIT)),
    };
    if body.is_empty() {
        return Opening::Open { spent, start };
    }
    for tag in tags {
        if body.starts_with(tag.open) {
            return Opening::Block { spent: blank + tag.open.len(), close: tag.close };
        }
        if body.starts_with(tag.close) {
            return Opening::StrayClose { spent: blank + tag.close.len() };
        }
    }
    if tags.iter().any(|tag| tag.open.starts_with(body) || tag.close.starts_with(body)) {
        return Opening::Open { spent, start };
    }
    Opening::Answer { spent }
}

/// The thinking before a closing mark that nothing opened, and the answer after it, of a whole text.
///
/// Templates that put the opening mark into the prompt make a server without a reasoning parser send
/// `thoughts</think>answer`. In a stream the thoughts are gone out as text before that can be known; a
/// whole text can still be put right. A mark in quotes or code, or with a line of text behind it, is
/// written about and stays.
pub(crate) fn unopened(dialect: Dialect, text: &str) -> Option<(&str, &str)> {
    match dialect {
        Dialect::OpenaiChat | Dialect::Ollama => {}
        Dialect::OpenaiResponses | Dialect::Anthropic | Dialect::Gemini | Dialect::Bedrock => return None,
    }
    LEAKED.iter().take(SPECIAL).find_map(|tag| {
        let (thoughts, answer) = text.split_once(tag.close)?;
        let written_about = text.contains(tag.open)
            || answer.contains(tag.close)
            || thoughts.ends_with(['`', '"', '\'', '“', '‘', '«', '('])
            || thoughts.matches("```").count() % 2 == 1
            || !(answer.is_empty() || answer.starts_with(['\n', '\r']));
        (!written_about).then(|| (thoughts.trim_ascii(), answer.trim_start_matches(['\n', '\r'])))
    })
}

fn is_blank(text: &str) -> bool {
    text.trim_ascii_start().is_empty()
}

/// How many bytes of white space `text` ends with, as far as they may be held.
fn blank_end(text: &str) -> usize {
    (text.len() - text.trim_ascii_end().len()).min(BLANK_LIMIT)
}

/// How many bytes at the end of `text` may be the beginning of `mark`.
fn beginning_of(mark: &str, text: &str) -> usize {
    (1..mark.len())
        .rev()
        .find(|&length| mark.get(..length).is_some_and(|beginning| text.ends_with(beginning)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let mut splitter = Splitter::new(Dialect::OpenaiChat);
        let mut out = Vec::new();
        for piece in pieces {
            splitter.push((*piece).to_owned(), &mut out);
        }
        splitter.finish(&mut out);
        let (mut text, mut reasoning) = (String::new(), String::new());
        for piece in out {
            match piece {
                Piece::Text(part) => text.push_str(&part),
                Piece::Reasoning(part) => reasoning.push_str(&part),
            }
        }
        (text, reasoning)
    }

    fn check(whole: &str, text: &str, reasoning: &str) {
        assert_eq!(split(&[whole]), (text.to_owned(), reasoning.to_owned()), "{whole:?}");
        let letters: Vec<String> = whole.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(split(&letters), (text.to_owned(), reasoning.to_owned()), "{whole:?} letter by letter");
    }

    #[test]
    fn a_block_at_the_start_is_thinking() {
        check("<think>\nTwo steps.\n</think>\n\nDone.", "Done.", "Two steps.");
        check("\n <think>a</think>b", "b", "a");
        check("<think>a</think> b", "b", "a");
        check("<thinking>a</thinking>b", "b", "a");
        check("[THINK]a[/THINK]b", "b", "a");
        check("◁think▷a◁/think▷b", "b", "a");
    }

    #[test]
    fn an_empty_block_leaves_no_thinking() {
        check("<think>\n\n</think>\n\nHello", "Hello", "");
        check("<think></think>", "", "");
    }

    #[test]
    fn blocks_may_follow_one_another() {
        check("<think>a</think>\n<think>b</think>\nc", "c", "ab");
    }

    #[test]
    fn a_block_that_is_never_closed_is_all_thinking() {
        check("<think>Hm, the clauses", "", "Hm, the clauses");
        check("<think>", "", "");
        check("<think>a</thi", "", "a</thi");
    }

    #[test]
    fn a_stray_closing_mark_at_the_start_is_dropped() {
        check("</think>\n\nHello", "Hello", "");
        check("\n</think>Hello", "Hello", "");
    }

    #[test]
    fn tags_in_later_prose_or_code_stay_text() {
        for text in [
            "Use <think> to open and </think> to close.",
            "`<think>` is a tag.",
            "<b>bold</b>",
            "<thin",
            "<think-aloud> protocol",
            " \n ",
            "  indented",
            "[THIN] ice",
        ] {
            check(text, text, "");
        }
    }

    #[test]
    fn the_first_lines_indentation_survives_the_blank_lines_before_it() {
        check("<think>a</think>\n\n    return x", "    return x", "a");
    }

    #[test]
    fn white_space_is_not_held_without_end() {
        let blank = " ".repeat(BLANK_LIMIT + 1);
        check(&format!("{blank}<think>a"), &format!("{blank}<think>a"), "");
        check(&format!("<think>a{blank}</think>b"), "b", "a ");
        check(&format!("<think>a</think>\n{blank}\n{blank}b"), &format!("{}b", " ".repeat(BLANK_LIMIT)), "a");
        let mut splitter = Splitter::new(Dialect::OpenaiChat);
        let mut out = Vec::new();
        for _ in 0..10_000 {
            splitter.push(" ".to_owned(), &mut out);
            assert!(splitter.held.len() <= BLANK_LIMIT);
        }
    }

    #[test]
    fn an_ordinary_answer_is_never_held() {
        let mut splitter = Splitter::new(Dialect::OpenaiChat);
        let mut out = Vec::new();
        splitter.push("H".to_owned(), &mut out);
        assert_eq!(out, [Piece::Text("H".to_owned())]);
    }

    #[test]
    fn asked_for_tags_stay_text_where_reasoning_has_blocks_of_its_own() {
        let mut splitter = Splitter::new(Dialect::Anthropic);
        let mut out = Vec::new();
        splitter.push("<thinking>a</thinking>b".to_owned(), &mut out);
        assert_eq!(out, [Piece::Text("<thinking>a</thinking>b".to_owned())]);
    }

    #[test]
    fn a_whole_text_with_an_unopened_close_is_put_right() {
        let found = |text| unopened(Dialect::OpenaiChat, text);
        assert_eq!(found("The user greets me.\n</think>\n\nHello!"), Some(("The user greets me.", "Hello!")));
        assert_eq!(found("Thoughts only</think>"), Some(("Thoughts only", "")));
        for prose in [
            "Close it with `</think>`\nand go on.",
            "Write </think> at the end.",
            "```\n</think>\n```",
            "<think>a</think>\nb",
            "a</think>\nb</think>\n",
            "no mark",
        ] {
            assert_eq!(found(prose), None, "{prose:?}");
        }
    }

    proptest! {
        #[test]
        fn where_the_text_is_cut_does_not_matter(
            parts in prop::collection::vec(prop::sample::select(vec![
                "<think>", "</think>", "<thinking>", "</thinking>", "<", "/", "think", ">", "\n", " ", "a", "é", "[THINK]", "◁think▷", "◁/",
            ]), 0..24),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let whole: String = parts.concat();
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
            ends.retain(|&at| whole.is_char_boundary(at));
            ends.push(whole.len());
            ends.sort_unstable();
            let mut from = 0;
            let pieces: Vec<&str> = ends.iter().map(|&to| { let piece = &whole[from..to]; from = to; piece }).collect();
            prop_assert_eq!(split(&pieces), split(&[&whole]));
        }
    }
}
