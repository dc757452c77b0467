//! How long to wait: before the same tier again, while a tier cools, for one attempt (behaviour 5.2 to 5.3b).

use std::time::Duration;

use mainstay_canon::{Failure, Kind};

use crate::{HealthEffect, RetryOptions, consequence};

/// The most that chance adds to a hinted wait.
pub const HINT_JITTER: Duration = Duration::from_millis(500);
/// The most that chance adds to a backoff.
const BACKOFF_JITTER: Duration = Duration::from_secs(1);
/// The whole wait after a bad answer: nothing is congested.
const ANSWER_JITTER: Duration = Duration::from_millis(250);
/// The longest hint that is believed (5.2).
pub const HINT_CAP: Duration = Duration::from_hours(24);
/// Where doubling cooldowns stop (5.3b).
pub const COOLDOWN_CAP: Duration = Duration::from_mins(10);
/// The least that a tier cools after a failure of transport or server.
const LEAST_SHORT_COOLDOWN: Duration = Duration::from_secs(10);
/// Hinted waits from here on are not sat out while a ready tier below could answer (5.3).
pub const SAT_OUT_BELOW: Duration = Duration::from_secs(1);
/// What an attempt leaves of the request's time for each untried tier below (5.3a).
pub const KEPT_FOR_A_TIER: Duration = Duration::from_secs(20);

/// The provider's wish to be left alone, where it counts: a hint that stands on the caller's own error or
/// on an answer is not one (5.2).
pub fn hint_of(failure: &Failure) -> Option<Duration> {
    let hint = failure.hint?;
    match consequence(failure.kind).health {
        HealthEffect::None => None,
        HealthEffect::Cool
        | HealthEffect::CoolShort
        | HealthEffect::Disable { .. }
        | HealthEffect::DisableUntilProbe => Some(hint.after.min(HINT_CAP)),
    }
}

/// How long to wait before the same tier is asked again. `tier_attempt` counts its attempts from 1, the
/// failed one included; `chance` is in `0.0..1.0`.
pub fn wait_before_retry(
    failure: &Failure,
    tier_attempt: u32,
    options: &RetryOptions,
    chance: f64,
) -> Duration {
    if let Some(hint) = hint_of(failure) {
        return hint.saturating_add(part(HINT_JITTER, chance));
    }
    if failure.is_about_quality() || consequence(failure.kind).health == HealthEffect::None {
        return part(ANSWER_JITTER, chance);
    }
    if failure.kind == Kind::RateLimited {
        // Without a word from the provider the tier cools for its cooldown, and nobody calls before.
        return options.cooldown.saturating_add(part(HINT_JITTER, chance));
    }
    backoff(options, tier_attempt).saturating_add(part(BACKOFF_JITTER, chance))
}

/// The wait after a failure of transport or server, before jitter: doubling from `backoff` up to `backoff_cap`.
pub fn backoff(options: &RetryOptions, tier_attempt: u32) -> Duration {
    let doublings = tier_attempt.saturating_sub(1).min(31);
    options.backoff.saturating_mul(1 << doublings).min(options.backoff_cap)
}

/// How long a tier is left alone, where `in_row` cooldowns came before without a success. `None` for an
/// effect that is no cooldown. A hint is taken as it is; otherwise cooldowns double up to ten minutes.
pub fn cooldown_for(
    effect: HealthEffect,
    hint: Option<Duration>,
    in_row: u32,
    options: &RetryOptions,
) -> Option<Duration> {
    let base = match effect {
        HealthEffect::Cool => options.cooldown,
        HealthEffect::CoolShort => (options.cooldown / 3).max(LEAST_SHORT_COOLDOWN),
        HealthEffect::None | HealthEffect::Disable { .. } | HealthEffect::DisableUntilProbe => return None,
    };
    // An operator's own cooldown above ten minutes stands; it only does not double.
    Some(hint.unwrap_or_else(|| base.saturating_mul(1 << in_row.min(31)).min(COOLDOWN_CAP.max(base))))
}

/// How much of the remaining time one attempt may use while `untried_below` tiers wait their turn: what is
/// left less 20 s for each of them, but never less than an equal share.
pub fn share_of(remaining: Duration, untried_below: u32) -> Duration {
    let kept = KEPT_FOR_A_TIER.saturating_mul(untried_below);
    let equal = remaining / untried_below.saturating_add(1);
    remaining.saturating_sub(kept).max(equal)
}

/// That part of `most` which chance picks. A number outside `0.0..1.0`, or none at all, is bent to fit.
fn part(most: Duration, chance: f64) -> Duration {
    if chance.is_finite() { most.mul_f64(chance.clamp(0.0, 1.0)) } else { Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use mainstay_canon::{Answer, HintSource, Quality, RetryHint, Verdict};
    use proptest::prelude::*;

    use super::*;

    fn hinted(kind: Kind, after: Duration) -> Failure {
        Failure::new(kind, "").hint(RetryHint { after, source: HintSource::RetryAfter, clamped: false })
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn with_a_hint_the_wait_is_the_hint_and_up_to_half_a_second() {
        let options = RetryOptions::default();
        for kind in [Kind::RateLimited, Kind::Overloaded, Kind::ServerError] {
            let failure = hinted(kind, secs(7));
            assert_eq!(wait_before_retry(&failure, 1, &options, 0.0), secs(7));
            assert_eq!(wait_before_retry(&failure, 3, &options, 0.5), Duration::from_millis(7250));
        }
    }

    #[test]
    fn without_a_hint_the_wait_doubles_up_to_its_cap_and_up_to_a_second() {
        let options = RetryOptions::default();
        let failure = Failure::new(Kind::ServerError, "");
        let waits: Vec<u64> =
            (1..=7).map(|attempt| wait_before_retry(&failure, attempt, &options, 0.0).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(wait_before_retry(&failure, 2, &options, 0.25), Duration::from_millis(2250));
        assert_eq!(wait_before_retry(&failure, u32::MAX, &options, 0.0), secs(30));
    }

    #[test]
    fn after_a_bad_answer_the_wait_is_at_most_a_quarter_second() {
        let options = RetryOptions::default();
        let empty = Failure::bad(Verdict::of(Quality::Empty, "empty", ""), Answer::default());
        for failure in [empty, Failure::new(Kind::MalformedToolCall, "")] {
            assert_eq!(wait_before_retry(&failure, 4, &options, 0.0), Duration::ZERO);
            assert_eq!(wait_before_retry(&failure, 4, &options, 0.5), Duration::from_millis(125));
        }
    }

    #[test]
    fn a_hint_on_the_callers_own_error_is_none() {
        for kind in
            [Kind::InvalidRequest, Kind::ContextLength, Kind::RequestDeclined, Kind::Bad(Quality::Empty)]
        {
            assert_eq!(hint_of(&hinted(kind, secs(9))), None, "{kind}");
        }
    }

    #[test]
    fn a_hint_above_a_day_is_a_day() {
        assert_eq!(hint_of(&hinted(Kind::RateLimited, secs(1_000_000))), Some(HINT_CAP));
    }

    #[test]
    fn cooldowns_double_up_to_ten_minutes_and_hints_do_not() {
        let options = RetryOptions::default();
        let cool = |effect, in_row| cooldown_for(effect, None, in_row, &options).unwrap().as_secs();
        let rate: Vec<u64> = (0..6).map(|row| cool(HealthEffect::Cool, row)).collect();
        assert_eq!(rate, [60, 120, 240, 480, 600, 600]);
        let short: Vec<u64> = (0..6).map(|row| cool(HealthEffect::CoolShort, row)).collect();
        assert_eq!(short, [20, 40, 80, 160, 320, 600]);
        assert_eq!(cooldown_for(HealthEffect::Cool, Some(secs(5)), 9, &options), Some(secs(5)));
        assert_eq!(cooldown_for(HealthEffect::None, Some(secs(5)), 0, &options), None);
    }

    #[test]
    fn the_short_cooldown_is_a_third_but_at_least_ten_seconds() {
        let with = |cooldown| {
            let options = RetryOptions { cooldown, ..RetryOptions::default() };
            cooldown_for(HealthEffect::CoolShort, None, 0, &options)
        };
        assert_eq!(with(secs(5)), Some(secs(10)));
        assert_eq!(with(secs(90)), Some(secs(30)));
        // A cooldown above the cap is not cut down to it.
        assert_eq!(with(secs(3600)), Some(secs(1200)));
    }

    #[test]
    fn an_attempt_leaves_twenty_seconds_for_each_tier_below_or_an_equal_share() {
        assert_eq!(share_of(secs(590), 0), secs(590));
        assert_eq!(share_of(secs(590), 2), secs(550));
        assert_eq!(share_of(secs(30), 2), secs(10));
        assert_eq!(share_of(Duration::ZERO, u32::MAX), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn a_wait_is_never_below_its_hint(after in 0_u64..200_000, chance in any::<f64>(), attempt in any::<u32>()) {
            let hint = Duration::from_millis(after);
            let wait = wait_before_retry(&hinted(Kind::RateLimited, hint), attempt, &RetryOptions::default(), chance);
            prop_assert!(wait >= hint && wait <= hint + HINT_JITTER);
        }

        #[test]
        fn a_share_is_never_more_than_what_is_left(remaining in 0_u64..10_000, below in 0_u32..50) {
            let remaining = secs(remaining);
            let share = share_of(remaining, below);
            prop_assert!(share <= remaining);
            prop_assert!(share.saturating_mul(below + 1) + Duration::from_micros(1) >= remaining.min(secs(20)));
        }
    }
}
