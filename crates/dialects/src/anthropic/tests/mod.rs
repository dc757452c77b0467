//! Tests of the whole dialect, and what they share.

mod cases;
mod conversation;
mod corpus;
mod reply_face;
mod request_face;
mod request_upstream;
mod round_trip;
mod stream_face;
mod stream_upstream;

use std::io::Read;
use std::path::PathBuf;

use mainstay_canon::{
    Accepts, Answer, ChatRequest, ChatResponse, Cost, Failure, ReasoningReplay, Target, Verdict, WireEvent,
    WireReply, WireUsage,
};
use serde_json::Value;

use super::AnthropicMessages;
use crate::{Call, FaceContext, Outbound, Upstream};

const UPSTREAM: AnthropicMessages = AnthropicMessages::STANDARD;

/// What an Anthropic model accepts as a rule.
fn accepts() -> Accepts {
    Accepts { alternate_roles: true, reasoning_replay: ReasoningReplay::All, ..Accepts::default() }
}

/// Writes for `anthropic/claude-test`.
fn write_with(request: &ChatRequest, accepts: &Accepts) -> Result<Outbound, Failure> {
    let target = Target::new("anthropic", "claude-test");
    let call = Call { target: &target, accepts, stream: request.stream, max_tokens: request.max_tokens };
    UPSTREAM.write_request(request, &call)
}

fn write(request: &ChatRequest) -> Outbound {
    write_with(request, &accepts()).unwrap()
}

fn body(outbound: &Outbound) -> Value {
    serde_json::from_slice(&outbound.body).unwrap()
}

fn context() -> FaceContext {
    FaceContext {
        request_id: "req_7f3a".to_owned(),
        created: 0,
        include_usage: true,
        echo: mainstay_canon::Extra::new(),
    }
}

fn response(answer: Answer) -> ChatResponse {
    ChatResponse {
        answer,
        request_id: "req_7f3a".to_owned(),
        target: Target::new("anthropic", "claude-test"),
        quality: Verdict::ok(),
        cost: Cost::ZERO,
        latency_ms: 1,
        time_to_first_token_ms: None,
        attempts: Vec::new(),
        from_static_tier: false,
        continued_at: None,
    }
}

/// Everything that comes out of a stream cut in these pieces.
fn stream(pieces: &[&[u8]]) -> (Vec<WireEvent>, Option<Failure>) {
    let mut reader = UPSTREAM.read_stream();
    let mut events = Vec::new();
    for piece in pieces {
        if let Err(failure) = reader.push(piece, &mut events) {
            return (events, Some(failure));
        }
    }
    let end = reader.close(&mut events).err();
    (events, end)
}

/// A stream's events as the reply that they make. Checks the laws of a stream on the way.
fn joined(events: &[WireEvent]) -> WireReply {
    let (mut reply, mut joined) = (WireReply::default(), mainstay_canon::JoinedExtra::default());
    let mut ended = Vec::new();
    for (nth, event) in events.iter().enumerate() {
        match event {
            WireEvent::Start { id, model } => {
                reply.id.clone_from(id);
                reply.model.clone_from(model);
            }
            WireEvent::Text(text) => reply.text.push_str(text),
            WireEvent::Reasoning(text) => reply.reasoning.get_or_insert_default().push_str(text),
            WireEvent::ReasoningBlock(block) => reply.reasoning_blocks.push(block.clone()),
            WireEvent::Shown(shown) => reply.shown.push(shown.clone()),
            WireEvent::Refusal(text) => reply.refusal.get_or_insert_default().push_str(text),
            WireEvent::ToolStart { index, id, name, extra } => {
                assert_eq!(*index, reply.tool_calls.len(), "calls are numbered from 0 without gaps");
                reply.tool_calls.push(mainstay_canon::ToolCall {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: String::new(),
                    extra: extra.clone(),
                });
            }
            WireEvent::ToolArguments { index, delta } => {
                assert!(!ended.contains(index), "arguments after the end of a call");
                reply.tool_calls[*index].arguments.push_str(delta);
            }
            WireEvent::ToolEnd { index } => {
                assert!(*index < reply.tool_calls.len() && !ended.contains(index));
                ended.push(*index);
            }
            WireEvent::Extra(piece) => assert!(joined.add(piece)),
            WireEvent::KeepAlive => {}
            WireEvent::Finish { word, stop_sequence, .. } => {
                reply.finish = Some(word.clone());
                reply.stop_sequence.clone_from(stop_sequence);
            }
            WireEvent::Usage(usage) => reply.usage.merge(*usage),
            WireEvent::End => assert_eq!(nth + 1, events.len(), "the end comes last"),
        }
    }
    reply.extra = joined.extra();
    reply
}

/// One event of the wire.
fn sse(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

fn usage(prompt: u64, completion: u64) -> WireUsage {
    WireUsage { prompt: Some(prompt), completion: Some(completion), ..WireUsage::default() }
}

/// A file of the shared test data, decompressed; nothing where it is not at hand.
fn shared(file: &str) -> Option<String> {
    let root = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let Ok(bytes) = std::fs::read(root.join(file)) else {
        let demanded = std::env::var("MAINSTAY_REQUIRE_SHARED").is_ok_and(|value| value == "1");
        assert!(!demanded, "{file} is missing from the shared data");
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: this test needs the shared data ({file})\n").as_bytes(),
        );
        return None;
    };
    if bytes.first_chunk() != Some(&[0x1f, 0x8b]) {
        return Some(String::from_utf8(bytes).unwrap());
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    Some(text)
}
