//! Cheap first, capable last: what a chain costs that is not (behaviour 6.2).

use mainstay_canon::{Nanodollars, Usage};

use crate::config::{PriceOf, Tier};
use crate::report::{Fault, Report};
use crate::typed::chain::TypedChain;

/// The call by which tiers are compared.
const PROMPT: u64 = 2_000;
const ANSWER: u64 = 500;
/// How many of it, so that the amounts are ones that people have a feeling for.
const CALLS: i64 = 1_000;
/// The same in words.
const COMPARED: &str = "1,000 calls of 2,000 tokens in and 500 out";

/// Warns of the first tier that is dearer than one that stands below it.
pub(crate) fn check(chain: &TypedChain, tiers: &[Tier], report: &mut Report<'_>) {
    let priced: Vec<(usize, Nanodollars)> = tiers
        .iter()
        .enumerate()
        .filter(|(_, tier)| !tier.static_fallback)
        .filter_map(|(index, tier)| Some((index, thousand_calls(&tier.price)?)))
        .collect();
    for (place, (upper, dear)) in priced.iter().enumerate() {
        let below = priced.iter().skip(place + 1).min_by_key(|(_, cost)| *cost);
        let Some((lower, cheap)) = below.filter(|(_, cheap)| cheap < dear) else { continue };
        let (Some(upper_tier), Some(lower_tier), Some(typed)) =
            (tiers.get(*upper), tiers.get(*lower), chain.tiers.get(*upper))
        else {
            return;
        };
        let what = format!(
            "chain {} is not cheap first: {} stands before {}",
            chain.name.value, upper_tier.target, lower_tier.target
        );
        let fix = format!(
            "{COMPARED} cost ${dear} at {} and ${cheap} at {}; put the cheaper one first, unless it answers too badly",
            upper_tier.target, lower_tier.target
        );
        report.push(Fault::warning("dear_first", &typed.model.at, what).fix(fix));
        return;
    }
}

/// What a thousand ordinary calls cost, outside the hours at which some providers charge more.
pub(crate) fn thousand_calls(price: &PriceOf) -> Option<Nanodollars> {
    let usage = Usage { prompt: PROMPT, completion: ANSWER, ..Usage::default() };
    let one = match price {
        PriceOf::Known(price) => price.charge(&usage),
        PriceOf::Listed(model) => model.price.charge(&usage),
        PriceOf::Free => Nanodollars::ZERO,
        PriceOf::Unpriced => return None,
    };
    one.nanos().checked_mul(CALLS).map(Nanodollars::from_nanos)
}
