//! How long an error body asks us to stay away.
//!
//! A member such as `retry_after`, Google's `RetryInfo`, or a sentence: "Please try again in 6m0s". Headers
//! are read elsewhere, and so are moments, which need a clock.

use std::time::Duration;

use mainstay_canon::{HintSource, RetryHint};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient::{Many, Text, read, read_object};

/// The longest wait that is believed (behaviour 5.2).
const LONGEST: Duration = Duration::from_hours(24);

/// What stands before a delay in a sentence, in small letters.
const LEAD_INS: [&str; 5] =
    ["try again in ", "retry after ", "retry in ", "try again after ", "available again in "];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Members<'a> {
    #[serde(borrow)]
    retry_after_ms: Text<'a>,
    #[serde(borrow)]
    retry_after: Text<'a>,
    #[serde(borrow)]
    retry_after_seconds: Text<'a>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    details: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Detail<'a> {
    #[serde(borrow, rename = "retryDelay")]
    retry_delay: Text<'a>,
}

/// The hint of an error object, else of its message.
pub(super) fn hint(error: Option<&RawValue>, message: &str) -> Option<RetryHint> {
    let after = error.and_then(stated).or_else(|| spoken(message))?;
    Some(RetryHint { after: after.min(LONGEST), source: HintSource::Body, clamped: after > LONGEST })
}

/// The hint of a message alone, in whichever dialect it was said.
pub fn spoken_hint(message: &str) -> Option<RetryHint> {
    hint(None, message)
}

/// A delay in a member.
fn stated(error: &RawValue) -> Option<Duration> {
    let members: Members<'_> = read_object(Some(error));
    own(&members).or_else(|| own(&read_object(members.metadata))).or_else(|| {
        read::<Many<Detail<'_>>>(members.details)
            .0
            .iter()
            .find_map(|item| item.retry_delay.filled().and_then(duration))
    })
}

fn own(members: &Members<'_>) -> Option<Duration> {
    let seconds = || members.retry_after.filled().or(members.retry_after_seconds.filled());
    members
        .retry_after_ms
        .filled()
        .and_then(|text| nanos(text, 1_000_000))
        .map(Duration::from_nanos)
        .or_else(|| seconds().and_then(duration))
}

/// A delay in a sentence.
fn spoken(message: &str) -> Option<Duration> {
    let small = message.to_ascii_lowercase();
    LEAD_INS.iter().find_map(|lead_in| {
        let (_, after) = small.split_once(lead_in)?;
        duration(after)
    })
}

/// Reads the delay at the beginning of a text: `41.724s`, `6m0s`, `12ms`, `1h2m`, `20 seconds`, or a bare
/// number of seconds.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut whole: Option<u64> = None;
    loop {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, after) = rest.split_at_checked(digits)?;
        // A full stop at the end of the sentence is no decimal point.
        let number = number.trim_end_matches('.');
        if number.is_empty() {
            return whole.map(Duration::from_nanos);
        }
        let after = after.trim_start();
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at_checked(letters)?;
        let Some(unit_nanos) = unit_nanos(unit, whole.is_some()) else {
            return whole.map(Duration::from_nanos);
        };
        whole = Some(whole.unwrap_or(0).saturating_add(nanos(number, unit_nanos)?));
        rest = after;
    }
}

/// Nanoseconds of a unit. A bare number means seconds, but not after another unit.
fn unit_nanos(unit: &str, goes_on: bool) -> Option<u64> {
    match unit {
        "ms" | "millisecond" | "milliseconds" => Some(1_000_000),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1_000_000_000),
        "" if !goes_on => Some(1_000_000_000),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60_000_000_000),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3_600_000_000_000),
        "d" | "day" | "days" => Some(86_400_000_000_000),
        _ => None,
    }
}

/// So many units in nanoseconds, exactly as far as nanoseconds go.
fn nanos(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    // Digits that do not fit are a very long time.
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(u64::MAX) };
    let fraction = fraction.get(..fraction.len().min(9))?;
    let part: u64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let part = u128::from(part).checked_mul(u128::from(unit))?.checked_div(scale)?;
    Some(whole.saturating_mul(unit).saturating_add(u64::try_from(part).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Option<Duration> {
        hint(None, message).map(|hint| hint.after)
    }

    #[test]
    fn a_delay_is_read_out_of_a_sentence() {
        for (message, nanos) in [
            ("Rate limit reached (TPM). Please try again in 41.724s. Visit us", 41_724_000_000),
            ("Please try again in 6m0s.", 360_000_000_000),
            ("Please try again in 1m0.363142857s.", 60_363_142_857),
            ("Please retry after 26 seconds.", 26_000_000_000),
            ("try again in 12ms", 12_000_000),
            ("Please retry in 34.5s.", 34_500_000_000),
            ("Try again in 23h18m29.144s", 83_909_144_000_000),
            ("Try again in 5 minutes, thanks", 300_000_000_000),
            ("Please try again in 20.", 20_000_000_000),
        ] {
            assert_eq!(said(message), Some(Duration::from_nanos(nanos)), "{message}");
        }
        for message in
            ["Please try again later", "try again in a moment", "retry after the 5th", "try again in ", ""]
        {
            assert_eq!(said(message), None, "{message}");
        }
    }

    #[test]
    fn a_delay_is_read_out_of_members() {
        let of = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            hint(Some(&raw), "try again in 9s").map(|hint| hint.after)
        };
        assert_eq!(of(r#"{"retry_after":7}"#), Some(Duration::from_secs(7)));
        assert_eq!(of(r#"{"retry_after_ms":"250","retry_after":7}"#), Some(Duration::from_millis(250)));
        assert_eq!(of(r#"{"metadata":{"retry_after_seconds":1.5}}"#), Some(Duration::from_millis(1500)));
        assert_eq!(
            of(r#"{"details":[{"@type":"x"},{"retryDelay":"34.074s"}]}"#),
            Some(Duration::from_millis(34_074))
        );
        assert_eq!(of("{}"), Some(Duration::from_secs(9)));
    }

    #[test]
    fn more_than_a_day_is_kept_as_a_day_and_said() {
        for message in ["try again in 30h", "try again in 99999999999999999999h"] {
            let hint = hint(None, message).unwrap();
            assert_eq!((hint.after, hint.clamped), (LONGEST, true));
        }
    }
}
