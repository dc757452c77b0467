//! Chains and tiers, ready to be walked and asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainstay_canon::{Accepts, ChatRequest, Dialect, FinishMeaning, FinishReason, Target};
use mainstay_config::PriceOf;
use mainstay_cost::Model;
use mainstay_dialects::Upstream;
use mainstay_fallback::ChainPlan;
use mainstay_normalize::{Assembler, Context, FinishTable};
use mainstay_providers::Provider;
use mainstay_retry::Timeouts;

use crate::transport::Endpoint;

/// One chain, ready to be walked.
pub struct ChainRuntime {
    /// Its name.
    pub name: String,
    /// What the fallback layer walks.
    pub plan: Arc<ChainPlan>,
    /// The tiers, in the same order.
    pub tiers: Vec<Arc<TierRuntime>>,
}

impl ChainRuntime {
    /// The tiers' names in order.
    pub fn tier_names(&self) -> Vec<String> {
        self.tiers.iter().map(|tier| tier.target.to_string()).collect()
    }

    /// Where that model stands; more than once under keys of separate accounts.
    pub(super) fn places_of(&self, target: &Target) -> Vec<usize> {
        (0..).zip(&self.tiers).filter(|(_, tier)| tier.target == *target).map(|(place, _)| place).collect()
    }
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
    /// The dialect in which this request is asked here: a provider may speak two.
    pub(crate) fn upstream_for(&self, request: &ChatRequest) -> &'static dyn Upstream {
        self.provider.upstream_for(request, &self.target.model)
    }

    /// What a whole reply in that dialect is normalized with.
    pub(crate) fn normal_context(&self, dialect: Dialect, prompt_estimate: u64) -> Context<'_> {
        Context { target: &self.target, finish: &*self.finish, prompt_estimate, dialect }
    }

    /// What puts a streamed reply in that dialect together.
    pub(crate) fn assembler(&self, dialect: Dialect, prompt_estimate: u64) -> Assembler {
        let finish: Arc<dyn FinishTable> = self.finish.clone();
        Assembler::new(self.target.clone(), finish, prompt_estimate, dialect)
    }
}

/// A provider's finish words, and those that the config adds for it.
pub(crate) struct Words {
    pub(super) provider: &'static Provider,
    pub(super) added: BTreeMap<String, FinishReason>,
}

impl FinishTable for Words {
    fn meaning(&self, word: &str) -> Option<FinishMeaning> {
        self.added.get(word).copied().map(FinishMeaning::Answer).or_else(|| self.provider.meaning(word))
    }
}
