//! Typical requests as the bytes that each provider is sent.
//!
//! `UPDATE_SNAPSHOTS=1` writes the files in `tests/snapshots/` anew; read what changed before accepting it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mainstay_canon::{
    ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Failure, Media, MediaSource, RawJson,
    ReasoningBlock, ReasoningEffort, ResponseFormat, Role, Target, Tool, ToolCall, ToolChoice,
};
use mainstay_conformance::indented::indented;
use mainstay_dialects::{Call, Outbound};
use mainstay_providers::{ALL, Provider, by_id, for_dialect};
use serde_json::{Value, json};

/// The models that are asked, by provider: one that is typical, and others that are told things otherwise.
const MODELS: [(&str, &[&str]); 15] = [
    ("openai", &["gpt-6-luna", "gpt-4.1-mini"]),
    ("anthropic", &["claude-sonnet-5-5", "claude-sonnet-4-5"]),
    ("gemini", &["gemini-3.8-flash", "gemini-2.5-flash"]),
    ("deepseek", &["deepseek-flash"]),
    ("openrouter", &["anthropic/claude-sonnet-5-5"]),
    ("minimax", &["MiniMax-M3"]),
    ("mistral", &["mistral-medium-latest"]),
    ("groq", &["openai/gpt-oss-120b"]),
    ("xai", &["grok-4"]),
    ("ollama", &["qwen3:8b"]),
    ("vllm", &["a-model"]),
    ("llamacpp", &["a-model"]),
    ("lmstudio", &["a-model"]),
    ("local", &["a-model"]),
    ("compatible", &["a-model"]),
];

/// The models that are asked of servers known only by their dialect.
const BY_DIALECT: [(Dialect, &str); 4] = [
    (Dialect::OpenaiResponses, "a-model"),
    (Dialect::Anthropic, "a-model"),
    (Dialect::Gemini, "a-model"),
    (Dialect::Ollama, "a-model"),
];

fn asked() -> Vec<(&'static Provider, &'static str)> {
    let named =
        MODELS.iter().flat_map(|(id, models)| models.iter().map(|model| (by_id(id).unwrap(), *model)));
    let others = BY_DIALECT.iter().map(|(dialect, model)| (for_dialect(*dialect).unwrap(), *model));
    named.chain(others).collect()
}

/// Where the snapshot of a provider's model is.
fn path(provider: &Provider, model: &str) -> PathBuf {
    let models = MODELS.iter().find(|(id, _)| *id == provider.id).map_or(1, |(_, models)| models.len());
    let name = if models == 1 { provider.id.to_owned() } else { format!("{}.{model}", provider.id) };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{name}.json"))
}

fn request(text: &str) -> ChatRequest {
    ChatRequest::user(text)
}

fn tool(name: &str) -> Tool {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}"#;
    Tool::function(name, "Looks it up.", RawJson::parse(schema).unwrap())
}

fn call(id: &str, city: &str) -> ToolCall {
    let arguments = format!(r#"{{"city": "{city}"}}"#);
    ToolCall { id: id.to_owned(), name: "weather".to_owned(), arguments, extra: Extra::new() }
}

fn result(id: &str, text: &str, tool_error: bool) -> ChatMessage {
    ChatMessage { tool_call_id: Some(id.to_owned()), tool_error, ..ChatMessage::new(Role::Tool, text) }
}

fn media(mime: &str, source: MediaSource) -> Media {
    Media { mime: Some(mime.to_owned()), name: None, source }
}

fn part(content: Content) -> ContentPart {
    ContentPart { content, extra: Extra::new() }
}

fn raw(value: &Value) -> RawJson {
    RawJson::of(value).unwrap()
}

/// A conversation in which two tools were called and one failed.
fn tool_loop() -> ChatRequest {
    let assistant = ChatMessage {
        tool_calls: vec![call("call_1", "Oslo"), call("call_2", "Rome")],
        ..ChatMessage::new(Role::Assistant, "I look it up.")
    };
    request("How warm is it in Oslo and in Rome?")
        .message(assistant)
        .message(result("call_1", "12 degrees", false))
        .message(result("call_2", "no such station", true))
        .tool(tool("weather"))
}

/// What the model that is asked thought before, as its provider spells it.
fn thought(target: &Target, dialect: Dialect) -> Option<ReasoningBlock> {
    let block = match (dialect, &*target.provider) {
        (Dialect::OpenaiChat, "openrouter") => {
            json!({"type": "reasoning.text", "text": "Two cities.", "signature": "c2ln", "index": 0})
        }
        (Dialect::OpenaiChat, "mistral") => {
            json!({"type": "thinking", "thinking": [{"type": "text", "text": "Two cities."}], "closed": true})
        }
        (Dialect::OpenaiResponses, _) => {
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"})
        }
        (Dialect::Anthropic, _) => {
            json!({"type": "thinking", "thinking": "Two cities.", "signature": "c2ln"})
        }
        // As text alone, or with marks that only a reply of theirs makes.
        (Dialect::OpenaiChat | Dialect::Gemini | Dialect::Ollama | Dialect::Bedrock, _) => return None,
    };
    Some(ReasoningBlock { dialect, origin: Some(target.clone()), raw: raw(&block) })
}

/// How a caller of that dialect marks what should be cached.
fn cache(dialect: Dialect) -> ChatRequest {
    let mut request = request("Which clause is it?").system("A long contract.");
    request.origin = Some(dialect);
    let mark = raw(&json!({"type": "ephemeral"}));
    match dialect {
        Dialect::OpenaiChat | Dialect::OpenaiResponses => {
            request.extra.insert("prompt_cache_key", raw(&json!("contract-7")));
        }
        Dialect::Anthropic | Dialect::Bedrock => {
            request.messages[0].content[0].extra.insert("cache_control", mark);
        }
        Dialect::Gemini => {
            // The cache holds the instruction.
            request.messages.remove(0);
            request.extra.insert("cachedContent", raw(&json!("cachedContents/contract-7")));
        }
        Dialect::Ollama => request.extra.insert("keep_alive", raw(&json!("10m"))),
    }
    request
}

/// The requests, for a model.
fn cases(provider: &Provider, target: &Target) -> Vec<(&'static str, ChatRequest)> {
    let dialect = provider.upstream.dialect();
    let plain = request("What is a mainstay?");
    let mut system = plain.clone().system("Be brief.");
    system.messages.push(ChatMessage::new(Role::Assistant, "A rope."));
    system.messages.push(ChatMessage::new(Role::Developer, "Now in French."));
    system.messages.push(ChatMessage::new(Role::User, "Again?"));
    let mut tools = request("How warm is it in Oslo?").tool(tool("weather")).tool(tool("tides"));
    tools.tools[0].strict = Some(true);
    tools.tool_choice = Some(ToolChoice::Named("weather".to_owned()));
    tools.parallel_tool_calls = Some(false);
    let mut images = plain.clone();
    images.messages[0].content = vec![
        ContentPart::text("What is this?"),
        part(Content::Image(media("image/png", MediaSource::Url("https://example.com/a.png".to_owned())))),
        part(Content::Image(media("image/png", MediaSource::Base64("iVBORw0KGgo=".to_owned())))),
    ];
    let mut image = images.clone();
    image.messages[0].content.remove(1);
    let mut reasoning = tool_loop();
    reasoning.messages[1].reasoning_content = Some("Two cities.".to_owned());
    let replayed = provider.upstream_for(&reasoning, &target.model).dialect();
    reasoning.messages[1].reasoning_blocks = thought(target, replayed).into_iter().collect();
    let effort =
        ChatRequest { reasoning_effort: Some(ReasoningEffort::High), ..plain.clone() }.max_tokens(2000);
    let schema = ChatRequest {
        response_format: ResponseFormat::JsonSchema {
            name: "weather".to_owned(),
            schema: tool("weather").parameters.unwrap(),
            strict: Some(true),
        },
        ..request("How warm is it in Oslo?")
    };
    let sampling = ChatRequest {
        temperature: Some(0.2),
        top_p: Some(0.9),
        seed: Some(7),
        stop: vec!["END".to_owned()],
        ..plain.clone()
    };
    vec![
        ("plain", plain.clone()),
        ("system", system),
        ("tools", tools),
        ("tool loop", tool_loop()),
        ("image inline", image),
        ("image by URL too", images),
        ("reasoning replay", reasoning),
        ("effort", effort),
        ("schema", schema),
        ("sampling", sampling.clone()),
        ("sampling without stop", ChatRequest { stop: Vec::new(), ..sampling }),
        ("cache", cache(dialect)),
        ("limit", plain.clone().max_tokens(77)),
        ("stream", ChatRequest { stream: true, ..plain }),
    ]
}

fn sent(provider: &Provider, model: &str, request: &ChatRequest) -> Result<Outbound, Failure> {
    let target = Target::new(provider.id, model);
    let accepts = (provider.accepts)(model);
    let call =
        Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
    provider.upstream_for(request, model).write_request(request, &call)
}

/// What stands in a snapshot for one request: the body as the bytes that are sent.
fn shown(outcome: Result<Outbound, Failure>) -> String {
    match outcome {
        Ok(Outbound { path, headers, body, notes }) => {
            let body = String::from_utf8(body).unwrap();
            let headers: serde_json::Map<_, _> =
                headers.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
            format!(
                r#"{{"path":{},"headers":{},"body":{body},"notes":{}}}"#,
                Value::from(path),
                Value::from(headers),
                Value::from(notes)
            )
        }
        Err(failure) => json!({"refused": failure.param, "because": failure.message}).to_string(),
    }
}

fn snapshot(provider: &'static Provider, model: &str) -> String {
    let target = Target::new(provider.id, model);
    let cases = cases(provider, &target);
    let shown =
        cases.iter().map(|(name, request)| format!("{name:?}:{}", shown(sent(provider, model, request))));
    indented(&format!("{{{}}}", shown.collect::<Vec<_>>().join(",")))
}

#[test]
fn every_provider_is_asked() {
    let asked: BTreeSet<&str> = MODELS.iter().map(|(id, _)| *id).collect();
    let all: BTreeSet<&str> = ALL.iter().map(|provider| provider.id).collect();
    assert_eq!(asked, all);
}

#[test]
fn what_each_provider_is_sent_is_what_was_read_and_accepted() {
    let is_update = std::env::var("UPDATE_SNAPSHOTS").is_ok_and(|value| value == "1");
    let mut changed = Vec::new();
    for (provider, model) in asked() {
        let (path, now) = (path(provider, model), snapshot(provider, model));
        let accepted = std::fs::read_to_string(&path).unwrap_or_default();
        if now == accepted {
            continue;
        }
        if is_update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, now).unwrap();
        } else {
            let first = now.lines().zip(accepted.lines()).find(|(now, then)| now != then);
            changed.push(format!("{}: {first:?}", path.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(changed.is_empty(), "UPDATE_SNAPSHOTS=1 writes them anew:\n{}", changed.join("\n"));
}
