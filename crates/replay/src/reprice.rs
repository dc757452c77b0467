//! What logged calls would have cost at other prices. Rows come in as values, and what nobody can know is
//! counted and not guessed.

use mainstay_calllog::CallRecord;
use mainstay_canon::{Nanodollars, Usage};
use mainstay_cost::Price;

/// What logged calls would have cost at other prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repriced {
    /// Calls whose tokens and price are known.
    pub calls: u64,
    /// What they did cost.
    pub before: Nanodollars,
    /// What they would have cost.
    pub after: Nanodollars,
    /// Calls that were left out: no token counts, an unknown cost, or no price for their model.
    pub left_out: u64,
}

/// Adds up what these calls cost, and what they would have cost where `price_of` says what a tier costs.
///
/// Tiers that were passed over are no calls and do not count.
pub fn reprice<'a>(
    rows: impl IntoIterator<Item = &'a CallRecord>,
    price_of: impl Fn(&str) -> Option<Price>,
) -> Repriced {
    let mut sum = Repriced::default();
    for row in rows.into_iter().filter(|row| row.attempt.is_some()) {
        let price = row.tier.as_deref().and_then(&price_of);
        match (usage_of(row), row.cost.known(), price) {
            (Some(usage), Some(before), Some(price)) => {
                sum.calls += 1;
                sum.before = sum.before.saturating_add(before);
                sum.after = sum.after.saturating_add(price.charge(&usage));
            }
            (_, _, _) => sum.left_out += 1,
        }
    }
    sum
}

/// The token counts of a row; `None` where the call brought none.
fn usage_of(row: &CallRecord) -> Option<Usage> {
    Some(Usage {
        prompt: row.prompt_tokens?,
        completion: row.completion_tokens?,
        cached: row.cached_tokens.unwrap_or(0),
        cache_write: row.cache_write_tokens.unwrap_or(0),
        // The log does not say for how long a cache was kept; the shorter, cheaper time is assumed.
        cache_write_1h: 0,
        reasoning: row.reasoning_tokens.unwrap_or(0),
        estimated: row.tokens_estimated,
    })
}

#[cfg(test)]
mod tests {
    use mainstay_calllog::IdSource;
    use mainstay_canon::{Cost, Moment, Target};

    use super::*;

    fn row(model: &str, tokens: Option<(u64, u64)>, cost: Cost) -> CallRecord {
        let now = Moment::from_secs(1_796_000_000);
        let mut row =
            CallRecord::new(IdSource::new(1).next(now), now, "req", "default").at(&Target::new("p", model));
        row.attempt = Some(1);
        row.prompt_tokens = tokens.map(|(prompt, _)| prompt);
        row.completion_tokens = tokens.map(|(_, completion)| completion);
        row.cost = cost;
        row
    }

    #[test]
    fn what_is_known_is_added_up_and_what_is_not_is_counted() {
        let known = row("a", Some((1_000_000, 500_000)), Cost::Known("3.00".parse().unwrap()));
        let mut skipped = known.clone();
        skipped.attempt = None;
        let rows = [
            known,
            skipped,
            row("a", None, Cost::ZERO),
            row("a", Some((1, 1)), Cost::Unknown),
            row("unpriced", Some((1, 1)), Cost::ZERO),
        ];
        let half = Price::flat("1".parse().unwrap(), "1".parse().unwrap());
        let sum = reprice(&rows, |tier| (tier == "p/a").then(|| half.clone()));
        assert_eq!((sum.calls, sum.left_out), (1, 3));
        assert_eq!((sum.before.to_string().as_str(), sum.after.to_string().as_str()), ("3.00", "1.50"));
    }
}
