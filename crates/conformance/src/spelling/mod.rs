//! How each dialect spells a scenario. One file a dialect, written from the providers' documented pages and
//! recordings, and without a line of the writers and readers that it tries.

mod anthropic;
mod framing;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use mainstay_canon::Dialect;

use crate::scenario::{Form, Scenario, Wire};

/// One dialect's spelling.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// Whose.
    pub dialect: Dialect,
    /// A scenario's wire; `None` where the dialect has no words for it.
    pub spell: fn(Scenario, Form) -> Option<Wire>,
    /// What the dialect cannot spell, and why: the whole scenario, or one form of it.
    pub skips: &'static [(Scenario, Option<Form>, &'static str)],
    /// Finish words put on an answer, for the tables of providers.
    pub with_word: fn(word: &str, parts: Parts) -> Wire,
}

/// What stands beside a finish word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Text.
    Text,
    /// A tool call.
    Call,
}

impl Spelling {
    /// Why the dialect has no words for a scenario, where it says so.
    pub fn skip(&self, scenario: Scenario, form: Form) -> Option<&'static str> {
        let named = |(known, only, _): &&(Scenario, Option<Form>, &str)| {
            *known == scenario && only.is_none_or(|only| only == form)
        };
        self.skips.iter().find(named).map(|(.., why)| *why)
    }
}

/// The spelling of a dialect. `None` for one that is not spoken yet.
pub const fn spelling(dialect: Dialect) -> Option<&'static Spelling> {
    match dialect {
        Dialect::OpenaiChat => Some(&openai_chat::SPELLING),
        Dialect::OpenaiResponses => Some(&openai_responses::SPELLING),
        Dialect::Anthropic => Some(&anthropic::SPELLING),
        Dialect::Gemini => Some(&gemini::SPELLING),
        Dialect::Ollama => Some(&ollama::SPELLING),
        Dialect::Bedrock => None,
    }
}

/// One piece of an answer, to be spelled whole or in pieces.
#[derive(Clone, Copy, Debug)]
enum Part {
    Text(&'static [&'static str]),
    Thought(&'static [&'static str]),
    /// Reasoning that is signed.
    Signed(&'static [&'static str], &'static str),
    Refusal(&'static str),
    /// Id, arguments in pieces.
    Call(&'static str, &'static [&'static str]),
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// The finish word; none where it is left out.
    word: Option<&'static str>,
    /// Prompt and completion tokens.
    counts: Option<(u64, u64)>,
    /// Of them cached.
    cached: u64,
    /// Of them hidden.
    hidden: u64,
}

impl End {
    const fn with(word: &'static str) -> Self {
        Self { word: Some(word), counts: Some(crate::outcome::COUNTS), cached: 0, hidden: 0 }
    }
}
