//! Why an answer ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Kind;

/// Why an answer ended. A closed set: a word that no table knows is a failure, never one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// A token limit was reached.
    Length,
    /// The model wants tools run.
    ToolCall,
    /// The model declined, and the provider says so.
    Refusal,
    /// The provider's safety filter cut it.
    ContentFilter,
    /// The provider asks for the turn to be continued.
    Pause,
    /// Neither an answer nor a reason came.
    Empty,
}

impl FinishReason {
    /// The word for records and headers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCall => "tool_call",
            Self::Refusal => "refusal",
            Self::ContentFilter => "content_filter",
            Self::Pause => "pause",
            Self::Empty => "empty",
        }
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What one provider means by one finish word. Some words are not endings at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishMeaning {
    /// An ending.
    Answer(FinishReason),
    /// The filter blocked the prompt itself as prohibited: no other tier is asked.
    Prohibited,
    /// The context window was hit: `length` for the caller, and the same model cannot do better.
    ContextFull,
    /// A failure that hides in a finish word.
    Broken(Kind),
}
