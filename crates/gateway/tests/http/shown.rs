//! What is seen and heard is an answer, and reaches callers of every dialect in the form that theirs has, or in words
//! (behaviour 4.1, 11.1).

use mainstay_testkit::Reply;
use serde_json::{Value, json};

use crate::common::{Ask, By, Front, Told};
use crate::wire::{whole, with_header};

const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// Events in the manner of Responses, numbered as they come.
fn events(all: &[Value]) -> Reply {
    let written = all.iter().enumerate().map(|(number, event)| {
        let mut event = event.clone();
        event["sequence_number"] = number.into();
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
    });
    with_header("text/event-stream", &written.collect::<String>())
}

fn chunks(all: &[Value]) -> Reply {
    let written = all.iter().map(|chunk| format!("data: {chunk}\n\n"));
    with_header("text/event-stream", &format!("{}data: [DONE]\n\n", written.collect::<String>()))
}

fn drawn(status: &str, result: Option<&str>) -> Value {
    let mut item = json!({"type": "image_generation_call", "id": "ig_1", "status": status});
    if let Some(result) = result {
        item["result"] = result.into();
        item["output_format"] = "png".into();
    }
    item
}

fn response(output: &Value) -> Value {
    json!({"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m-real",
           "output": output, "usage": {"input_tokens": 9, "output_tokens": 12, "total_tokens": 21}})
}

/// A picture as OpenAI's own tool draws it, whole or streamed; reasoning stands before it and an empty text behind.
fn from_responses(stream: bool) -> Reply {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let picture = drawn("completed", Some(PICTURE));
    let all = response(&json!([thought, picture]));
    if !stream {
        return whole(&all);
    }
    let at = |kind: &str, more: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": 1});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let of_it = |kind: &str| at(&format!("image_generation_call.{kind}"), json!({"item_id": "ig_1"}));
    events(&[
        json!({"type": "response.created", "response": {"id": "resp_1", "model": "m-real", "status": "in_progress"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": thought}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": thought}),
        at("output_item.added", json!({"item": drawn("in_progress", None)})),
        of_it("in_progress"),
        of_it("generating"),
        at(
            "image_generation_call.partial_image",
            json!({"item_id": "ig_1", "partial_image_index": 0, "partial_image_b64": "AAAA"}),
        ),
        of_it("completed"),
        at("output_item.done", json!({"item": picture})),
        json!({"type": "response.completed", "response": all}),
    ])
}

fn from_gemini(stream: bool) -> Reply {
    let part = json!({"inlineData": {"mimeType": "image/png", "data": PICTURE}});
    let all = json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 12, "totalTokenCount": 21},
        "modelVersion": "m-real", "responseId": "r1"});
    if stream { with_header("text/event-stream", &format!("data: {all}\n\n")) } else { whole(&all) }
}

/// A picture as OpenRouter hands it on.
fn from_chat(stream: bool) -> Reply {
    let url = format!("data:image/png;base64,{PICTURE}");
    let said = json!({"role": "assistant", "content": "", "images": [{"type": "image_url", "image_url": {"url": url}}]});
    let choice = |name: &str, said: &Value, finish: Value| json!({"id": "c1", "model": "m-real", "choices": [{"index": 0, name: said, "finish_reason": finish}]});
    if stream {
        chunks(&[choice("delta", &said, Value::Null), choice("delta", &json!({}), json!("stop"))])
    } else {
        whole(&choice("message", &said, json!("stop")))
    }
}

/// The pictures that a caller of Chat Completions or Responses finds in an answer.
fn pictures(by: By, told: &Told) -> Vec<String> {
    let bodies: Vec<Value> = if told.body.starts_with('{') {
        vec![told.json()]
    } else {
        let lines = told.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let mut found = Vec::new();
    for body in bodies {
        match by {
            By::OpenAi => {
                for said in ["message", "delta"] {
                    let images = &body["choices"][0][said]["images"];
                    found.extend(
                        images
                            .as_array()
                            .into_iter()
                            .flatten()
                            .map(|image| image["image_url"]["url"].clone()),
                    );
                }
            }
            By::Responses => {
                let output = body.get("output").or_else(|| body["response"].get("output"));
                let items = output.and_then(Value::as_array).into_iter().flatten();
                let drawn = items.filter(|item| item["type"] == "image_generation_call");
                found.extend(drawn.map(|item| item["result"].clone()));
            }
            By::Anthropic => {}
        }
    }
    found
        .iter()
        .map(|url| url.as_str().unwrap().trim_start_matches("data:image/png;base64,").to_owned())
        .collect()
}

#[tokio::test]
async fn a_picture_is_an_answer_and_reaches_a_caller_of_every_dialect() {
    type Made = fn(bool) -> Reply;
    let all: [(&str, Made); 3] =
        [("openai-responses/good", from_responses), ("gemini/good", from_gemini), ("fake/good", from_chat)];
    for (tier, made) in all {
        for stream in [false, true] {
            for by in [By::OpenAi, By::Responses, By::Anthropic] {
                let front = Front::start(&[tier, "fake/second"]).await;
                front
                    .provider
                    .on("good", [made(stream)])
                    .on("second", [Reply::text("Nothing was drawn, sorry.")]);
                let told = front.ask(Ask::by(by, stream)).await;
                let case = format!("{tier} to {by:?}, stream {stream}: {}", told.body);
                assert_eq!((told.status, told.finished), (200, true), "{case}");
                assert_eq!((front.provider.calls("good"), front.provider.calls("second")), (1, 0), "{case}");
                let quality = if stream {
                    told.comment()["quality"].clone()
                } else {
                    told.header("x-mainstay-quality").into()
                };
                assert_eq!(quality, "ok", "{case}");
                match by {
                    By::OpenAi | By::Responses => assert_eq!(pictures(by, &told), [PICTURE], "{case}"),
                    // This dialect has no form for it; an answer of nothing would be a silent loss.
                    By::Anthropic => assert!(told.text.starts_with("[a picture, image/png"), "{case}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn a_drawn_picture_and_its_progress_reach_a_caller_of_its_dialect_as_they_came() {
    let front = Front::start(&["openai-responses/good"]).await;
    front.provider.on("good", [from_responses(true)]);
    let told = front.ask(Ask::by(By::Responses, true)).await;
    let events: Vec<Value> = told
        .body
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let names: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.output_item.done",
            "response.output_item.added",
            "response.image_generation_call.in_progress",
            "response.image_generation_call.generating",
            "response.image_generation_call.partial_image",
            "response.image_generation_call.completed",
            "response.output_item.done",
            "response.completed",
        ]
    );
    assert_eq!(events[9]["item"], drawn("completed", Some(PICTURE)));
    assert_eq!(events[10]["response"]["output"][1], events[9]["item"]);
    assert_eq!(events[7]["partial_image_b64"], "AAAA");
}

#[tokio::test]
async fn what_a_tool_found_for_the_model_alone_is_no_answer() {
    for item in [
        json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}),
        json!({"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "6*7", "container_id": "c",
               "outputs": [{"type": "logs", "logs": "42"}]}),
        drawn("failed", None),
    ] {
        let front = Front::start(&["openai-responses/good", "fake/second"]).await;
        front.provider.on("good", [whole(&response(&json!([item])))]);
        front.provider.on("second", [Reply::text("The Tagus, the Douro and the Mondego.")]);
        let told = front.ask(Ask::by(By::Responses, false)).await;
        assert_eq!(told.header("x-mainstay-served"), Some("fallback"), "{item}: {}", told.body);
        assert_eq!(told.text, "The Tagus, the Douro and the Mondego.");
    }
    let plotted = json!({"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "plot()",
        "container_id": "c", "outputs": [{"type": "image", "url": format!("data:image/png;base64,{PICTURE}")}]});
    let front = Front::start(&["openai-responses/good"]).await;
    front.provider.on("good", [whole(&response(&json!([plotted])))]);
    let told = front.ask(Ask::by(By::Responses, false)).await;
    assert_eq!(
        (told.status, &told.json()["output"][0]),
        (200, &plotted),
        "a picture that a program made is one"
    );
}

fn spoken(words: &[&str]) -> Reply {
    let chunk = |delta: &Value, finish: Value| json!({"id": "c1", "model": "m-real", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let mut all =
        vec![chunk(&json!({"role": "assistant", "content": null, "audio": {"id": "audio_1"}}), Value::Null)];
    for word in words {
        all.push(chunk(&json!({"audio": {"transcript": word}}), Value::Null));
        all.push(chunk(&json!({"audio": {"data": "QUJD"}}), Value::Null));
    }
    all.push(chunk(&json!({"audio": {"expires_at": 1_900_000_000}}), Value::Null));
    all.push(chunk(&json!({}), json!("stop")));
    chunks(&all)
}

#[tokio::test]
async fn a_spoken_answer_reaches_a_chat_piece_by_piece_and_others_as_its_words() {
    let words = ["The Tagus, ", "the Douro ", "and the \"Mondego\"."];
    let front = Front::start(&["fake/good"]).await;
    front.provider.on("good", [spoken(&words)]);
    let told = front.ask(Ask::by(By::OpenAi, true)).await;
    assert!(told.finished && told.comment()["quality"] == "ok", "{}", told.body);
    let chunks: Vec<Value> = told
        .body
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let said = |name: &str| {
        let audio = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]["audio"][name]);
        audio.filter_map(Value::as_str).collect::<String>()
    };
    assert_eq!(
        (said("transcript"), said("data"), said("id")),
        (words.concat(), "QUJD".repeat(3), "audio_1".into())
    );
    assert_eq!(told.text, "", "no text that the provider did not send");
    for by in [By::Anthropic, By::Responses] {
        let front = Front::start(&["fake/good"]).await;
        front.provider.on("good", [spoken(&words)]);
        let told = front.ask(Ask::by(by, true)).await;
        assert_eq!((told.text.as_str(), told.finished), (words.concat().as_str(), true), "{}", told.body);
    }
}

#[tokio::test]
async fn a_refusal_that_is_spoken_is_a_refusal() {
    let front = Front::start(&["fake/good", "fake/second"]).await;
    front.provider.on("good", [spoken(&["I'm sorry, ", "but I can't help ", "with that request."])]);
    front.provider.on("second", [Reply::text("The Tagus, the Douro and the Mondego.")]);
    let told = front.ask(Ask::by(By::OpenAi, true)).await;
    assert!(!told.body.contains("sorry"), "{}", told.body);
    assert_eq!(told.text, "The Tagus, the Douro and the Mondego.");
}
