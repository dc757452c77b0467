//! Reads the log: the database, and what waits in the journal for it.
//!
//! What was answered is in the journal before the answer's last byte goes out, and in the database a
//! moment later. A reader looks at both, as one: whether the process that writes lives or is dead, here
//! or elsewhere, a row that was written is seen. Reading needs no ownership and changes nothing.

mod calls;
mod spend;
mod sql;
mod view;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode};

pub use sql::{SqlTable, SqlValue};

use crate::error::{ReadError, StoreError};
use crate::options::{journal_of, sqlite_path};
use crate::sqlite;

/// Connections that are kept for the next question.
const POOL: usize = 4;
/// How long one question may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How often the clock is looked at, in steps of SQLite's machine.
const STEPS: i32 = 10_000;

/// A reader of the log. Cheap to clone; may be used from many threads, and blocks the one it is used from.
#[derive(Clone)]
pub struct LogReader {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    journal: PathBuf,
    pool: Mutex<Vec<Connection>>,
}

impl LogReader {
    /// A reader of the log whose database is this file.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when there is no log, or its schema is not this version's.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let first = sqlite::open_reader(&path)?;
        let journal = journal_of(&path);
        Ok(Self { inner: Arc::new(Inner { path, journal, pool: Mutex::new(vec![first]) }) })
    }

    /// A reader of the log at this address.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the address names no file, there is no log, or its schema is not this version's.
    pub fn open_url(url: &str) -> Result<Self, StoreError> {
        Self::open(sqlite_path(url)?)
    }

    /// The database's file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Asks a question of database and journal together, as they are at this moment.
    fn ask<T>(&self, question: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let kept = self.inner.pool.lock().pop();
        let mut db = match kept {
            Some(db) => db,
            None => sqlite::open_reader(&self.inner.path)?,
        };
        limit_time(&mut db, TIME_LIMIT)?;
        let view = view::View::begin(&db, &self.inner.journal)?;
        let answer = question(&db).map_err(too_slow);
        // A connection that does not end its view is not used again.
        if view.end().is_ok() {
            let mut pool = self.inner.pool.lock();
            if pool.len() < POOL {
                pool.push(db);
            }
        }
        answer
    }
}

/// Stops whatever runs on the connection after so long.
fn limit_time(db: &mut Connection, limit: Duration) -> rusqlite::Result<()> {
    let end = Instant::now() + limit;
    db.progress_handler(STEPS, Some(move || Instant::now() > end))
}

/// Says in words that the time was up.
fn too_slow(error: ReadError) -> ReadError {
    match error {
        ReadError::Sqlite(inner) if inner.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            ReadError::TooSlow { seconds: TIME_LIMIT.as_secs() }
        }
        other => other,
    }
}

impl fmt::Debug for LogReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogReader").field("path", &self.inner.path).finish_non_exhaustive()
    }
}
