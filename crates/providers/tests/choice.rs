//! Which of OpenAI's dialects a call uses.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod shared;

use mainstay_canon::{ChatRequest, Dialect, RawJson, ReasoningEffort, Target, Tool};
use mainstay_dialects::Call;
use mainstay_providers::{ALL, by_id};
use serde_json::Value;

fn dialect(request: &ChatRequest, model: &str) -> Dialect {
    by_id("openai").unwrap().upstream_for(request, model).dialect()
}

fn plain() -> ChatRequest {
    ChatRequest::user("hi")
}

fn with_tool(effort: Option<ReasoningEffort>) -> ChatRequest {
    let tool = Tool::function("f", "does", RawJson::parse("{}").unwrap());
    ChatRequest { reasoning_effort: effort, ..plain().tool(tool) }
}

fn check(request: &ChatRequest, model: &str, expected: Dialect) {
    assert_eq!(dialect(request, model), expected, "{model}");
}

#[test]
fn chat_completions_is_the_rule() {
    for model in
        ["gpt-4o", "gpt-4.1-mini", "gpt-5", "gpt-5.6-sol", "gpt-6-luna", "gpt-6-astra", "o3", "chat-latest"]
    {
        check(&plain(), model, Dialect::OpenaiChat);
    }
    let thinking = ChatRequest { reasoning_effort: Some(ReasoningEffort::High), ..plain() };
    check(&thinking, "gpt-6-sol", Dialect::OpenaiChat);
    for model in ["gpt-4o", "gpt-5", "gpt-5.2", "o3", "gpt-5.3-chat-latest"] {
        check(&with_tool(Some(ReasoningEffort::High)), model, Dialect::OpenaiChat);
        check(&with_tool(None), model, Dialect::OpenaiChat);
    }
}

#[test]
fn models_that_only_responses_serves_are_asked_there() {
    for model in [
        "o1-pro",
        "gpt-5-pro",
        "gpt-5.4-pro-2026-03-05",
        "gpt-5.3-codex",
        "codex-mini-latest",
        "o3-deep-research",
    ] {
        check(&plain(), model, Dialect::OpenaiResponses);
    }
}

#[test]
fn functions_beside_thinking_go_through_responses_from_gpt_5_4_on() {
    for model in ["gpt-5.4", "gpt-5.4-mini-2026-03-17", "gpt-5.5", "gpt-5.6-sol", "gpt-6-sol", "gpt-6-luna"] {
        check(&with_tool(Some(ReasoningEffort::Low)), model, Dialect::OpenaiResponses);
        check(&with_tool(Some(ReasoningEffort::None)), model, Dialect::OpenaiChat);
    }
    // What a model does when nobody says how much to think.
    check(&with_tool(None), "gpt-5.4", Dialect::OpenaiChat);
    check(&with_tool(None), "gpt-5.6-sol", Dialect::OpenaiResponses);
    check(&with_tool(None), "gpt-6-luna", Dialect::OpenaiResponses);
    let mut own = with_tool(None);
    own.extra.insert("reasoning_effort", RawJson::parse("\"default\"").unwrap());
    check(&own, "gpt-5.4", Dialect::OpenaiResponses);
}

#[test]
fn some_models_call_tools_nowhere_else() {
    for model in ["gpt-6-astra", "gpt-6-astra-law", "gpt-6.1-sol"] {
        check(&with_tool(Some(ReasoningEffort::None)), model, Dialect::OpenaiResponses);
        check(&plain(), model, Dialect::OpenaiChat);
    }
}

#[test]
fn a_caller_of_responses_is_served_in_that_dialect_where_the_model_is() {
    let request = ChatRequest { origin: Some(Dialect::OpenaiResponses), ..plain() };
    for model in ["gpt-4o", "gpt-6-luna", "ft:gpt-4o-mini:acme::7p4l"] {
        check(&request, model, Dialect::OpenaiResponses);
    }
    for model in ["gpt-4o-audio-preview", "gpt-4o-search-preview"] {
        check(&request, model, Dialect::OpenaiChat);
    }
}

#[test]
fn tools_that_only_chat_completions_spells_stay_there() {
    let mut request = with_tool(Some(ReasoningEffort::High));
    request.origin = Some(Dialect::OpenaiChat);
    request.tools[0].native = RawJson::parse(r#"{"type":"custom","custom":{"name":"sum"}}"#).ok();
    check(&request, "gpt-6-sol", Dialect::OpenaiChat);
}

#[test]
fn the_catalogue_agrees() {
    let Some(text) = shared::text("facts/prices.json") else { return };
    let catalogue: Value = serde_json::from_str(&text).unwrap();
    let models = catalogue["models"].as_array().unwrap();
    let mut checked = 0;
    for entry in models.iter().filter(|entry| entry["provider"] == "openai") {
        let model = entry["model"].as_str().unwrap();
        let routes = entry["endpoints"].as_array().cloned().unwrap_or_default();
        if entry["mode"] == "responses" {
            check(&plain(), model, Dialect::OpenaiResponses);
        } else if routes.iter().any(|route| route == "/v1/chat/completions") {
            check(&plain(), model, Dialect::OpenaiChat);
            let caller = ChatRequest { origin: Some(Dialect::OpenaiResponses), ..plain() };
            // The catalogue is not sure of models that speak.
            let is_served = routes.iter().any(|route| route == "/v1/responses") && !model.contains("audio");
            check(&caller, model, if is_served { Dialect::OpenaiResponses } else { Dialect::OpenaiChat });
        } else {
            continue;
        }
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn every_other_provider_has_one_dialect() {
    for provider in ALL.iter().filter(|provider| provider.id != "openai") {
        let chosen = provider.upstream_for(&with_tool(Some(ReasoningEffort::High)), "gpt-6-sol");
        assert_eq!(chosen.dialect(), provider.upstream.dialect(), "{}", provider.id);
    }
}

#[test]
fn what_is_chosen_is_written() {
    let provider = by_id("openai").unwrap();
    for (model, path, limit) in [
        ("gpt-5-pro", "/responses", "max_output_tokens"),
        ("gpt-5", "/chat/completions", "max_completion_tokens"),
    ] {
        let (target, accepts) = (Target::new("openai", model), (provider.accepts)(model));
        let request = plain().max_tokens(500);
        let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: Some(500) };
        let outbound = provider.upstream_for(&request, model).write_request(&request, &call).unwrap();
        let body: Value = serde_json::from_slice(&outbound.body).unwrap();
        assert_eq!((outbound.path.as_str(), &body[limit]), (path, &500.into()));
    }
}
