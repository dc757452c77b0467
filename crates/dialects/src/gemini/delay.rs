//! How long an error asks us to stay away: `RetryInfo`, `quotaResetDelay`, or a sentence.
//!
//! Source: google.rpc error details; Gemini API, Rate limits, 2026-11. Moments need a clock and are not read here;
//! nor are headers, of which this API sends none.

use std::time::Duration;

use mainstay_canon::{HintSource, RetryHint};

use super::json::Object;

/// The longest wait that is believed (behaviour 5.2).
const LONGEST: Duration = Duration::from_hours(24);

/// What stands before a delay in a sentence, in small letters.
const LEAD_INS: [&str; 5] =
    ["retry in ", "reset after ", "try again in ", "retry after ", "try again after "];

const UNITS: [(&str, u64); 5] =
    [("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)];

/// The hint of an error's details, else of its message.
pub(super) fn hint(details: &[Object<'_>], message: &str) -> Option<RetryHint> {
    let stated = details.iter().find_map(|detail| whole(&detail.text("retryDelay")?));
    let reset =
        || details.iter().find_map(|detail| whole(&detail.object("metadata")?.text("quotaResetDelay")?));
    let after = stated.or_else(reset).or_else(|| spoken(message))?;
    Some(RetryHint { after: after.min(LONGEST), source: HintSource::Body, clamped: after > LONGEST })
}

/// A delay that is the whole of a text: `45.837906927s`, `1h16m0.6s`.
fn whole(text: &str) -> Option<Duration> {
    leading(text.trim())
}

/// A delay in a sentence.
fn spoken(message: &str) -> Option<Duration> {
    let small = message.to_ascii_lowercase();
    LEAD_INS.iter().find_map(|lead_in| leading(small.split_once(lead_in)?.1))
}

/// The delay at the beginning of a text.
fn leading(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut nanos: Option<u64> = None;
    loop {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, after) = rest.split_at_checked(digits)?;
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at_checked(letters)?;
        let unit = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, nanos)| *nanos);
        let Some(part) = unit.and_then(|unit| decimal(number, unit)) else {
            return nanos.map(Duration::from_nanos);
        };
        nanos = Some(nanos.unwrap_or(0).saturating_add(part));
        rest = after;
    }
}

/// So many units in nanoseconds, as exactly as nanoseconds go. Digits that do not fit are a very long time.
fn decimal(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.get(..fraction.len().min(9))?;
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(u64::MAX) };
    let part: u128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let part = u64::try_from(part.saturating_mul(u128::from(unit)) / scale).ok()?;
    Some(whole.saturating_mul(unit).saturating_add(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(details: &[&str], message: &str) -> Option<Duration> {
        let details: Vec<Object<'_>> = details.iter().map(|text| Object::parse(text).unwrap()).collect();
        hint(&details, message).map(|hint| hint.after)
    }

    #[test]
    fn a_delay_is_read_out_of_details_to_the_nanosecond() {
        let quota = r#"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]}"#;
        let retry = r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"45.837906927s"}"#;
        let reset = r#"{"reason":"x","metadata":{"quotaResetDelay":"373.801628ms"}}"#;
        assert_eq!(of(&[quota, retry, reset], "Please retry in 9s"), Some(Duration::new(45, 837_906_927)));
        assert_eq!(of(&[reset], ""), Some(Duration::from_nanos(373_801_628)));
        assert_eq!(of(&[r#"{"retryDelay":"2s"}"#], ""), Some(Duration::from_secs(2)));
        assert_eq!(of(&[r#"{"retryDelay":7}"#, r#"{"metadata":7}"#], ""), None);
    }

    #[test]
    fn a_delay_is_read_out_of_a_sentence() {
        for (message, millis) in [
            ("Quota exceeded. Please retry in 12.5s.", 12_500),
            ("Your quota will reset after 1h2m3s.", 3_723_000),
            ("Your quota will reset after 5h59m59s", 21_599_000),
            ("please retry in 58.3ms", 58),
        ] {
            assert_eq!(of(&[], message).map(|after| after.as_millis()), Some(millis), "{message}");
        }
        for message in
            ["Please retry in a while", "Please try again later", "retry in 5", "retry in 5.5.5s", ""]
        {
            assert_eq!(of(&[], message), None, "{message}");
        }
    }

    #[test]
    fn more_than_a_day_is_kept_as_a_day_and_said() {
        for message in ["retry in 30h", "retry in 99999999999999999999999h"] {
            let hint = hint(&[], message).unwrap();
            assert_eq!((hint.after, hint.clamped), (LONGEST, true));
        }
    }
}
