//! Ollama's own `/api/chat`; streamed as lines of JSON.

use serde_json::{Value, json};

use super::Events;
use crate::said::Said;
use crate::wire::line;

fn finish(said: &Said) -> Option<&str> {
    said.finish.as_deref().map(|word| match word {
        // It has neither a word for calls nor a filter.
        "tool_calls" | "content_filter" => "stop",
        other => other,
    })
}

fn calls(said: &Said) -> Vec<Value> {
    let call = |(index, call): (usize, &crate::SaidCall)| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        json!({"id": call.id, "function": {"index": index, "name": call.name, "arguments": arguments}})
    };
    said.calls.iter().enumerate().map(call).collect()
}

fn reply(model: &str, message: &Value, end: Option<&Said>) -> Value {
    let mut reply = json!({"model": model, "created_at": "2026-11-01T12:00:00.5Z", "message": message,
        "done": end.is_some_and(|said| said.finish.is_some())});
    if let (Some(said), Some(fields)) = (end, reply.as_object_mut()) {
        if let Some(word) = finish(said) {
            fields.insert("done_reason".into(), json!(word));
        }
        fields.insert("total_duration".into(), json!(1_000_000));
        fields.insert("prompt_eval_count".into(), json!(said.prompt_tokens));
        fields.insert("eval_count".into(), json!(said.completion()));
    }
    reply
}

pub(super) fn body(said: &Said, model: &str) -> Value {
    let mut message = json!({"role": "assistant", "content": said.visible()});
    if let Some(fields) = message.as_object_mut() {
        if let Some(reasoning) = &said.reasoning {
            fields.insert("thinking".into(), json!(reasoning));
        }
        if !said.calls.is_empty() {
            fields.insert("tool_calls".into(), json!(calls(said)));
        }
    }
    reply(model, &message, Some(said))
}

pub(super) fn events(said: &Said, model: &str) -> Events {
    let chunk = |message: Value| line(&reply(model, &message, None));
    let mut content = Vec::new();
    for piece in said.pieces(said.reasoning.as_deref().unwrap_or_default()) {
        content.push(chunk(json!({"role": "assistant", "content": "", "thinking": piece})));
    }
    for piece in said.pieces(said.visible()) {
        content.push(chunk(json!({"role": "assistant", "content": piece})));
    }
    for call in calls(said) {
        content.push(chunk(json!({"role": "assistant", "content": "", "tool_calls": [call]})));
    }
    let end = reply(model, &json!({"role": "assistant", "content": ""}), Some(said));
    Events { opening: Vec::new(), content, ending: vec![line(&end)] }
}
