//! Token counts and the provider's own bill, under all the names they travel by.
//!
//! What comes out is in canonical arithmetic: `prompt` includes cached tokens, `completion` includes
//! reasoning. Knows no price.

use mainstay_canon::{Nanodollars, WireUsage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient::{Count, read_object};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Counts<'a> {
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    #[serde(borrow)]
    prompt_tokens_details: Option<&'a RawValue>,
    #[serde(borrow)]
    completion_tokens_details: Option<&'a RawValue>,
    /// Writer leaves out an `s`.
    #[serde(borrow)]
    prompt_token_details: Option<&'a RawValue>,
    #[serde(borrow)]
    completion_token_details: Option<&'a RawValue>,
    /// Moonshot, Together.
    cached_tokens: Count,
    /// Mistral's older answers.
    num_cached_tokens: Count,
    /// DeepSeek.
    prompt_cache_hit_tokens: Count,
    /// Hosts with Anthropic's models behind them.
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
    #[serde(borrow)]
    cache_creation: Option<&'a RawValue>,
    /// GitHub Copilot.
    reasoning_tokens: Count,
    /// OpenRouter: a number of dollars. Perplexity: an object.
    #[serde(borrow)]
    cost: Option<&'a RawValue>,
    #[serde(borrow)]
    cost_details: Option<&'a RawValue>,
    #[serde(borrow)]
    is_byok: Option<&'a RawValue>,
    /// xAI: 10,000,000,000 make a dollar.
    cost_in_usd_ticks: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    #[serde(rename = "cached_tokens")]
    cached: Count,
    #[serde(rename = "cache_write_tokens")]
    written: Count,
    /// LiteLLM's name for the same.
    #[serde(rename = "cache_creation_tokens")]
    created: Count,
    #[serde(rename = "reasoning_tokens")]
    reasoning: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CacheCreation {
    ephemeral_1h_input_tokens: Count,
    ephemeral_24h_input_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CostDetails<'a> {
    #[serde(borrow)]
    total_cost: Option<&'a RawValue>,
    #[serde(borrow)]
    upstream_inference_cost: Option<&'a RawValue>,
}

/// Reads a `usage` object. What it does not say, or says in an odd way, stays unknown.
pub(crate) fn usage(raw: &RawValue) -> WireUsage {
    let counts: Counts<'_> = read_object(Some(raw));
    let input: Details = read_object(counts.prompt_tokens_details.or(counts.prompt_token_details));
    let output: Details = read_object(counts.completion_tokens_details.or(counts.completion_token_details));
    let reasoning = output.reasoning.0.or(counts.reasoning_tokens.0);
    WireUsage {
        prompt: counts.prompt_tokens.0,
        completion: completion(&counts, reasoning),
        cached: [
            input.cached,
            counts.cached_tokens,
            counts.prompt_cache_hit_tokens,
            counts.num_cached_tokens,
            counts.cache_read_input_tokens,
        ]
        .into_iter()
        .find_map(|count| count.0),
        cache_write: [input.written, input.created, counts.cache_creation_input_tokens]
            .into_iter()
            .find_map(|count| count.0),
        cache_write_1h: counts.cache_creation.and_then(|raw| {
            let kept: CacheCreation = read_object(Some(raw));
            match (kept.ephemeral_1h_input_tokens.0, kept.ephemeral_24h_input_tokens.0) {
                (None, None) => None,
                (hour, day) => Some(hour.unwrap_or(0).saturating_add(day.unwrap_or(0))),
            }
        }),
        reasoning,
        cost: cost(&counts),
    }
}

/// The billed output. xAI and some hosts count reasoning beside `completion_tokens`; then the total, or a
/// count of reasoning that is larger than its whole, gives it away (xAI, recordings of 2026).
fn completion(counts: &Counts<'_>, reasoning: Option<u64>) -> Option<u64> {
    let visible = counts.completion_tokens.0?;
    let hidden = reasoning.unwrap_or(0);
    let both = visible.saturating_add(hidden);
    let beside = match (counts.prompt_tokens.0, counts.total_tokens.0) {
        (Some(prompt), Some(total)) => total == prompt.saturating_add(both),
        (_, None) | (None, _) => hidden > visible,
    };
    Some(if beside { both } else { visible })
}

fn cost(counts: &Counts<'_>) -> Option<Nanodollars> {
    // Azure's Grok answers with 0 ticks for calls that are billed, so zero says nothing.
    if let Some(ticks) = counts.cost_in_usd_ticks.0.filter(|ticks| *ticks > 0) {
        return i64::try_from(ticks.saturating_add(5) / 10).ok().map(Nanodollars::from_nanos);
    }
    let raw = counts.cost?;
    if raw.get().starts_with('{') {
        return dollars(read_object::<CostDetails<'_>>(Some(raw)).total_cost?.get());
    }
    let own = dollars(raw.get())?;
    // With the caller's own key OpenRouter's figure is its fee; the host's bill comes on top.
    if counts.is_byok.is_some_and(|raw| raw.get() == "true") {
        let details: CostDetails<'_> = read_object(counts.cost_details);
        let host = details.upstream_inference_cost.and_then(|raw| dollars(raw.get()));
        return Some(own.saturating_add(host.unwrap_or_default()));
    }
    Some(own)
}

/// Reads a JSON number of dollars exactly, rounding half up to a nano-dollar; `None` below zero.
fn dollars(text: &str) -> Option<Nanodollars> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.len().checked_add(fraction.len())?;
    if digits == 0
        || digits > 30
        || !whole.bytes().chain(fraction.bytes()).all(|digit| digit.is_ascii_digit())
    {
        return None;
    }
    let value: u128 = format!("{whole}{fraction}").parse().ok()?;
    // The value is `value * 10^shift` nano-dollars.
    let shift = exponent.checked_add(9)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let nanos = if shift >= 0 {
        value.checked_mul(10u128.checked_pow(shift.unsigned_abs())?)?
    } else {
        let divisor = 10u128.checked_pow(shift.unsigned_abs()).unwrap_or(u128::MAX);
        value.checked_add(divisor / 2)?.checked_div(divisor)?
    };
    i64::try_from(nanos).ok().map(Nanodollars::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> WireUsage {
        usage(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn counts_are_found_under_every_name() {
        let openai = of(r#"{"prompt_tokens":20,"completion_tokens":9,"total_tokens":29,
            "prompt_tokens_details":{"cached_tokens":16,"cache_write_tokens":2},
            "completion_tokens_details":{"reasoning_tokens":4}}"#);
        assert_eq!((openai.prompt, openai.completion, openai.cached), (Some(20), Some(9), Some(16)));
        assert_eq!((openai.cache_write, openai.reasoning, openai.cost), (Some(2), Some(4), None));
        assert_eq!(of(r#"{"prompt_tokens":5,"cached_tokens":3}"#).cached, Some(3));
        assert_eq!(of(r#"{"prompt_cache_hit_tokens":3,"prompt_cache_miss_tokens":9}"#).cached, Some(3));
        assert_eq!(of(r#"{"prompt_token_details":{"cached_tokens":7}}"#).cached, Some(7));
        let host = of(r#"{"cache_read_input_tokens":1,"cache_creation_input_tokens":2,
            "cache_creation":{"ephemeral_1h_input_tokens":2}}"#);
        assert_eq!((host.cached, host.cache_write, host.cache_write_1h), (Some(1), Some(2), Some(2)));
    }

    #[test]
    fn what_is_not_said_is_not_zero() {
        assert_eq!(of("{}"), WireUsage::default());
        assert_eq!(
            of(r#"{"prompt_tokens":null,"completion_tokens":"many","prompt_tokens_details":7}"#),
            WireUsage::default()
        );
        assert_eq!(of("[1]"), WireUsage::default());
    }

    #[test]
    fn reasoning_beside_the_completion_is_added_where_the_total_says_so() {
        let json = |completion: u64, total: &str| {
            format!(
                r#"{{"prompt_tokens":12,"completion_tokens":{completion}{total},"completion_tokens_details":{{"reasoning_tokens":340}}}}"#
            )
        };
        assert_eq!(of(&json(2, ",\"total_tokens\":354")).completion, Some(342));
        assert_eq!(of(&json(400, ",\"total_tokens\":412")).completion, Some(400));
        assert_eq!(of(&json(2, "")).completion, Some(342));
        // The total is against it: one recording of OpenRouter counts more reasoning than output.
        assert_eq!(of(&json(339, ",\"total_tokens\":351")).completion, Some(339));
    }

    #[test]
    fn a_reported_cost_is_exact() {
        let cost = |json: &str| of(json).cost.map(Nanodollars::nanos);
        assert_eq!(cost(r#"{"cost":0.0006825}"#), Some(682_500));
        assert_eq!(cost(r#"{"cost":2.4e-06}"#), Some(2_400));
        assert_eq!(cost(r#"{"cost":0}"#), Some(0));
        assert_eq!(cost(r#"{"cost":1E1}"#), Some(10_000_000_000));
        assert_eq!(cost(r#"{"cost":0.0000000005}"#), Some(1));
        assert_eq!(cost(r#"{"cost":0.00000000049}"#), Some(0));
        assert_eq!(cost(r#"{"cost":{"total_cost":0.00506}}"#), Some(5_060_000));
        assert_eq!(cost(r#"{"cost_in_usd_ticks":1721250}"#), Some(172_125));
        assert_eq!(cost(r#"{"cost_in_usd_ticks":0}"#), None);
        assert_eq!(
            cost(r#"{"cost":0.001,"is_byok":true,"cost_details":{"upstream_inference_cost":0.02}}"#),
            Some(21_000_000)
        );
        for odd in ["-1", "1e999", "\"1\"", "null", "1e-999", "{}", "[]"] {
            let found = cost(&format!("{{\"cost\":{odd}}}"));
            assert!(found.is_none() || found == Some(0), "{odd}: {found:?}");
        }
    }
}
