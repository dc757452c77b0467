//! What a start finds: money, health and switches as they were.

use mainstay_canon::Target;
use mainstay_cost::{Margin, Reserved, Spent};
use mainstay_fallback::{HealthRecord, StaticSwitch};
use rusqlite::Connection;

use super::{health, ledger};

/// What was kept.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) spent: Vec<Spent>,
    pub(crate) open: Vec<Reserved>,
    pub(crate) margins: Vec<(Target, Margin)>,
    pub(crate) health: Vec<HealthRecord>,
    pub(crate) static_switch: StaticSwitch,
}

/// Reads it.
pub(super) fn kept(db: &Connection) -> rusqlite::Result<Kept> {
    Ok(Kept {
        spent: ledger::spent(db)?,
        open: ledger::open(db)?,
        margins: ledger::margins(db)?,
        health: health::records(db)?,
        static_switch: health::switched(db)?,
    })
}
