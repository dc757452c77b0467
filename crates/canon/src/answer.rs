//! What came back.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::{
    Attempt, Cost, Dialect, Extra, FinishReason, ReasoningBlock, Shown, Target, ToolCall, Usage, Verdict,
};

/// One model's answer, normalized: the same shape whoever gave it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The provider's id of the answer, if it gave one.
    pub id: Option<String>,
    /// The model, as the provider reports it.
    pub model: Option<String>,
    /// The visible text, exactly as sent; reasoning is never part of it.
    pub text: String,
    /// Why it ended.
    pub finish_reason: FinishReason,
    /// The provider's own word for it; `None` where none came.
    pub finish_reason_raw: Option<String>,
    /// The stop text that was hit, where the provider says which.
    pub stop_sequence: Option<String>,
    /// Calls of tools, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Reasoning as text.
    pub reasoning_content: Option<String>,
    /// Reasoning as its provider spelled it, to be handed back unchanged.
    pub reasoning_blocks: Vec<ReasoningBlock>,
    /// Pictures, sounds and files, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Shown>,
    /// The text of the provider's refusal field.
    pub refusal: Option<String>,
    /// Tokens used.
    pub usage: Usage,
    /// What the provider itself says the call cost.
    pub reported_cost: Option<crate::Nanodollars>,
    /// Whether the filter blocked the prompt itself as prohibited (behaviour 4.1, `filtered`).
    pub prompt_prohibited: bool,
    /// Whether the context window, not the token limit, ended it.
    pub context_full: bool,
    /// Members that only the answer's own dialect understands.
    pub extra: Extra,
    /// The dialect that the answer came in; `None` for one that nobody sent. Only a caller who speaks the same is
    /// given `extra`.
    #[serde(default)]
    pub dialect: Option<Dialect>,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            id: None,
            model: None,
            text: String::new(),
            finish_reason: FinishReason::Empty,
            finish_reason_raw: None,
            stop_sequence: None,
            tool_calls: Vec::new(),
            reasoning_content: None,
            reasoning_blocks: Vec::new(),
            shown: Vec::new(),
            refusal: None,
            usage: Usage::default(),
            reported_cost: None,
            prompt_prohibited: false,
            context_full: false,
            extra: Extra::new(),
            dialect: None,
        }
    }
}

/// The answer that is handed over, with how it came about. Reads like its [`Answer`]:
/// `response.text`, `response.tool_calls`, `response.usage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatResponse {
    /// What was said.
    pub answer: Answer,
    /// Our id of the request.
    pub request_id: String,
    /// Who said it.
    pub target: Target,
    /// What the judge found.
    pub quality: Verdict,
    /// What all attempts together cost.
    pub cost: Cost,
    /// From the call to the whole answer, in ms, every attempt and wait included.
    pub latency_ms: u64,
    /// From the start of the answering attempt to its first content, in ms; streams only.
    pub time_to_first_token_ms: Option<u64>,
    /// The trail that led here, the answering attempt last.
    pub attempts: Vec<Attempt>,
    /// Whether the static tier answered.
    pub from_static_tier: bool,
    /// Where the text was continued after a break, as a byte offset.
    pub continued_at: Option<usize>,
}

impl Deref for ChatResponse {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.answer
    }
}

impl ChatResponse {
    /// How many calls reached a provider.
    pub fn upstream_calls(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.number.is_some()).count()
    }
}
