//! How much to think, said to real models: a line a case, from the effort that is wanted to the members that are sent.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use mainstay_canon::{
    ChatRequest, Dialect, Failure, Kind, RawJson, ReasoningEffort, ResponseFormat, Target, Tool, ToolChoice,
};
use mainstay_dialects::{Call, Outbound};
use mainstay_providers::by_id;
use serde_json::{Value, json};

use ReasoningEffort::{High, Low, Max, Medium, Minimal, None as Nothing, Xhigh};

fn send(provider: &str, model: &str, request: &ChatRequest) -> Result<(Value, Outbound), Failure> {
    let provider = by_id(provider).unwrap();
    let target = Target::new(provider.id, model);
    let accepts = (provider.accepts)(model);
    let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: request.max_tokens };
    let outbound = provider.upstream_for(request, model).write_request(request, &call)?;
    Ok((serde_json::from_slice(&outbound.body).unwrap(), outbound))
}

fn wants(effort: ReasoningEffort) -> ChatRequest {
    ChatRequest { reasoning_effort: Some(effort), ..ChatRequest::user("hi").max_tokens(10_000) }
}

fn with_tool(request: ChatRequest) -> ChatRequest {
    request.tool(Tool::function("f", "does", RawJson::parse(r#"{"type":"object"}"#).unwrap()))
}

/// The members that say how much to think, wherever they stand.
fn said(body: &Value) -> Value {
    let mut said = serde_json::Map::new();
    let config = &body["generationConfig"];
    for (name, value) in [
        ("reasoning_effort", &body["reasoning_effort"]),
        ("reasoning", &body["reasoning"]),
        ("thinking", &body["thinking"]),
        ("output_config", &body["output_config"]),
        ("chat_template_kwargs", &body["chat_template_kwargs"]),
        ("think", &body["think"]),
        ("level", &config["thinkingConfig"]["thinkingLevel"]),
        ("budget", &config["thinkingConfig"]["thinkingBudget"]),
    ] {
        if !value.is_null() {
            said.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(said)
}

#[test]
fn every_effort_becomes_what_the_model_knows_and_a_note_says_what_changed() {
    let adaptive = |word: &str| json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": word}});
    let off = json!({"thinking": {"type": "disabled"}});
    for (provider, model, wanted, sent, is_noted) in [
        ("openai", "gpt-5-mini", Nothing, json!({"reasoning_effort": "minimal"}), true),
        ("openai", "gpt-5-mini", Xhigh, json!({"reasoning_effort": "high"}), true),
        ("openai", "gpt-6-luna", Nothing, json!({"reasoning_effort": "none"}), false),
        ("openai", "gpt-6-luna", Minimal, json!({"reasoning_effort": "low"}), true),
        ("openai", "gpt-6-astra", Nothing, json!({"reasoning_effort": "low"}), true),
        ("openai", "gpt-5-pro", Low, json!({"reasoning": {"effort": "high"}}), true),
        ("openai", "gpt-4o", Low, json!({}), true),
        ("openai", "gpt-4o", Nothing, json!({}), false),
        ("anthropic", "claude-opus-5-5", Nothing, adaptive("low"), true),
        ("anthropic", "claude-opus-5-5", Max, adaptive("max"), false),
        ("anthropic", "claude-haiku-5-5", Nothing, off.clone(), false),
        ("anthropic", "claude-sonnet-4-6", Xhigh, adaptive("max"), true),
        (
            "anthropic",
            "claude-haiku-4-5",
            Low,
            json!({"thinking": {"type": "enabled", "budget_tokens": 2048}}),
            false,
        ),
        ("gemini", "gemini-2.5-flash", Nothing, json!({"budget": 0}), false),
        ("gemini", "gemini-2.5-pro", Nothing, json!({"budget": 128}), true),
        ("gemini", "gemini-3-pro-preview", Medium, json!({"level": "HIGH"}), true),
        ("gemini", "gemini-3.8-flash", Nothing, json!({"level": "LOW"}), true),
        ("gemini", "gemini-4-hydrogen", Xhigh, json!({"level": "XHIGH"}), false),
        ("deepseek", "deepseek-flash", Nothing, off.clone(), false),
        ("deepseek", "deepseek-flash", Medium, json!({"reasoning_effort": "high"}), true),
        ("deepseek", "deepseek-flash", Max, json!({"reasoning_effort": "max"}), false),
        ("deepseek", "deepseek-r1", Low, json!({}), true),
        ("minimax", "MiniMax-M3", Nothing, off.clone(), false),
        ("minimax", "MiniMax-M3", High, json!({"thinking": {"type": "adaptive"}}), true),
        ("minimax", "MiniMax-M2.7", Nothing, json!({}), true),
        ("mistral", "mistral-small-2603", Low, json!({"reasoning_effort": "high"}), true),
        ("mistral", "mistral-small-2603", Nothing, json!({"reasoning_effort": "none"}), false),
        ("mistral", "zai-glm-5", Nothing, json!({"reasoning_effort": "low"}), true),
        ("groq", "openai/gpt-oss-120b", Nothing, json!({"reasoning_effort": "low"}), true),
        ("groq", "qwen/qwen3.8-27b", Nothing, json!({"reasoning_effort": "none"}), false),
        ("groq", "qwen/qwen3.8-27b", High, json!({"reasoning_effort": "default"}), true),
        ("xai", "grok-4.3", Nothing, json!({"reasoning_effort": "none"}), false),
        ("xai", "grok-4.5", Xhigh, json!({"reasoning_effort": "high"}), true),
        ("xai", "grok-4.6", Xhigh, json!({"reasoning_effort": "xhigh"}), false),
        ("xai", "grok-4.20-0309-reasoning", High, json!({}), true),
        ("xai", "grok-4.20-0309-non-reasoning", Nothing, json!({}), false),
        ("openrouter", "x/y", High, json!({"reasoning": {"effort": "high"}}), false),
        ("vllm", "x", High, json!({"reasoning_effort": "high"}), false),
        ("vllm", "x", Nothing, json!({"chat_template_kwargs": {"enable_thinking": false}}), false),
        ("llamacpp", "x", Nothing, json!({"chat_template_kwargs": {"enable_thinking": false}}), false),
        ("lmstudio", "x", Low, json!({"reasoning_effort": "low"}), false),
        ("ollama", "gpt-oss:20b", Nothing, json!({"think": "low"}), true),
        ("ollama", "qwen3:4b", Nothing, json!({"think": false}), false),
        ("ollama", "llama3.2:3b", High, json!({}), true),
    ] {
        let (body, outbound) = send(provider, model, &wants(wanted)).unwrap();
        let name = format!("{provider}/{model} {}", wanted.word());
        assert_eq!(said(&body), sent, "{name}");
        let notes: Vec<&String> =
            outbound.notes.iter().filter(|note| note.contains("reasoning_effort")).collect();
        assert_eq!(!notes.is_empty(), is_noted, "{name}: {notes:?}");
    }
}

#[test]
fn thinking_gives_way_to_tools_where_the_two_do_not_go_together() {
    let forced = |request| ChatRequest { tool_choice: Some(ToolChoice::Required), ..with_tool(request) };
    for (provider, model, request, sent) in [
        // Through Responses both go.
        ("openai", "gpt-6-luna", with_tool(wants(High)), json!({"reasoning": {"effort": "high"}})),
        ("openai", "gpt-6-luna", with_tool(wants(Nothing)), json!({"reasoning_effort": "none"})),
        ("deepseek", "deepseek-flash", with_tool(wants(High)), json!({"reasoning_effort": "high"})),
        ("deepseek", "deepseek-flash", forced(wants(High)), json!({"thinking": {"type": "disabled"}})),
        ("anthropic", "claude-haiku-5-5", forced(wants(High)), json!({"output_config": {"effort": "high"}})),
    ] {
        let (body, _) = send(provider, model, &request).unwrap();
        assert_eq!(said(&body), sent, "{provider}/{model}");
    }
    // Tools that Chat Completions alone spells stay there, without thinking.
    let mut own = with_tool(wants(High));
    own.origin = Some(Dialect::OpenaiChat);
    own.tools[0].native = RawJson::parse(r#"{"type":"custom","custom":{"name":"sum"}}"#).ok();
    let (body, outbound) = send("openai", "gpt-6-luna", &own).unwrap();
    assert_eq!(
        (outbound.path.as_str(), said(&body)),
        ("/chat/completions", json!({"reasoning_effort": "none"}))
    );
    let refused = send("openai", "gpt-6.1-sol", &ChatRequest { ..own.clone() });
    // Chat's own tools and a model that calls tools elsewhere only: nobody can send that.
    assert_eq!(
        refused.map(|(_, outbound)| outbound.path).map_err(|f| f.kind),
        Err(Kind::UnsupportedParameter)
    );
}

#[test]
fn what_a_model_refuses_is_refused_before_it_is_sent() {
    let stop = ChatRequest { stop: vec!["END".into()], ..ChatRequest::user("hi").max_tokens(50) };
    let many = ChatRequest { stop: (0..17).map(|nth| nth.to_string()).collect(), ..stop.clone() };
    let forced = ChatRequest {
        tool_choice: Some(ToolChoice::Required),
        ..with_tool(ChatRequest::user("hi").max_tokens(50))
    };
    let tools = ChatRequest { tools: vec![forced.tools[0].clone(); 129], ..ChatRequest::user("hi") };
    for (provider, model, request, param) in [
        ("openai", "gpt-6-luna", &stop, "stop"),
        ("openai", "o3", &stop, "stop"),
        ("xai", "grok-4.6", &stop, "stop"),
        ("openai", "gpt-4o", &many, "stop"),
        ("gemini", "gemini-3.8-flash", &many, "stop"),
        ("deepseek", "deepseek-flash", &many, "stop"),
        ("openai", "gpt-4o", &tools, "tools"),
        ("groq", "qwen/qwen3.8-27b", &tools, "tools"),
        ("anthropic", "claude-opus-5-5", &forced, "tool_choice"),
        ("anthropic", "claude-fable-5-1", &forced, "tool_choice"),
        ("gemini", "gemma-3-27b-it", &forced, "tools"),
    ] {
        let failure = send(provider, model, request).unwrap_err();
        let found = (failure.kind, failure.param.as_deref());
        assert_eq!(found, (Kind::UnsupportedParameter, Some(param)), "{provider}/{model}");
    }
    for (provider, model, request) in [
        ("openai", "gpt-4o", &stop),
        ("openai", "o3-mini", &stop),
        ("xai", "grok-4.20-0309-non-reasoning", &stop),
        ("anthropic", "claude-haiku-5-5", &forced),
        ("openrouter", "x/y", &tools),
        ("local", "x", &many),
    ] {
        assert!(send(provider, model, request).is_ok(), "{provider}/{model}");
    }
}

#[test]
fn what_a_model_does_not_take_is_left_out_and_noted() {
    let mut request = ChatRequest {
        temperature: Some(1.7),
        parallel_tool_calls: Some(false),
        response_format: ResponseFormat::Json,
        origin: Some(Dialect::OpenaiChat),
        ..with_tool(ChatRequest::user("hi").max_tokens(50))
    };
    request.extra.insert("presence_penalty", RawJson::parse("0.5").unwrap());
    request.extra.insert("logprobs", RawJson::parse("true").unwrap());
    for (provider, model, pointer, sent, note) in [
        ("openai", "gpt-4o", "/temperature", json!(1.7), ""),
        ("openai", "gpt-5-mini", "/temperature", Value::Null, "temperature"),
        ("openai", "o3", "/parallel_tool_calls", Value::Null, "parallel_tool_calls"),
        ("anthropic", "claude-haiku-4-5", "/temperature", json!(1.0), "temperature"),
        ("gemini", "gemini-3.8-flash", "/generationConfig/temperature", Value::Null, "temperature"),
        ("gemini", "gemini-2.5-flash", "/generationConfig/responseMimeType", Value::Null, "response_format"),
        ("deepseek", "deepseek-flash", "/temperature", Value::Null, "temperature"),
        ("minimax", "MiniMax-M3", "/temperature", json!(1.0), "temperature"),
        ("minimax", "MiniMax-M3", "/presence_penalty", Value::Null, "presence_penalty"),
        ("mistral", "mistral-large-2512", "/temperature", json!(1.5), "temperature"),
        ("groq", "qwen/qwen3.8-27b", "/response_format", Value::Null, "response_format"),
        ("groq", "qwen/qwen3.8-27b", "/logprobs", Value::Null, "logprobs"),
        ("xai", "grok-4.20-0309-non-reasoning", "/presence_penalty", Value::Null, "presence_penalty"),
        ("openrouter", "x/y", "/presence_penalty", json!(0.5), ""),
        ("local", "x", "/temperature", json!(1.7), ""),
    ] {
        let (body, outbound) = send(provider, model, &request).unwrap();
        let name = format!("{provider}/{model} {pointer}");
        assert_eq!(body.pointer(pointer).cloned().unwrap_or_default(), sent, "{name}");
        if !note.is_empty() {
            assert!(outbound.notes.iter().any(|said| said.contains(note)), "{name}: {:?}", outbound.notes);
        }
    }
}

#[test]
fn thinking_that_an_anthropic_caller_states_is_said_so_that_the_model_takes_it() {
    let adaptive = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}});
    for (model, stated, effort, sent) in [
        ("claude-haiku-5-5", json!({"type": "disabled"}), Nothing, json!({"thinking": {"type": "disabled"}})),
        (
            "claude-opus-5-5",
            json!({"type": "disabled"}),
            Nothing,
            json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        ),
        ("claude-opus-5-5", json!({"type": "enabled", "budget_tokens": 4096}), Medium, adaptive.clone()),
        (
            "claude-haiku-4-5",
            json!({"type": "enabled", "budget_tokens": 4096}),
            Medium,
            json!({"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ),
        (
            "claude-opus-5-5",
            json!({"type": "adaptive", "display": "summarized"}),
            Medium,
            json!({"thinking": {"type": "adaptive", "display": "summarized"}}),
        ),
    ] {
        let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..wants(effort) };
        request.extra.insert("thinking", RawJson::of(&stated).unwrap());
        let (body, outbound) = send("anthropic", model, &request).unwrap();
        assert_eq!(said(&body), sent, "{model} {stated}");
        let unchanged = body["thinking"] == stated;
        assert_eq!(outbound.notes.is_empty(), unchanged, "{model} {:?}", outbound.notes);
    }
}
