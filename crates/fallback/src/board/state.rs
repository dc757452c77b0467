//! What lies behind the board's lock.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Kind, Moment, Target};

use super::report::{Change, DisabledBy, HealthChange};
use super::{BoardOptions, OperatorRecord, StaticSwitch};
use crate::health::{Admission, Blow, Cause, Ends, Health, Knock, Unready};
use crate::step::SkipReason;

/// What health is kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct HealthKey {
    pub(crate) target: Target,
    pub(crate) key_name: Option<Arc<str>>,
}

impl HealthKey {
    pub(crate) fn new(target: &Target, key_name: Option<&str>) -> Self {
        Self { target: target.clone(), key_name: key_name.map(Into::into) }
    }

    pub(super) fn key_name(&self) -> Option<String> {
        self.key_name.as_deref().map(str::to_owned)
    }
}

pub(crate) struct State {
    options: BoardOptions,
    pub(super) health: HashMap<HealthKey, Health>,
    pub(super) operator: HashMap<Target, OperatorRecord>,
    switch: StaticSwitch,
    changes: VecDeque<HealthChange>,
    lost_changes: u64,
    pub(super) generation: u64,
    probes: u64,
}

impl State {
    pub(super) fn new(options: BoardOptions) -> Self {
        Self {
            options,
            health: HashMap::new(),
            operator: HashMap::new(),
            switch: StaticSwitch::default(),
            changes: VecDeque::new(),
            lost_changes: 0,
            generation: 0,
            probes: 0,
        }
    }

    /// Lets a call in, or says why not. `knock.token` is set here.
    pub(crate) fn admit(&mut self, key: &HealthKey, mut knock: Knock<'_>) -> Result<Admission, Unready> {
        self.closed_by_operator(&key.target, knock.now)?;
        self.probes += 1;
        knock.token = self.probes;
        let options = self.options;
        self.entry(key, knock.now).admit(&knock, &options)
    }

    /// Whether it might be asked now, its load aside.
    pub(crate) fn is_ready(&self, key: &HealthKey, now: Moment) -> bool {
        self.ready_at(key, now).is_none()
    }

    /// When it may be asked again; `None` if it may be asked now, its load aside.
    pub(crate) fn ready_at(&self, key: &HealthKey, now: Moment) -> Option<Ends> {
        if let Err(unready) = self.closed_by_operator(&key.target, now) {
            return Some(unready.ends);
        }
        self.health.get(key)?.standing(now).err().map(|unready| unready.ends)
    }

    fn closed_by_operator(&self, target: &Target, now: Moment) -> Result<(), Unready> {
        let Some(hand) = self.operator.get(target).filter(|hand| is_on(hand, now)) else { return Ok(()) };
        Err(Unready {
            reason: SkipReason::Disabled,
            ends: hand.until.map_or(Ends::Never, Ends::At),
            kind: None,
            why: hand.why.as_str().into(),
        })
    }

    pub(crate) fn succeeded(
        &mut self,
        key: &HealthKey,
        admission: &Admission,
        now: Moment,
        return_over: Duration,
    ) {
        let options = self.options;
        if self.entry(key, now).succeeded(admission, now, return_over, &options) {
            self.tell(key, Change::Recovered, &Cause::new(None, "it answered", now), false, now);
        }
    }

    /// Content comes from a call that is still under way: its target is up.
    pub(crate) fn answering(
        &mut self,
        key: &HealthKey,
        admission: &Admission,
        now: Moment,
        return_over: Duration,
    ) {
        let options = self.options;
        if self.entry(key, now).proven(admission, now, return_over, &options) {
            self.tell(key, Change::Recovered, &Cause::new(None, "it answers", now), false, now);
        }
    }

    /// A call failed. Whether its tier is left.
    pub(crate) fn failed(
        &mut self,
        key: &HealthKey,
        admission: &Admission,
        blow: &Blow<'_>,
        now: Moment,
        return_over: Duration,
    ) -> bool {
        let options = self.options;
        // Even where there is nothing to tell, a cooldown may have become a little longer.
        self.generation += u64::from(blow.hint.is_some());
        let (left, changes) = self.entry(key, now).failed(admission, blow, now, return_over, &options);
        for change in changes {
            let alert = blow.consequence.alert && matches!(change, Change::Disabled { .. });
            self.tell(key, change, &blow.cause, alert, now);
        }
        left
    }

    pub(crate) fn aborted(&mut self, key: &HealthKey, admission: &Admission) {
        self.entry(key, admission.at).aborted(admission);
    }

    pub(crate) fn undo(&mut self, key: &HealthKey, admission: &Admission) {
        self.entry(key, admission.at).undo(admission);
    }

    /// The target's health, begun if need be.
    pub(crate) fn entry(&mut self, key: &HealthKey, now: Moment) -> &mut Health {
        if self.health.len() >= self.options.max_targets && !self.health.contains_key(key) {
            self.make_room(now);
        }
        self.health.entry(key.clone()).or_default()
    }

    /// Forgets one target: the longest unused of those that are well, else of those without a call under
    /// way, else of all.
    fn make_room(&mut self, now: Moment) {
        let worth = |health: &Health| (!health.is_plain(), health.in_flight() > 0, health.seen());
        let least = self.health.iter().min_by_key(|(_, health)| worth(health)).map(|(key, _)| key.clone());
        if let Some(key) = least {
            self.health.remove(&key);
        }
        self.forget_old_hands(now);
    }

    fn forget_old_hands(&mut self, now: Moment) {
        self.operator.retain(|_, hand| is_worth_keeping(hand, now));
    }

    pub(super) fn disable(&mut self, target: &Target, record: OperatorRecord, now: Moment) {
        let cause = Cause::new(None, &record.why, now);
        let change = Change::Disabled { until: record.until, by: DisabledBy::Operator };
        self.forget_old_hands(now);
        self.operator.insert(target.clone(), record);
        self.tell(&HealthKey::new(target, None), change, &cause, false, now);
    }

    pub(super) fn enable(&mut self, target: &Target, now: Moment) -> bool {
        let mut closed = false;
        if let Some(hand) = self.operator.get_mut(target) {
            closed = is_on(hand, now);
            // Kept as over, so that other instances hear of it.
            *hand = OperatorRecord { until: Some(now), why: ENABLED.into(), since: now };
        }
        let keys: Vec<HealthKey> = self.health.keys().filter(|key| key.target == *target).cloned().collect();
        for key in &keys {
            closed |= self.health.get_mut(key).is_some_and(|health| health.pardon(now));
        }
        if closed {
            let cause = Cause::new(None, ENABLED, now);
            self.tell(&HealthKey::new(target, None), Change::Recovered, &cause, false, now);
        }
        closed
    }

    pub(super) fn reloaded(&mut self, now: Moment) {
        let cause = Cause::new(None, "the configuration was read anew", now);
        let mut freed = Vec::new();
        for (key, health) in &mut self.health {
            if health.forget_credentials() {
                freed.push(key.clone());
            }
        }
        for key in freed {
            self.tell(&key, Change::Recovered, &cause, false, now);
        }
    }

    pub(super) fn set_static(&mut self, switch: StaticSwitch) {
        if self.switch != switch {
            self.switch = switch;
            self.generation += 1;
        }
    }

    pub(crate) fn static_switch(&self) -> StaticSwitch {
        self.switch
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn lost_changes(&self) -> u64 {
        self.lost_changes
    }

    pub(super) fn take_changes(&mut self) -> Vec<HealthChange> {
        self.changes.drain(..).collect()
    }

    fn tell(&mut self, key: &HealthKey, change: Change, cause: &Cause, alert: bool, now: Moment) {
        self.generation += 1;
        if self.changes.len() >= self.options.max_changes {
            self.changes.pop_front();
            self.lost_changes += 1;
        }
        self.changes.push_back(HealthChange {
            at: now,
            target: key.target.clone(),
            key_name: key.key_name(),
            change,
            kind: cause.kind,
            why: cause.why.to_string(),
            alert,
        });
    }
}

/// What an enabled target's record says.
const ENABLED: &str = "enabled by an operator";
/// How long it is remembered that an operator took a hand off a target.
const HAND_KEPT: Duration = Duration::from_hours(24);

/// Whether an operator keeps the target out now.
pub(super) fn is_on(hand: &OperatorRecord, now: Moment) -> bool {
    hand.until.is_none_or(|until| now < until)
}

/// Whether it is on, or was lately: other instances must hear that it is over.
pub(super) fn is_worth_keeping(hand: &OperatorRecord, now: Moment) -> bool {
    is_on(hand, now) || now.since(hand.since) < HAND_KEPT
}

/// One line about a failure, for a board that is shown to people: never more than a short sentence.
pub(crate) fn cause_line(kind: Kind, status: Option<u16>, message: &str) -> String {
    const LONGEST: usize = 160;
    let mut line = kind.word().to_owned();
    if let Some(status) = status {
        line.push_str(" (HTTP ");
        line.push_str(&status.to_string());
        line.push(')');
    }
    if !message.is_empty() {
        line.push_str(": ");
        line.extend(message.chars().take(LONGEST));
        if message.chars().nth(LONGEST).is_some() {
            line.push('…');
        }
    }
    line
}
