//! How long a provider asks us to stay away (behaviour 5.2): every form, in one order.
//!
//! `retry-after-ms`, `retry-after`, a delay that the body's reader found, and the reset headers of the
//! buckets that have nothing left: a provider's own, else those whose names are common. Knows no other header
//! names, and decides nothing.

use std::time::Duration;

use mainstay_canon::{Headers, HintSource, Moment, RetryHint};

use crate::Bucket;
use crate::compatible::BUCKETS as COMMON;

/// Longest hint that is kept.
const LONGEST: Duration = Duration::from_hours(24);

/// Longest header value that can be a wait, in bytes.
const VALUE_LIMIT: usize = 64;

/// Statuses on which a hint counts for everybody. Some providers send `retry-after` on good answers and on
/// errors that no wait mends.
const HINTED: [u16; 3] = [429, 503, 529];

/// From here on a bare number is a moment in Unix seconds (2001), no wait of thirty years.
const EPOCH_SECONDS: u128 = 1_000_000_000;

/// From here on it is a moment in Unix milliseconds.
const EPOCH_MILLIS: u128 = 1_000_000_000_000;

/// More decimals than any clock has.
const FRACTION_DIGITS: usize = 18;

const NANOS: u128 = 1_000_000_000;

/// Whether a hint counts on that status; `also` is what the provider's own table adds.
pub(crate) fn counts(status: u16, also: &[u16]) -> bool {
    HINTED.contains(&status) || also.contains(&status)
}

/// The hint of one reply, whose status allows one.
///
/// A zero, or a date that has passed, is kept only where nothing says more: Azure sends
/// `retry-after-ms: 0` beside `retry-after: 1` (recorded 2026-08).
pub(crate) fn read(
    headers: &Headers,
    body: Option<RetryHint>,
    buckets: &[Bucket],
    now: Moment,
) -> Option<RetryHint> {
    let clock = their_clock(headers, now);
    let millis = headers.get("retry-after-ms").and_then(|text| decimal(text.trim(), NANOS / 1000));
    let forms = [
        (HintSource::RetryAfterMs, millis.map(nanos)),
        (HintSource::RetryAfter, headers.get("retry-after").and_then(|text| wait(text, clock))),
        (HintSource::Body, body.map(|hint| hint.after)),
        (HintSource::ResetHeader, own_or_common(headers, buckets, clock).filter(|wait| !wait.is_zero())),
    ];
    let said = || forms.into_iter().filter_map(|(source, after)| Some((source, after?)));
    let (source, after) = said().find(|(_, after)| !after.is_zero()).or_else(|| said().next())?;
    let clamped = after > LONGEST || body.is_some_and(|hint| source == HintSource::Body && hint.clamped);
    Some(RetryHint { after: after.min(LONGEST), source, clamped })
}

/// The wait that a provider's own buckets ask for, else that of the names which servers and proxies of every
/// dialect use.
fn own_or_common(headers: &Headers, buckets: &[Bucket], clock: Moment) -> Option<Duration> {
    reset(headers, buckets, clock).or_else(|| reset(headers, COMMON, clock))
}

/// The wait until every exhausted bucket is full again; a bucket with something left says nothing.
pub(crate) fn reset(headers: &Headers, buckets: &[Bucket], clock: Moment) -> Option<Duration> {
    buckets
        .iter()
        .filter(|bucket| headers.get(bucket.remaining).is_some_and(is_zero))
        .filter_map(|bucket| wait(headers.get(bucket.reset)?, clock))
        .max()
}

/// What the provider's clock shows, by the reply's `Date`; ours where it has none. A date that it names is
/// told by its own clock.
pub(crate) fn their_clock(headers: &Headers, now: Moment) -> Moment {
    headers.get("date").and_then(http_date).unwrap_or(now)
}

/// A wait, in any spelling: seconds, `6m0s`, RFC 3339, HTTP date, Unix time. Zero for a moment that has
/// passed, `None` for what is no wait: a negative number, a word.
pub(crate) fn wait(text: &str, clock: Moment) -> Option<Duration> {
    let text = text.trim();
    if text.len() > VALUE_LIMIT {
        return None;
    }
    if let Some(number) = decimal(text, NANOS) {
        return Some(bare(number, clock));
    }
    units(text)
        .map(nanos)
        .or_else(|| rfc3339(text).map(|until| clock.until(until)))
        .or_else(|| http_date(text).map(|until| clock.until(until)))
}

/// A bare number, in billionths: seconds, or a moment.
fn bare(number: u128, clock: Moment) -> Duration {
    let micros = match number / NANOS {
        whole if whole >= EPOCH_MILLIS => number / NANOS * 1000,
        whole if whole >= EPOCH_SECONDS => number / 1000,
        _ => return nanos(number),
    };
    clock.until(Moment::from_micros(i64::try_from(micros).unwrap_or(i64::MAX)))
}

/// `23h18m29.144s`, `2m59.56s`, `12ms`: numbers with units, largest unit first or not.
fn units(text: &str) -> Option<u128> {
    let mut rest = text;
    let mut total = 0_u128;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|letter: char| letter.is_ascii_alphabetic())?);
        let end = after.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        let unit = match unit {
            "ns" => 1,
            "us" => NANOS / 1_000_000,
            "ms" => NANOS / 1000,
            "s" => NANOS,
            "m" => 60 * NANOS,
            "h" => 3600 * NANOS,
            "d" => 86_400 * NANOS,
            _ => return None,
        };
        total = total.saturating_add(decimal(number, unit)?);
        rest = next;
    }
    (!text.is_empty()).then_some(total)
}

/// A decimal number of at least zero, times `unit`, rounded up. Digits beyond what fits saturate.
fn decimal(text: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    let read = |text: &str| {
        text.bytes().fold(0_u128, |sum, byte| sum.saturating_mul(10).saturating_add(u128::from(byte - b'0')))
    };
    let (kept, rest) = fraction.split_at(fraction.len().min(FRACTION_DIGITS));
    let parts = 10_u128.pow(u32::try_from(kept.len()).unwrap_or_default());
    let above = u128::from(!rest.bytes().all(|byte| byte == b'0'));
    let fraction = (read(kept) + above).saturating_mul(unit).div_ceil(parts);
    Some(read(whole).saturating_mul(unit).saturating_add(fraction))
}

fn nanos(nanos: u128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

fn is_zero(text: &str) -> bool {
    decimal(text.trim(), NANOS) == Some(0)
}

fn rfc3339(text: &str) -> Option<Moment> {
    text.parse::<jiff::Timestamp>().ok().map(|stamp| Moment::from_micros(stamp.as_microsecond()))
}

fn http_date(text: &str) -> Option<Moment> {
    let date = httpdate::parse_http_date(text.trim()).ok()?;
    let since = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Moment::EPOCH.after(since))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-01T12:00:00Z.
    const NOW: Moment = Moment::from_secs(1_772_366_400);

    const BUCKETS: &[Bucket] = &[
        Bucket { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
        Bucket { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
    ];

    fn hint(fields: &[(&str, &str)]) -> Option<RetryHint> {
        read(&fields.iter().copied().collect(), None, BUCKETS, NOW)
    }

    fn check(fields: &[(&str, &str)], millis: u64, source: HintSource) {
        let expected = RetryHint { after: Duration::from_millis(millis), source, clamped: false };
        assert_eq!(hint(fields), Some(expected), "{fields:?}");
    }

    #[test]
    fn seconds_and_fractions_are_exact() {
        check(&[("Retry-After", "7")], 7000, HintSource::RetryAfter);
        check(&[("retry-after", " 0.503 ")], 503, HintSource::RetryAfter);
        check(&[("retry-after-ms", "1500.0")], 1500, HintSource::RetryAfterMs);
        assert_eq!(wait("60.363142857", NOW), Some(Duration::new(60, 363_142_857)));
        assert_eq!(wait("0.0000000001", NOW), Some(Duration::from_nanos(1)), "rounded up");
    }

    #[test]
    fn the_finer_header_comes_first_and_a_zero_last() {
        check(&[("retry-after", "2"), ("retry-after-ms", "1500")], 1500, HintSource::RetryAfterMs);
        check(&[("retry-after-ms", "0"), ("retry-after", "1")], 1000, HintSource::RetryAfter);
        check(&[("retry-after", "0")], 0, HintSource::RetryAfter);
    }

    #[test]
    fn a_date_is_told_by_the_providers_own_clock() {
        let until = ("retry-after", "Sun, 01 Mar 2026 12:00:30 GMT");
        check(&[until], 30_000, HintSource::RetryAfter);
        check(&[until, ("date", "Sun, 01 Mar 2026 12:00:10 GMT")], 20_000, HintSource::RetryAfter);
        check(&[("retry-after", "Sun, 01 Mar 2026 11:59:00 GMT")], 0, HintSource::RetryAfter);
        check(&[until, ("date", "yesterday")], 30_000, HintSource::RetryAfter);
    }

    #[test]
    fn what_is_no_wait_is_no_hint() {
        for text in ["", "-1", "soon", "NaN", "1e3", "+5", "5 apples", "m", "1x", ".", "١٢"] {
            assert_eq!(hint(&[("retry-after", text), ("retry-after-ms", text)]), None, "{text:?}");
        }
        assert_eq!(wait(&"9".repeat(65), NOW), None);
    }

    #[test]
    fn only_an_exhausted_bucket_counts_and_the_slowest_of_them() {
        let left = [
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "750ms"),
            ("x-ratelimit-remaining-tokens", "900"),
            ("x-ratelimit-reset-tokens", "7.66s"),
        ];
        check(&left, 750, HintSource::ResetHeader);
        let both = [left[0], left[1], ("x-ratelimit-remaining-tokens", "0"), left[3]];
        check(&both, 7660, HintSource::ResetHeader);
        assert_eq!(hint(&[left[1], left[2], left[3]]), None);
        assert_eq!(
            hint(&[("x-ratelimit-remaining-requests", "-1"), ("x-ratelimit-reset-requests", "5")]),
            None
        );
        check(&[("retry-after", "2"), both[0], both[1]], 2000, HintSource::RetryAfter);
    }

    #[test]
    fn common_names_of_buckets_count_for_a_provider_that_has_others_or_none() {
        let fields = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")];
        let headers: Headers = fields.into_iter().collect();
        let own = [Bucket { remaining: "acme-left", reset: "acme-reset" }];
        for buckets in [&[], own.as_slice()] {
            let hint = read(&headers, None, buckets, NOW).unwrap();
            assert_eq!((hint.after, hint.source), (Duration::from_mins(6), HintSource::ResetHeader));
        }
        let both = fields.into_iter().chain([("acme-left", "0"), ("acme-reset", "3s")]).collect();
        assert_eq!(read(&both, None, &own, NOW).unwrap().after, Duration::from_secs(3), "its own come first");
    }

    #[test]
    fn every_spelling_of_a_reset_is_read() {
        for (text, millis) in [
            ("6m0s", 360_000),
            ("12ms", 12),
            ("2m59.56s", 179_560),
            ("23h18m29.144s", 83_909_144),
            ("1h2m3s", 3_723_000),
            ("7", 7000),
            ("2026-03-01T12:00:12Z", 12_000),
            ("2026-03-01T13:00:12+01:00", 12_000),
            ("1772366415", 15_000),
            ("1772366415000", 15_000),
        ] {
            check(
                &[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", text)],
                millis,
                HintSource::ResetHeader,
            );
        }
    }

    #[test]
    fn a_reset_that_has_passed_says_nothing() {
        for text in ["2026-03-01T11:00:00Z", "1772366399", "0", "-1", "0s"] {
            let fields = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", text)];
            assert_eq!(hint(&fields), None, "{text}");
        }
    }

    #[test]
    fn a_hint_above_a_day_is_kept_as_a_day_and_noted() {
        for text in
            ["86401", "99999999999", "Tue, 02 Mar 2027 12:00:00 GMT", "9999999999999999999999999999999999999"]
        {
            let hint = hint(&[("retry-after", text)]).unwrap();
            assert_eq!((hint.after, hint.clamped), (LONGEST, true), "{text}");
        }
        assert!(!hint(&[("retry-after", "86400")]).unwrap().clamped);
    }

    #[test]
    fn a_delay_in_the_body_stands_between_the_headers() {
        let body = RetryHint { after: Duration::from_secs(45), source: HintSource::Body, clamped: false };
        let fields = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "3s")];
        let found = read(&fields.into_iter().collect(), Some(body), BUCKETS, NOW);
        assert_eq!(found, Some(body));
        let found = read(&[("retry-after", "2")].into_iter().collect(), Some(body), BUCKETS, NOW).unwrap();
        assert_eq!(found.after, Duration::from_secs(2));
    }

    #[test]
    fn any_header_is_read_without_a_panic() {
        for text in ["☃", "1☃", "1.☃", "1.2.3", "h", "1h-2m", "99999999999999999999d", "0000-00-00T00:00:00Z"]
        {
            let _ = wait(text, NOW);
            let _ = wait(text, Moment::from_micros(i64::MIN));
        }
    }
}
