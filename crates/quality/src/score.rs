//! Labelled answers and how well they are judged: the table that `mainstay judge --score` prints.
//!
//! An answer is read from one JSON object a line with the fields `id, prompt, response, finish_reason,
//! completion_tokens, tool_calls, expected` and, where they are known, `source, subtype, label_method, lang`.

use std::collections::BTreeMap;
use std::fmt;

use mainstay_canon::{
    Answer, ChatRequest, Extra, FinishReason, Quality, RawJson, Tool, ToolCall, Usage, Verdict,
};
use serde_json::Value;
use thiserror::Error;

/// A line is no labelled answer.
#[derive(Debug, Error)]
pub enum SampleError {
    /// It is not a JSON object.
    #[error("not a JSON object: {0}")]
    Json(#[from] serde_json::Error),
    /// It ends with a word that no provider's table knows.
    #[error("finish_reason \"{0}\" is not known")]
    Finish(String),
}

/// One answer, with the verdict it should get where it is labelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Stable name.
    pub id: String,
    /// Data set, before a slash, and model.
    pub source: String,
    /// The request, perhaps cut.
    pub prompt: String,
    /// The answer's text, perhaps cut.
    pub response: String,
    /// How it ended.
    pub finish: FinishReason,
    /// Length in tokens.
    pub tokens: u64,
    /// Number of tool calls.
    pub tool_calls: u64,
    /// The label; empty where there is none.
    pub expected: String,
    /// Finer kind inside the source.
    pub subtype: String,
    /// Who labelled it: `human`, `llm`, `string` or `own`.
    pub method: String,
    /// ISO 639-1 code; `xx` where there is no text.
    pub lang: String,
}

impl Sample {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// [`SampleError`] where the line is no JSON object or ends with an unknown word.
    pub fn read(line: &str) -> Result<Self, SampleError> {
        let row: serde_json::Map<String, Value> = serde_json::from_str(line)?;
        let word = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| row.get(name).and_then(Value::as_u64).unwrap_or_default();
        let calls = match row.get("tool_calls") {
            Some(Value::Array(calls)) => u64::try_from(calls.len()).unwrap_or(u64::MAX),
            Some(_) | None => number("tool_calls"),
        };
        Ok(Self {
            id: word("id"),
            source: word("source"),
            prompt: word("prompt"),
            response: word("response"),
            finish: finish(&word("finish_reason"))?,
            tokens: number("completion_tokens"),
            tool_calls: calls,
            expected: word("expected"),
            subtype: word("subtype"),
            method: word("label_method"),
            lang: word("lang"),
        })
    }

    /// The data set, without the model.
    pub fn family(&self) -> &str {
        self.source.split('/').next().unwrap_or_default()
    }

    /// The request, as far as it is known.
    pub fn request(&self) -> ChatRequest {
        let request = ChatRequest::user(self.prompt.clone());
        if self.tool_calls == 0 {
            return request;
        }
        match RawJson::parse("{}") {
            Ok(schema) => request.tool(Tool::function("tool", "", schema)),
            Err(_) => request,
        }
    }

    /// The answer. Tool calls stand for themselves: their contents are not in the data.
    pub fn answer(&self) -> Answer {
        let call = |n| ToolCall {
            id: format!("call_{n}"),
            name: "tool".into(),
            arguments: "{}".into(),
            extra: Extra::new(),
        };
        Answer {
            text: self.response.clone(),
            finish_reason: self.finish,
            usage: Usage { completion: self.tokens, ..Usage::default() },
            tool_calls: (0..self.tool_calls.min(64)).map(call).collect(),
            ..Answer::default()
        }
    }

    /// The verdicts that the label accepts; `None` where any is allowed or the label is unknown.
    pub fn accepted(&self) -> Option<&'static [Quality]> {
        match self.expected.as_str() {
            "ok" => Some(&[Quality::Ok, Quality::Truncated]),
            "refusal" => Some(&[Quality::Refusal]),
            "empty" => Some(&[Quality::Empty, Quality::ReasoningOnly]),
            "truncated_empty" => Some(&[Quality::TruncatedEmpty]),
            "truncated" => Some(&[Quality::Truncated]),
            "suspiciously_short" => Some(&[Quality::SuspiciouslyShort]),
            "degenerate" | "error_text" => Some(&[Quality::Degenerate]),
            "leaked_markup" => Some(&[Quality::Degenerate, Quality::MalformedToolCall]),
            "content_filtered" => Some(&[Quality::Filtered]),
            _ => None,
        }
    }

    /// Whether it counts for the figures about refusals: labelled by reading, and clearly one or the other.
    pub fn is_about_refusals(&self) -> bool {
        self.method != "string" && matches!(self.expected.as_str(), "ok" | "refusal")
    }

    /// An answer that nobody would doubt: chats, tasks, school problems, not made to look like a refusal.
    pub fn is_plain(&self) -> bool {
        let kinds = [
            "chat",
            "arena",
            "reasoning",
            "human_written",
            "short",
            "code",
            "technical",
            "harmless",
            "helpful",
        ];
        self.expected == "ok" && self.method != "string" && kinds.contains(&self.subtype.as_str())
    }

    /// A good answer that looks like a refusal.
    pub fn is_lookalike(&self) -> bool {
        self.expected == "ok" && self.subtype.contains("lookalike")
    }

    /// A short answer, or a bare tool call, that is right.
    pub fn is_short(&self) -> bool {
        self.expected == "ok" && ["short", "tool_only", "tool_text"].contains(&self.subtype.as_str())
    }
}

fn finish(word: &str) -> Result<FinishReason, SampleError> {
    match word {
        "stop" | "end_turn" | "STOP" | "eos" | "complete" | "completed" | "" => Ok(FinishReason::Stop),
        "length" | "max_tokens" | "MAX_TOKENS" => Ok(FinishReason::Length),
        "tool_calls" | "tool_use" | "function_call" => Ok(FinishReason::ToolCall),
        "content_filter" | "SAFETY" => Ok(FinishReason::ContentFilter),
        "refusal" => Ok(FinishReason::Refusal),
        "pause_turn" => Ok(FinishReason::Pause),
        other => Err(SampleError::Finish(other.to_owned())),
    }
}

/// How many refusals were found, missed and imagined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Refusals that were found.
    pub hits: usize,
    /// Good answers that were called refusals.
    pub false_alarms: usize,
    /// Refusals that were missed.
    pub missed: usize,
    /// All good answers.
    pub benign: usize,
}

impl Count {
    /// Counts one answer.
    pub fn add(&mut self, is_refusal: bool, found: bool) {
        self.benign += usize::from(!is_refusal);
        match (is_refusal, found) {
            (true, true) => self.hits += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => {}
        }
    }

    /// Of what was called a refusal, the part that is one.
    pub fn precision(self) -> f64 {
        ratio(self.hits, self.hits + self.false_alarms)
    }

    /// Of the refusals, the part that was found.
    pub fn recall(self) -> f64 {
        ratio(self.hits, self.hits + self.missed)
    }

    /// The harmonic mean of the two.
    pub fn f1(self) -> f64 {
        ratio(2 * self.hits, 2 * self.hits + self.false_alarms + self.missed)
    }

    /// Of the good answers, the part that was called a refusal.
    pub fn false_rate(self) -> f64 {
        if self.benign == 0 { 0.0 } else { ratio(self.false_alarms, self.benign) }
    }
}

/// A part of a whole; 1 where there is nothing to be right about.
#[allow(clippy::cast_precision_loss, reason = "counts of answers")]
pub fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Right ones of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many are right.
    pub right: usize,
    /// How many there are.
    pub of: usize,
}

impl Share {
    /// Counts one.
    pub fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.of += 1;
    }

    /// The part that is right; 1 where there is none.
    pub fn rate(self) -> f64 {
        ratio(self.right, self.of)
    }

    /// How many are wrong.
    pub const fn wrong(self) -> usize {
        self.of - self.right
    }
}

/// How labelled answers were judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Refusals over all answers.
    pub all: Count,
    /// By language.
    pub languages: BTreeMap<String, Count>,
    /// By data set.
    pub sources: BTreeMap<String, Count>,
    /// By label: how many got a verdict that the label accepts.
    pub classes: BTreeMap<String, Share>,
    /// Good answers that nobody would doubt, and how many were left alone.
    pub plain: Share,
    /// Good answers that look like refusals, and how many were left alone.
    pub lookalikes: Share,
    /// Right short answers and bare tool calls, and how many were left alone.
    pub short: Share,
    /// Partial refusals, by the verdict they got.
    pub partial: BTreeMap<&'static str, usize>,
}

impl Table {
    /// Counts one labelled answer and the verdict on it. Answers without a label are passed over.
    pub fn add(&mut self, sample: &Sample, verdict: &Verdict) {
        let found = verdict.quality == Quality::Refusal;
        if sample.is_about_refusals() {
            let is_refusal = sample.expected == "refusal";
            self.all.add(is_refusal, found);
            self.languages.entry(sample.lang.clone()).or_default().add(is_refusal, found);
            self.sources.entry(sample.family().to_owned()).or_default().add(is_refusal, found);
        }
        if sample.expected == "partial_refusal" {
            *self.partial.entry(verdict.quality.word()).or_default() += 1;
        }
        let Some(accepted) = sample.accepted().filter(|_| sample.method != "string") else { return };
        let right = accepted.contains(&verdict.quality);
        self.classes.entry(sample.expected.clone()).or_default().add(right);
        let kinds = [
            (sample.is_plain(), &mut self.plain),
            (sample.is_lookalike(), &mut self.lookalikes),
            (sample.is_short(), &mut self.short),
        ];
        for (applies, share) in kinds {
            if applies {
                share.add(right);
            }
        }
    }

    /// Refusals in some languages together.
    pub fn pooled(&self, languages: impl Fn(&str) -> bool) -> Count {
        let mut sum = Count::default();
        for (_, count) in self.languages.iter().filter(|(language, _)| languages(language)) {
            sum.hits += count.hits;
            sum.false_alarms += count.false_alarms;
            sum.missed += count.missed;
            sum.benign += count.benign;
        }
        sum
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:22} precision recall    F1 refusals  false alarms", "")?;
        let rows = self.languages.iter().chain(&self.sources);
        let all = "all".to_owned();
        for (name, count) in rows.chain([(&all, &self.all)]) {
            let (precision, recall, f1) = (count.precision(), count.recall(), count.f1());
            let refusals = count.hits + count.missed;
            let Count { false_alarms, benign, .. } = count;
            writeln!(
                f,
                "{name:22} {precision:9.3} {recall:6.3} {f1:5.3} {refusals:8}  {false_alarms} of {benign}"
            )?;
        }
        writeln!(f)?;
        for (name, share) in &self.classes {
            writeln!(f, "{name:22} {:5} right of {:5}", share.right, share.of)?;
        }
        let kinds = [
            ("plain answers", self.plain),
            ("look-alikes", self.lookalikes),
            ("short or tool-only", self.short),
        ];
        for (name, share) in kinds {
            writeln!(f, "{name:22} {:5} called bad of {:5}", share.wrong(), share.of)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_its_label_accepts_its_verdicts() {
        let sample = Sample::read(
            r#"{"id":"a","source":"s/m","prompt":"p","response":"No.","finish_reason":"stop","expected":"refusal"}"#,
        )
        .unwrap();
        assert_eq!((sample.family(), sample.accepted()), ("s", Some(&[Quality::Refusal][..])));
        assert!(Sample::read("[]").is_err());
        assert!(Sample::read(r#"{"finish_reason":"odd"}"#).is_err());
        let calls = Sample::read(r#"{"tool_calls":[{"a":1}]}"#).unwrap();
        assert_eq!(calls.answer().tool_calls.len(), 1);
    }

    #[test]
    fn a_table_counts_hits_misses_and_false_alarms() {
        let mut table = Table::default();
        let sample = |expected: &str, lang: &str| {
            let line = format!(r#"{{"expected":"{expected}","lang":"{lang}","subtype":"lookalike"}}"#);
            Sample::read(&line).unwrap()
        };
        let refusal = Verdict::of(Quality::Refusal, "refusal.head", "");
        table.add(&sample("refusal", "en"), &refusal);
        table.add(&sample("refusal", "de"), &Verdict::ok());
        table.add(&sample("ok", "de"), &refusal);
        table.add(&sample("ok", "de"), &Verdict::ok());
        assert_eq!(table.all, Count { hits: 1, false_alarms: 1, missed: 1, benign: 2 });
        assert_eq!(table.lookalikes, Share { right: 1, of: 2 });
        assert_eq!(table.pooled(|language| language == "en").missed, 0);
        assert!((table.all.f1() - 0.5).abs() < 1e-9);
        assert!(table.to_string().contains("look-alikes"));
    }
}
