//! Which alerts are on, and which of them were told. Values in, values out: no clock, no socket.

use std::collections::BTreeMap;
use std::time::Duration;

use mainstay::{Alert, Moment, Target};

/// One kind of alert about one tier is told at most once in so long.
pub(super) const TOLD_EVERY: Duration = Duration::from_mins(10);
/// Most alerts that are on at a time; beyond, the one that was seen longest ago is forgotten.
const LIMIT: usize = 512;
/// Longest message kept, in characters.
const MESSAGE_LIMIT: usize = 500;
/// The engine's word for a tier that answers again, whatever was wrong with it.
const RECOVERED: &str = "tier_recovered";

type Key = (&'static str, Option<Target>);

/// An alert that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Active {
    /// A fixed word for its kind.
    pub(crate) kind: &'static str,
    /// The tier it is about.
    pub(crate) tier: Option<Target>,
    /// What is wrong, as it was said last.
    pub(crate) message: String,
    /// Since when.
    pub(crate) since: Moment,
    /// When it was raised last.
    pub(crate) last_seen: Moment,
    /// How often it was raised.
    pub(crate) times: u64,
    told: bool,
}

/// Something to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Telling {
    pub(crate) kind: &'static str,
    pub(crate) tier: Option<Target>,
    pub(crate) message: String,
    /// Whether it says that it is over.
    pub(crate) over: bool,
}

impl Telling {
    /// The tier's name; empty where it is about none.
    pub(crate) fn tier_name(&self) -> String {
        self.tier.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

/// All alerts.
#[derive(Debug, Default)]
pub(super) struct AlertBoard {
    active: BTreeMap<Key, Active>,
    /// When each was told last; forgotten when that no longer matters.
    told: BTreeMap<Key, Moment>,
}

impl AlertBoard {
    /// Takes an alert; gives back what is to be told of it now.
    pub(super) fn raise(&mut self, alert: &Alert, now: Moment) -> Vec<Telling> {
        if alert.over {
            let over = |active: &&Active| {
                active.tier == alert.tier && (active.kind == alert.kind || alert.kind == RECOVERED)
            };
            let ended: Vec<Active> = self.active.values().filter(over).cloned().collect();
            return self.end(&ended);
        }
        let message: String = alert.message.chars().take(MESSAGE_LIMIT).collect();
        let key = (alert.kind, alert.tier.clone());
        if let Some(active) = self.active.get_mut(&key) {
            active.message = message;
            active.last_seen = now;
            active.times = active.times.saturating_add(1);
        } else {
            self.make_room();
            let active = Active {
                kind: alert.kind,
                tier: alert.tier.clone(),
                message,
                since: now,
                last_seen: now,
                times: 1,
                told: false,
            };
            self.active.insert(key.clone(), active);
        }
        self.tell_if_due(&key, now).into_iter().collect()
    }

    /// Takes off what is over, and tells what was not told when it came because the last time was too near.
    pub(super) fn sweep(&mut self, over: &[Active], now: Moment) -> Vec<Telling> {
        let mut tellings = self.end(over);
        let untold: Vec<Key> =
            self.active.iter().filter(|(_, active)| !active.told).map(|(key, _)| key.clone()).collect();
        tellings.extend(untold.iter().filter_map(|key| self.tell_if_due(key, now)));
        self.told.retain(|_, at| now.since(*at) < TOLD_EVERY);
        tellings
    }

    /// What is on, the oldest first.
    pub(super) fn active(&self) -> Vec<Active> {
        let mut active: Vec<Active> = self.active.values().cloned().collect();
        active.sort_by_key(|active| active.since);
        active
    }

    fn tell_if_due(&mut self, key: &Key, now: Moment) -> Option<Telling> {
        if self.told.get(key).is_some_and(|at| now.since(*at) < TOLD_EVERY) {
            return None;
        }
        let active = self.active.get_mut(key)?;
        active.told = true;
        let telling = Telling {
            kind: active.kind,
            tier: active.tier.clone(),
            message: active.message.clone(),
            over: false,
        };
        self.told.insert(key.clone(), now);
        Some(telling)
    }

    /// What nobody was told of ends without a word, too.
    fn end(&mut self, over: &[Active]) -> Vec<Telling> {
        let mut tellings = Vec::new();
        for ended in over {
            let key = (ended.kind, ended.tier.clone());
            // Raised again since somebody looked: not over.
            if self.active.get(&key).is_none_or(|active| active.last_seen > ended.last_seen) {
                continue;
            }
            if let Some(Active { kind, tier, message, told: true, .. }) = self.active.remove(&key) {
                tellings.push(Telling { kind, tier, message, over: true });
            }
        }
        tellings
    }

    fn make_room(&mut self) {
        if self.active.len() < LIMIT {
            return;
        }
        let oldest =
            self.active.iter().min_by_key(|(_, active)| active.last_seen).map(|(key, _)| key.clone());
        if let Some(oldest) = oldest {
            self.active.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(kind: &'static str, over: bool) -> Alert {
        Alert { kind, tier: Target::parse("openai/gpt"), message: "a key is wrong".into(), over }
    }

    fn at(secs: i64) -> Moment {
        Moment::from_secs(1_000_000 + secs)
    }

    fn words(tellings: &[Telling]) -> Vec<(&'static str, bool)> {
        tellings.iter().map(|telling| (telling.kind, telling.over)).collect()
    }

    #[test]
    fn one_kind_and_tier_is_told_once_in_ten_minutes_and_once_when_it_is_over() {
        let mut board = AlertBoard::default();
        assert_eq!(words(&board.raise(&alert("tier_disabled", false), at(0))), [("tier_disabled", false)]);
        for second in 1..600 {
            assert!(board.raise(&alert("tier_disabled", false), at(second)).is_empty(), "{second}");
        }
        assert_eq!(board.active()[0].times, 600);
        assert_eq!(words(&board.raise(&alert("tier_disabled", false), at(600))), [("tier_disabled", false)]);
        assert_eq!(words(&board.raise(&alert(RECOVERED, true), at(601))), [("tier_disabled", true)]);
        assert!(board.raise(&alert(RECOVERED, true), at(602)).is_empty());
        assert!(board.active().is_empty());
    }

    #[test]
    fn another_kind_or_tier_is_another_alert() {
        let mut board = AlertBoard::default();
        board.raise(&alert("tier_disabled", false), at(0));
        assert_eq!(board.raise(&alert("quota_exhausted", false), at(0)).len(), 1);
        let other = Alert { tier: Target::parse("openai/other"), ..alert("tier_disabled", false) };
        assert_eq!(board.raise(&other, at(0)).len(), 1);
        let ended = board.raise(&alert("quota_exhausted", true), at(1));
        assert_eq!(words(&ended), [("quota_exhausted", true)]);
        assert_eq!(board.active().len(), 2);
    }

    #[test]
    fn what_comes_and_goes_within_ten_minutes_is_told_when_the_ten_minutes_are_over() {
        let mut board = AlertBoard::default();
        board.raise(&alert("breaker_open", false), at(0));
        board.raise(&alert("breaker_open", true), at(1));
        assert!(board.raise(&alert("breaker_open", false), at(2)).is_empty(), "too soon after the last time");
        assert!(board.raise(&alert("breaker_open", true), at(3)).is_empty(), "nobody was told that it is on");
        board.raise(&alert("breaker_open", false), at(4));
        assert!(board.sweep(&[], at(599)).is_empty());
        assert_eq!(words(&board.sweep(&[], at(600))), [("breaker_open", false)]);
    }

    #[test]
    fn what_is_raised_again_while_somebody_looks_is_not_over() {
        let mut board = AlertBoard::default();
        board.raise(&alert("overrun", false), at(0));
        let seen = board.active();
        board.raise(&alert("overrun", false), at(1));
        assert!(board.sweep(&seen, at(1)).is_empty());
        assert_eq!(words(&board.sweep(&board.active(), at(2))), [("overrun", true)]);
    }

    #[test]
    fn there_is_a_limit() {
        let mut board = AlertBoard::default();
        for model in 0..2_000_i64 {
            let tier = Target::parse(&format!("p/{model}"));
            board.raise(&Alert { tier, ..alert("overrun", false) }, at(model));
        }
        assert_eq!(board.active().len(), LIMIT);
        board.sweep(&[], at(10_000));
        assert!(board.told.is_empty());
    }
}
