//! Anthropic Messages.

use serde_json::{Value, json};

use super::Events;
use crate::said::Said;
use crate::wire::named;

fn finish(said: &Said) -> Option<&str> {
    said.finish.as_deref().map(|word| match word {
        "stop" => "end_turn",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        "content_filter" => "refusal",
        other => other,
    })
}

/// One content block: as a whole, as it begins in a stream, and the pieces in which it comes.
struct Block {
    whole: Value,
    start: Value,
    deltas: Vec<Value>,
}

fn blocks(said: &Said) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(reasoning) = &said.reasoning {
        let signature = "c2lnbmF0dXJl";
        let piece = |piece: &String| json!({"type": "thinking_delta", "thinking": piece});
        let mut deltas: Vec<Value> = said.pieces(reasoning).iter().map(piece).collect();
        deltas.push(json!({"type": "signature_delta", "signature": signature}));
        blocks.push(Block {
            whole: json!({"type": "thinking", "thinking": reasoning, "signature": signature}),
            start: json!({"type": "thinking", "thinking": "", "signature": ""}),
            deltas,
        });
    }
    let text = said.visible();
    if !text.is_empty() {
        let piece = |piece: &String| json!({"type": "text_delta", "text": piece});
        blocks.push(Block {
            whole: json!({"type": "text", "text": text}),
            start: json!({"type": "text", "text": ""}),
            deltas: said.pieces(text).iter().map(piece).collect(),
        });
    }
    for call in &said.calls {
        let input: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let piece = |piece: &String| json!({"type": "input_json_delta", "partial_json": piece});
        blocks.push(Block {
            deltas: said.pieces(&call.arguments).iter().map(piece).collect(),
            whole: json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}),
            start: json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
        });
    }
    blocks
}

pub(super) fn body(said: &Said, model: &str) -> Value {
    let content: Vec<Value> = blocks(said).into_iter().map(|block| block.whole).collect();
    json!({"id": "msg_fake", "type": "message", "role": "assistant", "model": model, "content": content,
           "stop_reason": finish(said), "stop_sequence": null,
           "usage": {"input_tokens": said.prompt_tokens, "output_tokens": said.completion()}})
}

pub(super) fn events(said: &Said, model: &str) -> Events {
    let opening = vec![named(&json!({"type": "message_start", "message": {"id": "msg_fake",
        "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": {"input_tokens": said.prompt_tokens, "output_tokens": 1}}}))];
    let mut content = Vec::new();
    for (index, block) in blocks(said).into_iter().enumerate() {
        content.push(named(
            &json!({"type": "content_block_start", "index": index, "content_block": block.start}),
        ));
        for delta in block.deltas {
            content.push(named(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        content.push(named(&json!({"type": "content_block_stop", "index": index})));
    }
    // The last block's stop is the first thing after the content.
    let mut ending: Vec<String> = content.pop().into_iter().collect();
    ending.push(named(&json!({"type": "message_delta",
        "delta": {"stop_reason": finish(said), "stop_sequence": null},
        "usage": {"output_tokens": said.completion()}})));
    ending.push(named(&json!({"type": "message_stop"})));
    Events { opening, content, ending }
}
