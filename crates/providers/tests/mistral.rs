//! Mistral, from bytes to answer and from request to bytes. Bodies in the shapes of its API reference and its
//! Python client 3.7, as of 2026-11.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod shared;

use mainstay_canon::{
    Answer, ChatMessage, ChatRequest, Dialect, Extra, Failure, FinishReason, Headers, Kind, Moment, RawJson,
    ReasoningBlock, ReasoningEffort, Role, Target, ToolCall, ToolChoice,
};
use mainstay_dialects::Call;
use mainstay_providers::{Provider, by_id};
use serde_json::{Value, json};
use shared::Reply;

fn mistral() -> &'static Provider {
    by_id("mistral").unwrap()
}

fn read(stream: bool, body: &str) -> Result<Answer, Failure> {
    let reply = Reply {
        status: 200,
        headers: Headers::new(),
        chunks: vec![body.as_bytes().to_vec()],
        stream,
        now: Moment::from_secs(1_772_366_400),
    };
    reply.read(mistral()).0
}

fn whole(message: &Value, finish: &str) -> Result<Answer, Failure> {
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
    let usage = json!({ "prompt_tokens": 9, "completion_tokens": 8, "total_tokens": 17 });
    read(false, &json!({ "id": "c", "model": "m", "choices": [choice], "usage": usage }).to_string())
}

fn streamed(deltas: &[Value], finish: &str) -> Result<Answer, Failure> {
    let chunk = |delta: &Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        format!("data: {}\n\n", json!({ "id": "c", "model": "m", "p": "abc", "choices": [choice] }))
    };
    let mut body: String = deltas.iter().map(|delta| chunk(delta, Value::Null)).collect::<Vec<_>>().concat();
    body.push_str(&chunk(&json!({ "content": "" }), json!(finish)));
    body.push_str("data: [DONE]\n\n");
    read(true, &body)
}

fn error(status: u16, body: &str) -> Failure {
    mistral().read_error(status, &Headers::new(), body.as_bytes(), Moment::EPOCH)
}

fn write(model: &str, request: &ChatRequest) -> (Value, Vec<String>) {
    let target = Target::new("mistral", model);
    let accepts = (mistral().accepts)(model);
    let call =
        Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
    let outbound = mistral().upstream.write_request(request, &call).unwrap();
    (serde_json::from_slice(&outbound.body).unwrap(), outbound.notes)
}

fn thinking(text: &str, closed: bool) -> Value {
    json!({ "type": "thinking", "thinking": [{ "type": "text", "text": text }], "closed": closed })
}

#[test]
fn a_list_of_content_is_text_thinking_and_what_has_no_place() {
    let content = json!([
        thinking("Count days.", true),
        { "type": "text", "text": "Eleven" },
        { "type": "reference", "reference_ids": [1, 2] },
        { "type": "text", "text": " days." },
    ]);
    let answer = whole(&json!({ "role": "assistant", "content": content }), "stop").unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.reasoning_content.as_deref()),
        ("Eleven days.", Some("Count days."))
    );
    assert_eq!(answer.reasoning_blocks.len(), 1);
    assert!(answer.extra.get("choices[0].message.content").unwrap().text().contains("reference_ids"));
    assert_eq!((answer.usage.prompt, answer.usage.completion), (9, 8));
}

#[test]
fn a_stream_may_change_between_lists_and_texts() {
    let answer = streamed(
        &[
            json!({ "role": "assistant", "content": [thinking("Hm, ", false)] }),
            json!({ "content": [thinking("ok.", true)] }),
            json!({ "content": [{ "type": "text", "text": "1" }] }),
            json!({ "content": "44" }),
        ],
        "stop",
    )
    .unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning_content.as_deref()), ("144", Some("Hm, ok.")));
    let block: Value = answer.reasoning_blocks[0].raw.read().unwrap();
    assert_eq!(block, thinking("Hm, ok.", true), "it goes back as it would have come whole");
}

#[test]
fn thinking_alone_is_reasoning_and_no_answer() {
    let answer = whole(&json!({ "content": [thinking("Hm.", true)] }), "stop").unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning_content.as_deref()), ("", Some("Hm.")));
}

#[test]
fn every_finish_word_has_its_meaning() {
    let said = json!({ "content": "Yes." });
    for (word, reason, full) in [
        ("stop", FinishReason::Stop, false),
        ("length", FinishReason::Length, false),
        ("model_length", FinishReason::Length, true),
        ("tool_calls", FinishReason::ToolCall, false),
    ] {
        for answer in [whole(&said, word), streamed(std::slice::from_ref(&said), word)] {
            let answer = answer.unwrap();
            assert_eq!((answer.finish_reason, answer.context_full), (reason, full), "{word}");
        }
    }
    for failure in [whole(&said, "error"), streamed(std::slice::from_ref(&said), "error")] {
        let failure = failure.unwrap_err();
        assert_eq!((failure.kind, failure.finish_reason_raw.as_deref()), (Kind::ServerError, Some("error")));
        assert_eq!(failure.answer.unwrap().text, "Yes.");
    }
    assert_eq!(whole(&said, "content_filter").unwrap_err().kind, Kind::UnknownFinishReason);
}

#[test]
fn whole_calls_of_an_older_stream_are_read_without_index_and_type() {
    let call = |id: &str, city: &str| json!({ "id": id, "function": { "name": "f", "arguments": json!({ "city": city }).to_string() } });
    let answer = streamed(
        &[json!({ "content": "", "tool_calls": [call("D681PevKs", "Oslo"), call("D681PevKt", "Gent")] })],
        "tool_calls",
    )
    .unwrap();
    let seen: Vec<_> = answer.tool_calls.iter().map(|call| (&*call.id, &*call.arguments)).collect();
    assert_eq!(seen, [("D681PevKs", r#"{"city":"Oslo"}"#), ("D681PevKt", r#"{"city":"Gent"}"#)]);
}

#[test]
fn errors_are_told_apart_in_all_their_shapes() {
    let flat = |message: &str, word: &str, code: &str| {
        json!({ "object": "error", "message": message, "type": word, "param": null, "code": code })
            .to_string()
    };
    for (status, body, kind) in [
        (400, flat("Invalid model: x", "invalid_model", "1500"), Kind::NotFound),
        (
            400,
            flat(
                "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
                "invalid_request_invalid_args",
                "3051",
            ),
            Kind::ContextLength,
        ),
        (
            400,
            flat("Unexpected role 'user' after role 'tool'", "invalid_request_message_order", "3230"),
            Kind::UnsupportedParameter,
        ),
        (
            400,
            flat(
                "reasoning_effort='medium' is not supported for this model",
                "invalid_request_invalid_args",
                "3051",
            ),
            Kind::UnsupportedParameter,
        ),
        (
            400,
            flat(
                "Reasoning prompt mode is not enabled for this model",
                "invalid_request_invalid_args",
                "3051",
            ),
            Kind::UnsupportedParameter,
        ),
        (400, flat("Bad argument", "invalid_request_error", "3051"), Kind::InvalidRequest),
        (401, json!({ "detail": "Invalid API Key" }).to_string(), Kind::Auth),
        (401, json!({ "message": "Unauthorized", "request_id": "r" }).to_string(), Kind::Auth),
        (402, flat("Payment required", "billing_error", "1000"), Kind::QuotaExhausted),
        (403, json!({ "message": "Forbidden", "request_id": "r" }).to_string(), Kind::Permission),
        (404, json!({ "message": "no Route matched with those values" }).to_string(), Kind::NotFound),
        (429, flat("Rate limit exceeded", "rate_limited", "1300"), Kind::RateLimited),
        (429, json!({ "message": "Requests rate limit exceeded" }).to_string(), Kind::RateLimited),
        (
            429,
            flat("Service tier capacity exceeded for this model.", "invalid_request_error", ""),
            Kind::Overloaded,
        ),
        (429, flat("Capacity", "service_tier_capacity_exceeded", "3505"), Kind::Overloaded),
        (500, flat("Internal server error", "internal_server_error", "1000"), Kind::ServerError),
        (502, "<html>".to_owned(), Kind::ServerError),
        (503, flat("Service unavailable", "internal_server_proxy", "1000"), Kind::Overloaded),
        (504, json!({ "message": "The upstream server is timing out" }).to_string(), Kind::ServerError),
    ] {
        let failure = error(status, &body);
        assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{status} {body}");
    }
}

#[test]
fn a_complaint_names_its_field_and_never_shows_the_input() {
    let detail =
        |place: &[&str], msg: &str| json!([{ "type": "t", "loc": place, "msg": msg, "input": "my secret" }]);
    let extra = detail(&["body", "user"], "Extra inputs are not permitted");
    let hot = detail(&["body", "temperature"], "Input should be less than or equal to 1.5");
    let missing = detail(&["body", "messages"], "Field required");
    for (detail, kind, param) in [
        (&extra, Kind::UnsupportedParameter, "user"),
        (&hot, Kind::UnsupportedParameter, "temperature"),
        (&missing, Kind::InvalidRequest, "messages"),
    ] {
        for body in [
            json!({ "detail": detail }),
            json!({ "object": "error", "message": { "detail": detail }, "type": "invalid_request_error" }),
            json!({ "object": "Error", "message": detail, "type": "invalid_request_error", "code": 3001 }),
            json!({ "object": "error", "message": json!({ "detail": detail }).to_string(), "code": "1000" }),
        ] {
            let failure = error(422, &body.to_string());
            assert_eq!((failure.kind, failure.param.as_deref()), (kind, Some(param)), "{body}");
            assert!(!failure.message.contains("secret"), "{}", failure.message);
        }
    }
}

#[test]
fn an_error_inside_a_stream_is_an_error() {
    let body = concat!(
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Yes\"},\"finish_reason\":null}]}\n\n",
        "data: {\"object\":\"error\",\"message\":\"Internal server error\",\"type\":\"server_error\",\"code\":\"1000\"}\n\n",
    );
    let failure = read(true, body).unwrap_err();
    assert_eq!(failure.kind, Kind::ServerError);
    assert_eq!(failure.answer.unwrap().text, "Yes");
}

/// A turn in which the model thought and called a tool, and the tool's result.
fn tool_turn(model: &str, id: &str) -> ChatRequest {
    let block = ReasoningBlock {
        dialect: Dialect::OpenaiChat,
        origin: Some(Target::new("mistral", model)),
        raw: RawJson::of(&thinking("Need the live value.", true)).unwrap(),
    };
    let call = ToolCall {
        id: id.to_owned(),
        name: "get_weather".to_owned(),
        arguments: "{\"city\":\"Oslo\"}".to_owned(),
        extra: Extra::new(),
    };
    let assistant = ChatMessage {
        tool_calls: vec![call],
        reasoning_content: Some("Need the live value.".to_owned()),
        reasoning_blocks: vec![block],
        ..ChatMessage::empty(Role::Assistant)
    };
    let result = ChatMessage { tool_call_id: Some(id.to_owned()), ..ChatMessage::new(Role::Tool, "4 C") };
    ChatRequest::user("Weather in Oslo?").message(assistant).message(result)
}

#[test]
fn ids_of_nine_letters_stay_and_others_are_made_so_for_call_and_result() {
    for (id, stays) in
        [("D681PevKs", true), ("call_QpgJRI5C9DcjExMNU6lrJPcu", false), ("toolu_01", false), ("", false)]
    {
        let (body, _) = write("mistral-small-2603", &tool_turn("mistral-small-2603", id));
        let sent = body["messages"][1]["tool_calls"][0]["id"].as_str().unwrap();
        assert_eq!((sent == id, sent.len()), (stays, 9), "{id}");
        assert!(sent.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{sent}");
        assert_eq!(body["messages"][2]["tool_call_id"], sent, "{id}");
        assert_eq!(body["messages"][2]["name"], "get_weather", "{id}");
    }
}

#[test]
fn thinking_goes_back_as_it_came_and_only_to_a_model_that_thinks() {
    let (body, _) = write("mistral-small-2603", &tool_turn("mistral-small-2603", "D681PevKs"));
    assert_eq!(body["messages"][1]["content"], json!([thinking("Need the live value.", true)]));
    let (body, _) = write("codestral-latest", &tool_turn("mistral-small-2603", "D681PevKs"));
    assert!(!body.to_string().contains("live value"), "{body}");
}

#[test]
fn what_openai_clients_send_as_a_matter_of_course_does_not_cost_the_call() {
    let mut request = ChatRequest {
        origin: Some(Dialect::OpenaiChat),
        reasoning_effort: Some(ReasoningEffort::Medium),
        tool_choice: Some(ToolChoice::Required),
        seed: Some(7),
        ..tool_turn("mistral-small-2603", "D681PevKs")
    }
    .message(ChatMessage { name: Some("ann".into()), ..ChatMessage::new(Role::User, "And Gent?") })
    .tool(mainstay_canon::Tool {
        parameters: None,
        ..mainstay_canon::Tool::function("f", "d", RawJson::of("").unwrap())
    });
    for name in ["user", "store", "service_tier", "safe_prompt"] {
        request.extra.insert(name, RawJson::of(&json!("x")).unwrap());
    }
    let (body, notes) = write("mistral-small-2603", &request);
    let members: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected =
        ["model", "messages", "random_seed", "reasoning_effort", "safe_prompt", "tool_choice", "tools"];
    expected.sort_unstable();
    let mut members_sorted = members.clone();
    members_sorted.sort_unstable();
    assert_eq!(members_sorted, expected);
    assert_eq!((&body["tool_choice"], &body["reasoning_effort"]), (&json!("any"), &json!("high")));
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(body["messages"][4].get("name"), None);
    assert!(notes.iter().any(|note| note == "dropped_param:user"), "{notes:?}");
}
