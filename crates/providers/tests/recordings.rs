//! Recorded replies of many hosts, from bytes to answer: no good one is lost, no finish word is unknown.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod shared;

use mainstay_canon::{Dialect, FinishReason, Kind, Moment};
use mainstay_providers::{Provider, by_id, for_dialect};
use serde_json::Value;
use shared::Reply;

fn provider(line: &Value, dialect: Dialect) -> &'static Provider {
    by_id(line["provider"].as_str().unwrap())
        .filter(|provider| provider.upstream.dialect() == dialect)
        .or_else(|| for_dialect(dialect))
        .unwrap()
}

fn check(path: &str, dialect: Dialect) {
    let mut wrong = Vec::new();
    for line in shared::lines(path) {
        let reply = Reply::of(&line, Moment::from_secs(1_772_366_400));
        let expected = &line["expected"];
        if expected.is_null() || !(200..300).contains(&reply.status) {
            continue;
        }
        let (outcome, _) = reply.read(provider(&line, dialect));
        let id = &line["id"];
        match outcome {
            Ok(answer) => {
                if answer.finish_reason_raw.as_deref()
                    != expected["finish_reason_raw"].as_str().filter(|word| !word.is_empty())
                {
                    wrong.push(format!(
                        "{id}: {:?} for {}",
                        answer.finish_reason_raw, expected["finish_reason_raw"]
                    ));
                }
                let calls = expected["tool_calls"].as_array().map_or(0, Vec::len);
                if answer.tool_calls.len() != calls {
                    wrong.push(format!("{id}: {} calls of {calls}", answer.tool_calls.len()));
                }
                let ids: std::collections::BTreeSet<&str> =
                    answer.tool_calls.iter().map(|call| call.id.as_str()).collect();
                if ids.contains("") {
                    wrong.push(format!("{id}: a call without an id"));
                }
                let text = expected["text"].as_str().unwrap_or("");
                let leaked = text.contains("think>");
                if !leaked && answer.text != text {
                    wrong.push(format!("{id}: text {:?} for {text:?}", answer.text));
                }
                if leaked && answer.reasoning_content.is_none() && !answer.text.is_empty() {
                    wrong.push(format!("{id}: leaked thinking stays in {:?}", answer.text));
                }
                let hidden =
                    line["features"].as_array().unwrap().iter().any(|tag| tag == "truncation_not_reported");
                if hidden
                    && answer.finish_reason != FinishReason::Length
                    && answer
                        .tool_calls
                        .iter()
                        .all(|call| serde_json::from_str::<Value>(&call.arguments).is_ok())
                {
                    wrong.push(format!("{id}: a hidden cut went unnoticed"));
                }
                if answer.usage.cached > answer.usage.prompt
                    || answer.usage.reasoning > answer.usage.completion
                {
                    wrong.push(format!("{id}: counts contradict themselves: {:?}", answer.usage));
                }
            }
            Err(failure) if failure.kind == Kind::UnknownFinishReason => {
                wrong.push(format!("{id}: {failure}"))
            }
            Err(failure) if expected["error"].is_null() && !expected["finish_reason_raw"].is_null() => {
                wrong.push(format!("{id}: {failure}"));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{path}: {}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_recorded_openai_chat_reply_is_read() {
    check("corpus/openai-chat.jsonl.gz", Dialect::OpenaiChat);
}

#[test]
fn every_recorded_anthropic_reply_is_read() {
    check("corpus/anthropic-messages.jsonl.gz", Dialect::Anthropic);
}

#[test]
fn every_recorded_mistral_reply_is_read_too() {
    check("corpus/mistral.jsonl.gz", Dialect::OpenaiChat);
}
