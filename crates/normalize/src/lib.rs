//! Layer 2: a wire reply becomes a canonical one; anything unknown is loud.
//!
//! Two ways in: [`whole`] for a reply that came in one piece, [`Assembler`] for one that comes as a
//! stream. Both share every decision: what a finish word means ([`FinishTable`] is handed in, so no
//! provider is known here), what is thinking that leaked into the text, which ids and counts had to be
//! made up. Nothing here knows bytes, retries or whether an answer is any good.

// `Failure` is the one error type of every layer, as large as what it keeps; errors are the rare path.
#![allow(clippy::result_large_err)]

mod assembler;
mod ending;
mod ids;
mod think;
mod usage;
mod whole;

use mainstay_canon::{Dialect, FinishMeaning, Target};

pub use assembler::Assembler;
pub use usage::estimate_tokens;
pub use whole::whole;

/// Most bytes of one streamed answer that are kept: text, reasoning, refusal and tool calls together.
pub const ANSWER_LIMIT: usize = 32 << 20;

/// Most tool calls of one streamed answer.
pub const TOOL_CALL_LIMIT: usize = 1024;

/// What one provider means by its finish words.
///
/// The empty word stands for an answer that came without one. A table that knows it says what such an
/// answer is; [`FinishReason::ToolCall`](mainstay_canon::FinishReason::ToolCall) then counts only where
/// calls came (xAI sends tool calls with an empty finish reason).
pub trait FinishTable: Send + Sync {
    /// The meaning of that word; `None` where the table does not know it.
    fn meaning(&self, word: &str) -> Option<FinishMeaning>;
}

impl<F> FinishTable for F
where
    F: Fn(&str) -> Option<FinishMeaning> + Send + Sync,
{
    fn meaning(&self, word: &str) -> Option<FinishMeaning> {
        self(word)
    }
}

/// What must be known about a call to read its answer.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Who was asked.
    pub target: &'a Target,
    /// What that provider's finish words mean.
    pub finish: &'a dyn FinishTable,
    /// Our estimate of the prompt, in tokens, for a provider that does not count.
    pub prompt_estimate: u64,
    /// The dialect that the provider speaks.
    pub dialect: Dialect,
}
