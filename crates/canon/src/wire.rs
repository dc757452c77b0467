//! What a dialect's reader makes of the bytes, before any word is given a meaning.

use crate::{Extra, ExtraPiece, ReasoningBlock, Shown, ToolCall, WireUsage};

/// A whole reply, as its dialect says it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WireReply {
    /// The provider's id of the answer.
    pub id: Option<String>,
    /// The model, as reported.
    pub model: Option<String>,
    /// Visible text of the first choice, parts joined with nothing between.
    pub text: String,
    /// Reasoning text, parts joined with nothing between.
    pub reasoning: Option<String>,
    /// Reasoning to be handed back unchanged.
    pub reasoning_blocks: Vec<ReasoningBlock>,
    /// Pictures, sounds and files, in order.
    pub shown: Vec<Shown>,
    /// The refusal field.
    pub refusal: Option<String>,
    /// Tool calls in order. An empty `id` means that the wire has none.
    pub tool_calls: Vec<ToolCall>,
    /// The finish word as on the wire; `None` when it is missing, null or empty.
    pub finish: Option<String>,
    /// A finer finish word of the host behind (OpenRouter's `native_finish_reason`).
    pub native_finish: Option<String>,
    /// The stop text that was hit.
    pub stop_sequence: Option<String>,
    /// Token counts.
    pub usage: WireUsage,
    /// Members to be passed on to a caller of the same dialect.
    pub extra: Extra,
}

/// One event of a streamed reply, as its dialect says it. Errors inside a stream are not events:
/// the reader returns them as a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum WireEvent {
    /// Id and model, when first or newly said.
    Start {
        /// The provider's id of the answer.
        id: Option<String>,
        /// The model, as reported.
        model: Option<String>,
    },
    /// Visible text.
    Text(String),
    /// Reasoning text.
    Reasoning(String),
    /// A whole reasoning block.
    ReasoningBlock(ReasoningBlock),
    /// A picture or a file, or a piece of a sound: content, whose own dialect's form came before it.
    Shown(Shown),
    /// Text of the refusal field.
    Refusal(String),
    /// A tool call begins. The reader numbers calls from 0 without gaps, whatever the wire does.
    ToolStart {
        /// Its place among the calls.
        index: usize,
        /// Its id; empty where the wire has none.
        id: String,
        /// The tool's name.
        name: String,
        /// Members that only the call's own dialect understands, such as a thought signature.
        extra: Extra,
    },
    /// A piece of a call's arguments.
    ToolArguments {
        /// Which call.
        index: usize,
        /// The piece.
        delta: String,
    },
    /// A call is complete.
    ToolEnd {
        /// Which call.
        index: usize,
    },
    /// What only this dialect says: annotations, log probabilities, a fingerprint. Neither content nor progress
    /// (behaviour 5.3a): hosts repeat such members beside empty deltas, and what a tool did comes as a block.
    Extra(ExtraPiece),
    /// A sign of life without content: a ping, a role-only delta. Never progress (behaviour 5.3a).
    KeepAlive,
    /// A finish word came. It may come before usage, and twice.
    Finish {
        /// The word.
        word: String,
        /// A finer word of the host behind.
        native: Option<String>,
        /// The stop text that was hit.
        stop_sequence: Option<String>,
    },
    /// Token counts so far; running totals, to be merged.
    Usage(WireUsage),
    /// The dialect's terminator came (`[DONE]`, `message_stop`). What follows it is ignored.
    End,
}
