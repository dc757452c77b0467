//! Moments as people type them. Knows no clock: now and the time zone are passed in.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};
use mainstay_canon::Moment;

/// Longest text that is read, in bytes.
const LONGEST: usize = 64;

/// Why a text is not a moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenError {
    /// It is in none of the forms that are read.
    #[error(
        "{0:?} is not a moment; write \"2h\", \"30m ago\", \"yesterday 16:00\", \"tuesday 4pm\", \
         \"2026-11-30\", \"2026-11-30 16:00\" or \"2026-11-30T16:00:00Z\""
    )]
    NotUnderstood(String),
    /// It lies before or after all time that can be told.
    #[error("{0:?} is too far away")]
    OutOfRange(String),
}

/// Reads a moment as people type it.
///
/// A duration lies before now: `2h`, `1h30m`, `30m ago`, `2 days ago`. A day is a date, `today`,
/// `yesterday` or a weekday; a time is `16:00`, `16:00:30`, `4pm`, `4:30 pm`, `noon` or `midnight`.
/// A day alone is its start, a time alone is the last such time, a weekday the last such moment
/// that has passed; `last tuesday` is one before today. Also RFC 3339 and Unix time in seconds,
/// milliseconds or microseconds, such as the `ts` of a row. What names no zone is in `tz`.
///
/// ```
/// use jiff::tz::TimeZone;
/// use mainstay_calllog::parse_when;
/// use mainstay_canon::Moment;
///
/// let now = Moment::from_secs(1_000_000);
/// assert_eq!(parse_when("2h", now, &TimeZone::UTC), Ok(Moment::from_secs(1_000_000 - 7200)));
/// ```
///
/// # Errors
///
/// [`WhenError`] when the text has none of these forms, or lies outside all time that can be told.
pub fn parse_when(text: &str, now: Moment, tz: &TimeZone) -> Result<Moment, WhenError> {
    let typed = text.trim();
    let shown = || typed.chars().take(LONGEST).collect::<String>();
    if typed.is_empty() || typed.len() > LONGEST {
        return Err(WhenError::NotUnderstood(shown()));
    }
    let now = Timestamp::from_microsecond(now.micros())
        .map_err(|_| WhenError::OutOfRange(shown()))?
        .to_zoned_datetime(tz.clone());
    let words = typed.to_ascii_lowercase();
    let read = exact(typed)
        .or_else(|| unix(&words))
        .map(Ok)
        .or_else(|| calendar(&words, &now))
        .or_else(|| before(&words, &now));
    match read {
        Some(Ok(moment)) => Ok(Moment::from_micros(moment.as_microsecond())),
        Some(Err(_)) => Err(WhenError::OutOfRange(shown())),
        None => Err(WhenError::NotUnderstood(shown())),
    }
}

/// RFC 3339, with a zone in brackets too.
fn exact(text: &str) -> Option<Timestamp> {
    if text.contains('[') {
        return text.parse::<ZonedDateTime>().ok().map(|zoned| zoned.timestamp());
    }
    text.parse().ok()
}

/// Unix time; its unit shows in its length.
fn unix(text: &str) -> Option<Timestamp> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    match text.len() {
        9..=11 => Timestamp::from_second(number).ok(),
        12..=14 => Timestamp::from_millisecond(number).ok(),
        15..=17 => Timestamp::from_microsecond(number).ok(),
        _ => None,
    }
}

/// A day, a time, or both.
fn calendar(words: &str, now: &ZonedDateTime) -> Option<Result<Timestamp, jiff::Error>> {
    if words == "now" {
        return Some(Ok(now.timestamp()));
    }
    if let Ok(civil) = words.parse::<DateTime>() {
        return Some(in_zone(civil, now));
    }
    if let Some(time) = time_of_day(words) {
        return Some(last_such(now.date(), 1, time, now));
    }
    let (last, rest) = match words.strip_prefix("last ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, words),
    };
    let (day, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("at ").unwrap_or(rest);
    let time = if rest.is_empty() { Time::midnight() } else { time_of_day(rest)? };
    let today = now.date();
    if let Some(weekday) = weekday(day) {
        // `nth_weekday` does not count the day it starts from.
        let start = if last { Ok(today) } else { today.tomorrow() };
        return Some(
            start
                .and_then(|start| start.nth_weekday(-1, weekday))
                .and_then(|date| last_such(date, 7, time, now)),
        );
    }
    let date = match day {
        _ if last => return None,
        "today" => Ok(today),
        "yesterday" => today.yesterday(),
        "tomorrow" => today.tomorrow(),
        date => Ok(date.parse::<Date>().ok()?),
    };
    Some(date.and_then(|date| in_zone(date.to_datetime(time), now)))
}

/// That time of that day, or so many days earlier if it has not come yet: a log has no future.
fn last_such(date: Date, step: i64, time: Time, now: &ZonedDateTime) -> Result<Timestamp, jiff::Error> {
    let moment = in_zone(date.to_datetime(time), now)?;
    if moment <= now.timestamp() {
        return Ok(moment);
    }
    let earlier = date.checked_sub(Span::new().try_days(step)?)?;
    in_zone(earlier.to_datetime(time), now)
}

/// The moment at which clocks in the zone show this. Where they skip it, the same wait after the
/// skip; where they show it twice, the first.
fn in_zone(civil: DateTime, now: &ZonedDateTime) -> Result<Timestamp, jiff::Error> {
    Ok(civil.to_zoned_datetime(now.time_zone().clone())?.timestamp())
}

/// A duration before now.
fn before(words: &str, now: &ZonedDateTime) -> Option<Result<Timestamp, jiff::Error>> {
    let span: Span = words.parse().ok()?;
    Some(now.checked_sub(span.abs()).map(|moment| moment.timestamp()))
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// `16:00`, `16:00:30`, `4pm`, `4:30 pm`, `noon`, `midnight`.
fn time_of_day(words: &str) -> Option<Time> {
    match words {
        "noon" => return Some(Time::constant(12, 0, 0, 0)),
        "midnight" => return Some(Time::midnight()),
        _ => {}
    }
    let half = |suffix| words.strip_suffix(suffix).map(str::trim_end);
    let (clock, afternoon) = match (half("am"), half("pm")) {
        (Some(clock), _) => (clock, Some(false)),
        (None, Some(clock)) => (clock, Some(true)),
        (None, None) => (words, None),
    };
    let mut parts = clock.split(':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let hour = match (afternoon, hour) {
        (Some(afternoon), 1..=12) => hour % 12 + if afternoon { 12 } else { 0 },
        (Some(_), _) => return None,
        // A lone number without am or pm could be anything.
        (None, _) if minute.is_none() => return None,
        (None, hour) => hour,
    };
    Time::new(hour, minute.unwrap_or(Some(0))?, second.unwrap_or(Some(0))?, 0).ok()
}

/// One or two digits.
fn number(text: &str) -> Option<i8> {
    let plain = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads `text` when clocks in `zone` show `now`, and says what those clocks showed then.
    #[track_caller]
    fn check_at(zone: &str, now: &str, text: &str, expected: &str) {
        let tz = TimeZone::get(zone).unwrap();
        let zoned = |text: &str| text.parse::<DateTime>().unwrap().to_zoned_datetime(tz.clone()).unwrap();
        let now = Moment::from_micros(zoned(now).timestamp().as_microsecond());
        let read = parse_when(text, now, &tz).map(|moment| {
            let moment = Timestamp::from_microsecond(moment.micros()).unwrap();
            moment.to_zoned_datetime(tz.clone()).datetime().to_string()
        });
        assert_eq!(read.as_deref(), Ok(expected), "{text:?}");
    }

    /// On Wednesday, 2 December 2026, at 10:15 in Berlin.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        check_at("Europe/Berlin", "2026-12-02T10:15", text, expected);
    }

    #[test]
    fn durations_lie_before_now() {
        check("2h", "2026-12-02T08:15:00");
        check("30m ago", "2026-12-02T09:45:00");
        check("1h30m", "2026-12-02T08:45:00");
        check("2 days ago", "2026-11-30T10:15:00");
        check("1w", "2026-11-25T10:15:00");
        check(" 90S ", "2026-12-02T10:13:30");
        check("now", "2026-12-02T10:15:00");
    }

    #[test]
    fn days_and_times_of_day() {
        check("yesterday 16:00", "2026-12-01T16:00:00");
        check("Yesterday at 4:30 pm", "2026-12-01T16:30:00");
        check("yesterday", "2026-12-01T00:00:00");
        check("today 9am", "2026-12-02T09:00:00");
        check("today noon", "2026-12-02T12:00:00");
        check("2026-11-30", "2026-11-30T00:00:00");
        check("2026-11-30 16:00", "2026-11-30T16:00:00");
        check("2026-11-30 4pm", "2026-11-30T16:00:00");
        check("2026-11-30T16:00:05", "2026-11-30T16:00:05");
    }

    #[test]
    fn a_weekday_or_a_time_is_the_last_one_that_has_passed() {
        check("tuesday 4pm", "2026-12-01T16:00:00");
        check("wed 10:00", "2026-12-02T10:00:00");
        check("wednesday 11:00", "2026-11-25T11:00:00");
        check("last wednesday 10:00", "2026-11-25T10:00:00");
        check("thursday", "2026-11-26T00:00:00");
        check("09:00", "2026-12-02T09:00:00");
        check("23:30", "2026-12-01T23:30:00");
        check("12am", "2026-12-02T00:00:00");
    }

    #[test]
    fn exact_moments_do_not_care_about_the_zone() {
        check("2026-11-30T16:00:00Z", "2026-11-30T17:00:00");
        check("2026-11-30T16:00:00-05:00", "2026-11-30T22:00:00");
        check("2026-11-30T16:00:00[America/New_York]", "2026-11-30T22:00:00");
        check("1796140800", "2026-12-01T17:00:00");
        check("1796140800000000", "2026-12-01T17:00:00");
    }

    #[test]
    fn a_day_is_not_always_24_hours_long() {
        // Clocks in New York went back on 1 November 2026 at 02:00.
        check_at("America/New_York", "2026-11-01T12:00", "1 day ago", "2026-10-31T12:00:00");
        check_at("America/New_York", "2026-11-01T12:00", "24h", "2026-10-31T13:00:00");
        // Clocks in Berlin skipped 02:30 on 29 March 2026.
        check_at("Europe/Berlin", "2026-03-29T12:00", "02:30", "2026-03-29T03:30:00");
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        for text in [
            "",
            "soon",
            "4",
            "tuesday 4",
            "25:00",
            "13pm",
            "0am",
            "last",
            "last 2h",
            "2026-13-01",
            "yesterday x",
            "1:2:3:4",
            "-",
            "16:00 tuesday yesterday",
        ] {
            let read = parse_when(text, Moment::from_secs(1_800_000_000), &TimeZone::UTC);
            assert!(matches!(read, Err(WhenError::NotUnderstood(_))), "{text:?}: {read:?}");
        }
        let far = parse_when("15000 years", Moment::from_secs(1_800_000_000), &TimeZone::UTC);
        assert!(matches!(far, Err(WhenError::OutOfRange(_))), "{far:?}");
        let error = parse_when(&"x".repeat(5000), Moment::EPOCH, &TimeZone::UTC).unwrap_err();
        assert!(error.to_string().len() < 300, "{error}");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,40}", now in any::<i64>()) {
            let _ = parse_when(&text, Moment::from_micros(now), &TimeZone::UTC);
        }

        #[test]
        fn a_row_s_own_time_reads_back(micros in 100_000_000_000_000_i64..99_999_999_999_999_999) {
            let read = parse_when(&micros.to_string(), Moment::EPOCH, &TimeZone::UTC);
            prop_assert_eq!(read, Ok(Moment::from_micros(micros)));
        }
    }
}
