//! Every recording of this dialect whose meaning is known.

use serde_json::{Value, json};

use super::*;

fn recordings() -> Vec<Value> {
    shared("corpus/anthropic-messages.jsonl.gz")
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|recording| recording["expected"].is_object())
        .collect()
}

#[test]
fn every_recording_reads_as_it_should() {
    let recordings = recordings();
    for recording in &recordings {
        let id = recording["id"].as_str().unwrap();
        let expected = &recording["expected"];
        let body = recording["body"].as_str().unwrap();
        let status = u16::try_from(recording["status"].as_u64().unwrap()).unwrap();
        if status >= 400 {
            let failure = UPSTREAM.read_error(status, body.as_bytes());
            assert_eq!(failure.message, expected["error"]["message"].as_str().unwrap(), "{id}");
            assert_eq!(failure.code.as_deref(), expected["error"]["type"].as_str(), "{id}");
            continue;
        }
        let reply = if recording["stream"] == true {
            let (events, failure) = stream(&[body.as_bytes()]);
            assert!(failure.is_none(), "{id}: {failure:?}");
            assert_eq!(events.last(), Some(&WireEvent::End), "{id}");
            joined(&events)
        } else {
            UPSTREAM.read_reply(body.as_bytes()).unwrap_or_else(|failure| panic!("{id}: {failure}"))
        };
        check(id, expected, &reply, body);
    }
    assert!(recordings.is_empty() || recordings.len() > 150, "only {} recordings", recordings.len());
}

fn check(id: &str, expected: &Value, reply: &WireReply, body: &str) {
    assert_eq!(reply.text, expected["text"].as_str().unwrap(), "{id}");
    assert_eq!(reply.finish.as_deref(), expected["finish_reason_raw"].as_str(), "{id}");
    if let Some(reasoning) = expected["reasoning_text"].as_str() {
        assert_eq!(reply.reasoning.as_deref().unwrap_or_default(), reasoning, "{id}");
    }
    let calls: Vec<Value> = reply
        .tool_calls
        .iter()
        .map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            json!({"name": call.name, "id": call.id, "arguments": arguments})
        })
        .collect();
    let wanted: Vec<Value> = expected["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| json!({"name": call["name"], "id": call["id"], "arguments": call["arguments"]}))
        .collect();
    assert_eq!(calls, wanted, "{id}");

    // The recording's own counters leave out what was cached, and compaction rounds.
    if body.contains("\"compaction\"") {
        return;
    }
    let counts = |name: &str| expected["usage"][name].as_u64();
    let cached = counts("cached").unwrap_or(0) + counts("cache_write").unwrap_or(0);
    assert_eq!(reply.usage.prompt, counts("prompt").map(|prompt| prompt + cached), "{id}");
    assert_eq!(reply.usage.completion, counts("completion"), "{id}");
    assert_eq!(reply.usage.cached.unwrap_or(0), counts("cached").unwrap_or(0), "{id}");
    assert_eq!(reply.usage.cache_write.unwrap_or(0), counts("cache_write").unwrap_or(0), "{id}");
    assert_eq!(reply.usage.reasoning.unwrap_or(0), counts("reasoning").unwrap_or(0), "{id}");
}

#[test]
fn a_recorded_stream_reads_the_same_wherever_it_is_cut() {
    for recording in recordings().iter().filter(|recording| recording["stream"] == true) {
        let wire = recording["body"].as_str().unwrap().as_bytes();
        let whole = stream(&[wire]).0;
        let step = (wire.len() / 40).max(1);
        for cut in (0..=wire.len()).step_by(step) {
            let (a, b) = wire.split_at(cut);
            assert_eq!(stream(&[a, b]).0, whole, "{} cut at byte {cut}", recording["id"]);
        }
        let pieces: Vec<&[u8]> = wire.chunks(7).collect();
        assert_eq!(stream(&pieces).0, whole, "{} in pieces of seven bytes", recording["id"]);
    }
}

#[test]
fn a_recorded_stream_cut_short_is_never_a_whole_answer() {
    for recording in recordings().iter().filter(|recording| recording["stream"] == true) {
        let wire = recording["body"].as_str().unwrap();
        let end = wire.find("\"stop_reason\":\"").unwrap_or_else(|| wire.find("message_delta").unwrap());
        for cut in (0..end).step_by((end / 15).max(1)) {
            let (_, failure) = stream(&[&wire.as_bytes()[..cut]]);
            let kind = failure.unwrap_or_else(|| panic!("{} cut at {cut}", recording["id"])).kind;
            assert!(
                matches!(
                    kind,
                    mainstay_canon::Kind::StreamInterrupted | mainstay_canon::Kind::InvalidResponse
                ),
                "{} cut at {cut}: {kind}",
                recording["id"]
            );
        }
    }
}

#[test]
fn a_recorded_request_passes_through_both_faces_unchanged_in_meaning() {
    use crate::Inbound;
    let mut passed = 0;
    for recording in recordings() {
        let (id, sent) = (&recording["id"], &recording["request"]);
        if sent["messages"].as_array().is_none_or(Vec::is_empty) || sent["model"].is_null() {
            continue;
        }
        let bytes = serde_json::to_vec(sent).unwrap();
        let Ok(received) = super::super::Face.read_request(&bytes) else {
            // The recordings' long strings and media are cut, which can leave a block without its source.
            continue;
        };
        let target = Target::new("anthropic", sent["model"].as_str().unwrap());
        let accepts = accepts();
        let request = &received.request;
        let call = Call {
            target: &target,
            accepts: &accepts,
            stream: request.stream,
            max_tokens: request.max_tokens,
        };
        let out = UPSTREAM.write_request(request, &call).unwrap_or_else(|failure| panic!("{id}: {failure}"));
        assert_eq!(normal(&body(&out)), normal(sent), "{id}: {:?}", out.notes);
        passed += 1;
    }
    assert!(passed == 0 || passed > 120, "only {passed} requests");
}

/// A request without the differences that mean nothing: a lone text or a list, two messages of one role or one.
fn normal(request: &Value) -> Value {
    let mut request = request.clone();
    for message in request["messages"].as_array_mut().unwrap() {
        let content = message["content"].take();
        message["content"] = listed(content);
        for block in message["content"].as_array_mut().unwrap() {
            if block["type"] == "tool_result" {
                let content = block["content"].take();
                block["content"] = listed(content);
                block.as_object_mut().unwrap().retain(|name, value| name != "is_error" || value == true);
            }
        }
    }
    let mut turns: Vec<Value> = Vec::new();
    for message in request["messages"].as_array().unwrap() {
        match turns.last_mut() {
            Some(last) if last["role"] == message["role"] => {
                let more = message["content"].as_array().unwrap().clone();
                last["content"].as_array_mut().unwrap().extend(more);
            }
            _ => turns.push(message.clone()),
        }
    }
    request["messages"] = Value::Array(turns);
    let system = request["system"].take();
    request["system"] = listed(system);
    request.as_object_mut().unwrap().retain(|name, value| name != "stream" || value == true);
    request.as_object_mut().unwrap().retain(|name, value| name != "tools" || value != &json!([]));
    for tool in request["tools"].as_array_mut().into_iter().flatten() {
        tool.as_object_mut().unwrap().retain(|name, value| name != "type" || value != "custom");
    }
    without_nulls(&mut request);
    request
}

fn listed(content: Value) -> Value {
    match content {
        Value::String(text) if text.is_empty() => Value::Null,
        Value::String(text) => json!([{"type": "text", "text": text}]),
        other => other,
    }
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(without_nulls);
        }
        Value::Array(values) => values.iter_mut().for_each(without_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
