//! `429`, with each kind of hint at when to come back, and without.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mainstay_testkit::{Fault, Hint, Reply};

use crate::expect::{COOLDOWN, Expect};
use crate::row::{Row, Trouble};

/// The wait that is hinted at, in seconds: longer than any request has.
const WAIT: u64 = 900;

pub(super) fn rows() -> Vec<Row> {
    let hinted = |name, what, hint| Row::new(name, what, Fault::RateLimitedBy(hint), Expect::limited(WAIT));
    #[expect(clippy::cast_precision_loss, reason = "900")]
    let seconds = WAIT as f64;
    vec![
        hinted("429, retry-after in seconds", "`retry-after: 900`.", Hint::Seconds(seconds)),
        Row::of(
            "429, retry-after as a date",
            "`retry-after` as an HTTP date 900 s from now.",
            Trouble::Made(Arc::new(|| {
                let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(WAIT));
                Reply::Fault(Fault::RateLimitedBy(Hint::Date(date)))
            })),
            Expect::limited(WAIT),
        ),
        hinted("429, retry-after-ms", "`retry-after-ms: 900000`.", Hint::Millis(WAIT * 1000)),
        hinted(
            "429, x-ratelimit-reset",
            "`x-ratelimit-reset-requests: 15m0s` of a bucket with nothing left.",
            Hint::Reset("15m0s".into()),
        ),
        Row::of(
            "429, a reset as RFC 3339",
            "The same header with the moment itself, 900 s from now.",
            Trouble::Made(Arc::new(|| {
                let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(WAIT.cast_signed());
                Reply::Fault(Fault::RateLimitedBy(Hint::Reset(at.to_string())))
            })),
            Expect::limited(WAIT),
        ),
        hinted(
            "429, a delay in the body",
            "The wait stands in the error's text or details.",
            Hint::InMessage("900s".into()),
        ),
        Row::new(
            "429 without a hint",
            "Nothing says when to come back: the tier's own `cooldown` counts.",
            Fault::Status(429),
            Expect::limited(COOLDOWN),
        ),
        Row::new("429 for quota", "The quota or the money is used up.", Fault::Quota, Expect::out_of_money()),
    ]
}
