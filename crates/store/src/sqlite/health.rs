//! The tiers' health and the static tier's switch, for the next start.

use mainstay_canon::Moment;
use mainstay_fallback::{HealthRecord, StaticSwitch};
use rusqlite::{Connection, Error, OptionalExtension as _, params};

use super::rows::Cells;

/// The name of the static tier's switch in `mainstay_state`.
const STATIC_SWITCH: &str = "static_switch";

/// Puts this in place of what was told before.
pub(super) fn replace(db: &Connection, told: &[HealthRecord]) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM tier_health")?.execute([])?;
    let mut insertion = db.prepare_cached(
        "INSERT INTO tier_health (provider, model, key_name, state, until, why, record) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for record in told {
        let text =
            serde_json::to_string(record).map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
        let (state, until, why) = in_words(record);
        let until = until.map(Moment::micros);
        let (provider, model) = (&*record.target.provider, &*record.target.model);
        insertion.execute(params![provider, model, record.key_name, state, until, why, text])?;
    }
    Ok(())
}

/// What weighs most: its word, when it ends and why.
fn in_words(record: &HealthRecord) -> (&'static str, Option<Moment>, &str) {
    if let Some(operator) = &record.operator {
        return ("disabled", operator.until, &operator.why);
    }
    if let Some(quota) = &record.quota {
        return ("quota", Some(quota.until), &quota.why);
    }
    if let Some(open) = &record.open {
        return ("open", Some(open.until), &open.why);
    }
    record
        .cooling
        .as_ref()
        .map_or(("available", None, ""), |cooling| ("cooling", Some(cooling.until), &cooling.why))
}

/// What was told last. A record that this version does not understand is left out: a tier that is not
/// known to be ill is tried.
pub(super) fn records(db: &Connection) -> rusqlite::Result<Vec<HealthRecord>> {
    let texts = db
        .prepare("SELECT record FROM tier_health")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

/// Keeps the switch.
pub(super) fn switch(db: &Connection, switch: StaticSwitch) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO mainstay_state (name, value) VALUES (?1, ?2)")?
        .execute([STATIC_SWITCH, switch.word()])
        .map(drop)
}

/// How the switch was left.
pub(super) fn switched(db: &Connection) -> rusqlite::Result<StaticSwitch> {
    let sql = "SELECT value FROM mainstay_state WHERE name = ?1";
    let left =
        db.query_row(sql, [STATIC_SWITCH], |row| Cells::of(row).word(StaticSwitch::from_word)).optional()?;
    Ok(left.unwrap_or_default())
}
