//! Token counts of `usageMetadata`, in our arithmetic.
//!
//! Source: Gemini API reference, UsageMetadata, 2026-11. Thoughts lie outside the candidates' count and are billed
//! as output; what server tools put into the prompt lies outside the prompt's count. A count of zero is left out.

use mainstay_canon::{Extra, WireUsage};

use super::json::Object;

/// The counters as the wire has them. Reports of a stream are running totals: each that is stated replaces the
/// one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counters {
    prompt: Option<u64>,
    tool_prompt: Option<u64>,
    cached: Option<u64>,
    candidates: Option<u64>,
    thoughts: Option<u64>,
    total: Option<u64>,
}

/// The members that have a canonical name, and the total that follows from them.
const KNOWN: [&str; 6] = [
    "promptTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
];

impl Counters {
    /// The counters that `usage` states.
    pub(super) fn of(usage: &Object<'_>) -> Self {
        let mut counters = Self::default();
        for name in KNOWN {
            if let Some(counter) = counters.named(name) {
                *counter = usage.count(name);
            }
        }
        counters
    }

    /// The counter of that name.
    pub(super) fn named(&mut self, name: &str) -> Option<&mut Option<u64>> {
        Some(match name {
            "promptTokenCount" => &mut self.prompt,
            "toolUsePromptTokenCount" => &mut self.tool_prompt,
            "cachedContentTokenCount" => &mut self.cached,
            "candidatesTokenCount" => &mut self.candidates,
            "thoughtsTokenCount" => &mut self.thoughts,
            "totalTokenCount" => &mut self.total,
            _ => return None,
        })
    }

    /// Takes each counter that is stated.
    pub(super) fn merge(&mut self, stated: Self) {
        self.prompt = stated.prompt.or(self.prompt);
        self.tool_prompt = stated.tool_prompt.or(self.tool_prompt);
        self.cached = stated.cached.or(self.cached);
        self.candidates = stated.candidates.or(self.candidates);
        self.thoughts = stated.thoughts.or(self.thoughts);
        self.total = stated.total.or(self.total);
    }

    /// The counters in our arithmetic, where the completion includes the reasoning.
    pub(super) fn totals(&self) -> WireUsage {
        let prompt = self.prompt.map(|prompt| prompt.saturating_add(self.tool_prompt.unwrap_or(0)));
        let completion = match (self.candidates, self.thoughts) {
            // Nothing came out, unless the total knows better.
            (None, None) => self.total.zip(prompt).map(|(total, prompt)| total.saturating_sub(prompt)),
            (candidates, thoughts) => Some(candidates.unwrap_or(0).saturating_add(thoughts.unwrap_or(0))),
        };
        WireUsage {
            prompt,
            completion,
            cached: self.cached,
            reasoning: self.thoughts,
            ..WireUsage::default()
        }
    }
}

/// The members without a canonical name: counts by modality, the kind of traffic.
pub(super) fn rest(usage: &Object<'_>) -> Extra {
    usage.rest(&KNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(reports: &[&str]) -> WireUsage {
        let mut counters = Counters::default();
        for report in reports {
            counters.merge(Counters::of(&Object::parse(report).unwrap()));
        }
        counters.totals()
    }

    #[test]
    fn thoughts_are_output_and_tool_prompts_are_input() {
        let usage = totals(&[
            r#"{"promptTokenCount":100,"toolUsePromptTokenCount":30,"cachedContentTokenCount":64,"candidatesTokenCount":2,
               "thoughtsTokenCount":8,"totalTokenCount":140}"#,
        ]);
        assert_eq!((usage.prompt, usage.completion), (Some(130), Some(10)));
        assert_eq!((usage.cached, usage.reasoning), (Some(64), Some(8)));
    }

    #[test]
    fn later_reports_replace_earlier_ones_counter_by_counter() {
        let usage = totals(&[
            r#"{"promptTokenCount":10,"totalTokenCount":10}"#,
            r#"{"promptTokenCount":10,"thoughtsTokenCount":7,"totalTokenCount":17}"#,
            r#"{"candidatesTokenCount":5,"thoughtsTokenCount":null,"trafficType":"ON_DEMAND"}"#,
        ]);
        assert_eq!((usage.prompt, usage.completion, usage.reasoning), (Some(10), Some(12), Some(7)));
    }

    #[test]
    fn counts_that_are_left_out_follow_from_the_total_or_are_unknown() {
        assert_eq!(totals(&[r#"{"promptTokenCount":880,"totalTokenCount":880}"#]).completion, Some(0));
        assert_eq!(totals(&[r#"{"promptTokenCount":880}"#]).completion, None);
        assert_eq!(totals(&[r#"{"trafficType":"ON_DEMAND"}"#]), WireUsage::default());
        assert_eq!(totals(&[r#"{"promptTokenCount":30,"thoughtsTokenCount":116}"#]).completion, Some(116));
    }

    #[test]
    fn absurd_counts_do_not_wrap() {
        let most = u64::MAX;
        let usage = totals(&[&format!(
            r#"{{"promptTokenCount":{most},"toolUsePromptTokenCount":1,"candidatesTokenCount":{most},"thoughtsTokenCount":1}}"#
        )]);
        assert_eq!((usage.prompt, usage.completion), (Some(most), Some(most)));
    }
}
