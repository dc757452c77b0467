//! Google Gemini `generateContent`, the provider's side.
//!
//! Source: Gemini API reference, Thought signatures, Thinking and Troubleshooting, as of 2026-11. Knows no address, no
//! key and no model by name: what a model accepts is passed in, what its generation asks for is a quirk.
//!
//! What the canonical chat has no name for travels like this. Signatures on calls stand in a call's `extra` under
//! `thoughtSignature`. They, signatures on texts and whole parts without a name (code run by the server, its results,
//! images) also leave marks: reasoning blocks that say which part of the message they belong to, so that they go back
//! on that very part, and only to the model that sent them. Members of a reply without a name are kept in its `extra`.
//! In a request of this dialect, unknown members of the body, `generationConfig`, `toolConfig`, parts, calls and tools
//! stand in the `extra` of the thing they belong to, tools that the server runs are native, and contents may come as
//! `verbatim` lists of parts.

mod args;
mod calls;
mod config;
mod delay;
mod effort;
mod embeddings;
mod error;
mod json;
mod marks;
mod media;
mod notes;
mod parts;
mod path;
mod reading;
mod replay;
mod reply_read;
mod request_write;
mod secrets;
mod split;
mod stream_piece;
mod stream_read;
mod tools;
mod turns;
mod usage;

pub use effort::Thinking;

use mainstay_canon::{ChatRequest, Dialect, Failure, ReasoningEffort, WireReply};

use crate::embeddings::Embeddings;
use crate::{Call, Outbound, StreamReader, Upstream};

/// The provider's side of `generateContent`, with what differs between models.
#[derive(Clone, Copy, Debug)]
pub struct GeminiContent {
    /// What a model's generation asks of a request.
    pub generation: fn(model: &str) -> Generation,
}

/// What one generation of models asks of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// How it is told how much to think.
    pub thinking: Thinking,
    /// Whether the first call of each step of the current turn must carry a signature (Gemini 3 and later).
    pub signed_calls: bool,
    /// Whether a tool's result may hold media; else they stand beside it (Gemini 3 and later).
    pub media_in_results: bool,
    /// Whether it takes a JSON answer and tools in one request (Gemini 3 and later).
    pub json_with_tools: bool,
}

impl Generation {
    /// Gemini 3 and later, with the levels of thinking that all of it knows.
    pub const NEWEST: Self = Self {
        thinking: Thinking::Levels(&[ReasoningEffort::Low, ReasoningEffort::Medium, ReasoningEffort::High]),
        signed_calls: true,
        media_in_results: true,
        json_with_tools: true,
    };

    /// Gemini 2.5 and before, with the budgets that all of 2.5 takes.
    pub const OLDER: Self = Self {
        thinking: Thinking::Budget { least: 512, most: 24_576, stops: false },
        signed_calls: false,
        media_in_results: false,
        json_with_tools: false,
    };
}

impl GeminiContent {
    /// Models of the newest generation.
    pub const STANDARD: Self = Self { generation: |_| Generation::NEWEST };
}

impl Upstream for GeminiContent {
    fn dialect(&self) -> Dialect {
        Dialect::Gemini
    }

    fn write_request(&self, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
        request_write::write(*self, request, call)
    }

    fn read_reply(&self, body: &[u8]) -> Result<WireReply, Failure> {
        reply_read::read(body)
    }

    fn read_error(&self, status: u16, body: &[u8]) -> Failure {
        error::read(status, body)
    }

    fn read_stream(&self) -> Box<dyn StreamReader> {
        Box::new(stream_read::Reader::default())
    }

    fn embeddings(&self) -> Option<&dyn Embeddings> {
        Some(&embeddings::BatchEmbed)
    }
}
