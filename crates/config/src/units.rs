//! Durations, sizes, counts and shares as people type them. Exact: no float is involved.

use std::time::Duration;

/// Longest duration a file may state: a hundred years.
const LONGEST: Duration = Duration::from_hours(100 * 366 * 24);

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnitError {
    /// A bare number.
    #[error("has no unit")]
    NoUnit,
    /// A unit that is not known here.
    #[error("has an unknown unit")]
    UnknownUnit,
    /// Not a number with a unit at all.
    #[error("cannot be read")]
    Unreadable,
    /// Finer than the smallest unit.
    #[error("is finer than can be kept")]
    TooFine,
    /// Larger than can be kept.
    #[error("is too large")]
    TooLarge,
}

/// Nanoseconds of each unit, the longer names first where one begins like another.
const TIME_UNITS: [(&str, u128); 6] = [
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("w", 604_800_000_000_000),
];

/// Bytes of each unit: decimal, as the letters say.
const SIZE_UNITS: [(&str, u128); 5] =
    [("B", 1), ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)];

/// Factor of each suffix of a count.
const COUNT_UNITS: [(&str, u128); 5] =
    [("", 1), ("k", 1_000), ("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];

/// Reads `"60s"`, `"1.5s"`, `"1h30m"`.
pub(crate) fn duration(text: &str) -> Result<Duration, UnitError> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(UnitError::Unreadable);
    }
    let mut nanos: u128 = 0;
    let mut last = u128::MAX;
    while !rest.is_empty() {
        let (number, unit, after) = piece(rest)?;
        let factor = factor(unit, &TIME_UNITS)?;
        // "30s1h" is more likely a slip than a wish.
        if factor >= last {
            return Err(UnitError::Unreadable);
        }
        last = factor;
        nanos = nanos.checked_add(number.times(factor)?).ok_or(UnitError::TooLarge)?;
        rest = after;
    }
    let nanos = u64::try_from(nanos).map_err(|_| UnitError::TooLarge)?;
    Some(Duration::from_nanos(nanos)).filter(|read| *read <= LONGEST).ok_or(UnitError::TooLarge)
}

/// Reads `"32MB"` into bytes.
pub(crate) fn size(text: &str) -> Result<u64, UnitError> {
    single(text, &SIZE_UNITS)
}

/// Reads `"4M"`, `"500k"`, `"200"`.
pub(crate) fn count(text: &str) -> Result<u64, UnitError> {
    single(text, &COUNT_UNITS)
}

/// Reads `"80%"`, from 1 to 100.
pub(crate) fn percent(text: &str) -> Result<u8, UnitError> {
    let digits = text.trim().strip_suffix('%').ok_or(UnitError::NoUnit)?;
    let percent: u8 = digits.trim_end().parse().map_err(|_| UnitError::Unreadable)?;
    if (1..=100).contains(&percent) { Ok(percent) } else { Err(UnitError::TooLarge) }
}

/// Reads `"1/100000"` into its second number.
pub(crate) fn one_in(text: &str) -> Result<u64, UnitError> {
    let (one, many) = text.split_once('/').ok_or(UnitError::Unreadable)?;
    if one.trim() != "1" {
        return Err(UnitError::Unreadable);
    }
    let many = count(many.trim())?;
    if many == 0 { Err(UnitError::Unreadable) } else { Ok(many) }
}

/// Writes a duration the way [`duration`] reads it.
pub(crate) fn show(duration: Duration) -> String {
    let millis = duration.as_millis();
    for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)] {
        if millis >= size && millis.is_multiple_of(size) {
            return format!("{}{unit}", millis / size);
        }
    }
    format!("{millis}ms")
}

/// One number with one unit.
fn single(text: &str, units: &[(&str, u128)]) -> Result<u64, UnitError> {
    let (number, unit, rest) = piece(text.trim())?;
    if !rest.is_empty() {
        return Err(UnitError::Unreadable);
    }
    u64::try_from(number.times(factor(unit, units)?)?).map_err(|_| UnitError::TooLarge)
}

/// A decimal number: `digits` divided by 10^`places`.
struct Number {
    digits: u128,
    places: u32,
}

impl Number {
    /// This many of a unit, if that is a whole number.
    fn times(&self, factor: u128) -> Result<u128, UnitError> {
        let scaled = self.digits.checked_mul(factor).ok_or(UnitError::TooLarge)?;
        let divisor = 10_u128.pow(self.places);
        if scaled.is_multiple_of(divisor) { Ok(scaled / divisor) } else { Err(UnitError::TooFine) }
    }
}

/// The first number with its unit, and what follows.
fn piece(text: &str) -> Result<(Number, &str, &str), UnitError> {
    let digits_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(digits_end);
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || decimals.is_empty() || decimals.contains('.') {
        return Err(UnitError::Unreadable);
    }
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > 9 {
        return Err(UnitError::TooFine);
    }
    let digits = format!("{whole}{decimals}").parse().map_err(|_| UnitError::TooLarge)?;
    let places = u32::try_from(decimals.len()).map_err(|_| UnitError::TooFine)?;
    let rest = rest.trim_start();
    let unit_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (unit, after) = rest.split_at(unit_end);
    Ok((Number { digits, places }, unit, after.trim_start()))
}

fn factor(unit: &str, units: &[(&str, u128)]) -> Result<u128, UnitError> {
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(*factor),
        None if unit.is_empty() => Err(UnitError::NoUnit),
        None => Err(UnitError::UnknownUnit),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_read_with_their_units() {
        for (text, millis) in [
            ("500ms", 500),
            ("60s", 60_000),
            ("1.5s", 1_500),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("90d", 7_776_000_000),
            ("0s", 0),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_duration_says_why() {
        for (text, why) in [
            ("60", UnitError::NoUnit),
            ("5min", UnitError::UnknownUnit),
            ("5S", UnitError::UnknownUnit),
            ("", UnitError::Unreadable),
            ("s", UnitError::Unreadable),
            ("-5s", UnitError::Unreadable),
            ("1..5s", UnitError::Unreadable),
            ("30s1h", UnitError::Unreadable),
            ("999999d", UnitError::TooLarge),
            ("99999999999999999999999999999999999999999s", UnitError::TooLarge),
            ("0.00000000001s", UnitError::TooFine),
        ] {
            assert_eq!(duration(text), Err(why), "{text}");
        }
    }

    #[test]
    fn sizes_counts_and_shares_read_exactly() {
        assert_eq!(size("32MB"), Ok(32_000_000));
        assert_eq!(size("1.5 GB"), Ok(1_500_000_000));
        assert_eq!(size("32"), Err(UnitError::NoUnit));
        assert_eq!(size("32MiB"), Err(UnitError::UnknownUnit));
        assert_eq!(size("0.5B"), Err(UnitError::TooFine));
        assert_eq!(count("4M"), Ok(4_000_000));
        assert_eq!(count("200"), Ok(200));
        assert_eq!(percent("80%"), Ok(80));
        assert_eq!(percent("80"), Err(UnitError::NoUnit));
        assert_eq!(percent("101%"), Err(UnitError::TooLarge));
        assert_eq!(one_in("1/100000"), Ok(100_000));
        assert_eq!(one_in("2/3"), Err(UnitError::Unreadable));
        assert_eq!(one_in("1/0"), Err(UnitError::Unreadable));
    }

    #[test]
    fn durations_print_in_the_largest_whole_unit() {
        for text in ["500ms", "90s", "5m", "36h", "90d", "0ms"] {
            assert_eq!(show(duration(text).unwrap()), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = (duration(&text), size(&text), count(&text), percent(&text), one_in(&text));
        }

        #[test]
        fn whole_milliseconds_survive_printing(millis in 0_u64..3_000_000_000_000) {
            let read = Duration::from_millis(millis);
            prop_assert_eq!(duration(&show(read)), Ok(read));
        }
    }
}
