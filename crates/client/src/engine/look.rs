//! What whoever serves or shows an engine may ask it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use mainstay_canon::{Moment, Target};
use mainstay_config::Config;
use mainstay_cost::Ledger;
use mainstay_fallback::{HealthBoard, TierHealth};
use mainstay_store::Store;

use super::Engine;

impl Engine {
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

    /// Health of every tier of every chain, each once (under keys of separate accounts once for each), in the
    /// order of the configuration.
    pub fn tier_health(&self) -> Vec<TierHealth> {
        let now = self.clock.now();
        let mut seen = Vec::new();
        let mut health = Vec::new();
        let chains = self.config.chains.iter().filter_map(|chain| self.chains.get(&chain.name));
        for tier in chains.flat_map(|chain| &chain.plan.tiers) {
            let place = (&tier.target, tier.key_name.as_deref());
            if !seen.contains(&place) {
                seen.push(place);
                health.push(self.board.health_of(place.0, place.1, now));
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
        let chain = self.config.default_chain().and_then(|chain| self.chains.get(&chain.name));
        let mut active: Vec<Target> = Vec::new();
        for tier in chain.into_iter().flat_map(|chain| &chain.plan.tiers) {
            let health = self.board.health_of(&tier.target, tier.key_name.as_deref(), now);
            if health.state.is_available() && !active.contains(&tier.target) {
                active.push(tier.target.clone());
            }
        }
        active
    }

    /// The first tier of the default chain.
    pub fn primary(&self) -> Option<&Target> {
        self.config.default_chain()?.tiers.first().map(|tier| &tier.target)
    }

    /// What is wrong with the log, if anything.
    pub fn log_problem(&self) -> Option<String> {
        if self.journal_broken.load(Ordering::Relaxed) {
            return Some("the journal could not be written when that was last tried".to_owned());
        }
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
