//! Makes chains, tiers and endpoints of what the configuration says of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mainstay_config::{AtCap, Chain, Config, ProviderConfig, Tier};
use mainstay_fallback::{BreakerSettings, ChainPlan, Limits, TierPlan};

use super::tier::Words;
use super::{ChainRuntime, TierRuntime};
use crate::error::BuildError;
use crate::transport::Endpoint;

/// One endpoint for each provider and connect timeout, so that tiers share a connection pool.
pub(super) type Endpoints = Arc<parking_lot::Mutex<BTreeMap<(String, Duration), Endpoint>>>;

pub(super) fn build_chain(
    chain: &Chain,
    config: &Config,
    endpoints: &Endpoints,
) -> Result<ChainRuntime, BuildError> {
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
    Ok(ChainRuntime { name: chain.name.clone(), plan: Arc::new(plan), tiers })
}

fn plan_tier(tier: &Tier) -> TierPlan {
    TierPlan {
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
