//! Rows of the page's tables.

use std::time::Duration;

use jiff::tz::TimeZone;
use mainstay::{Moment, Outcome};
use mainstay_calllog::CallRecord;
use mainstay_cost::CapStatus;
use maud::{Markup, html};

use crate::admin::tiers::TierRow;
use crate::when::{rfc3339, span, time_of_day};

/// One tier.
pub(super) fn tier(tier: &TierRow) -> Markup {
    html! {
        tr {
            th scope="row" { code { (tier.tier) } @if tier.is_static { " (static)" } }
            td { (tier.chains.join(", ")) }
            td class={ "state " (tier.state) } {
                (tier.state.replace('_', " "))
                @if let Some(percent) = tier.percent { " " (percent) " %" }
                @if let Some(by) = tier.by { " (" (by) ")" }
            }
            td {
                @if let (Some(seconds), Some(until)) = (tier.seconds_left, &tier.until) {
                    time datetime=(until) { (span(Duration::from_secs(seconds))) }
                }
            }
            td class="number" { (tier.in_flight) }
            td class="why" { (tier.why) }
        }
    }
}

/// One cap.
pub(super) fn cap(cap: &CapStatus, now: Moment) -> Markup {
    let limit = cap.limit.nanos().max(1);
    let used = cap.spent.saturating_add(cap.reserved).nanos().clamp(0, limit);
    // In thousandths, so that no float is needed.
    let share = i128::from(used).saturating_mul(1000) / i128::from(limit);
    html! {
        li {
            label {
                (cap.cap.name().replace('_', " ")) ": $" (cap.spent) " of $" (cap.limit)
                @if cap.reserved.nanos() > 0 { ", $" (cap.reserved) " set aside" }
                @if let Some(at) = cap.resets_at { "; starts anew in " (span(now.until(at))) }
                " "
                progress max="1000" value=(share) { (share / 10) " %" }
            }
        }
    }
}

/// One attempt, or one tier that was passed over.
pub(super) fn call(call: &CallRecord, zone: &TimeZone) -> Markup {
    let (class, words) = came_to(call);
    html! {
        tr {
            td { time datetime=(rfc3339(call.ts)) { (time_of_day(call.ts, zone)) } }
            th scope="row" { code { (call.request_id) } }
            td { code { (call.tier.as_deref().unwrap_or("none")) } }
            td class={ "state " (class) } { (words) }
            td class="number" { @if let Some(tokens) = call.prompt_tokens { (tokens) } }
            td class="number" { @if let Some(tokens) = call.completion_tokens { (tokens) } }
            td class="number" { @if call.outcome != Outcome::Skipped { (seconds(call.latency_ms)) } }
            td class="number" {
                @match call.cost.known() {
                    Some(cost) if call.outcome == Outcome::Skipped && cost.nanos() == 0 => {}
                    Some(cost) => { "$" (cost) }
                    None => { "unknown" }
                }
            }
            td class="why" { (call.detail) }
        }
    }
}

/// How a call ended: a class for its colour, and words that say it without.
fn came_to(call: &CallRecord) -> (&'static str, String) {
    let quality = || call.quality.map_or("no verdict", |quality| quality.word()).replace('_', " ");
    match call.outcome {
        Outcome::Ok if call.rescued => ("ok", "ok, rescued".to_owned()),
        Outcome::Ok => ("ok", "ok".to_owned()),
        Outcome::Quality => ("bad", quality()),
        Outcome::Error => {
            let kind = call.error_kind.as_deref().unwrap_or("error").replace('_', " ");
            ("failed", call.http_status.map_or(kind.clone(), |status| format!("{kind} ({status})")))
        }
        Outcome::Aborted => ("aborted", "caller left".to_owned()),
        Outcome::Skipped => ("skipped", "passed over".to_owned()),
    }
}

/// Milliseconds as seconds with one decimal.
fn seconds(ms: u64) -> String {
    let tenths = ms.saturating_add(50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use mainstay::Quality;
    use mainstay_calllog::IdSource;

    use super::*;

    #[test]
    fn every_ending_is_said_in_words() {
        let now = Moment::from_secs(1);
        let mut row = CallRecord::new(IdSource::new(1).next(now), now, "r", "c");
        row.quality = Some(Quality::TruncatedEmpty);
        row.error_kind = Some("rate_limited".into());
        row.http_status = Some(429);
        for (outcome, words) in [
            (Outcome::Ok, "ok"),
            (Outcome::Quality, "truncated empty"),
            (Outcome::Error, "rate limited (429)"),
            (Outcome::Aborted, "caller left"),
            (Outcome::Skipped, "passed over"),
        ] {
            row.outcome = outcome;
            assert_eq!(came_to(&row).1, words);
        }
    }

    #[test]
    fn what_others_wrote_is_escaped() {
        let now = Moment::from_secs(1);
        let mut row = CallRecord::new(IdSource::new(1).next(now), now, "<b>r</b>", "c");
        row.tier = Some("p/<script>alert(1)</script>\"'&".into());
        row.detail = "</td><img src=x onerror=alert(1)>".into();
        let html = call(&row, &TimeZone::UTC).into_string();
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<b>"), "{html}");
        assert!(html.contains("p/&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;"), "{html}");
    }

    #[test]
    fn seconds_have_one_decimal() {
        for (ms, text) in [(0, "0.0"), (49, "0.0"), (50, "0.1"), (1_250, "1.3"), (61_000, "61.0")] {
            assert_eq!(seconds(ms), text);
        }
    }
}
