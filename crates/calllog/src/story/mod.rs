//! The story of one request in plain words, told from its rows alone.
//!
//! A story says only what the rows show. A request that is still running reads like one that was
//! not answered, because so far it was not.

mod ending;
mod print;
mod words;

use jiff::tz::TimeZone;
use mainstay_canon::{Cost, Moment, Nanodollars, Outcome};
use serde::Serialize;

use crate::CallRecord;

pub use ending::Ending;

/// What happened to one request. `Display` prints it as `mainstay why` does, without a last newline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Story {
    /// Our id of the request.
    pub request_id: String,
    /// The caller's own id of it.
    pub client_request_id: Option<String>,
    /// When it began, as microseconds since the Unix epoch.
    pub ts: Moment,
    /// The chain it walked.
    pub chain: String,
    /// The end user.
    pub user_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The virtual key's name.
    pub key_name: Option<String>,
    /// The label.
    pub label: Option<String>,
    /// Calls and passed-over tiers, in order.
    pub attempts: Vec<StoryLine>,
    /// How it ended.
    pub ending: Ending,
    /// The attempt whose answer, or last part of it, the caller was given.
    pub answered_by: Option<u32>,
    /// How many calls reached a provider.
    pub upstream_calls: usize,
    /// From the first wait or call to the end of the last, in ms.
    pub elapsed_ms: u64,
    /// The sum of all costs that are known.
    pub cost_nanousd: Nanodollars,
    /// The part of it for which the caller was given nothing.
    pub wasted_nanousd: Nanodollars,
    /// How many calls have no known cost.
    pub unpriced: usize,
    /// How it ended, in a sentence.
    pub summary: String,
    /// What it cost, in a sentence.
    pub bill: String,
    /// What would have happened without Mainstay, in a sentence, where that differs.
    pub without: Option<String>,
    #[serde(skip)]
    zone: TimeZone,
    #[serde(skip)]
    seen_from: Option<Moment>,
}

/// One call or passed-over tier of a story.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoryLine {
    /// Counts upstream calls from 1; `None` when the tier was passed over.
    pub attempt: Option<u32>,
    /// The tier; `None` where the request was refused before any.
    pub tier: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// HTTP status of the provider's reply.
    pub http_status: Option<u16>,
    /// From sending to the end, in ms.
    pub latency_ms: u64,
    /// The wait before it, in ms.
    pub wait_ms: u64,
    /// What came of it, in a few words.
    pub text: String,
    /// What it cost.
    #[serde(serialize_with = "nanos_or_null", rename = "cost_nanousd")]
    pub cost: Cost,
    /// Whether anything of it reached the caller.
    pub released: bool,
    /// Remarks.
    pub note: Option<String>,
}

fn nanos_or_null<S: serde::Serializer>(cost: &Cost, serializer: S) -> Result<S::Ok, S::Error> {
    cost.known().serialize(serializer)
}

/// Tells the story of one request from all its rows, in any order; moments are shown in `tz`.
pub fn story(rows: &[CallRecord], tz: &TimeZone) -> Story {
    let mut rows: Vec<&CallRecord> = rows.iter().collect();
    rows.sort_by_key(|row| (row.ts, row.id));
    let rows = rows.as_slice();
    let first = rows.first().copied();
    let text = |pick: fn(&CallRecord) -> &Option<String>| rows.iter().find_map(|row| pick(row).clone());
    let (ending, answered_by) = ending::of(rows);
    let elapsed_ms = elapsed_ms(rows);
    Story {
        request_id: first.map(|row| row.request_id.clone()).unwrap_or_default(),
        client_request_id: text(|row| &row.client_request_id),
        ts: first.map(|row| row.ts).unwrap_or_default(),
        chain: first.map(|row| row.chain.clone()).unwrap_or_default(),
        user_id: text(|row| &row.user_id),
        session_id: text(|row| &row.session_id),
        key_name: text(|row| &row.key_name),
        label: text(|row| &row.label),
        attempts: words::lines(rows),
        ending,
        answered_by,
        upstream_calls: rows.iter().filter(|row| row.attempt.is_some()).count(),
        elapsed_ms,
        cost_nanousd: known_costs(rows, |_| true),
        wasted_nanousd: known_costs(rows, |row| !row.is_handed_over()),
        unpriced: rows.iter().filter(|row| row.cost == Cost::Unknown).count(),
        summary: ending::summary(rows, ending, answered_by, elapsed_ms),
        bill: ending::bill(rows),
        without: ending::without(rows, ending),
        zone: tz.clone(),
        seen_from: None,
    }
}

impl Story {
    /// Says when the story is read: one of the same day is then printed with its time alone.
    pub fn seen_from(mut self, now: Moment) -> Self {
        self.seen_from = Some(now);
        self
    }
}

/// From the beginning of the first wait or call to the end of the last call.
fn elapsed_ms(rows: &[&CallRecord]) -> u64 {
    let micros = |ms: u64| i64::try_from(ms.saturating_mul(1000)).unwrap_or(i64::MAX);
    let start = rows.iter().map(|row| row.ts.micros().saturating_sub(micros(row.wait_ms))).min();
    let end = rows.iter().map(|row| row.ts.micros().saturating_add(micros(row.latency_ms))).max();
    let span = end.unwrap_or(0).saturating_sub(start.unwrap_or(0));
    u64::try_from(span / 1000).unwrap_or(0)
}

/// The sum of what is known of these rows' costs.
fn known_costs(rows: &[&CallRecord], of: impl Fn(&CallRecord) -> bool) -> Nanodollars {
    rows.iter().filter(|row| of(row)).filter_map(|row| row.cost.known()).sum()
}

#[cfg(test)]
mod tests;
