//! Makes chains, tiers and endpoints of what the configuration says of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mainstay_config::{AtCap, Chain, Config, Key, ProviderConfig, Tier};
use mainstay_fallback::{BreakerSettings, ChainPlan, Limits, TierPlan};

use super::tier::Words;
use super::{ChainRuntime, TierRuntime};
use crate::error::BuildError;
use crate::transport::Endpoint;

/// One endpoint for each provider, connect timeout and account, so that tiers share a connection pool.
pub(super) type Endpoints = Arc<parking_lot::Mutex<BTreeMap<(String, Duration, Option<String>), Endpoint>>>;

pub(super) fn build_chain(
    chain: &Chain,
    config: &Config,
    endpoints: &Endpoints,
) -> Result<ChainRuntime, BuildError> {
    let mut tiers = Vec::with_capacity(chain.tiers.len());
    let mut plans = Vec::with_capacity(chain.tiers.len());
    for tier in &chain.tiers {
        let Some(provider) = config.providers.get(&*tier.target.provider) else {
            return Err(BuildError::Internal(format!("the provider of {} is not configured", tier.target)));
        };
        for account in accounts(provider) {
            tiers.push(Arc::new(build_tier(tier, provider, account, endpoints)?));
            plans.push(plan_tier(tier, account));
        }
    }
    let mut plan = ChainPlan::new(&chain.name, plans)
        .map_err(|source| BuildError::Plan { chain: chain.name.clone(), source })?;
    plan.fallback_on_refusal = config.quality.fallback_on_refusal;
    plan.fallback_on_filter = config.quality.fallback_on_filter;
    plan.max_refusals = config.quality.max_refusals;
    plan.quality_breaker = config.quality.quality_breaker;
    plan.static_at_cap = config.budget.at_cap == AtCap::Static;
    Ok(ChainRuntime { name: chain.name.clone(), plan: Arc::new(plan), tiers })
}

/// The keys that are tiers of their own, because each belongs to an account of its own (behaviour 6.3); one
/// `None` where all keys there are cool together.
fn accounts(provider: &ProviderConfig) -> Vec<Option<&Key>> {
    if provider.separate_accounts && provider.keys.len() > 1 {
        provider.keys.iter().map(Some).collect()
    } else {
        vec![None]
    }
}

fn plan_tier(tier: &Tier, account: Option<&Key>) -> TierPlan {
    TierPlan {
        key_name: account.map(|key| key.name.as_str().into()),
        retry: tier.retry.clone(),
        static_fallback: tier.static_fallback,
        context_window: tier.model.as_ref().and_then(|model| model.context),
        limits: Limits { rpm: tier.limits.rpm, tpm: tier.limits.tpm, in_flight: tier.limits.in_flight },
        breaker: Some(BreakerSettings {
            threshold: tier.breaker.threshold,
            open: tier.breaker.open,
            ..BreakerSettings::default()
        }),
        return_over: Some(tier.breaker.return_over),
        ..TierPlan::new(tier.target.clone())
    }
}

fn build_tier(
    tier: &Tier,
    provider: &ProviderConfig,
    account: Option<&Key>,
    endpoints: &Endpoints,
) -> Result<TierRuntime, BuildError> {
    Ok(TierRuntime {
        target: tier.target.clone(),
        provider: provider.kind,
        endpoint: endpoint(provider, account, tier.timeouts.connect, endpoints)?,
        accepts: tier.accepts.clone(),
        price: tier.price.clone(),
        model: tier.model.clone(),
        timeouts: tier.timeouts.clone(),
        static_fallback: tier.static_fallback,
        finish: Arc::new(Words { provider: provider.kind, added: provider.finish_reasons.clone() }),
    })
}

fn endpoint(
    provider: &ProviderConfig,
    account: Option<&Key>,
    connect: Duration,
    known: &Endpoints,
) -> Result<Endpoint, BuildError> {
    let mut known = known.lock();
    let place = (provider.name.clone(), connect, account.map(|key| key.name.clone()));
    if let Some(endpoint) = known.get(&place) {
        return Ok(endpoint.clone());
    }
    let keys = match account {
        Some(key) => vec![key.secret.clone()],
        None => provider.keys.iter().map(|key| key.secret.clone()).collect(),
    };
    // Loopback never goes through a proxy, whatever the config says for the rest.
    let proxy = provider.proxy.as_deref().filter(|_| !provider.is_loopback);
    let endpoint = Endpoint::new(&provider.base_url, provider.kind.auth, keys, connect, proxy)
        .map_err(|source| BuildError::Endpoint { provider: provider.name.clone(), source })?;
    known.insert(place, endpoint.clone());
    Ok(endpoint)
}
