//! Messages of a chat.

use serde::{Deserialize, Serialize};

use crate::{Dialect, Extra, RawJson, Target, ToolCall};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The operator's instruction.
    System,
    /// The same under the name that OpenAI's reasoning models use; `system` everywhere else.
    Developer,
    /// The person or program that asks.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<ContentPart>,
    /// The speaker's name, or the tool's.
    pub name: Option<String>,
    /// Calls that the assistant made in this message.
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool message answers.
    pub tool_call_id: Option<String>,
    /// Whether a tool message reports an error (Anthropic's `is_error`).
    pub tool_error: bool,
    /// Reasoning that came with an assistant message, as text.
    pub reasoning_content: Option<String>,
    /// Reasoning as its provider spelled it, to be handed back unchanged to that model only.
    pub reasoning_blocks: Vec<ReasoningBlock>,
    /// The text of an assistant's refusal field.
    pub refusal: Option<String>,
    /// The message's content exactly as it came, where its dialect's order or blocks say more than the
    /// fields above; a writer of the same dialect sends this instead.
    pub verbatim: Option<Verbatim>,
    /// Members that only the message's own dialect understands.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
}

impl ChatMessage {
    /// A message with one text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { content: vec![ContentPart::text(text)], ..Self::empty(role) }
    }

    /// A message with nothing in it yet.
    pub fn empty(role: Role) -> Self {
        Self {
            role,
            content: Vec::new(),
            name: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_error: false,
            reasoning_content: None,
            reasoning_blocks: Vec::new(),
            refusal: None,
            verbatim: None,
            extra: Extra::new(),
        }
    }

    /// Whether there is nothing in it but members that only its own dialect understands.
    pub fn is_hollow(&self) -> bool {
        let Self { content, tool_calls, tool_call_id, reasoning_content, reasoning_blocks, .. } = self;
        let says_nothing = content.is_empty() && tool_calls.is_empty() && reasoning_blocks.is_empty();
        let says_less = reasoning_content.is_none() && self.refusal.is_none() && self.verbatim.is_none();
        says_nothing && says_less && tool_call_id.is_none() && !self.extra.is_empty()
    }

    /// All text parts, joined with nothing between.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentPart::as_text).collect()
    }
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContentPart {
    /// The piece.
    pub content: Content,
    /// Members that only its own dialect understands, such as `cache_control` or `detail`.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
}

impl ContentPart {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: Content::Text(text.into()), extra: Extra::new() }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Image(_) | Content::Audio(_) | Content::File(_) | Content::Native { .. } => None,
        }
    }
}

/// What a content part is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text(String),
    /// An image.
    Image(Media),
    /// A sound.
    Audio(Media),
    /// A document or other file.
    File(Media),
    /// A part that only one dialect knows, whole. Other dialects refuse it.
    Native {
        /// Whose part it is.
        dialect: Dialect,
        /// The part's `type`, for messages.
        kind: String,
        /// The part.
        raw: RawJson,
    },
}

/// Something that is not text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Media {
    /// MIME type such as `image/png`, where it is known.
    pub mime: Option<String>,
    /// File name, where one was given.
    pub name: Option<String>,
    /// Where the bytes are.
    pub source: MediaSource,
}

/// Where the bytes of a media part are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaSource {
    /// Here, in base64.
    Base64(String),
    /// At an address that the provider fetches itself.
    Url(String),
    /// Uploaded to the provider before.
    FileId(String),
}

impl MediaSource {
    /// Bytes of the text that says where they are.
    pub fn weight(&self) -> usize {
        match self {
            Self::Base64(text) | Self::Url(text) | Self::FileId(text) => text.len(),
        }
    }
}

/// A piece of reasoning that its provider wants back exactly as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasoningBlock {
    /// Whose dialect spelled it.
    pub dialect: Dialect,
    /// Who said it, where we know: another model must not be given it.
    pub origin: Option<Target>,
    /// The block as it stood on the wire.
    pub raw: RawJson,
}

/// A message's content as it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verbatim {
    /// Whose dialect it is.
    pub dialect: Dialect,
    /// The `content` member.
    pub content: RawJson,
}
