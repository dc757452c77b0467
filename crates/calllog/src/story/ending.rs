//! How a request ended, what it cost, and what would have been without us.

use mainstay_canon::{Outcome, Quality};
use serde::Serialize;

use super::known_costs;
use super::words::seconds;
use crate::{CallRecord, note};

/// How a request ended, as far as its rows tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// There is no row.
    Unknown,
    /// With an accepted answer.
    Answered,
    /// With an answer of the static tier.
    AnsweredByStaticTier,
    /// With an answer that broke off after its release and was continued.
    Continued,
    /// With an answer that was handed over although it was judged useless.
    HandedOver,
    /// In the middle of an answer, and the caller was told.
    BrokenOff,
    /// The caller went away.
    Aborted,
    /// Before any provider was called, because it was not allowed.
    Refused,
    /// Before any provider was called, because every tier was passed over.
    NoTier,
    /// With a request that the provider found wrong.
    Rejected,
    /// Without an answer.
    NotAnswered,
}

/// The ending, and the attempt that gave what the caller was given.
pub(super) fn of(rows: &[&CallRecord]) -> (Ending, Option<u32>) {
    let Some(last) = rows.last() else { return (Ending::Unknown, None) };
    if rows.iter().any(|row| row.outcome == Outcome::Aborted) {
        return (Ending::Aborted, None);
    }
    let mut given = rows.iter().rev().filter(|row| row.is_handed_over());
    if let Some(answer) = given.next() {
        let ending = match answer.outcome {
            Outcome::Ok if given.next().is_some() => Ending::Continued,
            Outcome::Ok if answer.has_note(note::STATIC_TIER) => Ending::AnsweredByStaticTier,
            Outcome::Ok => Ending::Answered,
            Outcome::Quality if answer.quality == Some(Quality::Interrupted) => Ending::BrokenOff,
            Outcome::Quality => Ending::HandedOver,
            Outcome::Error | Outcome::Aborted | Outcome::Skipped => Ending::BrokenOff,
        };
        return (ending, answer.attempt);
    }
    let ending = if rows.iter().any(|row| row.attempt.is_some()) {
        match last.error_kind.as_deref() {
            Some("invalid_request") => Ending::Rejected,
            Some(_) | None => Ending::NotAnswered,
        }
    } else if rows.iter().all(|row| row.tier.is_none()) {
        Ending::Refused
    } else {
        Ending::NoTier
    };
    (ending, None)
}

/// How it ended, in a sentence.
pub(super) fn summary(
    rows: &[&CallRecord],
    ending: Ending,
    answered_by: Option<u32>,
    elapsed_ms: u64,
) -> String {
    let after = seconds(elapsed_ms);
    let on = answered_by.map_or_else(String::new, |attempt| format!(" on attempt {attempt}"));
    match ending {
        Ending::Unknown => "Nothing is on record.".to_owned(),
        Ending::Answered => format!("Answered{on} after {after}{}.", cut(rows)),
        Ending::AnsweredByStaticTier => format!("Answered by the static tier{on} after {after}."),
        Ending::Continued => {
            format!(
                "Answered after {after}: an earlier attempt broke off halfway, and the answer was continued{on}."
            )
        }
        Ending::HandedOver => handed_over(rows, answered_by, &after),
        Ending::BrokenOff => format!(
            "Broke off{on} after {after}, when part of the answer was out already; your agent was told so by an error."
        ),
        Ending::Aborted => format!("The caller went away after {after}."),
        Ending::Refused => "Refused before any provider was called.".to_owned(),
        Ending::NoTier => "No provider was called: every tier was passed over.".to_owned(),
        Ending::Rejected => {
            format!(
                "Not answered after {after}: the provider found the request itself wrong, so nobody else was asked."
            )
        }
        Ending::NotAnswered => match rows.iter().filter(|row| row.attempt.is_some()).count() {
            1 => format!("Not answered: one attempt, {after}, and nothing that could be handed over."),
            calls => {
                format!("Not answered: {calls} attempts, {after}, and nothing that could be handed over.")
            }
        },
    }
}

/// What an accepted answer lacks.
fn cut(rows: &[&CallRecord]) -> &'static str {
    let accepted = rows.iter().rev().find(|row| row.outcome == Outcome::Ok);
    match accepted.and_then(|row| row.quality) {
        Some(Quality::Truncated) => ", cut by the token limit",
        Some(Quality::Paused) => ", with a pause that asks for the turn to be continued",
        Some(
            Quality::Ok
            | Quality::Empty
            | Quality::TruncatedEmpty
            | Quality::ReasoningOnly
            | Quality::SuspiciouslyShort
            | Quality::Refusal
            | Quality::Filtered
            | Quality::MalformedToolCall
            | Quality::SchemaMismatch
            | Quality::Degenerate
            | Quality::Interrupted,
        )
        | None => "",
    }
}

fn handed_over(rows: &[&CallRecord], answered_by: Option<u32>, after: &str) -> String {
    let given = rows.iter().rev().find(|row| row.is_handed_over());
    let what = given.and_then(|row| row.quality).map_or("an answer", plain);
    let of = answered_by.map_or_else(String::new, |attempt| format!(" of attempt {attempt}"));
    format!("Handed over after {after}: {what}, that{of}, as it was.")
}

/// What it cost, in a sentence.
pub(super) fn bill(rows: &[&CallRecord]) -> String {
    let cost = known_costs(rows, |_| true);
    let wasted = known_costs(rows, |row| !row.is_handed_over());
    let unpriced = rows.iter().filter(|row| row.cost == mainstay_canon::Cost::Unknown).count();
    let amount = match (unpriced, cost.nanos()) {
        (0, 0) => return "It cost nothing.".to_owned(),
        (0, _) => format!("Cost ${cost}"),
        (1, 0) => return "Its cost is unknown: one call has no price.".to_owned(),
        (calls, 0) => return format!("Its cost is unknown: {calls} calls have no price."),
        (1, _) => format!("Cost ${cost} and what one call without a price cost"),
        (calls, _) => format!("Cost ${cost} and what {calls} calls without a price cost"),
    };
    match wasted.nanos() {
        0 => format!("{amount}."),
        _ if wasted == cost && unpriced == 0 => format!("{amount}, which bought nothing."),
        _ => format!("{amount}, of which ${wasted} bought nothing."),
    }
}

/// What a client without us would have had from the first tier, where that differs from what came.
pub(super) fn without(rows: &[&CallRecord], ending: Ending) -> Option<String> {
    let first = rows.first()?;
    let answered = match ending {
        Ending::Answered | Ending::AnsweredByStaticTier | Ending::Continued => true,
        // An honest error instead of a useless answer is a difference too.
        Ending::NotAnswered | Ending::HandedOver => false,
        Ending::Unknown
        | Ending::BrokenOff
        | Ending::Aborted
        | Ending::Refused
        | Ending::NoTier
        | Ending::Rejected => return None,
    };
    let would = match first.outcome {
        Outcome::Skipped if answered => {
            let tier = first.tier.as_deref()?;
            format!("have called {tier} all the same")
        }
        Outcome::Quality if !same_was_given(rows, first) => {
            format!("have been given {}", plain(first.quality?))
        }
        Outcome::Error if answered || is_silent(first) => error(first),
        Outcome::Skipped | Outcome::Quality | Outcome::Error | Outcome::Ok | Outcome::Aborted => return None,
    };
    Some(format!("Without Mainstay your agent would {would}."))
}

/// Whether what was handed over in the end is no better than what came first.
fn same_was_given(rows: &[&CallRecord], first: &CallRecord) -> bool {
    rows.iter().any(|row| row.is_handed_over() && row.quality == first.quality)
}

/// Whether a plain client takes it for an answer: a failure behind a 200.
fn is_silent(row: &CallRecord) -> bool {
    row.http_status == Some(200)
}

/// A class of answer, as something that one is given.
const fn plain(quality: Quality) -> &'static str {
    match quality {
        Quality::Ok => "an answer",
        Quality::Empty => "an empty answer",
        Quality::TruncatedEmpty => "an empty answer, its tokens spent before the first word",
        Quality::ReasoningOnly => "reasoning without an answer",
        Quality::Truncated => "an answer cut by the token limit",
        Quality::Paused => "an answer that asks to be continued",
        Quality::SuspiciouslyShort => "a scrap of an answer",
        Quality::Refusal => "a refusal",
        Quality::Filtered => "an answer that a content filter cut",
        Quality::MalformedToolCall => "a tool call that cannot be run",
        Quality::SchemaMismatch => "an answer in another form than it asked for",
        Quality::Degenerate => "a garbled answer",
        Quality::Interrupted => "half an answer",
    }
}

/// What a failure is to a plain client.
fn error(row: &CallRecord) -> String {
    let kind = row.error_kind.as_deref().unwrap_or("unknown");
    match (kind, row.http_status) {
        ("timeout_first_byte" | "timeout_idle" | "timeout_total", _) => "have been left waiting".to_owned(),
        ("stream_interrupted", _) => "have been given half an answer".to_owned(),
        ("unknown_finish_reason", _) => {
            let word = row.finish_reason_raw.as_deref().unwrap_or("unknown");
            format!("have been given an answer that ended with {word:?}, a word nobody knows")
        }
        ("malformed_tool_call", Some(200)) => "have been given a tool call that cannot be run".to_owned(),
        ("content_filtered", Some(200)) => "have been given an answer that a content filter cut".to_owned(),
        ("invalid_response", Some(200)) => "have been given a 200 that cannot be read".to_owned(),
        (kind, Some(200)) => format!("have been given a 200 with an error inside ({kind})"),
        (kind, Some(status)) => format!("have been given an error ({kind}, HTTP {status})"),
        (kind, None) => format!("have been given an error ({kind})"),
    }
}
