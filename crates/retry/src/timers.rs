//! The limits of one attempt, run on semantic progress (behaviour 5.3a).
//!
//! Knows no clock: the caller says when something happened and asks what would be due when.

use std::time::Duration;

use mainstay_canon::{Kind, Moment, WireEvent};

use crate::Timeouts;

/// Whether an event of a stream is progress. Signs of life, an empty delta, a role, an id or a token count
/// are not; reasoning is.
pub const fn is_progress(event: &WireEvent) -> bool {
    match event {
        WireEvent::Text(text) | WireEvent::Reasoning(text) | WireEvent::Refusal(text) => !text.is_empty(),
        WireEvent::ToolArguments { delta, .. } => !delta.is_empty(),
        WireEvent::ReasoningBlock(_)
        | WireEvent::Shown(_)
        | WireEvent::ToolStart { .. }
        | WireEvent::ToolEnd { .. }
        | WireEvent::Finish { .. } => true,
        // Hosts send extras beside empty deltas for as long as they like: were they progress, a silent model would
        // never be idle.
        WireEvent::Start { .. }
        | WireEvent::KeepAlive
        | WireEvent::Usage(_)
        | WireEvent::Extra(_)
        | WireEvent::End => false,
    }
}

/// The limits that run while one attempt is under way.
///
/// Tell it what happens ([`connected`](Self::connected), [`bytes`](Self::bytes),
/// [`progress`](Self::progress)); ask it what is [`due`](Self::due) next.
#[derive(Clone, Debug)]
pub struct Timers {
    timeouts: Timeouts,
    stream: bool,
    started: Moment,
    time_left: Duration,
    connected: Option<Moment>,
    bytes: Option<Moment>,
    progress: Option<Moment>,
}

impl Timers {
    /// Limits for an attempt that starts now and may use no more than `time_left`.
    pub fn new(timeouts: Timeouts, stream: bool, started: Moment, time_left: Duration) -> Self {
        Self { timeouts, stream, started, time_left, connected: None, bytes: None, progress: None }
    }

    /// The connection stands; a pooled one stands from the start.
    pub fn connected(&mut self, now: Moment) {
        self.connected.get_or_insert(now);
    }

    /// Some bytes came: of the head or of the body, whatever they hold.
    pub fn bytes(&mut self, now: Moment) {
        self.connected(now);
        self.bytes = Some(now);
    }

    /// Content came, as [`is_progress`] has it.
    pub fn progress(&mut self, now: Moment) {
        self.bytes(now);
        self.progress = Some(now);
    }

    /// The limit that is reached first if nothing more happens, and the failure that it would be.
    pub fn due(&self) -> (Moment, Kind) {
        // The request's own time comes first in a tie: then nobody is to blame.
        let mut first = (self.started.after(self.time_left), Kind::TimeoutTotal);
        for (limit, kind) in [self.phase_limit(), self.whole_limit()].into_iter().flatten() {
            if limit < first.0 {
                first = (limit, kind);
            }
        }
        first
    }

    /// The failure whose limit has been reached by now.
    pub fn expired(&self, now: Moment) -> Option<Kind> {
        let (limit, kind) = self.due();
        (now >= limit).then_some(kind)
    }

    /// What the present phase waits for.
    fn phase_limit(&self) -> Option<(Moment, Kind)> {
        let Some(connected) = self.connected else {
            return Some((self.started.after(self.timeouts.connect), Kind::Connect));
        };
        if self.stream {
            return Some(self.stream_limit(connected));
        }
        match self.bytes {
            Some(bytes) => Some((bytes.after(self.timeouts.idle), Kind::TimeoutIdle)),
            None => {
                self.timeouts.whole_first_byte.map(|limit| (connected.after(limit), Kind::TimeoutFirstByte))
            }
        }
    }

    fn stream_limit(&self, connected: Moment) -> (Moment, Kind) {
        if let Some(progress) = self.progress {
            return (progress.after(self.timeouts.idle), Kind::TimeoutIdle);
        }
        let content = self.timeouts.first_content;
        let limit = if self.bytes.is_some() { content } else { content.min(self.timeouts.first_byte) };
        (connected.after(limit), Kind::TimeoutFirstByte)
    }

    /// What bounds a whole answer from sending to its last byte.
    fn whole_limit(&self) -> Option<(Moment, Kind)> {
        (!self.stream).then(|| (self.started.after(self.timeouts.answer), Kind::TimeoutTotal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: i64) -> Moment {
        Moment::from_secs(secs)
    }

    fn timers(stream: bool) -> Timers {
        Timers::new(Timeouts::default(), stream, at(0), Duration::from_secs(500))
    }

    #[test]
    fn a_stream_is_limited_phase_by_phase() {
        let mut timers = timers(true);
        assert_eq!(timers.due(), (at(5), Kind::Connect));
        timers.connected(at(1));
        assert_eq!(timers.due(), (at(31), Kind::TimeoutFirstByte));
        timers.bytes(at(20));
        assert_eq!(timers.due(), (at(61), Kind::TimeoutFirstByte));
        timers.progress(at(40));
        assert_eq!(timers.due(), (at(70), Kind::TimeoutIdle));
    }

    #[test]
    fn comments_do_not_keep_a_silent_stream_alive() {
        let mut timers = timers(true);
        timers.progress(at(10));
        for second in 11..45 {
            timers.bytes(at(second));
        }
        assert_eq!(timers.expired(at(39)), None);
        assert_eq!(timers.expired(at(40)), Some(Kind::TimeoutIdle));
    }

    #[test]
    fn a_whole_answer_has_no_first_byte_limit_unless_set_by_hand() {
        let mut timers = timers(false);
        timers.connected(at(1));
        assert_eq!(timers.due(), (at(240), Kind::TimeoutTotal));
        timers.bytes(at(100));
        assert_eq!(timers.due(), (at(130), Kind::TimeoutIdle));

        let by_hand = Timeouts { whole_first_byte: Some(Duration::from_secs(9)), ..Timeouts::default() };
        let mut timers = Timers::new(by_hand, false, at(0), Duration::from_secs(500));
        timers.connected(at(1));
        assert_eq!(timers.due(), (at(10), Kind::TimeoutFirstByte));
    }

    #[test]
    fn the_requests_own_time_bounds_every_phase() {
        let mut timers = Timers::new(Timeouts::default(), true, at(0), Duration::from_secs(3));
        assert_eq!(timers.due(), (at(3), Kind::TimeoutTotal));
        timers.progress(at(2));
        assert_eq!(timers.due(), (at(3), Kind::TimeoutTotal));
    }

    #[test]
    fn a_long_stream_that_keeps_flowing_is_not_cut_by_the_limit_for_whole_answers() {
        let mut timers = timers(true);
        for second in (0..400).step_by(10) {
            timers.progress(at(second));
            assert_eq!(timers.expired(at(second + 9)), None);
        }
    }

    #[test]
    fn only_content_is_progress() {
        let text = |text: &str| WireEvent::Text(text.into());
        assert!(is_progress(&text("a")) && is_progress(&WireEvent::Reasoning("hm".into())));
        assert!(!is_progress(&text("")) && !is_progress(&WireEvent::KeepAlive));
        assert!(!is_progress(&WireEvent::Start { id: None, model: None }));
        assert!(!is_progress(&WireEvent::ToolArguments { index: 0, delta: String::new() }));
    }
}
