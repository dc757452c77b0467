//! A week of an agent's traffic, twice: cheap first and expensive first; and its Friday, with an outage of
//! every provider.
//!
//! The chain, its health, its caps and its prices are the real ones. The providers follow a script whose
//! rates stand, with their reasons, in [`inputs`].

mod computed;
mod friday;
pub mod inputs;
mod shares;
mod tables;
mod traffic;

use std::sync::Arc;

use mainstay_canon::{Moment, Nanodollars, Target};
use mainstay_cost::{Caps, Catalogue, Ledger, Price};
use mainstay_fallback::{ChainPlan, HealthBoard, PlanError, TierPlan};

use crate::simulation::{Ended, Happening, How, World, simulate};
pub use friday::{FridayRow, friday};
use inputs::{ATTEMPTS_A_TIER, LAST_RESORT, MONDAY, TIERS, Tier};
pub use shares::Shares;
pub use tables::{friday_table, week_table};
use traffic::Scripted;

/// Which end of the price list is asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The cheapest tier.
    CheapFirst,
    /// The dearest tier.
    ExpensiveFirst,
}

impl Order {
    fn tiers(self) -> Vec<&'static Tier> {
        match self {
            Self::CheapFirst => TIERS.iter().collect(),
            Self::ExpensiveFirst => TIERS.iter().rev().collect(),
        }
    }
}

/// Why there is no week.
#[derive(Debug, thiserror::Error)]
pub enum WeekError {
    /// A name in the inputs is no `provider/model`.
    #[error("{0} is no tier: expected provider/model; mend it in the inputs")]
    NoTarget(&'static str),
    /// The catalogue has no price for a tier of the inputs.
    #[error("the catalogue has no price for {0}; name another model in the inputs")]
    NoPrice(&'static str),
    /// The tiers make no chain.
    #[error(transparent)]
    NoChain(#[from] PlanError),
}

/// How a week went.
#[derive(Clone, Debug)]
pub struct Week {
    /// Who answered, as shares of all requests, 0 to 1.
    pub shares: Shares,
    /// The same by the inputs alone.
    pub computed: Shares,
    /// Requests that came.
    pub requests: u32,
    /// Calls that were made for them.
    pub calls: u32,
    /// What they cost.
    pub cost: Nanodollars,
}

/// Lets the week pass.
///
/// # Errors
///
/// [`WeekError`] when the inputs do not fit the catalogue.
pub fn week(order: Order, seed: u64) -> Result<Week, WeekError> {
    let mut counted = Shares::default();
    let (mut requests, mut calls, mut cost) = (0_u32, 0_u32, Nanodollars::ZERO);
    run(order, seed, false, &mut |ended| {
        requests += 1;
        calls += ended.calls;
        cost = cost.saturating_add(ended.cost);
        match ended.how {
            How::Answered { tier, tier_attempt: 1 } => counted.answered(tier, 1.0, 0.0),
            How::Answered { tier, .. } => counted.answered(tier, 0.0, 1.0),
            How::GaveUp(_) | How::Left => counted.nobody += 1.0,
        }
    })?;
    let mut shares = Shares::default();
    shares.add(&counted, 1.0 / f64::from(requests.max(1)));
    Ok(Week { shares, computed: computed::shares(&order.tiers()), requests, calls, cost })
}

fn run(order: Order, seed: u64, with_outage: bool, ended: &mut impl FnMut(&Ended)) -> Result<(), WeekError> {
    let tiers = order.tiers();
    let world = world(&tiers)?;
    let mut providers = Scripted { tiers, seed, with_outage };
    let mut chance = fastrand::Rng::with_seed(seed);
    simulate(&world, traffic::comings(seed), &mut providers, &mut chance, &mut |happening| {
        if let Happening::Ended(how) = happening {
            ended(how);
        }
    });
    Ok(())
}

fn world(tiers: &[&'static Tier]) -> Result<World, WeekError> {
    let plans = tiers.iter().map(|tier| plan(tier, false)).chain([plan(&LAST_RESORT, true)]);
    let prices = tiers.iter().map(|tier| price(tier)).collect::<Result<_, _>>()?;
    // No caps: what is counted is what the week costs. Every call is set aside and settled all the same.
    let ledger = Ledger::new(Caps::default());
    Ok(World {
        plan: Arc::new(ChainPlan::new("week", plans.collect::<Result<_, _>>()?)?),
        prices,
        board: HealthBoard::default(),
        ledger: Arc::new(ledger),
    })
}

fn plan(tier: &Tier, static_fallback: bool) -> Result<TierPlan, WeekError> {
    let target = Target::parse(tier.name).ok_or(WeekError::NoTarget(tier.name))?;
    let mut plan = TierPlan { static_fallback, ..TierPlan::new(target) };
    plan.retry.retry_budget = ATTEMPTS_A_TIER;
    Ok(plan)
}

fn price(tier: &Tier) -> Result<Price, WeekError> {
    let (provider, model) = tier.name.split_once('/').ok_or(WeekError::NoTarget(tier.name))?;
    let known = Catalogue::bundled().find(provider, model).ok_or(WeekError::NoPrice(tier.name))?;
    Ok(known.price_at(Moment::from_secs(MONDAY)))
}
