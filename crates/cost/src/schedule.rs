//! Prices that change with the time of day.
//!
//! A schedule is a rule in UTC; which models follow it is the catalogue's business.

use std::sync::Arc;

use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, tz::Offset};
use mainstay_canon::Moment;

use crate::multiplier::Multiplier;

const MINUTES_A_DAY: u16 = 24 * 60;
/// A stretch of time longer than this is taken to see every hour of a schedule.
const SEEN_WHOLE_MICROS: i64 = 8 * 86_400 * 1_000_000;

/// Public holidays of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// Its name in the catalogue.
    pub name: String,
    /// Hours by which its days are ahead of UTC.
    pub utc_offset_hours: i8,
    /// The last day that the list knows about; after it no day counts as a holiday.
    pub covers_through: Date,
    /// The holidays, sorted.
    pub holidays: Vec<Date>,
}

/// Hours in which a price is multiplied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its name in the catalogue.
    pub name: String,
    /// The factor inside the hours.
    pub times: Multiplier,
    /// From and until, in minutes after midnight UTC. One that ends before it starts passes midnight.
    pub hours: Vec<(u16, u16)>,
    /// Whether Saturday and Sunday are left out.
    pub weekdays_only: bool,
    /// Whose holidays are left out.
    pub holidays: Option<Arc<Calendar>>,
    /// When the rule begins.
    pub from: Option<Moment>,
    /// When the rule has ended.
    pub until: Option<Moment>,
}

impl Schedule {
    /// Whether the factor applies at that moment.
    pub fn applies(&self, at: Moment) -> bool {
        let in_force = self.from.is_none_or(|from| at >= from) && self.until.is_none_or(|until| at < until);
        in_force && self.in_hours(minute_of_day(at)) && self.on_a_day_that_counts(at)
    }

    /// Whether the factor may apply, and whether it may not, somewhere between two moments.
    pub fn may_apply(&self, from: Moment, until: Moment) -> (bool, bool) {
        if until.micros().saturating_sub(from.micros()) > SEEN_WHOLE_MICROS {
            return (true, true);
        }
        let mut seen = (false, false);
        let mut look = |at| if self.applies(at) { seen.0 = true } else { seen.1 = true };
        look(from);
        look(until.max(from));
        // The state changes only on a whole minute: at a border of the hours, at a midnight, or where the
        // rule begins or ends.
        let borders = self.hours.iter().flat_map(|(start, end)| [*start, *end]).chain([0]);
        for minute in borders {
            let mut at = next_at_minute(from, minute);
            while at < until {
                look(at);
                at = Moment::from_micros(at.micros().saturating_add(86_400_000_000));
            }
        }
        for edge in [self.from, self.until].into_iter().flatten() {
            if edge > from && edge < until {
                look(edge);
            }
        }
        seen
    }

    fn in_hours(&self, minute: u16) -> bool {
        self.hours.iter().any(|&(start, end)| {
            if start <= end { (start..end).contains(&minute) } else { minute >= start || minute < end }
        })
    }

    fn on_a_day_that_counts(&self, at: Moment) -> bool {
        let offset_hours = self.holidays.as_ref().map_or(0, |calendar| calendar.utc_offset_hours);
        let Some(day) = local_day(at, offset_hours) else { return true };
        let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        if self.weekdays_only && weekend {
            return false;
        }
        !self.holidays.as_ref().is_some_and(|calendar| {
            day <= calendar.covers_through && calendar.holidays.binary_search(&day).is_ok()
        })
    }
}

fn minute_of_day(at: Moment) -> u16 {
    u16::try_from(at.micros().div_euclid(60_000_000).rem_euclid(i64::from(MINUTES_A_DAY))).unwrap_or(0)
}

/// The first moment after `from` at which a UTC day is so many minutes old.
fn next_at_minute(from: Moment, minute: u16) -> Moment {
    let midnight = from.micros().div_euclid(86_400_000_000).saturating_mul(86_400_000_000);
    let today = midnight.saturating_add(i64::from(minute).saturating_mul(60_000_000));
    let at = if today > from.micros() { today } else { today.saturating_add(86_400_000_000) };
    Moment::from_micros(at)
}

fn local_day(at: Moment, offset_hours: i8) -> Option<Date> {
    let offset = Offset::from_seconds(i32::from(offset_hours).saturating_mul(3_600)).ok()?;
    Some(offset.to_datetime(Timestamp::from_microsecond(at.micros()).ok()?).date())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Moment {
        Moment::from_micros(text.parse::<Timestamp>().unwrap().as_microsecond())
    }

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    /// DeepSeek's peak hours as of 2026-11: twice the price on Chinese working days.
    fn deepseek() -> Schedule {
        Schedule {
            name: "deepseek".into(),
            times: Multiplier::from_thousandths(2_000),
            hours: vec![(60, 240), (360, 600)],
            weekdays_only: true,
            holidays: Some(Arc::new(Calendar {
                name: "cn".into(),
                utc_offset_hours: 8,
                covers_through: date("2026-12-31"),
                holidays: vec![date("2026-10-01"), date("2026-10-02")],
            })),
            from: Some(at("2026-08-16T16:00:00Z")),
            until: None,
        }
    }

    #[test]
    fn the_factor_applies_inside_its_hours_on_working_days() {
        for (moment, applies) in [
            ("2026-11-30T00:59:59Z", false),
            ("2026-11-30T01:00:00Z", true),
            ("2026-11-30T03:59:59Z", true),
            ("2026-11-30T04:00:00Z", false),
            ("2026-11-30T09:59:59Z", true),
            ("2026-11-30T10:00:00Z", false),
            ("2026-11-28T02:00:00Z", false),
            ("2026-11-29T02:00:00Z", false),
            ("2026-10-01T02:00:00Z", false),
            ("2026-10-05T02:00:00Z", true),
            ("2026-08-14T02:00:00Z", false),
        ] {
            assert_eq!(deepseek().applies(at(moment)), applies, "{moment}");
        }
    }

    #[test]
    fn past_the_end_of_the_calendar_a_working_day_is_a_peak_day() {
        let mut rule = deepseek();
        if let Some(calendar) = &mut rule.holidays {
            Arc::make_mut(calendar).holidays.push(date("2027-01-01"));
        }
        assert!(rule.applies(at("2027-01-01T02:00:00Z")), "a Friday after the last day that is covered");
        assert!(!rule.applies(at("2027-01-02T02:00:00Z")), "still a Saturday");
    }

    #[test]
    fn hours_may_pass_midnight() {
        let night = Schedule {
            hours: vec![(16 * 60 + 30, 30)],
            weekdays_only: false,
            holidays: None,
            from: None,
            until: Some(at("2026-12-01T00:00:00Z")),
            ..deepseek()
        };
        assert!(night.applies(at("2026-11-29T23:00:00Z")) && night.applies(at("2026-11-30T00:29:59Z")));
        assert!(!night.applies(at("2026-11-30T00:30:00Z")));
        assert!(!night.applies(at("2026-12-01T00:10:00Z")), "the rule has ended");
    }

    #[test]
    fn a_call_that_starts_before_the_peak_may_end_in_it() {
        let (inside, outside) = deepseek().may_apply(at("2026-11-30T00:55:00Z"), at("2026-11-30T01:04:50Z"));
        assert!(inside && outside);
        let quiet = deepseek().may_apply(at("2026-11-30T00:40:00Z"), at("2026-11-30T00:50:00Z"));
        assert_eq!(quiet, (false, true));
        let across = deepseek().may_apply(at("2026-11-30T00:50:00Z"), at("2026-11-30T04:10:00Z"));
        assert!(across.0, "a peak that lies wholly inside the stretch is seen");
    }

    proptest! {
        #[test]
        fn nothing_that_happens_in_a_stretch_is_missed(start in 0_i64..40_000, length in 0_i64..12_000, part in 0.0_f64..=1.0) {
            let from = Moment::from_micros(at("2026-11-20T00:00:00Z").micros() + start * 60_000_000);
            let until = Moment::from_micros(from.micros() + length * 60_000_000);
            #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
            let between = Moment::from_micros(from.micros() + ((length * 60_000_000) as f64 * part) as i64);
            let (inside, outside) = deepseek().may_apply(from, until);
            let seen = if deepseek().applies(between) { inside } else { outside };
            prop_assert!(seen);
        }

        #[test]
        fn no_moment_panics(a in any::<i64>(), b in any::<i64>()) {
            let _ = deepseek().may_apply(Moment::from_micros(a), Moment::from_micros(b));
        }
    }
}
