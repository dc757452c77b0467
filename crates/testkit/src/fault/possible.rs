//! Which faults a dialect can have at all, read off what it spells.

use super::cut::to_finish;
use super::{Fault, broken};
use crate::said::Said;
use crate::server::Seen;
use crate::spell::Spelling;

impl Fault {
    /// Whether an answer of that dialect, streamed or whole, can have this fault. A fault that needs an event, a
    /// line or a field of its own cannot be where there is none.
    pub fn is_possible(&self, spelling: Spelling, stream: bool) -> bool {
        match self {
            Self::ErrorAfterText | Self::NoTerminator(_) | Self::GiantLine(_) => stream,
            Self::Filtered => {
                let body = |said: Said| said.tokens(12, 0).body(spelling, "m");
                body(Said::text("").finish("content_filter")) != body(Said::text(""))
            }
            // A line of JSON is an event; one in many lines is not.
            Self::GiantEvent(_) => stream && spelling != Spelling::Ollama,
            Self::CutBeforeContent => !stream || !Said::text("x").parts(spelling, "m").opening.is_empty(),
            Self::CutInReasoning(_) => shows_thinking(spelling),
            Self::CutInCall(call) => {
                let said = Said { piece: 4, ..Said::call(&call.name, &call.arguments) };
                !stream || said.parts(spelling, "m").content.len() > 2
            }
            Self::CutAfterFinish(text) => {
                let ending = Said::text(text).parts(spelling, "m").ending;
                stream && to_finish(&ending) < ending.len()
            }
            Self::NoChoices => {
                let seen = Seen::of("m", stream);
                broken::no_choices(spelling, &seen) != Said::text("").tokens(12, 0).steps(spelling, &seen)
            }
            // The others need nothing that every answer has not.
            _ => true,
        }
    }
}

fn shows_thinking(spelling: Spelling) -> bool {
    let body = |said: Said| said.body(spelling, "m").to_string();
    body(Said::text("x").thinking("y")) != body(Said::text("x"))
}
