//! What tokens cost: rates, steps by context size, the exact charge and the worst case.
//!
//! Knows no model by name, no clock and no cap.

use mainstay_canon::{Nanodollars, PerMillion, Usage};

use crate::multiplier::Multiplier;

/// Rates for one size of prompt, in dollars per million tokens. An absent rate is not a free one: each
/// field says what it falls back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Input that is neither read from a cache nor written to one.
    pub input: PerMillion,
    /// Input read from a cache; billed as `input` where absent.
    pub cached_input: Option<PerMillion>,
    /// Input written to a cache for minutes; billed as `input` where absent.
    pub cache_write: Option<PerMillion>,
    /// Input written to a cache for an hour or longer; billed as `cache_write` where absent.
    pub cache_write_1h: Option<PerMillion>,
    /// Visible output.
    pub output: PerMillion,
    /// Hidden output; billed as `output` where absent.
    pub reasoning: Option<PerMillion>,
}

impl Rates {
    fn read(&self) -> PerMillion {
        self.cached_input.unwrap_or(self.input)
    }

    fn write(&self) -> PerMillion {
        self.cache_write.unwrap_or(self.input)
    }

    fn write_long(&self) -> PerMillion {
        self.cache_write_1h.unwrap_or_else(|| self.write())
    }

    fn thought(&self) -> PerMillion {
        self.reasoning.unwrap_or(self.output)
    }

    /// The dearest way in which a prompt token may be billed.
    fn dearest_input(&self) -> PerMillion {
        self.input.max(self.read()).max(self.write()).max(self.write_long())
    }

    /// The dearest way in which an output token may be billed.
    fn dearest_output(&self) -> PerMillion {
        self.output.max(self.thought())
    }

    /// The exact price of a use, in [`PerMillion::exact`]'s units. Counts that contradict each other are
    /// charged as they stand: more cached tokens than prompt tokens make the prompt no cheaper.
    fn exact(&self, usage: &Usage) -> u128 {
        let long = usage.cache_write_1h;
        let short = usage.cache_write.saturating_sub(long);
        let plain = usage.prompt.saturating_sub(usage.cached).saturating_sub(short).saturating_sub(long);
        let visible = usage.completion.saturating_sub(usage.reasoning);
        [
            self.input.exact(plain),
            self.read().exact(usage.cached),
            self.write().exact(short),
            self.write_long().exact(long),
            self.output.exact(visible),
            self.thought().exact(usage.reasoning),
        ]
        .into_iter()
        .fold(0, u128::saturating_add)
    }

    /// The exact worst price of so many tokens.
    fn exact_worst(&self, prompt: u64, output: u64) -> u128 {
        self.dearest_input().exact(prompt).saturating_add(self.dearest_output().exact(output))
    }

    /// Each rate times `factor`, rounded up.
    pub(crate) fn times(&self, factor: Multiplier) -> Self {
        let scale = |rate: PerMillion| factor.of(rate);
        Self {
            input: scale(self.input),
            cached_input: self.cached_input.map(scale),
            cache_write: self.cache_write.map(scale),
            cache_write_1h: self.cache_write_1h.map(scale),
            output: scale(self.output),
            reasoning: self.reasoning.map(scale),
        }
    }

    /// Of each rate the dearer one, with the fall-backs spelled out.
    pub(crate) fn dearer(&self, other: &Self) -> Self {
        Self {
            input: self.input.max(other.input),
            cached_input: Some(self.read().max(other.read())),
            cache_write: Some(self.write().max(other.write())),
            cache_write_1h: Some(self.write_long().max(other.write_long())),
            output: self.output.max(other.output),
            reasoning: Some(self.thought().max(other.thought())),
        }
    }

    /// The rates with every kind of input at `input` or above.
    pub(crate) fn with_input_at_least(self, input: PerMillion) -> Self {
        Self {
            input: self.input.max(input),
            cached_input: Some(self.read().max(input)),
            cache_write: Some(self.write().max(input)),
            cache_write_1h: Some(self.write_long().max(input)),
            ..self
        }
    }

    /// The rates with every kind of output at `output` or above.
    pub(crate) fn with_output_at_least(self, output: PerMillion) -> Self {
        Self { output: self.output.max(output), reasoning: Some(self.thought().max(output)), ..self }
    }
}

/// The price of a model at one moment, in dollars per million tokens.
///
/// ```
/// use mainstay_canon::{Nanodollars, Usage};
/// use mainstay_cost::Price;
///
/// let price = Price { cached_input: "0.05".parse().ok(), ..Price::flat("0.50".parse()?, "3.00".parse()?) };
/// let usage = Usage { prompt: 20_000, cached: 16_000, completion: 1_000, ..Usage::default() };
/// assert_eq!(price.charge(&usage), Nanodollars::from_nanos(5_800_000));
/// # Ok::<(), mainstay_canon::MoneyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// Input that is neither read from a cache nor written to one.
    pub input: PerMillion,
    /// Input read from a cache; billed as `input` where absent.
    pub cached_input: Option<PerMillion>,
    /// Input written to a cache for minutes; billed as `input` where absent.
    pub cache_write: Option<PerMillion>,
    /// Input written to a cache for an hour or longer; billed as `cache_write` where absent.
    pub cache_write_1h: Option<PerMillion>,
    /// Visible output.
    pub output: PerMillion,
    /// Hidden output; billed as `output` where absent.
    pub reasoning: Option<PerMillion>,
    /// The rates of the whole request once its prompt, cached tokens included, is larger than so many
    /// tokens. The largest number passed decides.
    pub above: Vec<(u64, Rates)>,
}

impl Price {
    /// Free of charge, on purpose.
    pub const fn free() -> Self {
        Self::flat(PerMillion::ZERO, PerMillion::ZERO)
    }

    /// One rate for all input and one for all output.
    pub const fn flat(input: PerMillion, output: PerMillion) -> Self {
        Self {
            input,
            cached_input: None,
            cache_write: None,
            cache_write_1h: None,
            output,
            reasoning: None,
            above: Vec::new(),
        }
    }

    /// The rates of the smallest prompts.
    pub const fn base(&self) -> Rates {
        Rates {
            input: self.input,
            cached_input: self.cached_input,
            cache_write: self.cache_write,
            cache_write_1h: self.cache_write_1h,
            output: self.output,
            reasoning: self.reasoning,
        }
    }

    /// Whether nothing can ever be charged at this price.
    pub fn is_free(&self) -> bool {
        self.steps(u64::MAX).all(|rates| {
            rates.dearest_input() == PerMillion::ZERO && rates.dearest_output() == PerMillion::ZERO
        })
    }

    /// What a use cost, exact, rounded half up once to a nano-dollar.
    pub fn charge(&self, usage: &Usage) -> Nanodollars {
        let written = usage.cache_write.max(usage.cache_write_1h);
        let prompt = usage.prompt.max(usage.cached.saturating_add(written));
        let exact = self.rates_for(prompt).exact(usage);
        nanodollars(
            exact.saturating_add(PerMillion::UNITS_PER_NANODOLLAR / 2) / PerMillion::UNITS_PER_NANODOLLAR,
        )
    }

    /// The most that a call may cost whose prompt has at most `prompt_bound` tokens and whose output at
    /// most `output_limit`: at the dearest step it can reach, the prompt billed in the dearest way, cache
    /// writes included. Rounded up.
    pub fn worst(&self, prompt_bound: u64, output_limit: u64) -> Nanodollars {
        let exact = self
            .steps(prompt_bound)
            .map(|rates| rates.exact_worst(prompt_bound, output_limit))
            .max()
            .unwrap_or(0);
        nanodollars(exact.div_ceil(PerMillion::UNITS_PER_NANODOLLAR))
    }

    /// The most output tokens for which [`Self::worst`] stays within `room`; none when the prompt alone
    /// does not fit, `u64::MAX` when output is free.
    pub fn affordable_output(&self, prompt_bound: u64, room: Nanodollars) -> u64 {
        let room = exact_room(room);
        self.steps(prompt_bound)
            .map(|rates| {
                room.checked_sub(rates.dearest_input().exact(prompt_bound))
                    .map_or(0, |left| tokens_for(left, rates.dearest_output()))
            })
            .min()
            .unwrap_or(0)
    }

    /// The most output tokens that `room` pays for when the prompt itself costs nothing, at the dearest
    /// step that the prompt can reach.
    pub fn output_for(&self, prompt_bound: u64, room: Nanodollars) -> u64 {
        let room = exact_room(room);
        self.steps(prompt_bound).map(|rates| tokens_for(room, rates.dearest_output())).min().unwrap_or(0)
    }

    /// Every rate times `factor`, rounded up.
    pub fn times(&self, factor: Multiplier) -> Self {
        self.map(|rates| rates.times(factor))
    }

    /// Of each rate the dearer one: a price that is enough whichever of the two applies.
    pub fn dearer(&self, other: &Self) -> Self {
        let mut marks: Vec<u64> = self.above.iter().chain(&other.above).map(|(mark, _)| *mark).collect();
        marks.sort_unstable();
        marks.dedup();
        let just_above = |mark: u64| mark.saturating_add(1);
        let above = marks
            .into_iter()
            .map(|mark| (mark, self.rates_for(just_above(mark)).dearer(&other.rates_for(just_above(mark)))))
            .collect();
        Self { above, ..Self::of(self.base().dearer(&other.base())) }
    }

    /// The same change to the rates of every step.
    pub(crate) fn map(&self, change: impl Fn(&Rates) -> Rates) -> Self {
        let above = self.above.iter().map(|(mark, rates)| (*mark, change(rates))).collect();
        Self { above, ..Self::of(change(&self.base())) }
    }

    /// One step.
    pub(crate) const fn of(rates: Rates) -> Self {
        Self {
            input: rates.input,
            cached_input: rates.cached_input,
            cache_write: rates.cache_write,
            cache_write_1h: rates.cache_write_1h,
            output: rates.output,
            reasoning: rates.reasoning,
            above: Vec::new(),
        }
    }

    /// The rates for a prompt of exactly so many tokens.
    fn rates_for(&self, prompt: u64) -> Rates {
        let passed = self.above.iter().filter(|(mark, _)| prompt > *mark);
        passed.max_by_key(|(mark, _)| *mark).map_or_else(|| self.base(), |(_, rates)| *rates)
    }

    /// The rates that a prompt of at most so many tokens can meet. A prompt that just touches a mark is
    /// counted as above it: providers word the border both ways (xAI "or more", the others "more than").
    fn steps(&self, prompt_bound: u64) -> impl Iterator<Item = Rates> {
        let reached =
            self.above.iter().filter(move |(mark, _)| prompt_bound >= *mark).map(|(_, rates)| *rates);
        std::iter::once(self.base()).chain(reached)
    }
}

/// Whole nano-dollars, at most the largest amount.
fn nanodollars(nanos: u128) -> Nanodollars {
    i64::try_from(nanos).map_or(Nanodollars::MAX, Nanodollars::from_nanos)
}

/// An amount in [`PerMillion::exact`]'s units; nothing where there is less than nothing.
fn exact_room(room: Nanodollars) -> u128 {
    u128::try_from(room.nanos()).unwrap_or(0).saturating_mul(PerMillion::UNITS_PER_NANODOLLAR)
}

/// How many tokens so much buys.
fn tokens_for(exact: u128, rate: PerMillion) -> u64 {
    exact
        .checked_div(u128::from(rate.units()))
        .map_or(u64::MAX, |tokens| u64::try_from(tokens).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_million(text: &str) -> PerMillion {
        text.parse().unwrap()
    }

    fn nanos(amount: i64) -> Nanodollars {
        Nanodollars::from_nanos(amount)
    }

    /// Input 2, read 0.20, write 2.50, long write 5, output 12; above 272,000 twice that.
    fn stepped() -> Price {
        let base = Price {
            cached_input: Some(per_million("0.2")),
            cache_write: Some(per_million("2.5")),
            cache_write_1h: Some(per_million("5")),
            ..Price::flat(per_million("2"), per_million("12"))
        };
        let twice = base.base().times(Multiplier::from_thousandths(2_000));
        Price { above: vec![(272_000, twice)], ..base }
    }

    #[test]
    fn cached_tokens_are_charged_once_and_at_their_own_rate() {
        let price = Price {
            cached_input: Some(per_million("0.05")),
            ..Price::flat(per_million("0.5"), per_million("3"))
        };
        let usage =
            Usage { prompt: 20_000, completion: 1_000, cached: 16_000, reasoning: 600, ..Usage::default() };
        assert_eq!(price.charge(&usage), nanos(5_800_000));
    }

    #[test]
    fn cache_writes_have_two_rates() {
        let usage = Usage {
            prompt: 11_040,
            completion: 500,
            cached: 9_000,
            cache_write: 2_000,
            cache_write_1h: 500,
            ..Usage::default()
        };
        // 40 x 2 + 9,000 x 0.20 + 1,500 x 2.50 + 500 x 5 + 500 x 12, in millionths of a dollar.
        assert_eq!(stepped().charge(&usage), nanos(14_130_000));
    }

    #[test]
    fn an_absent_rate_falls_back_and_is_never_free() {
        let price = Price::flat(per_million("2"), per_million("10"));
        let usage = Usage {
            prompt: 1_000_000,
            cached: 300_000,
            cache_write: 300_000,
            cache_write_1h: 100_000,
            completion: 1_000_000,
            reasoning: 900_000,
            ..Usage::default()
        };
        assert_eq!(price.charge(&usage).to_string(), "12.00");
    }

    #[test]
    fn reasoning_with_its_own_rate_is_charged_at_it() {
        let price =
            Price { reasoning: Some(per_million("4")), ..Price::flat(PerMillion::ZERO, per_million("1.2")) };
        let usage = Usage { completion: 1_000_000, reasoning: 750_000, ..Usage::default() };
        assert_eq!(price.charge(&usage).to_string(), "3.30");
    }

    #[test]
    fn the_whole_request_is_billed_at_the_step_its_prompt_passes() {
        let at = Usage { prompt: 272_000, completion: 1_000, ..Usage::default() };
        let past = Usage { prompt: 272_001, cached: 272_001, ..at };
        assert_eq!(stepped().charge(&at), nanos(272_000 * 2_000 + 12_000_000));
        assert_eq!(stepped().charge(&past), nanos(272_001 * 400 + 24_000_000));
    }

    #[test]
    fn the_highest_step_passed_decides_in_whatever_order_they_stand() {
        let rates = |text| Price::flat(per_million(text), PerMillion::ZERO).base();
        let price = Price {
            above: vec![(200, rates("4")), (100, rates("2"))],
            ..Price::flat(per_million("1"), PerMillion::ZERO)
        };
        let charge = |prompt| price.charge(&Usage { prompt, ..Usage::default() }).nanos();
        assert_eq!((charge(100), charge(101), charge(201)), (100_000, 202_000, 804_000));
    }

    #[test]
    fn settling_rounds_half_up_once_and_reserving_rounds_up() {
        // Half a nano-dollar a token.
        let price = Price::flat(per_million("0.0005"), per_million("0.0004"));
        let usage = |prompt, completion| Usage { prompt, completion, ..Usage::default() };
        assert_eq!(price.charge(&usage(1, 0)), nanos(1));
        assert_eq!(price.charge(&usage(0, 1)), nanos(0));
        assert_eq!(price.charge(&usage(1, 1)), nanos(1), "0.9 is rounded once, not 0.5 and 0.4 apart");
        assert_eq!(price.worst(0, 1), nanos(1));
    }

    #[test]
    fn contradictory_counts_never_make_a_call_cheaper() {
        let usage = Usage {
            prompt: 10,
            cached: 1_000_000,
            cache_write: 5,
            cache_write_1h: 1_000_000,
            ..Usage::default()
        };
        assert_eq!(stepped().charge(&usage), nanos(1_000_000 * 400 + 1_000_000 * 10_000));
    }

    #[test]
    fn the_worst_case_takes_the_dearest_step_and_the_dearest_kind_of_input() {
        assert_eq!(stepped().worst(1_000_000, 1_000_000).to_string(), "34.00");
        assert_eq!(stepped().worst(100_000, 0).to_string(), "0.50");
        assert_eq!(stepped().worst(272_000, 0), stepped().worst(272_000, 0).max(nanos(2_720_000_000)));
    }

    #[test]
    fn affordable_output_is_the_inverse_of_the_worst_case() {
        let price = stepped();
        let room: Nanodollars = "1.00".parse().unwrap();
        let tokens = price.affordable_output(10_000, room);
        assert!(price.worst(10_000, tokens) <= room && price.worst(10_000, tokens + 1) > room);
        assert_eq!(price.affordable_output(1_000_000, room), 0, "the prompt alone does not fit");
        assert_eq!(Price::free().affordable_output(5, Nanodollars::ZERO), u64::MAX);
        assert_eq!(price.affordable_output(5, nanos(-1)), 0);
    }

    #[test]
    fn absurd_numbers_saturate_instead_of_wrapping() {
        let price = Price::flat(PerMillion::from_units(u64::MAX), PerMillion::from_units(u64::MAX));
        let usage = Usage { prompt: u64::MAX, completion: u64::MAX, cached: u64::MAX, ..Usage::default() };
        assert_eq!(price.charge(&usage), Nanodollars::MAX);
        assert_eq!(price.worst(u64::MAX, u64::MAX), Nanodollars::MAX);
    }

    #[test]
    fn the_dearer_of_two_prices_covers_both() {
        let flat = Price::flat(per_million("3"), per_million("1"));
        let both = stepped().dearer(&flat);
        for (prompt, output) in [(1_000, 10), (272_000, 5_000), (900_000, 0)] {
            let needed = stepped().worst(prompt, output).max(flat.worst(prompt, output));
            assert!(both.worst(prompt, output) >= needed);
        }
        assert_eq!(both.input, per_million("3"));
    }

    #[test]
    fn free_is_said_on_purpose() {
        assert!(Price::free().is_free());
        assert!(!stepped().is_free());
        let only_writes = Price { cache_write: Some(per_million("1")), ..Price::free() };
        assert!(!only_writes.is_free());
    }
}
