//! What lies behind the board's lock.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Kind, Moment, Target};

use super::report::{Change, DisabledBy, HealthChange, TierHealth, TierState};
use super::{BoardOptions, CoolingRecord, HealthRecord, OperatorRecord, PauseRecord, StaticSwitch};
use crate::health::{
    Admission, Blow, Cause, Cooling, Disabled, DisabledEnds, Ends, Health, Knock, Opened, Phase, Unready,
};
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

    fn key_name(&self) -> Option<String> {
        self.key_name.as_deref().map(str::to_owned)
    }
}

pub(crate) struct State {
    options: BoardOptions,
    health: HashMap<HealthKey, Health>,
    operator: HashMap<Target, OperatorRecord>,
    switch: StaticSwitch,
    changes: VecDeque<HealthChange>,
    lost_changes: u64,
    generation: u64,
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

/// What an enabled target's record says.
const ENABLED: &str = "enabled by an operator";
/// How long it is remembered that an operator took a hand off a target.
const HAND_KEPT: Duration = Duration::from_hours(24);

/// Whether an operator keeps the target out now.
fn is_on(hand: &OperatorRecord, now: Moment) -> bool {
    hand.until.is_none_or(|until| now < until)
}

fn is_worth_keeping(hand: &OperatorRecord, now: Moment) -> bool {
    is_on(hand, now) || now.since(hand.since) < HAND_KEPT
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
