//! SQLite behind the journal: one connection writes, others read.

mod apply;
mod health;
pub(crate) mod hours;
mod ledger;
mod migrate;
mod recover;
pub(crate) mod rows;
mod sweep;

use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_canon::Moment;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

pub(crate) use migrate::check as check_schema;
pub(crate) use recover::Kept;

use crate::entry::Entry;
use crate::error::StoreError;
use crate::journal::Position;
use crate::sink::{Sink, SinkError, Sweep, Swept, Taken};

/// How long a connection waits for another one's lock before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Prepared statements that are kept.
const STATEMENTS: usize = 32;

/// The writing end of a SQLite store.
#[derive(Debug)]
pub(crate) struct Sqlite {
    db: Connection,
    path: PathBuf,
    fsync: bool,
    file: Option<FileId>,
}

impl Sqlite {
    /// Opens the database for writing, makes it if it is not there, and brings its schema up to date.
    pub(crate) fn open(path: &Path, fsync: bool, now: Moment) -> Result<Self, StoreError> {
        let sqlite = |source| StoreError::Sqlite { path: path.to_owned(), source };
        make_file(path).map_err(|source| StoreError::Io { path: path.to_owned(), source })?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut db = Connection::open_with_flags(path, flags).map_err(sqlite)?;
        set_up(&db, fsync).map_err(sqlite)?;
        migrate::migrate(&mut db, path, now)?;
        Ok(Self { db, path: path.to_owned(), fsync, file: file_id(path) })
    }

    /// Up to where the journal has been taken.
    pub(crate) fn taken(&self) -> Result<Position, StoreError> {
        taken(&self.db).map_err(|source| self.failed(source))
    }

    /// What was kept of money and health.
    pub(crate) fn kept(&self) -> Result<Kept, StoreError> {
        recover::kept(&self.db).map_err(|source| self.failed(source))
    }

    fn take_batch(&mut self, entries: &[Entry], upto: Position) -> rusqlite::Result<Taken> {
        let step = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let taken = apply::apply(&step, entries)?;
        set_taken(&step, upto)?;
        step.commit()?;
        Ok(taken)
    }

    fn failed(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Sqlite { path: self.path.clone(), source }
    }

    /// Starts a new database where the old one's file was moved or deleted under us: rows written to a
    /// file without a name would be gone with the process.
    fn reopen_if_moved(&mut self, now: Moment) -> Result<(), StoreError> {
        if self.file.is_none() || file_id(&self.path) == self.file {
            return Ok(());
        }
        tracing::warn!(path = %self.path.display(), "the database was moved or deleted while in use; a new one is begun");
        *self = Self::open(&self.path, self.fsync, now)?;
        Ok(())
    }
}

impl Sink for Sqlite {
    fn take(&mut self, entries: &[Entry], upto: Position) -> Result<Taken, SinkError> {
        // A new database says when it was made; the newest row is near enough.
        let newest = entries.iter().rev().find_map(|entry| match entry {
            Entry::Call(row) => Some(row.ts),
            Entry::Reserved(_)
            | Entry::Settled(_)
            | Entry::Released(_)
            | Entry::Margin { .. }
            | Entry::Text { .. }
            | Entry::Health(_)
            | Entry::StaticSwitch(_) => None,
        });
        self.reopen_if_moved(newest.unwrap_or_default()).map_err(|error| SinkError(error.to_string()))?;
        self.take_batch(entries, upto).map_err(|error| SinkError(error.to_string()))
    }

    fn sweep(&mut self, sweep: &Sweep) -> Result<Swept, SinkError> {
        sweep::step(&mut self.db, sweep).map_err(|error| SinkError(error.to_string()))
    }

    fn finish(&mut self) {
        let finished = self.db.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);");
        if let Err(error) = finished {
            tracing::debug!(%error, "the database was closed without a checkpoint");
        }
    }
}

/// Makes an empty file that only its owner can read; SQLite's helper files take over its mode.
fn make_file(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn set_up(db: &Connection, fsync: bool) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    // Before the first table, else it has no effect: lets a swept database shrink.
    db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // In WAL mode NORMAL loses nothing to `kill -9`; FULL loses nothing to a power cut.
    db.pragma_update(None, "synchronous", if fsync { "FULL" } else { "NORMAL" })?;
    db.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "trusted_schema", false)
}

/// Opens the database for reading alone.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing { path: path.to_owned() });
    }
    let sqlite = |source| StoreError::Sqlite { path: path.to_owned(), source };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    db.busy_timeout(BUSY_TIMEOUT).map_err(sqlite)?;
    db.pragma_update(None, "trusted_schema", false).map_err(sqlite)?;
    check_schema(&db, path)?;
    Ok(db)
}

/// Up to where the journal has been taken.
pub(crate) fn taken(db: &Connection) -> rusqlite::Result<Position> {
    db.prepare_cached("SELECT segment, byte FROM journal_taken")?.query_row([], |row| {
        let number = |index| row.get::<_, i64>(index).map(|number| u64::try_from(number).unwrap_or(0));
        Ok(Position { segment: number(0)?, offset: number(1)? })
    })
}

fn set_taken(db: &Connection, upto: Position) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE journal_taken SET segment = ?1, byte = ?2")?
        .execute([rows::whole(upto.segment), rows::whole(upto.offset)])
        .map(drop)
}

/// Which file a name stands for.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// Elsewhere a file in use cannot be moved or deleted.
#[cfg(not(unix))]
fn file_id(_path: &Path) -> Option<FileId> {
    None
}
