//! The store as its users see it: append, wait, read, close.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use mainstay_canon::{Moment, Target};
use mainstay_cost::{Margin, Reserved, Spent};
use mainstay_fallback::{HealthRecord, StaticSwitch};
use parking_lot::Mutex;

use crate::entry::Entry;
use crate::error::{JournalError, StoreError};
use crate::follower::{self, Counts, Shared};
use crate::journal::{Journal, JournalOptions, Position};
use crate::lock::Ownership;
use crate::options::{OnFailure, StoreOptions, journal_of};
use crate::reader::LogReader;
use crate::sink::{Sink as _, Swept};
use crate::sqlite::Sqlite;
use crate::tail::Tail;

/// How long [`Store::close`] waits for the database.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Call log, ledger and health on disk. Cheap to clone; all clones are one store.
///
/// What [`Store::append`] has taken outlives the process, even one that is killed; a database follows.
/// The last clone that is dropped takes along what the database has not taken yet, as far as the
/// database lets it; the rest waits in the journal for the next start.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    path: PathBuf,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Let go of after the thread has ended.
    ownership: Mutex<Option<Ownership>>,
}

/// What a start finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// What was spent in each window of each scope.
    pub spent: Vec<Spent>,
    /// What was set aside for calls of which nobody knows how they ended.
    pub open: Vec<Reserved>,
    /// By how much the worst case of models is raised.
    pub margins: Vec<(Target, Margin)>,
    /// The tiers' health.
    pub health: Vec<HealthRecord>,
    /// The static tier's switch.
    pub static_switch: StaticSwitch,
    /// Entries that a former process had left in the journal.
    pub replayed: u64,
    /// Lines whose end was never written: the process died in the middle, and nobody was told that
    /// they were written.
    pub torn: u64,
    /// Lines that could not be understood; their segments are kept beside the journal as `.kept`.
    pub unreadable: u64,
}

/// How the store is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreStatus {
    /// Entries that the database has not taken yet.
    pub lag: u64,
    /// Bytes of journal that wait for the database.
    pub journal_bytes: u64,
    /// The limit of those.
    pub journal_max: u64,
    /// Entries that could not be written to the journal since the start.
    pub dropped: u64,
    /// Entries that the database refused for good since the start.
    pub rejected: u64,
    /// Lines of the journal that could not be understood since the start.
    pub unreadable: u64,
    /// Rows that were removed since the start.
    pub swept: Swept,
    /// What the database said, while it does not take entries.
    pub last_error: Option<String>,
}

impl Store {
    /// Opens a store, makes it if it is not there, and takes over what a former process left in the
    /// journal. Blocks while it does.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the address is none, another process owns the store, its schema is not
    /// this version's, or its files cannot be read and written.
    pub fn open(options: StoreOptions, now: Moment) -> Result<(Self, Recovered), StoreError> {
        let path = options.path()?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|source| StoreError::Io { path: folder.to_owned(), source })?;
        }
        let ownership = Ownership::take(&path)?;
        let folder = journal_of(&path);
        let io = |source| StoreError::Io { path: folder.clone(), source };
        let mut sqlite = Sqlite::open(&path, options.fsync, now)?;
        let left = sqlite.taken()?;
        let journal_options = JournalOptions { max: options.journal_max, fsync: options.fsync };
        let journal = Journal::open(&folder, left, journal_options).map_err(io)?;
        let mut tail = Tail::new(folder.clone(), left);
        let replayed = replay(&mut sqlite, &journal, &mut tail, left, &path)?;
        let kept = sqlite.kept()?;
        let shared = Arc::new(Shared::new(journal, options, replayed.taken, replayed.counts, now));
        let thread = spawn(&shared, sqlite, tail).map_err(io)?;
        let recovered = Recovered {
            spent: kept.spent,
            open: kept.open,
            margins: kept.margins,
            health: kept.health,
            static_switch: kept.static_switch,
            replayed: replayed.lines,
            torn: replayed.counts.torn,
            unreadable: replayed.counts.unreadable,
        };
        let (thread, ownership) = (Mutex::new(Some(thread)), Mutex::new(Some(ownership)));
        Ok((Self { inner: Arc::new(Inner { shared, path, thread, ownership }) }, recovered))
    }

    /// Writes an entry to the journal with one write; once this returns, the entry outlives the
    /// process (and a power cut, too, with [`StoreOptions::fsync`]). Takes microseconds and waits
    /// for no database.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it was not written: it is counted in [`StoreStatus::dropped`], and what
    /// follows is the caller's decision, by [`Store::on_failure`] for rows of the log.
    pub fn append(&self, entry: &Entry) -> Result<(), JournalError> {
        let shared = &self.inner.shared;
        let result = shared.journal.append(&entry.bounded(), |end| shared.written(end));
        if result.is_err() {
            let mut progress = shared.progress.lock();
            progress.counts.dropped = progress.counts.dropped.saturating_add(1);
        }
        result
    }

    /// Keeps the health of all tiers that are not simply available, in place of what was told before.
    /// A failure is counted and logged: health is worth keeping, not worth failing for.
    pub fn save_health(&self, rows: Vec<HealthRecord>) {
        if let Err(error) = self.append(&Entry::Health(rows)) {
            tracing::warn!(%error, "the tiers' health was not kept");
        }
    }

    /// Keeps the static tier's switch.
    ///
    /// # Errors
    ///
    /// [`JournalError`] when it was not kept: the operator should know that a restart undoes it.
    pub fn save_static_switch(&self, switch: StaticSwitch) -> Result<(), JournalError> {
        self.append(&Entry::StaticSwitch(switch))
    }

    /// What the operator wants to happen when the log cannot be written.
    pub fn on_failure(&self) -> OnFailure {
        self.inner.shared.options.on_failure
    }

    /// Waits until the database has taken everything that was appended before this call; whether it
    /// has in time.
    pub fn flush(&self, timeout: Duration) -> bool {
        self.inner.shared.wait_until_taken(timeout)
    }

    /// Removes what is older or larger than the options allow, as of `now`; `None` when that took
    /// longer. It also happens by itself every ten minutes.
    pub fn sweep(&self, now: Moment, timeout: Duration) -> Option<Swept> {
        let number = self.inner.shared.ask_to_sweep(now);
        self.inner.shared.wait_until_swept(number, timeout)
    }

    /// Reads the log.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be opened for reading.
    pub fn reader(&self) -> Result<LogReader, StoreError> {
        LogReader::open(&self.inner.path)
    }

    /// The database's file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// How the store is.
    pub fn status(&self) -> StoreStatus {
        let shared = &self.inner.shared;
        let journal_bytes = shared.journal.waiting();
        let progress = shared.progress.lock();
        StoreStatus {
            lag: progress.lines_written.saturating_sub(progress.lines_taken),
            journal_bytes,
            journal_max: shared.options.journal_max,
            dropped: progress.counts.dropped,
            rejected: progress.counts.rejected,
            unreadable: progress.counts.unreadable,
            swept: progress.counts.swept,
            last_error: progress.trouble.clone(),
        }
    }

    /// Writes everything out and lets go of the store, for all clones. Waits at most ten seconds.
    ///
    /// # Errors
    ///
    /// [`StoreError::Behind`] when the database did not take everything; the rest is taken over at
    /// the next start.
    pub fn close(self) -> Result<(), StoreError> {
        let in_time = self.flush(CLOSE_TIMEOUT);
        self.inner.end();
        if in_time { Ok(()) } else { Err(StoreError::Behind { entries: self.status().lag }) }
    }
}

impl Inner {
    /// Ends the thread and gives the store free for another process.
    fn end(&self) {
        let mut thread = self.thread.lock();
        let Some(thread) = thread.take() else { return };
        self.shared.stop();
        if thread.join().is_err() {
            tracing::error!("the store's thread ended in a panic");
        }
        let taken = self.shared.progress.lock().taken;
        self.shared.journal.close(taken);
        self.ownership.lock().take();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

/// What a replay did.
#[derive(Default)]
struct Replayed {
    taken: Position,
    lines: u64,
    counts: Counts,
}

/// Takes over what a former process left in the journal.
fn replay(
    sqlite: &mut Sqlite,
    journal: &Journal,
    tail: &mut Tail,
    left: Position,
    path: &Path,
) -> Result<Replayed, StoreError> {
    let mut replayed = Replayed { taken: left, ..Replayed::default() };
    loop {
        let batch = tail
            .read(journal.end())
            .map_err(|source| StoreError::Io { path: journal.folder().to_owned(), source })?;
        if batch.upto <= replayed.taken {
            break;
        }
        let taken = sqlite.take(&batch.entries, batch.upto).map_err(|error| StoreError::Io {
            path: path.to_owned(),
            source: std::io::Error::other(error.0),
        })?;
        journal.taken(batch.bytes, batch.upto, tail.odd(0));
        tail.odd(batch.upto.segment);
        replayed.taken = batch.upto;
        replayed.lines = replayed.lines.saturating_add(batch.lines);
        let counts = &mut replayed.counts;
        counts.torn = counts.torn.saturating_add(batch.torn);
        counts.unreadable = counts.unreadable.saturating_add(batch.unreadable);
        counts.rejected = counts.rejected.saturating_add(taken.rejected);
    }
    if replayed.lines > 0 {
        tracing::info!(entries = replayed.lines, torn = replayed.counts.torn, "taken over from the journal");
    }
    Ok(replayed)
}

fn spawn(shared: &Arc<Shared>, sqlite: Sqlite, tail: Tail) -> std::io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    std::thread::Builder::new()
        .name("mainstay-store".to_owned())
        .spawn(move || follower::run(&shared, Box::new(sqlite), tail))
}
