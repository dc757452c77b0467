//! The two tables, as people read them, 80 columns wide.

use std::fmt::Write as _;

use super::inputs::{PUBLISHED, PUBLISHED_FACTOR, REQUESTS};
use super::{FridayRow, Week};

const WHO: [&str; 5] = [
    "first provider, first try",
    "first provider, after one or two retries",
    "second provider",
    "third provider",
    "fourth provider",
];

/// Who answered in a week, beside what is published and what the inputs come to; and what both orders cost.
pub fn week_table(cheap: &Week, expensive: &Week) -> String {
    let mut text = format!(
        "A simulated week, {} requests, cheap first\n\n{:<42}{:>12}{:>12}{:>12}\n",
        cheap.requests, "answered by", "published", "computed", "simulated"
    );
    let rows = WHO.iter().zip(PUBLISHED).zip(cheap.computed.published()).zip(cheap.shares.published());
    for (((who, published), computed), simulated) in rows {
        let _ = writeln!(
            text,
            "{who:<42}{:>12}{:>12}{:>12}",
            format!("{published} %"),
            percent(computed),
            percent(simulated)
        );
    }
    for (who, computed, simulated) in [
        ("tier of last resort", cheap.computed.last_resort, cheap.shares.last_resort),
        ("nobody: the prompt defeated every model", cheap.computed.nobody, cheap.shares.nobody),
    ] {
        let _ = writeln!(text, "{who:<42}{:>12}{:>12}{:>12}", "", percent(computed), percent(simulated));
    }
    let _ = write!(
        text,
        "\n{:<42}{:>12}{:>12}\n{:<42}{:>12}{:>12}\n{:<42}{:>12}{:>12}\n{:<42}{:>12}{:>12}\n",
        "",
        "cheap first",
        "dear first",
        "answered",
        percent(1.0 - cheap.shares.nobody),
        percent(1.0 - expensive.shares.nobody),
        "calls a request",
        format!("{:.3}", per_request(cheap)),
        format!("{:.3}", per_request(expensive)),
        "cost of the week",
        format!("${:.2}", dollars(cheap)),
        format!("${:.2}", dollars(expensive)),
    );
    let _ = write!(
        text,
        "\nDear first costs {:.1} times as much; published for another mix of models and\n\
         tokens: {PUBLISHED_FACTOR} times.\n",
        factor(cheap, expensive)
    );
    text
}

/// What the outage of every provider looked like.
pub fn friday_table(rows: &[FridayRow]) -> String {
    let mut text = format!(
        "Its Friday, with every provider out from 17:00 to 19:00\n\n{:<14}{:>9}{:>10}{:>12}{:>8}{:>7}{:>9}{:>10}\n",
        "came", "requests", "provider", "last resort", "nobody", "calls", "median", "slowest"
    );
    for row in rows {
        let time = |minutes: u64| format!("{}:{:02}", 16 + (50 + minutes) / 60, (50 + minutes) % 60);
        let _ = writeln!(
            text,
            "{:<14}{:>9}{:>10}{:>12}{:>8}{:>7}{:>9}{:>10}",
            format!("{}-{}", time(row.minutes.start), time(row.minutes.end)),
            row.requests,
            row.by_provider,
            row.by_last_resort,
            row.by_nobody,
            row.calls,
            format!("{:.1} s", row.median().as_secs_f64()),
            format!("{:.1} s", row.slowest().as_secs_f64()),
        );
    }
    text
}

/// How many times as much the second week cost.
fn factor(cheap: &Week, expensive: &Week) -> f64 {
    dollars(expensive) / dollars(cheap)
}

#[allow(clippy::cast_precision_loss, reason = "for people to read")]
fn dollars(week: &Week) -> f64 {
    week.cost.nanos() as f64 / 1e9
}

fn per_request(week: &Week) -> f64 {
    f64::from(week.calls) / f64::from(week.requests.max(1))
}

/// With as many decimals as one request of the week is worth.
fn percent(share: f64) -> String {
    debug_assert_eq!(REQUESTS, 100_000, "three decimals are one request");
    format!("{:.3} %", share * 100.0)
}
