//! How a well-behaved provider spells an answer, in each dialect the fake provider knows.

mod anthropic;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use serde_json::Value;

use crate::said::Said;
use crate::server::{Seen, Step};
use crate::wire::{chunk, chunked_head, http, last_chunk};

/// Which dialect a route speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini `generateContent` and `streamGenerateContent`, `batchEmbedContents`.
    Gemini,
    /// Ollama's own `/api/chat` and `/api/embed`.
    Ollama,
}

impl Spelling {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// By the path that was called.
    pub fn of_path(path: &str) -> Self {
        let path = path.split('?').next().unwrap_or(path);
        if [":generateContent", ":streamGenerateContent", ":batchEmbedContents", ":embedContent"]
            .iter()
            .any(|method| path.ends_with(method))
        {
            Self::Gemini
        } else if path.ends_with("/api/chat") || path.ends_with("/api/embed") {
            Self::Ollama
        } else if path.contains("/messages") {
            Self::Anthropic
        } else if path.contains("/responses") {
            Self::OpenaiResponses
        } else {
            Self::OpenaiChat
        }
    }

    /// The dialect's name in a configuration file.
    pub const fn dialect(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The content type of a streamed answer.
    pub(crate) const fn stream_type(self) -> &'static str {
        match self {
            Self::OpenaiChat | Self::OpenaiResponses | Self::Anthropic | Self::Gemini => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        }
    }

    /// What says nothing but that the connection lives.
    pub(crate) const fn keep_alive(self) -> &'static str {
        match self {
            Self::OpenaiChat | Self::OpenaiResponses | Self::Anthropic | Self::Gemini => ": keep-alive\n\n",
            // Lines of JSON have no comments.
            Self::Ollama => "\n",
        }
    }
}

/// A streamed answer, each event with its framing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    /// Before any content.
    pub(crate) opening: Vec<String>,
    /// Thinking, text and calls, up to the last piece of the last.
    pub(crate) content: Vec<String>,
    /// What ends the answer, terminator included.
    pub(crate) ending: Vec<String>,
}

impl Said {
    /// The body of a whole answer.
    pub fn body(&self, spelling: Spelling, model: &str) -> Value {
        match spelling {
            Spelling::OpenaiChat => openai_chat::body(self, model),
            Spelling::OpenaiResponses => openai_responses::body(self, model),
            Spelling::Anthropic => anthropic::body(self, model),
            Spelling::Gemini => gemini::body(self, model),
            Spelling::Ollama => ollama::body(self, model),
        }
    }

    /// The events of a streamed answer, terminator included, each with its framing.
    pub fn events(&self, spelling: Spelling, model: &str) -> Vec<String> {
        let Events { mut opening, content, ending } = self.parts(spelling, model);
        opening.extend(content);
        opening.extend(ending);
        opening
    }

    pub(crate) fn parts(&self, spelling: Spelling, model: &str) -> Events {
        match spelling {
            Spelling::OpenaiChat => openai_chat::events(self, model),
            Spelling::OpenaiResponses => openai_responses::events(self, model),
            Spelling::Anthropic => anthropic::events(self, model),
            Spelling::Gemini => gemini::events(self, model),
            Spelling::Ollama => ollama::events(self, model),
        }
    }

    pub(crate) fn steps(&self, spelling: Spelling, seen: &Seen) -> Vec<Step> {
        if !seen.stream {
            let headers: Vec<(&str, &str)> =
                self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            return http(200, &headers, self.body(spelling, &seen.model).to_string().as_bytes());
        }
        let mut steps = vec![chunked_head(spelling.stream_type(), &self.headers)];
        for event in self.events(spelling, &seen.model) {
            if !self.gap.is_zero() {
                steps.push(Step::Wait(self.gap));
            }
            steps.push(chunk(&event));
        }
        steps.push(last_chunk());
        steps
    }
}
