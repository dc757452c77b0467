//! Alerts: at most one per kind and tier in ten minutes, and one when it is over (behaviour 9.4a).
//!
//! Knows neither what is wrong nor who is told; it decides only what is worth telling now.

use std::collections::BTreeMap;
use std::time::Duration;

use mainstay_canon::{Moment, Target};
use parking_lot::Mutex;

/// Within this time after an alert the same one is not told again; and an alert that nobody declares over
/// is over when it was not raised for so long.
const QUIET: Duration = Duration::from_mins(10);
/// Kinds and tiers remembered at most. Beyond them alerts are told every time: too often rather than never.
const MOST: usize = 4096;

/// Something that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// A fixed word for its kind, such as `tier_disabled`.
    pub kind: &'static str,
    /// The tier it is about, if it is about one.
    pub tier: Option<Target>,
    /// What is wrong, for people.
    pub message: String,
    /// Whether this says that it is over.
    pub over: bool,
}

impl Alert {
    /// Something is wrong.
    pub(crate) fn new(kind: &'static str, tier: Option<&Target>, message: impl Into<String>) -> Self {
        Self { kind, tier: tier.cloned(), message: message.into(), over: false }
    }
}

/// How an alert of that kind comes to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Somebody says so.
    WhenCleared,
    /// It was not raised for ten minutes.
    WhenQuiet,
}

/// What is going on, and what was told of it.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    known: Mutex<BTreeMap<(&'static str, Option<Target>), Known>>,
}

#[derive(Debug)]
struct Known {
    ends: Ends,
    /// What is to be told, if it was not told yet or is told again.
    message: String,
    /// When it was told last.
    told: Option<Moment>,
    /// Whether it goes on, and whether this time was told.
    state: State,
    raised: Moment,
    /// How often it was raised since it was told.
    more: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Over,
    GoesOn { told: bool },
}

impl Known {
    /// What is to be told now: the alert, unless it was told a short while ago.
    fn tell(&mut self, now: Moment) -> Option<String> {
        if self.told.is_some_and(|told| now.since(told) < QUIET) {
            return None;
        }
        let more = std::mem::take(&mut self.more);
        self.told = Some(now);
        self.state = State::GoesOn { told: true };
        Some(match more {
            0 => self.message.clone(),
            more => format!("{} ({more} more of the kind since the last alert)", self.message),
        })
    }

    /// It is over. Whether that is worth telling: the alert itself was told.
    fn end(&mut self) -> bool {
        let was = std::mem::replace(&mut self.state, State::Over);
        self.more = 0;
        was == State::GoesOn { told: true }
    }
}

impl Alarms {
    /// Something is wrong. What is to be told of it now.
    pub(crate) fn raise(&self, alert: Alert, ends: Ends, now: Moment) -> Option<Alert> {
        let mut known = self.known.lock();
        let key = (alert.kind, alert.tier.clone());
        if known.len() >= MOST && !known.contains_key(&key) {
            known.retain(|_, one| one.state != State::Over);
            if known.len() >= MOST {
                return Some(alert);
            }
        }
        let one = known.entry(key).or_insert_with(|| Known {
            ends,
            message: String::new(),
            told: None,
            state: State::Over,
            raised: now,
            more: 0,
        });
        one.message.clone_from(&alert.message);
        one.raised = now;
        let Some(message) = one.tell(now) else {
            one.more = one.more.saturating_add(1);
            if one.state == State::Over {
                one.state = State::GoesOn { told: false };
            }
            return None;
        };
        Some(Alert { message, ..alert })
    }

    /// It is over. What is to be told of that.
    pub(crate) fn clear(&self, kind: &'static str, tier: Option<&Target>, message: &str) -> Option<Alert> {
        let mut known = self.known.lock();
        let worth = known.get_mut(&(kind, tier.cloned())).is_some_and(Known::end);
        worth.then(|| Alert { over: true, ..Alert::new(kind, tier, message) })
    }

    /// What time alone brings: an alert that goes on and could not be told when it was raised, and one that
    /// has become quiet.
    pub(crate) fn due(&self, now: Moment) -> Vec<Alert> {
        let mut due = Vec::new();
        for ((kind, tier), one) in self.known.lock().iter_mut() {
            match (one.state, one.ends) {
                (State::GoesOn { .. }, Ends::WhenQuiet) if now.since(one.raised) >= QUIET => {
                    if one.end() {
                        let message = "it has not happened again for ten minutes";
                        due.push(Alert { over: true, ..Alert::new(kind, tier.as_ref(), message) });
                    }
                }
                (State::GoesOn { told: false }, _) => {
                    due.extend(one.tell(now).map(|message| Alert::new(kind, tier.as_ref(), message)));
                }
                (State::Over | State::GoesOn { told: true }, _) => {}
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Moment {
        Moment::from_secs(1_000_000 + minutes * 60)
    }

    fn tier() -> Target {
        Target::new("acme", "m")
    }

    fn raise(alarms: &Alarms, ends: Ends, minutes: i64) -> Option<String> {
        let alert = Alert::new("k", Some(&tier()), "it broke");
        alarms.raise(alert, ends, at(minutes)).map(|alert| alert.message)
    }

    #[test]
    fn the_same_is_told_once_in_ten_minutes_and_then_how_often_it_was() {
        let alarms = Alarms::default();
        assert_eq!(raise(&alarms, Ends::WhenCleared, 0).as_deref(), Some("it broke"));
        assert_eq!(raise(&alarms, Ends::WhenCleared, 1), None);
        assert_eq!(raise(&alarms, Ends::WhenCleared, 9), None);
        let again = raise(&alarms, Ends::WhenCleared, 10);
        assert_eq!(again.as_deref(), Some("it broke (2 more of the kind since the last alert)"));
        let other = Alert::new("k", None, "elsewhere");
        assert!(alarms.raise(other, Ends::WhenCleared, at(10)).is_some(), "another tier is another alert");
    }

    #[test]
    fn the_end_is_told_once_and_only_of_what_was_told() {
        let alarms = Alarms::default();
        assert_eq!(alarms.clear("k", Some(&tier()), "well"), None, "nothing was wrong");
        raise(&alarms, Ends::WhenCleared, 0);
        assert!(alarms.clear("k", Some(&tier()), "well").is_some_and(|alert| alert.over));
        assert_eq!(alarms.clear("k", Some(&tier()), "well"), None);
        assert_eq!(raise(&alarms, Ends::WhenCleared, 2), None, "ten minutes have not passed");
        assert_eq!(alarms.clear("k", Some(&tier()), "well"), None, "this time was not told");
    }

    #[test]
    fn what_goes_on_untold_is_told_when_ten_minutes_have_passed() {
        let alarms = Alarms::default();
        raise(&alarms, Ends::WhenCleared, 0);
        alarms.clear("k", Some(&tier()), "well");
        raise(&alarms, Ends::WhenCleared, 3);
        assert_eq!(alarms.due(at(9)), []);
        let due = alarms.due(at(10));
        assert_eq!(due.len(), 1);
        assert!(!due[0].over && due[0].message.starts_with("it broke"));
        assert_eq!(alarms.due(at(11)), []);
        assert!(alarms.clear("k", Some(&tier()), "well").is_some());
    }

    #[test]
    fn what_has_no_end_of_its_own_is_over_when_it_was_quiet() {
        let alarms = Alarms::default();
        raise(&alarms, Ends::WhenQuiet, 0);
        raise(&alarms, Ends::WhenQuiet, 5);
        assert_eq!(alarms.due(at(14)), []);
        let due = alarms.due(at(15));
        assert!(due.len() == 1 && due[0].over, "{due:?}");
        assert_eq!(alarms.due(at(40)), []);
        assert!(raise(&alarms, Ends::WhenQuiet, 41).is_some());
    }

    #[test]
    fn beyond_what_can_be_remembered_alerts_are_told_rather_than_lost() {
        let alarms = Alarms::default();
        for number in 0..MOST + 3 {
            let tier = Target::new("acme", number.to_string());
            let alert = Alert::new("k", Some(&tier), "it broke");
            assert!(alarms.raise(alert, Ends::WhenCleared, at(0)).is_some(), "{number}");
        }
        assert_eq!(alarms.known.lock().len(), MOST);
    }
}
