//! Requests to a provider: the members around the conversation.

use mainstay_canon::{
    Accepts, ChatRequest, Dialect, Kind, RawJson, ReasoningEffort, ResponseFormat, Tool, ToolChoice,
};
use serde_json::{Value, json};

use crate::shared::{NEWEST, OLDER, accepts, try_write, write};

fn raw(value: &Value) -> RawJson {
    RawJson::of(value).unwrap()
}

fn hello() -> ChatRequest {
    ChatRequest::user("hi")
}

fn tool(name: &str) -> Tool {
    Tool::function(name, "does", raw(&json!({"type": "object"})))
}

fn with(accepts: &Accepts, request: &ChatRequest) -> (Value, Vec<String>) {
    let outbound = try_write(NEWEST, request, accepts).unwrap();
    (serde_json::from_slice(&outbound.body).unwrap(), outbound.notes)
}

#[test]
fn a_plain_question_is_a_plain_body() {
    let outbound = try_write(NEWEST, &hello().system("be brief"), &accepts()).unwrap();
    assert_eq!(outbound.path, "/models/g-test:generateContent");
    assert_eq!(
        String::from_utf8(outbound.body).unwrap(),
        r#"{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#
    );
    assert!(outbound.notes.is_empty());
    let outbound = try_write(NEWEST, &ChatRequest { stream: true, ..hello() }, &accepts()).unwrap();
    assert_eq!(outbound.path, "/models/g-test:streamGenerateContent?alt=sse");
}

#[test]
fn sampling_limits_and_stops_have_their_own_names() {
    let request = ChatRequest {
        temperature: Some(0.25),
        top_p: Some(0.5),
        stop: vec!["END".to_owned(), String::new()],
        seed: Some(7),
        ..hello().max_tokens(200)
    };
    let (body, notes) = write(NEWEST, &request);
    assert_eq!(
        body["generationConfig"],
        json!({"temperature": 0.25, "topP": 0.5, "maxOutputTokens": 200, "stopSequences": ["END"], "seed": 7})
    );
    assert_eq!(notes, ["empty stop texts are left out"]);

    let (body, notes) = with(&Accepts { sampling: false, ..accepts() }, &request);
    assert!(body["generationConfig"].get("temperature").is_none());
    assert!(notes[0].contains("temperature"), "{notes:?}");
}

#[test]
fn what_the_dialect_cannot_say_is_noted_or_refused() {
    let (body, notes) = write(NEWEST, &ChatRequest { seed: Some(1 << 40), ..hello() });
    assert!(body.get("generationConfig").is_none() && notes[0].contains("seed"), "{notes:?}");
    let stops = ChatRequest { stop: ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec(), ..hello() };
    let failure = try_write(NEWEST, &stops, &accepts()).unwrap_err();
    assert_eq!((failure.kind, failure.param.as_deref()), (Kind::UnsupportedParameter, Some("stop")));
    let alone = ChatRequest { parallel_tool_calls: Some(false), ..hello().tool(tool("f")) };
    assert!(write(NEWEST, &alone).1[0].contains("parallel_tool_calls"));
}

#[test]
fn an_effort_is_a_level_or_a_budget_as_the_generation_takes_it() {
    let request = ChatRequest { reasoning_effort: Some(ReasoningEffort::Medium), ..hello() };
    let thinking = |body: &Value| body["generationConfig"]["thinkingConfig"].clone();
    let (body, _) = write(NEWEST, &request);
    assert_eq!(thinking(&body), json!({"thinkingLevel": "MEDIUM", "includeThoughts": true}));
    let (body, _) = write(OLDER, &request.clone().max_tokens(2000));
    assert_eq!(thinking(&body), json!({"thinkingBudget": 1600, "includeThoughts": true}));
    let (body, notes) = with(&Accepts { effort: false, ..accepts() }, &request);
    assert!(body.get("generationConfig").is_none() && notes[0].contains("reasoning_effort"));
    assert!(write(NEWEST, &hello()).0.get("generationConfig").is_none());
}

#[test]
fn the_form_of_the_answer_is_a_type_and_a_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "number", "maximum": 1.50}}});
    let request = |format| ChatRequest { response_format: format, ..hello() };
    let (body, _) = write(NEWEST, &request(ResponseFormat::Json));
    assert_eq!(body["generationConfig"], json!({"responseMimeType": "application/json"}));
    let format =
        ResponseFormat::JsonSchema { name: "n".to_owned(), schema: raw(&schema), strict: Some(true) };
    let (body, _) = write(NEWEST, &request(format.clone()));
    let config = json!({"responseMimeType": "application/json", "responseJsonSchema": schema});
    assert_eq!(body["generationConfig"], config);
    let (body, notes) = with(&Accepts { json_schema: false, ..accepts() }, &request(format.clone()));
    assert_eq!(body["generationConfig"], json!({"responseMimeType": "application/json"}));
    assert_eq!(notes.len(), 1);

    let both = ChatRequest { tools: vec![tool("f")], ..request(format) };
    assert_eq!(write(NEWEST, &both).0["generationConfig"], config);
    let (body, notes) = write(OLDER, &both);
    assert!(body.get("generationConfig").is_none() && notes[0].contains("response_format"), "{notes:?}");
}

#[test]
fn tools_are_declared_together_and_keep_their_schemas() {
    let mut bare = tool("g");
    (bare.description, bare.parameters) = (None, None);
    let (body, _) = write(NEWEST, &hello().tool(tool("f")).tool(bare));
    assert_eq!(
        body["tools"],
        json!([{"functionDeclarations": [
            {"name": "f", "description": "does", "parametersJsonSchema": {"type": "object"}},
            {"name": "g"},
        ]}])
    );
    assert!(body.get("toolConfig").is_none());
    let failure =
        try_write(NEWEST, &hello().tool(tool("f")), &Accepts { tools: false, ..accepts() }).unwrap_err();
    assert_eq!((failure.kind, failure.param.as_deref()), (Kind::UnsupportedParameter, Some("tools")));
}

#[test]
fn the_choice_of_tools_is_a_mode() {
    let calling = |choice: Option<ToolChoice>, strict: Option<bool>| {
        let request = ChatRequest { tool_choice: choice, ..hello().tool(Tool { strict, ..tool("f") }) };
        write(NEWEST, &request).0["toolConfig"]["functionCallingConfig"].clone()
    };
    assert_eq!(calling(None, None), json!(null));
    assert_eq!(calling(Some(ToolChoice::Auto), Some(false)), json!({"mode": "AUTO"}));
    assert_eq!(calling(Some(ToolChoice::Auto), Some(true)), json!({"mode": "VALIDATED"}));
    assert_eq!(calling(None, Some(true)), json!({"mode": "VALIDATED"}));
    assert_eq!(calling(Some(ToolChoice::None), None), json!({"mode": "NONE"}));
    assert_eq!(calling(Some(ToolChoice::Required), Some(true)), json!({"mode": "ANY"}));
    let named = Some(ToolChoice::Named("f".to_owned()));
    assert_eq!(calling(named, None), json!({"mode": "ANY", "allowedFunctionNames": ["f"]}));

    let (body, notes) = write(NEWEST, &ChatRequest { tool_choice: Some(ToolChoice::Required), ..hello() });
    assert!(body.get("toolConfig").is_none() && notes[0].contains("tool_choice"));
}

/// A request whose extras are of this dialect.
fn own(members: &Value) -> ChatRequest {
    let mut request = ChatRequest { origin: Some(Dialect::Gemini), ..hello() };
    for (name, value) in members.as_object().unwrap() {
        request.extra.insert(name, raw(value));
    }
    request
}

#[test]
fn a_callers_own_members_arrive_unchanged() {
    let mut request = own(&json!({"safetySettings": [], "model": "other", "contents": []}));
    request.extra.insert("labels", RawJson::parse(r#"{ "b": 1.50, "a": "x" }"#).unwrap());
    request.messages[0].content[0].extra.insert("partMetadata", raw(&json!({"x": 1})));
    let mut declared = tool("f");
    declared.extra.insert("behavior", raw(&json!("BLOCKING")));
    let native = Tool { native: Some(raw(&json!({"codeExecution": {}}))), ..tool("codeExecution") };
    let outbound = try_write(NEWEST, &request.tool(declared).tool(native), &accepts()).unwrap();
    let text = String::from_utf8(outbound.body).unwrap();
    assert!(text.contains(r#""labels":{ "b": 1.50, "a": "x" }"#), "{text}");
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(body["safetySettings"], json!([]));
    assert_eq!(body["contents"][0]["parts"][0], json!({"text": "hi", "partMetadata": {"x": 1}}));
    assert_eq!(body["tools"][0]["functionDeclarations"][0]["behavior"], "BLOCKING");
    assert_eq!(body["tools"][1], json!({"codeExecution": {}}));
    assert!(body.get("model").is_none() && outbound.notes.is_empty(), "{:?}", outbound.notes);
}

#[test]
fn a_callers_own_configuration_is_kept_but_for_what_canonical_fields_say() {
    let stated = json!({
        "generationConfig": {"topK": 40, "temperature": 1.5, "thinkingConfig": {"thinkingLevel": "low"},
            "responseMimeType": "text/x.enum"},
        "toolConfig": {"retrievalConfig": {"languageCode": "de"}, "functionCallingConfig": {"mode": "ANY"}},
    });
    let request = ChatRequest {
        temperature: Some(0.5),
        reasoning_effort: Some(ReasoningEffort::High),
        response_format: ResponseFormat::Json,
        tool_choice: Some(ToolChoice::None),
        ..own(&stated).tool(tool("f"))
    };
    let (body, _) = write(NEWEST, &request);
    assert_eq!(
        body["generationConfig"],
        json!({"topK": 40, "thinkingConfig": {"thinkingLevel": "low"}, "responseMimeType": "text/x.enum", "temperature": 0.5})
    );
    assert_eq!(body["toolConfig"], stated["toolConfig"]);
}

#[test]
fn what_another_dialect_alone_understands_is_named() {
    let mut request = ChatRequest { origin: Some(Dialect::OpenaiChat), ..hello().tool(tool("f")) };
    request.extra.insert("logit_bias", raw(&json!({})));
    request.messages[0].content[0].extra.insert("detail", raw(&json!("low")));
    request.messages[0].extra.insert("annotations", raw(&json!([])));
    request.tools[0].extra.insert("cache_control", raw(&json!({})));
    let (body, notes) = write(NEWEST, &request);
    for name in ["logit_bias", "detail", "annotations", "cache_control"] {
        assert!(notes.iter().any(|note| note.contains(name)), "{name}: {notes:?}");
        assert!(!body.to_string().contains(name), "{name}");
    }
    request.tools[0].native = Some(raw(&json!({"type": "web_search"})));
    assert_eq!(try_write(NEWEST, &request, &accepts()).unwrap_err().kind, Kind::UnsupportedParameter);
}
