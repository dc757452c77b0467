//! OpenAI Responses.

use serde_json::{Value, json};

use super::Events;
use crate::said::Said;
use crate::wire::named;

/// What stands in a reasoning item for the thoughts that are not shown.
const ENCRYPTED: &str = "ZW5jcnlwdGVk";

/// The status of a response and, where it is `incomplete`, why.
fn status(said: &Said) -> (Option<&'static str>, Option<&str>) {
    match said.finish.as_deref() {
        None => (None, None),
        Some("stop" | "tool_calls") => (Some("completed"), None),
        Some("length") => (Some("incomplete"), Some("max_output_tokens")),
        Some(other) => (Some("incomplete"), Some(other)),
    }
}

fn items(said: &Said) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(reasoning) = &said.reasoning {
        items.push(json!({"id": "rs_fake", "type": "reasoning", "encrypted_content": ENCRYPTED,
            "summary": [{"type": "summary_text", "text": reasoning}]}));
    }
    let mut parts = Vec::new();
    if !said.text.is_empty() {
        parts.push(json!({"type": "output_text", "text": said.text, "annotations": []}));
    }
    if let Some(refusal) = &said.refusal {
        parts.push(json!({"type": "refusal", "refusal": refusal}));
    }
    if !parts.is_empty() {
        items.push(json!({"id": "msg_fake", "type": "message", "status": "completed", "role": "assistant",
            "content": parts}));
    }
    for (place, call) in said.calls.iter().enumerate() {
        items.push(json!({"id": format!("fc_fake{place}"), "type": "function_call", "status": "completed",
            "call_id": call.id, "name": call.name, "arguments": call.arguments}));
    }
    items
}

fn response(model: &str, status: Option<&str>, why: Option<&str>, output: &[Value]) -> Value {
    let details = why.map(|reason| json!({ "reason": reason }));
    json!({"id": "resp_fake", "object": "response", "created_at": 1_780_000_000, "status": status,
        "error": null, "incomplete_details": details, "model": model, "output": output,
        "parallel_tool_calls": true, "tools": [], "usage": null})
}

pub(super) fn body(said: &Said, model: &str) -> Value {
    let (status, why) = status(said);
    let mut body = response(model, status, why, &items(said));
    let completion = said.completion();
    if let Some(fields) = body.as_object_mut() {
        let usage = json!({"input_tokens": said.prompt_tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": completion, "output_tokens_details": {"reasoning_tokens": said.thought()},
            "total_tokens": said.prompt_tokens + completion});
        fields.insert("usage".into(), usage);
    }
    body
}

pub(super) fn events(said: &Said, model: &str) -> Events {
    let mut script = Script::default();
    let begun = response(model, Some("in_progress"), None, &[]);
    script.say(json!({"type": "response.created", "response": begun}));
    script.say(json!({"type": "response.in_progress", "response": begun}));
    let opening = std::mem::take(&mut script.events);
    let mut ending = Vec::new();
    for (index, item) in items(said).iter().enumerate() {
        script.events.append(&mut ending);
        script.item(said, index, item);
        ending = std::mem::take(&mut script.closing);
    }
    let content = std::mem::take(&mut script.events);
    let last = match status(said).0 {
        Some("incomplete") => "response.incomplete",
        _ => "response.completed",
    };
    script.say(json!({"type": last, "response": body(said, model)}));
    ending.append(&mut script.events);
    Events { opening, content, ending }
}

/// Numbers the events, and keeps those apart that close the item begun last.
#[derive(Default)]
struct Script {
    number: u64,
    events: Vec<String>,
    closing: Vec<String>,
}

impl Script {
    fn spell(&mut self, mut event: Value) -> String {
        if let Some(fields) = event.as_object_mut() {
            fields.insert("sequence_number".into(), json!(self.number));
        }
        self.number += 1;
        named(&event)
    }

    fn say(&mut self, event: Value) {
        let event = self.spell(event);
        self.events.push(event);
    }

    fn close(&mut self, event: Value) {
        let event = self.spell(event);
        self.closing.push(event);
    }

    fn item(&mut self, said: &Said, index: usize, item: &Value) {
        let empty = match text_of(item, "type") {
            "reasoning" => json!({"id": "rs_fake", "type": "reasoning", "summary": []}),
            "message" => json!({"id": "msg_fake", "type": "message", "status": "in_progress",
                "role": "assistant", "content": []}),
            _ => json!({"id": text_of(item, "id"), "type": "function_call", "status": "in_progress",
                "call_id": text_of(item, "call_id"), "name": text_of(item, "name"), "arguments": ""}),
        };
        self.say(json!({"type": "response.output_item.added", "output_index": index, "item": empty}));
        let place = json!({"item_id": text_of(item, "id"), "output_index": index});
        match text_of(item, "type") {
            "reasoning" => self.parts(said, &place, item, "summary"),
            "message" => self.parts(said, &place, item, "content"),
            _ => {
                let whole = text_of(item, "arguments");
                self.pieces(said, &place, "response.function_call_arguments", ("arguments", whole));
            }
        }
        self.close(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }

    fn parts(&mut self, said: &Said, place: &Value, item: &Value, list: &str) {
        let parts = item.get(list).and_then(Value::as_array).into_iter().flatten();
        for (number, part) in parts.enumerate() {
            let (around, within, field, numbered) = match text_of(part, "type") {
                "summary_text" => {
                    ("reasoning_summary_part", "reasoning_summary_text", "text", "summary_index")
                }
                "refusal" => ("content_part", "refusal", "refusal", "content_index"),
                _ => ("content_part", "output_text", "text", "content_index"),
            };
            let place = with(place, numbered, &json!(number));
            // What closes an earlier part comes before the next.
            let mut closed = std::mem::take(&mut self.closing);
            self.events.append(&mut closed);
            let begun = with(part, field, &json!(""));
            self.say(with(&with(&place, "type", &json!(format!("response.{around}.added"))), "part", &begun));
            let kind = format!("response.{within}");
            self.pieces(said, &place, &kind, (field, text_of(part, field)));
            self.close(with(&with(&place, "type", &json!(format!("response.{around}.done"))), "part", part));
        }
    }

    fn pieces(&mut self, said: &Said, place: &Value, kind: &str, (field, text): (&str, &str)) {
        for piece in said.pieces(text) {
            let delta = with(place, "type", &json!(format!("{kind}.delta")));
            self.say(with(&delta, "delta", &json!(piece)));
        }
        let done = with(place, "type", &json!(format!("{kind}.done")));
        self.close(with(&done, field, &json!(text)));
    }
}

fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The same object with one field more, or another value in it.
fn with(object: &Value, field: &str, value: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value.clone());
    }
    object
}
