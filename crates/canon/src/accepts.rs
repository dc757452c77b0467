//! What a model accepts in a request.

use serde::{Deserialize, Serialize};

/// The shape of request that one model takes. Providers know it for their models; the config file
/// may overrule it for one tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// A `system` message. Where not, its text is put before the first user message.
    pub system_role: bool,
    /// A `developer` message. Where not, it is sent as `system`.
    pub developer_role: bool,
    /// Whether user and assistant must take turns, so that neighbours of one role are joined.
    pub alternate_roles: bool,
    /// Under which name the output limit is sent.
    pub max_tokens_param: MaxTokensParam,
    /// `temperature`, `top_p` and their kin. Where not, they are left out and noted.
    pub sampling: bool,
    /// When earlier reasoning is sent back.
    pub reasoning_replay: ReasoningReplay,
    /// Images in messages.
    pub images: bool,
    /// Tools.
    pub tools: bool,
    /// A JSON schema for the answer. Where not, JSON mode plus our own check.
    pub json_schema: bool,
    /// A reasoning effort.
    pub effort: bool,
}

impl Default for Accepts {
    /// An ordinary OpenAI-compatible server: everything, `max_tokens`, no reasoning sent back.
    fn default() -> Self {
        Self {
            system_role: true,
            developer_role: false,
            alternate_roles: false,
            max_tokens_param: MaxTokensParam::MaxTokens,
            sampling: true,
            reasoning_replay: ReasoningReplay::Never,
            images: true,
            tools: true,
            json_schema: true,
            effort: true,
        }
    }
}

/// The name under which the output limit travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensParam {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`: OpenAI's reasoning models refuse the older name.
    MaxCompletionTokens,
}

/// When reasoning that a model returned is handed back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningReplay {
    /// With every assistant message.
    All,
    /// With assistant messages that called tools.
    ToolLoop,
    /// Not at all.
    Never,
}
