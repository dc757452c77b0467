//! Brings a configuration to life: endpoints, chains, judge, ledger, log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mainstay_calllog::IdSource;
use mainstay_canon::{Moment, Target};
use mainstay_config::{Chain, Config, Log, OnLogFailure};
use mainstay_cost::Ledger;
use mainstay_fallback::{BoardOptions, HealthBoard};
use mainstay_quality::{Action, Judge, JudgeOptions};
use mainstay_store::{OnFailure, Recovered, Store, StoreOptions};

use super::alerts::Alarms;
use super::wiring::{Endpoints, build_chain};
use super::{ChainRuntime, Engine, Observer};
use crate::clock::{Clock, SystemClock};
use crate::error::BuildError;

/// Chains that are kept for names that stand in none; more are made anew each time.
const MADE_LIMIT: usize = 256;

impl Engine {
    /// Opens the log, takes in what it remembers, and builds everything else.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when the log cannot be opened or an endpoint cannot be built.
    pub(crate) async fn open(config: Config, setup: Setup) -> Result<Self, BuildError> {
        let Setup { clock, observers, keep_log } = setup;
        let now = clock.now();
        let opened = if keep_log {
            let options = store_options(&config.log);
            // Opening replays a journal: that may take a while and must not hold up the runtime.
            let opening = tokio::task::spawn_blocking(move || Store::open(options, now));
            Some(opening.await.map_err(|error| BuildError::Internal(error.to_string()))??)
        } else {
            None
        };
        let ledger = Ledger::new(config.budget.caps());
        let board = HealthBoard::new(BoardOptions::default());
        let store = opened.map(|(store, recovered)| {
            take_in(&ledger, &board, recovered, now);
            store
        });
        let shared = Shared {
            clock,
            board,
            ledger: Arc::new(ledger),
            store,
            ids: Arc::new(IdSource::new(fastrand::u64(..))),
            observers,
            alarms: Arc::default(),
            journal_broken: Arc::default(),
        };
        Self::assemble(config, shared)
    }

    /// The same engine under a new configuration: health, ledger and log go on.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when an endpoint cannot be built.
    pub(crate) fn renewed(&self, config: Config) -> Result<Self, BuildError> {
        let shared = Shared {
            clock: Arc::clone(&self.clock),
            board: self.board.clone(),
            ledger: Arc::clone(&self.ledger),
            store: self.store.clone(),
            ids: Arc::clone(&self.ids),
            observers: self.observers.clone(),
            alarms: Arc::clone(&self.alarms),
            journal_broken: Arc::clone(&self.journal_broken),
        };
        let renewed = Self::assemble(config, shared)?;
        // Only now is it sure that the new configuration comes into force.
        self.ledger.set_caps(renewed.config.budget.caps());
        self.board.reloaded(self.clock.now());
        renewed.publish_health();
        Ok(renewed)
    }

    fn assemble(config: Config, shared: Shared) -> Result<Self, BuildError> {
        let endpoints = Endpoints::default();
        let mut chains = BTreeMap::new();
        for chain in &config.chains {
            chains.insert(chain.name.clone(), Arc::new(build_chain(chain, &config, &endpoints)?));
        }
        let judge = Judge::new(config.quality.judge.clone())?;
        let enforcing = JudgeOptions { action: Action::Enforce, ..config.quality.judge.clone() };
        let has_caps = config.budget.has_cap();
        let Shared { clock, board, ledger, store, ids, observers, alarms, journal_broken } = shared;
        Ok(Self {
            chains,
            config,
            made: parking_lot::Mutex::default(),
            endpoints,
            judge,
            enforcing,
            clock,
            board,
            ledger,
            has_caps,
            store,
            ids,
            observers,
            alarms,
            journal_broken,
        })
    }

    /// A chain for a target that stands in none, with the tiers of `rest` after it. `None` where its
    /// provider is not configured or nobody knows its price.
    pub(super) fn ad_hoc(&self, target: &Target, rest: Option<&ChainRuntime>) -> Option<Arc<ChainRuntime>> {
        let key = format!("{target} {}", rest.map_or("", |chain| chain.name.as_str()));
        if let Some(made) = self.made.lock().get(&key) {
            return Some(Arc::clone(made));
        }
        let mut tiers = vec![self.config.tier_for(target)?];
        if let Some(rest) = rest.and_then(|chain| self.config.chain(&chain.name)) {
            tiers.extend(rest.tiers.iter().cloned());
        }
        let name = rest.map_or_else(|| target.to_string(), |chain| chain.name.clone());
        let chain = Chain { name, aliases: Vec::new(), tiers };
        let built = build_chain(&chain, &self.config, &self.endpoints)
            .inspect_err(|error| tracing::warn!(%target, %error, "a chain for this name could not be built"))
            .ok()?;
        let built = Arc::new(built);
        let mut made = self.made.lock();
        if made.len() < MADE_LIMIT {
            made.insert(key, Arc::clone(&built));
        }
        Some(built)
    }
}

/// What a client stands on beside its configuration.
pub struct Setup {
    /// Time and chance.
    pub clock: Arc<dyn Clock>,
    /// Whoever watches.
    pub observers: Vec<Arc<dyn Observer>>,
    /// Whether the call log is kept; without it caps do not outlive the process.
    pub keep_log: bool,
}

impl Default for Setup {
    /// The machine's clock, nobody who watches, and the log of the configuration.
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock::new()), observers: Vec::new(), keep_log: true }
    }
}

/// What outlives a reload.
struct Shared {
    clock: Arc<dyn Clock>,
    board: HealthBoard,
    ledger: Arc<Ledger>,
    store: Option<Store>,
    ids: Arc<IdSource>,
    observers: Vec<Arc<dyn Observer>>,
    alarms: Arc<Alarms>,
    journal_broken: Arc<AtomicBool>,
}

/// Counts what was spent before the start, in full what nobody knows the end of, and remembers who cools.
fn take_in(ledger: &Ledger, board: &HealthBoard, recovered: Recovered, now: Moment) {
    // Calls that were under way when the process died stay counted at their worst case: their end is
    // not known, and the provider may have billed them.
    for reservation in ledger.restore(recovered.spent, recovered.open, now) {
        drop(reservation);
    }
    ledger.restore_margins(recovered.margins);
    board.restore(recovered.health, now);
    board.set_static(recovered.static_switch);
}

fn store_options(log: &Log) -> StoreOptions {
    StoreOptions {
        journal_max: log.journal_max,
        on_failure: match log.on_failure {
            OnLogFailure::Warn => OnFailure::Warn,
            OnLogFailure::Refuse => OnFailure::Refuse,
        },
        retention: log.retention,
        retention_ok: log.retention_ok,
        max_size: log.max_size,
        ..StoreOptions::new(log.url.to_string())
    }
}
