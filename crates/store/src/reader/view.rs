//! Database and journal seen as one, for the length of one question.
//!
//! First the journal's files are opened, then a snapshot of the database is taken: what a follower moves
//! in between is in both, and is told apart by how far the snapshot says that the journal was taken. The
//! rest of the journal goes into temporary tables, and temporary views with the tables' own names join
//! the two, so that every question is asked in the same words.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use mainstay_calllog::COLUMNS;
use rusqlite::{Connection, params};

use crate::entry::Entry;
use crate::error::ReadError;
use crate::journal::{Next, Position, SegmentReader, list, path_of};
use crate::sqlite::{self, hours, rows};

/// A snapshot; ends when it is told to.
pub(super) struct View<'db> {
    db: &'db Connection,
}

impl<'db> View<'db> {
    /// Takes a snapshot of both.
    pub(super) fn begin(db: &'db Connection, journal: &Path) -> Result<Self, ReadError> {
        let segments = open_from(journal, sqlite::taken(db)?)?;
        db.execute_batch("BEGIN")?;
        let view = Self { db };
        match view.join(segments) {
            Ok(()) => Ok(view),
            Err(error) => {
                // The first error is the one to tell.
                let _ = view.end();
                Err(error)
            }
        }
    }

    /// Lets go of the snapshot, and of all that was temporary.
    pub(super) fn end(self) -> rusqlite::Result<()> {
        self.db.execute_batch("ROLLBACK")
    }

    /// Puts what the database has not taken into temporary tables.
    fn join(&self, segments: Vec<(u64, SegmentReader)>) -> Result<(), ReadError> {
        let taken = sqlite::taken(self.db)?;
        let mut joined = false;
        for (number, mut segment) in segments {
            loop {
                let at = Position { segment: number, offset: segment.offset() };
                let Next::Line(json) = (match segment.next(u64::MAX)? {
                    Next::Broken => continue,
                    next => next,
                }) else {
                    break;
                };
                if at < taken {
                    continue;
                }
                let Ok(entry) = serde_json::from_slice(json) else { continue };
                self.add(&entry, &mut joined)?;
            }
        }
        if joined {
            self.db.execute("UPDATE temp.waiting_calls SET cost_usd = cost_nanousd / 1e9", [])?;
        }
        Ok(())
    }

    fn add(&self, entry: &Entry, joined: &mut bool) -> rusqlite::Result<()> {
        if !*joined && matches!(entry, Entry::Call(_) | Entry::Text { .. }) {
            self.db.execute_batch(&tables())?;
            *joined = true;
        }
        match entry {
            Entry::Call(row) => {
                rows::insert(&mut rows::insertion(self.db, "temp.waiting_calls")?, row).map(drop)
            }
            Entry::Text { id, prompt, answer } => self
                .db
                .prepare_cached("INSERT INTO temp.waiting_texts (id, prompt, answer) VALUES (?1, ?2, ?3)")?
                .execute(params![id.to_string(), prompt, answer])
                .map(drop),
            Entry::Reserved(_)
            | Entry::Settled(_)
            | Entry::Released(_)
            | Entry::Margin { .. }
            | Entry::Health(_)
            | Entry::StaticSwitch(_) => Ok(()),
        }
    }
}

/// Opens all segments from this place on, before anybody removes them.
fn open_from(journal: &Path, taken: Position) -> io::Result<Vec<(u64, SegmentReader)>> {
    let mut segments = Vec::new();
    for segment in list(journal)?.into_iter().filter(|segment| *segment >= taken.segment) {
        let offset = if segment == taken.segment { taken.offset } else { 0 };
        match SegmentReader::open(&path_of(journal, segment), offset) {
            Ok(reader) => segments.push((segment, reader)),
            // Taken and removed just now: the snapshot that comes next has it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(segments)
}

/// The temporary tables, and the views that join them to the real ones under the real names.
fn tables() -> String {
    let columns = COLUMNS.join(", ");
    let mut sql = format!(
        "CREATE TEMP TABLE waiting_calls AS SELECT {columns} FROM main.llm_calls WHERE 0;
         CREATE TEMP TABLE waiting_texts AS SELECT id, prompt, answer FROM main.llm_texts WHERE 0;
         CREATE TEMP VIEW llm_calls AS
         SELECT {columns} FROM main.llm_calls UNION ALL SELECT {columns} FROM temp.waiting_calls;
         CREATE TEMP VIEW llm_texts AS
         SELECT id, prompt, answer FROM main.llm_texts UNION ALL
         SELECT id, prompt, answer FROM temp.waiting_texts;
         CREATE TEMP VIEW llm_hours AS SELECT {key}",
        key = hours::KEY
    );
    // Writing to a String does not fail.
    for (sum, _) in hours::SUMS {
        let _ = write!(sql, ", sum({sum}) AS {sum}");
    }
    let sums = hours::SUMS.map(|(sum, _)| sum).join(", ");
    let _ = write!(
        sql,
        ", sum(cost_nanousd) / 1e9 AS cost_usd FROM (SELECT {key}, {sums} FROM main.llm_hours UNION ALL SELECT {made}",
        key = hours::KEY,
        made = hours::KEY_OF_A_CALL
    );
    for (_, of_a_call) in hours::SUMS {
        let _ = write!(sql, ", {of_a_call}");
    }
    let _ = write!(sql, " FROM temp.waiting_calls) GROUP BY {};", hours::KEY);
    sql
}
