//! Google Gemini `generateContent`; streamed with `alt=sse`, which has neither event names nor a terminator.

use serde_json::{Value, json};

use super::Events;
use crate::said::Said;
use crate::wire::data;

/// The signature of every thought, on the part that follows it.
const SIGNATURE: &str = "dGhvdWdodA==";

fn finish(said: &Said) -> Option<&str> {
    said.finish.as_deref().map(|word| match word {
        // Calls of tools have no word of their own.
        "stop" | "tool_calls" => "STOP",
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        other => other,
    })
}

fn usage(said: &Said) -> Value {
    let (all, thought) = (said.completion(), said.thought());
    let mut usage = json!({"promptTokenCount": said.prompt_tokens,
        "candidatesTokenCount": all.saturating_sub(thought), "totalTokenCount": said.prompt_tokens + all});
    if let Some(fields) = usage.as_object_mut().filter(|_| thought > 0) {
        fields.insert("thoughtsTokenCount".into(), json!(thought));
    }
    usage
}

fn calls(said: &Said) -> Vec<Value> {
    let mut parts = Vec::new();
    for (place, call) in said.calls.iter().enumerate() {
        let args: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let mut part = json!({"functionCall": {"id": call.id, "name": call.name, "args": args}});
        // Parallel calls are signed on the first only.
        if let Some(fields) = part.as_object_mut().filter(|_| place == 0 && said.reasoning.is_some()) {
            fields.insert("thoughtSignature".into(), json!(SIGNATURE));
        }
        parts.push(part);
    }
    parts
}

fn reply(said: &Said, model: &str, parts: &[Value], finish: Option<&str>) -> Value {
    let mut candidate = json!({"index": 0});
    if let Some(fields) = candidate.as_object_mut() {
        if !parts.is_empty() {
            fields.insert("content".into(), json!({"role": "model", "parts": parts}));
        }
        if let Some(word) = finish {
            fields.insert("finishReason".into(), json!(word));
        }
    }
    json!({"candidates": [candidate], "usageMetadata": usage(said), "modelVersion": model,
           "responseId": "resp_fake"})
}

pub(super) fn body(said: &Said, model: &str) -> Value {
    let mut parts = Vec::new();
    if let Some(reasoning) = &said.reasoning {
        parts.push(json!({"text": reasoning, "thought": true}));
    }
    let text = said.visible();
    if !text.is_empty() {
        parts.push(json!({ "text": text }));
    }
    parts.extend(calls(said));
    reply(said, model, &parts, finish(said))
}

pub(super) fn events(said: &Said, model: &str) -> Events {
    let chunk = |part: Value| data(&reply(said, model, &[part], None));
    let mut content = Vec::new();
    for piece in said.pieces(said.reasoning.as_deref().unwrap_or_default()) {
        content.push(chunk(json!({"text": piece, "thought": true})));
    }
    for piece in said.pieces(said.visible()) {
        content.push(chunk(json!({ "text": piece })));
    }
    content.extend(calls(said).into_iter().map(chunk));
    // Nothing comes before the content, and the last reply is the only end there is.
    Events { opening: Vec::new(), content, ending: vec![data(&reply(said, model, &[], finish(said)))] }
}
