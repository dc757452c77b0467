//! Hourly totals, kept in step with the rows: written in the same transaction.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use mainstay_calllog::{CallRecord, HourKey, HourSum};
use mainstay_canon::Nanodollars;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::rows::{Cells, whole};

/// The columns that name a line of `llm_hours`, in order.
pub(crate) const KEY: &str = "hour, chain, tier, user_id, key_name, label";

/// What a row of `llm_calls` has for [`KEY`].
pub(crate) const KEY_OF_A_CALL: &str = "ts - (ts % 3600000000 + 3600000000) % 3600000000, chain, coalesce(tier, ''), \
     coalesce(user_id, ''), coalesce(key_name, ''), coalesce(label, '')";

/// The start of the hour of a row of `llm_calls`, before the epoch too.
pub(crate) const HOUR_OF_A_CALL: &str = "ts - (ts % 3600000000 + 3600000000) % 3600000000";

/// The sums of `llm_hours`, in the order of [`values`] and [`read`]: each column, and what a row of
/// `llm_calls` adds to it.
pub(crate) const SUMS: [(&str, &str); 17] = [
    ("attempts", "outcome <> 'skipped'"),
    ("skipped", "outcome = 'skipped'"),
    ("ok", "outcome = 'ok'"),
    ("quality", "outcome = 'quality'"),
    ("errors", "outcome = 'error'"),
    ("aborted", "outcome = 'aborted'"),
    ("first_ok", "outcome = 'ok' AND attempt IS 1 AND rescued = 0"),
    ("rescued", "rescued"),
    ("unpriced", "cost_nanousd IS NULL"),
    ("prompt_tokens", "coalesce(prompt_tokens, 0)"),
    ("completion_tokens", "coalesce(completion_tokens, 0)"),
    ("cached_tokens", "coalesce(cached_tokens, 0)"),
    ("cache_write_tokens", "coalesce(cache_write_tokens, 0)"),
    ("reasoning_tokens", "coalesce(reasoning_tokens, 0)"),
    ("cost_nanousd", "coalesce(cost_nanousd, 0)"),
    ("wasted_nanousd", "CASE WHEN released OR outcome = 'ok' THEN 0 ELSE coalesce(cost_nanousd, 0) END"),
    ("latency_ms", "latency_ms"),
];

/// Adds to a line, or starts it. Sums stop at the largest number rather than become a float, which a
/// strict table refuses.
static UPSERT: LazyLock<String> = LazyLock::new(|| {
    let mut sql = format!("INSERT INTO llm_hours ({KEY}");
    for (column, _) in SUMS {
        let _ = write!(sql, ", {column}");
    }
    sql.push_str(") VALUES (?1, ?2, ?3, ?4, ?5, ?6");
    for place in 7..7 + SUMS.len() {
        let _ = write!(sql, ", ?{place}");
    }
    let _ = write!(sql, ") ON CONFLICT ({KEY}) DO UPDATE SET ");
    for (place, (column, _)) in SUMS.iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let _ = write!(
            sql,
            "{comma}{column} = CASE WHEN {column} > {max} - excluded.{column} AND excluded.{column} > 0 \
             THEN {max} ELSE {column} + excluded.{column} END",
            max = i64::MAX
        );
    }
    sql
});

/// Totals of one batch, by hour and name.
#[derive(Debug, Default)]
pub(super) struct Hours(HashMap<HourKey, HourSum>);

impl Hours {
    /// Counts a row.
    pub(super) fn add(&mut self, row: &CallRecord) {
        self.0.entry(HourKey::of(row)).or_default().add(row);
    }

    /// Adds the batch to the table.
    pub(super) fn write(self, db: &Connection) -> rusqlite::Result<()> {
        let mut upsert = db.prepare_cached(&UPSERT)?;
        for (key, sum) in self.0 {
            let key = [
                Value::Integer(key.hour.micros()),
                Value::Text(key.chain),
                Value::Text(key.tier),
                Value::Text(key.user_id),
                Value::Text(key.key_name),
                Value::Text(key.label),
            ];
            upsert.execute(params_from_iter(key.into_iter().chain(values(&sum).map(Value::Integer))))?;
        }
        Ok(())
    }
}

/// The sums in the order of [`SUMS`].
fn values(sum: &HourSum) -> [i64; 17] {
    [
        whole(sum.attempts),
        whole(sum.skipped),
        whole(sum.ok),
        whole(sum.quality),
        whole(sum.errors),
        whole(sum.aborted),
        whole(sum.first_ok),
        whole(sum.rescued),
        whole(sum.unpriced),
        whole(sum.prompt_tokens),
        whole(sum.completion_tokens),
        whole(sum.cached_tokens),
        whole(sum.cache_write_tokens),
        whole(sum.reasoning_tokens),
        sum.cost.nanos(),
        sum.wasted.nanos(),
        whole(sum.latency_ms),
    ]
}

/// Reads the sums in the order of [`SUMS`].
pub(crate) fn read(cells: &mut Cells<'_, '_>) -> rusqlite::Result<HourSum> {
    let mut count = || -> rusqlite::Result<u64> { Ok(cells.count()?.unwrap_or(0)) };
    Ok(HourSum {
        attempts: count()?,
        skipped: count()?,
        ok: count()?,
        quality: count()?,
        errors: count()?,
        aborted: count()?,
        first_ok: count()?,
        rescued: count()?,
        unpriced: count()?,
        prompt_tokens: count()?,
        completion_tokens: count()?,
        cached_tokens: count()?,
        cache_write_tokens: count()?,
        reasoning_tokens: count()?,
        cost: amount(cells)?,
        wasted: amount(cells)?,
        latency_ms: cells.count()?.unwrap_or(0),
    })
}

/// A sum over no lines is NULL.
fn amount(cells: &mut Cells<'_, '_>) -> rusqlite::Result<Nanodollars> {
    Ok(Nanodollars::from_nanos(cells.get::<Option<i64>>()?.unwrap_or(0)))
}
