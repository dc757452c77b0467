//! The database's schema: numbered steps, each applied once, in order, and known by its checksum.

use std::path::Path;

use mainstay_canon::Moment;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use crate::error::StoreError;
use crate::journal::crc32;

/// One step.
struct Migration {
    number: i64,
    name: &'static str,
    sql: &'static str,
}

/// All steps. A step that was released never changes; what changes is a new step.
const ALL: &[Migration] = &[Migration {
    number: 1,
    name: "calls_hours_ledger_health",
    sql: include_str!("../../migrations/sqlite/0001_calls_hours_ledger_health.sql"),
}];

/// The schema that this version writes.
pub(crate) const NEWEST: i64 = 1;

/// Marks a database as ours: `MSTY` as a big-endian number.
const APPLICATION: i64 = 0x4D53_5459;

/// The steps that a database has had.
const DONE: &str = "
    CREATE TABLE IF NOT EXISTS mainstay_migrations (
        number      INTEGER NOT NULL PRIMARY KEY,
        name        TEXT NOT NULL,
        checksum    TEXT NOT NULL,
        applied     INTEGER NOT NULL
    ) STRICT";

/// Brings the database to the newest schema.
///
/// # Errors
///
/// [`StoreError::Newer`], [`StoreError::Changed`] or [`StoreError::Foreign`] when this version must not
/// touch it, [`StoreError::Sqlite`] when SQLite fails.
pub(crate) fn migrate(db: &mut Connection, path: &Path, now: Moment) -> Result<(), StoreError> {
    let sqlite = |source| StoreError::Sqlite { path: path.to_owned(), source };
    if found(db).map_err(sqlite)?.is_none() && !is_empty(db).map_err(sqlite)? {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let step = db.transaction_with_behavior(TransactionBehavior::Exclusive).map_err(sqlite)?;
    step.execute_batch(DONE).map_err(sqlite)?;
    step.pragma_update(None, "application_id", APPLICATION).map_err(sqlite)?;
    let newest = found(&step).map_err(sqlite)?.unwrap_or(0);
    if newest > NEWEST {
        return Err(StoreError::Newer { path: path.to_owned(), found: newest, known: NEWEST });
    }
    for migration in ALL {
        apply(&step, migration, now)
            .map_err(sqlite)?
            .then_some(())
            .ok_or_else(|| StoreError::Changed { path: path.to_owned(), number: migration.number })?;
    }
    step.commit().map_err(sqlite)
}

/// Applies one step unless it was; whether what was applied is the same.
fn apply(db: &Connection, migration: &Migration, now: Moment) -> rusqlite::Result<bool> {
    let checksum = format!("{:08x}", crc32(migration.sql.replace("\r\n", "\n").as_bytes()));
    let applied: Option<String> = db
        .query_row("SELECT checksum FROM mainstay_migrations WHERE number = ?1", [migration.number], |row| {
            row.get(0)
        })
        .optional()?;
    if let Some(applied) = applied {
        return Ok(applied == checksum);
    }
    db.execute_batch(migration.sql)?;
    db.execute(
        "INSERT INTO mainstay_migrations (number, name, checksum, applied) VALUES (?1, ?2, ?3, ?4)",
        params![migration.number, migration.name, checksum, now.micros()],
    )?;
    Ok(true)
}

/// Refuses to read a database whose schema is not this version's.
///
/// # Errors
///
/// [`StoreError::Newer`], [`StoreError::Older`] or [`StoreError::Sqlite`].
pub(crate) fn check(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let sqlite = |source| StoreError::Sqlite { path: path.to_owned(), source };
    let found = match found(db).map_err(sqlite)? {
        Some(found) => found,
        None if is_empty(db).map_err(sqlite)? => 0,
        None => return Err(StoreError::Foreign { path: path.to_owned() }),
    };
    match found {
        NEWEST => Ok(()),
        _ if found > NEWEST => Err(StoreError::Newer { path: path.to_owned(), found, known: NEWEST }),
        _ => Err(StoreError::Older { path: path.to_owned(), found, known: NEWEST }),
    }
}

/// The newest step that the database has had; `None` when it has no list of steps.
fn found(db: &Connection) -> rusqlite::Result<Option<i64>> {
    let listed = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'mainstay_migrations'";
    if db.query_row(listed, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(None);
    }
    db.query_row("SELECT coalesce(max(number), 0) FROM mainstay_migrations", [], |row| row.get(0)).map(Some)
}

fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    fn bring_up(db: &mut Connection) -> Result<(), StoreError> {
        migrate(db, Path::new("calls.db"), Moment::from_secs(9))
    }

    #[test]
    fn the_steps_are_numbered_without_a_gap() {
        let numbers: Vec<i64> = ALL.iter().map(|migration| migration.number).collect();
        assert_eq!(numbers, (1..=NEWEST).collect::<Vec<_>>());
    }

    #[test]
    fn a_database_is_brought_up_once() {
        let mut db = database();
        bring_up(&mut db).unwrap();
        bring_up(&mut db).unwrap();
        check(&db, Path::new("calls.db")).unwrap();
        assert_eq!(found(&db).unwrap(), Some(NEWEST));
    }

    #[test]
    fn a_newer_schema_is_refused_by_name() {
        let mut db = database();
        bring_up(&mut db).unwrap();
        db.execute("INSERT INTO mainstay_migrations VALUES (7, 'later', 'x', 0)", []).unwrap();
        for error in [bring_up(&mut db).unwrap_err(), check(&db, Path::new("calls.db")).unwrap_err()] {
            assert!(matches!(error, StoreError::Newer { found: 7, known: NEWEST, .. }));
            assert!(error.to_string().contains("calls.db has schema 7"), "{error}");
        }
    }

    #[test]
    fn a_step_that_was_another_one_is_refused() {
        let mut db = database();
        bring_up(&mut db).unwrap();
        db.execute("UPDATE mainstay_migrations SET checksum = 'x'", []).unwrap();
        assert!(matches!(bring_up(&mut db), Err(StoreError::Changed { number: 1, .. })));
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let mut db = database();
        db.execute_batch("CREATE TABLE songs (name TEXT)").unwrap();
        assert!(matches!(bring_up(&mut db), Err(StoreError::Foreign { .. })));
        assert!(matches!(check(&db, Path::new("x")), Err(StoreError::Foreign { .. })));
        assert!(matches!(check(&database(), Path::new("x")), Err(StoreError::Older { found: 0, .. })));
    }
}
