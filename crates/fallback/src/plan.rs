//! A chain as an operator means it: its tiers in order, and what it does with what they say.
//!
//! Knows nothing of how the tiers fare.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::Target;
use mainstay_retry::RetryOptions;

/// One tier: who is asked, how often, how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierPlan {
    /// Who is asked.
    pub target: Target,
    /// How often, and how long it is left alone.
    pub retry: RetryOptions,
    /// Whether it is the tier of last resort (behaviour 6.4).
    pub static_fallback: bool,
    /// Tokens that fit its context, where that is known.
    pub context_window: Option<u64>,
    /// What it may be asked at most.
    pub limits: Limits,
    /// The key's name, for keys of separate accounts: each is then a tier of its own with its own health.
    /// `None` where one key is used or all keys share one account.
    pub key_name: Option<Arc<str>>,
    /// When its breaker opens, where that differs from its chain's.
    pub breaker: Option<BreakerSettings>,
    /// How long it takes to get all its traffic back, where that differs from its chain's.
    pub return_over: Option<Duration>,
}

impl TierPlan {
    /// A tier with the defaults of the config file.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            retry: RetryOptions::default(),
            static_fallback: false,
            context_window: None,
            limits: Limits::default(),
            key_name: None,
            breaker: None,
            return_over: None,
        }
    }
}

/// What a tier may be asked at most; what does not fit goes to the next tier without a call (6.3a).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Calls in any 60 s.
    pub rpm: Option<u64>,
    /// Tokens in any 60 s.
    pub tpm: Option<u64>,
    /// Calls under way at once.
    pub in_flight: Option<u64>,
}

/// When a breaker opens and for how long (6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Provider faults in a row that open it. At least 1; default 5.
    pub threshold: u32,
    /// How long it stays open before one probe is let through. Default 30 s.
    pub open: Duration,
    /// Calls within the last minute below which no failure rate is computed. Default 20.
    pub rate_calls: u32,
    /// Provider faults among the last minute's calls that open it, in percent. Default 50.
    pub rate_percent: u32,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { threshold: 5, open: Duration::from_secs(30), rate_calls: 20, rate_percent: 50 }
    }
}

/// A chain: its tiers, first choice first, and what it does with what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainPlan {
    /// The chain's name.
    pub name: String,
    /// Its tiers, first choice first.
    pub tiers: Vec<TierPlan>,
    /// Whether a refused request goes on to the next tier. Default on.
    pub fallback_on_refusal: bool,
    /// Whether a filtered request goes on to the next tier. Default on.
    pub fallback_on_filter: bool,
    /// That many different providers refused: the refusal is the answer (6.1a). At least 1; default 2.
    pub max_refusals: u32,
    /// When breakers open; a tier may say otherwise.
    pub breaker: BreakerSettings,
    /// How long a busy tier takes to get all its traffic back (6.3b); a tier may say otherwise. Default 20 s.
    pub return_over: Duration,
    /// Whether a breaker also opens when nearly all of a tier's recent answers are bad (4.6). Default off.
    pub quality_breaker: bool,
    /// Whether the static tier answers what no other tier's budget allows (`at_cap = "static"`). Default off.
    pub static_at_cap: bool,
}

impl ChainPlan {
    /// A chain with the defaults of the config file.
    ///
    /// # Errors
    ///
    /// When it has no tier, two tiers of the same name (and key), only static tiers, or a tier that may
    /// not be asked even once (6.6).
    pub fn new(name: impl Into<String>, tiers: Vec<TierPlan>) -> Result<Self, PlanError> {
        let name = name.into();
        if tiers.is_empty() {
            return Err(PlanError::NoTier { chain: name });
        }
        let mut seen = HashSet::new();
        for tier in &tiers {
            if !seen.insert((&tier.target, &tier.key_name)) {
                return Err(PlanError::SameTier { chain: name, target: tier.target.clone() });
            }
            if tier.retry.retry_budget == 0 {
                return Err(PlanError::NoAttempt { chain: name, target: tier.target.clone() });
            }
        }
        if tiers.iter().all(|tier| tier.static_fallback) {
            return Err(PlanError::OnlyStatic { chain: name });
        }
        Ok(Self {
            name,
            tiers,
            fallback_on_refusal: true,
            fallback_on_filter: true,
            max_refusals: 2,
            breaker: BreakerSettings::default(),
            return_over: Duration::from_secs(20),
            quality_breaker: false,
            static_at_cap: false,
        })
    }

    /// When that tier's breaker opens.
    pub(crate) fn breaker_of<'a>(&'a self, tier: &'a TierPlan) -> &'a BreakerSettings {
        tier.breaker.as_ref().unwrap_or(&self.breaker)
    }

    /// How long the tier of that index takes to get all its traffic back.
    pub(crate) fn return_over_of(&self, tier: usize) -> Duration {
        self.tiers.get(tier).and_then(|tier| tier.return_over).unwrap_or(self.return_over)
    }
}

/// Why a list of tiers is no chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It has no tier.
    #[error("chain {chain} has no tier")]
    NoTier {
        /// Which chain.
        chain: String,
    },
    /// Two of its tiers have the same name.
    #[error("chain {chain} names {target} twice")]
    SameTier {
        /// Which chain.
        chain: String,
        /// The name.
        target: Target,
    },
    /// It has static tiers and no other.
    #[error("chain {chain} has only a static tier; put at least one other tier before it")]
    OnlyStatic {
        /// Which chain.
        chain: String,
    },
    /// A tier's retry budget is zero.
    #[error("chain {chain} may never ask {target}: its retry_budget is 0, the first attempt counts")]
    NoAttempt {
        /// Which chain.
        chain: String,
        /// Which tier.
        target: Target,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(name: &str) -> TierPlan {
        TierPlan::new(Target::parse(name).unwrap())
    }

    #[test]
    fn what_is_no_chain_is_refused_by_name() {
        let target = Target::parse("a/m").unwrap();
        let chain = || "c".to_owned();
        let check = |tiers, expected| assert_eq!(ChainPlan::new("c", tiers).unwrap_err(), expected);
        check(vec![], PlanError::NoTier { chain: chain() });
        check(vec![tier("a/m"), tier("a/m")], PlanError::SameTier { chain: chain(), target: target.clone() });
        let last_resort = TierPlan { static_fallback: true, ..tier("a/m") };
        check(vec![last_resort], PlanError::OnlyStatic { chain: chain() });
        let mut never = tier("a/m");
        never.retry.retry_budget = 0;
        check(vec![never], PlanError::NoAttempt { chain: chain(), target });
    }

    #[test]
    fn keys_of_separate_accounts_are_tiers_of_their_own() {
        let keyed = |key: &str| TierPlan { key_name: Some(key.into()), ..tier("a/m") };
        assert!(ChainPlan::new("c", vec![keyed("one"), keyed("two")]).is_ok());
        assert!(ChainPlan::new("c", vec![keyed("one"), keyed("one")]).is_err());
    }
}
