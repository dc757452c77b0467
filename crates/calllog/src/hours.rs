//! Hourly totals: what is left of rows when they are gone. Knows no time zone; hours are UTC.

use mainstay_canon::{Moment, Nanodollars, Outcome};

use crate::CallRecord;

/// What one line of `llm_hours` is about. Sessions are left out: there are too many to keep for good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HourKey {
    /// The start of the hour.
    pub hour: Moment,
    /// The chain.
    pub chain: String,
    /// The tier, or nothing where the request was refused before any.
    pub tier: String,
    /// The end user, or nothing.
    pub user_id: String,
    /// The virtual key's name, or nothing.
    pub key_name: String,
    /// The label, or nothing.
    pub label: String,
}

impl HourKey {
    /// Length of an hour, in microseconds.
    pub const MICROS: i64 = 3_600_000_000;

    /// The start of the hour in which this moment lies.
    pub const fn hour_of(moment: Moment) -> Moment {
        let micros = moment.micros();
        Moment::from_micros(micros.saturating_sub(micros.rem_euclid(Self::MICROS)))
    }

    /// Where this row is counted.
    pub fn of(row: &CallRecord) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            hour: Self::hour_of(row.ts),
            chain: row.chain.clone(),
            tier: text(&row.tier),
            user_id: text(&row.user_id),
            key_name: text(&row.key_name),
            label: text(&row.label),
        }
    }
}

/// Sums over rows. All of them saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HourSum {
    /// Calls that reached a provider.
    pub attempts: u64,
    /// Tiers passed over, and requests refused before any.
    pub skipped: u64,
    /// Accepted answers.
    pub ok: u64,
    /// Useless answers.
    pub quality: u64,
    /// Failures.
    pub errors: u64,
    /// Calls whose caller went away.
    pub aborted: u64,
    /// Requests whose first call was accepted, with no tier passed over.
    pub first_ok: u64,
    /// Answers that came after a failure or a passed-over tier.
    pub rescued: u64,
    /// Calls whose cost is unknown.
    pub unpriced: u64,
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens.
    pub completion_tokens: u64,
    /// Input tokens read from a cache.
    pub cached_tokens: u64,
    /// Input tokens written to a cache.
    pub cache_write_tokens: u64,
    /// Hidden output tokens.
    pub reasoning_tokens: u64,
    /// What was paid.
    pub cost: Nanodollars,
    /// The part of it for which the caller got nothing.
    pub wasted: Nanodollars,
    /// Time spent in calls, in ms.
    pub latency_ms: u64,
}

impl HourSum {
    /// Counts one row.
    pub fn add(&mut self, row: &CallRecord) {
        let count = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        let of_outcome = match row.outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Quality => &mut self.quality,
            Outcome::Error => &mut self.errors,
            Outcome::Aborted => &mut self.aborted,
            Outcome::Skipped => &mut self.skipped,
        };
        count(of_outcome, 1);
        count(&mut self.attempts, u64::from(row.outcome != Outcome::Skipped));
        count(&mut self.first_ok, u64::from(row.is_first_try_ok()));
        count(&mut self.rescued, u64::from(row.rescued));
        count(&mut self.prompt_tokens, row.prompt_tokens.unwrap_or(0));
        count(&mut self.completion_tokens, row.completion_tokens.unwrap_or(0));
        count(&mut self.cached_tokens, row.cached_tokens.unwrap_or(0));
        count(&mut self.cache_write_tokens, row.cache_write_tokens.unwrap_or(0));
        count(&mut self.reasoning_tokens, row.reasoning_tokens.unwrap_or(0));
        count(&mut self.latency_ms, row.latency_ms);
        match row.cost.known() {
            None => count(&mut self.unpriced, 1),
            Some(cost) => {
                self.cost = self.cost.saturating_add(cost);
                if !row.is_handed_over() {
                    self.wasted = self.wasted.saturating_add(cost);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mainstay_canon::Cost;

    use super::*;
    use crate::IdSource;

    #[test]
    fn an_hour_starts_on_the_hour_before_the_epoch_too() {
        for (micros, hour) in [(0, 0), (HourKey::MICROS - 1, 0), (HourKey::MICROS, 1), (-1, -1)] {
            let start = HourKey::hour_of(Moment::from_micros(micros));
            assert_eq!(start.micros(), hour * HourKey::MICROS, "{micros}");
        }
    }

    #[test]
    fn what_was_not_handed_over_was_paid_for_nothing() {
        let (ids, now) = (IdSource::new(1), Moment::from_secs(9));
        let row = |outcome, cost| {
            let mut row = CallRecord::new(ids.next(now), now, "r", "c");
            row.outcome = outcome;
            row.cost = cost;
            row
        };
        let cost = |nanos| Cost::Known(Nanodollars::from_nanos(nanos));
        let mut sum = HourSum::default();
        for row in [
            row(Outcome::Quality, cost(81)),
            row(Outcome::Ok, cost(309)),
            row(Outcome::Error, Cost::Unknown),
            row(Outcome::Skipped, Cost::ZERO),
        ] {
            sum.add(&row);
        }
        assert_eq!((sum.cost.nanos(), sum.wasted.nanos(), sum.unpriced), (390, 81, 1));
        assert_eq!((sum.attempts, sum.skipped, sum.ok, sum.quality, sum.errors), (3, 1, 1, 1, 1));
    }
}
