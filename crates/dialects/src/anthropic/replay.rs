//! Which reasoning goes back to which model.
//!
//! Thinking must come back unmodified, first and with its signature, and only to the model that thought it: from
//! Opus 5.5 on it is bound to model and conversation (Anthropic API reference, Extended thinking, 2026-11).

use mainstay_canon::{ChatMessage, Dialect, ReasoningBlock, ReasoningReplay};
use serde_json::value::RawValue;

use super::json::{Object, raw};
use super::parts::raw_type;
use crate::Call;
use crate::envelope::{Opened, open};

/// The note on reasoning that does not go back.
pub(super) const UNRETURNED: &str =
    "earlier reasoning is not sent back: it is another model's, or this one does not take it";

/// The rules for one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replay<'c> {
    pub(super) call: &'c Call<'c>,
    /// Whether thinking without a signature is taken, too.
    pub(super) takes_unsigned: bool,
}

impl Replay<'_> {
    /// Whether the model takes back what it thought in this message.
    pub(super) fn allows(&self, message: &ChatMessage) -> bool {
        match self.call.accepts.reasoning_replay {
            ReasoningReplay::All => true,
            ReasoningReplay::ToolLoop => !message.tool_calls.is_empty(),
            ReasoningReplay::Never => false,
        }
    }

    /// Whether all reasoning of this message is the model's own, as far as we know.
    pub(super) fn is_all_of(&self, message: &ChatMessage) -> bool {
        message.reasoning_blocks.iter().all(|block| self.is_of(block))
    }

    /// The block as it goes back, if it does.
    pub(super) fn block<'a>(&self, message: &ChatMessage, block: &'a ReasoningBlock) -> Option<&'a RawValue> {
        let raw = raw(&block.raw).filter(|_| self.is_of(block))?;
        self.takes_element(raw, self.allows(message)).then_some(raw)
    }

    /// Whether an element of content goes back, in a message whose reasoning may or may not.
    pub(super) fn takes_element(&self, raw: &RawValue, may_return: bool) -> bool {
        match raw_type(raw).as_deref() {
            Some("thinking") => may_return && (self.takes_unsigned || is_signed(raw)),
            Some("redacted_thinking") => may_return && !is_sealed(raw),
            // Server tools and their results are no reasoning, they only travel like it.
            Some(_) | None => true,
        }
    }

    fn is_of(&self, block: &ReasoningBlock) -> bool {
        block.dialect == Dialect::Anthropic
            && block.origin.as_ref().is_none_or(|origin| origin == self.call.target)
    }
}

/// Whether a block is our envelope around what another dialect's model thought.
fn is_sealed(raw: &RawValue) -> bool {
    let data = Object::of(raw).and_then(|block| block.word("data"));
    data.is_some_and(|data| open(&data) != Opened::Foreign)
}

/// Whether thinking carries the signature without which the API refuses it. Thinking that was shown to a caller
/// on behalf of another provider has none.
fn is_signed(raw: &RawValue) -> bool {
    Object::of(raw).and_then(|block| block.word("signature")).is_some()
}
