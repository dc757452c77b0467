//! Token counts, both ways. Knows no price.

use mainstay_canon::{Usage, WireUsage};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::openai_chat::lenient::{Count, read_object};
use crate::openai_chat::usage as chat;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Counts<'a> {
    input_tokens: Count,
    output_tokens: Count,
    #[serde(borrow)]
    input_tokens_details: Option<&'a RawValue>,
    #[serde(borrow)]
    output_tokens_details: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input<'a> {
    cached_tokens: Count,
    cache_write_tokens: Count,
    #[serde(borrow)]
    cache_write_tokens_details: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Written {
    ttl_12h_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Output {
    reasoning_tokens: Count,
}

/// Reads a `usage` object. What it does not say stays unknown. The provider's own bill stands where Chat
/// Completions has it (OpenRouter, xAI), and some servers use that dialect's names for the counts, too.
pub(super) fn read(raw: &RawValue) -> WireUsage {
    let counts: Counts<'_> = read_object(Some(raw));
    let input: Input<'_> = read_object(counts.input_tokens_details);
    let output: Output = read_object(counts.output_tokens_details);
    let written: Written = read_object(input.cache_write_tokens_details);
    let mut usage = chat::usage(raw);
    usage.merge(WireUsage {
        prompt: counts.input_tokens.0,
        completion: counts.output_tokens.0,
        cached: input.cached_tokens.0,
        cache_write: input.cache_write_tokens.0,
        cache_write_1h: written.ttl_12h_tokens.0,
        reasoning: output.reasoning_tokens.0,
        cost: None,
    });
    usage
}

/// A `usage` object. All members are required by the SDKs (openai-python 3.57).
#[derive(Debug, Serialize)]
pub(super) struct WrittenUsage {
    input_tokens: u64,
    input_tokens_details: WrittenInput,
    output_tokens: u64,
    output_tokens_details: WrittenOutput,
    total_tokens: u64,
}

#[derive(Debug, Serialize)]
struct WrittenInput {
    cached_tokens: u64,
    cache_write_tokens: u64,
}

#[derive(Debug, Serialize)]
struct WrittenOutput {
    reasoning_tokens: u64,
}

impl From<&Usage> for WrittenUsage {
    fn from(usage: &Usage) -> Self {
        Self {
            input_tokens: usage.prompt,
            input_tokens_details: WrittenInput {
                cached_tokens: usage.cached,
                cache_write_tokens: usage.cache_write,
            },
            output_tokens: usage.completion,
            output_tokens_details: WrittenOutput { reasoning_tokens: usage.reasoning },
            total_tokens: usage.prompt.saturating_add(usage.completion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> WireUsage {
        read(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn counts_and_bills_are_read() {
        let usage =
            of(r#"{"input_tokens":20,"input_tokens_details":{"cached_tokens":16,"cache_write_tokens":3,
            "cache_write_tokens_details":{"ttl_30m_tokens":1,"ttl_12h_tokens":2}},"output_tokens":9,
            "output_tokens_details":{"reasoning_tokens":4},"total_tokens":29,"cost_in_usd_ticks":33406000}"#);
        assert_eq!((usage.prompt, usage.completion, usage.cached), (Some(20), Some(9), Some(16)));
        assert_eq!((usage.cache_write, usage.cache_write_1h, usage.reasoning), (Some(3), Some(2), Some(4)));
        assert_eq!(usage.cost.unwrap().nanos(), 3_340_600);
        let chat = of(r#"{"prompt_tokens":5,"completion_tokens":2,"cost":0.5}"#);
        assert_eq!(
            (chat.prompt, chat.completion, chat.cost.unwrap().nanos()),
            (Some(5), Some(2), 500_000_000)
        );
    }

    #[test]
    fn what_is_not_said_is_not_zero() {
        assert_eq!(of("{}"), WireUsage::default());
        assert_eq!(of(r#"{"input_tokens":null,"input_tokens_details":[]}"#), WireUsage::default());
    }
}
