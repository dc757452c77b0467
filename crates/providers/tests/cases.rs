//! The field cases, from bytes to answer or failure.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod shared;

use std::time::Duration;

use mainstay_canon::{Answer, Dialect, Failure, FinishReason, Moment};
use mainstay_providers::{Provider, by_id, for_dialect};
use serde_json::Value;
use shared::Reply;

/// 2026-03-01T12:00:00Z, the moment of every case that names one.
const NOW: Moment = Moment::from_secs(1_772_366_400);

fn provider(case: &Value) -> &'static Provider {
    let named = case["provider"].as_str();
    match case["dialect"].as_str().unwrap() {
        "anthropic" if named.is_none() => by_id("anthropic").unwrap(),
        "anthropic" => for_dialect(Dialect::Anthropic).unwrap(),
        "ollama" => by_id("ollama").unwrap(),
        // Ollama has a route in this dialect, too.
        "openai" => by_id(named.unwrap_or("openai"))
            .filter(|provider| provider.upstream.dialect() == Dialect::OpenaiChat)
            .or_else(|| for_dialect(Dialect::OpenaiChat))
            .unwrap(),
        other => panic!("{other}"),
    }
}

/// Whether the case is of a dialect that is tried here.
fn is_known(case: &Value) -> bool {
    ["openai", "anthropic", "ollama"].contains(&case["dialect"].as_str().unwrap())
}

fn words(one: &Value, any: &Value) -> Vec<String> {
    let listed = any.as_array().into_iter().flatten();
    listed.chain([one]).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Everything in which the outcome differs from what the case expects.
fn differences(expect: &Value, outcome: &Result<Answer, Failure>) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, expected: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
        found.push(format!("{what}: expected {expected:?}, got {got:?}"));
    };
    let outcomes = words(&expect["outcome"], &expect["outcome_any"]);
    let got = if outcome.is_ok() { "response" } else { "error" };
    if !outcomes.iter().any(|word| word == got) {
        differ("outcome", &outcomes, outcome);
    }
    if let Err(failure) = outcome {
        let kinds = words(&expect["error"]["kind"], &expect["error"]["kind_any"]);
        if !kinds.iter().any(|kind| kind == failure.kind.word()) {
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
        if !expect["retry_after_s"].is_null() || expect.get("retry_after_s").is_some() {
            let expected = Duration::from_secs_f64(expect["retry_after_s"].as_f64().unwrap_or(0.0));
            let got = failure.hint.map_or(Duration::ZERO, |hint| hint.after);
            let said = failure.hint.is_some() || expect["retry_after_s"].is_null();
            if got.abs_diff(expected) > Duration::from_millis(1) || !said {
                differ("retry after", &expected, &failure.hint);
            }
        }
    }
    let nothing = Answer::default();
    let answer = match outcome {
        Ok(answer) => answer,
        Err(failure) => failure.answer.as_deref().unwrap_or(&nothing),
    };
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
    let reasons = words(&expect["finish_reason"], &expect["finish_reason_any"]);
    if outcome.is_ok()
        && !reasons.is_empty()
        && !reasons.iter().any(|word| word == answer.finish_reason.word())
    {
        differ("finish reason", &reasons, &answer.finish_reason);
    }
    if let Some(calls) = expect["tool_calls"].as_array() {
        if calls.len() != answer.tool_calls.len() {
            differ("tool calls", calls, &answer.tool_calls);
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
        && answer.finish_reason != FinishReason::Length
        && answer.tool_calls.iter().all(|call| serde_json::from_str::<Value>(&call.arguments).is_ok())
    {
        differ("a call that must not be run", &"length or broken arguments", &answer.tool_calls);
    }
    let counts = [
        ("prompt", answer.usage.prompt),
        ("completion", answer.usage.completion),
        ("cached", answer.usage.cached),
        ("cache_write", answer.usage.cache_write),
        ("reasoning", answer.usage.reasoning),
    ];
    for (name, got) in counts {
        if let Some(expected) = expect["usage"][name].as_u64()
            && got != expected
        {
            differ(name, &expected, &got);
        }
    }
    let blocks: Vec<Value> =
        answer.reasoning_blocks.iter().map(|block| block.raw.read::<Value>().unwrap()).collect();
    for signed in expect["signatures"].as_array().into_iter().flatten() {
        let block = usize::try_from(signed["block"].as_u64().unwrap()).ok().and_then(|at| blocks.get(at));
        let got = block.map(|block| [&block["signature"], &block["data"]]);
        let expected = [&signed["signature"], &signed["redacted_data"]];
        if got != Some(expected) {
            differ("signature", signed, &blocks);
        }
    }
    if expect["reasoning_details_preserved"] == true && blocks.is_empty() {
        differ("reasoning details", &"kept", &blocks);
    }
    found
}

#[test]
fn field_cases_come_out_as_they_should() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for case in shared::lines("cases/bug-cases.jsonl") {
        if case["phase"] != "response" || !is_known(&case) {
            continue;
        }
        tried += 1;
        let (outcome, events) = Reply::of(&case, NOW).read(provider(&case));
        let mut found = differences(&case["expect"], &outcome);
        if events.iter().filter(|event| matches!(event, mainstay_canon::ReplyEvent::Finish { .. })).count()
            > 1
        {
            found.push("more than one end".to_owned());
        }
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", case["id"])));
    }
    assert!(tried == 0 || tried > 90, "only {tried} cases were tried");
    assert!(wrong.is_empty(), "{} of {tried} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn cutting_the_bytes_of_a_field_case_changes_nothing() {
    for case in shared::lines("cases/bug-cases.jsonl") {
        if case["phase"] != "response" || !is_known(&case) {
            continue;
        }
        let mut reply = Reply::of(&case, NOW);
        if !reply.stream {
            continue;
        }
        let body = reply.chunks.concat();
        reply.chunks = vec![body.clone()];
        let whole = reply.read(provider(&case)).0;
        reply.chunks = body.chunks(1).map(<[u8]>::to_vec).collect();
        let cut = reply.read(provider(&case)).0;
        match (whole, cut) {
            (Ok(whole), Ok(cut)) => assert_eq!(whole, cut, "{}", case["id"]),
            (Err(whole), Err(cut)) => {
                assert_eq!((whole.kind, &whole.answer), (cut.kind, &cut.answer), "{}", case["id"]);
            }
            (whole, cut) => panic!("{}: {whole:?} whole, {cut:?} cut", case["id"]),
        }
    }
}
