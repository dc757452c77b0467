//! What a provider's models are sent, where that is the provider's own.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use mainstay_canon::{
    ChatMessage, ChatRequest, Dialect, Extra, RawJson, ReasoningBlock, ReasoningEffort, Role, Target,
    ToolCall,
};
use mainstay_dialects::{Call, Outbound};
use mainstay_providers::by_id;
use serde_json::{Value, json};

fn write(provider: &str, model: &str, request: &ChatRequest) -> (Value, Outbound) {
    let provider = by_id(provider).unwrap();
    let target = Target::new(provider.id, model);
    let accepts = (provider.accepts)(model);
    let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: request.max_tokens };
    let outbound = provider.upstream.write_request(request, &call).unwrap();
    (serde_json::from_slice(&outbound.body).unwrap(), outbound)
}

/// A turn in which the model thought and called a tool, and the tool's result.
fn tool_turn(provider: &str, model: &str, blocks: Vec<(Dialect, &str)>) -> ChatRequest {
    let origin = Some(Target::new(provider, model));
    let block = |(dialect, raw)| ReasoningBlock {
        dialect,
        origin: origin.clone(),
        raw: RawJson::parse(raw).unwrap(),
    };
    let assistant = ChatMessage {
        tool_calls: vec![ToolCall {
            id: "call_1".to_owned(),
            name: "get_weather".to_owned(),
            arguments: "{\"city\":\"Oslo\"}".to_owned(),
            extra: Extra::new(),
        }],
        reasoning_content: Some("Need the live value.".to_owned()),
        reasoning_blocks: blocks.into_iter().map(block).collect(),
        ..ChatMessage::empty(Role::Assistant)
    };
    let result =
        ChatMessage { tool_call_id: Some("call_1".to_owned()), ..ChatMessage::new(Role::Tool, "4 C") };
    ChatRequest::user("Weather in Oslo?").message(assistant).message(result).max_tokens(500)
}

#[test]
fn openais_reasoning_models_get_the_newer_limit_and_no_temperature() {
    let request = ChatRequest { temperature: Some(0.2), ..ChatRequest::user("hi").max_tokens(500) };
    let (body, outbound) = write("openai", "gpt-5-mini", &request);
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(500), None));
    assert_eq!(body.get("temperature"), None);
    assert!(outbound.notes.iter().any(|note| note.contains("temperature")), "{:?}", outbound.notes);
    let (body, _) = write("openai", "gpt-4o", &request);
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(500), &json!(0.2)));
}

#[test]
fn deepseek_gets_its_reasoning_back_with_calls() {
    let request = tool_turn("deepseek", "deepseek-flash", Vec::new());
    let (body, _) = write("deepseek", "deepseek-flash", &request);
    assert_eq!(body["messages"][1]["reasoning_content"], "Need the live value.");
    let (body, _) = write("deepseek", "deepseek-reasoner", &request);
    assert_eq!(body["messages"][1].get("reasoning_content"), None);
}

#[test]
fn openrouter_gets_its_reasoning_details_back_unchanged() {
    let detail =
        r#"{"type":"reasoning.encrypted","data":"QUJD","id":"call_1","format":"google-gemini-v1","index":0}"#;
    let request = tool_turn("openrouter", "google/g-test", vec![(Dialect::OpenaiChat, detail)]);
    let (body, _) = write("openrouter", "google/g-test", &request);
    let detail: Value = serde_json::from_str(detail).unwrap();
    assert_eq!(body["messages"][1]["reasoning_details"], json!([detail]));
}

#[test]
fn anthropic_gets_its_signed_thinking_back_and_newer_models_no_temperature() {
    let thinking = r#"{"type":"thinking","thinking":"Look up.","signature":"RXFRQkNr+/=="}"#;
    let request = tool_turn("anthropic", "claude-opus-5-5", vec![(Dialect::Anthropic, thinking)]);
    let request = ChatRequest { temperature: Some(0.2), ..request };
    let (body, outbound) = write("anthropic", "claude-opus-5-5", &request);
    assert_eq!(body["messages"][1]["content"][0], serde_json::from_str::<Value>(thinking).unwrap());
    assert_eq!(body.get("temperature"), None);
    assert!(outbound.notes.iter().any(|note| note.contains("temperature")), "{:?}", outbound.notes);
    let (body, outbound) = write(
        "anthropic",
        "claude-haiku-4-5",
        &ChatRequest { temperature: Some(0.2), ..ChatRequest::user("hi") },
    );
    assert_eq!(body["temperature"], json!(0.2));
    assert!(
        outbound.headers.iter().any(|(name, value)| *name == "anthropic-version" && value == "2023-06-01")
    );
}

#[test]
fn minimax_gets_its_thinking_back_between_tags() {
    let (body, _) = write("minimax", "MiniMax-M3", &tool_turn("minimax", "MiniMax-M3", Vec::new()));
    let content = body["messages"][1]["content"].as_str().unwrap();
    assert!(content.starts_with("<think>") && content.contains("Need the live value."), "{content}");
}

#[test]
fn mistral_gets_its_own_names_and_short_ids() {
    let request = ChatRequest { seed: Some(7), ..tool_turn("mistral", "mistral-medium-latest", Vec::new()) };
    let (body, _) = write("mistral", "mistral-medium-latest", &request);
    assert_eq!((&body["random_seed"], body.get("seed")), (&json!(7), None));
    let id = body["messages"][1]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(id.len(), 9);
    assert_eq!(body["messages"][2]["tool_call_id"], id);
}

#[test]
fn ollamas_models_are_told_to_think_only_as_they_can_be() {
    let request = ChatRequest { reasoning_effort: Some(ReasoningEffort::High), ..ChatRequest::user("hi") };
    for (model, think) in [
        ("gpt-oss:20b", Some(json!("high"))),
        ("qwen3:4b", Some(json!(true))),
        // The server refuses it for a model that cannot, and this may be the last tier.
        ("llama3.2:3b", None),
    ] {
        assert_eq!(write("ollama", model, &request).0.get("think").cloned(), think, "{model}");
    }
}

#[test]
fn ollama_gets_thinking_and_objects_back_and_never_cuts_a_prompt() {
    let (body, outbound) = write("ollama", "qwen3:4b", &tool_turn("ollama", "qwen3:4b", Vec::new()));
    assert_eq!(outbound.path, "/api/chat");
    let turn = &body["messages"][1];
    assert_eq!(turn["thinking"], "Need the live value.");
    assert_eq!(turn["tool_calls"][0]["function"]["arguments"], json!({ "city": "Oslo" }));
    assert_eq!(body["messages"][2]["tool_name"], "get_weather");
    assert_eq!(
        (&body["stream"], &body["truncate"], &body["shift"]),
        (&json!(false), &json!(false), &json!(false))
    );
    assert_eq!((&body["options"]["num_ctx"], &body["options"]["num_predict"]), (&json!(8192), &json!(500)));
}
