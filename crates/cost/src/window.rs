//! The stretches of time that a cap counts in: a day, a month, or for ever.
//!
//! A day is a date in the cap's time zone, so it may have 23 or 25 hours. A window is known by its name
//! and not by when it was entered: a clock that steps back finds the old window with what was spent in it.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use mainstay_canon::Moment;
use serde::{Deserialize, Serialize};

/// A window of spending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Window {
    /// A date in the cap's time zone.
    Day(Date),
    /// A month in the cap's time zone, known by its first day.
    Month(Date),
    /// No end: a session, a call, a key as a whole.
    Ever,
}

impl Window {
    /// The day that a moment lies in.
    pub fn day(at: Moment, zone: &TimeZone) -> Self {
        Self::Day(date(at, zone))
    }

    /// The month that a moment lies in.
    pub fn month(at: Moment, zone: &TimeZone) -> Self {
        Self::Month(date(at, zone).first_of_month())
    }

    /// When the next window begins: the first moment of the next day or month that the zone has.
    pub fn ends(self, zone: &TimeZone) -> Option<Moment> {
        let next = match self {
            Self::Day(day) => day.tomorrow().ok()?,
            Self::Month(first) => first.last_of_month().tomorrow().ok()?,
            Self::Ever => return None,
        };
        let start = zone.to_timestamp(next.to_datetime(jiff::civil::Time::midnight())).ok()?;
        Some(Moment::from_micros(start.as_microsecond()))
    }
}

/// The date at a moment; the nearest date that exists for a moment outside the calendar.
pub(crate) fn date(at: Moment, zone: &TimeZone) -> Date {
    let edge = if at < Moment::EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    zone.to_datetime(Timestamp::from_microsecond(at.micros()).unwrap_or(edge)).date()
}

impl fmt::Display for Window {
    /// Writes `2026-11-30`, `2026-11` or `ever`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            // A date without its day, so that years which are not of four digits read back too.
            Self::Month(first) => {
                let first = first.first_of_month().to_string();
                f.write_str(first.strip_suffix("-01").unwrap_or(&first))
            }
            Self::Ever => f.write_str("ever"),
        }
    }
}

/// A text that names no window.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no window: a date, a month such as 2026-11, or `ever`")]
pub struct WindowError(String);

impl FromStr for Window {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Self, WindowError> {
        if text == "ever" {
            return Ok(Self::Ever);
        }
        if let Ok(day) = text.parse() {
            return Ok(Self::Day(day));
        }
        let first = format!("{text}-01").parse().map_err(|_| WindowError(text.to_owned()))?;
        Ok(Self::Month(first))
    }
}

impl TryFrom<String> for Window {
    type Error = WindowError;

    fn try_from(text: String) -> Result<Self, WindowError> {
        text.parse()
    }
}

impl From<Window> for String {
    fn from(window: Window) -> Self {
        window.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Moment {
        Moment::from_micros(text.parse::<Timestamp>().unwrap().as_microsecond())
    }

    fn text(moment: Moment) -> String {
        Timestamp::from_microsecond(moment.micros()).unwrap().to_string()
    }

    /// New York by rule, so that no zone database is needed.
    fn new_york() -> TimeZone {
        TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap()
    }

    #[test]
    fn a_day_begins_at_the_zones_midnight() {
        let day = |moment| Window::day(at(moment), &new_york()).to_string();
        assert_eq!(day("2026-11-30T04:59:59Z"), "2026-11-29");
        assert_eq!(day("2026-11-30T05:00:00Z"), "2026-11-30");
        assert_eq!(day("2026-07-01T03:59:59Z"), "2026-06-30");
    }

    #[test]
    fn days_of_twenty_three_and_of_twenty_five_hours_end_at_midnight() {
        let end = |day: &str| text(day.parse::<Window>().unwrap().ends(&new_york()).unwrap());
        assert_eq!(
            (end("2026-03-07"), end("2026-03-08")),
            ("2026-03-08T05:00:00Z".into(), "2026-03-09T04:00:00Z".into())
        );
        assert_eq!(
            (end("2026-10-31"), end("2026-11-01")),
            ("2026-11-01T04:00:00Z".into(), "2026-11-02T05:00:00Z".into())
        );
    }

    #[test]
    fn a_midnight_that_the_zone_skips_is_not_missed() {
        // A zone that springs forward at midnight: the day begins at one o'clock.
        let skips = TimeZone::posix("<-04>4<-03>,M9.1.0/0,M4.1.0/0").unwrap();
        let day: Window = "2026-09-05".parse().unwrap();
        let next = day.ends(&skips).unwrap();
        assert_eq!(text(next), "2026-09-06T04:00:00Z");
        assert_eq!(Window::day(next, &skips).to_string(), "2026-09-06");
    }

    #[test]
    fn months_end_with_their_last_day() {
        let end = |month: &str| text(month.parse::<Window>().unwrap().ends(&TimeZone::UTC).unwrap());
        assert_eq!(end("2026-12"), "2027-01-01T00:00:00Z");
        assert_eq!(end("2028-02"), "2028-03-01T00:00:00Z");
        assert_eq!(Window::month(at("2028-02-29T23:59:59Z"), &TimeZone::UTC).to_string(), "2028-02");
        assert_eq!(Window::Ever.ends(&TimeZone::UTC), None);
    }

    #[test]
    fn a_year_that_is_not_of_four_digits_reads_back() {
        for name in ["-009999-01", "-000001-12", "0000-01", "9999-12", "-009999-01-01"] {
            let window: Window = name.parse().unwrap();
            assert_eq!(window.to_string(), name);
        }
    }

    #[test]
    fn what_names_no_window_is_refused() {
        for bad in ["", "2026", "2026-13", "2026-02-30", "always"] {
            assert!(bad.parse::<Window>().is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn a_windows_end_belongs_to_the_next_window(micros in -2_000_000_000_000_000_i64..4_000_000_000_000_000) {
            let moment = Moment::from_micros(micros);
            for window in [Window::day(moment, &new_york()), Window::month(moment, &new_york())] {
                let end = window.ends(&new_york()).unwrap();
                prop_assert!(end > moment);
                let after = match window { Window::Month(_) => Window::month(end, &new_york()), Window::Day(_) | Window::Ever => Window::day(end, &new_york()) };
                let before = Moment::from_micros(end.micros() - 1);
                let last = match window { Window::Month(_) => Window::month(before, &new_york()), Window::Day(_) | Window::Ever => Window::day(before, &new_york()) };
                prop_assert!(after > window && last == window);
                prop_assert_eq!(window.to_string().parse::<Window>(), Ok(window));
            }
        }

        #[test]
        fn no_moment_panics(micros in any::<i64>()) {
            let moment = Moment::from_micros(micros);
            let _ = Window::day(moment, &new_york()).ends(&new_york());
            let _ = Window::month(moment, &TimeZone::UTC).ends(&TimeZone::UTC);
        }
    }
}
