//! The ledger's tables: what was spent in each window, and what is set aside.

use mainstay_canon::{Moment, Nanodollars, Target};
use mainstay_cost::{Margin, Reserved, Scope, SettledEntry, Spent};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension as _, params};

use super::rows::{Cells, whole};

/// Keeps what was set aside.
pub(super) fn reserve(db: &Connection, reserved: &Reserved) -> rusqlite::Result<()> {
    let text =
        serde_json::to_string(reserved).map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
    db.prepare_cached("INSERT OR IGNORE INTO ledger_open (id, at, reserved) VALUES (?1, ?2, ?3)")?
        .execute(params![whole(reserved.id), reserved.at.micros(), text])
        .map(drop)
}

/// Forgets what was set aside and counts what it cost. An end without a beginning is passed over.
pub(super) fn settle(db: &Connection, settled: &SettledEntry) -> rusqlite::Result<()> {
    let reserved = db
        .prepare_cached("SELECT reserved FROM ledger_open WHERE id = ?1")?
        .query_row([whole(settled.id)], reserved)
        .optional()?;
    let Some(reserved) = reserved else { return Ok(()) };
    release(db, settled.id)?;
    let actual = settled.actual.max(Nanodollars::ZERO);
    for (scope, window) in reserved.places() {
        // A request that belongs to no session never comes again.
        if !matches!(scope, Scope::Request(_)) {
            add(db, &scope, &window.to_string(), actual, settled.at)?;
        }
    }
    Ok(())
}

/// Forgets what was set aside.
pub(super) fn release(db: &Connection, id: u64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM ledger_open WHERE id = ?1")?.execute([whole(id)]).map(drop)
}

/// A sum stops at the largest number rather than become a float.
fn add(db: &Connection, scope: &Scope, window: &str, more: Nanodollars, at: Moment) -> rusqlite::Result<()> {
    let max = Nanodollars::MAX.nanos();
    let sql = format!(
        "INSERT INTO ledger_spent (scope, name, window, nanousd, updated) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (scope, name, window) DO UPDATE SET updated = max(updated, excluded.updated), \
         nanousd = CASE WHEN nanousd > {max} - excluded.nanousd THEN {max} ELSE nanousd + excluded.nanousd END"
    );
    db.prepare_cached(&sql)?
        .execute(params![scope.kind(), scope.name(), window, more.nanos(), at.micros()])
        .map(drop)
}

/// All windows with what was spent in them.
pub(super) fn spent(db: &Connection) -> rusqlite::Result<Vec<Spent>> {
    db.prepare("SELECT scope, name, window, nanousd FROM ledger_spent ORDER BY scope, name, window")?
        .query_map([], |row| {
            let mut cells = Cells::of(row);
            let (kind, name): (String, String) = (cells.get()?, cells.get()?);
            let scope = Scope::from_parts(&kind, &name).ok_or_else(|| {
                Error::FromSqlConversionFailure(0, Type::Text, format!("no scope is called {kind:?}").into())
            })?;
            Ok(Spent { scope, window: cells.word(|text| text.parse().ok())?, nanos: cells.amount()? })
        })?
        .collect()
}

/// All that is set aside, oldest first.
pub(super) fn open(db: &Connection) -> rusqlite::Result<Vec<Reserved>> {
    db.prepare("SELECT reserved FROM ledger_open ORDER BY id")?.query_map([], reserved)?.collect()
}

fn reserved(row: &rusqlite::Row<'_>) -> rusqlite::Result<Reserved> {
    let text: String = row.get(0)?;
    serde_json::from_str(&text).map_err(|error| Error::FromSqlConversionFailure(0, Type::Text, error.into()))
}

/// Keeps by how much a model's worst case is raised.
pub(super) fn margin(db: &Connection, target: &Target, margin: Margin) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO ledger_margins (provider, model, thousandths) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![&*target.provider, &*target.model, margin.thousandths()])
    .map(drop)
}

/// By how much each model's worst case is raised.
pub(super) fn margins(db: &Connection) -> rusqlite::Result<Vec<(Target, Margin)>> {
    db.prepare("SELECT provider, model, thousandths FROM ledger_margins")?
        .query_map([], |row| {
            let mut cells = Cells::of(row);
            let target = Target::new(cells.get::<String>()?, cells.get::<String>()?);
            let thousandths: u32 = cells.get()?;
            // Its JSON form is the number of thousandths.
            let margin = serde_json::from_value(thousandths.into());
            Ok((
                target,
                margin.map_err(|error| Error::FromSqlConversionFailure(2, Type::Integer, error.into()))?,
            ))
        })?
        .collect()
}

/// Forgets what users and sessions spent in windows that nothing was added to since: days long past,
/// and sessions that nobody goes on with. Everybody's and keys' sums stay. What was set aside so long
/// ago, and never heard of again, counts as spent.
pub(super) fn forget(db: &Connection, before: Moment) -> rusqlite::Result<()> {
    let lost: Vec<Reserved> = db
        .prepare_cached("SELECT reserved FROM ledger_open WHERE at < ?1 LIMIT 500")?
        .query_map([before.micros()], reserved)?
        .collect::<Result<_, _>>()?;
    for Reserved { id, at, worst, .. } in lost {
        settle(db, &SettledEntry { id, actual: worst, at })?;
    }
    db.prepare_cached("DELETE FROM ledger_spent WHERE scope IN ('user', 'session') AND updated < ?1")?
        .execute([before.micros()])
        .map(drop)
}
