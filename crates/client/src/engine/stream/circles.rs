//! Stops a stream that goes round in circles, where `[quality] on_loop = "stop"` wants it (behaviour 4.1).
//!
//! The final pass sees only how an answer ends. Here it is looked at on the way, and a passage that merely
//! repeats itself, such as a table, must not be cut: the circle has to last from one look to the next.

use mainstay_canon::{Answer, Failure, Quality, ReplyEvent, Verdict};
use mainstay_config::OnLoop;

use crate::engine::Engine;

/// Bytes of text between two looks; a look reads twice that, so the work is linear in the stream.
const STEP: usize = 2048;
/// Bytes of text that are kept.
const KEPT: usize = 2 * STEP;

/// The end of the text so far.
pub(super) struct Circles {
    end: String,
    /// Bytes since the last look.
    fresh: usize,
    /// Whether the last look saw a circle.
    seen: bool,
    /// Whether anything is looked at.
    is_on: bool,
}

impl Circles {
    /// Looks only where a looping stream is to be stopped and counts as a failure.
    pub(super) fn new(engine: &Engine) -> Self {
        let stops = engine.config.quality.on_loop == OnLoop::Stop;
        Self::watching(stops && engine.judge.options().is_failure(Quality::Degenerate))
    }

    fn watching(is_on: bool) -> Self {
        Self { end: String::new(), fresh: 0, seen: false, is_on }
    }

    /// Takes an event.
    ///
    /// # Errors
    ///
    /// A bad answer of class `degenerate` when the text goes on in a circle that was seen before. What has
    /// arrived is left to the caller to add.
    pub(super) fn event(&mut self, event: &ReplyEvent) -> Result<(), Failure> {
        let ReplyEvent::Text(text) = event else { return Ok(()) };
        if !self.is_on {
            return Ok(());
        }
        self.end.push_str(text);
        self.fresh += text.len();
        if self.fresh < STEP {
            return Ok(());
        }
        self.fresh = 0;
        let from = self.end.ceil_char_boundary(self.end.len().saturating_sub(KEPT));
        self.end.drain(..from);
        let circles = mainstay_quality::looping(&self.end).is_some();
        if !(circles && std::mem::replace(&mut self.seen, circles)) {
            self.seen = circles;
            return Ok(());
        }
        let mut verdict = Verdict::of(
            Quality::Degenerate,
            "degenerate.stopped",
            "the text went round in circles, and the stream was stopped",
        );
        verdict.is_failure = true;
        let mut failure = Failure::bad(verdict, Answer::default());
        // The leg knows what has arrived.
        failure.answer = None;
        Err(failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes go through before the stream is stopped.
    fn stopped_after(circles: &mut Circles, pieces: impl Iterator<Item = String>) -> Option<usize> {
        let mut bytes = 0;
        for piece in pieces {
            bytes += piece.len();
            if circles.event(&ReplyEvent::Text(piece)).is_err() {
                return Some(bytes);
            }
        }
        None
    }

    fn lines(count: usize) -> impl Iterator<Item = String> {
        (0..count).map(|n| format!("Step {n} looks at part {} of the {}th wall. ", n * 7 % 31, n * n % 97))
    }

    #[test]
    fn a_text_that_goes_round_in_circles_is_stopped_within_a_few_kilobytes() {
        let turns = (0..10_000).map(|_| "And so it goes on. ".to_owned());
        let after = stopped_after(&mut Circles::watching(true), lines(100).chain(turns)).unwrap();
        assert!(after < 20_000, "{after}");
    }

    #[test]
    fn a_passage_that_repeats_itself_for_a_moment_goes_through() {
        let rule = std::iter::once("-".repeat(1500));
        assert_eq!(
            stopped_after(&mut Circles::watching(true), lines(60).chain(rule).chain(lines(200))),
            None
        );
    }

    #[test]
    fn nothing_is_looked_at_or_kept_where_a_loop_is_only_recorded() {
        let mut circles = Circles::watching(false);
        assert_eq!(stopped_after(&mut circles, (0..5000).map(|_| "again and again ".to_owned())), None);
        assert!(circles.end.is_empty());
    }
}
