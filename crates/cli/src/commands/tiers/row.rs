//! One tier as it is shown, whoever says how it fares: the admin API's own form.

use std::time::Duration;

use jiff::Timestamp;
use mainstay::{Kind, Moment};
use mainstay_config::Config;
use mainstay_fallback::{DisabledBy, TierHealth, TierState};
use serde::{Deserialize, Serialize};

use crate::out::{self, Cell, Tone, or_dash};

/// One tier now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    tier: String,
    chains: Vec<String>,
    /// The word for its state.
    state: String,
    why: String,
    /// The kind of failure behind it.
    kind: Option<String>,
    /// On whose account it is out.
    by: Option<String>,
    /// Percent of its requests that it gets, on its way back.
    percent: Option<u8>,
    /// Until when, RFC 3339.
    until: Option<String>,
    seconds_left: Option<u64>,
    /// Calls under way; known to a running gateway alone.
    in_flight: Option<u64>,
    #[serde(rename = "static")]
    pub(super) is_static: bool,
}

impl Row {
    pub(super) fn of_health(health: &TierHealth, config: Option<&Config>, now: Moment) -> Self {
        let (until, by) = match health.state {
            TierState::Cooling { until } | TierState::Open { until } => (Some(until), None),
            TierState::Disabled { until, by } => (until, Some(by)),
            TierState::Available | TierState::Returning { .. } | TierState::HalfOpen { .. } => (None, None),
        };
        let mut chains = Vec::new();
        let mut is_static = false;
        for chain in config.iter().flat_map(|config| &config.chains) {
            for tier in chain.tiers.iter().filter(|tier| tier.target == health.target) {
                chains.push(chain.name.clone());
                is_static |= tier.static_fallback;
            }
        }
        let stamp = |until: Moment| Timestamp::from_microsecond(until.micros()).ok().map(|at| at.to_string());
        let seconds =
            |until: Moment| u64::try_from(now.until(until).as_millis().div_ceil(1000)).unwrap_or(u64::MAX);
        Self {
            tier: health.target.to_string(),
            chains,
            state: health.state.word().to_owned(),
            why: health.why.clone(),
            kind: health.kind.map(|kind: Kind| kind.word().to_owned()),
            by: by.map(|by| by_word(by).to_owned()),
            percent: None,
            until: until.and_then(stamp),
            seconds_left: until.map(seconds),
            in_flight: None,
            is_static,
        }
    }

    pub(super) fn cells(&self) -> Vec<Cell> {
        let tone = match self.state.as_str() {
            "available" => Tone::Good,
            "returning" | "half_open" => Tone::Warn,
            _ => Tone::Bad,
        };
        let state = match (self.percent, &self.by) {
            (Some(percent), _) => format!("{} {percent} %", self.state),
            (None, Some(by)) => format!("{} ({by})", self.state),
            (None, None) => self.state.clone(),
        };
        let tier = if self.is_static { format!("{} (static)", self.tier) } else { self.tier.clone() };
        let chains = if self.chains.is_empty() { "-".to_owned() } else { self.chains.join(", ") };
        vec![
            tier.into(),
            chains.into(),
            Cell::toned(state, tone),
            or_dash(self.seconds_left.map(|left| out::wait(Duration::from_secs(left)))).into(),
            or_dash(self.in_flight).into(),
            or_dash(Some(&self.why).filter(|why| !why.is_empty())).into(),
        ]
    }
}

fn by_word(by: DisabledBy) -> &'static str {
    match by {
        DisabledBy::Operator => "operator",
        DisabledBy::Quota => "quota",
        DisabledBy::Credential => "credential",
    }
}
