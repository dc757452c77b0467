//! Anthropic Messages, both faces.
//!
//! Source: Anthropic API reference, Messages, Streaming, Errors and Versions, as of 2026-11. Knows no address, no
//! key and no model by name: what a model accepts is passed in, what a provider does differently is a quirk.
//!
//! What the canonical chat has no name for travels like this. In a request: members of the body, of a message, a
//! part, a call or a tool in their `extra`, blocks as native parts, whole contents as `verbatim`. In a whole reply:
//! `extra` holds `content` as it came wherever the canonical fields do not say all of it, `usage` without the
//! counters that have a name, and the members of the message that have none. Whole or streamed, blocks of server
//! tools are handed on as reasoning blocks: they are no reasoning, but must go back to the same model unchanged.

pub(crate) mod base64;
mod blocks;
mod content;
mod effort;
mod effort_read;
mod error;
mod fault;
mod ids;
mod json;
mod media;
mod members;
mod message_read;
mod parts;
mod problem;
mod replay;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod stream_events;
mod stream_piece;
mod stream_read;
mod stream_write;
mod token_count;
mod turns;
mod wire;

pub use effort::Thinking;
pub use request_write::{BETA_HEADER, DEFAULT_MAX_TOKENS};

use mainstay_canon::{ChatRequest, ChatResponse, Dialect, Failure, WireReply};

use crate::{Call, FaceContext, Inbound, Outbound, Problem, Received, StreamReader, StreamWriter, Upstream};

/// The provider's side of Anthropic Messages, with what a provider may do differently.
#[derive(Clone, Copy, Debug)]
pub struct AnthropicMessages {
    /// The `anthropic-version` that is sent as a rule.
    pub version: &'static str,
    /// The `anthropic-version` for requests with sampling parameters, citations on the caller's texts or
    /// documents in the model's turns, which newer versions refuse.
    pub older_version: &'static str,
    /// How a model is told how much to think.
    pub thinking: fn(model: &str) -> Thinking,
    /// Whether thinking without a signature is taken back. Anthropic itself refuses it.
    pub unsigned_thinking: bool,
    /// Which models take a temperature or a `top_p` but refuse both together (Claude 4.1 to 4.6; seen 2025-10 to
    /// 2026-05: "`temperature` and `top_p` cannot both be specified for this model").
    pub one_sampling: fn(model: &str) -> bool,
}

impl AnthropicMessages {
    /// Anthropic itself.
    pub const STANDARD: Self = Self {
        version: "2026-10-21",
        older_version: "2023-06-01",
        thinking: |_| Thinking::Adaptive,
        unsigned_thinking: false,
        one_sampling: |_| true,
    };

    const fn version_for(&self, needs_older: bool) -> &'static str {
        if needs_older { self.older_version } else { self.version }
    }
}

impl Upstream for AnthropicMessages {
    fn dialect(&self) -> Dialect {
        Dialect::Anthropic
    }

    fn write_request(&self, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
        request_write::write(self, request, call, request_write::Purpose::Answer)
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
}

/// The caller's side of Anthropic Messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face;

impl Inbound for Face {
    fn dialect(&self) -> Dialect {
        Dialect::Anthropic
    }

    fn read_request(&self, body: &[u8]) -> Result<Received, Failure> {
        request_read::read(body)
    }

    fn write_reply(&self, response: &ChatResponse, context: &FaceContext) -> Vec<u8> {
        reply_write::write(response, context)
    }

    fn write_problem(&self, problem: &Problem) -> Vec<u8> {
        problem::write(problem)
    }

    fn status(&self, problem: &Problem) -> u16 {
        problem::status(problem)
    }

    fn write_stream(&self, context: &FaceContext) -> Box<dyn StreamWriter> {
        Box::new(stream_write::Writer::new(context))
    }
}

#[cfg(test)]
mod tests;
