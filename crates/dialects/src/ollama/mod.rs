//! Ollama's own `/api/chat`, the provider's side. Nobody calls us in this dialect, so there is no other side.
//!
//! Sources: Ollama API reference (Chat, Thinking, Tool calling, Structured outputs, Context length) and the
//! server's source, as of 2026-08. No address, no key, and no meaning of a finish word is known here.
//!
//! Where things stand: `request_write` writes a body from the `messages` and with the `window` that the prompt
//! needs; `wire` has the structs of a reply, which `stream_read` and `reply_read` share; `errors` reads what went
//! wrong.

mod embeddings;
mod errors;
mod messages;
mod notes;
mod options;
mod reply_read;
mod request_write;
mod stream_piece;
mod stream_read;
mod window;
mod wire;

use mainstay_canon::{ChatRequest, Dialect, Failure, WireReply};

use crate::embeddings::Embeddings;
use crate::{Call, Outbound, StreamReader, Upstream};

/// The provider's side of the dialect, with what a server may do differently.
///
/// The size of the context window always goes with a request, as `options.num_ctx`. It is the caller's own
/// where the request has one, in the member `num_ctx` or in `options`. Else it follows from the prompt: half a
/// token for each byte of text, [`image_tokens`](Self::image_tokens) for each image, and room for the answer,
/// rounded up to a power of two, so that a conversation does not load the model anew with every turn.
///
/// That is a guess on the safe side, never a reason to lose words: `truncate` and `shift` are sent as `false`,
/// so that a prompt which does not fit is an error and a full window ends the answer with `length`.
#[derive(Clone, Copy, Debug)]
pub struct Ollama {
    /// The smallest window that is asked for, in tokens.
    pub least_window: u32,
    /// The largest window that is asked for, in tokens. The server takes the model's own where that is smaller.
    pub largest_window: u32,
    /// Room for the answer where nobody limits it, in tokens.
    pub answer_room: u32,
    /// The most room that is kept for an answer whatever its limit, in tokens.
    pub most_answer_room: u32,
    /// What an image is taken to need, in tokens.
    pub image_tokens: u32,
    /// Whether a model thinks by levels. All others can only be told to think or not to.
    pub thinks_by_levels: fn(model: &str) -> bool,
}

impl Ollama {
    /// Ollama itself.
    pub const STANDARD: Self = Self {
        least_window: 8192,
        largest_window: 1 << 20,
        answer_room: 4096,
        most_answer_room: 16_384,
        image_tokens: 4096,
        thinks_by_levels: |_| false,
    };
}

impl Default for Ollama {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Upstream for Ollama {
    fn dialect(&self) -> Dialect {
        Dialect::Ollama
    }

    fn write_request(&self, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
        request_write::write(self, request, call)
    }

    fn read_reply(&self, body: &[u8]) -> Result<WireReply, Failure> {
        reply_read::read(body)
    }

    fn read_error(&self, status: u16, body: &[u8]) -> Failure {
        errors::of_body(status, body)
    }

    fn read_stream(&self) -> Box<dyn StreamReader> {
        Box::new(stream_read::Reader::default())
    }

    fn embeddings(&self) -> Option<&dyn Embeddings> {
        Some(&embeddings::Embed)
    }
}
