//! The final pass over a streamed answer (behaviour 7.3): a whole one, or the rest of one that broke off.

use mainstay_canon::{Answer, Quality, ToolCall, Verdict};
use mainstay_quality::Arrival;

use super::carried::Carried;
use crate::engine::trip::Trip;

/// What was found about an answer, and what may be handed over in its place.
pub(super) struct Final {
    pub(super) verdict: Verdict,
    /// Its text without what the judge took away.
    pub(super) text: Option<String>,
    /// Its calls, repaired.
    pub(super) calls: Option<Vec<ToolCall>>,
}

/// Judges an answer that stands by itself.
pub(super) fn whole(trip: &Trip, answer: &Answer) -> Final {
    let judged = trip.engine.judge.judge(&trip.ask(), answer, Arrival::Complete);
    if trip.engine.only_observes() {
        return Final { verdict: judged.verdict, text: None, calls: None };
    }
    Final { verdict: judged.verdict, text: judged.repaired, calls: judged.repaired_calls }
}

/// Judges the rest of an answer that broke off; `new` is what of it was not said before.
///
/// Whether the model refuses to go on, or says nothing, is seen in the rest alone; whether the answer is a
/// good one, only in the whole.
pub(super) fn rest(trip: &Trip, rest: &Answer, new: &str, carried: &Carried) -> Final {
    let judge = |answer: &Answer| trip.engine.judge.judge(&trip.ask(), answer, Arrival::Complete).verdict;
    let own = judge(rest);
    let says_nothing = new.trim().is_empty() && rest.tool_calls.is_empty();
    let verdict = if own.is_failure && (says_nothing || is_no_continuation(own.quality)) {
        own
    } else {
        judge(&carried.completed_by(rest.clone(), new))
    };
    Final { verdict, text: None, calls: None }
}

/// JSON that has to be repaired but was streamed before that could be known.
pub(super) const fn too_late() -> Verdict {
    Verdict::of(
        Quality::SchemaMismatch,
        "schema_mismatch.streamed",
        "JSON only after a repair, and it had been streamed by then",
    )
}

/// Whether an answer of that class does not go on with another.
const fn is_no_continuation(quality: Quality) -> bool {
    match quality {
        Quality::Refusal
        | Quality::Filtered
        | Quality::MalformedToolCall
        | Quality::TruncatedEmpty
        | Quality::ReasoningOnly
        | Quality::Interrupted => true,
        Quality::Ok
        | Quality::Empty
        | Quality::Truncated
        | Quality::Paused
        | Quality::SuspiciouslyShort
        | Quality::SchemaMismatch
        | Quality::Degenerate => false,
    }
}
