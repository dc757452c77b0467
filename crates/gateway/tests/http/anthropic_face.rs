//! Anthropic Messages, as its SDKs speak it (behaviour 1.4, 11.1).

use mainstay_testkit::Reply;
use serde_json::{Value, json};

use crate::common::{Ask, By, Front, Told};
use crate::wire::{stream, whole};

const RIVERS: &str = "The Tagus, the Douro and the Mondego.";

fn tools() -> Value {
    json!([{"name": "look", "input_schema": {"type": "object"}}])
}

fn asking(messages: &Value, stream: bool) -> Ask {
    let body = json!({"model": "default", "max_tokens": 300, "stream": stream, "tools": tools(), "messages": messages});
    Ask { body: Some(body), ..Ask::by(By::Anthropic, stream) }
}

/// A call of a model that thinks in a dialect of its own, and seals what it thought.
fn sealed_call() -> Reply {
    let call =
        json!({"functionCall": {"name": "look", "args": {"q": "rivers"}}, "thoughtSignature": "c2VhbGVk"});
    whole(
        &json!({"candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 12}, "modelVersion": "m-real", "responseId": "r1"}),
    )
}

/// The blocks of an answer, whole or streamed.
fn blocks(told: &Told, stream: bool) -> Vec<Value> {
    if !stream {
        return told.json()["content"].as_array().unwrap().clone();
    }
    let events = told.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.map(|data| serde_json::from_str::<Value>(data).unwrap());
    let started = events.filter(|event| event["type"] == "content_block_start");
    started.map(|event| event["content_block"].clone()).collect()
}

#[tokio::test]
async fn what_another_dialects_model_sealed_comes_back_to_it_through_the_caller() {
    for stream in [false, true] {
        let front = Front::start(&["gemini/good"]).await;
        front.provider.on("good", [sealed_call(), Reply::text(RIVERS)]);
        let question = json!({"role": "user", "content": "Which rivers?"});
        let told = front.ask(asking(&json!([question]), stream)).await;
        let mut turn = blocks(&told, stream);
        assert_eq!(turn[0]["type"], "redacted_thinking", "{}", told.body);
        let call = turn.iter_mut().find(|block| block["type"] == "tool_use").unwrap();
        call["input"] = json!({"q": "rivers"});
        let result = json!({"type": "tool_result", "tool_use_id": call["id"], "content": "Three."});
        let history =
            json!([question, {"role": "assistant", "content": turn}, {"role": "user", "content": [result]}]);
        let told = front.ask(asking(&history, stream)).await;
        assert_eq!(told.text, RIVERS, "{}", told.body);
        let sent = front.provider.seen()[1].body.to_string();
        assert!(sent.contains(r#""thoughtSignature":"c2VhbGVk""#), "{sent}");
    }
}

#[tokio::test]
async fn sealed_reasoning_goes_to_no_other_model() {
    let front = Front::start(&["gemini/good"]).await;
    front.provider.on("good", [sealed_call()]);
    let question = json!({"role": "user", "content": "Which rivers?"});
    let turn = blocks(&front.ask(asking(&json!([question]), false)).await, false);
    let call = turn.iter().find(|block| block["type"] == "tool_use").unwrap();
    let result = json!({"type": "tool_result", "tool_use_id": call["id"], "content": "Three."});
    let history =
        json!([question, {"role": "assistant", "content": turn}, {"role": "user", "content": [result]}]);
    for tier in ["claude/other", "fake/other"] {
        let front = Front::start(&[tier]).await;
        front.provider.on("other", [Reply::text(RIVERS)]);
        assert_eq!(front.ask(asking(&history, false)).await.text, RIVERS);
        let sent = front.provider.seen()[0].body.to_string();
        assert!(!sent.contains("c2VhbGVk") && !sent.contains("redacted_thinking"), "{sent}");
    }
}

#[tokio::test]
async fn a_caller_who_may_take_the_first_block_for_the_text_is_given_text_first() {
    let front = Front::start(&["gemini/good"]).await;
    let part = json!({"text": RIVERS, "thoughtSignature": "c2VhbGVk"});
    front.provider.on(
        "good",
        [whole(&json!({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}))],
    );
    let told = front.ask(Ask::by(By::Anthropic, false)).await;
    assert_eq!(told.json()["content"][0]["text"], RIVERS, "{}", told.body);
}

#[tokio::test]
async fn a_refusal_that_stands_in_a_field_is_told_once_and_by_its_word() {
    let choice = |name: &str, said: &Value| json!({"id": "c1", "model": "m-real", "choices": [{"index": 0, name: said, "finish_reason": "stop"}]});
    let refused = json!({"role": "assistant", "content": null, "refusal": "I will not do that."});
    for (is_stream, reply) in [
        (false, whole(&choice("message", &refused))),
        (true, stream(&[format!("data: {}\n\ndata: [DONE]\n\n", choice("delta", &refused))])),
    ] {
        let front = Front::start(&["fake/good"]).await;
        front.provider.on("good", [reply]);
        let told = front.ask(Ask::by(By::Anthropic, is_stream)).await;
        assert_eq!((told.text.as_str(), told.finished), ("I will not do that.", true), "{}", told.body);
        assert!(told.body.contains(r#""stop_reason":"refusal""#), "{}", told.body);
        assert!(told.body.contains(r#""explanation":"I will not do that.""#), "{}", told.body);
    }
}

#[tokio::test]
async fn a_refusal_that_says_why_in_its_details_is_given_back_as_it_came() {
    let details = json!({"type": "refusal", "category": "cyber", "explanation": "I will not do that."});
    let event = |data: &Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let events = [
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-real",
               "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_sequence": null, "stop_details": details},
               "usage": {"output_tokens": 3}}),
        json!({"type": "message_stop"}),
    ];
    let front = Front::start(&["claude/good"]).await;
    front.provider.on("good", [stream(&events.iter().map(event).collect::<Vec<_>>())]);
    let told = front.ask(Ask::by(By::Anthropic, true)).await;
    assert!(told.finished && told.text.is_empty(), "{}", told.body);
    assert!(told.body.contains(&format!(r#""stop_details":{details}"#)), "{}", told.body);
}
