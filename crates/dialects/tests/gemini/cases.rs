//! The field cases of this dialect, as far as the dialect decides them.

use mainstay_canon::{
    ChatMessage, ChatRequest, Dialect, Failure, RawJson, ReasoningBlock, Role, Target, Tool, ToolCall,
    WireReply,
};
use mainstay_dialects::Upstream;
use serde_json::{Value, json};

use crate::shared::{NEWEST, joined, lines, stream, write};

fn cases(phase: &str) -> Vec<Value> {
    let all = lines("cases/bug-cases.jsonl");
    all.into_iter().filter(|case| case["dialect"] == "gemini" && case["phase"] == phase).collect()
}

fn read(case: &Value) -> (WireReply, Option<Failure>) {
    let status = u16::try_from(case["status"].as_u64().unwrap()).unwrap();
    let body = case["body"].as_str().unwrap().as_bytes();
    if status != 200 {
        return (WireReply::default(), Some(NEWEST.read_error(status, body)));
    }
    if case["stream"] == true {
        let streamed = stream(&[body]);
        assert_eq!(streamed.failure, None, "{}", case["id"]);
        return (joined(&streamed.events), None);
    }
    match NEWEST.read_reply(body) {
        Ok(reply) => (reply, None),
        Err(failure) => (WireReply::default(), Some(failure)),
    }
}

#[test]
fn what_a_provider_sends_is_read_as_the_cases_say() {
    let cases = cases("response");
    for case in &cases {
        let (id, expect) = (case["id"].as_str().unwrap(), &case["expect"]);
        let (reply, failure) = read(case);
        if case["status"] == 200 {
            assert!(failure.is_none(), "{id}: {failure:?}");
        } else {
            let failure = failure.unwrap();
            assert_eq!(failure.kind.word(), expect["error"]["kind"], "{id}");
            assert_eq!(failure.status.map(u64::from), expect["error"]["effective_status"].as_u64(), "{id}");
            let after = failure.hint.unwrap().after.as_secs_f64();
            assert!((after - expect["retry_after_s"].as_f64().unwrap()).abs() < 1e-3, "{id}: {after}");
        }
        if let Some(word) = expect["raw_finish_reason"].as_str() {
            let found = reply.finish.clone().unwrap();
            assert_eq!(found.strip_prefix("promptFeedback:").unwrap_or(&found), word, "{id}");
        }
        check(id, expect, &reply);
    }
    assert!(cases.is_empty() || cases.len() == 24, "{} cases", cases.len());
}

fn check(id: &str, expect: &Value, reply: &WireReply) {
    if let Some(text) = expect["text"].as_str().or(expect["partial_text"].as_str()) {
        assert_eq!(reply.text, text, "{id}");
    }
    if let Some(reasoning) = expect["reasoning"].as_str() {
        assert_eq!(reply.reasoning.as_deref(), Some(reasoning), "{id}");
    }
    if let Some(calls) = expect["tool_calls"].as_array() {
        let read: Vec<Value> = reply
            .tool_calls
            .iter()
            .map(|call| json!({"id": "*", "name": call.name, "arguments": serde_json::from_str::<Value>(&call.arguments).unwrap()}))
            .collect();
        assert_eq!(&read, calls, "{id}");
        assert!(reply.tool_calls.iter().all(|call| call.id.is_empty()), "{id}: the wire has no ids");
    }
    let usage = &reply.usage;
    for (name, count) in [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("cached", usage.cached),
        ("reasoning", usage.reasoning),
    ] {
        if let Some(expected) = expect["usage"][name].as_u64() {
            assert_eq!(count.unwrap_or(0), expected, "{id}: {name}");
        }
    }
}

/// The canonical request of a case; what it says of signatures stands on the calls, or in blocks, as `in_blocks` says.
fn canonical(request: &Value, in_blocks: bool) -> ChatRequest {
    let tool = |tool: &Value| {
        Tool::function(tool["name"].as_str().unwrap(), "", RawJson::of(&tool["parameters"]).unwrap())
    };
    ChatRequest {
        messages: request["messages"].as_array().unwrap().iter().map(|m| message(m, in_blocks)).collect(),
        tools: request["tools"].as_array().unwrap().iter().map(tool).collect(),
        ..ChatRequest::default()
    }
}

fn message(message: &Value, in_blocks: bool) -> ChatMessage {
    let role = match message["role"].as_str().unwrap() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("{other}"),
    };
    let mut canonical = ChatMessage::new(role, message["content"].as_str().unwrap());
    canonical.tool_call_id = message["tool_call_id"].as_str().map(str::to_owned);
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        canonical.tool_calls.push(ToolCall {
            id: call["id"].as_str().unwrap().to_owned(),
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["arguments"].to_string(),
            extra: mainstay_canon::Extra::new(),
        });
    }
    for signed in message["signatures"].as_array().into_iter().flatten() {
        let index = usize::try_from(signed["tool_call"].as_u64().unwrap()).unwrap();
        let signature = RawJson::of(&signed["thought_signature"]).unwrap();
        if in_blocks {
            let mark = json!({
                "after": {"text": 0, "calls": index},
                "call": {"index": index, "name": canonical.tool_calls[index].name},
                "part": {"thoughtSignature": signature},
            });
            let provider = message["origin"]["provider"].as_str().unwrap();
            let origin = Some(Target::new(provider, "g-test"));
            let raw = RawJson::of(&mark).unwrap();
            canonical.reasoning_blocks.push(ReasoningBlock { dialect: Dialect::Gemini, origin, raw });
        } else {
            canonical.tool_calls[index].extra.insert("thoughtSignature", signature);
        }
    }
    canonical
}

#[test]
fn what_a_provider_is_sent_is_what_the_cases_say() {
    let cases = cases("request");
    for case in &cases {
        for in_blocks in [false, true] {
            let (body, _) = write(NEWEST, &canonical(&case["request"], in_blocks));
            for check in case["expect"]["outbound"].as_array().unwrap() {
                let found = body.pointer(check["path"].as_str().unwrap());
                assert_eq!(found, Some(&check["equals"]), "{}: {check}", case["id"]);
            }
        }
    }
    assert!(cases.is_empty() || cases.len() == 1, "{} cases", cases.len());
}
