//! What is said between a simulation, its script and whoever watches.

use std::time::Duration;

use mainstay_canon::{Failure, Moment, Nanodollars, Usage};
use mainstay_fallback::{End, Skip};

/// A request that comes.
#[derive(Clone, Debug)]
pub struct Coming {
    /// When.
    pub at: Moment,
    /// How long it may take, all tiers and waits included.
    pub deadline: Duration,
    /// Tokens of its prompt, an upper bound.
    pub prompt_tokens: u64,
    /// Tokens of its answer at most.
    pub output_limit: u64,
    /// When its caller hangs up, where it does.
    pub leaves: Option<Moment>,
}

impl Coming {
    /// A request of that size with the default deadline of 590 s, whose caller stays.
    pub const fn new(at: Moment, prompt_tokens: u64, output_limit: u64) -> Self {
        Self { at, deadline: Duration::from_secs(590), prompt_tokens, output_limit, leaves: None }
    }
}

/// One call that reaches a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The request, counted from 1 in the order of coming.
    pub request: u64,
    /// The tier, as an index into the chain.
    pub tier: usize,
    /// Counts the request's calls from 1.
    pub number: u32,
    /// Counts the request's calls to this tier from 1.
    pub tier_attempt: u32,
    /// When.
    pub at: Moment,
    /// The most it may take.
    pub time_left: Duration,
}

/// What a scripted provider makes of one call.
#[derive(Clone, Debug)]
pub struct Reply {
    /// How long it takes. More than the call's `time_left` is silence: the call is given up then.
    pub takes: Duration,
    /// What it charges tokens for, good answer or bad.
    pub usage: Usage,
    /// What is wrong with it; a good answer where nothing is.
    pub failure: Option<Failure>,
}

/// Providers that follow a script.
pub trait Providers {
    /// What becomes of this call.
    fn reply(&mut self, call: &Call, chance: &mut fastrand::Rng) -> Reply;
}

impl<F: FnMut(&Call, &mut fastrand::Rng) -> Reply> Providers for F {
    fn reply(&mut self, call: &Call, chance: &mut fastrand::Rng) -> Reply {
        self(call, chance)
    }
}

/// Something that happened, for whoever counts.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'a> {
    /// A call left.
    Called(&'a Call),
    /// A call ended.
    Replied {
        /// The call.
        call: &'a Call,
        /// When it ended.
        at: Moment,
        /// What was wrong with it.
        failure: Option<&'a Failure>,
        /// What it cost.
        cost: Nanodollars,
    },
    /// A tier was passed over.
    Passed {
        /// The request.
        request: u64,
        /// The tier, and why.
        skip: &'a Skip,
    },
    /// A request ended.
    Ended(&'a Ended),
}

/// How a request ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The request, counted from 1 in the order of coming.
    pub request: u64,
    /// When it had come.
    pub came: Moment,
    /// When it ended.
    pub at: Moment,
    /// How many calls were made for it.
    pub calls: u32,
    /// What they cost together.
    pub cost: Nanodollars,
    /// How.
    pub how: How,
}

/// The ways to end.
#[allow(
    clippy::large_enum_variant,
    reason = "one a request; boxing it would only make it awkward to take apart"
)]
#[derive(Clone, Debug)]
pub enum How {
    /// With an answer.
    Answered {
        /// The tier, as an index into the chain.
        tier: usize,
        /// Which of the calls to this tier brought it, counted from 1.
        tier_attempt: u32,
    },
    /// Without one.
    GaveUp(End),
    /// The caller hung up.
    Left,
}
