//! Reasoning on its way through a caller.
//!
//! A caller hands reasoning back, and of that at least the one member that it cannot read: `encrypted_content` of
//! OpenAI's Responses, `data` of Anthropic's redacted thinking. It carries our envelope: the block as its provider
//! spelled it, whatever its dialect, and who said it. So a signature of another dialect survives, and no model is
//! handed another one's reasoning.

use mainstay_canon::{Dialect, RawJson, ReasoningBlock, Target};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// How an envelope begins.
const MARK: &str = "mainstay:";
/// The envelope of reasoning of which only the text is known.
const NOTHING: &str = "mainstay:null";

#[derive(Serialize, Deserialize)]
struct Envelope<'a> {
    dialect: Dialect,
    origin: Option<Target>,
    #[serde(borrow)]
    block: &'a RawValue,
}

/// What an `encrypted_content` turned out to be.
#[derive(Debug, PartialEq)]
pub(crate) enum Opened {
    /// A block that was on its way.
    Block(ReasoningBlock),
    /// Ours, and there was no block.
    Empty,
    /// A provider's own.
    Foreign,
}

/// Puts a block into an envelope.
pub(crate) fn seal(block: Option<&ReasoningBlock>) -> String {
    let Some(block) = block else { return NOTHING.to_owned() };
    let Ok(raw) = block.raw.read::<&RawValue>() else { return NOTHING.to_owned() };
    let envelope = Envelope { dialect: block.dialect, origin: block.origin.clone(), block: raw };
    // Strings and JSON: this cannot fail.
    serde_json::to_string(&envelope).map_or_else(|_| NOTHING.to_owned(), |json| format!("{MARK}{json}"))
}

/// Takes a block out of its envelope.
pub(crate) fn open(encrypted: &str) -> Opened {
    let Some(inside) = encrypted.strip_prefix(MARK) else { return Opened::Foreign };
    let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(inside) else { return Opened::Empty };
    match RawJson::of(envelope.block) {
        Ok(raw) => Opened::Block(ReasoningBlock { dialect: envelope.dialect, origin: envelope.origin, raw }),
        Err(_) => Opened::Empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_out_as_it_went_in() {
        for (dialect, raw) in [
            (Dialect::Anthropic, r#"{"type":"thinking", "thinking":"","signature":"c2ln\n"}"#),
            (
                Dialect::OpenaiResponses,
                r#"{"id":"rs_1","type":"reasoning","n":1.0,"encrypted_content":"gAAA"}"#,
            ),
        ] {
            let block = ReasoningBlock {
                dialect,
                origin: Some(Target::new("a", "b/c")),
                raw: RawJson::parse(raw).unwrap(),
            };
            assert_eq!(open(&seal(Some(&block))), Opened::Block(block));
        }
    }

    #[test]
    fn an_envelope_without_a_block_is_ours_and_anything_else_is_not() {
        assert_eq!(open(&seal(None)), Opened::Empty);
        assert_eq!(open("mainstay:{\"cut"), Opened::Empty);
        assert_eq!(open("gAAAAABqhb8X"), Opened::Foreign);
        assert_eq!(open(""), Opened::Foreign);
    }
}
