//! Brings a configuration to life: endpoints, chains, judge, ledger, log.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mainstay_calllog::IdSource;
use mainstay_canon::{Moment, Target};
use mainstay_config::{AtCap, Chain, Config, Log, OnLogFailure, ProviderConfig, Tier};
use mainstay_cost::Ledger;
use mainstay_fallback::{
    BoardOptions, BreakerSettings, ChainPlan, HealthBoard, Limits, TierHealth, TierPlan,
};
use mainstay_quality::Judge;
use mainstay_store::{OnFailure, Recovered, Store, StoreOptions};

use super::{ChainRuntime, Engine, Observer, TierRuntime, Words};
use crate::clock::{Clock, SystemClock};
use crate::error::BuildError;
use crate::transport::Endpoint;

/// Chains that are kept for names that stand in none; more are made anew each time.
const MADE_LIMIT: usize = 256;

/// One endpoint for each provider and connect timeout, so that tiers share a connection pool.
pub(super) type Endpoints = Arc<parking_lot::Mutex<BTreeMap<(String, Duration), Endpoint>>>;

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
        };
        Self::assemble(config, shared)
    }

    /// The same engine under a new configuration: health, ledger and log go on.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when an endpoint cannot be built.
    pub(crate) fn renewed(&self, config: Config) -> Result<Self, BuildError> {
        self.ledger.set_caps(config.budget.caps());
        self.board.reloaded(self.clock.now());
        Self::assemble(
            config,
            Shared {
                clock: Arc::clone(&self.clock),
                board: self.board.clone(),
                ledger: Arc::clone(&self.ledger),
                store: self.store.clone(),
                ids: Arc::clone(&self.ids),
                observers: self.observers.clone(),
            },
        )
    }

    fn assemble(config: Config, shared: Shared) -> Result<Self, BuildError> {
        let endpoints = Endpoints::default();
        let mut chains = BTreeMap::new();
        for chain in &config.chains {
            chains.insert(chain.name.clone(), Arc::new(build_chain(chain, &config, &endpoints)?));
        }
        let judge = Judge::new(config.quality.judge.clone())?;
        let has_caps = config.budget.has_cap();
        let Shared { clock, board, ledger, store, ids, observers } = shared;
        Ok(Self {
            chains,
            config,
            made: parking_lot::Mutex::default(),
            endpoints,
            judge,
            clock,
            board,
            ledger,
            has_caps,
            store,
            ids,
            observers,
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

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The call log, where there is one.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The money: caps, what is spent and what is set aside.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The health of every target, and the operator's hand on it.
    pub fn board(&self) -> &HealthBoard {
        &self.board
    }

    /// Now, by the engine's clock.
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// A new id for a request.
    pub fn new_request_id(&self) -> String {
        self.ids.next_request(self.clock.now())
    }

    /// Health of every tier of every chain, each once, in the order of the configuration.
    pub fn tier_health(&self) -> Vec<TierHealth> {
        let now = self.clock.now();
        let mut seen: Vec<&Target> = Vec::new();
        let mut health = Vec::new();
        for tier in self.config.chains.iter().flat_map(|chain| &chain.tiers) {
            if !seen.contains(&&tier.target) {
                seen.push(&tier.target);
                health.push(self.board.health_of(&tier.target, None, now));
            }
        }
        health
    }

    /// How many tiers could be asked now.
    pub fn available_tiers(&self) -> usize {
        self.tier_health().iter().filter(|health| health.state.is_available()).count()
    }

    /// The tiers of the default chain that could be asked now, in order.
    pub fn active_tiers(&self) -> Vec<Target> {
        let now = self.clock.now();
        let available = |target: &Target| self.board.health_of(target, None, now).state.is_available();
        let tiers = self.config.default_chain().map(|chain| chain.tiers.as_slice()).unwrap_or_default();
        tiers.iter().map(|tier| &tier.target).filter(|target| available(target)).cloned().collect()
    }

    /// The first tier of the default chain.
    pub fn primary(&self) -> Option<&Target> {
        self.config.default_chain()?.tiers.first().map(|tier| &tier.target)
    }

    /// What is wrong with the log, if anything.
    pub fn log_problem(&self) -> Option<String> {
        let status = self.store.as_ref()?.status();
        let full = status.journal_max > 0 && status.journal_bytes >= status.journal_max;
        match status.last_error {
            Some(error) if full => Some(format!("the journal is full and the store takes nothing: {error}")),
            Some(_) | None => None,
        }
    }

    /// Writes out the log, waiting at most so long.
    pub(crate) fn close(&self, wait: Duration) {
        if let Some(store) = &self.store
            && !store.flush(wait)
        {
            tracing::warn!("the log's journal was not written out in time; the next start does it");
        }
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

fn build_chain(chain: &Chain, config: &Config, endpoints: &Endpoints) -> Result<ChainRuntime, BuildError> {
    let mut tiers = Vec::with_capacity(chain.tiers.len());
    for tier in &chain.tiers {
        let Some(provider) = config.providers.get(&*tier.target.provider) else {
            return Err(BuildError::Internal(format!("the provider of {} is not configured", tier.target)));
        };
        tiers.push(Arc::new(build_tier(tier, provider, endpoints)?));
    }
    let plans = chain.tiers.iter().map(plan_tier).collect();
    let mut plan = ChainPlan::new(&chain.name, plans)
        .map_err(|source| BuildError::Plan { chain: chain.name.clone(), source })?;
    plan.fallback_on_refusal = config.quality.fallback_on_refusal;
    plan.fallback_on_filter = config.quality.fallback_on_filter;
    plan.max_refusals = config.quality.max_refusals;
    plan.quality_breaker = config.quality.quality_breaker;
    plan.static_at_cap = config.budget.at_cap == AtCap::Static;
    plan.breaker = BreakerSettings {
        threshold: config.breaker.threshold,
        open: config.breaker.open,
        ..BreakerSettings::default()
    };
    plan.return_over = config.breaker.return_over;
    Ok(ChainRuntime { name: chain.name.clone(), plan: Arc::new(plan), tiers })
}

fn plan_tier(tier: &Tier) -> TierPlan {
    TierPlan {
        retry: tier.retry.clone(),
        static_fallback: tier.static_fallback,
        context_window: tier.model.as_ref().and_then(|model| model.context),
        limits: Limits { rpm: tier.limits.rpm, tpm: tier.limits.tpm, in_flight: tier.limits.in_flight },
        ..TierPlan::new(tier.target.clone())
    }
}

fn build_tier(
    tier: &Tier,
    provider: &ProviderConfig,
    endpoints: &Endpoints,
) -> Result<TierRuntime, BuildError> {
    Ok(TierRuntime {
        target: tier.target.clone(),
        provider: provider.kind,
        endpoint: endpoint(provider, tier.timeouts.connect, endpoints)?,
        accepts: tier.accepts.clone(),
        price: tier.price.clone(),
        model: tier.model.clone(),
        timeouts: tier.timeouts.clone(),
        static_fallback: tier.static_fallback,
        finish: Arc::new(Words { provider: provider.kind, added: provider.finish_reasons.clone() }),
    })
}

fn endpoint(provider: &ProviderConfig, connect: Duration, known: &Endpoints) -> Result<Endpoint, BuildError> {
    let mut known = known.lock();
    let place = (provider.name.clone(), connect);
    if let Some(endpoint) = known.get(&place) {
        return Ok(endpoint.clone());
    }
    let key = provider.keys.first().map(|key| key.secret.clone());
    // Loopback never goes through a proxy, whatever the config says for the rest.
    let proxy = provider.proxy.as_deref().filter(|_| !provider.is_loopback);
    let endpoint = Endpoint::new(&provider.base_url, provider.kind.auth, key, connect, proxy)
        .map_err(|source| BuildError::Endpoint { provider: provider.name.clone(), source })?;
    known.insert(place, endpoint.clone());
    Ok(endpoint)
}
