//! A member's own name and the path under which we keep a member of an inner object are two things: whatever a caller
//! or a provider calls a member, it stands where it stood (behaviour 1: unknown members pass through).

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mainstay_canon::{
    Accepts, Answer, ChatResponse, Cost, Dialect, ReasoningReplay, ReplyEvent, Target, Verdict, WireEvent,
};
use mainstay_dialects::{Call, FaceContext, Inbound, Upstream, anthropic, openai_chat, openai_responses};
use serde_json::{Value, json};

/// What is sent to a provider of the caller's own dialect, with nothing said to be left out.
fn sent(face: &dyn Inbound, upstream: &dyn Upstream, body: &Value) -> (Value, Vec<(&'static str, String)>) {
    let request = face.read_request(body.to_string().as_bytes()).unwrap().request;
    let target = Target::new("acme", "m");
    let accepts =
        Accepts { developer_role: true, reasoning_replay: ReasoningReplay::All, ..Accepts::default() };
    let call =
        Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
    let outbound = upstream.write_request(&request, &call).unwrap();
    assert_eq!(outbound.notes, [] as [String; 0]);
    (serde_json::from_slice(&outbound.body).unwrap(), outbound.headers)
}

/// Each of these members of `body` arrives as it was.
fn kept(face: &dyn Inbound, upstream: &dyn Upstream, body: &Value, paths: &[&str]) {
    let (sent, _) = sent(face, upstream, body);
    for path in paths {
        assert!(body.pointer(path).is_some(), "{path} of {body}");
        assert_eq!(sent.pointer(path), body.pointer(path), "{path} of {sent}");
    }
}

#[test]
fn of_a_responses_body() {
    let body = json!({
        "model": "m", "text.format": "mine", "text.verbosity": 1, "reasoning.effort": 2, "text.": 3, "\\x": 4,
        "\\text.format": 5, "text.format.type": 6, "a.b": 7,
        "text": {"verbosity": "low", "format.type": 8, "format": {"type": "json_object", "a.b": 9, "\\a": 10}},
        "reasoning": {"effort": "low", "effort.x": 11},
        "input": [{"type": "message", "role": "user", "content": [
            {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "mp3", "x": 1, "x.y": 2},
             "input_audio.x": 3, "input_audio.format": 4},
            {"type": "input_text", "text": "hi", "input_audio.x": 5, "\\y": 6},
        ]}],
    });
    let paths = [
        "/text.format",
        "/text.verbosity",
        "/reasoning.effort",
        "/text.",
        "/\\x",
        "/\\text.format",
        "/text.format.type",
        "/a.b",
        "/text",
        "/reasoning",
        "/input/0/content",
    ];
    let upstream = openai_responses::OpenAiResponses {
        encrypted_reasoning: false,
        ..openai_responses::OpenAiResponses::STANDARD
    };
    kept(&openai_responses::INBOUND, &upstream, &body, &paths);
}

#[test]
fn of_a_chat_completions_body() {
    let body = json!({
        "model": "m", "stream": true, "stream_options.include_usage": false, "stream_options.x": 1, "\\x": 2,
        "stream_options": {"include_usage": true, "include_obfuscation": false, "x.y": 3},
        "messages": [
            {"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": "https://x/y.png", "a.b": 1}, "image_url.url": 2},
                {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}, "input_audio.data": 3},
                {"type": "file", "file": {"file_id": "f", "a": 4}, "file.a": 5, "file.file_id": 6},
                {"type": "text", "text": "hi", "file.a": 7, "\\\\x": 8},
            ]},
            {"role": "assistant", "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}", "a": 1}, "function.a": 2},
                {"id": "2", "type": "custom", "custom": {"name": "g", "input": "x", "a.b": 3}, "custom.input": 4},
            ]},
            {"role": "tool", "tool_call_id": "1", "content": "1"},
            {"role": "tool", "tool_call_id": "2", "content": "2"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "a": 1, "b.c": 2}, "function.a": 3, "function.name": 4}],
    });
    let paths = [
        "/stream_options.include_usage",
        "/stream_options.x",
        "/\\x",
        "/stream_options",
        "/messages/0/content",
        "/messages/1/tool_calls",
        "/tools",
    ];
    kept(&openai_chat::INBOUND, &openai_chat::OpenAiChat::STANDARD, &body, &paths);
}

#[test]
fn of_a_messages_body() {
    let body = json!({
        "model": "m", "max_tokens": 9, "anthropic-beta": "body", "\\anthropic-beta": 1, "a.b": 2, "\\": 3,
        "messages": [{"role": "user", "content": [
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png", "a": 1, "b.c": 2},
             "source.a": 3, "source.url": 4, "\\source.a": 5},
            {"type": "text", "text": "hi", "source.a": 6, "\\x": 7},
            {"type": "document", "source": {"type": "file", "file_id": "f"}, "source.type": 8},
        ]}],
        "tools": [{"name": "f", "input_schema": {"type": "object"}, "a.b": 1, "\\x": 2}],
    });
    let upstream = &anthropic::AnthropicMessages::STANDARD;
    let paths = ["/anthropic-beta", "/\\anthropic-beta", "/a.b", "/\\", "/messages/0/content", "/tools/0"];
    kept(&anthropic::Face, upstream, &body, &paths);
    let (_, headers) = sent(&anthropic::Face, upstream, &body);
    assert!(headers.iter().all(|(name, _)| *name != "anthropic-beta"), "{headers:?}");
}

fn context() -> FaceContext {
    FaceContext {
        request_id: "req_1".to_owned(),
        created: 1,
        include_usage: false,
        echo: mainstay_canon::Extra::new(),
    }
}

#[test]
fn of_a_chat_completion() {
    let body = json!({
        "id": "x", "choices[0].logprobs": 1, "choices[0].message.content": 2, "\\x": 3, "a.b": 4,
        "choices": [{"index": 0, "finish_reason": "stop", "message.content": 5, "message.x": 6, "n": 7,
            "message": {"role": "assistant", "content": "hi", "x.y": 8, "\\z": 9,
                "tool_calls": [{"id": "1", "type": "function", "function.name": 10,
                    "function": {"name": "f", "arguments": "{}", "a.b": 11}}]}}],
    });
    let reply = openai_chat::OpenAiChat::STANDARD.read_reply(body.to_string().as_bytes()).unwrap();
    let answer = Answer {
        text: reply.text,
        tool_calls: reply.tool_calls,
        extra: reply.extra,
        dialect: Some(Dialect::OpenaiChat),
        ..Answer::default()
    };
    let response = ChatResponse {
        answer,
        request_id: "req_1".to_owned(),
        target: Target::new("acme", "m"),
        quality: Verdict::ok(),
        cost: Cost::Unknown,
        latency_ms: 1,
        time_to_first_token_ms: None,
        attempts: Vec::new(),
        from_static_tier: false,
        continued_at: None,
    };
    let told = openai_chat::INBOUND.write_reply(&response, &context());
    let told: Value = serde_json::from_slice(&told).unwrap();
    for path in [
        "/choices[0].logprobs",
        "/choices[0].message.content",
        "/\\x",
        "/a.b",
        "/choices/0/message.content",
        "/choices/0/message.x",
        "/choices/0/n",
        "/choices/0/message/x.y",
        "/choices/0/message/\\z",
        "/choices/0/message/tool_calls",
        "/choices/0/message/content",
    ] {
        assert_eq!(told.pointer(path), body.pointer(path), "{path} of {told}");
    }
}

#[test]
fn of_a_streamed_chat_completion() {
    let chunk = json!({"choices[0].logprobs": 1, "a.b": 2,
        "choices": [{"index": 0, "message.x": [3], "delta": {"content": "hi", "x.y": [4]}}]});
    let mut reader = openai_chat::OpenAiChat::STANDARD.read_stream();
    let mut events = Vec::new();
    reader.push(format!("data: {chunk}\n\n").as_bytes(), &mut events).unwrap();
    let mut writer = openai_chat::INBOUND.write_stream(&context());
    let mut wire = Vec::new();
    for event in events {
        match event {
            WireEvent::Extra(piece) => writer.event(&ReplyEvent::Extra(piece), &mut wire),
            WireEvent::Text(text) => writer.event(&ReplyEvent::Text(text), &mut wire),
            _ => {}
        }
    }
    writer.event(&ReplyEvent::Text("!".to_owned()), &mut wire);
    let wire = String::from_utf8(wire).unwrap();
    let chunks: Vec<Value> =
        wire.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    for path in ["/choices[0].logprobs", "/a.b", "/choices/0/message.x", "/choices/0/delta/x.y"] {
        let told = chunks.iter().find_map(|told| told.pointer(path));
        assert_eq!(told, chunk.pointer(path), "{path} of {wire}");
    }
}
