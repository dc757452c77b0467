//! What OpenAI's SDKs require of a response, its items and its events (openai-python 3.57, by type).

use serde_json::Value;

/// Members that an event must have beside `type` and `sequence_number`.
const EVENTS: [(&str, &[&str]); 22] = [
    ("response.created", &["response"]),
    ("response.in_progress", &["response"]),
    ("response.completed", &["response"]),
    ("response.incomplete", &["response"]),
    ("response.failed", &["response"]),
    ("response.output_item.added", &["item", "output_index"]),
    ("response.output_item.done", &["item", "output_index"]),
    ("response.content_part.added", &["content_index", "item_id", "output_index", "part"]),
    ("response.content_part.done", &["content_index", "item_id", "output_index", "part"]),
    ("response.output_text.delta", &["content_index", "delta", "item_id", "logprobs", "output_index"]),
    ("response.output_text.done", &["content_index", "item_id", "logprobs", "output_index", "text"]),
    ("response.refusal.delta", &["content_index", "delta", "item_id", "output_index"]),
    ("response.refusal.done", &["content_index", "item_id", "output_index", "refusal"]),
    ("response.reasoning_summary_part.added", &["item_id", "output_index", "part", "summary_index"]),
    ("response.reasoning_summary_part.done", &["item_id", "output_index", "part", "summary_index"]),
    ("response.reasoning_summary_text.delta", &["delta", "item_id", "output_index", "summary_index"]),
    ("response.reasoning_summary_text.done", &["item_id", "output_index", "summary_index", "text"]),
    ("response.function_call_arguments.delta", &["delta", "item_id", "output_index"]),
    ("response.function_call_arguments.done", &["arguments", "item_id", "output_index"]),
    ("response.custom_tool_call_input.delta", &["delta", "item_id", "output_index"]),
    ("response.custom_tool_call_input.done", &["input", "item_id", "output_index"]),
    ("error", &["code", "message", "param"]),
];

/// Members that an item must have beside `type`.
const ITEMS: [(&str, &[&str]); 4] = [
    ("message", &["id", "content", "role", "status"]),
    ("reasoning", &["id", "summary"]),
    ("function_call", &["arguments", "call_id", "name"]),
    ("custom_tool_call", &["call_id", "input", "name"]),
];

/// Members that a response must have.
const RESPONSE: [&str; 8] =
    ["id", "created_at", "model", "object", "output", "parallel_tool_calls", "tool_choice", "tools"];

/// Members of the object that SDKs read although their types do not require them.
const EXPECTED: [&str; 13] = [
    "status",
    "error",
    "incomplete_details",
    "instructions",
    "max_output_tokens",
    "metadata",
    "previous_response_id",
    "reasoning",
    "store",
    "temperature",
    "text",
    "top_p",
    "usage",
];

fn has(value: &Value, members: &[&str]) {
    for name in members {
        assert!(value.get(name).is_some(), "{name} is missing in {value}");
    }
}

pub(crate) fn check_response(response: &Value) {
    has(response, &RESPONSE);
    has(response, &EXPECTED);
    assert_eq!(response["object"], "response");
    for item in response["output"].as_array().unwrap() {
        check_item(item);
    }
    if !response["usage"].is_null() {
        let usage = &response["usage"];
        has(
            usage,
            &[
                "input_tokens",
                "input_tokens_details",
                "output_tokens",
                "output_tokens_details",
                "total_tokens",
            ],
        );
        has(&usage["input_tokens_details"], &["cached_tokens", "cache_write_tokens"]);
        has(&usage["output_tokens_details"], &["reasoning_tokens"]);
    }
}

pub(crate) fn check_item(item: &Value) {
    let kind = item["type"].as_str().unwrap();
    let Some((_, members)) = ITEMS.iter().find(|(known, _)| *known == kind) else { return };
    has(item, members);
    for part in item["content"].as_array().into_iter().flatten() {
        check_part(part);
    }
    for part in item["summary"].as_array().into_iter().flatten() {
        check_part(part);
    }
}

fn check_part(part: &Value) {
    match part["type"].as_str().unwrap() {
        "output_text" => has(part, &["text", "annotations"]),
        "refusal" => has(part, &["refusal"]),
        "summary_text" => has(part, &["text"]),
        other => panic!("no part of ours: {other}"),
    }
}

/// Checks the events of one stream: their members, their numbers, and that every item is announced before its
/// pieces, done once, and done at the end.
pub(crate) fn check_stream(events: &[(String, Value)]) {
    let mut open: Vec<(u64, String)> = Vec::new();
    let mut items: Vec<Value> = Vec::new();
    for (at, (name, event)) in events.iter().enumerate() {
        assert_eq!(
            (event["type"].as_str().unwrap(), event["sequence_number"].as_u64()),
            (&**name, u64::try_from(at).ok())
        );
        let (_, members) =
            EVENTS.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("unknown {name}"));
        has(event, members);
        let index = event["output_index"].as_u64();
        let id = event.get("item_id").or(event["item"].get("id")).and_then(Value::as_str).unwrap_or_default();
        match name.as_str() {
            "response.output_item.added" => {
                check_item(&event["item"]);
                assert!(open.iter().all(|(known, _)| Some(*known) != index), "{name} twice");
                open.push((index.unwrap(), id.to_owned()));
            }
            "response.output_item.done" => {
                check_item(&event["item"]);
                let at = open.iter().position(|known| *known == (index.unwrap(), id.to_owned()));
                open.remove(at.unwrap_or_else(|| panic!("{name} of what was not announced: {event}")));
                items.push(event["item"].clone());
            }
            _ if event.get("item_id").is_some() => {
                assert!(
                    open.contains(&(index.unwrap(), id.to_owned())),
                    "a piece of what is not open: {event}"
                );
            }
            _ => {}
        }
        if let Some(response) = event.get("response") {
            check_response(response);
        }
        if let Some(part) = event.get("part") {
            check_part(part);
        }
    }
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..2], ["response.created", "response.in_progress"]);
    let last = ["response.completed", "response.incomplete", "response.failed"];
    assert_eq!(names.iter().filter(|name| last.contains(name)).count(), 1, "{names:?}");
    assert!(last.contains(names.last().unwrap()));
    let response = &events.last().unwrap().1["response"];
    if response["status"] != "failed" {
        assert!(open.is_empty(), "never done: {open:?}");
    }
    let told = response["output"].as_array().unwrap();
    assert!(told.len() == items.len() && told.iter().all(|item| items.contains(item)), "{told:?} {items:?}");
}
