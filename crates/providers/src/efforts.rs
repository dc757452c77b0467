//! Names for the lists of efforts that models know, least first.

use mainstay_canon::ReasoningEffort;
use mainstay_canon::ReasoningEffort::{High, Low, Max, Medium, Minimal, None, Xhigh};

/// `low` to `high`: OpenAI's first reasoning models, gpt-oss.
pub(crate) const LOW_TO_HIGH: &[ReasoningEffort] = &[Low, Medium, High];
/// `minimal` to `high`.
pub(crate) const MINIMAL_TO_HIGH: &[ReasoningEffort] = &[Minimal, Low, Medium, High];
/// `none` to `high`.
pub(crate) const NONE_TO_HIGH: &[ReasoningEffort] = &[None, Low, Medium, High];
/// `none` to `xhigh`.
pub(crate) const NONE_TO_XHIGH: &[ReasoningEffort] = &[None, Low, Medium, High, Xhigh];
/// `none` to `max`.
pub(crate) const NONE_TO_MAX: &[ReasoningEffort] = &[None, Low, Medium, High, Xhigh, Max];
/// `low` to `xhigh`.
pub(crate) const LOW_TO_XHIGH: &[ReasoningEffort] = &[Low, Medium, High, Xhigh];
/// `low` to `max`.
pub(crate) const LOW_TO_MAX: &[ReasoningEffort] = &[Low, Medium, High, Xhigh, Max];
/// `medium` to `xhigh`.
pub(crate) const MEDIUM_TO_XHIGH: &[ReasoningEffort] = &[Medium, High, Xhigh];
/// All or nothing.
pub(crate) const ALL_OR_NOTHING: &[ReasoningEffort] = &[None, High];
