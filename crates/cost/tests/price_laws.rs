//! Laws of a price: the charge is exact, and no call costs more than its worst case.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "the helpers of a test are a test")]

use mainstay_canon::{Nanodollars, PerMillion, Usage};
use mainstay_cost::{Multiplier, Price, Rates};
use proptest::prelude::*;

/// A whole number of any size, in decimal digits, the last digit first: slow, plain and independent of the
/// arithmetic that is tested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Big(Vec<u8>);

impl Big {
    fn of(number: u64) -> Self {
        Self(number.to_string().bytes().rev().map(|digit| digit - b'0').collect())
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = Vec::new();
        let mut carry = 0;
        for place in 0..self.0.len().max(other.0.len()) {
            let digit = self.0.get(place).unwrap_or(&0) + other.0.get(place).unwrap_or(&0) + carry;
            sum.push(digit % 10);
            carry = digit / 10;
        }
        sum.push(carry);
        Self(sum)
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (place, digit) in other.0.iter().enumerate() {
            let mut shifted = vec![0; place];
            shifted.extend(&self.0);
            let shifted = Self(shifted);
            for _ in 0..*digit {
                product = product.plus(&shifted);
            }
        }
        product
    }

    /// Without the last nine digits, rounded half up; the largest amount where it does not fit.
    fn nanodollars(&self) -> Nanodollars {
        let half_up = self.plus(&Self::of(500_000_000));
        let digits: String = half_up.0.iter().skip(9).rev().map(|digit| char::from(digit + b'0')).collect();
        let digits = digits.trim_start_matches('0');
        if digits.len() > 19 {
            return Nanodollars::MAX;
        }
        digits.parse().map_or(
            if digits.is_empty() { Nanodollars::ZERO } else { Nanodollars::MAX },
            Nanodollars::from_nanos,
        )
    }
}

fn rate() -> impl Strategy<Value = PerMillion> {
    prop_oneof![Just(0_u64), 1_u64..1_000, Just(83_333_333_330), 0_u64..200_000_000_000_000, any::<u64>(),]
        .prop_map(PerMillion::from_units)
}

fn rates() -> impl Strategy<Value = Rates> {
    let maybe = || prop::option::of(rate());
    (rate(), maybe(), maybe(), maybe(), rate(), maybe()).prop_map(
        |(input, cached_input, cache_write, cache_write_1h, output, reasoning)| Rates {
            input,
            cached_input,
            cache_write,
            cache_write_1h,
            output,
            reasoning,
        },
    )
}

fn price() -> impl Strategy<Value = Price> {
    let steps = prop::collection::vec((prop_oneof![0_u64..2_000_000, any::<u64>()], rates()), 0..4);
    (rates(), steps).prop_map(|(base, above)| Price {
        input: base.input,
        cached_input: base.cached_input,
        cache_write: base.cache_write,
        cache_write_1h: base.cache_write_1h,
        output: base.output,
        reasoning: base.reasoning,
        above,
    })
}

fn tokens() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..10, 0_u64..3_000_000, any::<u64>()]
}

/// Counts of which each part fits its whole, as a sound provider reports them.
fn sound_usage() -> impl Strategy<Value = Usage> {
    let part = || 0_u64..=100;
    (tokens(), tokens(), part(), part(), part(), part()).prop_map(
        |(prompt, completion, read, write, long, thought)| {
            let share = |of: u64, percent: u64| of / 100 * percent + of % 100 * percent / 100;
            let cached = share(prompt, read);
            let cache_write = share(prompt - cached, write);
            Usage {
                prompt,
                completion,
                cached,
                cache_write,
                cache_write_1h: share(cache_write, long),
                reasoning: share(completion, thought),
                estimated: false,
            }
        },
    )
}

/// The charge by the rules, from the text of the rules: the highest step passed, each part at its own rate
/// or at what it falls back to, everything added up and rounded once.
fn oracle(price: &Price, usage: &Usage) -> Nanodollars {
    let mut rates = price.base();
    let mut highest = None;
    for (mark, step) in &price.above {
        if usage.prompt > *mark && highest.is_none_or(|highest| *mark >= highest) {
            (rates, highest) = (*step, Some(*mark));
        }
    }
    let write = rates.cache_write.unwrap_or(rates.input);
    let parts = [
        (usage.prompt - usage.cached - usage.cache_write, rates.input),
        (usage.cached, rates.cached_input.unwrap_or(rates.input)),
        (usage.cache_write - usage.cache_write_1h, write),
        (usage.cache_write_1h, rates.cache_write_1h.unwrap_or(write)),
        (usage.completion - usage.reasoning, rates.output),
        (usage.reasoning, rates.reasoning.unwrap_or(rates.output)),
    ];
    let exact = parts.iter().fold(Big::default(), |sum, (tokens, rate)| {
        sum.plus(&Big::of(*tokens).times(&Big::of(rate.units())))
    });
    exact.nanodollars()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_charge_is_exact(price in price(), usage in sound_usage()) {
        prop_assert_eq!(price.charge(&usage), oracle(&price, &usage));
    }

    #[test]
    fn no_call_within_its_bounds_costs_more_than_its_worst_case(
        price in price(),
        usage in sound_usage(),
        slack in (tokens(), tokens()),
    ) {
        let prompt_bound = usage.prompt.saturating_add(slack.0);
        let output_limit = usage.completion.saturating_add(slack.1);
        prop_assert!(price.worst(prompt_bound, output_limit) >= price.charge(&usage));
    }

    #[test]
    fn counts_that_make_no_sense_do_not_get_past_the_worst_case_either(
        price in price(),
        parts in (tokens(), tokens(), tokens(), tokens(), tokens(), tokens()),
    ) {
        let (prompt, completion, cached, cache_write, cache_write_1h, reasoning) = parts;
        // Two of them together must fit a bound.
        let (cached, cache_write, cache_write_1h) = (cached / 2, cache_write / 2, cache_write_1h / 2);
        let usage = Usage { prompt, completion, cached, cache_write, cache_write_1h, reasoning, estimated: true };
        let told = prompt.max(cached.saturating_add(cache_write.max(cache_write_1h)));
        prop_assert!(price.worst(told, completion.max(reasoning)) >= price.charge(&usage));
    }

    #[test]
    fn more_never_has_a_smaller_worst_case(price in price(), a in (tokens(), tokens()), b in (tokens(), tokens())) {
        let larger = price.worst(a.0.max(b.0), a.1.max(b.1));
        prop_assert!(larger >= price.worst(a.0, a.1) && larger >= price.worst(b.0, b.1));
    }

    #[test]
    fn what_is_affordable_fits_and_one_token_more_does_not(price in price(), prompt in tokens(), room in 0..i64::MAX) {
        let room = Nanodollars::from_nanos(room);
        let affordable = price.affordable_output(prompt, room);
        if affordable > 0 {
            prop_assert!(price.worst(prompt, affordable) <= room);
        }
        if affordable < u64::MAX {
            prop_assert!(price.worst(prompt, affordable + 1) > room);
        }
        prop_assert!(price.output_for(prompt, room) >= affordable);
    }

    #[test]
    fn the_dearer_of_two_prices_is_enough_for_both(one in price(), two in price(), usage in sound_usage()) {
        let enough = one.dearer(&two).worst(usage.prompt, usage.completion);
        prop_assert!(enough >= one.charge(&usage) && enough >= two.charge(&usage));
    }

    #[test]
    fn a_factor_below_one_never_makes_a_price_dearer(price in price(), factor in 0_u32..=1_000, usage in sound_usage()) {
        let cheaper = price.times(Multiplier::from_thousandths(factor));
        prop_assert!(cheaper.charge(&usage) <= price.charge(&usage));
        prop_assert_eq!(&price.times(Multiplier::ONE), &price);
    }
}
