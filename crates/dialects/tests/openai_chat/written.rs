//! What goes out: requests to a model that takes less than everything, and replies to a caller.

use mainstay_canon::{
    Accepts, Answer, ChatMessage, ChatRequest, ChatResponse, Content, ContentPart, Cost, Dialect, Extra,
    FinishReason, Kind, Media, MediaSource, Quality, RawJson, ReasoningBlock, ReasoningReplay, ReplyEvent,
    ResponseFormat, Role, Target, Tool, ToolCall, ToolChoice, Usage, Verdict,
};
use mainstay_dialects::openai_chat::{INBOUND, OpenAiChat, ReasoningStyle};
use mainstay_dialects::{Ending, FaceContext, Inbound, Problem, ProblemKind, Upstream};
use serde_json::{Value, json};

use crate::shared::{takes_all, target, write};

fn written(request: &ChatRequest, accepts: &Accepts) -> (Value, Vec<String>) {
    write(&OpenAiChat::STANDARD, request, accepts).unwrap()
}

fn refused(request: &ChatRequest, accepts: &Accepts) -> (Kind, String) {
    let failure = write(&OpenAiChat::STANDARD, request, accepts).unwrap_err();
    (failure.kind, failure.param.unwrap())
}

fn conversation(turns: &[(Role, &str)]) -> ChatRequest {
    let messages = turns.iter().map(|(role, text)| ChatMessage::new(*role, *text)).collect();
    ChatRequest { messages, ..ChatRequest::default() }
}

fn raw(json: &str) -> RawJson {
    RawJson::parse(json).unwrap()
}

#[test]
fn an_ordinary_request_is_plain() {
    let request = ChatRequest::user("hi").system("be brief").max_tokens(20);
    let (body, notes) = written(&request, &takes_all());
    assert_eq!(
        body,
        json!({"model": "gpt-6-luna", "max_tokens": 20,
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]})
    );
    assert_eq!(notes, [""; 0]);
}

#[test]
fn members_that_a_role_does_not_have_are_the_callers_own_and_go_along() {
    let body = json!({"model": "gpt-6-luna", "messages": [
        {"role": "system", "content": "be brief", "refusal": null},
        {"role": "user", "content": "hi", "refusal": "no", "reasoning": {"effort": "low"}, "tool_calls": []},
        {"role": "tool", "content": "1", "tool_call_id": "c", "reasoning_content": "x"}]});
    let request = INBOUND.read_request(&serde_json::to_vec(&body).unwrap()).unwrap().request;
    let (written, notes) = written(&request, &takes_all());
    assert_eq!((written, notes), (body, Vec::new()));
}

#[test]
fn a_stream_asks_for_token_counts_unless_the_host_refuses() {
    let request = ChatRequest { stream: true, ..ChatRequest::user("hi") };
    let (body, _) = written(&request, &takes_all());
    assert_eq!((&body["stream"], &body["stream_options"]), (&json!(true), &json!({"include_usage": true})));
    let style = OpenAiChat { include_usage: false, ..OpenAiChat::STANDARD };
    let (body, _) = write(&style, &request, &takes_all()).unwrap();
    assert_eq!(body.get("stream_options"), None);
}

#[test]
fn the_developer_becomes_the_system_where_nobody_knows_the_name() {
    let request = conversation(&[(Role::Developer, "a"), (Role::User, "b")]);
    assert_eq!(written(&request, &takes_all()).0["messages"][0]["role"], "developer");
    assert_eq!(written(&request, &Accepts::default()).0["messages"][0]["role"], "system");
}

#[test]
fn without_a_system_role_its_text_comes_before_the_first_user_message() {
    let accepts = Accepts { system_role: false, ..Accepts::default() };
    let request =
        conversation(&[(Role::System, "a"), (Role::Assistant, "b"), (Role::User, "c"), (Role::System, "d")]);
    assert_eq!(
        written(&request, &accepts).0["messages"],
        json!([{"role": "assistant", "content": "b"}, {"role": "user", "content": "a\n\nd\n\nc"}])
    );
    let alone = conversation(&[(Role::System, "a")]);
    assert_eq!(written(&alone, &accepts).0["messages"], json!([{"role": "user", "content": "a"}]));
}

#[test]
fn neighbours_of_one_role_are_joined_but_results_of_tools_are_not() {
    let accepts = Accepts { alternate_roles: true, ..takes_all() };
    let mut request =
        conversation(&[(Role::User, "a"), (Role::User, "b"), (Role::Assistant, "c"), (Role::Assistant, "")]);
    request.messages[3].tool_calls = vec![call("x"), call("y")];
    for id in ["x", "y"] {
        request
            .messages
            .push(ChatMessage { tool_call_id: Some(id.into()), ..ChatMessage::new(Role::Tool, id) });
    }
    let body = written(&request, &accepts).0;
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(body["messages"][0]["content"], "a\n\nb");
    assert_eq!(body["messages"][1]["content"], "c");
    assert_eq!(body["messages"][1]["tool_calls"].as_array().unwrap().len(), 2);
    assert_eq!(body["messages"][3]["tool_call_id"], "y");
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "f".into(), arguments: "{}".into(), extra: Extra::new() }
}

fn tool() -> Tool {
    Tool::function("f", "does", raw(r#"{"type": "object"}"#))
}

#[test]
fn what_a_model_does_not_take_is_left_out_and_noted_or_refused() {
    let mut request = ChatRequest::user("hi");
    request.temperature = Some(0.5);
    request.reasoning_effort = Some(mainstay_canon::ReasoningEffort::Low);
    request.origin = Some(Dialect::OpenaiChat);
    request.extra.insert("presence_penalty", raw("0.5"));
    request.extra.insert("metadata", raw("{}"));
    let accepts = Accepts { sampling: false, effort: false, ..takes_all() };
    let (body, notes) = written(&request, &accepts);
    assert_eq!(body["metadata"], json!({}));
    for name in ["temperature", "reasoning_effort", "presence_penalty"] {
        assert_eq!(body.get(name), None);
        assert!(notes.contains(&format!("dropped_param:{name}")), "{notes:?}");
    }
    let tools = ChatRequest::user("hi").tool(tool());
    assert_eq!(
        refused(&tools, &Accepts { tools: false, ..takes_all() }),
        (Kind::UnsupportedParameter, "tools".into())
    );
    let mut image = ChatRequest::user("see");
    image.messages[0].content.push(ContentPart { content: Content::Image(picture()), extra: Extra::new() });
    let no_images = Accepts { images: false, ..takes_all() };
    assert_eq!(refused(&image, &no_images), (Kind::UnsupportedParameter, "messages[0].content[1]".into()));
    let mut odd = ChatRequest::user("hi");
    odd.temperature = Some(f64::NAN);
    assert_eq!(refused(&odd, &takes_all()), (Kind::InvalidRequest, "temperature".into()));
}

fn picture() -> Media {
    Media { mime: None, name: None, source: MediaSource::Base64("/9j/AAAA".into()) }
}

#[test]
fn an_image_without_a_type_is_known_by_its_bytes() {
    let mut image = ChatRequest::user("see");
    image.messages[0].content.push(ContentPart { content: Content::Image(picture()), extra: Extra::new() });
    let body = written(&image, &takes_all()).0;
    assert_eq!(body["messages"][0]["content"][1]["image_url"]["url"], "data:image/jpeg;base64,/9j/AAAA");
}

#[test]
fn a_schema_becomes_json_mode_with_the_schema_in_the_instruction() {
    let request = ChatRequest {
        response_format: ResponseFormat::JsonSchema {
            name: "n".into(),
            schema: raw(r#"{"type":"object"}"#),
            strict: None,
        },
        ..ChatRequest::user("hi").system("be brief")
    };
    let body = written(&request, &takes_all()).0;
    assert_eq!(
        body["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}})
    );
    let (body, notes) = written(&request, &Accepts { json_schema: false, ..takes_all() });
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.starts_with("be brief\n\nAnswer with one JSON object")
            && system.ends_with(r#"{"type":"object"}"#)
    );
    assert_eq!(notes.len(), 1);
}

#[test]
fn extras_of_another_dialect_stay_behind_by_name() {
    let mut request = ChatRequest::user("hi");
    request.origin = Some(Dialect::Anthropic);
    request.extra.insert("thinking", raw("{}"));
    request.messages[0].content[0].extra.insert("cache_control", raw("{}"));
    let (body, notes) = written(&request, &takes_all());
    assert_eq!(body["messages"], json!([{"role": "user", "content": "hi"}]));
    assert_eq!(notes, ["not passed on (anthropic): cache_control, thinking"]);
}

#[test]
fn native_things_of_another_dialect_are_refused_by_name() {
    let mut part = ChatRequest::user("hi");
    let native =
        Content::Native { dialect: Dialect::Anthropic, kind: "search_result".into(), raw: raw("{}") };
    part.messages[0].content.push(ContentPart { content: native, extra: Extra::new() });
    let failure = write(&OpenAiChat::STANDARD, &part, &takes_all()).unwrap_err();
    assert_eq!(failure.message, "messages[0].content[1]: a `search_result` part of the anthropic dialect");
    let mut tool = ChatRequest::user("hi")
        .tool(Tool { native: Some(raw(r#"{"type":"web_search_20260101"}"#)), ..tool() });
    tool.origin = Some(Dialect::Anthropic);
    assert_eq!(refused(&tool, &takes_all()), (Kind::UnsupportedParameter, "tools[0]".into()));
    tool.origin = Some(Dialect::OpenaiChat);
    assert_eq!(written(&tool, &takes_all()).0["tools"], json!([{"type": "web_search_20260101"}]));
}

fn thought(calls: bool) -> ChatRequest {
    let block = |origin: Option<Target>, json: &str| ReasoningBlock {
        dialect: Dialect::OpenaiChat,
        origin,
        raw: raw(json),
    };
    let mut request = conversation(&[(Role::User, "a"), (Role::Assistant, "b"), (Role::User, "c")]);
    request.messages[1].reasoning_content = Some("r".into());
    request.messages[1].reasoning_blocks = vec![
        block(Some(target()), r#"{"type":"reasoning.text","text":"ours","n":1.0}"#),
        block(Some(Target::new("openai", "other")), r#"{"type":"reasoning.text","text":"theirs"}"#),
        block(None, r#"{"type":"reasoning.text","text":"unsaid"}"#),
        block(None, r#"{"type":"thinking","thinking":[]}"#),
    ];
    if calls {
        request.messages[1].tool_calls.push(call("x"));
    }
    request
}

#[test]
fn reasoning_goes_back_when_the_model_wants_it() {
    for (replay, plain, with_calls) in [
        (ReasoningReplay::All, true, true),
        (ReasoningReplay::ToolLoop, false, true),
        (ReasoningReplay::Never, false, false),
    ] {
        let accepts = Accepts { reasoning_replay: replay, ..takes_all() };
        for (calls, wanted) in [(false, plain), (true, with_calls)] {
            let body = written(&thought(calls), &accepts).0;
            assert_eq!(body["messages"][1].get("reasoning_content").is_some(), wanted, "{replay:?}");
            assert_eq!(body["messages"][1].get("reasoning_details").is_some(), wanted, "{replay:?}");
        }
    }
}

#[test]
fn blocks_go_back_unchanged_and_only_to_the_model_that_sent_them() {
    let of = |style| {
        write(&OpenAiChat { reasoning: style, ..OpenAiChat::STANDARD }, &thought(true), &takes_all()).unwrap()
    };
    let ours = json!({"type": "reasoning.text", "text": "ours", "n": 1.0});
    let unsaid = json!({"type": "reasoning.text", "text": "unsaid"});
    let (field, notes) = of(ReasoningStyle::Field("reasoning"));
    assert_eq!(
        (&field["messages"][1]["reasoning"], &field["messages"][1]["reasoning_details"]),
        (&json!("r"), &json!([ours]))
    );
    assert_eq!(
        notes,
        ["earlier reasoning is not sent back: it is another model's, or this one does not take it"]
    );
    let details = of(ReasoningStyle::Details).0;
    assert_eq!(
        (details["messages"][1].get("reasoning"), &details["messages"][1]["reasoning_details"]),
        (None, &json!([ours, unsaid]))
    );
    let parts = of(ReasoningStyle::Parts).0;
    assert_eq!(
        parts["messages"][1]["content"],
        json!([{"type": "thinking", "thinking": []}, {"type": "text", "text": "b"}])
    );
    assert_eq!(of(ReasoningStyle::Tags).0["messages"][1]["content"], "<think>\nr\n</think>\n\nb");
    assert_eq!(of(ReasoningStyle::Nowhere).0["messages"][1].get("reasoning_content"), None);
}

#[test]
fn a_host_may_want_names_and_short_ids() {
    let style = OpenAiChat {
        tool_names: true,
        short_tool_ids: true,
        seed: "random_seed",
        tool_required: "any",
        ..OpenAiChat::STANDARD
    };
    let mut request = conversation(&[(Role::User, "a"), (Role::Assistant, "")]).tool(tool());
    request.messages[1].tool_calls.push(call("call_QpgJRI5C9D"));
    let result =
        ChatMessage { tool_call_id: Some("call_QpgJRI5C9D".into()), ..ChatMessage::new(Role::Tool, "r") };
    request = request.message(result);
    request.seed = Some(7);
    request.tool_choice = Some(ToolChoice::Required);
    let body = write(&style, &request, &takes_all()).unwrap().0;
    let id = &body["messages"][1]["tool_calls"][0]["id"];
    assert_eq!((id.as_str().unwrap().len(), id), (9, &body["messages"][2]["tool_call_id"]));
    assert_eq!(
        (&body["messages"][2]["name"], &body["random_seed"], &body["tool_choice"]),
        (&json!("f"), &json!(7), &json!("any"))
    );
}

#[test]
fn a_result_of_a_tool_can_only_be_text() {
    let mut request = conversation(&[(Role::User, "a"), (Role::Tool, "b")]);
    request.messages[1].content.push(ContentPart { content: Content::Image(picture()), extra: Extra::new() });
    assert_eq!(refused(&request, &takes_all()).1, "messages[1].content[1]");
}

fn context(include_usage: bool) -> FaceContext {
    FaceContext {
        request_id: "req_1".into(),
        created: 1_770_000_000,
        include_usage,
        echo: mainstay_canon::Extra::new(),
    }
}

fn response(answer: Answer) -> ChatResponse {
    ChatResponse {
        answer,
        request_id: "req_1".into(),
        target: target(),
        quality: Verdict::ok(),
        cost: Cost::Unknown,
        latency_ms: 1,
        time_to_first_token_ms: None,
        attempts: Vec::new(),
        from_static_tier: false,
        continued_at: None,
    }
}

fn replied(response: &ChatResponse) -> Value {
    serde_json::from_slice(&INBOUND.write_reply(response, &context(false))).unwrap()
}

#[test]
fn a_reply_has_what_the_sdks_ask_for() {
    let answer = Answer {
        model: Some("gpt-6-luna-2026".into()),
        text: "Hi".into(),
        finish_reason: FinishReason::Stop,
        reasoning_content: Some("r".into()),
        usage: Usage { prompt: 9, completion: 5, cached: 4, reasoning: 2, ..Usage::default() },
        ..Answer::default()
    };
    assert_eq!(
        String::from_utf8(INBOUND.write_reply(&response(answer), &context(false))).unwrap(),
        r#"{"id":"chatcmpl-req_1","object":"chat.completion","created":1770000000,"model":"gpt-6-luna-2026","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"reasoning_content":"r"},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":0},"completion_tokens_details":{"reasoning_tokens":2}}}"#
    );
}

#[test]
fn a_refusal_is_said_in_its_field_and_its_text_stays() {
    let declined =
        Answer { text: "I cannot.".into(), finish_reason: FinishReason::Stop, ..Answer::default() };
    let mut plain = response(declined);
    plain.quality = Verdict::of(Quality::Refusal, "refusal.head", "");
    let message = &replied(&plain)["choices"][0]["message"];
    assert_eq!((&message["content"], &message["refusal"]), (&json!("I cannot."), &json!("I cannot.")));
    let field =
        Answer { refusal: Some("No.".into()), finish_reason: FinishReason::Refusal, ..Answer::default() };
    let reply = replied(&response(field));
    let message = &reply["choices"][0]["message"];
    assert_eq!((&message["content"], &message["refusal"]), (&Value::Null, &json!("No.")));
    assert_eq!(reply["choices"][0]["finish_reason"], "stop");
    let silent = Answer { finish_reason: FinishReason::Refusal, ..Answer::default() };
    assert_eq!(
        replied(&response(silent))["choices"][0]["message"]["refusal"],
        "The model declined to answer."
    );
}

#[test]
fn every_finish_reason_has_a_word() {
    for (reason, word) in [
        (FinishReason::Stop, "stop"),
        (FinishReason::Length, "length"),
        (FinishReason::ToolCall, "tool_calls"),
        (FinishReason::ContentFilter, "content_filter"),
        (FinishReason::Pause, "stop"),
        (FinishReason::Empty, "stop"),
    ] {
        let reply = replied(&response(Answer { finish_reason: reason, ..Answer::default() }));
        assert_eq!(reply["choices"][0]["finish_reason"], word);
        assert_eq!(reply["choices"][0]["message"]["content"], "");
    }
}

#[test]
fn extras_reach_a_caller_of_the_same_dialect_and_no_other() {
    let wire = br#"{"id":"x","object":"chat.completion","model":"m","system_fingerprint":"fp","choices":[{"index":0,"logprobs":{"content":[1.0]},
        "message":{"content":"a","annotations":[{"n":1.0}],"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"},"extra_content":{"s":1}}]},"finish_reason":"tool_calls"}]}"#;
    let reply = OpenAiChat::STANDARD.read_reply(wire).unwrap();
    let answer = Answer {
        extra: reply.extra,
        tool_calls: reply.tool_calls,
        text: reply.text,
        dialect: Some(Dialect::OpenaiChat),
        ..Answer::default()
    };
    let ours = replied(&response(answer.clone()));
    assert_eq!(ours["system_fingerprint"], "fp");
    assert_eq!(ours["choices"][0]["logprobs"], json!({"content": [1.0]}));
    assert_eq!(ours["choices"][0]["message"]["annotations"], json!([{"n": 1.0}]));
    assert_eq!(ours["choices"][0]["message"]["tool_calls"][0]["extra_content"], json!({"s": 1}));
    let mut foreign = answer;
    foreign.dialect = Some(Dialect::Anthropic);
    foreign.extra = [("stop_details".to_owned(), raw("{}"))].into_iter().collect();
    assert_eq!(replied(&response(foreign)).get("stop_details"), None);
}

fn streamed(include_usage: bool, events: &[ReplyEvent], ending: &Ending) -> String {
    let mut writer = INBOUND.write_stream(&context(include_usage));
    let mut out = Vec::new();
    for event in events {
        writer.event(event, &mut out);
    }
    writer.finish(ending, &mut out);
    String::from_utf8(out).unwrap()
}

fn ending(reason: FinishReason) -> Ending {
    let usage = Usage { prompt: 3, completion: 2, ..Usage::default() };
    Ending { reason, raw: None, stop_sequence: None, context_full: false, usage, mark: None, comment: None }
}

#[test]
fn a_stream_is_written_as_the_sdks_read_it() {
    let events = [
        ReplyEvent::Start { id: Some("x".into()), model: Some("m".into()) },
        ReplyEvent::Text("Hi \"you\"".into()),
        ReplyEvent::ToolStart { index: 0, id: "a".into(), name: "f".into(), extra: Extra::new() },
        ReplyEvent::ToolArguments { index: 0, delta: "{}".into() },
        ReplyEvent::ToolEnd { index: 0 },
    ];
    let mut ending = ending(FinishReason::ToolCall);
    ending.comment = Some(raw("{\"tier\":\n\"a/b\"}"));
    ending.mark = Some(raw(r#"{"continued_at":4}"#));
    let chunk = |choices: &str, more: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-req_1\",\"object\":\"chat.completion.chunk\",\"created\":1770000000,\"model\":\"m\",\"choices\":[{choices}]{more}}}\n\n"
        )
    };
    let delta = |delta: &str| {
        chunk(
            &format!(r#"{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":null}}"#),
            ",\"usage\":null",
        )
    };
    let expected = [
        delta(r#"{"role":"assistant","content":""}"#),
        delta(r#"{"content":"Hi \"you\""}"#),
        delta(
            r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}"#,
        ),
        delta(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#),
        chunk(
            r#"{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}"#,
            r#","usage":null,"mainstay":{"continued_at":4}"#,
        ),
        chunk(
            "",
            r#","usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}"#,
        ),
        ": mainstay {\"tier\": \"a/b\"}\n\n".to_owned(),
        "data: [DONE]\n\n".to_owned(),
    ];
    assert_eq!(streamed(true, &events, &ending), expected.concat());
}

#[test]
fn without_a_wish_there_are_no_token_counts() {
    let wire = streamed(false, &[], &ending(FinishReason::Stop));
    assert!(!wire.contains("usage"), "{wire}");
    assert_eq!(wire.matches("data: ").count(), 3, "role, finish, terminator");
}

#[test]
fn a_stream_that_declines_says_so_in_the_field() {
    let wire = streamed(false, &[ReplyEvent::Text("I cannot.".into())], &ending(FinishReason::Refusal));
    assert!(wire.contains(r#"{"refusal":"I cannot."}"#), "{wire}");
    let field = streamed(false, &[ReplyEvent::Refusal("No.".into())], &ending(FinishReason::Refusal));
    assert_eq!(field.matches("refusal").count(), 1, "{field}");
}

#[test]
fn an_error_in_a_stream_is_no_end() {
    let mut writer = INBOUND.write_stream(&context(true));
    let mut out = Vec::new();
    writer.event(&ReplyEvent::Text("a".into()), &mut out);
    writer.keep_alive(&mut out);
    let problem = Problem {
        kind: ProblemKind::AllProvidersFailed,
        status: 503,
        message: "the stream broke off".into(),
        param: None,
        code: None,
        request_id: "req_1".into(),
    };
    writer.problem(&problem, &mut out);
    let wire = String::from_utf8(out).unwrap();
    assert!(wire.contains(": keep-alive\n\n"));
    assert!(wire.ends_with(
        "data: {\"error\":{\"message\":\"the stream broke off\",\"type\":\"all_providers_failed\",\"param\":null,\"code\":\"all_providers_failed\"}}\n\n"
    ));
    assert!(!wire.contains("[DONE]") && !wire.contains("\"stop\""));
}
