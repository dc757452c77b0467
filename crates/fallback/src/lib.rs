//! Layer 5: tiers in order; cooldowns, breakers, the static tier.
//!
//! A [`ChainPlan`] says which tiers there are. A [`HealthBoard`] remembers how each of them fares, for all
//! requests together. A [`Walk`] is one request's way down: fed with failures and moments, it says what
//! comes next. None of them knows HTTP or a provider, reads a clock, throws dice or sleeps, so every
//! fallback story is a plain test.
//!
//! Where the behaviour contract is silent, this is the rule:
//!
//! - A refusal, or a filter's verdict that came last, is an answer at hand. Tiers that are ready are still
//!   asked; a tier that cools is not waited for.
//! - A request whose own deadline cut an attempt short does not cool the tier. Only attempts that were
//!   silent for ten seconds or more count toward its breaker.
//! - Calls that began before a cooldown and fail after it are part of the same trouble: they do not make the
//!   next cooldown double, and they do not reopen a breaker.
//! - A probe that meets a refusal or another verdict on content has reached a provider that is up. One that
//!   meets an empty answer or the caller's own error has proved nothing and gives its place back.
//! - An operator who enables a target ends everything but the provider's own wish to be left alone.
//! - With the static switch on, the static tier is asked first and the others when it fails.
//! - A tier that is full counts as unavailable because of a rate limit.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use mainstay_canon::{Failure, Kind, Moment, Target};
//! use mainstay_fallback::{ChainPlan, HealthBoard, Step, TierPlan, Walk, WalkAsk};
//!
//! let tiers = ["deepseek/deepseek-flash", "anthropic/claude-sonnet-5-5"]
//!     .map(|name| TierPlan::new(Target::parse(name).unwrap()));
//! let plan = Arc::new(ChainPlan::new("default", tiers.to_vec())?);
//! let now = Moment::from_secs(1_000);
//! let mut walk = Walk::new(plan, HealthBoard::default(), WalkAsk::new(now, Duration::from_secs(590)));
//!
//! let Step::Try(first) = walk.step(now, 0.5) else { panic!("the first tier is healthy") };
//! assert_eq!(first.tier, 0);
//! walk.failed(Failure::new(Kind::RateLimited, "slow down"), now, 0.5);
//! let Step::Try(second) = walk.step(now, 0.5) else { panic!("the second one, too") };
//! assert_eq!((second.tier, second.number), (1, 2));
//! walk.succeeded(now);
//! # Ok::<(), mainstay_fallback::PlanError>(())
//! ```

mod board;
mod health;
mod plan;
mod step;
mod walk;

pub use board::{
    BoardOptions, Change, CoolingRecord, DisabledBy, HealthBoard, HealthChange, HealthRecord, OperatorRecord,
    PauseRecord, StaticSwitch, TierHealth, TierState,
};
pub use health::{Bucket, ReportedQuota};
pub use plan::{BreakerSettings, ChainPlan, Limits, PlanError, TierPlan};
pub use step::{Continue, End, Skip, SkipReason, Step, Try, WalkAsk};
pub use walk::Walk;
