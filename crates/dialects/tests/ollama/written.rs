//! What is sent for a request, and what is refused before it is sent.

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Failure, Kind, Media,
    MediaSource, RawJson, ReasoningBlock, ReasoningEffort, ReasoningReplay, ResponseFormat, Role, Target,
    Tool, ToolCall, ToolChoice, Verbatim,
};
use mainstay_dialects::ollama::Ollama;
use mainstay_dialects::{Call, Upstream};
use proptest::prelude::*;
use serde_json::{Value, json};

const STYLE: Ollama = Ollama { thinks_by_levels: |model| model.starts_with("gpt-oss"), ..Ollama::STANDARD };

pub(crate) fn accepts() -> Accepts {
    Accepts { reasoning_replay: ReasoningReplay::ToolLoop, ..Accepts::default() }
}

pub(crate) fn try_write(
    model: &str,
    request: &ChatRequest,
    accepts: &Accepts,
) -> Result<(Value, Vec<String>), Failure> {
    let target = Target::new("ollama", model);
    let call = Call { target: &target, accepts, stream: request.stream, max_tokens: request.max_tokens };
    let outbound = STYLE.write_request(request, &call)?;
    assert_eq!((outbound.path.as_str(), outbound.headers.len()), ("/api/chat", 0));
    Ok((serde_json::from_slice(&outbound.body).unwrap(), outbound.notes))
}

pub(crate) fn write(request: &ChatRequest) -> (Value, Vec<String>) {
    try_write("qwen3:4b", request, &accepts()).unwrap()
}

pub(crate) fn body(request: &ChatRequest) -> Value {
    write(request).0
}

pub(crate) fn refused(request: &ChatRequest) -> Failure {
    try_write("qwen3:4b", request, &accepts()).unwrap_err()
}

pub(crate) fn raw(value: &Value) -> RawJson {
    RawJson::of(value).unwrap()
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into(), extra: Extra::new() }
}

pub(crate) fn with_part(content: Content, role: Role) -> ChatRequest {
    let part = ContentPart { content, extra: Extra::new() };
    ChatRequest::default()
        .message(ChatMessage { content: vec![ContentPart::text("Look:"), part], ..ChatMessage::empty(role) })
}

pub(crate) fn image(source: MediaSource) -> Content {
    Content::Image(Media { mime: Some("image/png".into()), name: None, source })
}

fn weather() -> Tool {
    Tool::function("get_weather", "Tells the weather.", raw(&json!({ "type": "object" })))
}

#[test]
fn a_plain_question_is_sent_with_all_that_the_server_would_otherwise_choose() {
    let (body, notes) = write(&ChatRequest::user("Hi").system("Be brief."));
    assert_eq!(
        body,
        json!({
            "model": "qwen3:4b",
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Hi" },
            ],
            "stream": false,
            "truncate": false,
            "shift": false,
            "options": { "num_ctx": 8192 },
        })
    );
    assert_eq!(notes, [""; 0]);
    assert_eq!(body_of_stream(), json!(true));
}

fn body_of_stream() -> Value {
    body(&ChatRequest { stream: true, ..ChatRequest::user("Hi") })["stream"].clone()
}

#[test]
fn a_conversation_with_tools_keeps_arguments_objects_and_names_its_results() {
    let assistant = ChatMessage {
        tool_calls: vec![call("call_1", "get_weather", "{\"city\": \"Gent\"}"), call("", "now", " ")],
        reasoning_content: Some("Need the live value.".into()),
        ..ChatMessage::empty(Role::Assistant)
    };
    let result = ChatMessage {
        tool_call_id: Some("call_1".into()),
        tool_error: true,
        ..ChatMessage::new(Role::Tool, "4 C")
    };
    let named = ChatMessage { name: Some("now".into()), ..ChatMessage::new(Role::Tool, "noon") };
    let request =
        ChatRequest::user("Weather?").message(assistant).message(result).message(named).tool(weather());
    let (body, notes) = write(&request);
    assert_eq!(
        body["messages"][1],
        json!({
            "role": "assistant",
            "content": "",
            "thinking": "Need the live value.",
            "tool_calls": [
                { "id": "call_1", "function": { "name": "get_weather", "arguments": { "city": "Gent" } } },
                { "function": { "name": "now", "arguments": {} } },
            ],
        })
    );
    assert_eq!(
        body["messages"][2],
        json!({ "role": "tool", "content": "4 C", "tool_name": "get_weather", "tool_call_id": "call_1" })
    );
    assert_eq!(body["messages"][3], json!({ "role": "tool", "content": "noon", "tool_name": "now" }));
    assert_eq!(
        body["tools"],
        json!([{ "type": "function", "function": {
            "name": "get_weather", "description": "Tells the weather.", "parameters": { "type": "object" } } }])
    );
    assert_eq!(notes, ["the mark of a failed tool is not passed on"]);
}

#[test]
fn an_id_that_is_used_again_means_the_latest_call() {
    let turn = |name: &str| ChatMessage {
        tool_calls: vec![call("call_0", name, "{}")],
        ..ChatMessage::empty(Role::Assistant)
    };
    let result = || ChatMessage { tool_call_id: Some("call_0".into()), ..ChatMessage::new(Role::Tool, "ok") };
    let request =
        ChatRequest::user("Go").message(turn("f")).message(result()).message(turn("g")).message(result());
    let body = body(&request);
    assert_eq!(
        (&body["messages"][2]["tool_name"], &body["messages"][4]["tool_name"]),
        (&json!("f"), &json!("g"))
    );
}

#[test]
fn arguments_that_are_no_object_are_refused_by_name() {
    for arguments in ["{\"a\":", "[1]", "\"x\"", "7"] {
        let assistant = ChatMessage {
            tool_calls: vec![call("a", "f", arguments)],
            ..ChatMessage::empty(Role::Assistant)
        };
        let failure = refused(&ChatRequest::user("Go").message(assistant));
        assert_eq!(failure.kind, Kind::UnsupportedParameter, "{arguments}");
        assert_eq!(failure.param.as_deref(), Some("messages[1].tool_calls[0].function.arguments"));
    }
}

#[test]
fn reasoning_goes_back_only_where_the_model_takes_it() {
    let said = |calls: Vec<ToolCall>| ChatMessage {
        reasoning_content: Some("Hm.".into()),
        tool_calls: calls,
        ..ChatMessage::new(Role::Assistant, "Yes.")
    };
    let request = ChatRequest::user("Go").message(said(Vec::new())).message(said(vec![call("a", "f", "{}")]));
    for (replay, expected) in [
        (ReasoningReplay::Never, [false, false]),
        (ReasoningReplay::ToolLoop, [false, true]),
        (ReasoningReplay::All, [true, true]),
    ] {
        let accepts = Accepts { reasoning_replay: replay, ..Accepts::default() };
        let (body, _) = try_write("q", &request, &accepts).unwrap();
        let sent = [1, 2].map(|at| body["messages"][at].get("thinking").is_some());
        assert_eq!(sent, expected, "{replay:?}");
    }
}

#[test]
fn blocks_and_contents_of_other_dialects_stay_behind() {
    let block = ReasoningBlock {
        dialect: Dialect::Anthropic,
        origin: None,
        raw: raw(&json!({ "type": "thinking", "thinking": "", "signature": "c2ln" })),
    };
    let assistant = ChatMessage {
        reasoning_blocks: vec![block],
        tool_calls: vec![call("a", "f", "{}")],
        verbatim: Some(Verbatim { dialect: Dialect::Anthropic, content: raw(&json!([{ "type": "text" }])) }),
        ..ChatMessage::new(Role::Assistant, "Yes.")
    };
    let (body, notes) = write(&ChatRequest::user("Go").message(assistant));
    assert_eq!(body["messages"][1]["content"], json!("Yes."));
    assert!(!body.to_string().contains("c2ln"));
    assert_eq!(notes, ["reasoning of another model is not passed on"]);
}

#[test]
fn images_stand_beside_the_text_in_base64() {
    let expected = json!({ "role": "user", "content": "Look:", "images": ["QUJD"] });
    for source in [MediaSource::Base64("QUJD".into()), MediaSource::Url("data:image/png;base64,QUJD".into())]
    {
        assert_eq!(body(&with_part(image(source), Role::User))["messages"][0], expected);
    }
}

#[test]
fn what_ollama_cannot_be_told_is_refused_by_name() {
    let media = |source| Media { mime: None, name: None, source };
    let url = || MediaSource::Url("https://example.com/a.png".into());
    let bytes = || MediaSource::Base64("QUJD".into());
    for (content, role) in [
        (image(url()), Role::User),
        (image(MediaSource::Url("data:image/svg+xml;utf8,<svg/>".into())), Role::User),
        (image(MediaSource::FileId("f".into())), Role::User),
        (image(bytes()), Role::Assistant),
        (image(bytes()), Role::Tool),
        (image(bytes()), Role::System),
        (Content::Audio(media(bytes())), Role::User),
        (Content::File(media(bytes())), Role::User),
        (Content::Native { dialect: Dialect::Anthropic, kind: "x".into(), raw: raw(&json!({})) }, Role::User),
    ] {
        let failure = refused(&with_part(content.clone(), role));
        assert_eq!(failure.kind, Kind::UnsupportedParameter, "{content:?}");
        assert_eq!(failure.param.as_deref(), Some("messages[0].content[1]"), "{content:?}");
        assert!(!failure.message.contains("example.com"), "{}", failure.message);
    }
    let blind = Accepts { images: false, ..accepts() };
    let failure = try_write("q", &with_part(image(bytes()), Role::User), &blind).unwrap_err();
    assert_eq!(failure.kind, Kind::UnsupportedParameter);
    let native = Tool { native: Some(raw(&json!({ "type": "web_search" }))), ..weather() };
    let failure = refused(&ChatRequest::user("Go").tool(weather()).tool(native));
    assert_eq!((failure.kind, failure.param.as_deref()), (Kind::UnsupportedParameter, Some("tools[1]")));
    let idle = Accepts { tools: false, ..accepts() };
    let failure = try_write("q", &ChatRequest::user("Go").tool(weather()), &idle).unwrap_err();
    assert_eq!((failure.kind, failure.param.as_deref()), (Kind::UnsupportedParameter, Some("tools")));
}

#[test]
fn an_empty_conversation_is_refused_for_it_would_only_load_the_model() {
    let failure = refused(&ChatRequest::default());
    assert_eq!((failure.kind, failure.param.as_deref()), (Kind::InvalidRequest, Some("messages")));
}

#[test]
fn a_form_is_asked_for_as_json_or_as_its_schema() {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let asked = |format| ChatRequest { response_format: format, ..ChatRequest::user("Go") };
    assert_eq!(body(&asked(ResponseFormat::Text)).get("format"), None);
    assert_eq!(body(&asked(ResponseFormat::Json))["format"], json!("json"));
    let request = asked(ResponseFormat::JsonSchema { name: "n".into(), schema: raw(&schema), strict: None });
    assert_eq!(body(&request)["format"], schema);
    let plain = Accepts { json_schema: false, ..accepts() };
    let (body, notes) = try_write("q", &request, &plain).unwrap();
    assert_eq!(body["format"], json!("json"));
    assert_eq!(body["messages"][0]["role"], json!("system"));
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("\"city\""));
    assert_eq!(notes, ["json_schema sent as JSON mode, with the schema in the system message"]);
}

#[test]
fn an_effort_is_a_flag_or_a_level_by_what_the_model_takes() {
    use ReasoningEffort::{High, Low, Max, Medium, Minimal, None as Off, Xhigh};
    let think = |model: &str, effort, takes: bool| {
        let request = ChatRequest { reasoning_effort: Some(effort), ..ChatRequest::user("Go") };
        let accepts = Accepts { effort: takes, ..accepts() };
        let (body, notes) = try_write(model, &request, &accepts).unwrap();
        (body.get("think").cloned(), notes.len())
    };
    for (effort, level, notes) in [
        (Off, "low", 1),
        (Minimal, "low", 1),
        (Low, "low", 0),
        (Medium, "medium", 0),
        (High, "high", 0),
        (Xhigh, "high", 1),
        (Max, "high", 1),
    ] {
        assert_eq!(think("gpt-oss:20b", effort, true), (Some(json!(level)), notes), "{effort:?}");
    }
    assert_eq!(think("qwen3:4b", Off, true), (Some(json!(false)), 0));
    for effort in [Minimal, Low, Medium, High, Xhigh, Max] {
        assert_eq!(think("qwen3:4b", effort, true), (Some(json!(true)), 1), "{effort:?}");
        // `think: true` is an error for a model that cannot.
        assert_eq!(think("llama3.2", effort, false), (None, 1), "{effort:?}");
    }
    assert_eq!(think("llama3.2", Off, false), (Some(json!(false)), 0));
    assert_eq!(body(&ChatRequest::user("Go")).get("think"), None);
}

#[test]
fn a_choice_among_tools_narrows_the_offer() {
    let other = Tool::function("other", "", raw(&json!({ "type": "object" })));
    let offered = |choice| {
        let request = ChatRequest { tool_choice: Some(choice), ..ChatRequest::user("Go") };
        let (body, notes) = write(&request.tool(weather()).tool(other.clone()));
        let names: Vec<Value> = body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tool| tool["function"]["name"].clone())
            .collect();
        assert_eq!(body.get("tool_choice"), None);
        (names, notes)
    };
    let both = vec![json!("get_weather"), json!("other")];
    assert_eq!(offered(ToolChoice::Auto), (both.clone(), Vec::new()));
    assert_eq!(offered(ToolChoice::Required), (both, vec!["dropped_param:tool_choice".to_owned()]));
    assert_eq!(offered(ToolChoice::None), (Vec::new(), Vec::new()));
    let (names, notes) = offered(ToolChoice::Named("other".into()));
    assert_eq!((names, notes.len()), (vec![json!("other")], 1));
}

#[test]
fn a_tool_without_a_schema_takes_no_arguments_and_what_ollama_does_not_know_is_noted() {
    let mut tool = Tool { parameters: None, description: None, strict: Some(true), ..weather() };
    tool.extra.insert("cache_control", raw(&json!({ "type": "ephemeral" })));
    let request = ChatRequest {
        parallel_tool_calls: Some(false),
        origin: Some(Dialect::Anthropic),
        ..ChatRequest::user("Go")
    };
    let (body, notes) = write(&request.tool(tool));
    assert_eq!(
        body["tools"],
        json!([{ "type": "function", "function": {
            "name": "get_weather", "parameters": { "type": "object", "properties": {} } } }])
    );
    assert_eq!(
        notes,
        [
            "dropped_param:parallel_tool_calls",
            "dropped_param:tools.function.strict",
            "not passed on (anthropic): cache_control",
        ]
    );
}

#[test]
fn roles_are_those_that_the_model_takes() {
    let request = ChatRequest::default()
        .message(ChatMessage::new(Role::Developer, "Be brief."))
        .message(ChatMessage { name: Some("ann".into()), ..ChatMessage::new(Role::User, "One.") })
        .message(ChatMessage::new(Role::User, "Two."))
        .message(ChatMessage { refusal: Some("No.".into()), ..ChatMessage::empty(Role::Assistant) })
        .message(ChatMessage::new(Role::System, "In German."));
    let (body, notes) = write(&request);
    let told: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("system", "Be brief."),
            ("user", "One."),
            ("user", "Two."),
            ("assistant", "No."),
            ("system", "In German.")
        ]
    );
    assert_eq!(notes, ["the names of speakers are not passed on"]);

    let narrow = Accepts { system_role: false, alternate_roles: true, ..accepts() };
    let (body, _) = try_write("q", &request, &narrow).unwrap();
    assert_eq!(
        body["messages"],
        json!([
            { "role": "user", "content": "Be brief.\n\nIn German.\n\nOne.\n\nTwo." },
            { "role": "assistant", "content": "No." },
        ])
    );
}

proptest! {
    /// Whatever is said arrives, in its order and every byte of it.
    #[test]
    fn no_text_is_lost_on_the_way(
        texts in prop::collection::vec((any::<bool>(), ".{0,40}"), 1..8),
        stream in any::<bool>(),
    ) {
        let mut request = ChatRequest { stream, ..ChatRequest::default() };
        for (mine, text) in &texts {
            let role = if *mine { Role::User } else { Role::Assistant };
            request = request.message(ChatMessage::new(role, text.as_str()));
        }
        let (body, notes) = write(&request);
        let sent: Vec<&str> =
            body["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
        let given: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        prop_assert_eq!(sent, given);
        prop_assert_eq!(&body["stream"], &json!(stream));
        prop_assert_eq!(notes, Vec::<String>::new());
    }

    /// The window is never smaller than the prompt may need.
    #[test]
    fn the_window_holds_half_a_token_a_byte_and_the_answer(bytes in 0_usize..400_000, limit in 1_u32..16_000) {
        let request = ChatRequest::user("x".repeat(bytes)).max_tokens(limit);
        let window = body(&request)["options"]["num_ctx"].as_u64().unwrap();
        prop_assert!(window >= (bytes as u64) / 2 + u64::from(limit));
        prop_assert!(window.is_power_of_two() && window >= 8192);
    }
}
