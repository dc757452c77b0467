//! What a walk is asked and what it answers.

use std::time::Duration;

use mainstay_canon::{Failure, Moment, Target};

/// What a walk needs to know of its request.
#[derive(Clone, Debug)]
pub struct WalkAsk {
    /// When the request came.
    pub start: Moment,
    /// How long it may take, all tiers and waits included.
    pub deadline: Duration,
    /// About how many tokens the prompt has.
    pub prompt_tokens: u64,
    /// Whether it may be sent again with a larger `max_tokens` when an answer was cut: the request's own
    /// word, else the config's.
    pub can_grow_max_tokens: bool,
    /// The one tier that was addressed, as an index into the plan: no other is asked.
    pub only: Option<usize>,
    /// The tiers to ask, as indices into the plan, where that is not the plan's own order (an empty list is
    /// none). A static tier
    /// that stands first was asked for by name and is then a tier like any other.
    pub order: Option<Vec<usize>>,
}

impl WalkAsk {
    /// A request to the whole chain that began at `start`.
    pub const fn new(start: Moment, deadline: Duration) -> Self {
        Self { start, deadline, prompt_tokens: 0, can_grow_max_tokens: false, only: None, order: None }
    }
}

/// What comes next for a request.
// An end comes once a request; boxing it would only make it awkward to take apart.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Step {
    /// Make this attempt and report what became of it.
    Try(Try),
    /// Wait that long, then ask again.
    Wait(Duration),
    /// Nothing is left.
    End(End),
}

/// An attempt to be made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// The tier, as an index into the plan.
    pub tier: usize,
    /// Counts upstream calls of the request from 1.
    pub number: u32,
    /// Counts calls to this tier from 1.
    pub tier_attempt: u32,
    /// The most this attempt may use (behaviour 5.3a).
    pub time_left: Duration,
    /// Whether to ask with a larger `max_tokens` than the request's own.
    pub grow_max_tokens: bool,
    /// Whether the tier's return depends on it.
    pub probe: bool,
    /// How long the request has waited since the attempt before.
    pub waited: Duration,
}

/// How a request ends when no answer was accepted (6.5, 6.5a).
#[derive(Clone, Debug)]
pub enum End {
    /// The last refusal is the answer.
    Refusal(Failure),
    /// The last verdict was `filtered`: that is the answer.
    Filtered(Failure),
    /// The request itself is at fault.
    CallerError(Failure),
    /// Every tier failed or was unavailable.
    AllFailed {
        /// The soonest moment at which trying again makes sense, from now.
        retry_after: Option<Duration>,
        /// Whether every tier is unavailable only because of rate limits.
        only_rate_limits: bool,
        /// Whether anything was about availability, so that trying later may help.
        about_availability: bool,
        /// Whether the request's time was up.
        timed_out: bool,
    },
    /// No cap leaves room for any tier that could have answered.
    BudgetExceeded(Failure),
}

/// What may follow when an answer breaks off after a part of it was handed over (7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continue {
    /// Nothing.
    No,
    /// Another attempt on the same provider and model, within its budget.
    SameTarget,
    /// Another attempt on any tier.
    AnyTier,
}

/// A tier that was passed over without a call: a row of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The tier, as an index into the plan.
    pub tier: usize,
    /// Its name.
    pub target: Target,
    /// Why, as a word.
    pub reason: SkipReason,
    /// Why, for people.
    pub why: String,
}

/// Why a tier was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// It cools.
    Cooling,
    /// Its breaker is open.
    Open,
    /// Another request's probe decides about it.
    HalfOpen,
    /// It gets its traffic back in steps, and this request is not among them.
    Returning,
    /// An operator, its key or its bill keeps it out.
    Disabled,
    /// Its limits or reported quota leave no room.
    Full,
    /// Its worst case does not fit what is left of a cap.
    OverBudget,
    /// It cannot express this request.
    Unsupported,
    /// Its context window is no larger than one that was too small.
    WindowTooSmall,
    /// The same model has given its answer already, under another key.
    SameModel,
    /// The static tier does not answer what others refused or answered badly, or it is switched off.
    StaticHeldBack,
}

impl SkipReason {
    /// The word for records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cooling => "cooling",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
            Self::Returning => "returning",
            Self::Disabled => "disabled",
            Self::Full => "full",
            Self::OverBudget => "over_budget",
            Self::Unsupported => "unsupported",
            Self::WindowTooSmall => "window_too_small",
            Self::SameModel => "same_model",
            Self::StaticHeldBack => "static_held_back",
        }
    }
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
