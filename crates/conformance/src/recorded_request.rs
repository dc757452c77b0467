//! The request of a recording, as far as an answer is judged by it.

use mainstay_canon::{ChatMessage, ChatRequest, Dialect, RawJson, ResponseFormat, Role, Tool};
use mainstay_dialects::{Inbound, anthropic, openai_chat, openai_responses};
use mainstay_testkit::Recording;
use serde_json::Value;

/// What was asked. Where the dialect has a caller's side, that side reads it; else, and where a recording's cut
/// strings make it unreadable, its texts and tools are picked out here. Where no request was recorded, the tools
/// that were called are taken to have been on offer.
pub fn request(recording: &Recording, dialect: Dialect) -> ChatRequest {
    let sent = &recording.whole["request"];
    let body = serde_json::to_vec(sent).unwrap();
    let face: Option<&dyn Inbound> = match dialect {
        Dialect::OpenaiChat => Some(&openai_chat::INBOUND),
        Dialect::OpenaiResponses => Some(&openai_responses::INBOUND),
        Dialect::Anthropic => Some(&anthropic::Face),
        Dialect::Gemini | Dialect::Ollama | Dialect::Bedrock => None,
    };
    let read = face.and_then(|face| face.read_request(&body).ok());
    let mut request = read.map_or_else(|| picked_out(sent), |read| read.request);
    if request.messages.is_empty() {
        request.tools.extend(called(recording));
    }
    request
}

fn called(recording: &Recording) -> Vec<Tool> {
    let calls = recording.expected.as_ref().and_then(|expected| expected["tool_calls"].as_array());
    let calls = calls.into_iter().flatten();
    calls
        .filter_map(|call| {
            let free_text = (call["custom"] == true).then(|| RawJson::parse(r#"{"type":"custom"}"#).unwrap());
            Some(Tool { native: free_text, ..offered(call["name"].as_str()?, None) })
        })
        .collect()
}

fn offered(name: &str, parameters: Option<RawJson>) -> Tool {
    let (name, extra) = (name.to_owned(), mainstay_canon::Extra::new());
    Tool { name, description: None, parameters, strict: None, extra, native: None }
}

fn picked_out(sent: &Value) -> ChatRequest {
    let turns = ["messages", "input", "contents"].iter().find_map(|name| sent.get(*name));
    let messages = match turns {
        Some(Value::String(text)) => vec![ChatMessage::new(Role::User, text.clone())],
        Some(Value::Array(turns)) => turns.iter().map(message).collect(),
        _ => Vec::new(),
    };
    ChatRequest { messages, tools: tools(sent), response_format: format(sent), ..ChatRequest::default() }
}

fn message(turn: &Value) -> ChatMessage {
    let content = turn.get("content").or_else(|| turn.get("parts")).unwrap_or(&Value::Null);
    let parts: Vec<&Value> = content.as_array().into_iter().flatten().collect();
    let is_result = turn["role"] == "tool"
        || parts.iter().any(|part| part.get("functionResponse").is_some() || part["type"] == "tool_result");
    let role = match turn["role"].as_str() {
        _ if is_result => Role::Tool,
        Some("assistant" | "model") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        _ => Role::User,
    };
    let text: String = match content.as_str() {
        Some(text) => text.to_owned(),
        None => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
    };
    ChatMessage::new(role, text)
}

/// Functions on offer, wherever a dialect puts them.
fn tools(sent: &Value) -> Vec<Tool> {
    let listed = sent["tools"].as_array().into_iter().flatten();
    let declared = listed.flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(declared) => declared.iter().collect(),
        None => vec![tool.get("function").unwrap_or(tool)],
    });
    declared
        .filter_map(|function| {
            let schema = ["parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"];
            let schema =
                schema.iter().find_map(|name| function.get(*name)).filter(|schema| !schema.is_null());
            let schema = schema.and_then(|schema| RawJson::of(schema).ok());
            Some(offered(function["name"].as_str()?, schema))
        })
        .collect()
}

fn format(sent: &Value) -> ResponseFormat {
    let settings = &sent["generationConfig"];
    let wanted = ["responseJsonSchema", "responseSchema"].iter().find_map(|name| settings.get(*name));
    let schema = wanted.or_else(|| sent.get("format")).filter(|schema| schema.is_object());
    match schema.and_then(|schema| RawJson::of(schema).ok()) {
        Some(schema) => ResponseFormat::JsonSchema { name: "answer".to_owned(), schema, strict: None },
        None if settings["responseMimeType"] == "application/json" || sent["format"] == "json" => {
            ResponseFormat::Json
        }
        None => ResponseFormat::Text,
    }
}
