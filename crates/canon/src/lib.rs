//! Nouns that every layer shares, and nothing else.
//!
//! A request, a reply, a stream event, a finish reason, a count of tokens, a failure, a verdict, a
//! target, an amount of money, a moment. No policy lives here and no provider is known by name: what
//! a failure *leads to* is the retry layer's business, what a finish word *means* is a provider's.
//!
//! All enums are exhaustive on purpose. Code that decides must name every case; a new variant is a
//! breaking release.

mod accepts;
mod answer;
mod attempt;
mod dialect;
mod embedding;
mod event;
mod extra;
mod failure;
mod finish;
mod headers;
mod json;
mod message;
mod money;
mod request;
mod shown;
mod target;
mod time;
mod tool;
mod usage;
mod verdict;
mod wire;

pub use accepts::{
    Accepts, Budget, ForcedTools, MaxTokensParam, ReasoningReplay, Route, Temperatures, Thinking,
};
pub use answer::{Answer, ChatResponse};
pub use attempt::{Attempt, Outcome};
pub use dialect::Dialect;
pub use embedding::{EmbedInputs, EmbedRequest, EmbedResponse, VectorEncoding, WireVectors};
pub use event::ReplyEvent;
pub use extra::{EXTRA_LIMIT, ExtraPiece, JoinedExtra, Joins};
pub use failure::{Failure, HintSource, Kind, RetryHint};
pub use finish::{FinishMeaning, FinishReason};
pub use headers::Headers;
pub use json::{Extra, RawJson};
pub use message::{ChatMessage, Content, ContentPart, Media, MediaSource, ReasoningBlock, Role, Verbatim};
pub use money::{Cost, MoneyError, Nanodollars, PerMillion};
pub use request::{ChatRequest, Expect, Metadata, ReasoningEffort, ResponseFormat};
pub use shown::{Shown, Sight};
pub use target::Target;
pub use time::Moment;
pub use tool::{Tool, ToolCall, ToolChoice};
pub use usage::{Usage, WireUsage};
pub use verdict::{Quality, Verdict};
pub use wire::{WireEvent, WireReply};
