//! What an operator decides about judging.

use std::collections::BTreeMap;

use mainstay_canon::Quality;

/// What a finding leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Bad answers are failures.
    #[default]
    Enforce,
    /// Everything is judged and recorded, nothing is changed.
    Observe,
}

/// How strictly answers are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Short answers that are complete in themselves are fine.
    #[default]
    Balanced,
    /// Fewer than four completion tokens are suspicious, whatever they say.
    Strict,
    /// Only what the provider itself says is noted, and nothing counts as a failure unless `classes` says so.
    Off,
}

/// Whether a class counts as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassAction {
    /// It is handed over.
    Accept,
    /// It is a failure.
    Fail,
}

/// The options of a [`Judge`](crate::Judge).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeOptions {
    /// What a finding leads to; default: enforce.
    pub action: Action,
    /// How strictly answers are judged; default: balanced.
    pub profile: Profile,
    /// Regular expressions that make an answer a refusal, added to the built-in rules; at most 200, each at
    /// most 1,000 bytes.
    pub refusal_patterns: Vec<String>,
    /// Classes that count otherwise than by default.
    pub classes: BTreeMap<Quality, ClassAction>,
    /// Whether arguments of tool calls that only need a comma or a fence taken away are repaired.
    pub repair_tool_calls: bool,
}

impl JudgeOptions {
    /// Whether an answer of that class counts as a failure.
    pub fn is_failure(&self, quality: Quality) -> bool {
        if quality == Quality::Ok {
            return false;
        }
        let chosen = self.classes.get(&quality);
        if quality == Quality::Interrupted {
            // A transport that broke is no opinion about an answer: it stays a failure when only observing.
            return chosen != Some(&ClassAction::Accept);
        }
        match (self.action, chosen) {
            (Action::Observe, _) | (Action::Enforce, Some(ClassAction::Accept)) => false,
            (Action::Enforce, Some(ClassAction::Fail)) => true,
            (Action::Enforce, None) => self.profile != Profile::Off && fails_by_default(quality),
        }
    }
}

/// Behaviour 4.1: what is handed over as it is, and what is not.
const fn fails_by_default(quality: Quality) -> bool {
    match quality {
        Quality::Ok | Quality::Truncated | Quality::Paused => false,
        Quality::Empty
        | Quality::TruncatedEmpty
        | Quality::ReasoningOnly
        | Quality::SuspiciouslyShort
        | Quality::Refusal
        | Quality::Filtered
        | Quality::MalformedToolCall
        | Quality::SchemaMismatch
        | Quality::Degenerate
        | Quality::Interrupted => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_as_it_is_is_no_failure() {
        let options = JudgeOptions::default();
        let handed_over = [Quality::Ok, Quality::Truncated, Quality::Paused];
        for quality in Quality::ALL {
            assert_eq!(options.is_failure(quality), !handed_over.contains(&quality), "{quality}");
        }
    }

    #[test]
    fn an_operator_chooses_by_class() {
        let classes =
            [(Quality::SuspiciouslyShort, ClassAction::Accept), (Quality::Truncated, ClassAction::Fail)];
        let options = JudgeOptions { classes: classes.into(), ..JudgeOptions::default() };
        assert!(!options.is_failure(Quality::SuspiciouslyShort));
        assert!(options.is_failure(Quality::Truncated));
        assert!(options.is_failure(Quality::Refusal));
    }

    #[test]
    fn observing_changes_nothing_but_a_broken_transport() {
        let classes = [(Quality::Refusal, ClassAction::Fail)];
        let options =
            JudgeOptions { action: Action::Observe, classes: classes.into(), ..JudgeOptions::default() };
        for quality in Quality::ALL {
            assert_eq!(options.is_failure(quality), quality == Quality::Interrupted, "{quality}");
        }
    }
}
