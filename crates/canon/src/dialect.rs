//! The wire dialects.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A way of spelling a chat on the wire. Providers that share one share its codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// OpenAI Chat Completions, and everybody who speaks it.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini `generateContent`.
    Gemini,
    /// Ollama's own `/api/chat`.
    Ollama,
    /// AWS Bedrock Converse.
    Bedrock,
}

impl Dialect {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Ollama, Self::Bedrock];

    /// The name the config file uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Bedrock => "bedrock",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
