//! The dialects and who speaks them.

use mainstay_canon::{Accepts, Dialect, ReasoningReplay};
use mainstay_dialects::{Inbound, anthropic, openai_chat, openai_responses};
use mainstay_providers::{ALL, Provider, for_dialect};

/// Everybody who speaks a dialect: the providers that have a name, and the one that stands for all others.
pub(crate) fn speakers(dialect: Dialect) -> Vec<&'static Provider> {
    let named = ALL.iter().copied().filter(|provider| provider.upstream.dialect() == dialect);
    named.chain(for_dialect(dialect)).collect()
}

/// The caller's side of a dialect, where there is one.
pub(crate) fn face(dialect: Dialect) -> Option<&'static dyn Inbound> {
    match dialect {
        Dialect::OpenaiChat => Some(&openai_chat::INBOUND),
        Dialect::OpenaiResponses => Some(&openai_responses::INBOUND),
        Dialect::Anthropic => Some(&anthropic::Face),
        Dialect::Gemini | Dialect::Ollama | Dialect::Bedrock => None,
    }
}

/// Dialects with both sides.
pub(crate) const BOTH: [Dialect; 3] = [Dialect::OpenaiChat, Dialect::OpenaiResponses, Dialect::Anthropic];

/// A model that takes everything.
pub(crate) fn takes_all() -> Accepts {
    Accepts { developer_role: true, reasoning_replay: ReasoningReplay::All, ..Accepts::default() }
}
