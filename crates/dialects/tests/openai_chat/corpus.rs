//! Recorded replies of some forty hosts decode to what they say.

use mainstay_canon::{Kind, WireReply};
use mainstay_dialects::Upstream;
use mainstay_dialects::openai_chat::OpenAiChat;
use serde_json::{Value, json};

use crate::shared::{assemble, lines, stream};

/// What the recorded errors mean; the recordings themselves do not say.
const KINDS: [(&str, Kind); 25] = [
    ("e48296676b42", Kind::NotFound),
    ("68c31e76a206", Kind::RateLimited),
    ("5df2091a30b3", Kind::NotFound),
    ("367b8521b39b", Kind::NotFound),
    ("cb967f6674d8", Kind::UnsupportedParameter),
    ("2730f8747764", Kind::Auth),
    ("426e280b857e", Kind::ContextLength),
    ("0347e42ee982", Kind::Permission),
    ("e0c6989b2dee", Kind::NotFound),
    ("523a46035a44", Kind::NotFound),
    ("2771d3b0c9a6", Kind::InvalidRequest),
    ("04fe7c798a34", Kind::Auth),
    ("3a00ece2443e", Kind::ServerError),
    ("cfcddc3308a2", Kind::ContextLength),
    ("d5a93ec09ffa", Kind::InvalidRequest),
    ("5875aa0dc4ee", Kind::Auth),
    ("cbaceed5301a", Kind::InvalidRequest),
    ("e5f8dc34b934", Kind::Auth),
    ("d1f2a6f7ace2", Kind::InvalidRequest),
    ("9596caf094fb", Kind::NotFound),
    ("513e0f64a737", Kind::Auth),
    ("b163fac09595", Kind::RateLimited),
    ("374eb32aa784", Kind::Auth),
    ("d49a043745d2", Kind::NotFound),
    ("587728a0139f", Kind::Auth),
];

#[test]
fn every_recording_of_chat_completions_decodes_to_what_it_says() {
    check_all("corpus/openai-chat.jsonl.gz", 360);
}

#[test]
fn every_recording_of_mistral_decodes_to_what_it_says() {
    check_all("corpus/mistral.jsonl.gz", 80);
}

fn check_all(file: &str, least: usize) {
    let recordings = lines(file);
    let mut checked = 0;
    for recording in &recordings {
        let id = recording["id"].as_str().unwrap();
        let (Some(body), expected) = (recording["body"].as_str(), &recording["expected"]) else { continue };
        if expected.is_null() {
            continue;
        }
        let problems = check(recording, body, expected);
        assert!(problems.is_empty(), "{file} {id} {}: {problems:#?}", recording["provider"]);
        checked += 1;
    }
    assert!(recordings.is_empty() || checked >= least, "{checked} of {} were checked", recordings.len());
}

fn check(recording: &Value, body: &str, expected: &Value) -> Vec<String> {
    let status = u16::try_from(recording["status"].as_u64().unwrap()).unwrap();
    let mut problems = Vec::new();
    if status >= 400 {
        let failure = OpenAiChat::STANDARD.read_error(status, body.as_bytes());
        // A key in the message is taken out, and what a host behind said is added.
        let said = expected["error"]["message"].as_str().unwrap().split("sk-").next().unwrap();
        if failure.status != Some(status) || !failure.message.starts_with(&said[..said.len().min(40)]) {
            problems.push(format!("{failure:?}"));
        }
        let id = recording["id"].as_str().unwrap();
        if KINDS.iter().find(|(known, _)| *known == id).map(|(_, kind)| *kind) != Some(failure.kind) {
            problems.push(format!("another kind than expected: {failure}"));
        }
        return problems;
    }
    let (reply, failure) = if recording["stream"].as_bool().unwrap() {
        let whole = stream(&[body.as_bytes()]);
        for cut in cuts(body.len()) {
            let (a, b) = body.as_bytes().split_at(cut);
            if stream(&[a, b]) != whole {
                problems.push(format!("another result when cut at byte {cut}"));
            }
        }
        if stream(&body.as_bytes().chunks(7).collect::<Vec<_>>()) != whole {
            problems.push("another result in pieces of 7 bytes".to_owned());
        }
        (assemble(&whole.events), whole.failure.map(|(_, status, message)| (status, message)))
    } else {
        match OpenAiChat::STANDARD.read_reply(body.as_bytes()) {
            Ok(reply) => (reply, None),
            Err(failure) => (WireReply::default(), Some((failure.status, failure.message))),
        }
    };
    match (failure, expected.get("error")) {
        (None, None) => {}
        (Some((status, message)), Some(error)) => {
            let said = error["message"].as_str().unwrap();
            if !message.starts_with(&said[..said.len().min(60)]) || status.is_none_or(|status| status < 400) {
                problems.push(format!("failed otherwise than expected: {status:?} {message}"));
            }
        }
        (failure, error) => problems.push(format!("failed with {failure:?}, expected {error:?}")),
    }
    compare(&reply, expected, &mut problems);
    problems
}

/// Every byte of a short stream, a sample of a long one.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    let step = if length < 3000 { 1 } else { length / 24 };
    (1..length).step_by(step.max(1))
}

fn compare(reply: &WireReply, expected: &Value, problems: &mut Vec<String>) {
    let mut same = |what: &str, found: Value, wanted: &Value| {
        if found != *wanted {
            problems.push(format!("{what}: found {found}, expected {wanted}"));
        }
    };
    let text = |text: &Option<String>| json!(text.as_deref().unwrap_or_default());
    let or_empty = |wanted: &Value| if wanted.is_null() { json!("") } else { wanted.clone() };
    if expected["content_object"] == json!(true) {
        serde_json::from_str::<Value>(&reply.text).unwrap();
    } else {
        same("text", json!(reply.text), &expected["text"]);
    }
    // Where a host sends `reasoning_details` alone, their text is the reasoning; the recordings' SDK has no
    // name for it and says nothing.
    if !expected["reasoning_text"].is_null() || reply.reasoning_blocks.is_empty() {
        same("reasoning", text(&reply.reasoning), &or_empty(&expected["reasoning_text"]));
    }
    same("refusal", text(&reply.refusal), &or_empty(&expected["refusal_text"]));
    let failed = expected.get("error").is_some();
    let finish = expected["finish_reason_raw"].as_str().unwrap_or_default();
    same("finish", text(&reply.finish), &json!(finish));
    let calls: Vec<Value> = reply.tool_calls.iter().map(found_call).collect();
    let wanted: Vec<Value> = expected["tool_calls"].as_array().unwrap().iter().map(wanted_call).collect();
    same("tool calls", json!(calls), &json!(wanted));
    if !failed || !expected["usage"].is_null() {
        usage(reply, &expected["usage"], &mut same);
    }
}

fn found_call(call: &mainstay_canon::ToolCall) -> Value {
    let parsed = serde_json::from_str::<Value>(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
    json!([call.id, call.name, parsed])
}

fn wanted_call(call: &Value) -> Value {
    let arguments = call.get("arguments").or(call.get("arguments_raw")).unwrap_or(&Value::Null);
    json!([call["id"].as_str().unwrap_or_default(), call["name"], arguments])
}

fn usage(reply: &WireReply, expected: &Value, same: &mut impl FnMut(&str, Value, &Value)) {
    let Some(wanted) = expected.as_object() else {
        return same("usage", json!([reply.usage.prompt, reply.usage.completion]), &json!([null, null]));
    };
    let usage = &reply.usage;
    for (name, count) in [
        ("prompt", usage.prompt),
        ("cached", usage.cached),
        ("cache_write", usage.cache_write),
        ("reasoning", usage.reasoning),
    ] {
        if let Some(wanted) = wanted.get(name) {
            same(name, json!(count), wanted);
        }
    }
    // The recordings' figure is raw; ours includes reasoning that a host counts beside it.
    let raw = wanted.get("completion").and_then(Value::as_u64);
    let beside = raw.zip(usage.reasoning).map(|(raw, reasoning)| raw + reasoning);
    if usage.completion != raw && (usage.completion != beside || usage.completion.is_none()) {
        same("completion", json!(usage.completion), &json!(raw));
    }
}
