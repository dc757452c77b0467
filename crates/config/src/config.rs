//! The configuration as meant: every default filled in, every name resolved, every key at hand.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Accepts, FinishReason, Target};
use mainstay_cost::{Catalogue, Model, Price, Purpose};
use mainstay_providers::Provider;
use mainstay_retry::{RetryOptions, Timeouts};

use crate::address::BaseUrl;
use crate::aliases;
use crate::problem::Problem;
use crate::read;
use crate::resolve::tiers;
use crate::secret::{Key, shown_address};
use crate::sections::alerts::Alerts;
use crate::sections::budget::Budget;
use crate::sections::log::Log;
use crate::sections::quality::QualityPolicy;
use crate::sections::server::Server;
use crate::sections::streaming::Streaming;
use crate::typed::patience::Patience;

/// A configuration that can be run. `Debug` shows no secret.
#[derive(Clone)]
pub struct Config {
    /// The gateway's own side.
    pub server: Server,
    /// The call log.
    pub log: Log,
    /// The caps.
    pub budget: Budget,
    /// Where alerts go.
    pub alerts: Alerts,
    /// How streams are held and continued.
    pub streaming: Streaming,
    /// How answers are judged, and what follows.
    pub quality: QualityPolicy,
    /// When a breaker opens; a tier may have its own.
    pub breaker: Breaker,
    /// The whole request, all tiers and waits included.
    pub deadline: Duration,
    /// Every provider that is named in the file or used by a tier, by name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The chains, in the order of the file; at least one.
    pub chains: Vec<Chain>,
    /// The prices and limits that are known: the bundled ones, and a newer file's over them.
    pub catalogue: Arc<Catalogue>,
    /// Where it came from.
    pub source: Source,
    /// What `[defaults]` says, for targets that stand in no chain.
    pub(crate) defaults: Patience,
}

impl Config {
    /// The tier for a target that is addressed directly (behaviour 11.2): one that stands in a chain as it
    /// stands there, else one with the defaults. `None` where its provider is not configured, or nobody
    /// knows its price.
    pub fn tier_for(&self, target: &Target) -> Option<Tier> {
        let mut all = self.chains.iter().flat_map(|chain| &chain.tiers);
        if let Some(tier) = all.find(|tier| tier.target == *target) {
            return Some(tier.clone());
        }
        let provider = self.providers.get(&*target.provider)?;
        tiers::plain(target, provider, &self.catalogue, &self.defaults)
    }

    /// Whose model a bare name is: that of a tier, else that of a configured provider for which the
    /// catalogue knows it.
    pub fn serving(&self, model: &str) -> Option<Target> {
        let mut tiers = self.chains.iter().flat_map(|chain| &chain.tiers);
        if let Some(tier) = tiers.find(|tier| &*tier.target.model == model) {
            return Some(tier.target.clone());
        }
        let listed = self.providers.keys().find(|name| self.catalogue.find(name, model).is_some());
        listed.map(|name| Target::new(name.as_str(), model))
    }

    /// The chain of that name.
    pub fn chain(&self, name: &str) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.name == name)
    }

    /// The chain that is meant where none is named: `default`, else the only one.
    pub fn default_chain(&self) -> Option<&Chain> {
        let only = if let [only] = self.chains.as_slice() { Some(only) } else { None };
        self.chain("default").or(only)
    }

    /// The chain that a client's model name means: a chain's name first, then the alias that fits best,
    /// a name without `*` before a pattern and the longer pattern before the shorter (behaviour 11.2).
    pub fn chain_for(&self, model: &str) -> Option<&Chain> {
        self.chain(model).or_else(|| aliases::best(&self.chains, model))
    }
}

impl Default for Config {
    /// All defaults and no chain: for callers that add providers and chains themselves.
    fn default() -> Self {
        read::empty()
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("server", &self.server)
            .field("log", &self.log)
            .field("budget", &self.budget)
            .field("alerts", &self.alerts)
            .field("streaming", &self.streaming)
            .field("quality", &self.quality)
            .field("breaker", &self.breaker)
            .field("deadline", &self.deadline)
            .field("providers", &self.providers)
            .field("chains", &self.chains)
            .field("catalogue", &self.catalogue.as_of())
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// Where a configuration came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, as it was named.
    File(PathBuf),
    /// The keys in the environment.
    Environment,
}

/// A configuration, with what is worth a look in it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What can be run.
    pub config: Config,
    /// What is worth a look, in the order of the file.
    pub warnings: Vec<Problem>,
}

/// When a breaker opens, and how traffic comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breaker {
    /// Provider faults in a row that open it.
    pub threshold: u32,
    /// How long it stays open before one probe.
    pub open: Duration,
    /// Over how long a busy tier gets its traffic back.
    pub return_over: Duration,
}

/// A provider as it is called. `Debug` shows no secret.
#[derive(Clone)]
pub struct ProviderConfig {
    /// Its name in the file.
    pub name: String,
    /// How it is spoken to.
    pub kind: &'static Provider,
    /// Where it listens, without a slash at the end.
    pub base_url: String,
    /// All its addresses in order, [`Self::base_url`] first.
    pub base_urls: Vec<String>,
    /// Its keys, in order; none where it wants none.
    pub keys: Vec<Key>,
    /// Whether the keys belong to separate accounts, so that they do not cool together.
    pub separate_accounts: bool,
    /// Finish words that this server uses and no table knows.
    pub finish_reasons: BTreeMap<String, FinishReason>,
    /// A proxy's address, which may hold a password; `env` for what the environment says.
    pub proxy: Option<String>,
    /// Whether plain HTTP beyond loopback is allowed.
    pub allow_http: bool,
    /// The version that goes into the address or a header, where the provider has one.
    pub api_version: Option<String>,
    /// The region that goes into the address, where the provider has one.
    pub region: Option<String>,
    /// Whether every address is this machine's.
    pub is_loopback: bool,
    /// Whether the file gives it an address other than its own.
    pub own_address: bool,
}

impl ProviderConfig {
    /// Whether a call costs nothing: this machine's own server, and no key.
    pub fn is_free(&self) -> bool {
        self.is_loopback && self.keys.is_empty()
    }

    /// Takes on the addresses that it is called at.
    pub(crate) fn at(mut self, addresses: &[BaseUrl]) -> Self {
        self.base_urls = addresses.iter().map(|address| address.url.clone()).collect();
        self.base_url = self.base_urls.first().cloned().unwrap_or_default();
        self.is_loopback = !addresses.is_empty() && addresses.iter().all(|address| address.is_loopback);
        self
    }
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("name", &self.name)
            .field("kind", &self.kind.id)
            .field("base_urls", &self.base_urls)
            .field("keys", &self.keys)
            .field("separate_accounts", &self.separate_accounts)
            .field("finish_reasons", &self.finish_reasons)
            .field("proxy", &self.proxy.as_deref().map(shown_address))
            .field("allow_http", &self.allow_http)
            .field("api_version", &self.api_version)
            .field("region", &self.region)
            .field("is_loopback", &self.is_loopback)
            .field("own_address", &self.own_address)
            .finish_non_exhaustive()
    }
}

/// Tiers in order: cheap first, capable last.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its name.
    pub name: String,
    /// What clients ask for that means this chain; `*` stands for any characters.
    pub aliases: Vec<String>,
    /// Its tiers, in order; at least one that is not static.
    pub tiers: Vec<Tier>,
}

/// One provider and model, and how it is treated.
#[derive(Clone, Debug)]
pub struct Tier {
    /// Who is asked.
    pub target: Target,
    /// Whether it only answers when all others are down.
    pub static_fallback: bool,
    /// Attempts and waits.
    pub retry: RetryOptions,
    /// Timers.
    pub timeouts: Timeouts,
    /// When its breaker opens.
    pub breaker: Breaker,
    /// What it costs.
    pub price: PriceOf,
    /// What the catalogue knows about the model.
    pub model: Option<Arc<Model>>,
    /// What the model accepts.
    pub accepts: Accepts,
    /// How much it is asked at most.
    pub limits: Limits,
}

impl Tier {
    /// Whether its model makes embeddings: by the catalogue, and where that does not know the model, by its name.
    pub fn embeds(&self) -> bool {
        match self.model.as_ref().map(|model| model.purpose) {
            Some(Purpose::Embedding) => true,
            Some(Purpose::Chat | Purpose::ResponsesOnly) => false,
            None => is_named_for_embeddings(&self.target.model),
        }
    }
}

/// Whether a model is called as embedding models are (names of Ollama's library, 2026-11).
pub(crate) fn is_named_for_embeddings(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["embed", "bge-", "minilm"].iter().any(|word| name.contains(word))
}

/// What a tier costs.
#[derive(Clone, Debug, PartialEq)]
pub enum PriceOf {
    /// This much: the tier's own price.
    Known(Price),
    /// What the catalogue says, which may depend on the hour and on what is asked.
    Listed(Arc<Model>),
    /// Nothing: a server of this machine without a key.
    Free,
    /// Nobody knows; recorded as unknown (behaviour 8.1).
    Unpriced,
}

/// How much a tier is asked at most; `None` is no limit of ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Requests per minute.
    pub rpm: Option<u64>,
    /// Tokens per minute.
    pub tpm: Option<u64>,
    /// Requests at the same time.
    pub in_flight: Option<u64>,
}
