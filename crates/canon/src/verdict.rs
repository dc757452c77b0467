//! What the judge found.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The class of an answer (behaviour 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// A usable answer.
    Ok,
    /// Nothing: no text and no tool call, or lone punctuation.
    Empty,
    /// The token limit was reached before any visible text.
    TruncatedEmpty,
    /// Thinking came, no answer.
    ReasoningOnly,
    /// Visible text, cut by the token limit.
    Truncated,
    /// The provider asks for the turn to be continued.
    Paused,
    /// A stray opening where an answer was wanted.
    SuspiciouslyShort,
    /// The model declined.
    Refusal,
    /// A safety filter cut it.
    Filtered,
    /// A tool call that must not be run.
    MalformedToolCall,
    /// JSON was asked for and this is not it.
    SchemaMismatch,
    /// A loop, leaked template tokens, an error page.
    Degenerate,
    /// The answer broke off.
    Interrupted,
}

impl Quality {
    /// All classes, in the order of the contract.
    pub const ALL: [Self; 13] = [
        Self::Ok,
        Self::Empty,
        Self::TruncatedEmpty,
        Self::ReasoningOnly,
        Self::Truncated,
        Self::Paused,
        Self::SuspiciouslyShort,
        Self::Refusal,
        Self::Filtered,
        Self::MalformedToolCall,
        Self::SchemaMismatch,
        Self::Degenerate,
        Self::Interrupted,
    ];

    /// The word for records, headers and the config file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::TruncatedEmpty => "truncated_empty",
            Self::ReasoningOnly => "reasoning_only",
            Self::Truncated => "truncated",
            Self::Paused => "paused",
            Self::SuspiciouslyShort => "suspiciously_short",
            Self::Refusal => "refusal",
            Self::Filtered => "filtered",
            Self::MalformedToolCall => "malformed_tool_call",
            Self::SchemaMismatch => "schema_mismatch",
            Self::Degenerate => "degenerate",
            Self::Interrupted => "interrupted",
        }
    }

    /// The class of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quality| quality.word() == word)
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The judge's finding on one answer, with its reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The class.
    pub quality: Quality,
    /// Which rule decided, such as `refusal.head` or `empty.punctuation`.
    pub rule: Cow<'static, str>,
    /// A sentence for people, such as `finish "stop", no visible text`; may be empty.
    pub detail: Cow<'static, str>,
    /// Where in the text, as a byte offset.
    pub at: Option<usize>,
    /// How sure, 0 to 1, where the rule has a score.
    pub score: Option<f32>,
    /// Whether operator settings count this class as a failure (behaviour 4.5).
    pub is_failure: bool,
}

impl Verdict {
    /// A usable answer. Allocates nothing.
    pub const fn ok() -> Self {
        Self::of(Quality::Ok, "ok", "")
    }

    /// A finding that is not (yet) counted as a failure.
    pub const fn of(quality: Quality, rule: &'static str, detail: &'static str) -> Self {
        Self {
            quality,
            rule: Cow::Borrowed(rule),
            detail: Cow::Borrowed(detail),
            at: None,
            score: None,
            is_failure: false,
        }
    }
}
