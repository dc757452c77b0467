//! How many requests want a target, and how its traffic comes back (behaviour 6.3b).

use std::time::Duration;

use mainstay_canon::Moment;

const SECOND: i64 = 1_000_000;

/// Requests of the last second, by two counters that slide.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Demand {
    second: i64,
    current: u32,
    previous: u32,
}

impl Demand {
    /// One more request wants it.
    pub(crate) fn want(&mut self, now: Moment) {
        let second = now.micros().div_euclid(SECOND);
        if second != self.second {
            self.previous = if second == self.second.saturating_add(1) { self.current } else { 0 };
            self.current = 0;
            self.second = second;
        }
        self.current = self.current.saturating_add(1);
    }

    /// Whether more than `rate` requests a second want it.
    pub(crate) fn exceeds(&self, rate: u32, now: Moment) -> bool {
        let second = now.micros().div_euclid(SECOND);
        let (previous, current) = match second.saturating_sub(self.second) {
            0 => (self.previous, self.current),
            1 => (self.current, 0),
            _ => (0, 0),
        };
        let left = SECOND - now.micros().rem_euclid(SECOND);
        let sum = i64::from(previous) * left + i64::from(current) * SECOND;
        sum > i64::from(rate) * SECOND
    }
}

/// How many percent of its requests a target gets that came back at `since`; `None` once it gets them all.
pub(crate) fn percent(since: Moment, over: Duration, now: Moment) -> Option<u8> {
    let elapsed = now.since(since);
    if elapsed >= over {
        None
    } else if elapsed < over / 2 {
        Some(10)
    } else {
        Some(30)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_a_second_is_not_busy_and_eleven_is() {
        let now = Moment::from_secs(50);
        let mut demand = Demand::default();
        for _ in 0..10 {
            demand.want(now);
        }
        assert!(!demand.exceeds(10, now));
        demand.want(now);
        assert!(demand.exceeds(10, now));
        assert!(!demand.exceeds(10, now.after(Duration::from_secs(2))));
    }

    #[test]
    fn a_steady_stream_counts_across_seconds() {
        let mut demand = Demand::default();
        for tick in 0..60 {
            demand.want(Moment::from_micros(tick * 50_000));
        }
        assert!(demand.exceeds(10, Moment::from_micros(3_010_000)));
    }

    #[test]
    fn traffic_comes_back_in_three_steps() {
        let over = Duration::from_secs(20);
        let at = |secs| percent(Moment::EPOCH, over, Moment::from_secs(secs));
        assert_eq!([at(0), at(9), at(10), at(19), at(20)], [Some(10), Some(10), Some(30), Some(30), None]);
    }
}
