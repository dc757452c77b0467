//! What a model accepts in a request.

use serde::{Deserialize, Serialize};

use crate::ReasoningEffort;

/// The shape of request that one model takes. Providers know it for their models; the config file
/// may overrule it for one tier.
///
/// What is not taken is refused before anything is sent, or left out and noted. Each field says which.
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
    /// Whether a model that takes no sampling does so when it is told not to think.
    pub sampling_at_rest: bool,
    /// The temperatures it takes. One outside is sent as the nearest inside, and noted.
    pub temperature: Temperatures,
    /// Presence and frequency penalties. Where not, they are left out and noted.
    pub penalties: bool,
    /// Most stop texts, where that is known. More are refused: an answer would go on where it should end.
    pub most_stops: Option<usize>,
    /// When earlier reasoning is sent back.
    pub reasoning_replay: ReasoningReplay,
    /// Images in messages. Where not, they are refused.
    pub images: bool,
    /// Most images in one request, where that is known. More are refused.
    pub most_images: Option<usize>,
    /// Sounds in messages. Where not, they are refused.
    pub audio: bool,
    /// Documents in messages. Where not, they are refused.
    pub files: bool,
    /// Tools. Where not, they are refused.
    pub tools: bool,
    /// Most tools in one request, where that is known. More are refused.
    pub most_tools: Option<usize>,
    /// Whether a tool call may be demanded.
    pub forced_tools: ForcedTools,
    /// `parallel_tool_calls`. Where not, it is left out and noted.
    pub parallel_choice: bool,
    /// A JSON schema for the answer. Where not, JSON mode plus our own check.
    pub json_schema: bool,
    /// Whether the form of the answer may be asked for beside tools. Where not, it is left out and noted;
    /// the judge still checks it.
    pub form_with_tools: bool,
    /// A reasoning effort. Where not, it is left out and noted.
    pub effort: bool,
    /// The efforts it knows, least first. Any other is sent as the next higher, else the highest, and noted.
    pub efforts: &'static [ReasoningEffort],
    /// Whether Chat Completions takes an effort other than `none` beside tools. Where not, and no other
    /// route is left, the effort gives way and a note says so.
    pub effort_with_tools: bool,
    /// Whether it thinks.
    pub thinking: Thinking,
    /// The thinking budgets it takes; `None` where it refuses to be told one.
    pub budget: Option<Budget>,
    /// Which of OpenAI's two routes serves it.
    pub route: Route,
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
            sampling_at_rest: false,
            temperature: Temperatures::ANY,
            penalties: true,
            most_stops: None,
            reasoning_replay: ReasoningReplay::Never,
            images: true,
            most_images: None,
            audio: true,
            files: true,
            tools: true,
            most_tools: None,
            forced_tools: ForcedTools::Always,
            parallel_choice: true,
            json_schema: true,
            form_with_tools: true,
            effort: true,
            efforts: &ReasoningEffort::ALL,
            effort_with_tools: true,
            thinking: Thinking::Optional,
            budget: Some(Budget::ANY),
            route: Route::Either,
        }
    }
}

impl Accepts {
    /// The effort that is sent for the one that is wanted: itself, else the next higher that the model
    /// knows, else its highest. `None` where it knows none.
    ///
    /// ```
    /// use mainstay_canon::{Accepts, ReasoningEffort};
    ///
    /// let accepts = Accepts { efforts: &[ReasoningEffort::Low, ReasoningEffort::High], ..Accepts::default() };
    /// assert_eq!(accepts.nearest(ReasoningEffort::Medium), Some(ReasoningEffort::High));
    /// assert_eq!(accepts.nearest(ReasoningEffort::Max), Some(ReasoningEffort::High));
    /// ```
    pub fn nearest(&self, wanted: ReasoningEffort) -> Option<ReasoningEffort> {
        let higher = self.efforts.iter().filter(|level| **level >= wanted).min();
        higher.or_else(|| self.efforts.iter().max()).copied()
    }

    /// Whether sampling parameters are taken beside that effort.
    pub fn samples(&self, effort: Option<ReasoningEffort>) -> bool {
        self.sampling || (self.sampling_at_rest && effort == Some(ReasoningEffort::None))
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

/// Whether a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// It does not.
    Never,
    /// It can be told to and told not to, or nobody knows.
    Optional,
    /// It always does, and refuses to be told not to: `none` is sent as its least effort, and noted.
    Always,
}

/// Whether a model takes a demand for a tool call (`required`, or a tool by name).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedTools {
    /// It does.
    Always,
    /// Only while it does not think: thinking gives way, and a note says so.
    AtRest,
    /// Never. The request is refused before it is sent.
    Never,
}

/// Through which of OpenAI's two routes a model is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Chat Completions only.
    Chat,
    /// Either.
    Either,
    /// Either, but tools only through Responses.
    ResponsesForTools,
    /// Responses only.
    Responses,
}

/// The temperatures that a model takes, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temperatures {
    /// The lowest.
    pub least: u16,
    /// The highest.
    pub most: u16,
}

impl Temperatures {
    /// Nothing is known that would not be taken.
    pub const ANY: Self = Self { least: 0, most: u16::MAX };

    /// From nothing up to that many hundredths.
    pub const fn up_to(most: u16) -> Self {
        Self { least: 0, most }
    }

    /// The temperature that is sent for the one that is wanted.
    ///
    /// ```
    /// use mainstay_canon::Temperatures;
    ///
    /// assert_eq!(Temperatures::up_to(100).nearest(1.5), 1.0);
    /// assert_eq!(Temperatures::up_to(200).nearest(1.5), 1.5);
    /// ```
    pub fn nearest(self, wanted: f64) -> f64 {
        wanted.max(f64::from(self.least) / 100.0).min(f64::from(self.most) / 100.0)
    }
}

/// The thinking budgets that a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The smallest, in tokens.
    pub least: u32,
    /// The largest, in tokens.
    pub most: u32,
    /// Whether a budget of 0 turns thinking off.
    pub stops: bool,
}

impl Budget {
    /// Nothing is known that would not be taken.
    pub const ANY: Self = Self { least: 0, most: u32::MAX, stops: true };
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReasoningEffort::{High, Low, Max, Medium, Minimal, None as Nothing};

    #[test]
    fn the_nearest_effort_is_the_next_higher_else_the_highest() {
        let accepts = Accepts { efforts: &[Low, High], ..Accepts::default() };
        for (wanted, sent) in [(Nothing, Low), (Minimal, Low), (Low, Low), (Medium, High), (Max, High)] {
            assert_eq!(accepts.nearest(wanted), Some(sent), "{wanted:?}");
        }
        assert_eq!(Accepts { efforts: &[], ..Accepts::default() }.nearest(Low), None);
    }

    #[test]
    fn a_thinking_model_samples_only_at_rest_and_only_if_it_may() {
        let thinks = Accepts { sampling: false, sampling_at_rest: true, ..Accepts::default() };
        assert!(thinks.samples(Some(Nothing)) && !thinks.samples(Some(Low)) && !thinks.samples(None));
        let never = Accepts { sampling: false, ..Accepts::default() };
        assert!(!never.samples(Some(Nothing)));
        assert!(Accepts::default().samples(Some(Max)));
    }
}
