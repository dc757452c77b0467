//! Tools offered and called.

use serde::{Deserialize, Serialize};

use crate::{Extra, RawJson};

/// A function that the model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: Option<String>,
    /// JSON Schema of its arguments; `None` where the dialect left it out.
    pub parameters: Option<RawJson>,
    /// Whether the provider is asked to hold to the schema strictly.
    pub strict: Option<bool>,
    /// Members of the tool that only its own dialect understands, such as `cache_control`.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
    /// A tool that a dialect runs or spells in its own way (a server tool, a free-text tool), whole;
    /// then `name` is its name or type and the rest is empty. Other dialects refuse it.
    pub native: Option<RawJson>,
}

impl Tool {
    /// A function tool.
    pub fn function(name: impl Into<String>, description: impl Into<String>, parameters: RawJson) -> Self {
        Self {
            name: name.into(),
            description: Some(description.into()),
            parameters: Some(parameters),
            strict: None,
            extra: Extra::new(),
            native: None,
        }
    }
}

/// Whether and which tool must be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
    /// A call of this tool.
    Named(String),
}

/// One call that the model made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id, or one made up where the wire has none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them; meant to be a JSON object, and judged for it later.
    pub arguments: String,
    /// Members that only the call's own dialect understands, such as a thought signature.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub extra: Extra,
}
