//! What callers ask: each kind of request, as each kind of client writes it.

use mainstay_testkit::{Reply, Said};
use serde_json::{Value, json};

/// Whose client asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
}

impl Face {
    /// All of them, in the order in which a table shows them.
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Anthropic];

    /// The route that is called.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// A word for it, for names.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
        }
    }
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A few words.
    Words,
    /// A call of the tool `look_up`.
    Call,
    /// JSON that satisfies a schema.
    Json,
    /// A few words about a megabyte of text.
    WordsOnMuch,
}

/// What a healthy tier answers in words.
pub const WORDS: &str = "The Douro, the Tagus and the Guadiana are three rivers of Portugal.";
/// The tool that is offered.
pub const TOOL: &str = "look_up";
/// The arguments with which a healthy tier calls it.
pub const ARGUMENTS: &str = r#"{"river":"Douro"}"#;
/// The JSON that a healthy tier answers.
pub const JSON: &str = r#"{"rivers":["Douro","Tagus"]}"#;
/// The size of [`Wish::WordsOnMuch`], in bytes.
const MUCH: usize = 1_000_000;

impl Wish {
    /// What a healthy tier says to it.
    pub fn healthy(self) -> Reply {
        match self {
            Self::Words | Self::WordsOnMuch => Reply::text(WORDS),
            Self::Call => Reply::Say(Said::call(TOOL, ARGUMENTS)),
            Self::Json => Reply::text(JSON),
        }
    }

    /// The request's body as a client of that kind writes it.
    pub fn body(self, face: Face, model: &str, stream: bool) -> Value {
        let prompt = match self {
            Self::Words | Self::Call | Self::Json => "Name three rivers of Portugal.".to_owned(),
            Self::WordsOnMuch => format!("Which rivers are named here? {}", "x ".repeat(MUCH / 2)),
        };
        let mut body = match face {
            Face::Chat | Face::Anthropic => {
                json!({"max_tokens": 300, "messages": [{"role": "user", "content": prompt}]})
            }
            Face::Responses => json!({"max_output_tokens": 300, "input": prompt}),
        };
        body["model"] = json!(model);
        body["stream"] = json!(stream);
        match self {
            Self::Words | Self::WordsOnMuch => {}
            Self::Call => body["tools"] = json!([tool(face)]),
            Self::Json => want_json(face, &mut body),
        }
        body
    }
}

fn tool(face: Face) -> Value {
    let schema = json!({"type": "object", "properties": {"river": {"type": "string"}},
        "required": ["river"], "additionalProperties": false});
    match face {
        Face::Chat => json!({"type": "function",
            "function": {"name": TOOL, "description": "Looks up a river.", "parameters": schema}}),
        Face::Responses => json!({"type": "function", "name": TOOL, "description": "Looks up a river.",
            "parameters": schema, "strict": false}),
        Face::Anthropic => json!({"name": TOOL, "description": "Looks up a river.", "input_schema": schema}),
    }
}

fn want_json(face: Face, body: &mut Value) {
    let schema = json!({"type": "object", "required": ["rivers"], "additionalProperties": false,
        "properties": {"rivers": {"type": "array", "items": {"type": "string"}}}});
    match face {
        Face::Chat => {
            body["response_format"] = json!({"type": "json_schema",
                "json_schema": {"name": "rivers", "strict": true, "schema": schema}});
        }
        Face::Responses => {
            body["text"] = json!({"format": {"type": "json_schema", "name": "rivers", "strict": true,
                "schema": schema}});
        }
        Face::Anthropic => {
            body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
        }
    }
}
