//! Short names for the meanings of finish words, so that a provider's table reads as a table.

use mainstay_canon::{FinishMeaning, FinishReason, Kind};

pub(crate) const STOP: FinishMeaning = FinishMeaning::Answer(FinishReason::Stop);
pub(crate) const LENGTH: FinishMeaning = FinishMeaning::Answer(FinishReason::Length);
pub(crate) const TOOL_CALL: FinishMeaning = FinishMeaning::Answer(FinishReason::ToolCall);
pub(crate) const REFUSAL: FinishMeaning = FinishMeaning::Answer(FinishReason::Refusal);
pub(crate) const FILTERED: FinishMeaning = FinishMeaning::Answer(FinishReason::ContentFilter);
pub(crate) const PAUSE: FinishMeaning = FinishMeaning::Answer(FinishReason::Pause);
pub(crate) const CONTEXT_FULL: FinishMeaning = FinishMeaning::ContextFull;

/// A failure that hides in a finish word.
pub(crate) const fn broken(kind: Kind) -> FinishMeaning {
    FinishMeaning::Broken(kind)
}
