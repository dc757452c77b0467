//! The timers of one streamed attempt: when what comes next is due, and what it is if it does not come.
//!
//! The limits themselves are the retry layer's; here they meet the runtime's clock and the hold.

use std::pin::Pin;
use std::time::Duration;

use mainstay_canon::{Failure, Kind, Moment};
use mainstay_retry::{Timeouts, Timers};
use tokio::time::{Instant, Sleep};

/// What is due next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The text has been held long enough.
    Hold,
    /// Nothing came in time.
    Failed(Kind),
}

/// A timer of the runtime's. It may go off too early, and whoever it wakes looks at the limits; so it need not
/// be set anew with every piece that comes.
pub(super) struct Alarm(Pin<Box<Sleep>>);

impl Alarm {
    /// One that goes off then.
    pub(super) fn at(at: Instant) -> Self {
        Self(Box::pin(tokio::time::sleep_until(at)))
    }

    /// Waits until it goes off.
    pub(super) async fn rings(&mut self) {
        self.0.as_mut().await;
    }

    /// Sets it to go off then.
    pub(super) fn set(&mut self, at: Instant) {
        self.0.as_mut().reset(at);
    }

    /// Sees to it that it goes off no later than then.
    pub(super) fn no_later_than(&mut self, at: Instant) {
        if at < self.0.deadline() {
            self.set(at);
        }
    }
}

/// The timers of one attempt.
pub(super) struct Limits {
    timeouts: Timeouts,
    timers: Timers,
    started: Moment,
    time_left: Duration,
    heard: bool,
    hold_time: Duration,
    /// Until when text is held, once there is some and until it is let go.
    held_until: Option<Moment>,
    hold_is_over: bool,
}

impl Limits {
    /// Limits of an attempt that begins now.
    pub(super) fn new(timeouts: &Timeouts, now: Moment, time_left: Duration, hold_time: Duration) -> Self {
        let mut timers = Timers::new(timeouts.clone(), true, now, time_left);
        // The limit for connecting is the connector's own.
        timers.connected(now);
        Self {
            timeouts: timeouts.clone(),
            timers,
            started: now,
            time_left,
            heard: false,
            hold_time,
            held_until: None,
            hold_is_over: false,
        }
    }

    /// Something came from the provider, whatever it holds.
    pub(super) fn bytes(&mut self, now: Moment) {
        self.heard = true;
        self.timers.bytes(now);
    }

    /// Content came.
    pub(super) fn progress(&mut self, now: Moment) {
        self.timers.progress(now);
    }

    /// Visible text came; the hold time counts from the first (behaviour 7.1).
    pub(super) fn text(&mut self, now: Moment) {
        if !self.hold_is_over && self.held_until.is_none() {
            self.held_until = Some(now.after(self.hold_time));
        }
    }

    /// The hold time is over, or there is nothing to hold any more.
    pub(super) fn end_hold(&mut self) {
        self.hold_is_over = true;
        self.held_until = None;
    }

    /// A part of the answer is out: no tier below can take its place, so nothing is kept back for one, and
    /// the attempt may use all that is left of the request's time.
    pub(super) fn all_the_time(&mut self, now: Moment, left: Duration) {
        self.time_left = now.since(self.started).saturating_add(left);
        self.timers = Timers::new(self.timeouts.clone(), true, self.started, self.time_left);
        self.timers.progress(now);
    }

    /// How long the attempt has been under way.
    pub(super) fn age(&self, now: Moment) -> Duration {
        now.since(self.started)
    }

    /// What is due next, and when.
    pub(super) fn next(&self) -> (Moment, Due) {
        let (at, kind) = self.timers.due();
        match self.held_until {
            Some(hold) if hold < at => (hold, Due::Hold),
            Some(_) | None => (at, Due::Failed(kind)),
        }
    }

    /// The limit that fails the attempt if nothing more comes.
    pub(super) fn failing(&self) -> (Moment, Kind) {
        self.timers.due()
    }

    /// The failure that it is when a limit is reached.
    pub(super) fn failure(&self, kind: Kind) -> Failure {
        let (what, limit) = match kind {
            Kind::TimeoutFirstByte if self.heard => ("no first content", self.timeouts.first_content),
            Kind::TimeoutFirstByte => ("no first byte", self.timeouts.first_byte),
            Kind::TimeoutIdle => ("no further content", self.timeouts.idle),
            _ => ("no whole answer", self.time_left),
        };
        Failure::new(kind, format!("{what} within {:.1} s", limit.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: i64) -> Moment {
        Moment::from_secs(1_000 + secs)
    }

    fn limits() -> Limits {
        Limits::new(&Timeouts::default(), at(0), Duration::from_secs(500), Duration::from_secs(3))
    }

    #[test]
    fn the_hold_counts_from_the_first_text_and_once() {
        let mut limits = limits();
        limits.bytes(at(1));
        limits.progress(at(2));
        assert_eq!(limits.next(), (at(32), Due::Failed(Kind::TimeoutIdle)));
        limits.text(at(2));
        limits.text(at(4));
        assert_eq!(limits.next(), (at(5), Due::Hold));
        limits.end_hold();
        limits.text(at(6));
        assert_eq!(limits.next(), (at(32), Due::Failed(Kind::TimeoutIdle)));
    }

    #[test]
    fn what_is_out_may_use_the_time_that_was_kept_for_others() {
        let mut limits =
            Limits::new(&Timeouts::default(), at(0), Duration::from_secs(10), Duration::from_secs(3));
        limits.progress(at(5));
        assert_eq!(limits.next(), (at(10), Due::Failed(Kind::TimeoutTotal)));
        limits.all_the_time(at(5), Duration::from_secs(100));
        assert_eq!(limits.next(), (at(35), Due::Failed(Kind::TimeoutIdle)));
        limits.progress(at(80));
        assert_eq!(limits.next(), (at(105), Due::Failed(Kind::TimeoutTotal)));
    }

    #[test]
    fn a_failure_says_what_did_not_come_and_how_long_that_was_awaited() {
        let mut limits = limits();
        let message = |limits: &Limits, kind| limits.failure(kind).message;
        assert_eq!(message(&limits, Kind::TimeoutFirstByte), "no first byte within 30.0 s");
        limits.bytes(at(1));
        assert_eq!(message(&limits, Kind::TimeoutFirstByte), "no first content within 60.0 s");
        assert_eq!(message(&limits, Kind::TimeoutIdle), "no further content within 30.0 s");
        assert_eq!(message(&limits, Kind::TimeoutTotal), "no whole answer within 500.0 s");
    }
}
