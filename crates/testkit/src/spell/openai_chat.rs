//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::Events;
use crate::said::Said;
use crate::wire::data;

fn usage(said: &Said) -> Value {
    let completion = said.completion();
    json!({"prompt_tokens": said.prompt_tokens, "completion_tokens": completion,
           "total_tokens": said.prompt_tokens + completion})
}

pub(super) fn body(said: &Said, model: &str) -> Value {
    let content = if said.text.is_empty() && !said.calls.is_empty() { None } else { Some(&said.text) };
    let mut message = json!({"role": "assistant", "content": content, "refusal": said.refusal});
    if let Some(fields) = message.as_object_mut() {
        if let Some(reasoning) = &said.reasoning {
            fields.insert("reasoning_content".into(), json!(reasoning));
        }
        if !said.calls.is_empty() {
            let call = |call: &crate::SaidCall| {
                json!({"id": call.id, "type": "function",
                       "function": {"name": call.name, "arguments": call.arguments}})
            };
            fields.insert("tool_calls".into(), said.calls.iter().map(call).collect());
        }
    }
    json!({"id": "chatcmpl-fake", "object": "chat.completion", "created": 1_780_000_000, "model": model,
           "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": said.finish}],
           "usage": usage(said)})
}

pub(super) fn events(said: &Said, model: &str) -> Events {
    let chunk = |delta: Value, finish: &Option<String>| {
        data(&json!({"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1_780_000_000,
            "model": model, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
    };
    let mut content = Vec::new();
    let texts = [
        ("reasoning_content", said.reasoning.as_deref().unwrap_or_default()),
        ("content", said.text.as_str()),
        ("refusal", said.refusal.as_deref().unwrap_or_default()),
    ];
    for (field, text) in texts {
        content.extend(said.pieces(text).iter().map(|piece| chunk(json!({field: piece}), &None)));
    }
    for (index, call) in said.calls.iter().enumerate() {
        let head = json!({"index": index, "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": ""}});
        content.push(chunk(json!({"tool_calls": [head]}), &None));
        for piece in said.pieces(&call.arguments) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            content.push(chunk(json!({"tool_calls": [more]}), &None));
        }
    }
    let counts = data(&json!({"id": "chatcmpl-fake", "object": "chat.completion.chunk",
        "created": 1_780_000_000, "model": model, "choices": [], "usage": usage(said)}));
    Events {
        opening: vec![chunk(json!({"role": "assistant", "content": ""}), &None)],
        content,
        ending: vec![chunk(json!({}), &said.finish), counts, "data: [DONE]\n\n".into()],
    }
}
