//! The field's policy cases that are about retries, cooldowns, breakers and the order of tiers.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{Finished, Reply, Script, Sim, at, fails, fine, hangs, hinted, secs, secs_of};
use mainstay_canon::{Failure, Kind};
use mainstay_fallback::{ChainPlan, Continue, End, WalkAsk};
use serde_json::Value;

/// Families that other layers answer for: money, sockets, bytes, secrets.
const ELSEWHERE: [&str; 5] = ["budget", "shared_state", "secrets", "buffering", "memory"];

fn cases() -> Option<Vec<Value>> {
    let shared = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    match std::fs::read_to_string(shared.join("cases/bug-cases.jsonl")) {
        Ok(text) => {
            let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            Some(all.filter(|case| case["phase"] == "policy").collect())
        }
        Err(error) => {
            let required = std::env::var("MAINSTAY_REQUIRE_SHARED").is_ok_and(|value| value == "1");
            assert!(!required, "the shared data is required: {error}");
            // Past the test runner's capture: a skip must not look like a pass.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("skipped: this test needs the shared data ({error})\n").as_bytes(),
            );
            None
        }
    }
}

fn chain(setup: &Value, names: &Value, budget: Option<u32>) -> ChainPlan {
    let names: Vec<&str> = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let mut plan = common::plan(&names);
    if let Some(threshold) = setup["breaker_threshold"].as_u64() {
        plan.breaker.threshold = u32::try_from(threshold).unwrap();
    }
    if let Some(open) = setup["breaker_open_s"].as_f64() {
        plan.breaker.open = secs(open);
    }
    for tier in &mut plan.tiers {
        if let Some(budget) = budget {
            tier.retry.retry_budget = budget;
        }
        for cooldown in ["default_cooldown_s", "cooldown_s"] {
            if let Some(cooldown) = setup[cooldown].as_f64() {
                tier.retry.cooldown = secs(cooldown);
            }
        }
    }
    plan
}

/// What an upstream's scripted answer comes to, once layers 1 to 3 have read it.
fn reply(answer: &Value, setup: &Value) -> Reply {
    let timeout = |name: &str, default| setup[name].as_f64().unwrap_or(default);
    if let Some(word) = answer.as_str() {
        return match word {
            "hang" => hangs(),
            "connection_refused" => fails(Kind::Connect),
            other => panic!("no upstream does {other}"),
        };
    }
    match answer["status"].as_u64().unwrap() {
        200 => {}
        429 => {
            let after = answer["headers"]["retry-after"].as_str();
            return after.map_or_else(
                || fails(Kind::RateLimited),
                |after| hinted(Kind::RateLimited, after.parse().unwrap()),
            );
        }
        503 => return fails(Kind::Overloaded),
        400 if answer["error_code"] == "context_length_exceeded" => return fails(Kind::ContextLength),
        other => panic!("no upstream sends {other}"),
    }
    match answer["sse_first_event"].as_str() {
        Some("error:overloaded_error") => return fails(Kind::Overloaded),
        Some("role_only") => return fails(Kind::StreamInterrupted),
        Some(other) => panic!("no stream begins with {other}"),
        None => {}
    }
    if answer["headers_then"] == "silence" {
        return fails(Kind::TimeoutFirstByte).takes(timeout("first_event_timeout_s", 60.0));
    }
    let pieces = answer["sse_text"].as_array().map_or(1, Vec::len);
    let gaps = answer["event_gap_s"].as_f64().unwrap_or(0.0);
    #[allow(clippy::cast_precision_loss)]
    let flows = gaps * pieces as f64;
    match answer["then"].as_str() {
        Some("close" | "reset") => fails(Kind::StreamInterrupted).takes(flows + 0.1).after_release(),
        Some("silence") => {
            fails(Kind::TimeoutIdle).takes(flows + timeout("idle_timeout_s", 30.0)).after_release()
        }
        Some(other) => panic!("no stream goes on with {other}"),
        None => fine().takes(flows + 0.1),
    }
}

fn script(step: &Value, setup: &Value) -> Script {
    let upstreams = step["upstream"].as_object().unwrap();
    let read = |answers: &Value| answers.as_array().unwrap().iter().map(|one| reply(one, setup)).collect();
    upstreams.iter().map(|(name, answers)| (name.clone(), read(answers))).collect()
}

fn play(case: &Value) -> Sim {
    let setup = &case["setup"];
    let mut seed = 7_u64;
    let mut sim = Sim::with_chance(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[allow(clippy::cast_precision_loss)]
        let chance = (seed >> 40) as f64 / (1_u64 << 24) as f64;
        chance
    });
    for step in case["steps"].as_array().unwrap() {
        // A case's `retries: n` is a budget of n + 1.
        let retries = step["retries"].as_u64().or(setup["retries"].as_u64());
        let budget = retries.map(|retries| u32::try_from(retries).unwrap() + 1);
        let names = if step["chain"].is_array() { &step["chain"] } else { &setup["chain"] };
        let plan = chain(setup, names, budget);
        let start = at(step["at_s"].as_f64().unwrap());
        let deadline = setup["deadline_s"].as_f64().map_or(Duration::from_secs(590), secs);
        let ask = WalkAsk::new(start, deadline);
        let leaves = step["caller_disconnects_at_s"].as_f64().map(at);
        let name = step["call"].as_str().unwrap();
        sim.request_that(name, &plan, ask, script(step, setup), leaves, Continue::No);
    }
    sim.run();
    sim
}

fn last_kind(finished: &Finished) -> Kind {
    finished.failures.last().map(|failure: &Failure| failure.kind).unwrap()
}

fn check_call(id: &str, key: &str, expected: &Value, finished: &Finished, sim: &Sim, call: &str) {
    let only_rate_limits =
        || matches!(finished.end, Some(End::AllFailed { only_rate_limits: true, timed_out: false, .. }));
    match key {
        "outcome" => assert_eq!(finished.served_by.is_some(), expected == "ok", "{id}: {finished:?}"),
        "served_by" => assert_eq!(finished.served_by.as_deref(), expected.as_str(), "{id}: {finished:?}"),
        "upstream_calls" => {
            for (target, count) in expected.as_object().unwrap() {
                assert_eq!(sim.count(call, target) as u64, count.as_u64().unwrap(), "{id}: calls of {call}");
            }
        }
        "finished_between_s" => {
            let took = secs_of(finished.at);
            let (first, last) = (expected[0].as_f64().unwrap(), expected[1].as_f64().unwrap());
            assert!((first..=last).contains(&took), "{id}: took {took}");
        }
        "status" => assert!(expected == 429 && only_rate_limits(), "{id}: {finished:?}"),
        "error_kind" if expected == "rate_limited" => assert!(only_rate_limits(), "{id}: {finished:?}"),
        "error_kind" => assert_eq!(last_kind(finished).word(), expected, "{id}"),
        "retry_after_between_s" => {
            let Some(End::AllFailed { retry_after: Some(wait), .. }) = finished.end else {
                panic!("{id}: no retry_after in {finished:?}")
            };
            let (first, last) = (expected[0].as_f64().unwrap(), expected[1].as_f64().unwrap());
            assert!((first..=last).contains(&wait.as_secs_f64()), "{id}: retry after {wait:?}");
        }
        // An error event is what the caller of a half-told answer is sent.
        "client_error_events" => {
            let told_half = finished.released && finished.served_by.is_none();
            assert_eq!(u64::from(told_half), expected.as_u64().unwrap(), "{id}");
        }
        "client_done" => assert_eq!(finished.served_by.is_some(), expected.as_bool().unwrap(), "{id}"),
        "client_event_seen" => assert!(finished.released && finished.end.is_some(), "{id}"),
        "client_event_not_seen" => assert!(finished.served_by.is_none(), "{id}"),
        "log_outcome" if expected == "interrupted" => {
            assert_eq!(last_kind(finished), Kind::StreamInterrupted, "{id}");
        }
        "log_outcome" => assert!(expected == "cancelled" && finished.aborted, "{id}"),
        "closed_before_s" => assert!(secs_of(finished.at) < expected.as_f64().unwrap(), "{id}"),
        // Who was served follows from who answered; the bytes are checked where bytes are.
        "call" | "client_status" | "client_text" | "upstream_connection_closed" => {}
        other => panic!("{id}: no check of {other}"),
    }
}

fn check(id: &str, check: &Value, sim: &Sim) {
    let members = check.as_object().unwrap();
    if let Some(totals) = members.get("upstream_calls_total") {
        for (target, bound) in totals.as_object().unwrap() {
            let calls = sim.calls.iter().filter(|call| call.target == *target).count() as u64;
            assert!(calls <= bound["at_most"].as_u64().unwrap(), "{id}: {calls} calls to {target}");
        }
        return;
    }
    let names: Vec<&str> = match (members.get("call"), members.get("all_calls")) {
        (Some(call), _) => vec![call.as_str().unwrap()],
        (None, _) => sim.finished.keys().map(String::as_str).collect(),
    };
    for name in names {
        for (key, expected) in members.iter().filter(|(key, _)| *key != "all_calls") {
            check_call(id, key, expected, &sim.finished[name], sim, name);
        }
    }
}

#[test]
fn every_policy_case_about_retries_and_tiers_ends_as_it_should() {
    let Some(cases) = cases() else { return };
    let mut played = 0;
    for case in cases.iter().filter(|case| !ELSEWHERE.contains(&case["kind"].as_str().unwrap())) {
        let id = case["id"].as_str().unwrap();
        let sim = play(case);
        for expected in case["expect"]["checks"].as_array().unwrap() {
            check(id, expected, &sim);
        }
        played += 1;
    }
    assert_eq!(played, 15, "a case was added or lost");
}
