//! What only one dialect says reaches callers of that dialect, streamed, and no other (behaviour 11.1).

use mainstay_testkit::Reply;
use serde_json::{Value, json};

use crate::common::{Ask, By, Front};
use crate::wire::stream;

/// A searching model's stream in OpenAI's dialect.
fn chat() -> Reply {
    let chunk = |choices: &Value| {
        let chunk = json!({"id": "c1", "model": "m-real", "system_fingerprint": "fp_1", "choices": choices});
        format!("data: {chunk}\n\n")
    };
    let choice = |delta: &Value, finish: &Value| {
        chunk(
            &json!([{"index": 0, "delta": delta, "logprobs": {"content": [{"n": 1}]}, "finish_reason": finish}]),
        )
    };
    stream(&[
        choice(
            &json!({"role": "assistant", "content": "Rust is a language that was made at Mozilla."}),
            &Value::Null,
        ),
        choice(&json!({"annotations": [{"type": "url_citation"}]}), &Value::Null),
        choice(&json!({}), &json!("stop")),
        "data: [DONE]\n\n".to_owned(),
    ])
}

/// The same in Anthropic's.
fn messages(stop: &str) -> Reply {
    let event = |data: &Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let started = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m-real", "content": [],
        "usage": {"input_tokens": 9, "output_tokens": 1, "service_tier": "standard"}});
    let block = |index: u64, block: &Value| {
        event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let delta = |index: u64, delta: &Value| {
        event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let end = |index: u64| event(&json!({"type": "content_block_stop", "index": index}));
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]});
    let said = json!({"type": "text_delta", "text": "Rust is a language that was made at Mozilla."});
    let cited =
        json!({"type": "citations_delta", "citation": {"type": "web_search_result_location", "url": "u"}});
    stream(&[
        event(&json!({"type": "message_start", "message": started})),
        block(0, &found),
        end(0),
        block(1, &json!({"type": "text", "text": ""})),
        delta(1, &said),
        end(1),
        block(2, &json!({"type": "text", "text": "", "citations": []})),
        delta(2, &cited),
        delta(2, &json!({"type": "text_delta", "text": " It is used widely."})),
        end(2),
        event(&json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null,
            "container": {"id": "c1"}}, "usage": {"output_tokens": 12, "server_tool_use": {"web_search_requests": 1}}})),
        event(&json!({"type": "message_stop"})),
    ])
}

fn data(body: &str) -> Vec<Value> {
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[tokio::test]
async fn annotations_and_log_probabilities_reach_a_chat() {
    let front = Front::start(&["fake/good"]).await;
    front.provider.on("good", [chat()]);
    let told = front.ask(Ask::by(By::OpenAi, true)).await;
    assert!(told.finished, "{}", told.body);
    let chunks = data(&told.body);
    let annotated: Vec<_> =
        chunks.iter().filter(|chunk| chunk["choices"][0]["delta"]["annotations"].is_array()).collect();
    assert_eq!(annotated.len(), 1, "{}", told.body);
    assert_eq!(annotated[0]["choices"][0]["finish_reason"], Value::Null);
    let said = chunks.iter().find(|chunk| chunk["choices"][0]["delta"]["content"] != "").unwrap();
    assert_eq!(said["choices"][0]["logprobs"], json!({"content": [{"n": 1}]}));
    assert_eq!(said["system_fingerprint"], "fp_1");
}

#[tokio::test]
async fn citations_and_server_tools_reach_anthropics_sdk() {
    let front = Front::start(&["claude/good"]).await;
    front.provider.on("good", [messages("end_turn")]);
    let told = front.ask(Ask::by(By::Anthropic, true)).await;
    assert!(told.finished, "{}", told.body);
    let events = data(&told.body);
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of("message_start")[0]["message"]["usage"]["service_tier"], "standard");
    let blocks: Vec<&str> = of("content_block_start")
        .iter()
        .map(|event| event["content_block"]["type"].as_str().unwrap())
        .collect();
    assert_eq!(blocks, ["web_search_tool_result", "text", "text"]);
    let cited =
        of("content_block_delta").into_iter().find(|event| event["delta"]["type"] == "citations_delta");
    assert_eq!(
        (&cited.unwrap()["index"], &cited.unwrap()["delta"]["citation"]["url"]),
        (&json!(2), &json!("u"))
    );
    let end = of("message_delta")[0];
    assert_eq!(end["delta"]["container"], json!({"id": "c1"}));
    assert_eq!(end["usage"]["server_tool_use"]["web_search_requests"], 1);
}

#[tokio::test]
async fn a_caller_of_another_dialect_is_given_none_of_it() {
    let front = Front::start(&["claude/good"]).await;
    front.provider.on("good", [messages("end_turn")]);
    let told = front.ask(Ask::by(By::OpenAi, true)).await;
    assert!(
        told.finished && !told.body.contains("citation") && !told.body.contains("container"),
        "{}",
        told.body
    );
    let front = Front::start(&["fake/good"]).await;
    front.provider.on("good", [chat()]);
    let told = front.ask(Ask::by(By::Anthropic, true)).await;
    for foreign in ["annotations", "logprobs", "fp_1"] {
        assert!(told.finished && !told.body.contains(foreign), "{foreign}: {}", told.body);
    }
}

#[tokio::test]
async fn a_full_context_is_told_in_anthropics_own_word() {
    let front = Front::start(&["claude/good"]).await;
    front.provider.on("good", [messages("model_context_window_exceeded")]);
    let told = front.ask(Ask::by(By::Anthropic, true)).await;
    assert!(told.body.contains(r#""stop_reason":"model_context_window_exceeded""#), "{}", told.body);
}

#[tokio::test]
async fn a_response_repeats_what_was_asked() {
    let body = json!({"model": "default", "input": "What is Rust?", "instructions": "Be brief.", "temperature": 0.5,
        "metadata": {"job": "7"}, "parallel_tool_calls": false,
        "tools": [{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": true}]});
    for stream in [false, true] {
        let front = Front::start(&["fake/good"]).await;
        front.provider.on("good", [Reply::text("Rust is a language that was made at Mozilla.")]);
        let mut body = body.clone();
        body["stream"] = json!(stream);
        let told = front.http.post(front.url("/v1/responses")).json(&body).send().await.unwrap();
        let told = told.text().await.unwrap();
        let responses: Vec<Value> = if stream {
            let of_response = |mut event: Value| Some(event["response"].take()).filter(Value::is_object);
            data(&told).into_iter().filter_map(of_response).collect()
        } else {
            vec![serde_json::from_str(&told).unwrap()]
        };
        assert_eq!(responses.len(), if stream { 3 } else { 1 }, "{told}");
        for response in responses {
            for name in ["instructions", "temperature", "metadata", "parallel_tool_calls", "tools"] {
                assert_eq!(response[name], body[name], "{name} of {told}");
            }
        }
    }
}
