//! What a target is carrying: calls under way, the last minute's calls and tokens, and the quota that its
//! provider reports (behaviour 6.3a).

use std::time::Duration;

use mainstay_canon::Moment;

use super::Ends;
use crate::plan::Limits;

const SECOND: i64 = 1_000_000;
/// Whole seconds remembered. One more than a minute, so that no 60 s ever hold more than allowed.
const SECONDS: i64 = 61;
/// A report that reaches further is not believed.
const FARTHEST_RESET: Duration = Duration::from_hours(24);

/// What a provider says is left of its rate limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportedQuota {
    /// Calls.
    pub requests: Option<Bucket>,
    /// Tokens.
    pub tokens: Option<Bucket>,
}

/// One rate limit's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// How many are left.
    pub left: u64,
    /// When it is full again.
    pub resets: Moment,
}

/// What a target is carrying.
#[derive(Debug, Default)]
pub(crate) struct Load {
    in_flight: u64,
    minute: Option<Box<Minute>>,
    quota: ReportedQuota,
}

impl Load {
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Why one more call does not fit, and until when.
    pub(crate) fn room(&self, now: Moment, limits: &Limits, tokens: u64) -> Result<(), (Ends, String)> {
        if let Some(most) = limits.in_flight
            && self.in_flight >= most
        {
            let ends = if most == 0 { Ends::Never } else { Ends::Soon };
            return Err((ends, format!("at its limit of {most} calls under way")));
        }
        if let Some(bucket) = self.quota.requests
            && now < bucket.resets
            && bucket.left == 0
        {
            return Err((Ends::At(bucket.resets), "its provider reports no request left".into()));
        }
        if let Some(bucket) = self.quota.tokens
            && now < bucket.resets
            && bucket.left < tokens.max(1)
        {
            let why = format!("its provider reports {} tokens left, about {tokens} are needed", bucket.left);
            return Err((Ends::At(bucket.resets), why));
        }
        self.minute_room(now, limits, tokens)
    }

    fn minute_room(&self, now: Moment, limits: &Limits, tokens: u64) -> Result<(), (Ends, String)> {
        let empty = Minute::default();
        let minute = self.minute.as_deref().unwrap_or(&empty);
        let used = minute.used(now);
        if let Some(most) = limits.rpm
            && used.calls >= most
        {
            let ends = if most == 0 { Ends::Never } else { minute.relief(now) };
            return Err((ends, format!("at its limit of {most} calls a minute")));
        }
        if let Some(most) = limits.tpm
            && used.tokens.saturating_add(tokens) > most
        {
            let ends = if tokens > most { Ends::Never } else { minute.relief(now) };
            return Err((ends, format!("about {tokens} tokens do not fit its limit of {most} a minute")));
        }
        Ok(())
    }

    /// One more call begins.
    pub(crate) fn take(&mut self, now: Moment, limits: &Limits, tokens: u64) {
        self.in_flight = self.in_flight.saturating_add(1);
        if limits.rpm.is_some() || limits.tpm.is_some() {
            self.minute.get_or_insert_default().add(now, tokens);
        }
        for (bucket, used) in [(&mut self.quota.requests, 1), (&mut self.quota.tokens, tokens)] {
            if let Some(bucket) = bucket {
                bucket.left = bucket.left.saturating_sub(used);
            }
        }
    }

    /// A call ended.
    pub(crate) fn end(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// A call that was let in at `began`, and has ended, was not made after all.
    pub(crate) fn forget(&mut self, began: Moment, tokens: u64) {
        if let Some(slot) = self.minute.as_deref_mut().and_then(|minute| minute.slot_of(began)) {
            slot.calls = slot.calls.saturating_sub(1);
            slot.tokens = slot.tokens.saturating_sub(tokens);
        }
        for (bucket, used) in [(&mut self.quota.requests, 1), (&mut self.quota.tokens, tokens)] {
            if let Some(bucket) = bucket {
                bucket.left = bucket.left.saturating_add(used);
            }
        }
    }

    /// A call that was let in at `began` for `guessed` tokens used `actual` ones.
    pub(crate) fn correct(&mut self, began: Moment, guessed: u64, actual: u64) {
        if let Some(slot) = self.minute.as_deref_mut().and_then(|minute| minute.slot_of(began)) {
            slot.tokens = slot.tokens.saturating_sub(guessed).saturating_add(actual);
        }
    }

    /// The provider says what is left. What it does not mention stays as it was.
    pub(crate) fn report(&mut self, report: ReportedQuota, now: Moment) {
        let believable = |bucket: &Bucket| now < bucket.resets && bucket.resets <= now.after(FARTHEST_RESET);
        if let Some(bucket) = report.requests.filter(believable) {
            self.quota.requests = Some(bucket);
        }
        if let Some(bucket) = report.tokens.filter(believable) {
            self.quota.tokens = Some(bucket);
        }
    }
}

/// Calls and tokens by the second, over the last minute.
#[derive(Debug, Default)]
struct Minute {
    /// At most [`SECONDS`] of them, oldest first.
    slots: std::collections::VecDeque<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    second: i64,
    calls: u64,
    tokens: u64,
}

impl Minute {
    fn add(&mut self, now: Moment, tokens: u64) {
        let second = now.micros().div_euclid(SECOND);
        while self.slots.front().is_some_and(|slot| slot.second <= second - SECONDS) {
            self.slots.pop_front();
        }
        match self.slots.back_mut() {
            // A moment that is a little older than the last belongs to the last.
            Some(slot) if slot.second >= second => {
                slot.calls = slot.calls.saturating_add(1);
                slot.tokens = slot.tokens.saturating_add(tokens);
            }
            _ => self.slots.push_back(Slot { second, calls: 1, tokens }),
        }
    }

    fn used(&self, now: Moment) -> Slot {
        let oldest = now.micros().div_euclid(SECOND) - SECONDS;
        let mut sum = Slot::default();
        for slot in self.slots.iter().filter(|slot| slot.second > oldest) {
            sum.calls = sum.calls.saturating_add(slot.calls);
            sum.tokens = sum.tokens.saturating_add(slot.tokens);
        }
        sum
    }

    /// When the oldest second that still counts no longer does.
    fn relief(&self, now: Moment) -> Ends {
        let oldest = now.micros().div_euclid(SECOND) - SECONDS;
        self.slots
            .iter()
            .find(|slot| slot.second > oldest && (slot.calls > 0 || slot.tokens > 0))
            .map_or(Ends::Soon, |slot| Ends::At(Moment::from_secs(slot.second.saturating_add(SECONDS))))
    }

    fn slot_of(&mut self, began: Moment) -> Option<&mut Slot> {
        let second = began.micros().div_euclid(SECOND);
        self.slots.iter_mut().find(|slot| slot.second >= second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Moment {
        Moment::from_micros(millis * 1000)
    }

    #[test]
    fn no_sixty_seconds_hold_more_calls_than_allowed() {
        let limits = Limits { rpm: Some(5), ..Limits::default() };
        let mut load = Load::default();
        let mut made = Vec::new();
        for tick in 0..3000 {
            let now = at(tick * 70);
            if load.room(now, &limits, 1).is_ok() {
                load.take(now, &limits, 1);
                load.end();
                made.push(now);
            }
        }
        assert!(made.len() > 10);
        for (place, call) in made.iter().enumerate() {
            let minute = call.after(Duration::from_mins(1));
            assert!(made[place..].iter().take_while(|other| **other < minute).count() <= 5);
        }
    }

    #[test]
    fn a_full_minute_says_when_it_has_room() {
        let limits = Limits { tpm: Some(100), ..Limits::default() };
        let mut load = Load::default();
        load.take(at(10_000), &limits, 80);
        let (ends, _) = load.room(at(12_000), &limits, 30).unwrap_err();
        assert_eq!(ends, Ends::At(at(71_000)));
        assert!(load.room(at(71_000), &limits, 30).is_ok());
        assert_eq!(load.room(at(71_000), &limits, 101).unwrap_err().0, Ends::Never);
    }

    #[test]
    fn a_call_that_was_not_made_leaves_no_trace() {
        let limits = Limits { rpm: Some(1), in_flight: Some(1), ..Limits::default() };
        let mut load = Load::default();
        load.take(at(0), &limits, 9);
        assert!(load.room(at(1), &limits, 9).is_err());
        load.end();
        load.forget(at(0), 9);
        assert!(load.room(at(1), &limits, 9).is_ok());
    }

    #[test]
    fn a_reported_quota_holds_until_its_reset() {
        let mut load = Load::default();
        let bucket = |left| Some(Bucket { left, resets: at(60_000) });
        load.report(ReportedQuota { requests: bucket(1), tokens: None }, at(0));
        assert!(load.room(at(1), &Limits::default(), 5).is_ok());
        load.take(at(1), &Limits::default(), 5);
        assert_eq!(load.room(at(2), &Limits::default(), 5).unwrap_err().0, Ends::At(at(60_000)));
        assert!(load.room(at(60_000), &Limits::default(), 5).is_ok());
        load.report(ReportedQuota { requests: None, tokens: bucket(10) }, at(2));
        assert!(load.room(at(3), &Limits::default(), 11).is_err());
    }

    #[test]
    fn tokens_are_corrected_by_what_was_used() {
        let limits = Limits { tpm: Some(100), ..Limits::default() };
        let mut load = Load::default();
        load.take(at(0), &limits, 20);
        load.correct(at(0), 20, 95);
        assert!(load.room(at(1), &limits, 6).is_err());
        assert!(load.room(at(1), &limits, 5).is_ok());
    }
}
