//! Whether something that was wrong still is.

use std::time::Duration;

use mainstay::{Engine, Moment, Target};
use mainstay_fallback::{StaticSwitch, TierState};

use super::STATIC_TIER;
use super::board::{Active, TOLD_EVERY};

/// How long something counts as going on after it was seen.
const JUST_NOW: Duration = Duration::from_secs(30);

/// Looks at the thing itself where it can be looked at; what only happens is over when it has not happened
/// again for ten minutes.
pub(super) fn still_on(alert: &Active, engine: &Engine, now: Moment) -> bool {
    let quiet = now.since(alert.last_seen);
    match (alert.kind, &alert.tier) {
        (STATIC_TIER, Some(tier)) => quiet < JUST_NOW || is_needed(tier, engine),
        (
            "tier_disabled"
            | "quota_exhausted"
            | "tier_disabled_by_operator"
            | "breaker_open"
            | "tier_cooling",
            Some(tier),
        ) => !answers(tier, engine),
        ("log_unwritable", _) => quiet < JUST_NOW || engine.log_problem().is_some(),
        ("cap_near", _) => quiet < TOLD_EVERY || is_near_a_cap(engine),
        _ => quiet < TOLD_EVERY,
    }
}

fn answers(tier: &Target, engine: &Engine) -> bool {
    match engine.board().health_of(tier, None, engine.now()).state {
        TierState::Available | TierState::Returning { .. } => true,
        TierState::Cooling { .. }
        | TierState::Open { .. }
        | TierState::HalfOpen { .. }
        | TierState::Disabled { .. } => false,
    }
}

/// Whether a chain has nobody but this static tier.
fn is_needed(tier: &Target, engine: &Engine) -> bool {
    if engine.board().static_switch() == StaticSwitch::On {
        return true;
    }
    let chains = &engine.config().chains;
    let with_it = chains.iter().filter(|chain| chain.tiers.iter().any(|one| one.target == *tier));
    with_it.into_iter().any(|chain| {
        let mut others = chain.tiers.iter().filter(|one| !one.static_fallback);
        !others.any(|other| answers(&other.target, engine))
    })
}

fn is_near_a_cap(engine: &Engine) -> bool {
    let percent = i128::from(engine.config().budget.warn_at_percent);
    engine.ledger().status(engine.now()).iter().any(|status| {
        let mark = i128::from(status.limit.nanos()).saturating_mul(percent);
        percent > 0 && i128::from(status.spent.nanos()).saturating_mul(100) >= mark
    })
}
