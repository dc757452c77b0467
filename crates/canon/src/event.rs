//! An answer arriving in pieces, normalized.

use crate::{Extra, ExtraPiece, FinishReason, ReasoningBlock, Shown, Usage};

/// One piece of an answer, in nobody's dialect. Pieces of one kind join to the fields of an
/// [`Answer`](crate::Answer).
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyEvent {
    /// The answer begins: the provider's id and model, where it says them.
    Start {
        /// The provider's id of the answer.
        id: Option<String>,
        /// The model, as the provider reports it.
        model: Option<String>,
    },
    /// Visible text.
    Text(String),
    /// Reasoning text.
    Reasoning(String),
    /// A whole reasoning block to be handed back later, such as one with a signature.
    ReasoningBlock(ReasoningBlock),
    /// A picture or a file, or a piece of a sound. It follows its own dialect's form of it.
    Shown(Shown),
    /// Text of the refusal field.
    Refusal(String),
    /// A tool call begins.
    ToolStart {
        /// Its place among the calls of this answer, from 0 and without gaps.
        index: usize,
        /// Its id.
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
    /// What only the answer's own dialect says, in order with the text that it belongs to. For a caller of that
    /// dialect; every other passes over it.
    Extra(ExtraPiece),
    /// The answer is over. Comes once, last.
    Finish {
        /// Why.
        reason: FinishReason,
        /// The provider's own word.
        raw: Option<String>,
        /// The stop text that was hit.
        stop_sequence: Option<String>,
        /// Tokens used.
        usage: Usage,
    },
}
