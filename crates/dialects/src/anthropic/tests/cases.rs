//! The field cases of this dialect, as far as the dialect decides them.

use mainstay_canon::{
    ChatMessage, ChatRequest, Dialect, Kind, RawJson, ReasoningBlock, ReasoningEffort, Role, Target, Tool,
    ToolCall,
};
use serde_json::{Value, json};

use super::*;
use crate::anthropic::base64;

fn cases(phase: &str) -> Vec<Value> {
    shared("cases/bug-cases.jsonl")
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|case| case["dialect"] == "anthropic" && case["phase"] == phase)
        .collect()
}

/// The body as it is delivered.
fn pieces(case: &Value) -> Vec<Vec<u8>> {
    if let Some(chunks) = case["chunks_b64"].as_array() {
        return chunks.iter().map(|chunk| base64::decode(chunk.as_str().unwrap()).unwrap()).collect();
    }
    match case["body_b64"].as_str() {
        Some(body) => vec![base64::decode(body).unwrap()],
        None => vec![case["body"].as_str().unwrap().as_bytes().to_vec()],
    }
}

fn read(case: &Value) -> (WireReply, Option<Failure>) {
    let status = u16::try_from(case["status"].as_u64().unwrap()).unwrap();
    let pieces = pieces(case);
    if status != 200 {
        return (WireReply::default(), Some(UPSTREAM.read_error(status, &pieces.concat())));
    }
    if case["stream"] == true {
        let (events, failure) = stream(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>());
        return (joined(&events), failure);
    }
    match UPSTREAM.read_reply(&pieces.concat()) {
        Ok(reply) => (reply, None),
        Err(failure) => (WireReply::default(), Some(failure)),
    }
}

#[test]
fn what_a_provider_sends_is_read_as_the_cases_say() {
    let cases = cases("response");
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let expect = &case["expect"];
        let (reply, failure) = read(case);
        match expect["error"]["kind"].as_str() {
            // The finish table decides this one; the reader's part is to keep the word.
            Some("unknown_finish_reason") => {
                assert_eq!(reply.finish.as_deref(), expect["raw_finish_reason"].as_str(), "{id}");
            }
            Some(kind) => {
                let failure = failure.unwrap_or_else(|| panic!("{id}: no failure"));
                assert_eq!(failure.kind.word(), kind, "{id}");
                if let Some(status) = expect["error"]["effective_status"].as_u64() {
                    assert_eq!(failure.status.map(u64::from), Some(status), "{id}");
                }
            }
            None => assert!(failure.is_none(), "{id}: {failure:?}"),
        }
        check_reply(id, expect, &reply);
    }
    assert!(cases.is_empty() || cases.len() >= 20, "only {} cases", cases.len());
}

fn check_reply(id: &str, expect: &Value, reply: &WireReply) {
    if let Some(text) = expect["text"].as_str().or(expect["partial_text"].as_str()) {
        assert_eq!(reply.text, text, "{id}");
    }
    if let Some(reasoning) = expect["reasoning"].as_str() {
        assert_eq!(reply.reasoning.as_deref(), Some(reasoning), "{id}");
    }
    if let Some(reason) = expect["finish_reason"].as_str() {
        let word = match reason {
            "stop" => "end_turn",
            "tool_call" => "tool_use",
            "pause" => "pause_turn",
            other => other,
        };
        assert_eq!(reply.finish.as_deref(), Some(word), "{id}");
    }
    if let Some(calls) = expect["tool_calls"].as_array() {
        let read: Vec<Value> = reply
            .tool_calls
            .iter()
            .map(|call| {
                let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
                json!({"id": call.id, "name": call.name, "arguments": arguments})
            })
            .collect();
        assert_eq!(&read, calls, "{id}");
    }
    for signature in expect["signatures"].as_array().into_iter().flatten() {
        let place = usize::try_from(signature["block"].as_u64().unwrap()).unwrap();
        let block: Value = reply.reasoning_blocks[place].raw.read().unwrap();
        assert_eq!(block["signature"], signature["signature"], "{id}");
        assert_eq!(block["data"], signature["redacted_data"], "{id}");
    }
    if let Some(usage) = expect["usage"].as_object() {
        let read = &reply.usage;
        for (name, count) in [
            ("prompt", read.prompt),
            ("completion", read.completion),
            ("cached", read.cached),
            ("cache_write", read.cache_write),
            ("reasoning", read.reasoning),
        ] {
            if let Some(expected) = usage.get(name) {
                assert_eq!(count.unwrap_or(0), expected.as_u64().unwrap(), "{id}: {name}");
            }
        }
    }
}

#[test]
fn a_case_reads_the_same_wherever_its_stream_is_cut() {
    for case in cases("response").iter().filter(|case| case["stream"] == true) {
        let wire = pieces(case).concat();
        let whole = format!("{:?}", stream(&[&wire]));
        for cut in 0..=wire.len() {
            let (a, b) = wire.split_at(cut);
            assert_eq!(format!("{:?}", stream(&[a, b])), whole, "{} cut at byte {cut}", case["id"]);
        }
    }
}

/// The canonical request of a case.
fn canonical(request: &Value) -> ChatRequest {
    ChatRequest {
        messages: request["messages"].as_array().unwrap().iter().map(canonical_message).collect(),
        max_tokens: request["max_tokens"].as_u64().map(|tokens| u32::try_from(tokens).unwrap()),
        tools: request["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tool| Tool {
                description: None,
                ..Tool::function(
                    tool["name"].as_str().unwrap(),
                    "",
                    RawJson::of(&tool["parameters"]).unwrap(),
                )
            })
            .collect(),
        reasoning_effort: (request["thinking"] == true).then_some(ReasoningEffort::Medium),
        ..ChatRequest::default()
    }
}

fn canonical_message(message: &Value) -> ChatMessage {
    let role = match message["role"].as_str().unwrap() {
        "system" => Role::System,
        "developer" => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("{other}"),
    };
    let mut canonical = ChatMessage::new(role, message["content"].as_str().unwrap_or_default());
    canonical.tool_call_id = message["tool_call_id"].as_str().map(str::to_owned);
    canonical.reasoning_content = message["reasoning"].as_str().map(str::to_owned);
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        canonical.tool_calls.push(ToolCall {
            id: call["id"].as_str().unwrap().to_owned(),
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["arguments"].to_string(),
            extra: mainstay_canon::Extra::new(),
        });
    }
    let origin = message["origin"]["provider"].as_str().map(|provider| Target::new(provider, "claude-test"));
    for signature in message["signatures"].as_array().into_iter().flatten() {
        let raw = match signature["redacted_data"].as_str() {
            Some(data) => json!({"type": "redacted_thinking", "data": data}),
            None => json!({
                "type": "thinking", "thinking": message["reasoning"], "signature": signature["signature"],
            }),
        };
        canonical.reasoning_blocks.push(ReasoningBlock {
            dialect: Dialect::Anthropic,
            origin: origin.clone(),
            raw: RawJson::of(&raw).unwrap(),
        });
    }
    canonical
}

#[test]
fn what_a_provider_is_sent_is_what_the_cases_say() {
    let cases = cases("request");
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let body = body(&write(&canonical(&case["request"])));
        for check in case["expect"]["outbound"].as_array().unwrap() {
            let found = body.pointer(check["path"].as_str().unwrap());
            if let Some(expected) = check.get("equals") {
                assert_eq!(found, Some(expected), "{id}: {check}");
            } else if check["absent"] == true {
                assert_eq!(found, None, "{id}: {check}");
            } else if check["no_empty_text_blocks"] == true {
                assert_no_blank(&body, id);
            } else if check["roles_alternate"] == true {
                let messages = body["messages"].as_array().unwrap();
                assert!(messages.windows(2).all(|pair| pair[0]["role"] != pair[1]["role"]), "{id}");
            } else {
                panic!("{id}: a check that is not known: {check}");
            }
        }
    }
    assert!(cases.is_empty() || cases.len() >= 4, "only {} cases", cases.len());
}

pub(super) fn assert_no_blank(value: &Value, id: &str) {
    match value {
        Value::Object(members) => {
            if members.get("type").is_some_and(|kind| kind == "text") {
                assert!(!members["text"].as_str().unwrap().trim().is_empty(), "{id}: a blank text");
            }
            assert_ne!(members.get("content"), Some(&json!("")), "{id}: an empty content");
            assert_ne!(members.get("content"), Some(&json!([])), "{id}: an empty content");
            members.values().for_each(|value| assert_no_blank(value, id));
        }
        Value::Array(values) => values.iter().for_each(|value| assert_no_blank(value, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn a_status_without_a_readable_body_is_enough() {
    assert_eq!(UPSTREAM.read_error(502, b"<html>").kind, Kind::ServerError);
}
