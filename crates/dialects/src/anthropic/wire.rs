//! What both reply readers, whole and streamed, see in the same way: content blocks, token counts, the
//! reason for a refusal.
//!
//! Source: Anthropic API reference, Messages and Streaming, 2026-11. Knows nothing of where the pieces came
//! from nor of what becomes of them.

use mainstay_canon::{Dialect, Extra, Nanodollars, RawJson, ReasoningBlock, WireUsage};
use serde_json::value::RawValue;

use super::json::{Object, items};

/// One block of an answer, as far as its members have a canonical name.
#[derive(Clone, Debug)]
pub(super) enum Block<'a> {
    /// Visible text.
    Text {
        text: String,
        /// Citations and whatever else stands beside the text.
        extra: Extra,
    },
    /// Thinking that may be read. Its text is empty where the model withholds it.
    Thinking { text: String },
    /// Thinking that only the provider can read.
    Redacted,
    /// A call of one of the caller's tools.
    ToolUse { id: String, name: String, input: Option<&'a RawValue>, extra: Extra },
    /// A block that the canonical chat has no name for: server tools and their results, compactions.
    Opaque,
}

impl<'a> Block<'a> {
    /// Reads a block; nothing where it is no object or has no type.
    pub(super) fn of(object: &Object<'a>) -> Option<Self> {
        let text = |name| object.text(name).unwrap_or_default().into_owned();
        Some(match object.text("type")?.as_ref() {
            "text" => Self::Text { text: text("text"), extra: object.rest(&["type", "text"]) },
            "thinking" => Self::Thinking { text: text("thinking") },
            "redacted_thinking" => Self::Redacted,
            "tool_use" => Self::ToolUse {
                id: text("id"),
                name: text("name"),
                input: object.get("input"),
                extra: object.rest(&["type", "id", "name", "input"]),
            },
            _ => Self::Opaque,
        })
    }
}

/// A block that goes back to its provider unchanged. Server tool blocks travel this way too: they are not
/// reasoning, but must be handed back in the same manner, to the same model only.
pub(super) fn returnable(raw: RawJson) -> ReasoningBlock {
    ReasoningBlock { dialect: Dialect::Anthropic, origin: None, raw }
}

/// The text of a tool's arguments: the object as the model wrote it, `{}` where there is none.
///
/// Some compatible servers send the object inside a string.
pub(super) fn arguments(input: Option<&RawValue>) -> String {
    match input {
        None => "{}".to_owned(),
        Some(raw) => match super::json::text(raw) {
            Some(text) if text.trim().is_empty() => "{}".to_owned(),
            Some(text) => text.into_owned(),
            None => raw.get().to_owned(),
        },
    }
}

/// Whether a tool's input says nothing.
pub(super) fn is_blank(input: Option<&RawValue>) -> bool {
    let Some(raw) = input else { return true };
    match Object::of(raw) {
        Some(object) => object.iter().next().is_none(),
        None => super::json::text(raw).is_some_and(|text| text.trim().is_empty()),
    }
}

/// Whether an answer that ended with this word may hold a tool call that was cut before its arguments.
pub(super) fn cuts_calls(word: Option<&str>) -> bool {
    matches!(word, Some("max_tokens" | "model_context_window_exceeded"))
}

/// Why a model declined, in its provider's words (`stop_details.explanation`).
pub(super) fn explanation(holder: &Object<'_>) -> Option<String> {
    holder.object("stop_details")?.word("explanation")
}

/// Token counters as the wire has them. Later reports of a stream replace earlier ones one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    input: Option<u64>,
    cache_write: Option<u64>,
    cache_write_5m: Option<u64>,
    cache_write_1h: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
    compaction: Compaction,
    cost: Option<Nanodollars>,
}

/// Tokens of compaction rounds. They are billed, but stand only in `usage.iterations`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Compaction {
    input: u64,
    cache_write: u64,
    cache_read: u64,
    output: u64,
}

impl Counters {
    /// Takes each counter that `usage` states.
    pub(super) fn merge(&mut self, usage: &Object<'_>) {
        take(&mut self.input, usage.count("input_tokens"));
        take(&mut self.cache_write, usage.count("cache_creation_input_tokens"));
        take(&mut self.cache_read, usage.count("cache_read_input_tokens"));
        take(&mut self.output, usage.count("output_tokens"));
        if let Some(written) = usage.object("cache_creation") {
            take(&mut self.cache_write_5m, written.count("ephemeral_5m_input_tokens"));
            take(&mut self.cache_write_1h, written.count("ephemeral_1h_input_tokens"));
        }
        if let Some(details) = usage.object("output_tokens_details") {
            take(&mut self.thinking, details.count("thinking_tokens"));
        }
        if let Some(rounds) = usage.get("iterations").and_then(items) {
            self.compaction = Compaction::of(&rounds);
        }
        take(&mut self.cost, usage.get("cost").and_then(dollars));
    }

    /// Forgets the output count: what `message_start` says of it is a placeholder, not a count.
    pub(super) fn without_output(mut self) -> Self {
        self.output = None;
        self
    }

    /// The counters in our arithmetic, where the prompt includes what was cached.
    pub(super) fn totals(&self) -> WireUsage {
        let written = self.cache_write.or_else(|| sum(self.cache_write_5m, self.cache_write_1h));
        let add = |count: Option<u64>, more: u64| count.map(|count| count.saturating_add(more));
        let round = self.compaction;
        let prompt = self.input.map(|input| {
            [
                written.unwrap_or(0),
                self.cache_read.unwrap_or(0),
                round.input,
                round.cache_write,
                round.cache_read,
            ]
            .into_iter()
            .fold(input, u64::saturating_add)
        });
        WireUsage {
            prompt,
            completion: add(self.output, round.output),
            cached: add(self.cache_read, round.cache_read),
            cache_write: add(written, round.cache_write),
            cache_write_1h: self.cache_write_1h,
            reasoning: self.thinking,
            cost: self.cost,
        }
    }
}

impl Compaction {
    fn of(rounds: &[&RawValue]) -> Self {
        let mut total = Self::default();
        for round in rounds.iter().filter_map(|raw| Object::of(raw)) {
            if round.text("type").as_deref() != Some("compaction") {
                continue;
            }
            let count = |name| round.count(name).unwrap_or(0);
            total.input = total.input.saturating_add(count("input_tokens"));
            total.cache_write = total.cache_write.saturating_add(count("cache_creation_input_tokens"));
            total.cache_read = total.cache_read.saturating_add(count("cache_read_input_tokens"));
            total.output = total.output.saturating_add(count("output_tokens"));
        }
        total
    }
}

/// The members of `usage` that have no canonical name, for a caller of the same dialect.
pub(super) fn usage_extra(usage: &Object<'_>) -> Extra {
    usage.rest(&[
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "cache_creation",
        "output_tokens_details",
    ])
}

fn take<T>(known: &mut Option<T>, later: Option<T>) {
    if later.is_some() {
        *known = later;
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    }
}

/// Dollars as a JSON number. Relays report what a call cost in floating point (`8e-05`), so an amount finer
/// than a nano-dollar is rounded to the nearest one.
fn dollars(raw: &RawValue) -> Option<Nanodollars> {
    if let Ok(exact) = raw.get().parse() {
        return Some(exact);
    }
    let dollars: f64 = serde_json::from_str(raw.get()).ok()?;
    if !dollars.is_finite() || dollars < 0.0 {
        return None;
    }
    format!("{dollars:.9}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(reports: &[&str]) -> WireUsage {
        let mut counters = Counters::default();
        for report in reports {
            counters.merge(&Object::parse(report).unwrap());
        }
        counters.totals()
    }

    #[test]
    fn the_prompt_includes_what_the_cache_gave_and_took() {
        let usage = totals(&[
            r#"{"input_tokens":40,"cache_creation_input_tokens":2000,"cache_read_input_tokens":9000,"output_tokens":500,
               "cache_creation":{"ephemeral_5m_input_tokens":1500,"ephemeral_1h_input_tokens":500},
               "output_tokens_details":{"thinking_tokens":120}}"#,
        ]);
        assert_eq!(
            usage,
            WireUsage {
                prompt: Some(11_040),
                completion: Some(500),
                cached: Some(9000),
                cache_write: Some(2000),
                cache_write_1h: Some(500),
                reasoning: Some(120),
                cost: None,
            }
        );
    }

    #[test]
    fn reports_of_a_stream_are_merged_counter_by_counter() {
        let usage = totals(&[
            r#"{"input_tokens":80,"cache_read_input_tokens":20,"output_tokens":2}"#,
            r#"{"output_tokens":15}"#,
            r#"{"input_tokens":null,"cache_read_input_tokens":30}"#,
        ]);
        assert_eq!((usage.prompt, usage.completion, usage.cached), (Some(110), Some(15), Some(30)));
    }

    #[test]
    fn what_is_not_said_is_not_zero() {
        assert_eq!(totals(&["{}"]), WireUsage::default());
        assert_eq!(totals(&[r#"{"cache_read_input_tokens":5}"#]).prompt, None);
    }

    #[test]
    fn compaction_rounds_are_billed_beside_the_totals() {
        let usage =
            totals(&[r#"{"input_tokens":181,"output_tokens":8,"cache_read_input_tokens":0,"iterations":[
                {"type":"compaction","input_tokens":100,"output_tokens":83,"cache_read_input_tokens":55096},
                {"type":"message","input_tokens":181,"output_tokens":8}]}"#]);
        assert_eq!((usage.prompt, usage.completion), (Some(181 + 100 + 55096), Some(91)));
        assert_eq!(usage.cached, Some(55096));
    }

    #[test]
    fn a_reported_cost_is_read_in_any_notation() {
        for (text, nanos) in [("0.000112", 112_000), ("8e-05", 80_000), ("1", 1_000_000_000)] {
            let usage = totals(&[&format!(r#"{{"cost":{text}}}"#)]);
            assert_eq!(usage.cost, Some(Nanodollars::from_nanos(nanos)), "{text}");
        }
        assert_eq!(totals(&[r#"{"cost":-1}"#]).cost, None);
    }

    #[test]
    fn huge_counters_do_not_wrap() {
        let usage = totals(&[r#"{"input_tokens":18446744073709551615,"cache_read_input_tokens":9}"#]);
        assert_eq!(usage.prompt, Some(u64::MAX));
    }

    #[test]
    fn arguments_inside_a_string_are_taken_out() {
        let read = |text: &str| arguments(Some(serde_json::from_str(text).unwrap()));
        assert_eq!(read(r#""{\"a\":1}""#), r#"{"a":1}"#);
        assert_eq!(read(r#"{"a": 1.0}"#), r#"{"a": 1.0}"#);
        assert_eq!(read(r#""""#), "{}");
        assert_eq!(arguments(None), "{}");
    }
}
