//! How bytes look: framing, and the wire dialects with both their faces.
//!
//! The upstream face writes requests to a provider and reads its replies; the inbound face reads a
//! caller's requests and writes replies to it. Both stand on the same wire structs. No I/O, no clock,
//! no address and no key: values in, bytes out, and back. What a finish word means is not decided
//! here either; the reader hands the raw word on.

// A failure is rare, is built once and carries the answer so far; a box would be opened by every caller.
#![allow(clippy::result_large_err)]

mod beside;
mod embeddings;
mod envelope;
pub mod framing;
mod media;
mod paths;
mod plain;
mod surrogates;

pub mod anthropic;
pub mod gemini;
mod limits;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;

pub use embeddings::{Embeddings, Wanted};

use mainstay_canon::{
    Accepts, ChatRequest, ChatResponse, Dialect, Extra, Failure, FinishReason, RawJson, ReplyEvent, Target,
    Usage, WireEvent, WireReply,
};

/// What a writer needs to know beside the request.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Who is asked; its `model` goes into the body.
    pub target: &'a Target,
    /// What that model accepts.
    pub accepts: &'a Accepts,
    /// Whether to ask for a stream (the request's own wish may differ).
    pub stream: bool,
    /// The output limit to send, in tokens; already the lower of what the caller and the budget allow.
    pub max_tokens: Option<u32>,
}

/// A request on its way to a provider.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outbound {
    /// What is added to the provider's base URL, such as `/chat/completions`.
    pub path: String,
    /// Headers that the dialect asks for, such as `anthropic-version`. Never the key.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: Vec<u8>,
    /// What this dialect or model could not be told, for the attempt's `note`: nothing is dropped in silence.
    pub notes: Vec<String>,
}

/// The provider's side of a dialect. Pure: canonical types and bytes.
pub trait Upstream: Send + Sync {
    /// Which dialect this is.
    fn dialect(&self) -> Dialect;

    /// Writes a request.
    ///
    /// # Errors
    ///
    /// `UnsupportedParameter` when the dialect or model cannot express what was asked (the field is in
    /// `param`), `InvalidRequest` when nobody could.
    fn write_request(&self, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure>;

    /// Reads a whole reply of a 2xx status.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` when the body is not this dialect's JSON; the kind of error that an error object
    /// inside the body states, with its effective status (behaviour 3.3). Missing or null members are no
    /// error: they read as an empty reply (behaviour 3.4).
    fn read_reply(&self, body: &[u8]) -> Result<WireReply, Failure>;

    /// Reads the body of a reply that is not 2xx, by the dialect's own codes and types first and the status
    /// after. Any body gives a failure; a provider's own tables may refine it.
    fn read_error(&self, status: u16, body: &[u8]) -> Failure;

    /// A reader for one streamed reply.
    fn read_stream(&self) -> Box<dyn StreamReader>;

    /// The dialect's embeddings; `None` where it, or the host that speaks it, has none.
    fn embeddings(&self) -> Option<&dyn Embeddings> {
        None
    }
}

/// One reply arriving in pieces.
///
/// The laws that every reader keeps: the events do not depend on where the bytes were cut; `Finish` may
/// come more than once but `End` at most once and last; tool calls are numbered from 0 without gaps and
/// every `ToolArguments` follows its `ToolStart`; after an error or `End` nothing more comes.
pub trait StreamReader: Send {
    /// Takes bytes as the socket gave them, cut anywhere, and adds the events they complete.
    ///
    /// # Errors
    ///
    /// The failure that an error event inside the stream states (its effective status in `status`), or
    /// `InvalidResponse` for bytes that are not this dialect or pass a limit. Events before it are in `out`.
    fn push(&mut self, bytes: &[u8], out: &mut Vec<WireEvent>) -> Result<(), Failure>;

    /// The peer hung up.
    ///
    /// # Errors
    ///
    /// `StreamInterrupted` unless a finish word or the dialect's terminator had come.
    fn close(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure>;
}

/// A caller's request, with what only the face needs to remember.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The request.
    pub request: ChatRequest,
    /// Whether a streaming caller wants token counts (`stream_options.include_usage`).
    pub include_usage: bool,
    /// Members of the request that the dialect repeats in its replies, without the secrets in them.
    pub echo: Extra,
}

/// What a face needs to write a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceContext {
    /// Our id of the request, from which the dialect's own id is made.
    pub request_id: String,
    /// Unix seconds at which the reply began.
    pub created: i64,
    /// Whether a streaming caller wants token counts.
    pub include_usage: bool,
    /// Members of the request that the dialect repeats in its replies; from [`Received::echo`].
    pub echo: Extra,
}

/// The caller's side of a dialect. Pure, too.
pub trait Inbound: Send + Sync {
    /// Which dialect this is.
    fn dialect(&self) -> Dialect;

    /// Reads a caller's request. Members without a canonical name are kept in `extra`.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` that names the field, says what was expected and what was found.
    fn read_request(&self, body: &[u8]) -> Result<Received, Failure>;

    /// Writes a whole reply. A finish reason that this dialect cannot spell is written as the nearest one.
    fn write_reply(&self, response: &ChatResponse, context: &FaceContext) -> Vec<u8>;

    /// Writes an error body.
    fn write_problem(&self, problem: &Problem) -> Vec<u8>;

    /// The HTTP status under which this dialect says so; the problem's own unless the dialect has another.
    fn status(&self, problem: &Problem) -> u16 {
        problem.status
    }

    /// A writer for one streamed reply.
    fn write_stream(&self, context: &FaceContext) -> Box<dyn StreamWriter>;
}

/// A streamed reply being written to a caller. Calls come in the order of a stream: events, then one of
/// `finish` and `problem`; keep-alives anywhere.
pub trait StreamWriter: Send {
    /// Writes one piece. `ReplyEvent::Finish` is not written here but by [`Self::finish`].
    fn event(&mut self, event: &ReplyEvent, out: &mut Vec<u8>);

    /// Writes something that every client ignores, to keep the connection alive.
    fn keep_alive(&mut self, out: &mut Vec<u8>);

    /// Writes the end: what the dialect closes with, token counts if wanted, the comment
    /// `: mainstay {…}`, the terminator.
    fn finish(&mut self, ending: &Ending, out: &mut Vec<u8>);

    /// Writes an error event. No terminator follows and no finish reason (behaviour 7.4).
    fn problem(&mut self, problem: &Problem, out: &mut Vec<u8>);
}

/// How a streamed reply ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// Why.
    pub reason: FinishReason,
    /// The provider's own word.
    pub raw: Option<String>,
    /// The stop text that was hit.
    pub stop_sequence: Option<String>,
    /// Whether the context window, not the token limit, ended it.
    pub context_full: bool,
    /// Tokens used.
    pub usage: Usage,
    /// The `mainstay` member of the last chunk, where there is something to say (behaviour 7.4).
    pub mark: Option<RawJson>,
    /// The JSON of the closing comment `: mainstay {…}`.
    pub comment: Option<RawJson>,
}

/// What kind of error a caller is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The request is wrong.
    InvalidRequest,
    /// The client key is missing or wrong.
    Authentication,
    /// The client key may not do this.
    Permission,
    /// No such route, model or chain.
    NotFound,
    /// The body is larger than allowed.
    TooLarge,
    /// Every tier is unavailable only because of rate limits.
    RateLimited,
    /// A cap does not leave room.
    BudgetExceeded,
    /// No tier gave an answer.
    AllProvidersFailed,
    /// The request's time was up.
    Timeout,
    /// We are shutting down or full: nothing was tried.
    Unavailable,
}

/// An error to be told to a caller, in nobody's dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// HTTP status.
    pub status: u16,
    /// What is wrong and what to do.
    pub message: String,
    /// The request's field at fault.
    pub param: Option<String>,
    /// A finer word, such as the provider's own code; the kind's own word where absent.
    pub code: Option<String>,
    /// Our id of the request.
    pub request_id: String,
}
