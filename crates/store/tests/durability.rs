//! What was acknowledged is there, whatever happens to the process or the database.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod support;

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use mainstay_calllog::{CallFilter, IdSource};
use mainstay_store::{Entry, JournalError, LogReader, Store, StoreError};
use support::{NOW, PATIENCE, Place, append, count, options};

/// Names the database to the process that is going to be killed.
const VICTIM: &str = "MAINSTAY_TEST_VICTIM";

/// Not a test by itself: the process that is killed. It says aloud what it was told to have written.
#[test]
fn the_victim_of_the_next_test() {
    let Some(database) = std::env::var_os(VICTIM) else { return };
    let (store, _) = Store::open(options(database.as_ref()), NOW).unwrap();
    let place = Place::new();
    let ids = IdSource::new(u64::from(std::process::id()));
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let (store, place, ids) = (&store, &place, &ids);
            threads.spawn(move || {
                for number in 0.. {
                    let mut row = place.ok(&format!("req_{thread}_{number}"), 0);
                    row.id = ids.next(row.ts);
                    // Some lines of many pages, so that a kill may fall into the middle of a write.
                    row.detail = "x".repeat(if number % 50 == 0 { 2000 } else { 10 });
                    append(store, &row);
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "acknowledged {}", row.id).unwrap();
                }
            });
        }
    });
}

#[test]
fn every_acknowledged_row_outlives_kill_nine() {
    let place = Place::new();
    let mut acknowledged = HashSet::new();
    for round in 1..=3 {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_victim_of_the_next_test", "--nocapture"])
            .env(VICTIM, place.database())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let mut heard = 0;
        while let Some(Ok(line)) = lines.next() {
            // The harness writes its own words on the same line as the first.
            if let Some((_, id)) = line.split_once("acknowledged ") {
                acknowledged.insert(id.to_owned());
                heard += 1;
            }
            if heard == 1500 * round {
                // SIGKILL. What it has said since then is still in the pipe, and counts.
                victim.kill().unwrap();
            }
        }
        victim.wait().unwrap();
        assert!(heard >= 1500 * round, "the victim died too early, after {heard} rows");

        let dead = rows_of(&LogReader::open(place.database()).unwrap());
        let lost: Vec<_> = acknowledged.iter().filter(|id| !dead.contains(*id)).collect();
        assert!(lost.is_empty(), "a reader of the dead process's files misses {} rows", lost.len());
    }
    let (store, recovered) = place.open();
    assert_eq!(recovered.unreadable, 0);
    let taken = count(&place.database(), "llm_calls");
    let found = rows_of(&store.reader().unwrap());
    assert!(acknowledged.is_subset(&found));
    assert_eq!(i64::try_from(found.len()), Ok(taken), "each row once, all of them taken over");
    let totals = store.reader().unwrap().totals(None).unwrap();
    assert_eq!(totals.attempts.cast_signed(), taken, "the hourly totals count each row once");
}

fn rows_of(reader: &LogReader) -> HashSet<String> {
    let mut ids = HashSet::new();
    reader
        .each_call(&CallFilter::default(), |row| {
            assert!(ids.insert(row.id.to_string()), "{} came twice", row.id);
        })
        .unwrap();
    ids
}

#[test]
fn a_store_has_one_writer_and_any_number_of_readers() {
    let place = Place::new();
    let (store, _) = place.open();
    append(&store, &place.ok("req_1", 0));
    let error = place.try_open().unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }));
    let words = error.to_string();
    assert!(words.contains("calls.db") && words.contains(&std::process::id().to_string()), "{words}");
    let reader = LogReader::open(place.database()).unwrap();
    assert_eq!(reader.request("req_1").unwrap().len(), 1);
    store.close().unwrap();
    place.open();
}

#[test]
fn a_locked_database_loses_nothing_and_nobody_waits_for_it() {
    let place = Place::new();
    let (store, _) = place.open();
    let foreign = rusqlite::Connection::open(place.database()).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 0..50 {
        append(&store, &place.ok(&format!("req_{number}"), number));
    }
    let status = store.status();
    assert_eq!((status.lag, status.dropped), (50, 0));
    assert!(status.journal_bytes > 0);
    assert_eq!(store.reader().unwrap().calls(&CallFilter::default()).unwrap().len(), 50, "seen all the same");
    foreign.execute_batch("ROLLBACK").unwrap();
    assert!(store.flush(PATIENCE));
    assert_eq!(count(&place.database(), "llm_calls"), 50);
    let status = store.status();
    assert_eq!((status.lag, status.journal_bytes, status.last_error), (0, 0, None));
}

#[test]
fn a_full_journal_is_an_error_and_is_counted() {
    let place = Place::new();
    let mut small = place.options();
    small.journal_max = 20_000;
    let (store, _) = Store::open(small, NOW).unwrap();
    let foreign = rusqlite::Connection::open(place.database()).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut written = 0;
    let error = loop {
        match store.append(&Entry::Call(place.ok("req", written))) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, JournalError::Full { .. }), "{error}");
    assert_eq!(store.status().dropped, 1);
    foreign.execute_batch("ROLLBACK").unwrap();
    assert!(store.flush(PATIENCE));
    append(&store, &place.ok("after", 0));
    assert!(store.flush(PATIENCE));
    assert_eq!(count(&place.database(), "llm_calls"), written + 1);
}

#[test]
fn a_closed_store_leaves_only_the_database_and_takes_nothing_more() {
    let place = Place::new();
    let (store, _) = place.open();
    append(&store, &place.ok("req_1", 0));
    let clone = store.clone();
    store.close().unwrap();
    assert!(matches!(clone.append(&Entry::Call(place.ok("req_2", 0))), Err(JournalError::Closed)));
    assert_eq!(place.journal().read_dir().unwrap().count(), 0, "no segment is left");
    assert!(!place.database().with_extension("db-wal").exists(), "no write-ahead log is left");
    let (store, recovered) = place.open();
    assert_eq!((recovered.replayed, recovered.torn), (0, 0));
    assert_eq!(store.reader().unwrap().request("req_1").unwrap().len(), 1);
}

#[test]
fn the_last_clone_that_is_dropped_takes_along_what_is_there() {
    let place = Place::new();
    let (store, _) = place.open();
    append(&store, &place.ok("req_1", 0));
    drop(store);
    assert_eq!(count(&place.database(), "llm_calls"), 1);
    place.open();
}

#[test]
fn a_database_that_is_deleted_under_us_is_begun_anew() {
    let place = Place::new();
    let (store, _) = place.open();
    append(&store, &place.ok("req_1", 0));
    assert!(store.flush(PATIENCE));
    for name in ["calls.db", "calls.db-wal", "calls.db-shm"] {
        let _ = std::fs::remove_file(place.database().with_file_name(name));
    }
    append(&store, &place.ok("req_2", 1));
    assert!(store.flush(PATIENCE));
    assert_eq!(count(&place.database(), "llm_calls"), 1, "in a file with a name");
}

#[test]
fn a_torn_end_is_skipped_and_counted() {
    let place = Place::new();
    let (store, _) = place.open();
    let foreign = rusqlite::Connection::open(place.database()).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    append(&store, &place.ok("req_1", 0));
    append(&store, &place.ok("req_2", 0));
    // What a process leaves that dies now.
    let segment = place.journal().read_dir().unwrap().next().unwrap().unwrap().path();
    let lines = std::fs::read(&segment).unwrap();
    foreign.execute_batch("ROLLBACK").unwrap();
    store.close().unwrap();
    std::fs::remove_file(place.database()).unwrap();
    std::fs::write(&segment, &lines[..lines.len() - 7]).unwrap();

    let (store, recovered) = place.open();
    assert_eq!((recovered.replayed, recovered.torn, recovered.unreadable), (1, 1, 0));
    assert_eq!(store.reader().unwrap().calls(&CallFilter::default()).unwrap().len(), 1);
    append(&store, &place.ok("req_3", 0));
    assert!(store.flush(PATIENCE));
    assert_eq!(count(&place.database(), "llm_calls"), 2);
}

#[test]
fn a_line_nobody_understands_is_set_aside_and_said() {
    let place = Place::new();
    std::fs::create_dir_all(place.journal()).unwrap();
    std::fs::write(place.journal().join("000000000001.seg"), "00000002 ffffffff {}\n").unwrap();
    let (_store, recovered) = place.open();
    assert_eq!((recovered.unreadable, recovered.torn), (1, 0));
    assert!(place.journal().join("000000000001.kept").exists());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let (store, _) = place.open();
    append(&store, &place.ok("req_1", 0));
    assert!(store.flush(PATIENCE));
    for name in ["calls.db", "calls.db-wal"] {
        let mode = place.database().with_file_name(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}
