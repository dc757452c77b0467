//! The field's `response` cases, from a socket to what a caller is handed.

use std::time::Duration;

use crate::common::cases::{KEY, bench, request, responses};
use crate::common::{Bench, Streamed};
use mainstay::{Answer, ChatResponse, Failure, GaveUp, Kind, Outcome, Quality, Reason};
use serde_json::Value;

/// Cases whose expectation the contract overrules, and by which rule.
const OVERRULED: [(&str, &str, &str); 1] = [(
    "bug-empty-answer-11",
    "quality",
    "4.1: a lone full stop is empty, and empty comes before suspiciously_short",
)];

/// What a caller was handed, whichever way it was asked.
struct Handed {
    outcome: &'static str,
    /// The class of the answer, where there was one.
    quality: Option<Quality>,
    /// The kind of failure that is no finding about an answer.
    kind: Option<Kind>,
    answer: Answer,
    failure: Option<Failure>,
    cost_nanos: Option<i64>,
    streamed_text: Option<String>,
    streamed_calls: Option<usize>,
    error_text: String,
}

impl Handed {
    fn answered(response: &ChatResponse) -> Self {
        Self {
            outcome: "response",
            quality: Some(response.quality.quality),
            kind: None,
            answer: response.answer.clone(),
            failure: None,
            cost_nanos: response.cost.known().map(mainstay::Nanodollars::nanos),
            streamed_text: None,
            streamed_calls: None,
            error_text: String::new(),
        }
    }

    fn gave_up(gave_up: &GaveUp) -> Self {
        let failure = match &gave_up.reason {
            Reason::Interrupted(failure) | Reason::InvalidRequest(failure) | Reason::Refused(failure) => {
                failure
            }
            _ => gave_up.failures.last().expect("a failure for every end without an answer"),
        };
        let quality = match (failure.kind, &gave_up.reason) {
            (Kind::Bad(quality), _) => Some(quality),
            (_, Reason::Interrupted(_)) => Some(Quality::Interrupted),
            _ => None,
        };
        Self {
            // A useless answer is one to the cases; here the caller gets it with the error.
            outcome: if failure.is_about_quality() { "response" } else { "error" },
            quality,
            kind: (!failure.is_about_quality()).then_some(failure.kind),
            answer: failure.answer.as_deref().cloned().unwrap_or_default(),
            failure: Some(failure.clone()),
            cost_nanos: None,
            streamed_text: None,
            streamed_calls: None,
            error_text: format!("{gave_up} {gave_up:?}"),
        }
    }

    fn streamed(streamed: &Streamed) -> Self {
        let mut handed = match &streamed.end {
            Ok(response) => Self::answered(response),
            Err(gave_up) => Self::gave_up(gave_up),
        };
        handed.streamed_text = Some(streamed.text());
        handed.streamed_calls = Some(streamed.calls().len());
        handed
    }
}

fn words(one: &Value, any: &Value) -> Vec<String> {
    let listed = any.as_array().into_iter().flatten();
    listed.chain([one]).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Everything in which `handed` differs from what the case expects, as `what: expected …, got …`.
fn differences(case: &Value, handed: &Handed) -> Vec<String> {
    let expect = &case["expect"];
    let mut found = Vec::new();
    let mut differ = |what: &str, expected: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
        found.push(format!("{what}: expected {expected:?}, got {got:?}"));
    };
    let outcomes = words(&expect["outcome"], &expect["outcome_any"]);
    if !outcomes.iter().any(|word| word == handed.outcome) {
        differ("outcome", &outcomes, &(handed.outcome, &handed.failure));
    }
    let qualities = words(&expect["quality"], &expect["quality_any"]);
    if !qualities.is_empty() && (handed.outcome == "response" || expect["outcome"] == "error") {
        let got = handed.quality.map_or("none", Quality::word);
        if !qualities.iter().any(|word| word == got) {
            differ("quality", &qualities, &got);
        }
    }
    if let Some(failure) = handed.failure.as_ref().filter(|_| handed.outcome == "error") {
        let kinds = words(&expect["error"]["kind"], &expect["error"]["kind_any"]);
        if !kinds.iter().any(|kind| Some(kind.as_str()) == handed.kind.map(Kind::word)) {
            differ("kind", &kinds, failure);
        }
        if let Some(status) = expect["error"]["effective_status"].as_u64()
            && failure.status.map(u64::from) != Some(status)
        {
            differ("status", &status, &failure.status);
        }
        if let Some(word) = expect["raw_finish_reason"].as_str()
            && failure.finish_reason_raw.as_deref() != Some(word)
        {
            differ("raw finish reason", &word, &failure.finish_reason_raw);
        }
        if expect.get("retry_after_s").is_some() {
            let expected = Duration::from_secs_f64(expect["retry_after_s"].as_f64().unwrap_or(0.0));
            let got = failure.hint.map_or(Duration::ZERO, |hint| hint.after);
            let said = failure.hint.is_some() || expect["retry_after_s"].is_null();
            // Header dates are read by the clock, which has gone on a little.
            if got.abs_diff(expected) > Duration::from_millis(1) && got.abs_diff(expected) > slack(case)
                || !said
            {
                differ("retry after", &expected, &failure.hint);
            }
        }
    }
    answer_differences(expect, handed, &mut differ);
    if handed.error_text.contains(KEY) {
        differ("the key", &"hidden", &"in the error");
    }
    found
}

/// How far a wait may be off where it was told as a moment: by what has passed since the case's own.
fn slack(case: &Value) -> Duration {
    let epoch = case["body"].as_str().is_some_and(|body| body.contains("X-RateLimit-Reset"));
    let dated = case["headers"].as_object().unwrap().iter().any(|(name, value)| {
        let value = value.as_str().unwrap();
        name.eq_ignore_ascii_case("date") || value.contains("GMT") || value.contains('T')
    });
    if dated || epoch { Duration::from_secs(1) } else { Duration::ZERO }
}

fn answer_differences(
    expect: &Value,
    handed: &Handed,
    differ: &mut impl FnMut(&str, &dyn std::fmt::Debug, &dyn std::fmt::Debug),
) {
    let answer = &handed.answer;
    let texts = [
        ("text", Some(answer.text.as_str())),
        ("partial_text", Some(answer.text.as_str())),
        ("text_trimmed", Some(answer.text.trim())),
        ("reasoning", Some(answer.reasoning_content.as_deref().unwrap_or(""))),
        ("refusal_text", answer.refusal.as_deref()),
    ];
    for (name, got) in texts {
        if let Some(expected) = expect[name].as_str()
            && got != Some(expected)
        {
            differ(name, &expected, &got);
        }
    }
    if let Some(streamed) = &handed.streamed_text {
        let expected =
            if handed.failure.is_none() || expect["quality"] == "interrupted" { &answer.text } else { "" };
        if streamed != expected {
            differ("streamed text", &expected, streamed);
        }
    }
    let reasons = words(&expect["finish_reason"], &expect["finish_reason_any"]);
    if handed.outcome == "response"
        && !reasons.is_empty()
        && !reasons.iter().any(|word| word == answer.finish_reason.word())
    {
        differ("finish reason", &reasons, &answer.finish_reason);
    }
    if let Some(calls) = expect["tool_calls"].as_array() {
        if calls.len() != answer.tool_calls.len() {
            differ("tool calls", calls, &answer.tool_calls);
        }
        if handed.streamed_calls.is_some_and(|streamed| streamed != calls.len()) {
            differ("streamed calls", calls, &handed.streamed_calls);
        }
        for (expected, got) in calls.iter().zip(&answer.tool_calls) {
            let id = expected["id"].as_str().unwrap();
            let same_id = if id == "*" { !got.id.is_empty() } else { got.id == id };
            let arguments: Option<Value> = serde_json::from_str(&got.arguments).ok();
            if !same_id || got.name != expected["name"] || arguments.as_ref() != Some(&expected["arguments"])
            {
                differ("tool call", expected, got);
            }
        }
    }
    if expect["tool_calls_executable"] == false
        && (handed.failure.is_none() || handed.streamed_calls.is_some_and(|calls| calls > 0))
    {
        differ("a call that must not be run", &"held back", &answer.tool_calls);
    }
    let usage = &answer.usage;
    let counts = [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("cached", usage.cached),
        ("cache_write", usage.cache_write),
        ("reasoning", usage.reasoning),
    ];
    for (name, got) in counts {
        if let Some(expected) = expect["usage"][name].as_u64()
            && got != expected
        {
            differ(name, &expected, &got);
        }
    }
    if let Some(cost) = expect["cost_usd"].as_f64() {
        #[allow(clippy::cast_precision_loss)]
        let got = handed.cost_nanos.map(|nanos| nanos as f64 / 1e9);
        if got.is_none_or(|got| (got - cost).abs() > 1e-9) {
            differ("cost", &cost, &got);
        }
    }
    let blocks: Vec<Value> =
        answer.reasoning_blocks.iter().map(|block| block.raw.read::<Value>().unwrap()).collect();
    for signed in expect["signatures"].as_array().into_iter().flatten() {
        let block = usize::try_from(signed["block"].as_u64().unwrap()).ok().and_then(|at| blocks.get(at));
        let got = block.map(|block| [&block["signature"], &block["data"]]);
        if got != Some([&signed["signature"], &signed["redacted_data"]]) {
            differ("signature", signed, &blocks);
        }
    }
    if expect["reasoning_details_preserved"] == true && blocks.is_empty() {
        differ("reasoning details", &"kept", &blocks);
    }
}

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
    found.retain(|what| {
        !OVERRULED.iter().any(|(known, field, _)| *known == id && what.starts_with(&format!("{field}:")))
    });
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
    assert!(cases.is_empty() || cases.len() == 101, "a case was added or lost: {}", cases.len());
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Cases whose decision the contract leaves open or takes otherwise, and by which rule.
const OPEN: [(&str, &str); 4] = [
    ("bug-finish-reason-09", "5.5: an overloaded server counts toward the breaker, in a finish word too"),
    ("bug-retry-after-05", "5.5: it cools for the hint, and this hint is over already"),
    ("bug-empty-answer-09", "an empty turn after a tool result may be accepted, retried or passed on"),
    ("bug-empty-answer-10", "an empty turn after a tool result may be accepted, retried or passed on"),
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
        let found = decided_differently(case).await;
        let open = OPEN.iter().find(|(known, _)| *known == id).map_or("", |(_, why)| why);
        let word = if found.is_empty() { "ok" } else { "DIFFERS" };
        println!("{word:8} {id:30} {open}");
        if open.is_empty() {
            differing.extend(found.into_iter().map(|what| format!("{id}: {what}")));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
