//! Money and counts over many rows, from hourly totals that are kept for good.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mainstay_calllog::{HourKey, HourSum, SpendBy, SpendRow};
use mainstay_canon::Moment;
use rusqlite::{Connection, params};

use super::LogReader;
use crate::error::ReadError;
use crate::sqlite::hours::{self, SUMS};
use crate::sqlite::rows::Cells;

/// Most names that are listed, the costliest first.
const MOST: usize = 10_000;

impl LogReader {
    /// What was spent since a moment (from the first row on when `None`), by day, user and so on: days in
    /// order, names by cost, at most the 10,000 costliest. Sessions only as far back as rows are kept; the
    /// hour in which `since` lies is counted from rows, too. Days are those of `tz`; in a zone that is off
    /// by less than an hour, an hour counts to the day in which it starts.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn spend(
        &self,
        by: SpendBy,
        since: Option<Moment>,
        tz: &TimeZone,
    ) -> Result<Vec<SpendRow>, ReadError> {
        self.ask(|db| match by {
            SpendBy::Day => days(db, since, tz),
            SpendBy::User => names(db, &both("user_id"), since),
            SpendBy::Tier => names(db, &both("tier"), since),
            SpendBy::Key => names(db, &both("key_name"), since),
            SpendBy::Label => names(db, &both("label"), since),
            SpendBy::Session => names(db, &from_rows("session_id", "ts >= ?1 AND ?1 <= ?2"), since),
        })
    }

    /// All sums since a moment; from the first row on when `None`.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn totals(&self, since: Option<Moment>) -> Result<HourSum, ReadError> {
        self.ask(|db| {
            let sql = format!("SELECT {} FROM ({})", totals_of(), both("chain"));
            let [start, whole_hour] = bounds(since);
            Ok(db
                .prepare_cached(&sql)?
                .query_row([start, whole_hour], |row| hours::read(&mut Cells::of(row)))?)
        })
    }

    /// The sums of each hour since a moment that has any, in order: for charts. An hour is named by its
    /// start, and counted whole.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn hours(&self, since: Option<Moment>) -> Result<Vec<(Moment, HourSum)>, ReadError> {
        let sql = format!(
            "SELECT hour, {} FROM llm_hours WHERE hour >= ?1 GROUP BY hour ORDER BY hour",
            totals_of()
        );
        let since = since.map_or(i64::MIN, |since| HourKey::hour_of(since).micros());
        self.ask(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let sums = statement.query_map([since], |row| {
                let mut cells = Cells::of(row);
                Ok((cells.moment()?, hours::read(&mut cells)?))
            })?;
            Ok(sums.collect::<Result<_, _>>()?)
        })
    }
}

/// `since` itself, and the start of the first whole hour after it.
fn bounds(since: Option<Moment>) -> [i64; 2] {
    let Some(since) = since else { return [i64::MIN; 2] };
    let hour = HourKey::hour_of(since).micros();
    let whole = if hour == since.micros() { hour } else { hour.saturating_add(HourKey::MICROS) };
    [since.micros(), whole]
}

/// Whole hours from the totals, the part of an hour before them (`?1` to `?2`) from rows.
fn both(name: &str) -> String {
    let sums = SUMS.map(|(sum, _)| sum).join(", ");
    let part = from_rows(name, "ts >= ?1 AND ts < ?2");
    format!("SELECT {name} AS name, hour, {sums} FROM llm_hours WHERE hour >= ?2 UNION ALL {part}")
}

/// What each row adds, from rows alone.
fn from_rows(name: &str, condition: &str) -> String {
    let sums = SUMS.map(|(sum, of_a_call)| format!("{of_a_call} AS {sum}")).join(", ");
    format!(
        "SELECT coalesce({name}, '') AS name, {hour} AS hour, {sums} FROM llm_calls WHERE {condition}",
        hour = hours::HOUR_OF_A_CALL
    )
}

/// The sums in the order in which they are read.
fn totals_of() -> String {
    SUMS.map(|(sum, _)| format!("sum({sum})")).join(", ")
}

fn names(db: &Connection, from: &str, since: Option<Moment>) -> Result<Vec<SpendRow>, ReadError> {
    let sql = format!(
        "SELECT name, {} FROM ({from}) GROUP BY name ORDER BY sum(cost_nanousd) DESC, name LIMIT {MOST}",
        totals_of()
    );
    let [start, whole_hour] = bounds(since);
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params![start, whole_hour], |row| {
        let mut cells = Cells::of(row);
        let mut spend = SpendRow::named(cells.get::<String>()?);
        spend.add(&hours::read(&mut cells)?);
        Ok(spend)
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Hours, put into the days of a zone.
fn days(db: &Connection, since: Option<Moment>, tz: &TimeZone) -> Result<Vec<SpendRow>, ReadError> {
    let sql = format!("SELECT hour, {} FROM ({}) GROUP BY hour", totals_of(), both("chain"));
    let [start, whole_hour] = bounds(since);
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query([start, whole_hour])?;
    let mut days: BTreeMap<String, SpendRow> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let mut cells = Cells::of(row);
        let hour = Timestamp::from_microsecond(cells.get()?).unwrap_or(Timestamp::UNIX_EPOCH);
        let day = tz.to_datetime(hour).date().to_string();
        days.entry(day.clone()).or_insert_with(|| SpendRow::named(day)).add(&hours::read(&mut cells)?);
    }
    Ok(days.into_values().collect())
}
