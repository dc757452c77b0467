//! What goes from the log: by age, then by size. Small batches, so that nobody waits for them.

use mainstay_calllog::CallId;
use rusqlite::{Connection, TransactionBehavior, params};

use super::ledger;
use super::rows::WITH_A_STORY;
use crate::sink::{Sweep, Swept};

/// Rows that go in one transaction.
const BATCH: i64 = 500;
/// Pages that are given back to the file system after each batch.
const PAGES: i64 = 256;

/// Removes one batch.
pub(super) fn step(db: &mut Connection, sweep: &Sweep) -> rusqlite::Result<Swept> {
    let by_age = by_age(db, sweep)?;
    let by_size = if by_age == 0 && is_too_large(db, sweep.max_size)? { oldest(db)? } else { 0 };
    if by_age > 0 || by_size > 0 {
        give_back(db)?;
    }
    Ok(Swept { by_age, by_size })
}

fn by_age(db: &mut Connection, sweep: &Sweep) -> rusqlite::Result<u64> {
    let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (all, ok) = (sweep.all_before.micros(), sweep.ok_before.micros());
    let mut gone = delete(&step, "ts < ?1", "ts", params![all, BATCH])?;
    if gone == 0 {
        gone = delete(&step, &format!("ts < ?1 AND NOT {WITH_A_STORY}"), "ts", params![ok, BATCH])?;
    }
    // Text whose row never came, or that came after its row had gone.
    let orphans = CallId::first_at(sweep.all_before).to_string();
    step.prepare_cached("DELETE FROM llm_texts WHERE id < ?1")?.execute([orphans])?;
    ledger::forget(&step, sweep.ledger_before)?;
    step.commit()?;
    Ok(gone)
}

/// The oldest ok rows; the oldest of all when there are none.
fn oldest(db: &mut Connection) -> rusqlite::Result<u64> {
    let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut gone = delete(&step, &format!("?1 AND NOT {WITH_A_STORY}"), "ts", params![true, BATCH])?;
    if gone == 0 {
        gone = delete(&step, "?1", "ts", params![true, BATCH])?;
    }
    step.commit()?;
    Ok(gone)
}

fn delete(db: &Connection, which: &str, order: &str, params: impl rusqlite::Params) -> rusqlite::Result<u64> {
    let sql = format!(
        "DELETE FROM llm_calls WHERE rowid IN \
         (SELECT rowid FROM llm_calls WHERE {which} ORDER BY {order} LIMIT ?2)"
    );
    let gone = db.prepare_cached(&sql)?.execute(params)?;
    Ok(u64::try_from(gone).unwrap_or(0))
}

/// Whether the pages in use hold more than so many bytes.
fn is_too_large(db: &Connection, max: u64) -> rusqlite::Result<bool> {
    let number = |pragma| db.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let used = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(u64::try_from(used.saturating_mul(number("page_size")?)).unwrap_or(0) > max)
}

fn give_back(db: &Connection) -> rusqlite::Result<()> {
    let mut step = db.prepare_cached(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
    let mut pages = step.query([])?;
    // Each step of the statement frees one page.
    while pages.next()?.is_some() {}
    Ok(())
}
