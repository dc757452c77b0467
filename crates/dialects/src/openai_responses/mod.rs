//! OpenAI Responses, both faces.
//!
//! [`OpenAiResponses`] is the provider's side, [`INBOUND`] the caller's. Source: OpenAI API reference, "Responses"
//! and "Streaming events", 2026-11, and recordings of ten hosts. Conversations are stateless here: nothing is
//! stored with a provider, and its reasoning comes back encrypted. No address, no key, and no meaning of a finish
//! word is known; the finish word is the `status`, followed by the reason where the answer is incomplete
//! (`incomplete:max_output_tokens`).
//!
//! What the canonical chat has no name for travels like this. In a request: members of the body, an item, a part
//! or a tool in their `extra`, those of `text` and `reasoning` under their path (`text.verbosity`); turns of the
//! model whose order or items say more than the canonical fields as `verbatim`, the list of their items. In a
//! whole reply: `extra` holds `output` as it came and the members of the response that have no name; a stream says
//! the same with its last event, and annotations and log probabilities beside their text before. Whole or
//! streamed, reasoning items and items of tools that the provider ran itself are handed on as reasoning blocks,
//! to go back to the same model unchanged; a call that the caller must run and that is no function is a call
//! whose arguments are the item.
//!
//! Where things stand: `wire` has the structs of a reply and `items` what an item says; `request_write` with
//! `input_write`, `roles` and `item_write`, `reply_read`, `stream_read` with `stream_items` are the upstream face; `request_read` with
//! `input_read`, `reply_write` with `output_write`, `stream_write` with `stream_speech` and `stream_events` the inbound one. `parts`, `tools`, `settings`,
//! `usage` and `envelope` go both ways; `echo` is what a reply repeats of its request.

mod echo;
mod errors;
mod input_read;
mod input_write;
mod item_write;
mod items;
mod notes;
mod output_write;
mod parts;
mod progress;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod roles;
mod settings;
mod shown;
mod stream_events;
mod stream_items;
mod stream_piece;
mod stream_read;
mod stream_speech;
mod stream_write;
mod tools;
mod usage;
mod wire;

use mainstay_canon::{ChatRequest, ChatResponse, Dialect, Failure, WireReply};

use crate::embeddings::Embeddings;
use crate::openai_chat::{INBOUND as CHAT, OpenAiEmbeddings};
use crate::{Call, FaceContext, Inbound, Outbound, Problem, Received, StreamReader, StreamWriter, Upstream};

/// The provider's side of the dialect, with what a host does its own way.
///
/// ```
/// use mainstay_dialects::openai_responses::OpenAiResponses;
///
/// assert_eq!(OpenAiResponses::STANDARD.path, "/responses");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAiResponses {
    /// What is added to the host's base URL.
    pub path: &'static str,
    /// Whether a model that reasons is asked for its reasoning in encrypted form, to be sent back later.
    pub encrypted_reasoning: bool,
}

impl OpenAiResponses {
    /// What OpenAI itself does.
    pub const STANDARD: Self = Self { path: "/responses", encrypted_reasoning: true };
}

impl Default for OpenAiResponses {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Upstream for OpenAiResponses {
    fn dialect(&self) -> Dialect {
        Dialect::OpenaiResponses
    }

    fn write_request(&self, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
        request_write::write(self, request, call)
    }

    fn read_reply(&self, body: &[u8]) -> Result<WireReply, Failure> {
        reply_read::read_reply(body)
    }

    fn read_error(&self, status: u16, body: &[u8]) -> Failure {
        errors::of_body(status, body)
    }

    fn read_stream(&self) -> Box<dyn StreamReader> {
        Box::new(stream_read::Reader::default())
    }

    fn embeddings(&self) -> Option<&dyn Embeddings> {
        // Whoever speaks Responses has OpenAI's other routes beside it.
        Some(&OpenAiEmbeddings::STANDARD)
    }
}

/// The caller's side of the dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face;

/// The caller's side of the dialect.
pub static INBOUND: Face = Face;

impl Inbound for Face {
    fn dialect(&self) -> Dialect {
        Dialect::OpenaiResponses
    }

    fn read_request(&self, body: &[u8]) -> Result<Received, Failure> {
        request_read::read_request(body)
    }

    fn write_reply(&self, response: &ChatResponse, context: &FaceContext) -> Vec<u8> {
        reply_write::write(response, context)
    }

    fn write_problem(&self, problem: &Problem) -> Vec<u8> {
        // Both of OpenAI's dialects have one form of error.
        CHAT.write_problem(problem)
    }

    fn write_stream(&self, context: &FaceContext) -> Box<dyn StreamWriter> {
        Box::new(stream_write::Writer::new(context))
    }
}
