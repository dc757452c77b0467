//! How a model is told how much to think.
//!
//! Source: Gemini API, Thinking, 2026-11: levels from Gemini 3 on, budgets of tokens for Gemini 2.5. Which model is of
//! which generation comes in from outside.

use mainstay_canon::ReasoningEffort;
use serde::Serialize;

use super::notes::Notes;

/// How a model is told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// `thinkingLevel`, with the efforts that the model knows as levels, least first (Gemini 3 and later).
    Levels(&'static [ReasoningEffort]),
    /// `thinkingBudget` (Gemini 2.5).
    Budget {
        /// Least budget that the model takes, in tokens.
        least: u32,
        /// Largest budget that the model takes, in tokens.
        most: u32,
        /// Whether a budget of 0 turns thinking off.
        stops: bool,
    },
}

/// The `thinkingConfig` member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
    /// Whether summaries of the thoughts are sent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    include_thoughts: bool,
}

/// What an effort is for a model that thinks so.
pub(super) fn config(
    effort: ReasoningEffort,
    thinking: Thinking,
    max_tokens: Option<u32>,
    notes: &mut Notes,
) -> Option<ThinkingConfig> {
    let include_thoughts = effort != ReasoningEffort::None;
    match thinking {
        Thinking::Levels(levels) => {
            // What is not known as a level is the next higher one, else the highest.
            let level = levels.iter().find(|level| **level >= effort).or(levels.last()).copied()?;
            if level != effort {
                notes.add(format!("reasoning_effort {} is sent as {}", effort.word(), level.word()));
            }
            let thinking_level = Some(level_word(level));
            Some(ThinkingConfig { thinking_level, thinking_budget: None, include_thoughts })
        }
        Thinking::Budget { least, most, stops } => {
            let budget = budget(effort, least, most, stops, max_tokens);
            if budget > 0 && !include_thoughts {
                notes.add("reasoning_effort none is sent as the least budget: the model always thinks");
            }
            Some(ThinkingConfig { thinking_level: None, thinking_budget: Some(budget), include_thoughts })
        }
    }
}

const fn level_word(level: ReasoningEffort) -> &'static str {
    match level {
        ReasoningEffort::None | ReasoningEffort::Minimal => "MINIMAL",
        ReasoningEffort::Low => "LOW",
        ReasoningEffort::Medium => "MEDIUM",
        ReasoningEffort::High => "HIGH",
        ReasoningEffort::Xhigh | ReasoningEffort::Max => "XHIGH",
    }
}

/// A budget in tokens, after the mapping of Google's own OpenAI-compatible route. The output limit counts thoughts,
/// too, so a fifth of it is left for the answer.
fn budget(effort: ReasoningEffort, least: u32, most: u32, stops: bool, max_tokens: Option<u32>) -> u32 {
    let wanted = match effort {
        ReasoningEffort::None => return if stops { 0 } else { least },
        ReasoningEffort::Minimal | ReasoningEffort::Low => 1024,
        ReasoningEffort::Medium => 8192,
        ReasoningEffort::High => 24_576,
        ReasoningEffort::Xhigh | ReasoningEffort::Max => most,
    };
    let room = max_tokens.map_or(u32::MAX, |limit| limit - limit / 5);
    wanted.min(room).min(most).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReasoningEffort::{High, Low, Max, Medium, Minimal, Xhigh};

    fn written(effort: ReasoningEffort, thinking: Thinking, limit: Option<u32>) -> (String, usize) {
        let mut notes = Notes::default();
        let config = config(effort, thinking, limit, &mut notes).unwrap();
        (serde_json::to_string(&config).unwrap(), notes.into_vec().len())
    }

    #[test]
    fn an_effort_is_the_nearest_level_that_is_not_lower() {
        let pro = Thinking::Levels(&[Low, High]);
        for (effort, word, noted) in
            [(Minimal, "LOW", 1), (Low, "LOW", 0), (Medium, "HIGH", 1), (High, "HIGH", 0), (Max, "HIGH", 1)]
        {
            let expected = format!(r#"{{"thinkingLevel":"{word}","includeThoughts":true}}"#);
            assert_eq!(written(effort, pro, None), (expected, noted), "{effort:?}");
        }
        let newest = Thinking::Levels(&[Minimal, Low, Medium, High, Xhigh]);
        assert_eq!(
            written(ReasoningEffort::None, newest, None),
            (r#"{"thinkingLevel":"MINIMAL"}"#.to_owned(), 1)
        );
        assert!(written(Max, newest, None).0.contains("XHIGH"));
        assert_eq!(config(Low, Thinking::Levels(&[]), None, &mut Notes::default()), None);
    }

    #[test]
    fn an_effort_is_a_budget_within_the_models_range_and_the_output_limit() {
        let flash = Thinking::Budget { least: 1, most: 24_576, stops: true };
        let pro = Thinking::Budget { least: 128, most: 32_768, stops: false };
        for (effort, thinking, limit, budget, noted) in [
            (Low, flash, None, 1024, 0),
            (Medium, flash, None, 8192, 0),
            (Medium, flash, Some(5000), 4000, 0),
            (Max, flash, None, 24_576, 0),
            (Max, pro, None, 32_768, 0),
            (Low, pro, Some(100), 128, 0),
        ] {
            let expected = format!(r#"{{"thinkingBudget":{budget},"includeThoughts":true}}"#);
            assert_eq!(written(effort, thinking, limit), (expected, noted), "{effort:?} {thinking:?}");
        }
        let none = ReasoningEffort::None;
        assert_eq!(written(none, flash, None), (r#"{"thinkingBudget":0}"#.to_owned(), 0));
        assert_eq!(written(none, pro, None), (r#"{"thinkingBudget":128}"#.to_owned(), 1));
    }
}
