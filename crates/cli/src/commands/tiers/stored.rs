//! The tiers' health where no gateway runs: as the store keeps it.

use std::time::Duration;

use mainstay::{Clock, Moment, SystemClock, Target};
use mainstay_config::Config;
use mainstay_fallback::{HealthBoard, HealthRecord, TierHealth};
use mainstay_store::{Entry, LogReader, ReadError, SqlValue, StaticSwitch, Store, StoreError, StoreOptions};

use crate::args::Global;
use crate::exit::Exit;
use crate::settings;

/// How long the store may take to write a change down.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most records that are read; a configuration has fewer tiers.
const MOST: usize = 100_000;

/// What the store keeps, without owning it.
pub(super) struct Kept {
    pub(super) health: Vec<TierHealth>,
    pub(super) switch: StaticSwitch,
}

/// Reads it. A store that is not there yet says that all is well.
pub(super) fn read(global: &Global, config: Option<&Config>) -> Result<Kept, Exit> {
    let url = settings::log_url(global)?.to_string();
    let (records, switch) = match LogReader::open_url(&url) {
        Ok(log) => (records(&log)?, switch(&log)?),
        Err(StoreError::Missing { .. }) => (Vec::new(), StaticSwitch::default()),
        Err(error) => return Err(error.into()),
    };
    let now = settings::now();
    let board = HealthBoard::default();
    board.restore(records, now);
    let health = match config {
        Some(config) => targets(config).iter().map(|target| board.health_of(target, None, now)).collect(),
        None => board.snapshot(now),
    };
    Ok(Kept { health, switch })
}

fn records(log: &LogReader) -> Result<Vec<HealthRecord>, ReadError> {
    let table = log.sql("SELECT record FROM tier_health", MOST)?;
    let texts = table.rows.iter().filter_map(|row| text(row));
    // A record of another version is left out, as at a start.
    Ok(texts.filter_map(|text| serde_json::from_str(text).ok()).collect())
}

fn switch(log: &LogReader) -> Result<StaticSwitch, ReadError> {
    let table = log.sql("SELECT value FROM mainstay_state WHERE name = 'static_switch'", 1)?;
    let word = table.rows.first().and_then(|row| text(row));
    Ok(word.and_then(StaticSwitch::from_word).unwrap_or_default())
}

fn text(row: &[SqlValue]) -> Option<&str> {
    match row.first() {
        Some(SqlValue::Text(text)) => Some(text),
        Some(SqlValue::Null | SqlValue::Integer(_) | SqlValue::Real(_)) | None => None,
    }
}

/// Every tier of the configuration, each once.
pub(super) fn targets(config: &Config) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for tier in config.chains.iter().flat_map(|chain| &chain.tiers) {
        if !targets.contains(&tier.target) {
            targets.push(tier.target.clone());
        }
    }
    targets
}

/// Opens the store for writing, changes what it keeps of health, and lets go of it.
pub(super) async fn change(
    global: &Global,
    change: impl FnOnce(&HealthBoard, Moment) -> Option<StaticSwitch> + Send + 'static,
) -> Result<(), Exit> {
    let url = settings::log_url(global)?.to_string();
    // Opening replays a journal and closing waits for the disk; neither belongs on the runtime's threads.
    let done = tokio::task::spawn_blocking(move || {
        let now = SystemClock::new().now();
        // Whatever the configuration says of old rows: removing them is not this command's business.
        let options = StoreOptions {
            retention: Duration::MAX,
            retention_ok: Duration::MAX,
            max_size: u64::MAX,
            ..StoreOptions::new(url)
        };
        let (store, recovered) = Store::open(options, now)?;
        let board = HealthBoard::default();
        board.restore(recovered.health, now);
        if let Some(switch) = change(&board, now) {
            store.save_static_switch(switch).map_err(Exit::failed)?;
        }
        store.append(&Entry::Health(board.records(now))).map_err(Exit::failed)?;
        if !store.flush(PATIENCE) {
            anstream::eprintln!(
                "the database is slow; the change is in its journal and counts at the next start"
            );
        }
        store.close()?;
        Ok(())
    });
    done.await.map_err(Exit::failed)?
}
