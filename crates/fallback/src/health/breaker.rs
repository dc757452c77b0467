//! One target's breaker: faults in a row, and faults among the last minute's calls.

use std::time::Duration;

use mainstay_canon::Moment;

use super::Cause;
use crate::plan::BreakerSettings;

/// Length of one slot of the window.
const SLOT: Duration = Duration::from_secs(10);
/// Slots of the window: one minute.
const SLOTS: usize = 6;
/// Its oldest slot's distance from the newest.
const REACH: i64 = 5;

/// Closed, open until a moment, or (after that moment) half-open.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    in_row: u32,
    recent: [Slot; SLOTS],
    open: Option<Opened>,
}

/// Since when and until when it is open.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) until: Moment,
    pub(crate) cause: Cause,
}

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Closed,
    Open { until: Moment },
    HalfOpen,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    number: i64,
    good: u32,
    faults: u32,
}

impl Breaker {
    pub(crate) fn phase(&self, now: Moment) -> Phase {
        match &self.open {
            None => Phase::Closed,
            Some(opened) if now < opened.until => Phase::Open { until: opened.until },
            Some(_) => Phase::HalfOpen,
        }
    }

    pub(crate) fn opened(&self) -> Option<&Opened> {
        self.open.as_ref()
    }

    pub(crate) fn in_row(&self) -> u32 {
        self.in_row
    }

    /// A call was answered.
    pub(crate) fn good(&mut self, now: Moment) {
        self.in_row = 0;
        self.count(now, |slot| slot.good = slot.good.saturating_add(1));
    }

    /// The provider was at fault. `fresh` says that the call began after the last change of state. Whether
    /// the breaker must open (again).
    pub(crate) fn fault(&mut self, now: Moment, settings: &BreakerSettings, fresh: bool) -> bool {
        self.in_row = self.in_row.saturating_add(1);
        self.count(now, |slot| slot.faults = slot.faults.saturating_add(1));
        match self.phase(now) {
            Phase::Closed => self.in_row >= settings.threshold.max(1) || self.rate_reached(now, settings),
            // Calls from before it opened say nothing new; the probe does.
            Phase::HalfOpen => fresh,
            Phase::Open { .. } => false,
        }
    }

    pub(crate) fn open(&mut self, until: Moment, cause: Cause) {
        self.open = Some(Opened { until, cause });
        self.recent = Default::default();
    }

    /// Takes over what another instance or an earlier run knew; never shortens.
    pub(crate) fn extend(&mut self, until: Moment, cause: Cause) -> bool {
        let later = self.open.as_ref().is_none_or(|opened| opened.until < until);
        if later {
            self.open(until, cause);
        }
        later
    }

    pub(crate) fn close(&mut self) {
        self.in_row = 0;
        self.open = None;
    }

    fn rate_reached(&self, now: Moment, settings: &BreakerSettings) -> bool {
        let oldest = number(now) - REACH;
        let (mut calls, mut faults) = (0_u64, 0_u64);
        for slot in self.recent.iter().filter(|slot| slot.number >= oldest) {
            calls += u64::from(slot.good) + u64::from(slot.faults);
            faults += u64::from(slot.faults);
        }
        calls >= u64::from(settings.rate_calls.max(1))
            && faults * 100 >= calls * u64::from(settings.rate_percent)
    }

    fn count(&mut self, now: Moment, add: impl FnOnce(&mut Slot)) {
        let number = number(now);
        let place = usize::try_from(number.rem_euclid(REACH + 1)).unwrap_or(0);
        let Some(slot) = self.recent.get_mut(place) else { return };
        if slot.number != number {
            *slot = Slot { number, ..Slot::default() };
        }
        add(slot);
    }
}

fn number(now: Moment) -> i64 {
    now.micros().div_euclid(i64::try_from(SLOT.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: i64) -> Moment {
        Moment::from_secs(1_000_000 + secs)
    }

    #[test]
    fn faults_in_a_row_open_it_and_one_good_answer_starts_the_row_anew() {
        let settings = BreakerSettings::default();
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            assert!(!breaker.fault(at(0), &settings, true));
        }
        breaker.good(at(0));
        for _ in 0..4 {
            assert!(!breaker.fault(at(1), &settings, true));
        }
        assert!(breaker.fault(at(2), &settings, true));
    }

    #[test]
    fn half_of_a_minutes_calls_failing_opens_it_without_a_row() {
        let settings = BreakerSettings::default();
        let mut breaker = Breaker::default();
        let mut opened = None;
        for call in 0..40 {
            breaker.good(at(call));
            if breaker.fault(at(call), &settings, true) {
                opened = Some(call);
                break;
            }
        }
        assert_eq!(opened, Some(9), "twenty calls, half of them failed");
    }

    #[test]
    fn what_is_more_than_a_minute_old_is_forgotten() {
        let settings = BreakerSettings { threshold: 1000, ..BreakerSettings::default() };
        let mut breaker = Breaker::default();
        for call in 0..19 {
            assert!(!breaker.fault(at(call % 5), &settings, true));
        }
        assert!(!breaker.fault(at(70), &settings, true));
    }

    #[test]
    fn late_failures_neither_lengthen_nor_reopen() {
        let settings = BreakerSettings::default();
        let mut breaker = Breaker::default();
        breaker.open(at(30), Cause::new(None, "test", at(0)));
        assert!(!breaker.fault(at(10), &settings, false));
        assert_eq!(breaker.phase(at(30)), Phase::HalfOpen);
        assert!(!breaker.fault(at(31), &settings, false));
        assert!(breaker.fault(at(31), &settings, true));
    }
}
