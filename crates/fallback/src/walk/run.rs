//! One tier as one request meets it.

use mainstay_canon::{Kind, Moment};

use crate::board::HealthKey;
use crate::health::Ends;
use crate::plan::TierPlan;
use crate::step::SkipReason;

/// One tier as one request meets it.
#[derive(Debug)]
pub(super) struct Run {
    /// Its index in the plan.
    pub(super) tier: usize,
    pub(super) key: HealthKey,
    /// Whether it is held back until the others are unavailable.
    pub(super) is_static: bool,
    pub(super) window: Option<u64>,
    pub(super) state: RunState,
    pub(super) attempts: u32,
    /// Whether it is asked with a larger `max_tokens` from now on.
    pub(super) grown: bool,
    /// The kind of its last failure.
    pub(super) last: Option<Kind>,
    /// Why it could not be asked when that was last tried, in this step or an earlier one.
    pub(super) unready: Option<NotNow>,
    /// The reason of its last row in the log.
    pub(super) skipped: Option<SkipReason>,
    /// When this request last counted as one that wants it.
    pub(super) wanted: Option<Moment>,
}

/// Why a tier cannot be asked now, and until when.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotNow {
    pub(super) reason: SkipReason,
    pub(super) ends: Ends,
    pub(super) kind: Option<Kind>,
}

/// Where a request stands with a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunState {
    /// Not asked yet.
    Untried,
    /// Being asked, or about to be asked again.
    Trying,
    /// Left for its own sake with budget to spare: asked again only when no other tier can be.
    Parked,
    /// Done with.
    Spent(Fate),
}

/// Why a request is done with a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It could not be reached or would not serve anyone.
    Unavailable,
    /// It cannot serve this request.
    Unfit,
    /// No cap leaves room for it.
    OverBudget,
    /// It answered, and the answer was no use.
    Answered,
}

impl Run {
    pub(super) fn new(tier: usize, plan: &TierPlan, is_static: bool) -> Self {
        Self {
            tier,
            key: HealthKey { target: plan.target.clone(), key_name: plan.key_name.clone() },
            is_static,
            window: plan.context_window,
            state: RunState::Untried,
            attempts: 0,
            grown: false,
            last: None,
            unready: None,
            skipped: None,
            wanted: None,
        }
    }
}

/// Why a request that met this failure is done with the tier.
pub(super) const fn fate_of(kind: Kind) -> Fate {
    match kind {
        Kind::Connect
        | Kind::Tls
        | Kind::TimeoutFirstByte
        | Kind::TimeoutIdle
        | Kind::TimeoutTotal
        | Kind::RateLimited
        | Kind::QuotaExhausted
        | Kind::Overloaded
        | Kind::ServerError
        | Kind::Auth
        | Kind::Permission
        | Kind::NotFound
        | Kind::StreamInterrupted
        | Kind::InvalidResponse => Fate::Unavailable,
        Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::Cancelled => Fate::Unfit,
        Kind::BudgetExceeded | Kind::UnpricedModel => Fate::OverBudget,
        // A request that a provider declined for what it holds was answered, too: with a no.
        Kind::RequestDeclined
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::UnknownFinishReason
        | Kind::MalformedToolCall
        | Kind::Bad(_) => Fate::Answered,
    }
}

/// Whether a failure is about the key that was used, so that another key of the same model may do better.
pub(super) const fn is_about_the_key(kind: Kind) -> bool {
    match kind {
        Kind::RateLimited | Kind::QuotaExhausted | Kind::Auth | Kind::Permission | Kind::NotFound => true,
        Kind::Connect
        | Kind::Tls
        | Kind::TimeoutFirstByte
        | Kind::TimeoutIdle
        | Kind::TimeoutTotal
        | Kind::Overloaded
        | Kind::ServerError
        | Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::RequestDeclined
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::StreamInterrupted
        | Kind::InvalidResponse
        | Kind::UnknownFinishReason
        | Kind::MalformedToolCall
        | Kind::BudgetExceeded
        | Kind::UnpricedModel
        | Kind::Cancelled
        | Kind::Bad(_) => false,
    }
}

/// What a failure is to the request as a whole: a refusal, a filter's verdict, another verdict, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Refused,
    Filtered,
    OtherVerdict,
    Nothing,
}

/// What a failure is to the request as a whole.
pub(super) const fn said(kind: Kind) -> Said {
    use mainstay_canon::Quality;
    match kind {
        Kind::Bad(Quality::Refusal) => Said::Refused,
        Kind::Bad(Quality::Filtered) | Kind::ContentFiltered | Kind::ContentProhibited => Said::Filtered,
        Kind::Bad(
            Quality::Ok
            | Quality::Empty
            | Quality::TruncatedEmpty
            | Quality::ReasoningOnly
            | Quality::Truncated
            | Quality::Paused
            | Quality::SuspiciouslyShort
            | Quality::MalformedToolCall
            | Quality::SchemaMismatch
            | Quality::Degenerate
            | Quality::Interrupted,
        )
        | Kind::MalformedToolCall => Said::OtherVerdict,
        Kind::Connect
        | Kind::Tls
        | Kind::TimeoutFirstByte
        | Kind::TimeoutIdle
        | Kind::TimeoutTotal
        | Kind::RateLimited
        | Kind::QuotaExhausted
        | Kind::Overloaded
        | Kind::ServerError
        | Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::Auth
        | Kind::Permission
        | Kind::NotFound
        | Kind::RequestDeclined
        | Kind::StreamInterrupted
        | Kind::InvalidResponse
        | Kind::UnknownFinishReason
        | Kind::BudgetExceeded
        | Kind::UnpricedModel
        | Kind::Cancelled => Said::Nothing,
    }
}
