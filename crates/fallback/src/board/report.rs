//! Health as it is shown, and its changes as they are told.

use mainstay_canon::{Kind, Moment, Target};

use super::state::{HealthKey, State, is_on};
use crate::health::{Cause, Cooling, Disabled, DisabledEnds, Health, Phase};

/// How one target fares now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierHealth {
    /// Which.
    pub target: Target,
    /// The key's name, where keys of separate accounts have health of their own.
    pub key_name: Option<String>,
    /// Whether it can be asked.
    pub state: TierState,
    /// Why it cannot, for people; empty when it can.
    pub why: String,
    /// The kind of failure behind it, if there was one.
    pub kind: Option<Kind>,
    /// Since when.
    pub since: Option<Moment>,
    /// Calls under way.
    pub in_flight: u64,
    /// Provider faults in a row.
    pub faults_in_row: u32,
    /// Cooldowns without a success between them.
    pub cooldowns_in_row: u32,
}

/// Whether a target can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierState {
    /// It can.
    Available,
    /// It gets that part of its requests, in percent, on its way back.
    Returning {
        /// Percent of its requests.
        percent: u8,
    },
    /// It is left alone until then.
    Cooling {
        /// Until when.
        until: Moment,
    },
    /// Its breaker is open until then.
    Open {
        /// Until when.
        until: Moment,
    },
    /// One probe at a time decides about it.
    HalfOpen {
        /// Whether one is under way.
        probing: bool,
    },
    /// It is out.
    Disabled {
        /// Until when, where that is known.
        until: Option<Moment>,
        /// On whose account.
        by: DisabledBy,
    },
}

impl TierState {
    /// The word for commands and records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Returning { .. } => "returning",
            Self::Cooling { .. } => "cooling",
            Self::Open { .. } => "open",
            Self::HalfOpen { .. } => "half_open",
            Self::Disabled { .. } => "disabled",
        }
    }

    /// Whether a request that comes now may be sent there.
    pub const fn is_available(self) -> bool {
        match self {
            Self::Available | Self::Returning { .. } | Self::HalfOpen { probing: false } => true,
            Self::Cooling { .. }
            | Self::Open { .. }
            | Self::HalfOpen { probing: true }
            | Self::Disabled { .. } => false,
        }
    }
}

/// On whose account a target is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledBy {
    /// An operator said so.
    Operator,
    /// Money or quota is used up.
    Quota,
    /// The key, the account or the model's name is wrong.
    Credential,
}

/// Something that happened to a target's health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthChange {
    /// When.
    pub at: Moment,
    /// To which target.
    pub target: Target,
    /// With which key, where keys have health of their own.
    pub key_name: Option<String>,
    /// What.
    pub change: Change,
    /// The kind of failure behind it.
    pub kind: Option<Kind>,
    /// Why, for people.
    pub why: String,
    /// Whether an operator must hear of it.
    pub alert: bool,
}

/// What can happen to a target's health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is left alone until then.
    Cooling {
        /// Until when.
        until: Moment,
    },
    /// Its breaker opened.
    Opened {
        /// Until when.
        until: Moment,
    },
    /// It is out.
    Disabled {
        /// Until when, where that is known.
        until: Option<Moment>,
        /// On whose account.
        by: DisabledBy,
    },
    /// It answers again, or was enabled.
    Recovered,
}

impl State {
    pub(super) fn snapshot(&self, now: Moment) -> Vec<TierHealth> {
        let mut keys: Vec<HealthKey> = self.health.keys().cloned().collect();
        let hands = self.operator.iter().filter(|(_, hand)| is_on(hand, now)).map(|(target, _)| target);
        let unheard = hands.filter(|target| !keys.iter().any(|key| key.target == **target));
        let unheard: Vec<HealthKey> = unheard.map(|target| HealthKey::new(target, None)).collect();
        keys.extend(unheard);
        keys.sort();
        keys.iter().map(|key| self.health_of(key, now)).collect()
    }

    pub(super) fn health_of(&self, key: &HealthKey, now: Moment) -> TierHealth {
        let health = self.health.get(key);
        let (state, cause) = self.state_of(key, health, now);
        let (why, kind, since) = match cause {
            Some(Cause { kind, why, since }) => (why.to_string(), kind, Some(since)),
            None => (String::new(), None, None),
        };
        TierHealth {
            target: key.target.clone(),
            key_name: key.key_name(),
            state,
            why,
            kind,
            since,
            in_flight: health.map_or(0, Health::in_flight),
            faults_in_row: health.map_or(0, |health| health.breaker().in_row()),
            cooldowns_in_row: health.map_or(0, Health::cooldowns_in_row),
        }
    }

    /// The state that decides, in the order in which a call would meet them.
    fn state_of(&self, key: &HealthKey, health: Option<&Health>, now: Moment) -> (TierState, Option<Cause>) {
        let hand = self.operator.get(&key.target).filter(|hand| is_on(hand, now));
        if let Some(hand) = hand {
            let state = TierState::Disabled { until: hand.until, by: DisabledBy::Operator };
            return (state, Some(Cause::new(None, &hand.why, hand.since)));
        }
        let Some(health) = health else { return (TierState::Available, None) };
        match health.disabled() {
            Some(Disabled { ends: DisabledEnds::At(until), cause }) if now < *until => {
                let state = TierState::Disabled { until: Some(*until), by: DisabledBy::Quota };
                return (state, Some(cause.clone()));
            }
            Some(Disabled { ends: DisabledEnds::ByProbe { .. }, cause }) => {
                let state = TierState::Disabled { until: None, by: DisabledBy::Credential };
                return (state, Some(cause.clone()));
            }
            Some(Disabled { ends: DisabledEnds::At(_), .. }) | None => {}
        }
        if let Some(Cooling { until, cause, .. }) = health.cooling()
            && now < *until
        {
            return (TierState::Cooling { until: *until }, Some(cause.clone()));
        }
        let cause = health.breaker().opened().map(|opened| opened.cause.clone());
        match health.breaker().phase(now) {
            Phase::Open { until } => (TierState::Open { until }, cause),
            Phase::HalfOpen => (TierState::HalfOpen { probing: health.probing(now) }, cause),
            Phase::Closed => {
                let returning = health.percent(now).map(|percent| TierState::Returning { percent });
                (returning.unwrap_or(TierState::Available), None)
            }
        }
    }
}
