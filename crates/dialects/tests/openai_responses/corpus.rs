//! Recorded replies of ten hosts decode to what they say, and recorded requests are read.

use mainstay_canon::{Kind, WireReply};
use mainstay_dialects::openai_responses::{INBOUND, OpenAiResponses};
use mainstay_dialects::{Inbound, Upstream};
use serde_json::{Value, json};

use crate::shared::{Failed, assemble, recordings, stream, takes_all, write};

/// What the recorded errors mean; the recordings themselves do not say.
const KINDS: [(&str, Kind); 8] = [
    ("27773ddc8209", Kind::Auth),
    ("f82d3e06b62e", Kind::InvalidRequest),
    ("c6aba1624319", Kind::Auth),
    ("3d88fe61bf6f", Kind::RequestDeclined),
    ("cc0116adfdd3", Kind::Auth),
    ("5451dee2257a", Kind::UnsupportedParameter),
    ("b39708218371", Kind::NotFound),
    ("c39351f41eac", Kind::QuotaExhausted),
];

#[test]
fn every_recording_decodes_to_what_it_says() {
    let recordings = recordings();
    let (mut checked, mut streams) = (0, 0);
    for recording in &recordings {
        let (Some(body), expected) = (recording["body"].as_str(), &recording["expected"]) else { continue };
        assert!(!expected.is_null(), "{} has nothing to compare with", recording["id"]);
        let problems = check(recording, body, expected);
        assert!(problems.is_empty(), "{} {}: {problems:#?}", recording["id"], recording["provider"]);
        checked += 1;
        streams += usize::from(recording["stream"] == json!(true));
    }
    assert!(recordings.is_empty() || (checked, streams) == (161, 70), "{checked} checked, {streams} streams");
}

fn check(recording: &Value, body: &str, expected: &Value) -> Vec<String> {
    let status = u16::try_from(recording["status"].as_u64().unwrap()).unwrap();
    let mut problems = Vec::new();
    let (reply, failure) = if status >= 400 {
        let failure = OpenAiResponses::STANDARD.read_error(status, body.as_bytes());
        (WireReply::default(), Some(Failed::from(failure)))
    } else if recording["stream"] == json!(true) {
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
        (assemble(&whole.events), whole.failure)
    } else {
        match OpenAiResponses::STANDARD.read_reply(body.as_bytes()) {
            Ok(reply) => (reply, None),
            Err(failure) => (WireReply::default(), Some(Failed::from(failure))),
        }
    };
    check_failure(recording, failure.as_ref(), expected, &mut problems);
    let finish = reply.finish.clone().or_else(|| failure.and_then(|failure| failure.finish));
    compare(&WireReply { finish, ..reply }, expected, &mut problems);
    problems
}

fn check_failure(recording: &Value, failure: Option<&Failed>, expected: &Value, problems: &mut Vec<String>) {
    let id = recording["id"].as_str().unwrap();
    match (failure, expected.get("error")) {
        (None, None) => {}
        (Some(failure), Some(error)) => {
            // A key in the message is taken out.
            let said = error["message"].as_str().unwrap().split("sk-").next().unwrap();
            let stated = failure.status.is_some_and(|status| status >= 400);
            if !failure.message.starts_with(&said[..said.len().min(60)]) || !stated {
                problems.push(format!("failed otherwise than expected: {failure:?}"));
            }
            if KINDS.iter().find(|(known, _)| *known == id).map(|(_, kind)| *kind) != Some(failure.kind) {
                problems.push(format!("another kind than expected: {failure:?}"));
            }
        }
        (failure, error) => problems.push(format!("failed with {failure:?}, expected {error:?}")),
    }
}

/// Every byte of a short stream, a sample of a long one.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    let step = if length < 4000 { 1 } else { length / 24 };
    (1..length).step_by(step.max(1))
}

fn compare(reply: &WireReply, expected: &Value, problems: &mut Vec<String>) {
    let mut same = |what: &str, found: Value, wanted: &Value| {
        if found != *wanted {
            problems.push(format!("{what}: found {found}, expected {wanted}"));
        }
    };
    let or_empty = |wanted: &Value| if wanted.is_null() { json!("") } else { wanted.clone() };
    let text = |text: &Option<String>| json!(text.as_deref().unwrap_or_default());
    same("text", json!(reply.text), &expected["text"]);
    same("reasoning", text(&reply.reasoning), &or_empty(&expected["reasoning_text"]));
    same("refusal", text(&reply.refusal), &or_empty(&expected["refusal_text"]));
    same("finish", json!(reply.finish), &expected["finish_reason_raw"]);
    let calls: Vec<Value> = reply.tool_calls.iter().map(found_call).collect();
    let wanted: Vec<Value> = expected["tool_calls"].as_array().unwrap().iter().map(wanted_call).collect();
    same("tool calls", json!(calls), &json!(wanted));
    let kinds: Vec<Value> = reply
        .reasoning_blocks
        .iter()
        .map(|block| block.raw.read::<Value>().unwrap()["type"].clone())
        .filter(|kind| kind != "reasoning")
        .collect();
    let wanted = expected["server_tools"].as_array().cloned().unwrap_or_default();
    same("server tools", json!(kinds), &json!(wanted));
    usage(reply, &expected["usage"], &mut same);
}

fn found_call(call: &mainstay_canon::ToolCall) -> Value {
    let parsed = serde_json::from_str::<Value>(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
    let is_custom = call.extra.get("type").is_some_and(|kind| kind.text() == "\"custom\"");
    json!([call.id, call.name, parsed, is_custom])
}

fn wanted_call(call: &Value) -> Value {
    let arguments = call.get("arguments").or(call.get("arguments_raw")).unwrap_or(&Value::Null);
    json!([call["id"].as_str().unwrap_or_default(), call["name"], arguments, call["custom"] == json!(true)])
}

fn usage(reply: &WireReply, expected: &Value, same: &mut impl FnMut(&str, Value, &Value)) {
    let usage = &reply.usage;
    let Some(wanted) = expected.as_object() else {
        return same("usage", json!([usage.prompt, usage.completion]), &json!([null, null]));
    };
    for (name, count) in [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("cached", usage.cached),
        ("cache_write", usage.cache_write),
        ("reasoning", usage.reasoning),
    ] {
        if let Some(wanted) = wanted.get(name) {
            same(name, json!(count), wanted);
        }
    }
}

/// Members that rest on something stored: requests with one of them are refused by that name.
const STORED: [&str; 4] = ["previous_response_id", "prompt", "background", "conversation"];

#[test]
fn every_recorded_request_is_read_and_written_again_or_refused_by_name() {
    let (mut read, mut refused) = (0, 0);
    for recording in recordings() {
        let (id, asked) = (&recording["id"], &recording["request"]);
        if asked.get("input").is_none() && asked.get("prompt").is_none() {
            continue;
        }
        let received = INBOUND.read_request(&serde_json::to_vec(asked).unwrap());
        let stored = STORED.iter().find(|name| !asked[**name].is_null() && asked[**name] != json!(false));
        if let Some(name) = stored {
            let failure = received.unwrap_err();
            assert_eq!((failure.kind, failure.param.as_deref()), (Kind::InvalidRequest, Some(*name)), "{id}");
            refused += 1;
            continue;
        }
        let request = received.unwrap_or_else(|failure| panic!("{id}: {failure}")).request;
        let (body, notes) = write(&request, &takes_all()).unwrap_or_else(|failure| panic!("{id}: {failure}"));
        assert_eq!(notes, [""; 0], "{id}");
        assert_same_request(asked, &body, id);
        read += 1;
    }
    assert!(read == 0 || (read, refused) == (124, 5), "{read} read, {refused} refused");
}

/// Whether a request comes out as it went in, but for what is ours to say.
fn assert_same_request(asked: &Value, body: &Value, id: &Value) {
    for (name, value) in asked.as_object().unwrap() {
        match name.as_str() {
            "model" | "store" | "include" | "input" | "instructions" | "stream" => {}
            // Nulls and the plain text format say nothing.
            "reasoning" | "text" => {
                let found = body.get(name).cloned().unwrap_or_else(|| json!({}));
                assert_eq!(without_nulls(&found), without_nulls(value), "{id} {name}");
            }
            "tools" => {
                let found = body["tools"].as_array().cloned().unwrap_or_default();
                let found: Vec<Value> = found.iter().map(without_nulls).collect();
                let wanted: Vec<Value> = value.as_array().unwrap().iter().map(without_nulls).collect();
                assert_eq!(found, wanted, "{id}");
            }
            "tool_choice" | "parallel_tool_calls" if body.get("tools").is_none() => {}
            "temperature" => assert_eq!(body["temperature"].as_f64(), value.as_f64(), "{id}"),
            _ if value.is_null() => {}
            _ => assert_eq!(body.get(name), Some(value), "{id} {name}"),
        }
    }
    assert_eq!(said(body), said(asked), "{id}");
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let says = |name: &str, value: &Value| {
                !(value.is_null() || (name == "format" && value == &json!({"type": "text"})))
            };
            members
                .iter()
                .filter(|(name, value)| says(name, value))
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect()
        }
        other => other.clone(),
    }
}

/// The conversation of a request in one spelling: instructions as a first message, every text in a part.
fn said(body: &Value) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(text) = body["instructions"].as_str().filter(|text| !text.is_empty()) {
        items.push(json!({"type": "message", "role": "system", "content": [text]}));
    }
    match &body["input"] {
        Value::String(text) => items.push(json!({"type": "message", "role": "user", "content": [text]})),
        list => items.extend(list.as_array().unwrap().iter().map(spelled)),
    }
    items
}

fn spelled(item: &Value) -> Value {
    let mut item = item.clone();
    let members = item.as_object_mut().unwrap();
    members.entry("type").or_insert_with(|| json!("message"));
    for name in ["content", "output"] {
        let Some(content) = members.get_mut(name) else { continue };
        *content = match content.take() {
            Value::String(text) => json!([text]),
            Value::Array(parts) => parts.into_iter().map(part).collect(),
            other => other,
        };
    }
    item
}

fn part(part: Value) -> Value {
    let plain =
        part["text"].as_str().filter(|_| matches!(part["type"].as_str(), Some("input_text" | "output_text")));
    let more = part.as_object().unwrap().iter().any(|(name, value)| {
        !matches!(name.as_str(), "type" | "text") && value != &json!([]) && !value.is_null()
    });
    match plain.filter(|_| !more) {
        Some(text) => json!(text),
        None => part,
    }
}
