//! SQL that somebody typed: one statement, which can read and nothing else.
//!
//! Three walls, each enough by itself: the connection is opened for reading alone, an authorizer refuses
//! all but reading, and the statement is asked whether it would write. Time, rows and bytes have limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use serde::Serialize;

use super::{LogReader, TIME_LIMIT, limit_time, too_slow, view};
use crate::error::ReadError;
use crate::sqlite;

/// Longest statement, in bytes.
const LONGEST: i32 = 100_000;
/// Largest single value, in bytes.
const LARGEST_VALUE: i32 = 16 << 20;
/// Most bytes of one answer; more is cut off, and said so.
const MOST_BYTES: usize = 64 << 20;

/// What a statement gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SqlTable {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows, each as wide as there are columns.
    pub rows: Vec<Vec<SqlValue>>,
    /// Whether there would have been more.
    pub truncated: bool,
}

/// One value. As JSON: null, a number, a text; bytes as hex digits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SqlValue {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Any number.
    Real(f64),
    /// Text; also bytes, as hex digits.
    Text(String),
}

impl LogReader {
    /// Runs one statement that somebody typed, over the tables `llm_calls`, `llm_hours` and so on. Gives
    /// at most `limit` rows and 64 MB, within ten seconds.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotReadOnly`] when it would do anything but read, [`ReadError::TooSlow`] when it takes
    /// too long, [`ReadError::Sqlite`] when it is wrong.
    pub fn sql(&self, text: &str, limit: usize) -> Result<SqlTable, ReadError> {
        // A connection of its own: what is typed leaves no trace in the others.
        let mut db = sqlite::open_reader(&self.inner.path)?;
        // The snapshot belongs to the connection, and ends with it.
        view::View::begin(&db, &self.inner.journal)?;
        let refused = Arc::new(AtomicBool::new(false));
        lock_down(&mut db, Arc::clone(&refused))?;
        let answer = run(&db, text, limit).map_err(too_slow);
        answer.map_err(|error| not_read_only(error, refused.load(Ordering::Relaxed)))
    }
}

/// Limits what the connection can do, and says in `refused` when something was asked beyond that.
fn lock_down(db: &mut Connection, refused: Arc<AtomicBool>) -> rusqlite::Result<()> {
    limit_time(db, TIME_LIMIT)?;
    db.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LARGEST_VALUE)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.authorizer(Some(move |asked: AuthContext<'_>| {
        if is_reading(&asked.action) {
            return Authorization::Allow;
        }
        refused.store(true, Ordering::Relaxed);
        Authorization::Deny
    }))
}

/// Everything that is not reading is refused, and what nobody has thought of, too.
fn is_reading(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => !function_name.eq_ignore_ascii_case("load_extension"),
        _ => false,
    }
}

fn run(db: &Connection, text: &str, limit: usize) -> Result<SqlTable, ReadError> {
    let mut statement = db.prepare(text)?;
    if !statement.readonly() {
        return Err(ReadError::NotReadOnly("the statement would write".to_owned()));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut table = SqlTable { columns, ..SqlTable::default() };
    let mut bytes = 0_usize;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if table.rows.len() >= limit || bytes > MOST_BYTES {
            table.truncated = true;
            break;
        }
        let mut values = Vec::with_capacity(table.columns.len());
        for index in 0..table.columns.len() {
            let value = SqlValue::of(row.get_ref(index)?);
            bytes = bytes.saturating_add(value.size());
            values.push(value);
        }
        table.rows.push(values);
    }
    Ok(table)
}

/// Says in our words that the authorizer refused, or that there was more than one statement.
fn not_read_only(error: ReadError, refused: bool) -> ReadError {
    match error {
        ReadError::Sqlite(rusqlite::Error::MultipleStatement) => {
            ReadError::NotReadOnly("there is more than one".to_owned())
        }
        // What SQLite says of a view before it asks the authorizer.
        ReadError::Sqlite(inner) if refused || inner.to_string().starts_with("cannot modify ") => {
            ReadError::NotReadOnly(inner.to_string())
        }
        other => other,
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value| char::from_digit(u32::from(value), 16).unwrap_or('?');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl SqlValue {
    fn of(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Self::Text(hex(bytes)),
        }
    }

    fn size(&self) -> usize {
        let held = match self {
            Self::Text(text) => text.len(),
            Self::Null | Self::Integer(_) | Self::Real(_) => 0,
        };
        held.saturating_add(size_of::<Self>())
    }
}
