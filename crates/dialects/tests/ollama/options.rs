//! `options`, the context window among them, and what a caller who knows Ollama puts beside them.

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, Dialect, Kind, MediaSource, ReasoningEffort, ResponseFormat, Role,
    Tool,
};
use mainstay_dialects::{Inbound, anthropic, openai_chat};
use serde_json::{Value, json};

use crate::written::{accepts, body, call, image, raw, refused, try_write, with_part, write};

#[test]
fn parameters_go_into_the_options() {
    let request = ChatRequest {
        temperature: Some(0.2),
        top_p: Some(0.9),
        seed: Some(7),
        stop: vec!["END".into()],
        ..ChatRequest::user("Hi").max_tokens(100)
    };
    assert_eq!(
        body(&request)["options"],
        json!({ "num_ctx": 8192, "num_predict": 100, "temperature": 0.2, "top_p": 0.9, "seed": 7, "stop": ["END"] })
    );
    let plain = Accepts { sampling: false, ..accepts() };
    let (body, notes) = try_write("q", &request, &plain).unwrap();
    assert_eq!(body["options"], json!({ "num_ctx": 8192, "num_predict": 100, "seed": 7, "stop": ["END"] }));
    assert_eq!(notes, ["dropped_param:temperature", "dropped_param:top_p"]);
    let wild = ChatRequest { temperature: Some(f64::NAN), ..ChatRequest::user("Hi") };
    assert_eq!(refused(&wild).kind, Kind::InvalidRequest);
}

#[test]
fn the_window_follows_from_the_prompt_unless_the_caller_states_one() {
    let long = ChatRequest::user("word ".repeat(10_000)).max_tokens(500);
    let (body_, notes) = write(&long);
    assert_eq!(body_["options"]["num_ctx"], json!(32_768));
    assert_eq!(notes, ["num_ctx=32768, for the size of the prompt"]);
    for (extra, origin) in [
        (("num_ctx", json!(5000)), None),
        (("num_ctx", json!(5000)), Some(Dialect::OpenaiChat)),
        (("options", json!({ "num_ctx": 5000 })), Some(Dialect::Anthropic)),
        (("options", json!({ "num_ctx": 5000 })), Some(Dialect::Ollama)),
    ] {
        let mut request = ChatRequest { origin, ..long.clone() };
        request.extra.insert(extra.0, raw(&extra.1));
        let (body, notes) = write(&request);
        assert_eq!(body["options"]["num_ctx"], json!(5000), "{extra:?} {origin:?}");
        assert_eq!((body.get("num_ctx"), notes), (None, Vec::new()), "{extra:?} {origin:?}");
    }
}

#[test]
fn a_caller_of_another_dialect_may_state_the_window_too() {
    for face in [&openai_chat::INBOUND as &dyn Inbound, &anthropic::Face] {
        let body = json!({
            "model": "x", "max_tokens": 50, "num_ctx": 20_000, "keep_alive": "1h", "user": "ann", "metadata": {},
            "messages": [{ "role": "user", "content": "Hi" }],
        });
        let request = face.read_request(&serde_json::to_vec(&body).unwrap()).unwrap().request;
        let (sent, notes) = write(&request);
        assert_eq!(sent["options"], json!({ "num_ctx": 20_000, "num_predict": 50 }), "{}", face.dialect());
        assert_eq!((&sent["keep_alive"], sent.get("user")), (&json!("1h"), None));
        assert!(notes.iter().any(|note| note.starts_with("not passed on")), "{notes:?}");
    }
}

#[test]
fn a_window_of_null_is_none() {
    let mut request = ChatRequest::user("Go");
    request.extra.insert("num_ctx", raw(&Value::Null));
    assert_eq!(body(&request)["options"], json!({ "num_ctx": 8192 }));
}

#[test]
fn everything_that_makes_up_the_prompt_counts_toward_the_window() {
    let big = "x".repeat(30_000);
    let schema = raw(&json!({ "type": "object", "description": big }));
    let format = ResponseFormat::JsonSchema { name: "n".into(), schema: schema.clone(), strict: None };
    let thought = ChatMessage {
        reasoning_content: Some(big.clone()),
        tool_calls: vec![call("a", "f", "{}")],
        ..ChatMessage::empty(Role::Assistant)
    };
    let called = ChatMessage {
        tool_calls: vec![call("a", "f", &json!({ "x": big }).to_string())],
        ..ChatMessage::empty(Role::Assistant)
    };
    for request in [
        ChatRequest::user("Hi").system(big.clone()),
        ChatRequest::user("Hi").tool(Tool::function("f", "", schema)),
        ChatRequest { response_format: format, ..ChatRequest::user("Hi") },
        ChatRequest::user("Hi").message(thought),
        ChatRequest::user("Hi").message(called),
    ] {
        assert_eq!(body(&request)["options"]["num_ctx"], json!(32_768));
    }
    // The bytes of an image are no text.
    let picture = with_part(image(MediaSource::Base64("A".repeat(1 << 20))), Role::User);
    assert_eq!(body(&picture)["options"]["num_ctx"], json!(16_384));
}

#[test]
fn members_of_a_caller_who_knows_ollama_arrive_unchanged() {
    let extras = json!({
        "keep_alive": -1, "logprobs": true, "truncate": true, "think": "medium", "format": "json",
        "options": { "top_k": 20, "num_gpu": 1, "temperature": 0.9 }, "stream": true,
    });
    let mut request = ChatRequest { origin: Some(Dialect::Ollama), ..ChatRequest::user("Go") };
    for (name, value) in extras.as_object().unwrap() {
        request.extra.insert(name.as_str(), raw(value));
    }
    let (sent, notes) = write(&request);
    for name in ["keep_alive", "logprobs", "truncate", "think", "format"] {
        assert_eq!(sent[name], extras[name], "{name}");
    }
    assert_eq!(sent["options"], json!({ "num_ctx": 8192, "top_k": 20, "num_gpu": 1, "temperature": 0.9 }));
    assert_eq!((&sent["stream"], &sent["shift"]), (&json!(false), &json!(false)));
    assert_eq!(notes, ["dropped_param:stream"]);

    // What a canonical field says stands before it.
    request.temperature = Some(0.1);
    request.reasoning_effort = Some(ReasoningEffort::None);
    let (sent, notes) = write(&request);
    assert_eq!((&sent["options"]["temperature"], &sent["think"]), (&json!(0.1), &json!(false)));
    assert_eq!(notes, ["dropped_param:stream", "dropped_param:think", "dropped_param:options.temperature"]);

    let foreign = ChatRequest { origin: Some(Dialect::OpenaiChat), ..request };
    let (sent, notes) = write(&foreign);
    assert_eq!((&sent["keep_alive"], sent.get("logprobs")), (&json!(-1), None));
    assert!(
        notes.contains(&"not passed on (openai-chat): format, logprobs, stream, truncate".to_owned()),
        "{notes:?}"
    );
}

#[test]
fn options_of_a_caller_are_sampling_too_where_the_model_takes_none() {
    let mut request = ChatRequest::user("Go");
    request.extra.insert("options", raw(&json!({ "top_k": 20, "num_gpu": 1 })));
    let plain = Accepts { sampling: false, ..accepts() };
    let (body, notes) = try_write("q", &request, &plain).unwrap();
    assert_eq!(body["options"], json!({ "num_ctx": 8192, "num_gpu": 1 }));
    assert_eq!(notes, ["dropped_param:options.top_k"]);
    request.extra.insert("options", raw(&json!("fast")));
    assert_eq!(write(&request).1, ["dropped_param:options"]);
}
