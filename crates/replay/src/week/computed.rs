//! What the shares must come to by the inputs alone, without a simulation.
//!
//! Each attempt is a throw of its own, so a tier's part is a sum over its attempts. To that comes the time
//! in which a tier is left alone: a request that meets it goes straight to the next. Requests come at
//! random, so the share that meets a cooling tier is the share of time that it cools: `x / (1 + x)` where
//! `x` is what one hour's calls bring in cooling time, as a part of that hour.

use super::Shares;
use super::inputs::{ATTEMPTS_A_TIER, HARD, LIMITED_FOR, PASSING, REQUESTS, Tier};
use super::traffic::share_of_hour;

/// How long a tier that is left after a fault of its own is left alone, in seconds: a third of the default
/// cooldown.
const COOLS_FOR: f64 = 20.0;

/// Expected shares for the chain of these tiers.
pub(super) fn shares(tiers: &[&Tier]) -> Shares {
    let mut sum = Shares::default();
    for hour in 0..7 * 24 {
        let part = share_of_hour(hour);
        let a_second = part * f64::from(REQUESTS) / 3_600.0;
        sum.add(&in_an_hour(tiers, a_second), part);
    }
    sum
}

fn in_an_hour(tiers: &[&Tier], a_second: f64) -> Shares {
    let mut shares = Shares::default();
    // Those who have come this far, with ordinary prompts and with hard ones.
    let mut come = [1.0 - HARD, HARD];
    for (place, tier) in tiers.iter().enumerate() {
        let [ordinary, hard] = [PASSING.useless, tier.fails_at_hard].map(outcome);
        let [many, few] = come;
        let cools = many.mul_add(ordinary.cools, few * hard.cools) * a_second;
        let there = 1.0 / (1.0 + cools);
        let at = |attempt: usize| {
            let [ordinary, hard] =
                [&ordinary, &hard].map(|it| it.answered.get(attempt).copied().unwrap_or(0.0));
            many.mul_add(ordinary, few * hard) * there
        };
        let retried = (1..ATTEMPTS_A_TIER as usize).map(at).sum();
        shares.answered(place, at(0), retried);
        come = [many * ordinary.left_over(there), few * hard.left_over(there)];
    }
    shares.nobody = come.iter().sum();
    shares
}

/// What becomes of a request at one tier that is there.
struct Outcome {
    /// By each attempt.
    answered: Vec<f64>,
    /// Seconds of cooling that it brings in the mean.
    cools: f64,
}

impl Outcome {
    /// The share that goes on to the next tier, where this one is there for so many.
    fn left_over(&self, there: f64) -> f64 {
        1.0 - there * self.answered.iter().sum::<f64>()
    }
}

fn outcome(useless: f64) -> Outcome {
    let again = useless + PASSING.server;
    let good = 1.0 - again - PASSING.limited - PASSING.silent;
    #[allow(clippy::cast_precision_loss)]
    let limited_for = LIMITED_FOR as f64;
    let leaves = PASSING.limited.mul_add(limited_for, PASSING.silent * COOLS_FOR);
    let (mut answered, mut cools, mut tried) = (Vec::new(), 0.0, 1.0);
    for attempt in 1..=ATTEMPTS_A_TIER {
        answered.push(tried * good);
        cools += tried * leaves;
        if attempt == ATTEMPTS_A_TIER {
            cools += tried * PASSING.server * COOLS_FOR;
        }
        tried *= again;
    }
    Outcome { answered, cools }
}
