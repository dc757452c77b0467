//! What the prompt lets one expect, read only when an answer is in doubt.
//!
//! The last user text is all that is looked at, its first and last part. An empty prompt says nothing.

use mainstay_canon::Expect;

use crate::ask::Ask;
use crate::plain::{self, Plain};
use crate::words::demands;

/// Plain bytes of each part of the prompt.
const PART: usize = 640;
/// A token limit up to this asks for a short answer.
const TINY_LIMIT: u32 = 16;
/// A number before "words" from here on asks for a long text.
const MANY_WORDS: u32 = 50;

/// The prompt in plain spelling, first and last part.
pub(crate) struct Demand {
    first: Plain<PART>,
    last: Option<Plain<PART>>,
    expect: Expect,
    tiny_limit: bool,
}

impl Demand {
    /// Reads what was asked.
    pub(crate) fn of(ask: &Ask<'_>) -> Self {
        let first = Plain::of(ask.prompt);
        let last = (!first.whole).then(|| Plain::of(plain::tail(ask.prompt, PART)));
        let tiny_limit = ask.max_tokens.is_some_and(|limit| limit <= TINY_LIMIT);
        Self { first, last, expect: ask.expect, tiny_limit }
    }

    /// A prompt that is not known.
    pub(crate) fn unknown() -> Self {
        Self { first: Plain::of(""), last: None, expect: Expect::Any, tiny_limit: false }
    }

    /// Nothing is known of the prompt.
    pub(crate) fn is_unknown(&self) -> bool {
        self.first.bytes().is_empty()
    }

    /// Whether one of the words, with `|` between, stands in the prompt.
    fn says(&self, words: &str) -> bool {
        let last = self.last.as_ref().map_or("", Plain::text);
        words.split('|').any(|word| self.first.text().contains(word) || last.contains(word))
    }

    /// The prompt holds this text, apart from its spelling.
    pub(crate) fn mentions(&self, text: &str) -> bool {
        let words = Plain::<64>::of(text);
        !words.bytes().is_empty() && self.says(words.text())
    }

    /// A word or a label is enough.
    pub(crate) fn short(&self) -> bool {
        self.expect == Expect::Short
            || self.tiny_limit
            || (self.expect == Expect::Any && self.says(demands::SHORT))
    }

    /// A long text is wanted.
    pub(crate) fn long(&self) -> bool {
        self.expect == Expect::Long || (!self.short() && (self.says(demands::LONG) || self.many_words()))
    }

    /// More than a word is wanted.
    pub(crate) fn more(&self) -> bool {
        self.long() || (!self.short() && self.says(demands::MORE))
    }

    /// The answer is a sign, such as `?` or `;`.
    pub(crate) fn sign(&self) -> bool {
        !self.long() && self.says(demands::SIGN)
    }

    /// A short question that a single sign may answer.
    pub(crate) fn quick_question(&self) -> bool {
        !self.more() && self.first.whole && matches!(self.first.bytes().last(), Some(b'?'))
    }

    /// Repetition is wanted.
    pub(crate) fn repetition(&self) -> bool {
        self.says(demands::REPEAT)
    }

    /// The text that is asked for may itself refuse or apologize: a translation, a letter.
    pub(crate) fn refusing_words(&self) -> bool {
        self.says(demands::REWORD) || (self.says(demands::REFUSING) && self.more())
    }

    /// A picture or a sound is wanted, which comes beside the text.
    pub(crate) fn media(&self) -> bool {
        self.says(demands::MEDIA)
    }

    /// HTML is wanted.
    pub(crate) fn html(&self) -> bool {
        self.says(demands::HTML)
    }

    /// "a 300 word essay", "1000-word", "500 words".
    fn many_words(&self) -> bool {
        let last = self.last.as_ref().map_or("", Plain::text);
        [self.first.text(), last].iter().any(|text| {
            text.match_indices("word").any(|(at, _)| {
                let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '-']);
                let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
                let number = before.get(before.len() - digits..).unwrap_or_default();
                number.parse::<u32>().is_ok_and(|count| count >= MANY_WORDS)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::ChatRequest;

    fn demand(prompt: &str) -> Demand {
        Demand::of(&Ask::of(&ChatRequest::user(prompt)))
    }

    #[test]
    fn a_prompt_says_how_much_it_wants() {
        assert!(demand("Write a 300 word essay on theme 9").long());
        assert!(demand("Give me 1200-words on bees").long());
        assert!(!demand("Give me 5 words on bees").long());
        assert!(demand("Explain rain").more());
        assert!(!demand("Explain in one word").more());
        assert!(demand("Is it true? yes/no").short());
        assert!(!demand("6*7=?").more());
        assert!(demand("").is_unknown());
    }

    #[test]
    fn what_the_request_states_outweighs_the_words() {
        let long = ChatRequest::user("yes or no?").expect(Expect::Long);
        assert!(Demand::of(&Ask::of(&long)).long());
        let tiny = ChatRequest::user("Explain rain").max_tokens(5);
        assert!(Demand::of(&Ask::of(&tiny)).short());
    }
}
