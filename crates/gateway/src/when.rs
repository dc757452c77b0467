//! Moments as people and scripts read them.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mainstay::Moment;

/// RFC 3339 in UTC, to the millisecond.
pub(crate) fn rfc3339(at: Moment) -> String {
    timestamp(at).map(|at| format!("{at:.3}")).unwrap_or_default()
}

/// The time of day, such as `17:01:12`.
pub(crate) fn time_of_day(at: Moment, zone: &TimeZone) -> String {
    timestamp(at)
        .map(|at| at.to_zoned_datetime(zone.clone()).strftime("%H:%M:%S").to_string())
        .unwrap_or_default()
}

/// Day and time, such as `2026-11-30 17:01`.
pub(crate) fn day_and_time(at: Moment, zone: &TimeZone) -> String {
    timestamp(at)
        .map(|at| at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default()
}

/// Midnight of the day in which a moment lies.
pub(crate) fn start_of_day(at: Moment, zone: &TimeZone) -> Option<Moment> {
    let day = timestamp(at)?.to_zoned_datetime(zone.clone()).start_of_day().ok()?;
    Some(Moment::from_micros(day.timestamp().as_microsecond()))
}

/// A length of time in at most two units, such as `1 h 5 min` or `42 s`; rounded up to seconds.
pub(crate) fn span(wait: Duration) -> String {
    let seconds = wait.as_millis().div_ceil(1000);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        (_, _, _) => format!("{days} d {} h", hours % 24),
    }
}

fn timestamp(at: Moment) -> Option<Timestamp> {
    Timestamp::from_microsecond(at.micros()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_people_and_scripts_read_them() {
        let at = Moment::from_micros(1_796_057_272_123_456);
        assert_eq!(rfc3339(at), "2026-11-30T16:47:52.123Z");
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(time_of_day(at, &zone), "18:47:52");
        assert_eq!(day_and_time(at, &zone), "2026-11-30 18:47");
        assert_eq!(rfc3339(start_of_day(at, &zone).unwrap()), "2026-11-29T22:00:00.000Z");
        assert_eq!(rfc3339(Moment::from_micros(i64::MAX)), "");
    }

    #[test]
    fn a_length_of_time_has_two_units_at_most() {
        for (millis, text) in [
            (0, "0 s"),
            (1, "1 s"),
            (42_000, "42 s"),
            (65_000, "1 min 5 s"),
            (3_900_000, "1 h 5 min"),
            (183_600_000, "2 d 3 h"),
        ] {
            assert_eq!(span(Duration::from_millis(millis)), text);
        }
    }
}
