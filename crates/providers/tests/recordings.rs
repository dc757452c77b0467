//! Recorded replies of many hosts, from bytes to answer: no good one is lost, no finish word is unknown.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod shared;

use mainstay_canon::{Answer, Dialect, FinishReason, Kind, Moment, ToolCall};
use mainstay_providers::{Provider, by_id, for_dialect};
use serde_json::Value;
use shared::Reply;

fn provider(line: &Value, dialect: Dialect) -> &'static Provider {
    by_id(line["provider"].as_str().unwrap())
        .filter(|provider| provider.upstream.dialect() == dialect)
        .or_else(|| for_dialect(dialect))
        .unwrap()
}

/// What is wrong with an answer that its recording tells.
fn faults(line: &Value, answer: &Answer) -> Vec<String> {
    let expected = &line["expected"];
    let mut found = Vec::new();
    let word = expected["finish_reason_raw"].as_str().filter(|word| !word.is_empty());
    if answer.finish_reason_raw.as_deref() != word {
        found.push(format!("finish {:?} for {word:?}", answer.finish_reason_raw));
    }
    let calls = expected["tool_calls"].as_array().map_or(0, Vec::len);
    if answer.tool_calls.len() != calls || answer.tool_calls.iter().any(|call| call.id.is_empty()) {
        found.push(format!("calls {:?} for {calls}", answer.tool_calls));
    }
    if calls > 0 && word == Some("stop") && answer.finish_reason != FinishReason::ToolCall {
        found.push(format!("a plain stop beside calls is {}", answer.finish_reason));
    }
    let text = expected["text"].as_str().unwrap_or("");
    // A closing mark alone tells too late that the streamed text before it was thinking.
    let came_too_late = line["stream"] == true && !text.contains("<think>");
    if text.contains("think>") && !came_too_late {
        if answer.text.contains("think>") {
            found.push(format!("leaked thinking stays in {:?}", answer.text));
        }
    } else if answer.text != text {
        found.push(format!("text {:?} for {text:?}", answer.text));
    }
    let is_hidden_cut =
        line["features"].as_array().unwrap().iter().any(|tag| tag == "truncation_not_reported");
    let parse = |call: &ToolCall| serde_json::from_str::<Value>(&call.arguments).is_ok();
    if is_hidden_cut && answer.finish_reason != FinishReason::Length && answer.tool_calls.iter().all(parse) {
        found.push("a hidden cut went unnoticed".to_owned());
    }
    if answer.usage.cached > answer.usage.prompt || answer.usage.reasoning > answer.usage.completion {
        found.push(format!("counts contradict themselves: {:?}", answer.usage));
    }
    found
}

/// Recorded finish words that are no answer, and what they are. `complete` was written by hand: no table knows it.
const NO_ANSWER: [(&str, Kind); 2] =
    [("queued", Kind::StreamInterrupted), ("complete", Kind::UnknownFinishReason)];

fn check(path: &str, dialect: Dialect) {
    let mut wrong = Vec::new();
    for line in shared::lines(path) {
        let reply = Reply::of(&line, Moment::from_secs(1_772_366_400));
        let expected = &line["expected"];
        if expected.is_null() || !(200..300).contains(&reply.status) {
            continue;
        }
        let failed = !expected["error"].is_null() || expected["finish_reason_raw"].is_null();
        let word = expected["finish_reason_raw"].as_str();
        let no_answer = NO_ANSWER.iter().find(|(known, _)| Some(*known) == word).map(|(_, kind)| *kind);
        match reply.read(provider(&line, dialect)).0 {
            Ok(_) if no_answer.is_some() => wrong.push(format!("{}: taken for an answer", line["id"])),
            Err(failure) if no_answer == Some(failure.kind) => {}
            Ok(answer) => {
                wrong
                    .extend(faults(&line, &answer).into_iter().map(|what| format!("{}: {what}", line["id"])));
            }
            Err(failure) if failed && failure.kind != Kind::UnknownFinishReason => {}
            Err(failure) => wrong.push(format!("{}: {failure}", line["id"])),
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

#[test]
fn every_recorded_ollama_reply_is_read() {
    check("corpus/ollama.jsonl.gz", Dialect::Ollama);
}

#[test]
fn every_recorded_openai_responses_reply_is_read() {
    check("corpus/openai-responses.jsonl.gz", Dialect::OpenaiResponses);
}
