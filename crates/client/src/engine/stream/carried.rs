//! What the caller was given by attempts that broke off, and what may follow (behaviour 7.4).

use mainstay_canon::{Answer, Failure, Kind, Quality, Usage};
use mainstay_config::OnInterrupt;
use mainstay_fallback::Continue;

/// What the caller has of an answer that broke off and is to go on.
pub(super) struct Carried {
    /// What it has: the text without what a continuation repeated, and the tokens of all attempts so far.
    pub(super) answer: Answer,
    /// Why it broke off.
    pub(super) failure: Failure,
}

impl Carried {
    /// What the caller has after another part has broken off, too.
    pub(super) fn with(before: Option<Self>, part: Answer, text: &str, failure: Failure) -> Self {
        let usage = part.usage;
        let mut answer = before.map_or_else(
            || Answer { text: String::new(), usage: Usage::default(), ..part },
            |before| before.answer,
        );
        answer.text.push_str(text);
        answer.usage = sum(answer.usage, usage);
        Self { answer, failure }
    }

    /// The failure that it is when nothing follows, with what the caller has.
    pub(super) fn into_failure(self) -> Failure {
        self.failure.with_answer(self.answer)
    }

    /// The whole answer, when its last part has come: `text` is what of that part was new.
    pub(super) fn completed_by(&self, last: Answer, text: &str) -> Answer {
        let whole = &self.answer;
        Answer {
            id: whole.id.clone().or(last.id),
            text: format!("{}{text}", whole.text),
            usage: sum(whole.usage, last.usage),
            // What the caller saw; the thoughts of a continuation were not shown.
            reasoning_content: whole.reasoning_content.clone(),
            reasoning_blocks: whole.reasoning_blocks.clone(),
            shown: whole.shown.iter().chain(&last.shown).cloned().collect(),
            // So are extras: those of a continuation count from its own beginning, not from the answer's.
            extra: whole.extra.clone(),
            dialect: whole.dialect,
            ..last
        }
    }
}

/// Whether another attempt may go on where an answer broke off.
pub(super) const fn may_follow(kind: Kind, wish: OnInterrupt) -> Continue {
    if !can_go_on(kind) {
        return Continue::No;
    }
    match wish {
        OnInterrupt::Continue => Continue::SameTarget,
        OnInterrupt::ContinueAny => Continue::AnyTier,
        OnInterrupt::Error => Continue::No,
    }
}

/// Whether a failure is a broken line or server, or a call that was held back and is to be issued again: then
/// asking to go on makes sense.
const fn can_go_on(kind: Kind) -> bool {
    match kind {
        Kind::StreamInterrupted
        | Kind::TimeoutIdle
        | Kind::ServerError
        | Kind::Overloaded
        | Kind::InvalidResponse
        | Kind::Connect
        | Kind::Tls
        | Kind::MalformedToolCall
        | Kind::Bad(Quality::MalformedToolCall) => true,
        Kind::TimeoutFirstByte
        | Kind::TimeoutTotal
        | Kind::RateLimited
        | Kind::QuotaExhausted
        | Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::Auth
        | Kind::Permission
        | Kind::NotFound
        | Kind::RequestDeclined
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::UnknownFinishReason
        | Kind::BudgetExceeded
        | Kind::UnpricedModel
        | Kind::Cancelled
        | Kind::Bad(
            Quality::Ok
            | Quality::Empty
            | Quality::TruncatedEmpty
            | Quality::ReasoningOnly
            | Quality::Truncated
            | Quality::Paused
            | Quality::SuspiciouslyShort
            | Quality::Refusal
            | Quality::Filtered
            | Quality::SchemaMismatch
            | Quality::Degenerate
            | Quality::Interrupted,
        ) => false,
    }
}

/// Tokens of several parts of an answer.
fn sum(one: Usage, two: Usage) -> Usage {
    Usage {
        prompt: one.prompt.saturating_add(two.prompt),
        completion: one.completion.saturating_add(two.completion),
        cached: one.cached.saturating_add(two.cached),
        cache_write: one.cache_write.saturating_add(two.cache_write),
        cache_write_1h: one.cache_write_1h.saturating_add(two.cache_write_1h),
        reasoning: one.reasoning.saturating_add(two.reasoning),
        estimated: one.estimated || two.estimated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, tokens: u64) -> Answer {
        let usage = Usage { completion: tokens, ..Usage::default() };
        Answer {
            text: text.into(),
            usage,
            reasoning_content: Some(format!("on {text}")),
            ..Answer::default()
        }
    }

    #[test]
    fn parts_add_up_and_the_thoughts_are_those_that_were_shown() {
        let broken = || Failure::new(Kind::StreamInterrupted, "");
        let first = Carried::with(None, part("one ", 2), "one ", broken());
        let second = Carried::with(Some(first), part("one two ", 3), "two ", broken());
        let whole = second.completed_by(part("two three", 4), "three");
        assert_eq!((whole.text.as_str(), whole.usage.completion), ("one two three", 9));
        assert_eq!(whole.reasoning_content.as_deref(), Some("on one "));
    }

    #[test]
    fn only_what_going_on_can_mend_is_gone_on_with_and_only_if_that_is_wanted() {
        assert_eq!(may_follow(Kind::StreamInterrupted, OnInterrupt::Continue), Continue::SameTarget);
        assert_eq!(may_follow(Kind::TimeoutIdle, OnInterrupt::ContinueAny), Continue::AnyTier);
        assert_eq!(may_follow(Kind::StreamInterrupted, OnInterrupt::Error), Continue::No);
        for kind in [Kind::UnknownFinishReason, Kind::BudgetExceeded, Kind::Bad(Quality::Filtered)] {
            assert_eq!(may_follow(kind, OnInterrupt::ContinueAny), Continue::No, "{kind}");
        }
    }
}
