//! The labelled answers against the judge: precision, recall, F1 and false positives by language and source,
//! and how long their beginnings would have been held.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mainstay_canon::{
    Answer, ChatRequest, Expect, FinishReason, Quality, ReplyEvent, ToolCall, Usage, Verdict,
};

use crate::labelled::{Labelled, labelled};
use crate::{Arrival, Ask, Hold, HoldOptions, Judge, JudgeOptions};

/// The least F1 of refusals over all labelled answers.
const LEAST_F1: f64 = 0.94;
/// The most plain benign answers called bad, in tenths of a percent.
const MOST_FALSE: usize = 2;

#[derive(Clone, Copy, Default)]
struct Count {
    hits: usize,
    false_alarms: usize,
    missed: usize,
    benign: usize,
}

impl Count {
    fn add(&mut self, refusal: bool, found: bool) {
        self.benign += usize::from(!refusal);
        match (refusal, found) {
            (true, true) => self.hits += 1,
            (true, false) => self.missed += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => {}
        }
    }

    fn precision(self) -> f64 {
        ratio(self.hits, self.hits + self.false_alarms)
    }

    fn recall(self) -> f64 {
        ratio(self.hits, self.hits + self.missed)
    }

    fn f1(self) -> f64 {
        ratio(2 * self.hits, 2 * self.hits + self.false_alarms + self.missed)
    }

    fn row(self, name: &str) -> String {
        format!(
            "{name:24} {:5.3} {:5.3} {:5.3} {:5} {:4} of {}\n",
            self.precision(),
            self.recall(),
            self.f1(),
            self.hits + self.missed,
            self.false_alarms,
            self.benign
        )
    }
}

#[allow(clippy::cast_precision_loss, reason = "a few thousand answers")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn request(row: &Labelled) -> ChatRequest {
    let mut request = ChatRequest::user(row.prompt.clone());
    if row.tool_calls > 0 {
        let schema = mainstay_canon::RawJson::parse("{}").unwrap();
        request = request.tool(mainstay_canon::Tool::function("f", "", schema));
    }
    request.expect(Expect::Any)
}

fn answer(row: &Labelled) -> Answer {
    let finish_reason = match row.finish.as_str() {
        "stop" => FinishReason::Stop,
        "length" => FinishReason::Length,
        "tool_calls" | "tool_use" | "function_call" => FinishReason::ToolCall,
        "content_filter" | "SAFETY" => FinishReason::ContentFilter,
        "refusal" => FinishReason::Refusal,
        other => panic!("finish word {other}"),
    };
    let call = |n| ToolCall {
        id: format!("c{n}"),
        name: "f".into(),
        arguments: "{}".into(),
        extra: mainstay_canon::Extra::new(),
    };
    Answer {
        text: row.response.clone(),
        finish_reason,
        usage: Usage { completion: row.tokens, ..Usage::default() },
        tool_calls: (0..row.tool_calls).map(call).collect(),
        ..Answer::default()
    }
}

fn judge(row: &Labelled, judge: &Judge) -> Verdict {
    let request = request(row);
    judge.judge(&Ask::of(&request), &answer(row), Arrival::Complete).verdict
}

/// Answers that nobody would doubt: chats, tasks, school problems, not made to look like refusals.
fn is_plain(row: &Labelled) -> bool {
    let plain =
        ["chat", "arena", "reasoning", "human_written", "short", "code", "technical", "harmless", "helpful"];
    plain.contains(&row.subtype.as_str())
}

/// Verdicts that a label accepts; `None` where any is allowed.
fn accepted(expected: &str) -> Option<&'static [Quality]> {
    match expected {
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

#[test]
fn table_of_refusals_by_language_and_source() {
    let Some(rows) = labelled() else { return };
    let judged = Judge::new(JudgeOptions::default()).unwrap();
    let mut all = Count::default();
    let mut by: [BTreeMap<&str, Count>; 2] = [BTreeMap::new(), BTreeMap::new()];
    let mut plain = (0, 0);
    for row in rows.iter().filter(|row| row.method != "string") {
        let verdict = judge(row, &judged);
        if row.expected == "ok" && is_plain(row) {
            plain.0 += usize::from(verdict.is_failure);
            plain.1 += 1;
        }
        if !["ok", "refusal"].contains(&row.expected.as_str()) {
            continue;
        }
        let (refusal, found) = (row.expected == "refusal", verdict.quality == Quality::Refusal);
        all.add(refusal, found);
        by[0].entry(&row.lang).or_default().add(refusal, found);
        by[1].entry(&row.source).or_default().add(refusal, found);
    }
    let mut table =
        format!("{:24} {:>5} {:>5} {:>5} {:>5} false alarms\n", "refusals", "prec", "rec", "F1", "n");
    for (name, count) in by.iter().flatten() {
        table += &count.row(name);
    }
    table += &all.row("all");
    write!(table, "plain benign answers called bad: {} of {}", plain.0, plain.1).unwrap();
    println!("{table}");
    assert!(all.f1() >= LEAST_F1, "F1 {:.3}", all.f1());
    assert!(plain.0 * 1000 <= plain.1 * MOST_FALSE, "{} of {} plain answers called bad", plain.0, plain.1);
}

#[test]
fn table_of_the_other_classes() {
    let Some(rows) = labelled() else { return };
    let judged = Judge::new(JudgeOptions::default()).unwrap();
    let mut by: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| row.method != "string" && row.expected != "refusal") {
        let Some(classes) = accepted(&row.expected) else { continue };
        let verdict = judge(row, &judged);
        let right = classes.contains(&verdict.quality);
        let entry = by.entry(&row.expected).or_default();
        entry.0 += usize::from(right);
        entry.1 += 1;
        if !right && verdict.quality != Quality::Refusal {
            let head: String = row.response.chars().take(70).collect();
            wrong.push(format!(
                "{} {} as {} ({}): {head:?}",
                row.id, row.expected, verdict.quality, verdict.rule
            ));
        }
    }
    for (label, (right, of)) in &by {
        println!("{label:20} {right:5} of {of}");
    }
    println!("{}", wrong.join("\n"));
    let short = rows.iter().filter(|row| ["short", "tool_only", "tool_text"].contains(&row.subtype.as_str()));
    for row in short {
        assert!(!judge(row, &judged).is_failure, "{} {:?} called bad", row.id, row.response);
    }
    assert!(wrong.len() <= 12, "{} wrong", wrong.len());
}

/// Characters that a watch holds of a text that arrives a few characters at a time; `None` where all of it.
fn held(row: &Labelled, judge: &Judge) -> Option<usize> {
    let request = request(row);
    let mut watch = judge.watch(&Ask::of(&request), HoldOptions::default());
    let chars: Vec<char> = row.response.chars().collect();
    let mut seen = 0;
    for piece in chars.chunks(3) {
        seen += piece.len();
        if watch.event(&ReplyEvent::Text(piece.iter().collect())) == Hold::Release {
            return Some(seen);
        }
    }
    None
}

#[test]
fn table_of_held_characters() {
    let Some(rows) = labelled() else { return };
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let mut by: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for row in
        rows.iter().filter(|row| row.expected == "ok" && is_plain(row) && row.response.chars().count() > 100)
    {
        by.entry(&row.lang).or_default().push(held(row, &judge).unwrap_or(usize::MAX));
    }
    let mut all: Vec<usize> = by.values().flatten().copied().collect();
    let at = |held: &mut Vec<usize>, percent: usize| {
        held.sort_unstable();
        held[(held.len() - 1) * percent / 100]
    };
    for (lang, held) in &mut by {
        println!(
            "held {lang}: median {} p95 {} max {} characters, {} answers",
            at(held, 50),
            at(held, 95),
            at(held, 100),
            held.len()
        );
    }
    println!(
        "held: median {} p95 {} characters, {} ordinary answers",
        at(&mut all, 50),
        at(&mut all, 95),
        all.len()
    );
    let refusals: Vec<_> =
        rows.iter().filter(|row| row.expected == "refusal" && row.method != "string").collect();
    let known: Vec<_> =
        refusals.iter().filter(|row| self::judge(row, &judge).quality == Quality::Refusal).collect();
    let kept = known.iter().filter(|row| held(row, &judge).is_none()).count();
    println!("refusals known: {}, of them never shown: {kept}", known.len());
    assert!(at(&mut all, 50) <= 9, "median {}", at(&mut all, 50));
    assert!(at(&mut all, 95) <= 83, "p95 {}", at(&mut all, 95));
    assert!(kept * 100 >= known.len() * 75, "{kept} of {}", known.len());
}
