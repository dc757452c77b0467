//! Health as it is written down, to outlive a process and to be shared by instances.
//!
//! Knows no store: records are values.

use mainstay_canon::{Kind, Moment, Target};
use serde::{Deserialize, Serialize};

use super::state::{HealthKey, State, is_worth_keeping};
use crate::health::{Cause, Cooling, DisabledEnds, Health, Opened};

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

impl State {
    pub(super) fn records(&self, now: Moment) -> Vec<HealthRecord> {
        let mut records: Vec<HealthRecord> =
            self.health.iter().filter_map(|(key, health)| record_of(key, health, now)).collect();
        for (target, hand) in &self.operator {
            if !is_worth_keeping(hand, now) {
                continue;
            }
            let whole =
                records.iter_mut().find(|record| record.target == *target && record.key_name.is_none());
            match whole {
                Some(record) => record.operator = Some(hand.clone()),
                None => records.push(HealthRecord {
                    operator: Some(hand.clone()),
                    ..nothing(&HealthKey::new(target, None))
                }),
            }
        }
        records.sort_by(|a, b| (&a.target, &a.key_name).cmp(&(&b.target, &b.key_name)));
        records
    }

    pub(super) fn restore(&mut self, records: Vec<HealthRecord>, now: Moment) {
        for record in records {
            let key = HealthKey::new(&record.target, record.key_name.as_deref());
            self.restore_pauses(&key, &record, now);
            if let Some(hand) = record.operator
                && is_worth_keeping(&hand, now)
                && self.operator.get(&record.target).is_none_or(|own| own.since < hand.since)
            {
                self.operator.insert(record.target, hand);
                self.generation += 1;
            }
        }
    }

    fn restore_pauses(&mut self, key: &HealthKey, record: &HealthRecord, now: Moment) {
        let lasts = |until: Moment| until > now;
        let cooling = record.cooling.as_ref().filter(|cooling| lasts(cooling.until));
        let open = record.open.as_ref().filter(|open| lasts(open.until));
        let quota = record.quota.as_ref().filter(|quota| lasts(quota.until));
        if cooling.is_none() && open.is_none() && quota.is_none() {
            return;
        }
        let health = self.entry(key, now);
        let mut changed = false;
        if let Some(CoolingRecord { until, hinted_until, in_row, kind, why, since }) = cooling {
            let cause = Cause::new(*kind, why, *since);
            let cooling = Cooling { until: *until, hinted_until: *hinted_until, told_until: *until, cause };
            changed |= health.restore_cooling(cooling, *in_row, now);
        }
        if let Some(open) = open {
            changed |= health.restore_open(open.until, cause_of(open), now);
        }
        if let Some(quota) = quota {
            changed |= health.restore_quota(quota.until, &cause_of(quota), now);
        }
        self.generation += u64::from(changed);
    }
}

fn cause_of(pause: &PauseRecord) -> Cause {
    Cause::new(pause.kind, &pause.why, pause.since)
}

fn nothing(key: &HealthKey) -> HealthRecord {
    HealthRecord {
        target: key.target.clone(),
        key_name: key.key_name(),
        cooling: None,
        open: None,
        quota: None,
        operator: None,
    }
}

fn record_of(key: &HealthKey, health: &Health, now: Moment) -> Option<HealthRecord> {
    let pause = |until: Moment, cause: &Cause| PauseRecord {
        until,
        kind: cause.kind,
        why: cause.why.to_string(),
        since: cause.since,
    };
    let cooling = health.cooling().filter(|cooling| now < cooling.until).map(|cooling| CoolingRecord {
        until: cooling.until,
        hinted_until: cooling.hinted_until,
        in_row: health.cooldowns_in_row(),
        kind: cooling.cause.kind,
        why: cooling.cause.why.to_string(),
        since: cooling.cause.since,
    });
    let open = health
        .breaker()
        .opened()
        .filter(|Opened { until, .. }| now < *until)
        .map(|opened| pause(opened.until, &opened.cause));
    let quota = health.disabled().and_then(|disabled| match disabled.ends {
        DisabledEnds::At(until) if now < until => Some(pause(until, &disabled.cause)),
        DisabledEnds::At(_) | DisabledEnds::ByProbe { .. } => None,
    });
    let any = cooling.is_some() || open.is_some() || quota.is_some();
    any.then(|| HealthRecord { cooling, open, quota, ..nothing(key) })
}
