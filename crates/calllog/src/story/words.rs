//! What came of each attempt, in a few words.

use mainstay_canon::{FinishReason, Outcome, Quality};

use super::StoryLine;
use crate::CallRecord;

/// One line for each row.
pub(super) fn lines(rows: &[&CallRecord]) -> Vec<StoryLine> {
    let mut previous: Option<&CallRecord> = None;
    rows.iter()
        .map(|row| {
            let line = line(row, previous);
            previous = Some(row);
            line
        })
        .collect()
}

fn line(row: &CallRecord, previous: Option<&CallRecord>) -> StoryLine {
    // The reason why a tier was passed over may stand in the note alone.
    let reason = row.note.as_deref().filter(|note| note.contains(&row.detail));
    if row.outcome == Outcome::Skipped
        && let Some(reason) = reason
    {
        return StoryLine { text: with_detail("skipped", reason), note: None, ..plain_line(row, previous) };
    }
    plain_line(row, previous)
}

fn plain_line(row: &CallRecord, previous: Option<&CallRecord>) -> StoryLine {
    StoryLine {
        attempt: row.attempt,
        tier: row.tier.clone(),
        outcome: row.outcome,
        http_status: row.http_status,
        latency_ms: row.latency_ms,
        wait_ms: row.wait_ms,
        text: text(row, previous),
        cost: row.cost,
        released: row.released,
        note: row.note.clone(),
    }
}

fn text(row: &CallRecord, previous: Option<&CallRecord>) -> String {
    match row.outcome {
        Outcome::Ok => accepted(row),
        Outcome::Quality => {
            let told = previous.is_some_and(|previous| same_finding(previous, row));
            with_detail(class(row), if told { "" } else { &row.detail })
        }
        Outcome::Error => {
            let told = previous.is_some_and(|previous| same_finding(previous, row));
            let kind = row.error_kind.as_deref().unwrap_or("error");
            let kind =
                if row.released { format!("{kind} after part of it was out") } else { kind.to_owned() };
            with_detail(&kind, if told { "" } else { &row.detail })
        }
        Outcome::Aborted => with_detail("the caller went away", &row.detail),
        Outcome::Skipped => with_detail("skipped", &row.detail),
    }
}

/// Whether the row before found the same at the same tier, so that its detail need not be repeated.
fn same_finding(previous: &CallRecord, row: &CallRecord) -> bool {
    previous.tier == row.tier
        && previous.outcome == row.outcome
        && previous.quality == row.quality
        && previous.error_kind == row.error_kind
        && previous.detail == row.detail
}

/// The judge's word.
fn class(row: &CallRecord) -> &'static str {
    row.quality.map_or("not judged", Quality::word)
}

/// `ok, 312 tokens`
fn accepted(row: &CallRecord) -> String {
    let word = row.quality.map_or("ok", Quality::word);
    let called = if row.finish_reason == Some(FinishReason::ToolCall) { ", tool call" } else { "" };
    if let Some(tokens) = row.completion_tokens.filter(|tokens| *tokens > 0) {
        let about = if row.tokens_estimated { "about " } else { "" };
        let unit = if tokens == 1 { "token" } else { "tokens" };
        return format!("{word}{called}, {about}{tokens} {unit}");
    }
    format!("{word}{called}")
}

fn with_detail(word: &str, detail: &str) -> String {
    if detail.is_empty() { word.to_owned() } else { format!("{word}: {detail}") }
}

/// A duration in ms as people say it: `0.8 s`, `0.04 s`, `75 s`.
pub(super) fn seconds(ms: u64) -> String {
    match ms {
        // Below 0.1 s a second decimal, rounded up so that something is never shown as nothing.
        0 => "0.0 s".to_owned(),
        1..95 => format!("0.{:02} s", ms.div_ceil(10)),
        95..99_950 => {
            let tenths = (ms + 50) / 100;
            format!("{}.{} s", tenths / 10, tenths % 10)
        }
        _ => format!("{} s", ms.saturating_add(500) / 1000),
    }
}
