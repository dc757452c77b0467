//! Streams to callers.

use mainstay_canon::{Dialect, FinishReason, RawJson, ReasoningBlock, ReplyEvent, Usage};
use serde_json::json;

use super::*;
use crate::anthropic::Face;
use crate::{Ending, Inbound, Problem, ProblemKind, StreamWriter};

pub(super) fn ending(reason: FinishReason) -> Ending {
    Ending {
        reason,
        raw: None,
        stop_sequence: None,
        context_full: false,
        usage: Usage::default(),
        mark: None,
        comment: None,
    }
}

fn begin() -> ReplyEvent {
    ReplyEvent::Start { id: Some("x".into()), model: Some("gpt-6-luna".into()) }
}

fn block(value: &Value) -> ReplyEvent {
    let raw = RawJson::of(value).unwrap();
    ReplyEvent::ReasoningBlock(ReasoningBlock { dialect: Dialect::Anthropic, origin: None, raw })
}

fn written(events: &[ReplyEvent], finish: impl FnOnce(&mut dyn StreamWriter, &mut Vec<u8>)) -> String {
    let mut writer = Face.write_stream(&context());
    let mut out = Vec::new();
    for event in events {
        writer.event(event, &mut out);
    }
    finish(writer.as_mut(), &mut out);
    String::from_utf8(out).unwrap()
}

fn finished(events: &[ReplyEvent], reason: FinishReason) -> Vec<Value> {
    parsed(&written(events, |writer, out| writer.finish(&ending(reason), out)))
}

/// The data of each event. Checks that each has the name that its type says.
fn parsed(wire: &str) -> Vec<Value> {
    wire.split_terminator("\n\n")
        .filter(|event| !event.starts_with(':'))
        .map(|event| {
            let (name, data) = event.split_once('\n').unwrap();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
            data
        })
        .collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// The message that an SDK accumulates, by the rules of the SDKs: the start first, blocks appended in order,
/// deltas by index, counts replaced.
fn accumulated(events: &[Value]) -> Value {
    let mut message = Value::Null;
    let mut json: Vec<String> = Vec::new();
    for event in events {
        let index = usize::try_from(event["index"].as_u64().unwrap_or(0)).unwrap();
        if event["type"] == "message_start" {
            assert!(message.is_null(), "one start");
            message = event["message"].clone();
            continue;
        }
        assert!(!message.is_null(), "the start comes first");
        match event["type"].as_str().unwrap() {
            "content_block_start" => {
                let content = message["content"].as_array_mut().unwrap();
                assert_eq!(content.len(), index, "indexes rise by one");
                content.push(event["content_block"].clone());
                json.push(String::new());
            }
            "content_block_delta" => {
                let (delta, block) = (&event["delta"], &mut message["content"][index]);
                for (name, member) in [("text", "text"), ("thinking", "thinking")] {
                    if let Some(piece) = delta[name].as_str() {
                        block[member] = json!(block[member].as_str().unwrap().to_owned() + piece);
                    }
                }
                if let Some(signature) = delta["signature"].as_str() {
                    block["signature"] = json!(signature);
                }
                json[index].push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            "content_block_stop" => {
                if !json[index].is_empty() {
                    message["content"][index]["input"] = serde_json::from_str(&json[index]).unwrap();
                }
            }
            "message_delta" => {
                for (name, value) in event["delta"].as_object().unwrap() {
                    message[name] = value.clone();
                }
                message["usage"] = event["usage"].clone();
            }
            "message_stop" | "ping" => {}
            other => panic!("{other}"),
        }
    }
    message
}

#[test]
fn events_come_in_the_order_that_clients_demand() {
    let events = finished(
        &[
            begin(),
            ReplyEvent::Reasoning("H".into()),
            ReplyEvent::Reasoning("m".into()),
            block(&json!({"type": "thinking", "thinking": "Hm", "signature": "s"})),
            ReplyEvent::Text("I'll ".into()),
            ReplyEvent::Text("look".into()),
            ReplyEvent::ToolStart {
                index: 0,
                id: "t".into(),
                name: "f".into(),
                extra: mainstay_canon::Extra::new(),
            },
            ReplyEvent::ToolArguments { index: 0, delta: "{\"a\"".into() },
            ReplyEvent::ToolArguments { index: 0, delta: ":1}".into() },
            ReplyEvent::ToolEnd { index: 0 },
        ],
        FinishReason::ToolCall,
    );
    let block = ["content_block_start", "content_block_delta", "content_block_delta"];
    let mut expected = vec!["message_start"];
    expected.extend(block);
    expected.extend(["content_block_delta", "content_block_stop"]);
    expected.extend(block);
    expected.push("content_block_stop");
    expected.extend(block);
    expected.extend(["content_block_stop", "message_delta", "message_stop"]);
    assert_eq!(types(&events), expected);
    assert_eq!(events[0]["message"]["model"], "gpt-6-luna");
    assert_eq!(events[0]["message"]["id"], "msg_7f3a");
    assert!(events[0]["message"]["usage"]["input_tokens"].is_u64());
    assert_eq!(
        accumulated(&events)["content"],
        json!([
            {"type": "thinking", "thinking": "Hm", "signature": "s"},
            {"type": "text", "text": "I'll look"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}
        ])
    );
}

#[test]
fn an_answer_of_nothing_is_still_a_message() {
    let events = finished(&[], FinishReason::Stop);
    assert_eq!(types(&events), ["message_start", "message_delta", "message_stop"]);
    assert_eq!(accumulated(&events)["stop_reason"], "end_turn");
}

#[test]
fn the_counts_at_the_end_are_whole() {
    let wire = written(&[begin(), ReplyEvent::Text("a".into())], |writer, out| {
        let usage = Usage { prompt: 100, completion: 15, cached: 20, ..Usage::default() };
        writer.finish(&Ending { usage, ..ending(FinishReason::Stop) }, out);
    });
    let message = accumulated(&parsed(&wire));
    assert_eq!(
        (
            &message["usage"]["input_tokens"],
            &message["usage"]["cache_read_input_tokens"],
            &message["usage"]["output_tokens"]
        ),
        (&json!(80), &json!(20), &json!(15))
    );
}

#[test]
fn withheld_thinking_still_shows_its_signature() {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": "s"});
    let redacted = json!({"type": "redacted_thinking", "data": "x"});
    let events = finished(
        &[begin(), block(&thinking), block(&redacted), ReplyEvent::Text("a".into())],
        FinishReason::Stop,
    );
    assert_eq!(accumulated(&events)["content"], json!([thinking, redacted, {"type": "text", "text": "a"}]));
}

#[test]
fn server_tools_reach_the_caller_whole() {
    let used = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}});
    let result = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "r"}]});
    let events =
        finished(&[begin(), block(&used), block(&result), ReplyEvent::Text("a".into())], FinishReason::Stop);
    assert_eq!(events[1]["content_block"]["input"], json!({}));
    assert_eq!(accumulated(&events)["content"], json!([used, result, {"type": "text", "text": "a"}]));
}

#[test]
fn another_dialects_blocks_are_not_shown() {
    let raw = RawJson::parse(r#"{"type":"reasoning"}"#).unwrap();
    let foreign = ReasoningBlock { dialect: Dialect::OpenaiResponses, origin: None, raw };
    let events = finished(
        &[
            begin(),
            ReplyEvent::Reasoning("Hm".into()),
            ReplyEvent::ReasoningBlock(foreign),
            ReplyEvent::Text("a".into()),
        ],
        FinishReason::Stop,
    );
    assert_eq!(
        accumulated(&events)["content"],
        json!([{"type": "thinking", "thinking": "Hm", "signature": ""}, {"type": "text", "text": "a"}])
    );
}

#[test]
fn calls_that_overlap_keep_apart() {
    let start = |index, id: &str| ReplyEvent::ToolStart {
        index,
        id: id.into(),
        name: "f".into(),
        extra: mainstay_canon::Extra::new(),
    };
    let piece = |index, delta: &str| ReplyEvent::ToolArguments { index, delta: delta.into() };
    let events = finished(
        &[begin(), start(0, "a"), start(1, "b"), piece(1, "{\"n\":"), piece(0, "{}"), piece(1, "2}")],
        FinishReason::Stop,
    );
    let message = accumulated(&events);
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(
        message["content"],
        json!([
            {"type": "tool_use", "id": "a", "name": "f", "input": {}},
            {"type": "tool_use", "id": "b", "name": "f", "input": {"n": 2}}
        ])
    );
}

#[test]
fn a_refusal_is_text_and_ends_as_one() {
    let events = finished(&[begin(), ReplyEvent::Refusal("No.".into())], FinishReason::Stop);
    let message = accumulated(&events);
    assert_eq!(message["content"], json!([{"type": "text", "text": "No."}]));
    assert_eq!(
        (&message["stop_reason"], &message["stop_details"]["explanation"]),
        (&json!("refusal"), &json!("No."))
    );
}

#[test]
fn the_mark_and_the_comment_come_before_the_terminator() {
    let wire = written(&[begin()], |writer, out| {
        let end = Ending {
            mark: Some(RawJson::parse(r#"{"continued_at":4}"#).unwrap()),
            comment: Some(RawJson::parse("{\"request_id\":\n\"req_7f3a\"}").unwrap()),
            ..ending(FinishReason::Stop)
        };
        writer.finish(&end, out);
    });
    let tail = ": mainstay {\"request_id\": \"req_7f3a\"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    assert!(wire.ends_with(tail), "{wire}");
    let events = parsed(&wire);
    assert_eq!(events[1]["mainstay"], json!({"continued_at": 4}));
}

#[test]
fn a_problem_ends_the_stream_without_a_terminator() {
    let problem = Problem {
        kind: ProblemKind::AllProvidersFailed,
        status: 503,
        message: "nobody answered".into(),
        param: None,
        code: None,
        request_id: "req_7f3a".into(),
    };
    let wire = written(&[begin(), ReplyEvent::Text("Half".into())], |writer, out| {
        writer.problem(&problem, out);
        writer.finish(&ending(FinishReason::Stop), out);
        writer.event(&ReplyEvent::Text("late".into()), out);
        writer.keep_alive(out);
    });
    let events = parsed(&wire);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["error"]["type"]), (&json!("error"), &json!("overloaded_error")));
    assert!(!wire.contains("message_stop") && !wire.contains("message_delta") && !wire.contains("late"));
}

#[test]
fn a_ping_may_come_before_everything() {
    let mut writer = Face.write_stream(&context());
    let mut out = Vec::new();
    writer.keep_alive(&mut out);
    assert_eq!(out, b"event: ping\ndata: {\"type\":\"ping\"}\n\n");
}

#[test]
fn a_stop_text_is_named() {
    let wire = written(&[begin()], |writer, out| {
        writer.finish(&Ending { stop_sequence: Some("END".into()), ..ending(FinishReason::Stop) }, out);
    });
    let message = accumulated(&parsed(&wire));
    assert_eq!(
        (&message["stop_reason"], &message["stop_sequence"]),
        (&json!("stop_sequence"), &json!("END"))
    );
}
