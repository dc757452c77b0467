//! What is asked.

use serde::{Deserialize, Serialize};

use crate::{ChatMessage, Dialect, Extra, RawJson, Role, Tool, ToolChoice};

/// One question to a chain, in nobody's dialect.
///
/// ```
/// use mainstay_canon::ChatRequest;
///
/// let request = ChatRequest::user("What is a mainstay?").session("s-1").max_tokens(200);
/// assert_eq!(request.messages.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// The `model` that a caller named; how it is resolved is the gateway's business.
    pub model_hint: Option<String>,
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Most output tokens, reasoning included.
    pub max_tokens: Option<u32>,
    /// Texts at which the model stops.
    pub stop: Vec<String>,
    /// Sampling seed.
    pub seed: Option<i64>,
    /// Tools on offer.
    pub tools: Vec<Tool>,
    /// Which tool must be called.
    pub tool_choice: Option<ToolChoice>,
    /// Whether several calls may come in one answer.
    pub parallel_tool_calls: Option<bool>,
    /// The form of the answer.
    pub response_format: ResponseFormat,
    /// How much the model should think.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Whether the answer is wanted in pieces.
    pub stream: bool,
    /// How long a useful answer is.
    pub expect: Expect,
    /// What follows the request through every layer.
    pub meta: Metadata,
    /// Whose dialect the extras are.
    pub origin: Option<Dialect>,
    /// Members of the caller's body that this type has no name for.
    pub extra: Extra,
}

impl ChatRequest {
    /// A request with one user message.
    pub fn user(text: impl Into<String>) -> Self {
        Self { messages: vec![ChatMessage::new(Role::User, text)], ..Self::default() }
    }

    /// Puts a system message first.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.messages.insert(0, ChatMessage::new(Role::System, text));
        self
    }

    /// Adds a message at the end.
    pub fn message(mut self, message: ChatMessage) -> Self {
        self.messages.push(message);
        self
    }

    /// Counts the call against this session.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.meta.session_id = Some(id.into());
        self
    }

    /// Counts the call against this user.
    pub fn for_user(mut self, id: impl Into<String>) -> Self {
        self.meta.user_id = Some(id.into());
        self
    }

    /// Limits the output, reasoning included, in tokens.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Offers a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Says how long a useful answer is.
    pub fn expect(mut self, expect: Expect) -> Self {
        self.expect = expect;
        self
    }

    /// Whether the last message is a tool's result.
    pub fn follows_tool_result(&self) -> bool {
        self.messages.last().is_some_and(|last| last.role == Role::Tool)
    }
}

/// What follows a request through every layer into the call log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Our id of the request; made by the client when absent.
    pub request_id: Option<String>,
    /// The caller's own id of the request.
    pub client_request_id: Option<String>,
    /// The conversation or agent run.
    pub session_id: Option<String>,
    /// The end user.
    pub user_id: Option<String>,
    /// A team or feature.
    pub label: Option<String>,
    /// The virtual key's name, never the key.
    pub key_name: Option<String>,
    /// A trace id from the caller, 32 hex digits.
    pub trace_id: Option<String>,
}

/// The form of answer that is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ResponseFormat {
    /// Text.
    #[default]
    Text,
    /// Some JSON object.
    Json,
    /// JSON that satisfies a schema.
    JsonSchema {
        /// The schema's name.
        name: String,
        /// The schema.
        schema: RawJson,
        /// Whether the provider is asked to hold to it strictly.
        strict: Option<bool>,
    },
}

/// How much a model should think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningEffort {
    /// Not at all.
    None,
    /// Barely.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    Xhigh,
    /// All it can.
    Max,
}

impl ReasoningEffort {
    /// All levels, least first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// The level of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

/// How long a useful answer is, as the caller sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// A word will do.
    Short,
    /// Anything complete.
    #[default]
    Any,
    /// A long text; a stray opening is no answer.
    Long,
}
