//! Between a [`CallRecord`] and a row of `llm_calls`.

use std::fmt::Write as _;
use std::sync::LazyLock;

use mainstay_calllog::{COLUMNS, CallRecord};
use mainstay_canon::{Cost, FinishReason, Moment, Nanodollars, Outcome, Quality};
use rusqlite::types::{FromSql, Type};
use rusqlite::{CachedStatement, Connection, Row, params};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as WordError, StrDeserializer};

/// The columns that are stored, in their order: all but the computed one.
pub(crate) static STORED: LazyLock<String> = LazyLock::new(|| {
    let stored: Vec<&str> = COLUMNS.into_iter().filter(|column| *column != "cost_usd").collect();
    stored.join(", ")
});

/// Rows that are more than a first try that was fine. The same words as in the index
/// `llm_calls_with_a_story`, so that SQLite uses it.
pub(crate) const WITH_A_STORY: &str = "NOT (outcome = 'ok' AND attempt IS 1 AND rescued = 0)";

/// A statement that puts a row into this table unless its id is there already.
pub(crate) fn insertion<'db>(db: &'db Connection, table: &str) -> rusqlite::Result<CachedStatement<'db>> {
    let mut sql = format!("INSERT OR IGNORE INTO {table} ({}) VALUES (", *STORED);
    for place in 1..COLUMNS.len() {
        let comma = if place == 1 { "" } else { ", " };
        // Writing to a String does not fail.
        let _ = write!(sql, "{comma}?{place}");
    }
    sql.push(')');
    db.prepare_cached(&sql)
}

/// Puts a row in; whether it was new.
pub(crate) fn insert(insertion: &mut CachedStatement<'_>, row: &CallRecord) -> rusqlite::Result<bool> {
    let count = insertion.execute(params![
        row.id.to_string(),
        row.ts.micros(),
        row.request_id,
        row.client_request_id,
        row.session_id,
        row.user_id,
        row.key_name,
        row.label,
        row.chain,
        row.tier,
        row.provider,
        row.model,
        row.attempt,
        row.tier_attempt,
        row.stream,
        row.outcome.word(),
        row.quality.map(Quality::word),
        row.finish_reason.map(FinishReason::word),
        row.finish_reason_raw,
        row.error_kind,
        row.http_status,
        row.prompt_tokens.map(whole),
        row.completion_tokens.map(whole),
        row.cached_tokens.map(whole),
        row.cache_write_tokens.map(whole),
        row.reasoning_tokens.map(whole),
        row.tokens_estimated,
        row.cost.known().map(Nanodollars::nanos),
        whole(row.latency_ms),
        row.ttft_ms.map(whole),
        whole(row.wait_ms),
        row.released,
        row.rescued,
        row.provider_request_id,
        row.trace_id,
        row.note,
        row.detail,
    ])?;
    Ok(count > 0)
}

/// SQLite's integers have a sign.
pub(crate) fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Reads a row of the [`STORED`] columns.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<CallRecord> {
    let mut cells = Cells { row, next: 0 };
    Ok(CallRecord {
        id: cells.word(|id| id.parse().ok())?,
        ts: cells.moment()?,
        request_id: cells.get()?,
        client_request_id: cells.get()?,
        session_id: cells.get()?,
        user_id: cells.get()?,
        key_name: cells.get()?,
        label: cells.get()?,
        chain: cells.get()?,
        tier: cells.get()?,
        provider: cells.get()?,
        model: cells.get()?,
        attempt: cells.get()?,
        tier_attempt: cells.get()?,
        stream: cells.get()?,
        outcome: cells.word(Outcome::from_word)?,
        quality: cells.optional_word(Quality::from_word)?,
        finish_reason: cells.optional_word(finish_reason)?,
        finish_reason_raw: cells.get()?,
        error_kind: cells.get()?,
        http_status: cells.get()?,
        prompt_tokens: cells.count()?,
        completion_tokens: cells.count()?,
        cached_tokens: cells.count()?,
        cache_write_tokens: cells.count()?,
        reasoning_tokens: cells.count()?,
        tokens_estimated: cells.get()?,
        cost: cells
            .get::<Option<i64>>()?
            .map_or(Cost::Unknown, |nanos| Cost::Known(Nanodollars::from_nanos(nanos))),
        latency_ms: cells.count()?.unwrap_or(0),
        ttft_ms: cells.count()?,
        wait_ms: cells.count()?.unwrap_or(0),
        released: cells.get()?,
        rescued: cells.get()?,
        provider_request_id: cells.get()?,
        trace_id: cells.get()?,
        note: cells.get()?,
        detail: cells.get()?,
    })
}

/// The ending of that word, by the names that its JSON form has.
fn finish_reason(word: &str) -> Option<FinishReason> {
    let word: StrDeserializer<'_, WordError> = word.into_deserializer();
    FinishReason::deserialize(word).ok()
}

/// Reads a row's cells from left to right.
pub(crate) struct Cells<'a, 'db> {
    row: &'a Row<'db>,
    next: usize,
}

impl<'a, 'db> Cells<'a, 'db> {
    /// Starts at the first cell.
    pub(crate) const fn of(row: &'a Row<'db>) -> Self {
        Self { row, next: 0 }
    }

    /// The next cell.
    pub(crate) fn get<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let index = self.next;
        self.next = index.saturating_add(1);
        self.row.get(index)
    }

    /// The next cell, a count; what is below zero counts as nothing.
    pub(crate) fn count(&mut self) -> rusqlite::Result<Option<u64>> {
        Ok(self.get::<Option<i64>>()?.map(|count| u64::try_from(count).unwrap_or(0)))
    }

    /// The next cell, a moment.
    pub(crate) fn moment(&mut self) -> rusqlite::Result<Moment> {
        Ok(Moment::from_micros(self.get()?))
    }

    /// The next cell, an amount.
    pub(crate) fn amount(&mut self) -> rusqlite::Result<Nanodollars> {
        Ok(Nanodollars::from_nanos(self.get()?))
    }

    /// The next cell, one word of a closed set.
    pub(crate) fn word<T>(&mut self, meaning: impl FnOnce(&str) -> Option<T>) -> rusqlite::Result<T> {
        let index = self.next;
        let word: String = self.get()?;
        meaning(&word).ok_or_else(|| unknown_word(index, &word))
    }

    /// The next cell, one word of a closed set or nothing.
    fn optional_word<T>(&mut self, meaning: impl FnOnce(&str) -> Option<T>) -> rusqlite::Result<Option<T>> {
        let index = self.next;
        let Some(word) = self.get::<Option<String>>()? else { return Ok(None) };
        meaning(&word).map(Some).ok_or_else(|| unknown_word(index, &word))
    }
}

/// A word of a closed set that this version does not know.
fn unknown_word(index: usize, word: &str) -> rusqlite::Error {
    let text = format!("the word {word:?} is not known to this version");
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, text.into())
}
