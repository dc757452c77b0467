//! Rows of the log.

use mainstay_calllog::{CallFilter, CallId, CallRecord};
use mainstay_canon::{Moment, Outcome, Quality};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, params_from_iter};

use super::LogReader;
use crate::error::ReadError;
use crate::sqlite::rows::{self, STORED, WITH_A_STORY};

/// Most rows that are given at once.
const MOST: usize = 100_000;

impl LogReader {
    /// The rows that are wanted, newest first: as many as the filter's limit says, at most 100,000.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn calls(&self, filter: &CallFilter) -> Result<Vec<CallRecord>, ReadError> {
        let mut found = Vec::new();
        let limit = filter.limit.unwrap_or(MOST).min(MOST);
        self.select(filter, "DESC", Some(limit), |row| found.push(row))?;
        Ok(found)
    }

    /// Shows each row that is wanted, oldest first, one after the other: for more rows than fit into
    /// memory. The filter's limit does not count.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn each_call(&self, filter: &CallFilter, show: impl FnMut(CallRecord)) -> Result<(), ReadError> {
        self.select(filter, "ASC", None, show)
    }

    /// All rows of one request, by our id of it or by the caller's own, oldest first. Where several
    /// requests came with the caller's id, those of the newest.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn request(&self, id: &str) -> Result<Vec<CallRecord>, ReadError> {
        let filter = CallFilter { request: Some(id.to_owned()), ..CallFilter::default() };
        let mut rows = self.calls(&filter)?;
        let Some(ours) = rows.first().map(|newest| newest.request_id.clone()) else { return Ok(rows) };
        rows.retain(|row| row.request_id == ours);
        rows.reverse();
        Ok(rows)
    }

    /// All rows of the newest request that was not a first-try ok, oldest first; none when there is no
    /// such request.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn last_interesting(&self) -> Result<Vec<CallRecord>, ReadError> {
        let newest = format!(
            "SELECT request_id FROM llm_calls WHERE {WITH_A_STORY} ORDER BY ts DESC, id DESC LIMIT 1"
        );
        let id: Option<String> =
            self.ask(|db| Ok(db.prepare_cached(&newest)?.query_row([], |row| row.get(0)).optional()?))?;
        id.map_or_else(|| Ok(Vec::new()), |id| self.request(&id))
    }

    /// The captured prompt and answer of a row, where capture was on.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub fn text(&self, id: CallId) -> Result<Option<(String, String)>, ReadError> {
        let sql = "SELECT prompt, answer FROM llm_texts WHERE id = ?1";
        self.ask(|db| {
            Ok(db
                .prepare_cached(sql)?
                .query_row([id.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?)
        })
    }

    fn select(
        &self,
        filter: &CallFilter,
        order: &str,
        limit: Option<usize>,
        mut show: impl FnMut(CallRecord),
    ) -> Result<(), ReadError> {
        let (conditions, mut values) = conditions(filter);
        let mut sql =
            format!("SELECT {} FROM llm_calls WHERE {conditions} ORDER BY ts {order}, id {order}", *STORED);
        if let Some(limit) = limit {
            sql.push_str(" LIMIT ?");
            values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
        }
        self.ask(|db| {
            let mut statement = db.prepare_cached(&sql)?;
            let mut found = statement.query(params_from_iter(values))?;
            while let Some(row) = found.next()? {
                show(rows::read(row)?);
            }
            Ok(())
        })
    }
}

/// The filter in SQL's words, the same as [`CallFilter::matches`] says.
fn conditions(filter: &CallFilter) -> (String, Vec<Value>) {
    let mut words = vec!["1"];
    let mut values = Vec::new();
    let texts = [
        ("user_id = ?", &filter.user),
        ("session_id = ?", &filter.session),
        ("key_name = ?", &filter.key),
        ("label = ?", &filter.label),
        ("chain = ?", &filter.chain),
        ("tier = ?", &filter.tier),
    ];
    for (condition, text) in texts {
        if let Some(text) = text {
            words.push(condition);
            values.push(Value::Text(text.clone()));
        }
    }
    if let Some(request) = &filter.request {
        words.push("(request_id = ? OR client_request_id = ?)");
        values.extend([Value::Text(request.clone()), Value::Text(request.clone())]);
    }
    let closed = [
        ("quality = ?", filter.quality.map(Quality::word)),
        ("outcome = ?", filter.outcome.map(Outcome::word)),
    ];
    for (condition, word) in closed {
        if let Some(word) = word {
            words.push(condition);
            values.push(Value::Text(word.to_owned()));
        }
    }
    let moments = [("ts >= ?", filter.since), ("ts < ?", filter.until)];
    for (condition, moment) in moments {
        if let Some(moment) = moment.map(Moment::micros) {
            words.push(condition);
            values.push(Value::Integer(moment));
        }
    }
    (words.join(" AND "), values)
}
