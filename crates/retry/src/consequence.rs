//! The table: what follows from each kind of failure (behaviour 4.1 and 5.5).

use std::time::Duration;

use mainstay_canon::{Failure, FinishReason, Kind, Quality};

/// How long a tier whose money or quota is used up is left alone.
pub const QUOTA_PAUSE: Duration = Duration::from_mins(10);

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consequence {
    /// Whether the same tier may be asked again.
    pub same: Same,
    /// Whether the next tier may be asked.
    pub next: Next,
    /// What it does to the tier's health.
    pub health: HealthEffect,
    /// Whether it is the provider's fault in the breaker's sense.
    pub counts_toward_breaker: bool,
    /// Whether an operator must hear of it.
    pub alert: bool,
    /// Whether it shows that the provider is up and answering, so that trouble is over.
    pub proves_health: bool,
}

/// Whether the same tier may be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// Not in this request.
    Never,
    /// As long as its retry budget lasts.
    WithinBudget,
    /// Within its budget, and only when no other tier is available and the wait fits the deadline.
    OnlyIfAlone,
    /// Once, within its budget, and only with a larger `max_tokens`.
    OnceLarger,
}

/// Whether the next tier may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Yes, once this tier is done with.
    Yes,
    /// Yes, before this tier is asked again.
    AtOnce,
    /// No: the request ends here.
    No,
    /// Only a tier with a larger context window.
    LargerWindow,
    /// If `fallback_on_refusal` is on.
    IfRefusalsFallBack,
    /// If `fallback_on_filter` is on.
    IfFiltersFallBack,
}

/// What a failure does to the health of its tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthEffect {
    /// Nothing.
    None,
    /// It cools at once: for the provider's hint, else for its `cooldown`.
    Cool,
    /// It cools when it is left: for the provider's hint, else for max(10 s, `cooldown` / 3).
    CoolShort,
    /// It is disabled for a while: for this long or the provider's hint, whichever is longer.
    Disable {
        /// How long.
        for_: Duration,
    },
    /// It is disabled until a probe succeeds or an operator steps in.
    DisableUntilProbe,
}

impl Consequence {
    /// About this one answer or request; nobody is to blame.
    const fn blameless(same: Same, next: Next) -> Self {
        Self {
            same,
            next,
            health: HealthEffect::None,
            counts_toward_breaker: false,
            alert: false,
            proves_health: false,
        }
    }

    /// Transport or server failed.
    const fn fault(same: Same) -> Self {
        Self {
            same,
            next: Next::Yes,
            health: HealthEffect::CoolShort,
            counts_toward_breaker: true,
            alert: false,
            proves_health: false,
        }
    }

    /// Key, account, money or model: waiting a moment does not help, and someone must know.
    const fn misconfigured(health: HealthEffect) -> Self {
        Self { health, alert: true, ..Self::blameless(Same::Never, Next::Yes) }
    }

    /// The model spoke; whatever it said, its provider is well.
    const fn spoken(same: Same, next: Next) -> Self {
        Self { proves_health: true, ..Self::blameless(same, next) }
    }
}

/// The single place where a kind of failure becomes a next step. Exhaustive on purpose: a new kind does
/// not compile until someone decides here.
pub const fn consequence(kind: Kind) -> Consequence {
    match kind {
        Kind::Connect
        | Kind::Tls
        | Kind::Overloaded
        | Kind::ServerError
        | Kind::StreamInterrupted
        | Kind::InvalidResponse => Consequence::fault(Same::WithinBudget),
        // Having waited once is enough: the next tier may still answer in time.
        Kind::TimeoutFirstByte | Kind::TimeoutIdle | Kind::TimeoutTotal => Consequence::fault(Same::Never),
        Kind::RateLimited => Consequence {
            health: HealthEffect::Cool,
            ..Consequence::blameless(Same::OnlyIfAlone, Next::AtOnce)
        },
        Kind::QuotaExhausted => Consequence::misconfigured(HealthEffect::Disable { for_: QUOTA_PAUSE }),
        Kind::Auth | Kind::Permission | Kind::NotFound => {
            Consequence::misconfigured(HealthEffect::DisableUntilProbe)
        }
        Kind::InvalidRequest | Kind::Cancelled => Consequence::blameless(Same::Never, Next::No),
        Kind::ContextLength | Kind::TooLarge => Consequence::blameless(Same::Never, Next::LargerWindow),
        Kind::UnsupportedParameter | Kind::RequestDeclined | Kind::BudgetExceeded | Kind::UnpricedModel => {
            Consequence::blameless(Same::Never, Next::Yes)
        }
        Kind::ContentFiltered => Consequence::spoken(Same::Never, Next::IfFiltersFallBack),
        Kind::ContentProhibited => Consequence::spoken(Same::Never, Next::No),
        Kind::UnknownFinishReason => {
            Consequence { alert: true, ..Consequence::spoken(Same::Never, Next::Yes) }
        }
        Kind::MalformedToolCall => Consequence::spoken(Same::WithinBudget, Next::Yes),
        Kind::Bad(quality) => of_answer(quality),
    }
}

/// What follows from a useless answer. It is about that one answer and never touches health (4.6).
const fn of_answer(quality: Quality) -> Consequence {
    match quality {
        // An empty shell, an error page or a torn answer says nothing about the provider either way.
        Quality::Empty | Quality::Degenerate | Quality::Interrupted => {
            Consequence::blameless(Same::WithinBudget, Next::Yes)
        }
        Quality::ReasoningOnly
        | Quality::SuspiciouslyShort
        | Quality::MalformedToolCall
        | Quality::SchemaMismatch => Consequence::spoken(Same::WithinBudget, Next::Yes),
        // `Truncated` is handed over as it is, unless an operator counts it as a failure (4.5).
        Quality::TruncatedEmpty | Quality::Truncated => Consequence::spoken(Same::OnceLarger, Next::Yes),
        // Asking twice buys the same refusal twice.
        Quality::Refusal => Consequence::spoken(Same::Never, Next::IfRefusalsFallBack),
        Quality::Filtered => Consequence::spoken(Same::Never, Next::IfFiltersFallBack),
        // Accepted, unless an operator counts them as failures; then only another model differs.
        Quality::Paused | Quality::Ok => Consequence::spoken(Same::Never, Next::Yes),
    }
}

/// [`consequence`], refined by what the answer itself says: a prompt that was blocked as prohibited, a
/// call or JSON that the token limit cut, a context window that was full; and by a provider's word that another
/// try is useless.
pub fn consequence_of(failure: &Failure) -> Consequence {
    let mut plain = consequence(failure.kind);
    if failure.says_final {
        // The provider knows that the same question gets the same failure. Its health is another matter.
        plain.same = Same::Never;
    }
    let (Kind::Bad(quality), Some(answer)) = (failure.kind, failure.answer.as_deref()) else { return plain };
    let cut = answer.finish_reason == FinishReason::Length;
    match quality {
        Quality::Filtered if answer.prompt_prohibited => Consequence { next: Next::No, ..plain },
        Quality::MalformedToolCall
        | Quality::SchemaMismatch
        | Quality::TruncatedEmpty
        | Quality::Truncated
            if cut && answer.context_full =>
        {
            // Not the limit but the window was hit: the same model cannot do better.
            Consequence { same: Same::Never, ..plain }
        }
        Quality::MalformedToolCall | Quality::SchemaMismatch if cut => {
            Consequence { same: Same::OnceLarger, ..plain }
        }
        Quality::MalformedToolCall
        | Quality::SchemaMismatch
        | Quality::TruncatedEmpty
        | Quality::Truncated
        | Quality::Filtered
        | Quality::Ok
        | Quality::Empty
        | Quality::ReasoningOnly
        | Quality::Paused
        | Quality::SuspiciouslyShort
        | Quality::Refusal
        | Quality::Degenerate
        | Quality::Interrupted => plain,
    }
}

#[cfg(test)]
mod tests {
    use mainstay_canon::{Answer, Verdict};

    use super::*;

    const KINDS: [Kind; 25] = [
        Kind::Connect,
        Kind::Tls,
        Kind::TimeoutFirstByte,
        Kind::TimeoutIdle,
        Kind::TimeoutTotal,
        Kind::RateLimited,
        Kind::QuotaExhausted,
        Kind::Overloaded,
        Kind::ServerError,
        Kind::InvalidRequest,
        Kind::UnsupportedParameter,
        Kind::ContextLength,
        Kind::TooLarge,
        Kind::Auth,
        Kind::Permission,
        Kind::NotFound,
        Kind::RequestDeclined,
        Kind::ContentFiltered,
        Kind::ContentProhibited,
        Kind::StreamInterrupted,
        Kind::InvalidResponse,
        Kind::UnknownFinishReason,
        Kind::MalformedToolCall,
        Kind::BudgetExceeded,
        Kind::UnpricedModel,
    ];

    fn check(kind: Kind, same: Same, next: Next, health: HealthEffect, breaker: bool, alert: bool) {
        let found = consequence(kind);
        assert_eq!(
            (found.same, found.next, found.health, found.counts_toward_breaker, found.alert),
            (same, next, health, breaker, alert),
            "{kind}"
        );
    }

    fn bad(quality: Quality, answer: Answer) -> Failure {
        Failure::bad(Verdict::of(quality, "test", ""), answer)
    }

    #[test]
    fn each_row_of_the_table_of_failures() {
        use HealthEffect as H;
        for kind in [
            Kind::Connect,
            Kind::Tls,
            Kind::Overloaded,
            Kind::ServerError,
            Kind::StreamInterrupted,
            Kind::InvalidResponse,
        ] {
            check(kind, Same::WithinBudget, Next::Yes, H::CoolShort, true, false);
        }
        for kind in [Kind::TimeoutFirstByte, Kind::TimeoutIdle, Kind::TimeoutTotal] {
            check(kind, Same::Never, Next::Yes, H::CoolShort, true, false);
        }
        check(Kind::RateLimited, Same::OnlyIfAlone, Next::AtOnce, H::Cool, false, false);
        let ten_minutes = H::Disable { for_: Duration::from_mins(10) };
        check(Kind::QuotaExhausted, Same::Never, Next::Yes, ten_minutes, false, true);
        for kind in [Kind::Auth, Kind::Permission, Kind::NotFound] {
            check(kind, Same::Never, Next::Yes, H::DisableUntilProbe, false, true);
        }
        check(Kind::RequestDeclined, Same::Never, Next::Yes, H::None, false, false);
        check(Kind::InvalidRequest, Same::Never, Next::No, H::None, false, false);
        check(Kind::ContextLength, Same::Never, Next::LargerWindow, H::None, false, false);
        check(Kind::TooLarge, Same::Never, Next::LargerWindow, H::None, false, false);
        check(Kind::UnsupportedParameter, Same::Never, Next::Yes, H::None, false, false);
        check(Kind::ContentFiltered, Same::Never, Next::IfFiltersFallBack, H::None, false, false);
        check(Kind::ContentProhibited, Same::Never, Next::No, H::None, false, false);
        check(Kind::UnknownFinishReason, Same::Never, Next::Yes, H::None, false, true);
        check(Kind::MalformedToolCall, Same::WithinBudget, Next::Yes, H::None, false, false);
        check(Kind::BudgetExceeded, Same::Never, Next::Yes, H::None, false, false);
        check(Kind::UnpricedModel, Same::Never, Next::Yes, H::None, false, false);
        check(Kind::Cancelled, Same::Never, Next::No, H::None, false, false);
    }

    #[test]
    fn each_row_of_the_table_of_classes() {
        let table = [
            (Quality::Empty, Same::WithinBudget, Next::Yes),
            (Quality::TruncatedEmpty, Same::OnceLarger, Next::Yes),
            (Quality::ReasoningOnly, Same::WithinBudget, Next::Yes),
            (Quality::SuspiciouslyShort, Same::WithinBudget, Next::Yes),
            (Quality::Refusal, Same::Never, Next::IfRefusalsFallBack),
            (Quality::Filtered, Same::Never, Next::IfFiltersFallBack),
            (Quality::MalformedToolCall, Same::WithinBudget, Next::Yes),
            (Quality::SchemaMismatch, Same::WithinBudget, Next::Yes),
            (Quality::Degenerate, Same::WithinBudget, Next::Yes),
            (Quality::Interrupted, Same::WithinBudget, Next::Yes),
        ];
        for (quality, same, next) in table {
            check(Kind::Bad(quality), same, next, HealthEffect::None, false, false);
        }
    }

    #[test]
    fn no_class_of_answer_cools_breaks_or_alerts() {
        for quality in Quality::ALL {
            let found = consequence(Kind::Bad(quality));
            assert_eq!(found.health, HealthEffect::None, "{quality}");
            assert!(!found.counts_toward_breaker && !found.alert, "{quality}");
        }
    }

    #[test]
    fn only_what_is_the_providers_fault_counts_toward_a_breaker() {
        for kind in KINDS {
            let found = consequence(kind);
            assert_eq!(found.counts_toward_breaker, found.health == HealthEffect::CoolShort, "{kind}");
            assert!(!(found.counts_toward_breaker && found.proves_health), "{kind}");
        }
    }

    #[test]
    fn a_prohibited_prompt_is_shown_to_nobody_else() {
        let answer = Answer { prompt_prohibited: true, ..Answer::default() };
        assert_eq!(consequence_of(&bad(Quality::Filtered, answer)).next, Next::No);
        let blocked = bad(Quality::Filtered, Answer::default());
        assert_eq!(consequence_of(&blocked).next, Next::IfFiltersFallBack);
    }

    #[test]
    fn what_the_limit_cut_goes_back_only_with_more_room() {
        let cut = Answer { finish_reason: FinishReason::Length, ..Answer::default() };
        for quality in [Quality::MalformedToolCall, Quality::SchemaMismatch, Quality::TruncatedEmpty] {
            assert_eq!(consequence_of(&bad(quality, cut.clone())).same, Same::OnceLarger, "{quality}");
        }
        let whole = Answer { finish_reason: FinishReason::Stop, ..Answer::default() };
        assert_eq!(consequence_of(&bad(Quality::MalformedToolCall, whole)).same, Same::WithinBudget);
    }

    #[test]
    fn a_provider_that_forbids_another_try_is_not_asked_again_but_the_next_tier_is() {
        for kind in [Kind::ServerError, Kind::Overloaded, Kind::RateLimited] {
            let mut failure = Failure::new(kind, "");
            let plain = consequence_of(&failure);
            failure.says_final = true;
            let found = consequence_of(&failure);
            assert_eq!(found, Consequence { same: Same::Never, ..plain }, "{kind}");
            assert_ne!(found.next, Next::No, "{kind}");
        }
    }

    #[test]
    fn a_full_window_does_not_grow() {
        let full = Answer { finish_reason: FinishReason::Length, context_full: true, ..Answer::default() };
        for quality in [Quality::MalformedToolCall, Quality::SchemaMismatch, Quality::TruncatedEmpty] {
            let found = consequence_of(&bad(quality, full.clone()));
            assert_eq!((found.same, found.next), (Same::Never, Next::Yes), "{quality}");
        }
    }
}
