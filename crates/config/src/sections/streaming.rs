//! `[streaming]`: what is held back, and what follows a break (behaviour 7).

use std::time::Duration;

use mainstay_quality::{HoldMode, HoldOptions};

use crate::report::Report;
use crate::table::Section;

/// How streams are handed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streaming {
    /// What is held back before release.
    pub mode: HoldMode,
    /// Most text that is held back in `prefix` mode, in characters.
    pub hold_chars: usize,
    /// Longest time that text is held back, from the first text on.
    pub hold_time: Duration,
    /// Whether tool calls are held until they are whole.
    pub hold_tool_calls: bool,
    /// Whether reasoning is let through at once.
    pub live_reasoning: bool,
    /// What follows when a stream breaks after release.
    pub on_interrupt: OnInterrupt,
    /// How often the caller gets a sign of life while nothing flows.
    pub keepalive: Duration,
}

impl Streaming {
    /// What the watch over a stream's beginning needs to know.
    pub const fn hold_options(&self) -> HoldOptions {
        HoldOptions {
            mode: self.mode,
            chars: self.hold_chars,
            live_reasoning: self.live_reasoning,
            hold_tool_calls: self.hold_tool_calls,
        }
    }
}

/// What follows when a stream breaks after release (behaviour 7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInterrupt {
    /// The same provider and model continue the text.
    Continue,
    /// Another tier may continue it.
    ContinueAny,
    /// The caller is told.
    Error,
}

/// Reads the section.
pub(crate) fn read(mut section: Section<'_, '_>, report: &mut Report<'_>) -> Streaming {
    let s = &mut section;
    let streaming = Streaming {
        mode: s
            .choice(
                report,
                "mode",
                &[("prefix", HoldMode::Prefix), ("buffer", HoldMode::Buffer), ("live", HoldMode::Live)],
            )
            .map_or(HoldMode::Prefix, |word| word.value),
        hold_chars: s
            .number(report, "hold_chars", 1..=10_000)
            .and_then(|number| usize::try_from(number.value).ok())
            .unwrap_or(80),
        hold_time: s.time_limit(report, "hold_time").map_or(Duration::from_secs(3), |d| d.value),
        hold_tool_calls: s.flag(report, "hold_tool_calls").is_none_or(|flag| flag.value),
        live_reasoning: s
            .choice(report, "reasoning", &[("held", false), ("live", true)])
            .is_some_and(|word| word.value),
        on_interrupt: s
            .choice(
                report,
                "on_interrupt",
                &[
                    ("continue", OnInterrupt::Continue),
                    ("continue_any", OnInterrupt::ContinueAny),
                    ("error", OnInterrupt::Error),
                ],
            )
            .map_or(OnInterrupt::Continue, |word| word.value),
        keepalive: s.time_limit(report, "keepalive").map_or(Duration::from_secs(10), |d| d.value),
    };
    section.close(report);
    streaming
}
