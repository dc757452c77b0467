//! What the store's tests share.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_calllog::{CallRecord, IdSource};
use mainstay_canon::{Cost, Moment, Nanodollars, Outcome, Quality, Target};
use mainstay_store::{Entry, Recovered, Store, StoreError, StoreOptions};

/// Long enough for a slow machine, never waited for on a quick one.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// 30 November 2026, 16:00 UTC.
pub(crate) const NOW: Moment = Moment::from_secs(1_796_054_400);

/// A folder with a store in it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) ids: IdSource,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), ids: IdSource::new(7) }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("calls.db")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.folder.path().join("calls.db.journal")
    }

    pub(crate) fn options(&self) -> StoreOptions {
        options(&self.database())
    }

    pub(crate) fn open(&self) -> (Store, Recovered) {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open(&self) -> Result<(Store, Recovered), StoreError> {
        Store::open(self.options(), NOW)
    }

    /// A first-try ok row, `seconds` after [`NOW`].
    pub(crate) fn ok(&self, request: &str, seconds: i64) -> CallRecord {
        let ts = Moment::from_secs(NOW.micros() / 1_000_000 + seconds);
        let target = Target::new("openai", "gpt-6-luna");
        let mut row = CallRecord::new(self.ids.next(ts), ts, request, "default").at(&target);
        row.user_id = Some("ann".to_owned());
        row.attempt = Some(1);
        row.tier_attempt = Some(1);
        row.outcome = Outcome::Ok;
        row.quality = Some(Quality::Ok);
        row.http_status = Some(200);
        row.prompt_tokens = Some(100);
        row.completion_tokens = Some(20);
        row.cost = Cost::Known(Nanodollars::from_nanos(81_000));
        row.latency_ms = 800;
        row.released = true;
        row
    }

    /// An empty answer, `seconds` after [`NOW`].
    pub(crate) fn empty(&self, request: &str, seconds: i64) -> CallRecord {
        let mut row = self.ok(request, seconds);
        row.outcome = Outcome::Quality;
        row.quality = Some(Quality::Empty);
        row.released = false;
        row
    }
}

pub(crate) fn options(database: &Path) -> StoreOptions {
    StoreOptions::new(format!("sqlite:{}", database.display()))
}

pub(crate) fn append(store: &Store, row: &CallRecord) {
    store.append(&Entry::Call(row.clone())).unwrap();
}

/// What SQLite itself says, behind the store's back.
pub(crate) fn count(database: &Path, table: &str) -> i64 {
    let db = rusqlite::Connection::open(database).unwrap();
    db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

pub(crate) fn append_all(store: &Store, rows: &[CallRecord]) {
    for row in rows {
        append(store, row);
    }
}
