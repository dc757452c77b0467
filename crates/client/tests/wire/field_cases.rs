//! The field's `response` cases, from a socket to what a caller is handed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common::Bench;
use crate::common::cases::{KEY, all, bench, bench_with, request, responses};
use crate::handed::{Handed, differences, words};
use mainstay::{Kind, Outcome, Quality};
use serde_json::Value;

/// Cases whose expectation the contract overrules, and by which rule.
const OVERRULED: [(&str, &str, &str); 3] = [
    (
        "bug-empty-answer-11",
        "quality",
        "4.1: a lone full stop is empty, and empty comes before suspiciously_short",
    ),
    (
        "bug-finish-reason-14",
        "outcome",
        "3.1: `MALFORMED_FUNCTION_CALL` is a failure, of the kind that the case names",
    ),
    (
        "bug-finish-reason-15",
        "outcome",
        "3.1: `MALFORMED_FUNCTION_CALL` is a failure, of the kind that the case names",
    ),
];

/// Plays a case and gives back what differs, those differences aside that the contract wants.
async fn play(case: &Value, at_once: bool) -> Vec<String> {
    let id = case["id"].as_str().unwrap();
    let bench = bench(case, 1, false, at_once).await;
    let began = tokio::time::Instant::now();
    let handed = if case["stream"] == true {
        Handed::streamed(&bench.stream(request(case)).await)
    } else {
        match bench.ask(request(case)).await {
            Ok(response) => Handed::answered(&response),
            Err(gave_up) => Handed::gave_up(&gave_up),
        }
    };
    let mut found = differences(case, &handed);
    if began.elapsed() > Duration::from_secs(5) {
        found.push(format!("time: it took {:?}", began.elapsed()));
    }
    found.extend(row_differences(&bench, &handed));
    let overruled = OVERRULED.iter().filter(|(known, ..)| *known == id);
    for (_, field, _) in overruled {
        let before = found.len();
        found.retain(|what| !what.starts_with(&format!("{field}:")));
        if before == found.len() {
            found.push(format!("{field}: declared to differ, and does not"));
        }
    }
    found
}

/// What the row of the attempt says differently from what the caller was handed.
fn row_differences(bench: &Bench, handed: &Handed) -> Vec<String> {
    let rows = bench.attempts();
    let [row] = rows.as_slice() else { return vec![format!("rows: expected one, got {rows:?}")] };
    let mut found = Vec::new();
    let mut differ = |what: &str, expected: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
        found.push(format!("row's {what}: expected {expected:?}, got {got:?}"));
    };
    let (outcome, released) = match (&handed.failure, handed.quality) {
        (None, Some(Quality::Ok | Quality::Truncated | Quality::Paused)) => (Outcome::Ok, true),
        (None, _) => (Outcome::Quality, true),
        (Some(failure), quality) => {
            let outcome = if failure.is_about_quality() { Outcome::Quality } else { Outcome::Error };
            (outcome, quality == Some(Quality::Interrupted))
        }
    };
    if row.outcome != outcome {
        differ("outcome", &outcome, &row.outcome);
    }
    if row.released != released {
        differ("released", &released, row);
    }
    if handed.quality.is_some() && row.quality != handed.quality {
        differ("quality", &handed.quality, &row.quality);
    }
    if row.error_kind.as_deref() != handed.kind.map(Kind::word) {
        differ("error kind", &handed.kind, &row.error_kind);
    }
    if row.http_status.is_none() {
        differ("HTTP status", &"some", &row.http_status);
    }
    if format!("{row:?}").contains(KEY) {
        differ("text", &"no key", &"the key");
    }
    found
}

/// How many cases there are, by phase and dialect. Each response case is played here, each request case in
/// `request_cases`, the policy cases where their rules are tested.
const TOTALS: [(&str, &str, usize); 9] = [
    ("policy", "gemini", 1),
    ("policy", "openai", 21),
    ("request", "anthropic", 4),
    ("request", "gemini", 1),
    ("request", "openai", 5),
    ("response", "anthropic", 20),
    ("response", "gemini", 24),
    ("response", "ollama", 5),
    ("response", "openai", 81),
];

#[test]
fn no_case_is_lost_and_none_is_added_unseen() {
    let cases = all();
    let mut counted: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for case in &cases {
        let word = |name: &str| case[name].as_str().unwrap();
        *counted.entry((word("phase"), word("dialect"))).or_default() += 1;
    }
    let counted: Vec<(&str, &str, usize)> =
        counted.into_iter().map(|((phase, dialect), count)| (phase, dialect, count)).collect();
    assert!(cases.is_empty() || counted == TOTALS, "{counted:?}");
    assert!(cases.is_empty() || responses().len() == 130, "a response case is not played");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_case_is_handed_over_as_it_should_be() {
    let cases = responses();
    let mut differing = Vec::new();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let mut found = play(case, true).await;
        // In small pieces the same must come out.
        found.extend(play(case, false).await.into_iter().map(|what| format!("in pieces, {what}")));
        let way = if case["stream"] == true { "streamed" } else { "whole" };
        let declared = OVERRULED.iter().find(|(known, ..)| *known == id).map_or("", |(_, _, why)| why);
        let word = if found.is_empty() { "ok" } else { "DIFFERS" };
        println!("{word:8} {id:30} {way:9} {declared}");
        differing.extend(found.into_iter().map(|what| format!("{id}: {what}")));
    }
    println!("{} cases, {} differences", cases.len(), differing.len());
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Decisions that the contract leaves open or takes otherwise, and by which rule: the case, how the difference
/// begins, why.
const OPEN: [(&str, &str, &str); 6] = [
    (
        "bug-finish-reason-09",
        "2 faults",
        "5.5: an overloaded server counts toward the breaker, in a finish word too",
    ),
    ("bug-retry-after-05", "the tier is", "5.5: it cools for the hint, and this hint is over already"),
    ("bug-empty-answer-09", "", "an empty turn after a tool result may be accepted, retried or passed on"),
    ("bug-empty-answer-10", "", "an empty turn after a tool result may be accepted, retried or passed on"),
    ("bug-filtered-02", "the next tier was asked 0", "7.1: the text was out before the filter cut it"),
    ("bug-filtered-04", "the next tier was asked 0", "4.1: a prompt that is prohibited goes to nobody else"),
];

/// What was decided differently: how often the tier was asked, whether the next one was, what its health is.
async fn decided_differently(case: &Value) -> Vec<String> {
    let decision = &case["expect"]["decision"];
    let bench = bench(case, 2, true, true).await;
    let answered = if case["stream"] == true {
        bench.stream(request(case)).await.end.is_ok()
    } else {
        bench.ask(request(case)).await.is_ok()
    };
    let (own, other) = (bench.provider.calls("m-test"), bench.provider.calls("m-other"));
    let mut found = Vec::new();
    let most = if decision["retry_same"] == false { 1 } else { 2 };
    if own == 0 || own > most {
        found.push(format!("the same tier was asked {own} times, at most {most} were allowed"));
    }
    let good = ["ok", "truncated", "paused"];
    let qualities = words(&case["expect"]["quality"], &case["expect"]["quality_any"]);
    let is_good = qualities.iter().any(|word| good.contains(&word.as_str()));
    let delivered = case["request"]["delivered_to_caller"] == true;
    let passes_on = !is_good && !delivered && decision["fallback"] != false;
    if (other == 1) != passes_on {
        found.push(format!("the next tier was asked {other} times"));
    }
    if answered != (is_good || passes_on) {
        found.push(format!("answered: {answered}"));
    }
    let health = bench.client.tier_health();
    let state = health[0].state.word();
    if decision["cooldown"] == true && !["cooling", "disabled"].contains(&state) {
        found.push(format!("the tier is {state} and should be left alone"));
    }
    if let Some(fault) = decision["breaker_failure"].as_bool()
        && fault != (health[0].faults_in_row > 0)
    {
        found.push(format!("{} faults are counted toward the breaker", health[0].faults_in_row));
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_follows_from_every_field_case_is_what_should() {
    let mut differing = Vec::new();
    for case in &responses() {
        let id = case["id"].as_str().unwrap();
        let mut found = decided_differently(case).await;
        let open = OPEN.iter().find(|(known, ..)| *known == id);
        let word = if found.is_empty() { "ok" } else { "DIFFERS" };
        println!("{word:8} {id:30} {}", open.map_or("", |(_, _, why)| why));
        if let Some((_, begins, _)) = open {
            if found.is_empty() {
                found.push("declared to differ, and does not".into());
            } else {
                println!("         {found:?}");
                found.retain(|what| !what.starts_with(begins));
            }
        }
        differing.extend(found.into_iter().map(|what| format!("{id}: {what}")));
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_room_is_asked_for_again_only_with_more() {
    let mut tried = 0;
    for case in &responses() {
        if case["expect"]["retry_with_larger_budget"] != true {
            continue;
        }
        let id = case["id"].as_str().unwrap();
        let Some(limit) = case["request"]["max_tokens"].as_u64() else { continue };
        tried += 1;
        for (grow, calls) in [("off", 1), ("2x", 2)] {
            let further = format!("[quality]\ngrow_max_tokens = \"{grow}\"\n");
            let bench = bench_with(case, 2, true, &further).await;
            drop(bench.ask(request(case)).await);
            let seen = bench.provider.seen();
            let limits: Vec<u64> = seen
                .iter()
                .filter(|seen| seen.model == "m-test")
                .filter_map(|seen| sent_limit(&seen.body))
                .collect();
            assert_eq!(limits.len(), calls, "{id}, grow {grow}: {limits:?}");
            assert!(limits.windows(2).all(|pair| pair[1] == 2 * pair[0]), "{id}: {limits:?}");
            assert_eq!(limits[0], limit, "{id}");
        }
    }
    assert!(tried == 0 || tried >= 3, "only {tried} cases");
}

/// The limit on the output, under whichever name it was sent.
fn sent_limit(body: &Value) -> Option<u64> {
    ["/max_tokens", "/max_completion_tokens", "/generationConfig/maxOutputTokens", "/options/num_predict"]
        .iter()
        .find_map(|path| body.pointer(path)?.as_u64())
}
