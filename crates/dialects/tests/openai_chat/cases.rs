//! Cases from the field, as far as the dialect alone decides.

use std::time::Duration;

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, ContentPart, Dialect, Extra, Failure, Kind, MaxTokensParam, RawJson,
    ReasoningBlock, ReasoningReplay, Role, Target, Tool, ToolCall, WireReply,
};
use mainstay_dialects::openai_chat::{OpenAiChat, ReasoningStyle};
use mainstay_dialects::{Call, Upstream};
use serde_json::{Value, json};

use crate::shared::{assemble, lines, stream};

fn cases(phase: &str) -> Vec<Value> {
    let mut cases = lines("cases/bug-cases.jsonl");
    cases.retain(|case| case["dialect"] == "openai" && case["phase"] == phase);
    cases
}

#[test]
fn replies_from_the_field_are_read_rightly() {
    let cases = cases("response");
    for case in &cases {
        let problems = check(case);
        assert!(problems.is_empty(), "{}: {problems:#?}", case["id"]);
    }
    assert!(cases.is_empty() || cases.len() > 70, "{} cases", cases.len());
}

/// The pieces in which a case delivers its body.
fn pieces(case: &Value) -> Vec<Vec<u8>> {
    let decode = |value: &Value| base64(value.as_str().unwrap());
    match (case.get("body"), case.get("body_b64"), case.get("chunks_b64")) {
        (Some(body), _, _) => vec![body.as_str().unwrap().as_bytes().to_vec()],
        (None, Some(body), _) => vec![decode(body)],
        (None, None, chunks) => chunks.unwrap().as_array().unwrap().iter().map(decode).collect(),
    }
}

fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut out) = (0u32, 0u32, Vec::new());
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = LETTERS.iter().position(|known| *known == letter).unwrap();
        bits = (bits << 6) | u32::try_from(value).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from((bits >> held) & 0xff).unwrap());
        }
    }
    out
}

/// What a case reads as: the reply as far as it came, and the failure that ended it.
fn read(case: &Value) -> (WireReply, Option<Failure>) {
    let pieces = pieces(case);
    let whole = pieces.concat();
    let status = u16::try_from(case["status"].as_u64().unwrap()).unwrap();
    if status >= 400 {
        return (WireReply::default(), Some(OpenAiChat::STANDARD.read_error(status, &whole)));
    }
    if case["stream"] == json!(true) {
        let given = stream(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for cut in 0..=whole.len() {
            let (a, b) = whole.split_at(cut);
            assert_eq!(stream(&[a, b]), given, "{}: cut at byte {cut}", case["id"]);
        }
        let failure = given.failure.map(|(kind, status, message)| {
            let failure = Failure::new(kind, message);
            status.map_or(failure.clone(), |status| failure.status(status))
        });
        return (assemble(&given.events), failure);
    }
    match OpenAiChat::STANDARD.read_reply(&whole) {
        Ok(reply) => (reply, None),
        Err(failure) => (WireReply::default(), Some(failure)),
    }
}

fn check(case: &Value) -> Vec<String> {
    let (reply, failure) = read(case);
    let expect = &case["expect"];
    let mut problems = Vec::new();
    let failure_is_ours = failure.is_some();
    check_error(expect, failure.as_ref(), &mut problems);
    let mut same = |what: &str, found: Value, wanted: &Value| {
        if !wanted.is_null() && found != *wanted {
            problems.push(format!("{what}: found {found}, expected {wanted}"));
        }
    };
    same("text", json!(reply.text), &expect["text"]);
    same("partial text", json!(reply.text), &expect["partial_text"]);
    same("reasoning", json!(reply.reasoning), &expect["reasoning"]);
    same("refusal", json!(reply.refusal), &expect["refusal_text"]);
    same("raw finish", json!(reply.finish), &expect["raw_finish_reason"]);
    if expect["reasoning_details_preserved"] == json!(true) {
        let wire: Value = serde_json::from_slice(&pieces(case).concat()).unwrap();
        let details = &wire["choices"][0]["message"]["reasoning_details"];
        let blocks: Vec<Value> =
            reply.reasoning_blocks.iter().map(|block| block.raw.read().unwrap()).collect();
        same("reasoning details", json!(blocks), details);
    }
    if let Some(wanted) = expect["tool_calls"].as_array() {
        let calls: Vec<Value> =
            reply.tool_calls.iter().zip(wanted).map(|(call, wanted)| canonical(call, wanted)).collect();
        same("tool calls", json!(calls), &expect["tool_calls"]);
        same("number of calls", json!(reply.tool_calls.len()), &json!(wanted.len()));
    }
    if !failure_is_ours {
        check_usage(&reply, &expect["usage"], &mut same);
    }
    problems
}

/// A call as the cases spell it: arguments parsed, an id that the wire lacks as `*`.
fn canonical(call: &ToolCall, wanted: &Value) -> Value {
    let id = if call.id.is_empty() { "*" } else { &call.id };
    let arguments = if call.arguments.is_empty() { "{}" } else { &call.arguments };
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
    let mut found = json!({"id": id, "name": call.name, "arguments": arguments});
    found.as_object_mut().unwrap().retain(|name, _| wanted.get(name).is_some());
    found
}

/// Counts that the wire leaves out are filled in above this layer; only those it has are compared.
fn check_usage(reply: &WireReply, expected: &Value, same: &mut impl FnMut(&str, Value, &Value)) {
    let usage = &reply.usage;
    for (name, count) in [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("cached", usage.cached),
        ("reasoning", usage.reasoning),
    ] {
        match expected.get(name) {
            Some(Value::Number(wanted)) if wanted.as_u64() == Some(0) && count.is_none() => {}
            Some(wanted) => same(name, json!(count), wanted),
            None => {}
        }
    }
}

/// Errors that arise above the dialect: a finish word is given its meaning by the normalizer.
const ABOVE: [&str; 1] = ["unknown_finish_reason"];

fn check_error(expect: &Value, failure: Option<&Failure>, problems: &mut Vec<String>) {
    let error = &expect["error"];
    let kinds: Vec<&str> = match (error["kind"].as_str(), error["kind_any"].as_array()) {
        (Some(kind), _) => vec![kind],
        (None, Some(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        (None, None) => Vec::new(),
    };
    let either = expect.get("outcome_any").is_some() || kinds.iter().any(|kind| ABOVE.contains(kind));
    match failure {
        None if kinds.is_empty() || either => {}
        None => problems.push(format!("no failure, expected {kinds:?}")),
        Some(failure) => {
            if !kinds.contains(&failure.kind.word()) {
                problems.push(format!("{failure}, expected {kinds:?}"));
            }
            let status = error["effective_status"].as_u64();
            if status.is_some() && status != failure.status.map(u64::from) {
                problems.push(format!("{failure}, expected status {status:?}"));
            }
            // Only waits that the body states are ours; headers are read by whoever has a clock.
            if let Some(hint) = failure.hint {
                let wanted = expect["retry_after_s"].as_f64().map(Duration::from_secs_f64);
                if wanted.is_none_or(|wanted| wanted.abs_diff(hint.after) > Duration::from_millis(1)) {
                    problems.push(format!("hint {hint:?}, expected {wanted:?}"));
                }
            }
        }
    }
}

#[test]
fn waits_hidden_in_prose_are_found() {
    for (id, seconds) in [("bug-retry-after-12", 60.363_142_857), ("bug-retry-after-13", 360.0)] {
        for case in cases("response").iter().filter(|case| case["id"] == id) {
            let hint = read(case).1.unwrap().hint.unwrap();
            assert!((hint.after.as_secs_f64() - seconds).abs() < 1e-6, "{id}");
        }
    }
}

#[test]
fn requests_from_the_field_are_written_rightly() {
    let cases = cases("request");
    for case in &cases {
        let (body, notes) = write(case);
        for check in case["expect"]["outbound"].as_array().unwrap() {
            let path = check["path"].as_str().unwrap();
            let found = body.pointer(path);
            if check["absent"] == json!(true) {
                assert_eq!(found, None, "{} {path}", case["id"]);
            } else {
                assert_eq!(found, Some(&check["equals"]), "{} {path}", case["id"]);
            }
        }
        if let Some(record) = case["expect"]["must_record"].as_str() {
            assert!(notes.iter().any(|note| note == record), "{} {notes:?}", case["id"]);
        }
    }
    assert!(cases.is_empty() || cases.len() >= 5, "{} cases", cases.len());
}

fn write(case: &Value) -> (Value, Vec<String>) {
    let asked = &case["request"];
    let provider = case["provider"].as_str().unwrap_or("openai");
    let target = Target::new(provider, asked["model"].as_str().unwrap());
    let style = match provider {
        "openrouter" => OpenAiChat { reasoning: ReasoningStyle::Details, ..OpenAiChat::STANDARD },
        _ => OpenAiChat::STANDARD,
    };
    let accepts = accepts(&asked["profile"]);
    let request = request(asked, &target);
    let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: request.max_tokens };
    let outbound = style.write_request(&request, &call).unwrap();
    (serde_json::from_slice(&outbound.body).unwrap(), outbound.notes)
}

fn accepts(profile: &Value) -> Accepts {
    Accepts {
        reasoning_replay: match profile["reasoning_replay"].as_str() {
            Some("tool_loop") => ReasoningReplay::ToolLoop,
            Some("never") => ReasoningReplay::Never,
            // Where the profile says nothing the provider's own table does; OpenRouter wants all of it.
            Some(_) | None => ReasoningReplay::All,
        },
        max_tokens_param: match profile["max_tokens_param"].as_str() {
            Some("max_completion_tokens") => MaxTokensParam::MaxCompletionTokens,
            Some(_) | None => MaxTokensParam::MaxTokens,
        },
        sampling: profile["temperature"] != json!("fixed"),
        ..Accepts::default()
    }
}

fn request(asked: &Value, target: &Target) -> ChatRequest {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let tools = asked["tools"].as_array().into_iter().flatten();
    ChatRequest {
        messages: asked["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| self::message(message, target))
            .collect(),
        temperature: asked["temperature"].as_f64(),
        max_tokens: asked["max_tokens"].as_u64().map(|tokens| u32::try_from(tokens).unwrap()),
        tools: tools
            .map(|tool| Tool {
                name: text(&tool["name"]).unwrap(),
                description: None,
                parameters: RawJson::of(&tool["parameters"]).ok(),
                strict: None,
                extra: Extra::new(),
                native: None,
            })
            .collect(),
        ..ChatRequest::default()
    }
}

fn message(asked: &Value, target: &Target) -> ChatMessage {
    let text = |name: &str| asked[name].as_str().map(str::to_owned);
    let role = match asked["role"].as_str().unwrap() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("{other}"),
    };
    let calls = asked["tool_calls"].as_array().into_iter().flatten();
    let details = asked["reasoning_details"].as_array().into_iter().flatten();
    ChatMessage {
        content: text("content").into_iter().map(ContentPart::text).collect(),
        tool_calls: calls
            .map(|call| ToolCall {
                id: call["id"].as_str().unwrap().to_owned(),
                name: call["name"].as_str().unwrap().to_owned(),
                arguments: call["arguments"].to_string(),
                extra: Extra::new(),
            })
            .collect(),
        tool_call_id: text("tool_call_id"),
        reasoning_content: text("reasoning"),
        reasoning_blocks: details
            .map(|detail| ReasoningBlock {
                dialect: Dialect::OpenaiChat,
                origin: Some(target.clone()),
                raw: RawJson::of(detail).unwrap(),
            })
            .collect(),
        ..ChatMessage::empty(role)
    }
}

#[test]
fn an_unreadable_page_is_never_an_answer() {
    let failure = OpenAiChat::STANDARD.read_reply(b"<!DOCTYPE html><html>").unwrap_err();
    assert_eq!(failure.kind, Kind::InvalidResponse);
}
