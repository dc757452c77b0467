//! The straight line down the seven layers, and what it stands on.
//!
//! [`Engine`] is one validated configuration brought to life. It is swapped whole on a reload; what must
//! outlive a reload (health, ledger, log) is handed from the old one to the new.

mod build;
mod money;
mod record;
mod resolve;
mod splice;
pub(crate) mod stream;
mod trip;
pub(crate) mod whole;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mainstay_calllog::{CallRecord, IdSource};
use mainstay_canon::{Accepts, FinishMeaning, FinishReason, Moment, Target};
use mainstay_config::{Config, OnInterrupt, OnLogFailure, PriceOf};
use mainstay_cost::{Ledger, Model};
use mainstay_dialects::Upstream;
use mainstay_fallback::{ChainPlan, HealthBoard};
use mainstay_normalize::{Assembler, Context, FinishTable};
use mainstay_providers::Provider;
use mainstay_quality::Judge;
use mainstay_retry::Timeouts;
use mainstay_store::{Entry, Store};

pub use build::Setup;
pub use resolve::{Resolved, UnknownModel};
pub use stream::{Opening, Served, StreamItem};

use crate::clock::Clock;
use crate::transport::Endpoint;

/// A configuration brought to life.
pub struct Engine {
    pub(crate) chains: BTreeMap<String, Arc<ChainRuntime>>,
    pub(crate) config: Config,
    /// Chains made for a name that stands in none, by the name they were made for. Bounded.
    pub(crate) made: parking_lot::Mutex<BTreeMap<String, Arc<ChainRuntime>>>,
    endpoints: build::Endpoints,
    pub(crate) judge: Judge,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) board: HealthBoard,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) has_caps: bool,
    pub(crate) store: Option<Store>,
    pub(crate) ids: Arc<IdSource>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
}

/// Someone who watches what happens: metrics, a tracer, a live page.
pub trait Observer: Send + Sync {
    /// A row of the call log was written.
    fn row(&self, row: &CallRecord);

    /// Something that a person should look at (behaviour 9.4a).
    fn alert(&self, alert: &Alert);
}

/// Something that a person should look at.
#[derive(Clone, Debug)]
pub struct Alert {
    /// A fixed word for its kind, such as `tier_disabled`.
    pub kind: &'static str,
    /// The tier it is about, if it is about one.
    pub tier: Option<Target>,
    /// What is wrong, for people.
    pub message: String,
    /// Whether this says that it is over.
    pub over: bool,
}

/// One chain, ready to be walked.
pub struct ChainRuntime {
    /// Its name.
    pub name: String,
    /// What the fallback layer walks.
    pub plan: Arc<ChainPlan>,
    /// The tiers, in the same order.
    pub tiers: Vec<Arc<TierRuntime>>,
}

/// One tier, ready to be asked.
pub struct TierRuntime {
    /// Who it asks.
    pub target: Target,
    /// The provider's ways.
    pub provider: &'static Provider,
    pub(crate) endpoint: Endpoint,
    pub(crate) accepts: Accepts,
    /// Its price.
    pub price: PriceOf,
    /// What the catalogue knows of the model.
    pub model: Option<Arc<Model>>,
    pub(crate) timeouts: Timeouts,
    /// Whether it answers only when nobody else can.
    pub static_fallback: bool,
    pub(crate) finish: Arc<Words>,
}

impl TierRuntime {
    pub(crate) fn upstream(&self) -> &'static dyn Upstream {
        self.provider.upstream
    }

    pub(crate) fn normal_context(&self, prompt_estimate: u64) -> Context<'_> {
        Context {
            target: &self.target,
            finish: &*self.finish,
            prompt_estimate,
            dialect: self.provider.upstream.dialect(),
        }
    }

    pub(crate) fn assembler(&self, prompt_estimate: u64) -> Assembler {
        let finish: Arc<dyn FinishTable> = self.finish.clone();
        Assembler::new(self.target.clone(), finish, prompt_estimate, self.provider.upstream.dialect())
    }
}

/// A provider's finish words, and those that the config adds for it.
pub(crate) struct Words {
    provider: &'static Provider,
    added: BTreeMap<String, FinishReason>,
}

impl FinishTable for Words {
    fn meaning(&self, word: &str) -> Option<FinishMeaning> {
        self.added.get(word).copied().map(FinishMeaning::Answer).or_else(|| self.provider.meaning(word))
    }
}

/// Which chain a request walks, and where it starts.
#[derive(Clone)]
pub struct Route {
    /// The chain.
    pub chain: Arc<ChainRuntime>,
    /// One tier alone, by its place.
    pub only: Option<usize>,
    /// Another order of the tiers.
    pub order: Option<Vec<usize>>,
}

/// What one call may set for itself.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// A shorter deadline than the config's; a longer one has no effect.
    pub deadline: Option<Duration>,
    /// Another way to handle an answer that breaks off after its release.
    pub on_interrupt: Option<OnInterrupt>,
    /// Allows a larger output limit for an answer that was cut before it was whole.
    pub grow_max_tokens: bool,
}

impl Engine {
    /// Writes a row and shows it to whoever watches.
    ///
    /// # Errors
    ///
    /// In words, when the log cannot be written and the config says that calls are then refused.
    pub(crate) fn write_row(&self, row: CallRecord) -> Result<(), String> {
        for observer in &self.observers {
            observer.row(&row);
        }
        let Some(store) = &self.store else { return Ok(()) };
        match store.append(&Entry::Call(row)) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.alert(Alert {
                    kind: "log_unwritable",
                    tier: None,
                    message: format!("the call log cannot be written: {error}"),
                    over: false,
                });
                if self.config.log.on_failure == OnLogFailure::Refuse {
                    Err(error.to_string())
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Passes on what changed in the tiers' health: to disk, and to people where they should look.
    pub(crate) fn publish_health(&self, now: Moment) {
        let changes = self.board.take_changes();
        if changes.is_empty() {
            return;
        }
        for change in &changes {
            if let Some(alert) = record::alert_of(change) {
                self.alert(alert);
            }
        }
        if let Some(store) = &self.store {
            store.save_health(self.board.records(now));
        }
    }

    pub(crate) fn alert(&self, alert: Alert) {
        let tier = alert.tier.as_ref().map(ToString::to_string).unwrap_or_default();
        if alert.over {
            tracing::info!(kind = alert.kind, tier, "over: {}", alert.message);
        } else {
            tracing::warn!(kind = alert.kind, tier, "{}", alert.message);
        }
        for observer in &self.observers {
            observer.alert(&alert);
        }
    }
}
