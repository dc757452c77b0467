//! What goes out to a provider: snapshots of requests, and what becomes of what cannot be said.

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Kind, Media, MediaSource,
    ReasoningBlock, ReasoningEffort, ReasoningReplay, ResponseFormat, Role, Target, Tool, ToolCall,
    ToolChoice, Verbatim,
};
use mainstay_dialects::openai_responses::OpenAiResponses;
use mainstay_dialects::{Call, Upstream};
use serde_json::{Value, json};

use crate::shared::{raw, takes_all, target, write};

fn written(request: &ChatRequest, accepts: &Accepts) -> (Value, Vec<String>) {
    write(request, accepts).unwrap()
}

fn refused(request: &ChatRequest, accepts: &Accepts) -> (Kind, String) {
    let failure = write(request, accepts).unwrap_err();
    (failure.kind, failure.param.unwrap())
}

fn conversation(turns: &[(Role, &str)]) -> ChatRequest {
    let messages = turns.iter().map(|(role, text)| ChatMessage::new(*role, *text)).collect();
    ChatRequest { messages, ..ChatRequest::default() }
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "f".into(), arguments: "{\"a\": 1}".into(), extra: Extra::new() }
}

fn result(id: &str, text: &str) -> ChatMessage {
    ChatMessage { tool_call_id: Some(id.into()), ..ChatMessage::new(Role::Tool, text) }
}

fn tool() -> Tool {
    Tool::function("f", "does", raw(r#"{"type": "object"}"#))
}

#[test]
fn an_ordinary_request_is_plain() {
    let request = ChatRequest::user("hi").system("be brief").max_tokens(20);
    let plain = Accepts { effort: false, ..takes_all() };
    let (body, notes) = written(&request, &plain);
    assert_eq!(
        body,
        json!({"model": "gpt-6-sol", "instructions": "be brief", "max_output_tokens": 20, "store": false,
            "input": [{"type": "message", "role": "user", "content": "hi"}]})
    );
    assert_eq!(notes, [""; 0]);
}

#[test]
fn a_whole_tool_loop_is_written_item_by_item() {
    let thought =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA", "n": 1.0});
    let mut request =
        conversation(&[(Role::System, "s"), (Role::User, "weather?"), (Role::Assistant, "Looking.")]);
    request.messages[2].tool_calls = vec![call("call_1"), call("call_2")];
    request.messages[2].reasoning_content = Some("Need it live.".into());
    request.messages[2].reasoning_blocks = vec![ReasoningBlock {
        dialect: Dialect::OpenaiResponses,
        origin: Some(target()),
        raw: raw(&thought.to_string()),
    }];
    request.messages.extend([result("call_1", "4 C"), result("call_2", "5 C")]);
    request = request.tool(tool());
    request.tool_choice = Some(ToolChoice::Named("f".into()));
    request.parallel_tool_calls = Some(true);
    request.reasoning_effort = Some(ReasoningEffort::Low);
    request.response_format = ResponseFormat::JsonSchema {
        name: "n".into(),
        schema: raw(r#"{"type":"object"}"#),
        strict: Some(true),
    };
    request.stream = true;
    let (body, notes) = written(&request, &takes_all());
    assert_eq!(
        body,
        json!({
            "model": "gpt-6-sol",
            "instructions": "s",
            "input": [
                {"type": "message", "role": "user", "content": "weather?"},
                thought,
                {"type": "message", "role": "assistant", "content": "Looking."},
                {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"a\": 1}"},
                {"type": "function_call", "call_id": "call_2", "name": "f", "arguments": "{\"a\": 1}"},
                {"type": "function_call_output", "call_id": "call_1", "output": "4 C"},
                {"type": "function_call_output", "call_id": "call_2", "output": "5 C"}
            ],
            "tools": [{"type": "function", "name": "f", "description": "does", "parameters": {"type": "object"}, "strict": false}],
            "tool_choice": {"type": "function", "name": "f"},
            "parallel_tool_calls": true,
            "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": true}},
            "reasoning": {"effort": "low"},
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "stream": true
        })
    );
    assert_eq!(notes, [""; 0]);
}

#[test]
fn reasoning_goes_only_to_the_model_that_thought_it() {
    let block = |dialect, origin: Option<Target>| ReasoningBlock {
        dialect,
        origin,
        raw: raw(r#"{"type":"reasoning","id":"rs_1","encrypted_content":"x"}"#),
    };
    let ask = |blocks: Vec<ReasoningBlock>, accepts: &Accepts| {
        let mut request = conversation(&[(Role::User, "a"), (Role::Assistant, "b"), (Role::User, "c")]);
        let mut answering = call("x");
        answering.extra.insert("id", raw("\"fc_1\""));
        request.messages[1].extra.insert("id", raw("\"msg_1\""));
        request.messages[1].tool_calls = vec![answering];
        request.messages[1].reasoning_blocks = blocks;
        let (body, notes) = written(&request, accepts);
        let items = body["input"].as_array().unwrap();
        let sent = items.iter().filter(|item| item["type"] == "reasoning").count();
        (sent, notes.len(), items.iter().filter(|item| item.get("id").is_some()).count())
    };
    let ours = || block(Dialect::OpenaiResponses, Some(target()));
    // With its reasoning an item keeps its id; without it, the id would ask for what is not there.
    assert_eq!(ask(vec![ours()], &takes_all()), (1, 0, 3));
    assert_eq!(ask(vec![block(Dialect::OpenaiResponses, None)], &takes_all()), (1, 0, 3));
    let other = block(Dialect::OpenaiResponses, Some(Target::new("openai", "gpt-6-luna")));
    assert_eq!(ask(vec![ours(), other], &takes_all()), (1, 1, 1));
    assert_eq!(ask(vec![block(Dialect::Anthropic, Some(target()))], &takes_all()), (0, 1, 0));
    let never = Accepts { reasoning_replay: ReasoningReplay::Never, ..takes_all() };
    assert_eq!(ask(vec![ours()], &never), (0, 1, 0));
    assert_eq!(ask(Vec::new(), &takes_all()), (0, 0, 2));
}

#[test]
fn reasoning_that_leads_nowhere_is_left_out() {
    let mut request = conversation(&[(Role::User, "a")]);
    let block = ReasoningBlock {
        dialect: Dialect::OpenaiResponses,
        origin: Some(target()),
        raw: raw(r#"{"type":"reasoning","id":"rs_1"}"#),
    };
    let thinking = ChatMessage { reasoning_blocks: vec![block], ..ChatMessage::empty(Role::Assistant) };
    request = request.message(thinking);
    let (body, notes) = written(&request, &takes_all());
    assert!(body["input"].as_array().unwrap().iter().all(|item| item["type"] != "reasoning"));
    assert_eq!(notes.len(), 1);
}

#[test]
fn a_turn_of_this_dialect_goes_back_as_it_came() {
    let items = json!([
        {"type": "message", "role": "assistant", "id": "msg_1", "phase": "commentary", "content": [{"type": "output_text", "text": "a", "annotations": [], "n": 1.0}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}
    ]);
    let mut request = conversation(&[(Role::User, "a"), (Role::Assistant, "a")]);
    request.messages[1].tool_calls = vec![call("c")];
    request.messages[1].verbatim =
        Some(Verbatim { dialect: Dialect::OpenaiResponses, content: raw(&items.to_string()) });
    let (body, notes) = written(&request, &takes_all());
    assert_eq!(body["input"].as_array().unwrap()[1..], items.as_array().unwrap()[..]);
    assert_eq!(notes, [""; 0]);
    request.messages[1].verbatim.as_mut().unwrap().dialect = Dialect::Anthropic;
    assert_eq!(written(&request, &takes_all()).0["input"][1]["content"], "a");
}

#[test]
fn roles_are_those_that_a_model_takes() {
    let request = conversation(&[(Role::Developer, "a"), (Role::User, "b")]);
    assert_eq!(written(&request, &takes_all()).0["input"][0]["role"], "developer");
    let older = written(&request, &Accepts::default()).0;
    assert_eq!((&older["instructions"], older["input"].as_array().unwrap().len()), (&json!("a"), 1));
    let none = Accepts { system_role: false, ..Accepts::default() };
    let request =
        conversation(&[(Role::System, "a"), (Role::Assistant, "b"), (Role::User, "c"), (Role::System, "d")]);
    let (body, _) = written(&request, &none);
    assert_eq!(body.get("instructions"), None);
    assert_eq!(body["input"][1]["content"], "a\n\nd\n\nc");
    let alone = conversation(&[(Role::System, "a")]);
    assert_eq!(written(&alone, &takes_all()).0["input"][0]["role"], "system");
    assert_eq!(written(&alone, &none).0["input"][0]["role"], "user");
    let turns = Accepts { alternate_roles: true, ..takes_all() };
    let request = conversation(&[(Role::User, "a"), (Role::User, "b"), (Role::Assistant, "c")]);
    let (body, _) = written(&request, &turns);
    assert_eq!(body["input"][0]["content"], "a\n\nb");
    assert_eq!(body["input"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_said_is_refused_by_its_name() {
    let stop = ChatRequest { stop: vec!["END".into()], ..ChatRequest::user("hi") };
    assert_eq!(refused(&stop, &takes_all()), (Kind::UnsupportedParameter, "stop".into()));
    let hot = ChatRequest { temperature: Some(f64::NAN), ..ChatRequest::user("hi") };
    assert_eq!(refused(&hot, &takes_all()), (Kind::InvalidRequest, "temperature".into()));
    let tools = ChatRequest::user("hi").tool(tool());
    let no_tools = Accepts { tools: false, ..takes_all() };
    assert_eq!(refused(&tools, &no_tools), (Kind::UnsupportedParameter, "tools".into()));
    let mut image = ChatRequest::user("see");
    let picture = Media { mime: None, name: None, source: MediaSource::Base64("/9j/AAAA".into()) };
    image.messages[0].content.push(ContentPart { content: Content::Image(picture), extra: Extra::new() });
    let blind = Accepts { images: false, ..takes_all() };
    assert_eq!(refused(&image, &blind), (Kind::UnsupportedParameter, "messages[0].content[1]".into()));
    assert_eq!(
        written(&image, &takes_all()).0["input"][0]["content"][1],
        json!({"type": "input_image", "image_url": "data:image/jpeg;base64,/9j/AAAA"})
    );
    let mut native = ChatRequest::user("hi")
        .tool(Tool { native: Some(raw(r#"{"type":"web_search_20260101"}"#)), ..tool() });
    native.origin = Some(Dialect::Anthropic);
    assert_eq!(refused(&native, &takes_all()), (Kind::UnsupportedParameter, "tools[0]".into()));
    native.origin = Some(Dialect::OpenaiResponses);
    assert_eq!(written(&native, &takes_all()).0["tools"], json!([{"type": "web_search_20260101"}]));
}

#[test]
fn files_are_known_in_both_of_openais_dialects_and_in_no_other() {
    let mut request = ChatRequest::user("read");
    let file = Media { mime: None, name: None, source: MediaSource::FileId("file-1".into()) };
    request.messages[0].content.push(ContentPart { content: Content::File(file), extra: Extra::new() });
    for origin in [None, Some(Dialect::OpenaiResponses), Some(Dialect::OpenaiChat)] {
        request.origin = origin;
        assert_eq!(
            written(&request, &takes_all()).0["input"][0]["content"][1],
            json!({"type": "input_file", "file_id": "file-1"})
        );
    }
    request.origin = Some(Dialect::Anthropic);
    assert_eq!(refused(&request, &takes_all()).1, "messages[0].content[1]");
}

#[test]
fn what_a_model_does_not_take_is_left_out_and_noted() {
    let mut request = ChatRequest { temperature: Some(0.5), seed: Some(7), ..ChatRequest::user("hi") };
    request.reasoning_effort = Some(ReasoningEffort::Low);
    request.tool_choice = Some(ToolChoice::Required);
    request.origin = Some(Dialect::OpenaiResponses);
    request.extra.insert("top_logprobs", raw("3"));
    request.extra.insert("reasoning.summary", raw("\"auto\""));
    request.extra.insert("background", raw("true"));
    let accepts = Accepts { sampling: false, effort: false, ..takes_all() };
    let (body, notes) = written(&request, &accepts);
    assert_eq!(
        body,
        json!({"model": "gpt-6-sol", "store": false, "input": [{"type": "message", "role": "user", "content": "hi"}]})
    );
    for name in
        ["temperature", "seed", "reasoning_effort", "reasoning", "tool_choice", "top_logprobs", "background"]
    {
        assert!(notes.contains(&format!("dropped_param:{name}")), "{name} {notes:?}");
    }
}

#[test]
fn a_schema_becomes_json_mode_with_the_schema_in_the_instructions() {
    let schema = raw(r#"{"type":"object"}"#);
    let request = ChatRequest {
        response_format: ResponseFormat::JsonSchema { name: "n".into(), schema, strict: None },
        ..ChatRequest::user("hi").system("be brief")
    };
    let (body, notes) = written(&request, &Accepts { json_schema: false, ..takes_all() });
    assert_eq!(body["text"], json!({"format": {"type": "json_object"}}));
    let told = body["instructions"].as_str().unwrap();
    assert!(
        told.starts_with("be brief\n\nAnswer with one JSON object") && told.ends_with(r#"{"type":"object"}"#)
    );
    assert_eq!(notes.len(), 1);
}

#[test]
fn extras_of_this_dialect_pass_byte_for_byte() {
    let mut request = ChatRequest::user("hi");
    request.origin = Some(Dialect::OpenaiResponses);
    for (name, json) in [
        ("truncation", "\"auto\""),
        ("metadata", "{ \"k\": 1.50 }"),
        ("text.verbosity", "\"low\""),
        ("reasoning.summary", "\"auto\""),
        ("include", r#"["web_search_call.action.sources"]"#),
        ("max_tool_calls", "3"),
    ] {
        request.extra.insert(name, raw(json));
    }
    let target = target();
    let accepts = takes_all();
    let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: None };
    let outbound = OpenAiResponses::STANDARD.write_request(&request, &call).unwrap();
    assert_eq!(
        String::from_utf8(outbound.body).unwrap(),
        r#"{"model":"gpt-6-sol","input":[{"type":"message","role":"user","content":"hi"}],"text":{"verbosity":"low"},"reasoning":{"summary":"auto"},"store":false,"include":["web_search_call.action.sources","reasoning.encrypted_content"],"max_tool_calls":3,"metadata":{ "k": 1.50 },"truncation":"auto"}"#
    );
    assert_eq!(outbound.notes, [""; 0]);
}

#[test]
fn a_caller_in_code_may_say_text_and_reasoning_whole() {
    let mut request = ChatRequest::user("hi");
    request.reasoning_effort = Some(ReasoningEffort::High);
    request.extra.insert("text", raw(r#"{"verbosity":"high"}"#));
    request.extra.insert("reasoning", raw(r#"{"effort":"low","summary":"auto"}"#));
    let (body, notes) = written(&request, &takes_all());
    assert_eq!(body["text"], json!({"verbosity": "high"}));
    assert_eq!(body["reasoning"], json!({"effort": "high", "summary": "auto"}));
    assert_eq!(notes, [""; 0]);
}

#[test]
fn extras_of_another_dialect_stay_behind_by_name_but_for_what_openais_dialects_share() {
    let mut request = ChatRequest::user("hi");
    request.origin = Some(Dialect::OpenaiChat);
    request.extra.insert("logit_bias", raw("{}"));
    request.extra.insert("service_tier", raw("\"flex\""));
    request.extra.insert("safety_identifier", raw("\"u\""));
    request.extra.insert("verbosity", raw("\"low\""));
    request.messages[0].content[0].extra.insert("cache_control", raw("{}"));
    let (body, notes) = written(&request, &takes_all());
    assert_eq!((&body["safety_identifier"], &body["text"]["verbosity"]), (&json!("u"), &json!("low")));
    assert_eq!(notes, ["not passed on (openai-chat): cache_control, logit_bias, service_tier"]);
    request.origin = Some(Dialect::Anthropic);
    let (body, notes) = written(&request, &takes_all());
    assert_eq!((body.get("safety_identifier"), body.get("text")), (None, None));
    assert_eq!(notes.len(), 1);
}

#[test]
fn free_text_calls_and_their_results_have_types_of_their_own() {
    let mut free = call("c");
    free.arguments = "4 + 4".into();
    free.extra.insert("type", raw("\"custom\""));
    let mut request = conversation(&[(Role::User, "a"), (Role::Assistant, "")]);
    request.messages[1].content.clear();
    request.messages[1].tool_calls = vec![free];
    request = request.message(result("c", "8"));
    request.origin = Some(Dialect::OpenaiChat);
    let (body, _) = written(&request, &takes_all());
    assert_eq!(
        body["input"].as_array().unwrap()[1..],
        [
            json!({"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "4 + 4"}),
            json!({"type": "custom_tool_call_output", "call_id": "c", "output": "8"})
        ]
    );
}

#[test]
fn results_may_hold_images() {
    let mut request = conversation(&[(Role::User, "a"), (Role::Assistant, "b")]);
    request.messages[1].tool_calls = vec![call("c")];
    let picture = Media { mime: None, name: None, source: MediaSource::Url("https://x/y.png".into()) };
    let mut shown = result("c", "see");
    shown.content.push(ContentPart { content: Content::Image(picture), extra: Extra::new() });
    request = request.message(shown);
    assert_eq!(
        written(&request, &takes_all()).0["input"][3]["output"],
        json!([{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "https://x/y.png"}])
    );
}

#[test]
fn a_host_may_not_know_encrypted_reasoning() {
    let style = OpenAiResponses { encrypted_reasoning: false, ..OpenAiResponses::STANDARD };
    let (target, accepts) = (target(), takes_all());
    let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: None };
    let body: Value =
        serde_json::from_slice(&style.write_request(&ChatRequest::user("hi"), &call).unwrap().body).unwrap();
    assert_eq!(body.get("include"), None);
}
