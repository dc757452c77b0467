//! An answer of any parts, sent back to the model that gave it.

use mainstay_canon::{Answer, ChatRequest, ChatResponse, Cost, FinishReason, Verdict, WireReply};
use mainstay_dialects::openai_chat::INBOUND;
use mainstay_dialects::{FaceContext, Inbound, Upstream};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::shared::{NEWEST, accepts, joined, lines, result, stream, target, try_write, turn};

/// What the model is sent of its own answer.
fn sent_back(reply: &WireReply) -> Vec<Value> {
    let answer = turn(reply, Some(&target()));
    let results: Vec<_> = answer.tool_calls.iter().map(|call| result(&call.id, "done")).collect();
    let mut request = ChatRequest::user("hi").message(answer);
    request.messages.extend(results);
    let outbound = try_write(NEWEST, &request, &accepts()).unwrap();
    let mut body: Value = serde_json::from_slice(&outbound.body).unwrap();
    let turns = body["contents"].as_array_mut().unwrap();
    let model = turns.iter_mut().find(|turn| turn["role"] == "model");
    model.map_or_else(Vec::new, |turn| serde_json::from_value(turn["parts"].take()).unwrap())
}

/// The parts without the differences that mean nothing: unsigned thoughts, empty texts, how unsigned text is cut.
fn normal(parts: &[Value]) -> Vec<Value> {
    let mut normal: Vec<Value> = Vec::new();
    for part in parts {
        let is_signed = part.get("thoughtSignature").is_some();
        if (part["thought"] == true || part["text"] == "") && !is_signed {
            continue;
        }
        let mut part = part.clone();
        if let Some(call) = part.get_mut("functionCall") {
            let has_args = call.get("args").is_some();
            let members = call.as_object_mut().unwrap();
            members.retain(|name, value| name != "id" || value != "");
            if !has_args {
                members.insert("args".to_owned(), json!({}));
            }
        }
        match (normal.last_mut(), part["text"].as_str()) {
            (Some(last), Some(text))
                if last.as_object().unwrap().len() == 1
                    && part.as_object().unwrap().len() == 1
                    && last["text"].is_string() =>
            {
                last["text"] = json!(format!("{}{text}", last["text"].as_str().unwrap()));
            }
            _ => normal.push(part),
        }
    }
    normal
}

fn part() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-zé☂ ]{0,6}".prop_map(|text| json!({"text": text})),
        "[a-zé☂ ]{0,6}".prop_map(|text| json!({"text": text, "thoughtSignature": "c2ln"})),
        "[a-z]{1,6}".prop_map(|text| json!({"text": text, "thought": true})),
        "[a-z]{1,6}".prop_map(|text| json!({"text": text, "thought": true, "thoughtSignature": "c2ln"})),
        Just(json!({"executableCode": {"code": "1 + 1"}, "thoughtSignature": "c2ln"})),
        Just(json!({"inlineData": {"mimeType": "image/png", "data": "QQ=="}})),
        Just(json!({"thoughtSignature": "c2ln"})),
        // A call without a signature after a text keeps its place only if a mark follows, so calls here have one.
        "[a-z]{1,3}".prop_map(
            |name| json!({"functionCall": {"id": name, "name": name, "args": {"a": 1}}, "thoughtSignature": "c2ln"})
        ),
    ]
}

proptest! {
    #[test]
    fn every_part_goes_back_in_its_place(parts in prop::collection::vec(part(), 1..8), as_stream in any::<bool>()) {
        let reply = if as_stream {
            let chunks: Vec<String> = parts
                .iter()
                .map(|part| json!({"candidates": [{"content": {"parts": [part]}}]}))
                .chain([json!({"candidates": [{"finishReason": "STOP"}]})])
                .map(|chunk| format!("data: {chunk}\n\n"))
                .collect();
            joined(&stream(&[chunks.concat().as_bytes()]).events)
        } else {
            let body = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
            NEWEST.read_reply(body.to_string().as_bytes()).unwrap()
        };
        let blank = reply.text.trim().is_empty() && parts.iter().all(|part| part.get("thought").is_some() || part.get("text").is_none() || part.get("thoughtSignature").is_none());
        let mut expected = normal(&parts);
        if blank {
            expected.retain(|part| part.get("text").is_none() || part.get("thought").is_some());
        }
        prop_assert_eq!(normal(&sent_back(&reply)), expected);
    }
}

#[test]
fn every_recorded_signature_goes_back_unchanged() {
    let mut signed = 0;
    for recording in lines("corpus/gemini.jsonl.gz") {
        let body = recording["body"].as_str().unwrap();
        if recording["status"] != 200 || !body.contains("thoughtSignature") {
            continue;
        }
        let reply = if recording["stream"] == true {
            joined(&stream(&[body.as_bytes()]).events)
        } else {
            NEWEST.read_reply(body.as_bytes()).unwrap()
        };
        let sent = sent_back(&reply);
        let found: Vec<&str> = sent.iter().filter_map(|part| part["thoughtSignature"].as_str()).collect();
        let came: Vec<&str> = body
            .split("\"thoughtSignature\":")
            .skip(1)
            .map(|after| after.trim_start().trim_start_matches('"').split('"').next().unwrap())
            .collect();
        assert_eq!(found, came, "{}", recording["id"]);
        signed += 1;
    }
    assert!(signed == 0 || signed > 50, "only {signed} recordings");
}

/// The message that a caller of OpenAI's dialect is handed.
fn told_to_an_openai_caller(reply: &WireReply) -> Value {
    let message = turn(reply, Some(&target()));
    let response = ChatResponse {
        answer: Answer {
            text: message.text(),
            tool_calls: message.tool_calls,
            reasoning_blocks: message.reasoning_blocks,
            finish_reason: FinishReason::ToolCall,
            ..Answer::default()
        },
        request_id: "req_1".into(),
        target: target(),
        quality: Verdict::ok(),
        cost: Cost::Unknown,
        latency_ms: 0,
        time_to_first_token_ms: None,
        attempts: Vec::new(),
        from_static_tier: false,
        continued_at: None,
    };
    let context = FaceContext {
        request_id: "req_1".into(),
        created: 0,
        include_usage: false,
        echo: mainstay_canon::Extra::new(),
    };
    let mut body: Value = serde_json::from_slice(&INBOUND.write_reply(&response, &context)).unwrap();
    body["choices"][0]["message"].take()
}

#[test]
fn signatures_survive_a_caller_that_speaks_another_dialect() {
    let parts = json!([
        {"text": "Let me look.", "thoughtSignature": "s1"},
        {"functionCall": {"id": "a", "name": "f", "args": {"x": 1}}, "thoughtSignature": "s2"},
        {"functionCall": {"id": "b", "name": "g", "args": {}}},
    ]);
    let body = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let reply = NEWEST.read_reply(body.to_string().as_bytes()).unwrap();
    let request = json!({"model": "x", "messages": [
        {"role": "user", "content": "hi"},
        told_to_an_openai_caller(&reply),
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ]});
    let received = INBOUND.read_request(request.to_string().as_bytes()).unwrap();
    let outbound = try_write(NEWEST, &received.request, &accepts()).unwrap();
    let body: Value = serde_json::from_slice(&outbound.body).unwrap();
    assert_eq!(body["contents"][1]["parts"], parts, "{:?}", outbound.notes);
}
