//! A batch of the journal's entries, put into the tables.

use rusqlite::{Connection, ErrorCode, params};

use super::hours::Hours;
use super::{health, ledger, rows};
use crate::entry::Entry;
use crate::sink::Taken;

/// Puts the entries in, within the caller's transaction.
pub(super) fn apply(db: &Connection, entries: &[Entry]) -> rusqlite::Result<Taken> {
    let mut hours = Hours::default();
    let mut taken = Taken::default();
    for entry in entries {
        match one(db, entry, &mut hours) {
            // A statement that fails so is undone alone; the batch must not wait for it for ever.
            Err(error) if is_for_good(&error) => {
                tracing::warn!(%error, "an entry of the journal was rejected by the database");
                taken.rejected = taken.rejected.saturating_add(1);
            }
            result => result?,
        }
    }
    hours.write(db)?;
    Ok(taken)
}

fn one(db: &Connection, entry: &Entry, hours: &mut Hours) -> rusqlite::Result<()> {
    match entry {
        Entry::Call(row) => {
            if rows::insert(&mut rows::insertion(db, "llm_calls")?, row)? {
                hours.add(row);
            }
            Ok(())
        }
        Entry::Reserved(reserved) => ledger::reserve(db, reserved),
        Entry::Settled(settled) => ledger::settle(db, settled),
        Entry::Released(released) => ledger::release(db, released.id),
        Entry::Margin { target, margin } => ledger::margin(db, target, *margin),
        Entry::Text { id, prompt, answer } => db
            .prepare_cached("INSERT OR REPLACE INTO llm_texts (id, prompt, answer) VALUES (?1, ?2, ?3)")?
            .execute(params![id.to_string(), prompt, answer])
            .map(drop),
        Entry::Health(told) => health::replace(db, told),
        Entry::StaticSwitch(switch) => health::switch(db, *switch),
    }
}

/// Whether waiting does not change the answer: the entry itself is at fault.
fn is_for_good(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(code) => {
            matches!(code, ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig)
        }
        None => matches!(error, rusqlite::Error::ToSqlConversionFailure(_)),
    }
}
