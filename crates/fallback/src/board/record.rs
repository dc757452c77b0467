//! Health as it is written down, to outlive a process and to be shared by instances.

use mainstay_canon::{Kind, Moment, Target};
use serde::{Deserialize, Serialize};

/// What is worth keeping of one target's health.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthRecord {
    /// Which target.
    pub target: Target,
    /// The key's name, where keys of separate accounts have health of their own.
    pub key_name: Option<String>,
    /// Its cooldown.
    pub cooling: Option<CoolingRecord>,
    /// Its open breaker.
    pub open: Option<PauseRecord>,
    /// Its pause for an empty purse.
    pub quota: Option<PauseRecord>,
    /// The operator's hand, which is on the target with all its keys: only where `key_name` is `None`.
    pub operator: Option<OperatorRecord>,
}

/// A cooldown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoolingRecord {
    /// Until when.
    pub until: Moment,
    /// Up to here it is the provider's own wish.
    pub hinted_until: Option<Moment>,
    /// How many cooldowns there were without a success between them, this one included.
    pub in_row: u32,
    /// The kind of failure behind it.
    pub kind: Option<Kind>,
    /// Why, for people.
    pub why: String,
    /// Since when.
    pub since: Moment,
}

/// A time during which a target is left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseRecord {
    /// Until when.
    pub until: Moment,
    /// The kind of failure behind it.
    pub kind: Option<Kind>,
    /// Why, for people.
    pub why: String,
    /// Since when.
    pub since: Moment,
}

/// An operator's hand on a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorRecord {
    /// Until when; `None` until it is enabled again.
    pub until: Option<Moment>,
    /// Why, in the operator's words.
    pub why: String,
    /// Since when.
    pub since: Moment,
}
