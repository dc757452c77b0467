//! Stories as they are printed, one for each ending.

use jiff::tz::TimeZone;
use mainstay_canon::{FinishReason, Quality};
use proptest::prelude::*;

use super::*;
use crate::{IdSource, note};

/// A request on its way: rows are added as a client would write them.
struct Script {
    ids: IdSource,
    now: Moment,
    rows: Vec<CallRecord>,
}

impl Script {
    /// Begins at 17:01:12 UTC on 30 November 2026.
    fn new() -> Self {
        Self { ids: IdSource::new(1), now: Moment::from_secs(1_796_058_072), rows: Vec::new() }
    }

    fn row(&mut self, tier: &str, ms: u64, nanos: i64, fill: impl FnOnce(&mut CallRecord)) {
        let mut row = CallRecord::new(self.ids.next(self.now), self.now, "req_7f3a", "default");
        row.user_id = Some("ann".to_owned());
        row.tier = (!tier.is_empty()).then(|| tier.to_owned());
        row.latency_ms = ms;
        row.cost = Cost::Known(Nanodollars::from_nanos(nanos));
        fill(&mut row);
        self.now = self.now.after(std::time::Duration::from_millis(row.wait_ms));
        row.ts = self.now;
        self.now = self.now.after(std::time::Duration::from_millis(ms));
        self.rows.push(row);
    }

    fn call(&mut self, tier: &str, status: u16, ms: u64, nanos: i64, fill: impl FnOnce(&mut CallRecord)) {
        let number = self.rows.iter().filter(|row| row.attempt.is_some()).count() + 1;
        self.row(tier, ms, nanos, |row| {
            row.attempt = u32::try_from(number).ok();
            row.http_status = (status > 0).then_some(status);
            fill(row);
        });
    }

    fn bad(&mut self, tier: &str, ms: u64, nanos: i64, quality: Quality, detail: &str) {
        self.call(tier, 200, ms, nanos, |row| {
            row.outcome = Outcome::Quality;
            row.quality = Some(quality);
            row.detail = detail.to_owned();
        });
    }

    fn error(&mut self, tier: &str, status: u16, ms: u64, kind: &str, detail: &str) {
        self.call(tier, status, ms, 0, |row| {
            row.outcome = Outcome::Error;
            row.error_kind = Some(kind.to_owned());
            row.detail = detail.to_owned();
        });
    }

    fn ok(&mut self, tier: &str, ms: u64, nanos: i64, tokens: u64) {
        self.call(tier, 200, ms, nanos, |row| {
            row.outcome = Outcome::Ok;
            row.quality = Some(Quality::Ok);
            row.completion_tokens = Some(tokens);
            row.released = true;
        });
    }

    fn skip(&mut self, tier: &str, detail: &str) {
        self.row(tier, 0, 0, |row| row.detail = detail.to_owned());
    }

    fn story(&self) -> Story {
        story(&self.rows, &TimeZone::UTC).seen_from(self.now)
    }

    #[track_caller]
    fn reads(&self, ending: Ending, expected: &str) {
        let story = self.story();
        assert_eq!(story.to_string(), expected.trim_matches('\n'), "\n{story}\n");
        assert_eq!(story.ending, ending);
    }
}

#[test]
fn an_empty_answer_twice_and_then_a_good_one() {
    let mut script = Script::new();
    script.bad("openai/gpt-6-luna", 800, 81_000, Quality::Empty, "finish \"stop\", no visible text");
    script.bad("openai/gpt-6-luna", 700, 81_000, Quality::Empty, "finish \"stop\", no visible text");
    script.rows[1].wait_ms = 100;
    for row in &mut script.rows[1..] {
        row.ts = row.ts.after(std::time::Duration::from_millis(100));
    }
    script.now = script.now.after(std::time::Duration::from_millis(100));
    script.ok("deepseek/deepseek-flash", 1100, 309_000, 312);
    script.reads(
        Ending::Answered,
        r#"
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna        200  0.8 s  empty: finish "stop", no visible text   $0.000081
    waited 0.1 s
  2 openai/gpt-6-luna        200  0.7 s  empty                                   $0.000081
  3 deepseek/deepseek-flash  200  1.1 s  ok, 312 tokens                          $0.000309
Answered on attempt 3 after 2.7 s. Cost $0.000471, of which $0.000162 bought nothing.
Without Mainstay your agent would have been given an empty answer."#,
    );
}

#[test]
fn a_first_try_that_was_fine_has_nothing_to_tell() {
    let mut script = Script::new();
    script.ok("openai/gpt-6-luna", 40, 309_000, 1);
    script.reads(
        Ending::Answered,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  200  0.04 s  ok, 1 token   $0.000309
Answered on attempt 1 after 0.04 s. Cost $0.000309.",
    );
}

#[test]
fn a_passed_over_tier_is_named_with_its_reason() {
    let mut script = Script::new();
    script.skip("openai/gpt-6-luna", "cooling, 42 s left (rate_limited)");
    script.call("deepseek/deepseek-flash", 200, 1100, 309_000, |row| {
        row.outcome = Outcome::Ok;
        row.finish_reason = Some(FinishReason::ToolCall);
        row.completion_tokens = Some(20);
        row.tokens_estimated = true;
        row.rescued = true;
        row.note = Some("max_tokens 4096, a tenth of what is left of the daily cap".to_owned());
    });
    script.reads(
        Ending::Answered,
        "
req_7f3a  17:01:12  chain default  user ann
  - openai/gpt-6-luna        skipped: cooling, 42 s left (rate_limited)
  1 deepseek/deepseek-flash  200  1.1 s  ok, tool call, about 20 tokens   $0.000309
    note: max_tokens 4096, a tenth of what is left of the daily cap
Answered on attempt 1 after 1.1 s. Cost $0.000309.
Without Mainstay your agent would have called openai/gpt-6-luna all the same.",
    );
}

#[test]
fn a_chain_that_failed_says_so_and_wraps_long_words() {
    let mut script = Script::new();
    let long =
        "The engine is currently overloaded, please try again later. Contact us through our help center.";
    script.error("openai/gpt-6-luna", 503, 12_000, "overloaded", long);
    script.error("deepseek/deepseek-flash", 0, 5000, "connect", "connection refused");
    script.reads(
        Ending::NotAnswered,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna        503  12.0 s  overloaded: The engine is currently overloaded, please try     $0.00
                                          again later. Contact us through our help center.
  2 deepseek/deepseek-flash  -     5.0 s  connect: connection refused                                    $0.00
Not answered: 2 attempts, 17.0 s, and nothing that could be handed over. It cost nothing.",
    );
}

#[test]
fn an_honest_error_instead_of_an_empty_answer_is_a_difference() {
    let mut script = Script::new();
    script.bad("openai/gpt-6-luna", 800, 81_000, Quality::Empty, "");
    script.reads(
        Ending::NotAnswered,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  200  0.8 s  empty   $0.000081
Not answered: one attempt, 0.8 s, and nothing that could be handed over. Cost $0.000081, which bought nothing.
Without Mainstay your agent would have been given an empty answer.",
    );
}

#[test]
fn a_cap_refuses_before_any_tier() {
    let mut script = Script::new();
    script.row("", 0, 0, |row| {
        row.error_kind = Some("budget_exceeded".to_owned());
        row.detail = "daily cap 50.00: 49.99 spent, 0.02 needed".to_owned();
    });
    script.reads(
        Ending::Refused,
        "
req_7f3a  17:01:12  chain default  user ann
  - (no tier)  skipped: daily cap 50.00: 49.99 spent, 0.02 needed
Refused before any provider was called. It cost nothing.",
    );
}

#[test]
fn tiers_that_were_all_passed_over() {
    let mut script = Script::new();
    script.skip("openai/gpt-6-luna", "breaker open, 12 s left");
    script.skip("deepseek/deepseek-flash", "disabled: auth");
    script.reads(
        Ending::NoTier,
        "
req_7f3a  17:01:12  chain default  user ann
  - openai/gpt-6-luna        skipped: breaker open, 12 s left
  - deepseek/deepseek-flash  skipped: disabled: auth
No provider was called: every tier was passed over. It cost nothing.",
    );
}

#[test]
fn a_reason_in_the_note_is_told_once() {
    let mut script = Script::new();
    script.skip("openai/gpt-6-luna", "42 s left");
    script.rows[0].note = Some("cooling: 42 s left".to_owned());
    let story = script.story();
    assert_eq!(
        (story.attempts[0].text.as_str(), &story.attempts[0].note),
        ("skipped: cooling: 42 s left", &None)
    );
}

#[test]
fn the_static_tier_is_named() {
    let mut script = Script::new();
    script.error("openai/gpt-6-luna", 500, 900, "server_error", "");
    script.ok("local/llama", 2000, 0, 50);
    script.rows[1].add_note(note::STATIC_TIER);
    script.reads(
        Ending::AnsweredByStaticTier,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  500  0.9 s  server_error    $0.00
  2 local/llama        200  2.0 s  ok, 50 tokens   $0.00
    note: static tier
Answered by the static tier on attempt 2 after 2.9 s. It cost nothing.
Without Mainstay your agent would have been given an error (server_error, HTTP 500).",
    );
}

#[test]
fn a_caller_that_goes_away() {
    let mut script = Script::new();
    script.call("openai/gpt-6-luna", 200, 1500, 12_000, |row| {
        row.outcome = Outcome::Aborted;
        row.released = true;
        row.error_kind = Some("cancelled".to_owned());
    });
    script.reads(
        Ending::Aborted,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  200  1.5 s  the caller went away   $0.000012
The caller went away after 1.5 s. Cost $0.000012.",
    );
}

#[test]
fn an_answer_that_broke_off_and_was_continued() {
    let mut script = Script::new();
    script.call("openai/gpt-6-luna", 200, 2000, 50_000, |row| {
        row.outcome = Outcome::Error;
        row.error_kind = Some("stream_interrupted".to_owned());
        row.released = true;
    });
    script.ok("openai/gpt-6-luna", 1000, 60_000, 90);
    script.rows[1].add_note(note::CONTINUED);
    script.reads(
        Ending::Continued,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  200  2.0 s  stream_interrupted after part of it was out   $0.00005
  2 openai/gpt-6-luna  200  1.0 s  ok, 90 tokens                                 $0.00006
    note: continued
Answered after 3.0 s: an earlier attempt broke off halfway, and the answer was continued on attempt 2. Cost $0.00011.
Without Mainstay your agent would have been given half an answer.",
    );
}

#[test]
fn an_answer_that_broke_off_for_good() {
    let mut script = Script::new();
    script.call("openai/gpt-6-luna", 200, 2000, 50_000, |row| {
        row.outcome = Outcome::Error;
        row.error_kind = Some("stream_interrupted".to_owned());
        row.released = true;
    });
    script.error("openai/gpt-6-luna", 503, 200, "overloaded", "");
    script.reads(
        Ending::BrokenOff,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  200  2.0 s  stream_interrupted after part of it was out   $0.00005
  2 openai/gpt-6-luna  503  0.2 s  overloaded                                    $0.00
Broke off on attempt 1 after 2.2 s, when part of the answer was out already; your agent was told so by an error. Cost $0.00005.",
    );
}

#[test]
fn a_refusal_that_was_handed_over_is_not_called_an_improvement() {
    let mut script = Script::new();
    script.bad("openai/gpt-6-luna", 500, 20_000, Quality::Refusal, "opens with a refusal");
    script.bad("anthropic/claude", 700, 40_000, Quality::Refusal, "opens with a refusal");
    script.rows[1].released = true;
    script.reads(
        Ending::HandedOver,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  200  0.5 s  refusal: opens with a refusal   $0.00002
  2 anthropic/claude   200  0.7 s  refusal: opens with a refusal   $0.00004
Handed over after 1.2 s: a refusal, that of attempt 2, as it was. Cost $0.00006, of which $0.00002 bought nothing.",
    );
}

#[test]
fn a_wrong_request_stops_the_chain() {
    let mut script = Script::new();
    script.error("openai/gpt-6-luna", 400, 90, "invalid_request", "messages[0].role: unknown role");
    script.reads(
        Ending::Rejected,
        "
req_7f3a  17:01:12  chain default  user ann
  1 openai/gpt-6-luna  400  0.09 s  invalid_request: messages[0].role: unknown role   $0.00
Not answered after 0.09 s: the provider found the request itself wrong, so nobody else was asked. It cost nothing.",
    );
}

#[test]
fn a_cost_that_is_unknown_is_not_called_nothing() {
    let mut script = Script::new();
    script.ok("local/odd", 500, 0, 9);
    script.rows[0].cost = Cost::Unknown;
    assert_eq!(script.story().bill, "Its cost is unknown: one call has no price.");
    script.ok("openai/gpt-6-luna", 500, 20_000, 9);
    assert_eq!(script.story().bill, "Cost $0.00002 and what one call without a price cost.");
}

#[test]
fn failures_behind_a_200_are_told_from_plain_ones() {
    for (status, kind, without) in [
        (200, "overloaded", "given a 200 with an error inside (overloaded)"),
        (429, "rate_limited", "given an error (rate_limited, HTTP 429)"),
        (0, "timeout_first_byte", "left waiting"),
        (200, "stream_interrupted", "given half an answer"),
        (200, "invalid_response", "given a 200 that cannot be read"),
    ] {
        let mut script = Script::new();
        script.error("openai/gpt-6-luna", status, 90, kind, "");
        script.ok("deepseek/deepseek-flash", 500, 20_000, 9);
        let expected = format!("Without Mainstay your agent would have been {without}.");
        assert_eq!(script.story().without, Some(expected));
    }
}

#[test]
fn another_day_is_printed_with_its_date_and_in_the_zone() {
    let mut script = Script::new();
    script.ok("openai/gpt-6-luna", 500, 0, 9);
    let story = story(&script.rows, &TimeZone::get("Asia/Tokyo").unwrap());
    assert!(story.to_string().starts_with("req_7f3a  2026-12-01 02:01:12  chain"), "{story}");
}

#[test]
fn no_rows_are_no_story() {
    assert_eq!(story(&[], &TimeZone::UTC).to_string(), "Nothing is on record.");
}

#[test]
fn as_json_it_has_the_names_of_the_table() {
    let mut script = Script::new();
    script.bad("openai/gpt-6-luna", 800, 81_000, Quality::Empty, "");
    script.ok("deepseek/deepseek-flash", 1100, 309_000, 312);
    let json = serde_json::to_value(script.story()).unwrap();
    assert_eq!(json["ending"], "answered");
    assert_eq!(json["answered_by"], 2);
    assert_eq!(json["wasted_nanousd"], 81_000);
    assert_eq!(json["attempts"][0]["cost_nanousd"], 81_000);
    assert_eq!(json["attempts"][0]["text"], "empty");
}

#[test]
fn a_providers_words_do_not_steer_the_terminal() {
    let mut script = Script::new();
    script.error("openai/gpt-6-luna", 500, 800, "server_error", "\u{1b}[2Jgone\u{202e}\n");
    let printed = script.story().to_string();
    assert!(!printed.contains('\u{1b}') && !printed.contains('\u{202e}'), "{printed:?}");
}

proptest! {
    #[test]
    fn any_rows_make_a_story(rows in proptest::collection::vec(crate::record::tests::any_record(), 0..6)) {
        let told = story(&rows, &TimeZone::UTC);
        prop_assert_eq!(told.attempts.len(), rows.len());
        prop_assert!(!told.to_string().is_empty());
        let refunded = rows.iter().any(|row| row.cost.known().is_some_and(|cost| cost.nanos() < 0));
        prop_assert!(refunded || told.wasted_nanousd <= told.cost_nanousd);
        serde_json::to_string(&told).unwrap();
    }
}
