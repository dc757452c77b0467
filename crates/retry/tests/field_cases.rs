//! The table of consequences against what clients in the field got wrong.

// A test that finds something odd should stop right there, helpers included.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::PathBuf;

use mainstay_canon::{Answer, Failure, FinishReason, Kind, Quality, Verdict};
use mainstay_retry::{Consequence, HealthEffect, Next, Same, consequence, consequence_of};
use serde_json::Value;

fn cases() -> Option<Vec<Value>> {
    let shared = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    match std::fs::read_to_string(shared.join("cases/bug-cases.jsonl")) {
        Ok(text) => Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()),
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

/// The kind that the cases spell so. `permission` there means key or account.
fn kind(word: &str) -> Kind {
    let all = [
        Kind::RateLimited,
        Kind::QuotaExhausted,
        Kind::Overloaded,
        Kind::ServerError,
        Kind::InvalidRequest,
        Kind::ContextLength,
        Kind::Auth,
        Kind::Permission,
        Kind::NotFound,
        Kind::ContentFiltered,
        Kind::TimeoutFirstByte,
        Kind::TimeoutIdle,
        Kind::TimeoutTotal,
        Kind::StreamInterrupted,
        Kind::InvalidResponse,
        Kind::UnknownFinishReason,
        Kind::MalformedToolCall,
    ];
    all.into_iter().find(|kind| kind.word() == word).unwrap_or_else(|| panic!("no kind {word}"))
}

fn of_case(expect: &Value) -> Option<Consequence> {
    if let Some(word) = expect["error"]["kind"].as_str() {
        return Some(consequence(kind(word)));
    }
    let quality = Quality::from_word(expect["quality"].as_str()?)?;
    let cut = expect["finish_reason_any"].as_array().is_some_and(|any| any.contains(&"length".into()))
        || expect["finish_reason"] == "length";
    let finish_reason = if cut { FinishReason::Length } else { FinishReason::Stop };
    let answer = Answer { finish_reason, ..Answer::default() };
    Some(consequence_of(&Failure::bad(Verdict::of(quality, "test", ""), answer)))
}

#[test]
fn the_table_agrees_with_what_is_right_in_the_field() {
    let Some(cases) = cases() else { return };
    let mut compared = 0;
    for case in cases {
        let expect = &case["expect"];
        let decision = &expect["decision"];
        let accepted = decision["fallback"] == false && expect["error"].is_null();
        if decision.is_null() || accepted || case["request"]["delivered_to_caller"] == true {
            continue;
        }
        let Some(found) = of_case(expect) else { continue };
        let id = case["id"].as_str().unwrap();
        if decision["retry_same"] == false {
            assert_ne!(found.same, Same::WithinBudget, "{id}");
        }
        if expect["retry_with_larger_budget"] == true {
            assert_eq!(found.same, Same::OnceLarger, "{id}");
        }
        if let Some(fallback) = decision["fallback"].as_bool() {
            assert_eq!(found.next != Next::No, fallback, "{id}");
        }
        if decision["cooldown"] == true {
            assert_ne!(found.health, HealthEffect::None, "{id}");
        }
        // An unreadable body counts by the contract, whatever the case says.
        if expect["error"]["kind"] != "invalid_response" {
            assert_eq!(found.counts_toward_breaker, decision["breaker_failure"] == true, "{id}");
        }
        compared += 1;
    }
    assert!(compared > 40, "only {compared} cases were compared");
}
