//! Chains as a whole: they have tiers, no tier twice, and more than a static one (behaviour 6.6).

use std::collections::BTreeMap;

use mainstay_cost::Purpose;

use crate::aliases;
use crate::config::{Chain, Tier};
use crate::report::{Fault, Report};
use crate::resolve::order;
use crate::resolve::providers::Built;
use crate::resolve::tiers::{self, Shared};
use crate::typed::chain::TypedChain;

/// All chains as meant; what is left out has been noted.
pub(crate) fn resolve(
    typed: &[TypedChain],
    providers: &BTreeMap<String, Built>,
    shared: &Shared<'_>,
    report: &mut Report<'_>,
) -> Vec<Chain> {
    aliases::check(typed, report);
    let mut chains = Vec::with_capacity(typed.len());
    for chain in typed {
        check_shape(chain, report);
        let mut tiers = Vec::with_capacity(chain.tiers.len());
        for tier in &chain.tiers {
            if let Some(provider) = providers.get(&tier.provider.value) {
                tiers.extend(tiers::resolve(tier, provider, shared, report));
            }
        }
        if tiers.len() == chain.tiers.len() {
            check_purpose(chain, &tiers, report);
            order::check(chain, &tiers, report);
        }
        chains.push(Chain {
            name: chain.name.value.clone(),
            aliases: chain.aliases.iter().map(|alias| alias.value.clone()).collect(),
            tiers,
        });
    }
    chains
}

fn check_shape(chain: &TypedChain, report: &mut Report<'_>) {
    let name = &chain.name.value;
    for (index, tier) in chain.tiers.iter().enumerate() {
        let target = tier.target();
        if chain.tiers.iter().take(index).any(|earlier| earlier.target() == target) {
            report.push(
                Fault::error(
                    "duplicate_tier",
                    &tier.at,
                    format!("chain {name} has two tiers named {target}"),
                )
                .fix("keep one; retry_budget says how often a tier is asked"),
            );
        }
    }
    if !chain.complete {
        return;
    }
    if chain.tiers.is_empty() {
        report.push(
            Fault::error("empty_chain", &chain.name.at, format!("chain {name} has no tier"))
                .fix(format!("add one: {name} = [\"provider/model\"], or [[chains.{name}.tiers]]")),
        );
    } else if chain.tiers.iter().all(|tier| tier.static_fallback) {
        report.push(
            Fault::error(
                "static_alone",
                &chain.name.at,
                format!("chain {name} has a static tier and no other"),
            )
            .fix("add the tier that it stands in for, or take static_fallback out: then it answers always"),
        );
    }
}

/// A model that its tier cannot be asked for in this way. A chain of embedding models is for embeddings, and
/// only its first tier is asked: vectors of two models do not mix (behaviour 11.6).
fn check_purpose(chain: &TypedChain, tiers: &[Tier], report: &mut Report<'_>) {
    let purpose = |tier: &Tier| tier.model.as_ref().map(|model| model.purpose);
    let all_embed = tiers.iter().all(|tier| purpose(tier) == Some(Purpose::Embedding));
    for (place, (typed, tier)) in chain.tiers.iter().zip(tiers).enumerate() {
        match purpose(tier) {
            Some(Purpose::Embedding) if !all_embed => report.push(
                Fault::error(
                    "not_a_chat_model",
                    &typed.model.at,
                    format!("{} makes embeddings", tier.target),
                )
                .fix("take it out; embeddings are asked for as provider/model, or of a chain of their own"),
            ),
            Some(Purpose::Embedding) if place > 0 => report.push(
                Fault::warning(
                    "no_effect",
                    &typed.model.at,
                    format!("{} is never asked: embeddings do not go to another tier", tier.target),
                )
                .fix("take it out, or give it a chain of its own: vectors of two models do not mix"),
            ),
            Some(Purpose::Chat | Purpose::Embedding | Purpose::ResponsesOnly) | None => {}
        }
    }
}
