//! OpenAI Chat Completions, and everybody who speaks it.
//!
//! [`OpenAiChat`] is the provider's side, a value in which a provider states its quirks; [`INBOUND`] is the
//! caller's side. Wire facts: OpenAI API reference, "Chat Completions", 2026-11, and recordings of some forty
//! hosts. No address, no key, and no meaning of a finish word is known here.
//!
//! Where things stand: `wire` has the structs of a reply and `lenient` how they give way; `request_write` with
//! `turns`, `strict` and `message_write`, `reply_read`, `stream_read` are the upstream face; `request_read`,
//! `reply_write`, `stream_write`, `problem` the inbound one; `errors` and `kinds` read what went wrong.

mod base_resp;
mod beside;
mod calls;
mod content;
mod delay;
mod effort;
mod embeddings;
mod embeddings_face;
pub(crate) mod errors;
pub(crate) mod excerpt;
mod extras;
pub(crate) mod json;
mod kinds;
pub(crate) mod lenient;
mod message_read;
mod message_write;
mod notes;
mod parts;
pub(crate) mod problem;
mod reasoning;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod shown;
mod stream_piece;
mod stream_read;
mod stream_write;
mod strict;
mod tools;
mod turns;
pub(crate) mod usage;
mod usage_write;
mod whole_calls;
mod wire;

pub use base_resp::meaning as base_resp_meaning;
pub use delay::spoken_hint;
pub use embeddings::OpenAiEmbeddings;
pub use embeddings_face::{read_embeddings, write_embeddings};
pub use errors::metadata_headers;

use mainstay_canon::{ChatRequest, ChatResponse, Dialect, Failure, WireReply};

use crate::embeddings::Embeddings;
use crate::{Call, FaceContext, Inbound, Outbound, Problem, Received, StreamReader, StreamWriter, Upstream};

/// In which form a host takes its model's earlier reasoning back. Whether it wants it at all is said by
/// [`Accepts::reasoning_replay`](mainstay_canon::Accepts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningStyle {
    /// As text in this member of the message, such as `reasoning_content`.
    Field(&'static str),
    /// As `reasoning_details`, unchanged; as text in `reasoning` where there are none (OpenRouter).
    Details,
    /// As thinking parts of the content (Mistral).
    Parts,
    /// As text between think tags before the content (MiniMax, templates of local servers).
    Tags,
    /// In no form.
    Nowhere,
}

/// How a host is told how much to think. Which efforts a model knows is said by
/// [`Accepts::efforts`](mainstay_canon::Accepts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffortStyle {
    /// `reasoning_effort`, with the effort's own word.
    Word,
    /// `reasoning_effort`, with `default` for any thinking by the models whose names begin so (Groq's Qwen).
    WordOrDefault(&'static [&'static str]),
    /// `reasoning.effort`, beside what else the caller says in `reasoning` (OpenRouter).
    Object,
    /// `reasoning_effort`, but `thinking: {type: "disabled"}` for none at all (DeepSeek).
    WordOrOff,
    /// `thinking: {type}`: this word for any thinking, `disabled` for none (MiniMax).
    Switch(&'static str),
    /// `reasoning_effort`, and the template's own switch for none at all: `chat_template_kwargs:
    /// {enable_thinking: false}` (vLLM, SGLang and llama.cpp with Qwen's templates and others).
    WordOrTemplate,
}

/// The provider's side of the dialect, with what a host does its own way.
///
/// ```
/// use mainstay_dialects::openai_chat::{OpenAiChat, ReasoningStyle};
///
/// static MISTRAL: OpenAiChat =
///     OpenAiChat { reasoning: ReasoningStyle::Parts, seed: "random_seed", ..OpenAiChat::STANDARD };
/// assert_eq!(MISTRAL.path, "/chat/completions");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAiChat {
    /// What is added to the host's base URL.
    pub path: &'static str,
    /// How earlier reasoning is sent back.
    pub reasoning: ReasoningStyle,
    /// Whether `stream_options.include_usage` is sent with a stream. Hosts that refuse it send token counts
    /// unasked, or none.
    pub include_usage: bool,
    /// The name of the sampling seed.
    pub seed: &'static str,
    /// The word for "call at least one tool".
    pub tool_required: &'static str,
    /// Whether the results of tools carry the tool's name.
    pub tool_names: bool,
    /// Whether ids of tool calls must be nine letters or digits (older Mistral models); others are mapped,
    /// the same for a call and its result.
    pub short_tool_ids: bool,
    /// Whether a file may be given by URL in `file_data` (OpenRouter).
    pub file_urls: bool,
    /// The members of a body beyond the dialect's core that the host takes, where it refuses all others
    /// (Mistral). Such a host is sent no member without a canonical name in messages, parts, calls and tools
    /// either, and every tool has a schema.
    pub only_members: Option<&'static [&'static str]>,
    /// Whether the host refuses conversations whose roles are not in Mistral's order.
    pub strict_order: bool,
    /// How the host is told how much to think.
    pub effort: EffortStyle,
    /// Members that the host refuses although others take them (Groq).
    pub refused_members: &'static [&'static str],
    /// Whether messages may carry the name of who speaks.
    pub speaker_names: bool,
    /// The host's embeddings; `None` where it has none.
    pub embeddings: Option<OpenAiEmbeddings>,
}

impl OpenAiChat {
    /// What OpenAI itself does, and what nearly every compatible server understands.
    pub const STANDARD: Self = Self {
        path: "/chat/completions",
        reasoning: ReasoningStyle::Field("reasoning_content"),
        include_usage: true,
        seed: "seed",
        tool_required: "required",
        tool_names: false,
        short_tool_ids: false,
        file_urls: false,
        only_members: None,
        strict_order: false,
        effort: EffortStyle::Word,
        refused_members: &[],
        speaker_names: true,
        embeddings: Some(OpenAiEmbeddings::STANDARD),
    };
}

impl Default for OpenAiChat {
    fn default() -> Self {
        Self::STANDARD
    }
}

impl Upstream for OpenAiChat {
    fn dialect(&self) -> Dialect {
        Dialect::OpenaiChat
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
        self.embeddings.as_ref().map(|embeddings| embeddings as &dyn Embeddings)
    }
}

/// The caller's side of the dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face;

/// The caller's side of the dialect.
pub static INBOUND: Face = Face;

impl Inbound for Face {
    fn dialect(&self) -> Dialect {
        Dialect::OpenaiChat
    }

    fn read_request(&self, body: &[u8]) -> Result<Received, Failure> {
        request_read::read_request(body)
    }

    fn write_reply(&self, response: &ChatResponse, context: &FaceContext) -> Vec<u8> {
        reply_write::write(response, context)
    }

    fn write_problem(&self, problem: &Problem) -> Vec<u8> {
        problem::write(problem)
    }

    fn write_stream(&self, context: &FaceContext) -> Box<dyn StreamWriter> {
        Box::new(stream_write::Writer::new(context))
    }
}
