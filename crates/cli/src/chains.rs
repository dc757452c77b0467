//! Chains with their prices, as `init`, `check` and `serve` show them.

use mainstay::{ChatRequest, Nanodollars};
use mainstay_config::{Config, PriceOf, Tier};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::settings::now;

/// One line a chain, one a tier.
pub(crate) fn lines(config: &Config) -> Vec<String> {
    let all = config.chains.iter().flat_map(|chain| &chain.tiers);
    let width = all.map(|tier| tier.target.to_string().chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for chain in &config.chains {
        let aliases = if chain.aliases.is_empty() {
            String::new()
        } else {
            format!("  (also asked for as {})", chain.aliases.join(", "))
        };
        lines.push(format!("chain {}{aliases}", chain.name.bold()));
        for (place, tier) in chain.tiers.iter().enumerate() {
            let role = if tier.static_fallback { "; answers when no other tier can" } else { "" };
            lines.push(format!("  {} {:<width$}  {}{role}", place + 1, tier.target.to_string(), price(tier)));
        }
    }
    lines
}

/// The same for scripts.
pub(crate) fn to_json(config: &Config) -> Value {
    let tier = |(place, tier): (usize, &Tier)| {
        json!({"place": place + 1, "tier": tier.target.to_string(), "static": tier.static_fallback,
               "price": price_json(tier)})
    };
    let chains = config.chains.iter().map(|chain| {
        let tiers: Vec<Value> = chain.tiers.iter().enumerate().map(tier).collect();
        json!({"chain": chain.name, "aliases": chain.aliases, "tiers": tiers})
    });
    chains.collect()
}

/// A tier's price for people, per million tokens.
fn price(tier: &Tier) -> String {
    match rates(tier) {
        Some(rates) => format!("${} in, ${} out per million tokens", rates.input, rates.output),
        None if tier.price == PriceOf::Free => "free (this machine)".into(),
        None => "price unknown".into(),
    }
}

fn price_json(tier: &Tier) -> Value {
    let whose = match &tier.price {
        PriceOf::Known(_) => "config",
        PriceOf::Listed(_) => "catalogue",
        PriceOf::Free => "free",
        PriceOf::Unpriced => "unknown",
    };
    match rates(tier) {
        Some(rates) => {
            json!({"from": whose, "input": rates.input.to_string(), "output": rates.output.to_string()})
        }
        None => json!({"from": whose}),
    }
}

/// What a tier charges now; `None` where it is free or nobody knows.
fn rates(tier: &Tier) -> Option<mainstay_cost::Rates> {
    match &tier.price {
        PriceOf::Known(price) => Some(price.base()),
        PriceOf::Listed(model) => Some(model.price_at(now()).base()),
        PriceOf::Free | PriceOf::Unpriced => None,
    }
}

/// The most that a request can cost at a tier when every attempt that the tier allows is made and billed;
/// `None` where nobody knows.
pub(crate) fn worst(tier: &Tier, request: &ChatRequest) -> Option<Nanodollars> {
    let prompt = mainstay_cost::prompt_bound(request);
    let output = request.max_tokens.unwrap_or(u32::MAX).into();
    let once = match &tier.price {
        PriceOf::Known(price) => price.worst(prompt, output),
        PriceOf::Listed(model) => model.price_at(now()).worst(prompt, output),
        PriceOf::Free => Nanodollars::ZERO,
        PriceOf::Unpriced => return None,
    };
    Some(std::iter::repeat_n(once, tier.retry.retry_budget as usize).sum())
}
