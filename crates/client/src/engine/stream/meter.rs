//! Watches that a stream stays within what was set aside for it (behaviour 8.2a).
//!
//! A provider that keeps to the limit it was sent ends by itself, and is never cut here. One that does not is
//! cut: at once where it counts its tokens as it goes, else when far more text came than that many tokens hold.

use mainstay_canon::{Failure, Kind, WireEvent};

/// Bytes of text that a token has on average, for an answer whose tokens nobody counts.
const BYTES_PER_TOKEN: u64 = 4;
/// How much the estimate may be off before it counts: by half, and by so many tokens.
const SLACK: u64 = 256;

/// Counts what comes against what was set aside.
pub(super) struct Meter {
    /// The output tokens set aside; `None` where no cap holds them.
    set_aside: Option<u64>,
    bytes: u64,
    /// What the provider itself says so far.
    told: u64,
}

impl Meter {
    /// For an attempt with so many output tokens set aside.
    pub(super) fn new(set_aside: Option<u32>) -> Self {
        Self { set_aside: set_aside.map(u64::from), bytes: 0, told: 0 }
    }

    /// Takes an event.
    ///
    /// # Errors
    ///
    /// `BudgetExceeded` when more content comes although what was set aside is used up.
    pub(super) fn count(&mut self, event: &WireEvent) -> Result<(), Failure> {
        let more = match event {
            WireEvent::Text(text) | WireEvent::Reasoning(text) | WireEvent::Refusal(text) => text.len(),
            WireEvent::ToolArguments { delta, .. } => delta.len(),
            WireEvent::Usage(usage) => {
                self.told = self.told.max(usage.completion.unwrap_or(0));
                return Ok(());
            }
            WireEvent::Start { .. }
            | WireEvent::ReasoningBlock(_)
            // Pictures and sounds are not priced by their bytes.
            | WireEvent::Shown(_)
            | WireEvent::ToolStart { .. }
            | WireEvent::ToolEnd { .. }
            | WireEvent::KeepAlive
            | WireEvent::Finish { .. }
            | WireEvent::Extra(_)
            | WireEvent::End => 0,
        };
        self.bytes = self.bytes.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        match self.set_aside {
            Some(set_aside) if more > 0 && self.is_over(set_aside) => {
                let message = format!(
                    "the answer was cut: it went on beyond the {set_aside} tokens that were set aside for it"
                );
                Err(Failure::new(Kind::BudgetExceeded, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn is_over(&self, set_aside: u64) -> bool {
        let far = set_aside.saturating_add(set_aside / 2).saturating_add(SLACK);
        self.told > set_aside || self.bytes / BYTES_PER_TOKEN > far
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::WireUsage;

    fn text(bytes: usize) -> WireEvent {
        WireEvent::Text("x".repeat(bytes))
    }

    fn told(tokens: u64) -> WireEvent {
        WireEvent::Usage(WireUsage { completion: Some(tokens), ..WireUsage::default() })
    }

    #[test]
    fn without_a_cap_nothing_is_cut() {
        let mut meter = Meter::new(None);
        assert!(meter.count(&told(1_000_000)).is_ok() && meter.count(&text(1_000_000)).is_ok());
    }

    #[test]
    fn a_provider_that_counts_is_cut_when_it_goes_on_beyond_its_limit() {
        let mut meter = Meter::new(Some(100));
        assert!(meter.count(&told(100)).is_ok() && meter.count(&text(4)).is_ok());
        assert!(meter.count(&told(101)).is_ok(), "a count alone costs nothing");
        assert_eq!(meter.count(&text(1)).unwrap_err().kind, Kind::BudgetExceeded);
    }

    #[test]
    fn one_that_does_not_count_is_cut_when_the_text_is_far_too_long() {
        let mut meter = Meter::new(Some(1_000));
        assert!(meter.count(&text(4 * 1_400)).is_ok(), "wordy, but may be a thousand tokens");
        assert!(meter.count(&text(4 * 400)).is_err());
    }
}
