//! The suite: runs every scenario that a dialect can spell through a provider and compares what is heard with what
//! must come out.

use mainstay_canon::{Answer, ChatRequest, Failure, FinishReason, Headers, Kind, RawJson, Tool};
use mainstay_quality::{Arrival, Ask, Judge, JudgeOptions};
use serde_json::Value;

use crate::heard::{PROMPT_ESTIMATE, Speaker, Wire as Told};
use crate::outcome::{Outcome, Said, UNKNOWN_WORD, outcome};
use crate::scenario::{Form, Scenario, Wire};

/// Bytes of a stream up to which it is cut at every place.
const EVERY_CUT: usize = 64 * 1024;

/// Every which byte a stream is broken off at: no divisor of anything that recurs on a wire.
const CUT_SHORT: usize = 3;

/// Bytes in which a long stream arrives, as from a socket.
const PIECE: usize = 64 * 1024;

/// How thoroughly a stream is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// In one piece.
    Once,
    /// Cut at every byte, and broken off at many.
    EveryCut,
}

/// What is wrong with the way in which a speaker reads a wire; nothing where all is well.
pub fn faults(speaker: Speaker, scenario: Scenario, form: Form, wire: &Wire, depth: Depth) -> Vec<String> {
    let headers = Headers::new();
    let mut faults = Vec::new();
    let heard = match form {
        Form::Whole => speaker.read_whole(&headers, &wire.body),
        Form::Error => Err(speaker.read_error(wire.status, &headers, &wire.body)),
        Form::Stream if wire.body.len() > EVERY_CUT => {
            let pieces: Vec<&[u8]> = wire.body.chunks(PIECE).collect();
            let heard = speaker.read_stream(&headers, &pieces);
            faults.extend(heard.wire.keeps_the_laws().err());
            heard.outcome
        }
        Form::Stream => {
            let heard = speaker.read_stream(&headers, &[&wire.body]);
            faults.extend(heard.wire.keeps_the_laws().err());
            if depth == Depth::EveryCut {
                faults.extend(wherever_it_is_cut(speaker, &wire.body, &heard.wire));
                faults.extend(cut_short(speaker, &wire.body, &heard.outcome));
            }
            heard.outcome
        }
    };
    let expected = outcome(scenario);
    if is_foreign_word(speaker, &heard) {
        // The dialect has the word, this provider has not: then it is loud, and that is all there is to say.
        return faults;
    }
    faults.extend(compare(&expected, &heard));
    if form == Form::Error
        && let Err(failure) = &heard
        && failure.status != Some(wire.status)
    {
        faults.push(format!("status {:?} where {} came", failure.status, wire.status));
    }
    if let Outcome::Answer(said) = &expected
        && let Ok(answer) = &heard
    {
        faults.extend(judged(said, answer));
    }
    faults
}

/// Whether a finish word of the dialect is none of this provider's.
fn is_foreign_word(speaker: Speaker, heard: &Result<Answer, Failure>) -> bool {
    let word = heard.as_ref().err().and_then(|failure| failure.finish_reason_raw.as_deref());
    word.is_some_and(|word| word != UNKNOWN_WORD && speaker.provider.meaning(word).is_none())
        && heard.as_ref().is_err_and(|failure| failure.kind == Kind::UnknownFinishReason)
}

/// The events do not depend on where the bytes were cut.
fn wherever_it_is_cut(speaker: Speaker, body: &[u8], whole: &Told) -> Option<String> {
    let headers = Headers::new();
    let meaning = whole.meaning();
    let differs = |pieces: &[&[u8]]| speaker.read_stream(&headers, pieces).wire.meaning() != meaning;
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    if differs(&bytes) {
        return Some("another meaning byte by byte".to_owned());
    }
    let at = (1..body.len()).find(|at| {
        let (a, b) = body.split_at(*at);
        differs(&[a, b])
    })?;
    Some(format!("another meaning when cut at byte {at}"))
}

/// The beginning of a stream is never another whole answer: it is an interruption, the answer that the whole stream
/// is, or a failure that came before.
fn cut_short(speaker: Speaker, body: &[u8], whole: &Result<Answer, Failure>) -> Option<String> {
    (0..body.len()).step_by(CUT_SHORT).find_map(|at| {
        let heard = speaker.read_stream(&Headers::new(), &[&body[..at]]);
        if let Err(law) = heard.wire.keeps_the_laws() {
            return Some(format!("broken off at byte {at}: {law}"));
        }
        let is_fair = match (&heard.outcome, whole) {
            (Ok(cut), Ok(whole)) => {
                let same = (&cut.text, &cut.tool_calls) == (&whole.text, &whole.tool_calls)
                    && cut.finish_reason == whole.finish_reason;
                same || cut.finish_reason == FinishReason::Empty
            }
            (Ok(cut), Err(_)) => cut.finish_reason == FinishReason::Empty,
            (Err(cut), Ok(_)) => cut.kind == Kind::StreamInterrupted,
            (Err(cut), Err(whole)) => [Kind::StreamInterrupted, whole.kind].contains(&cut.kind),
        };
        (!is_fair).then(|| format!("broken off at byte {at} it is {:?}", heard.outcome))
    })
}

fn compare(expected: &Outcome, heard: &Result<Answer, Failure>) -> Vec<String> {
    match (expected, heard) {
        (Outcome::Answer(said), Ok(answer)) => differences(said, answer),
        (Outcome::Answer(_), Err(failure)) => vec![format!("fails: {failure}")],
        (Outcome::Failure(kinds, _), Ok(answer)) => {
            vec![format!("an answer where {kinds:?} is due: {answer:?}")]
        }
        (Outcome::Failure(kinds, said), Err(failure)) => {
            let mut faults = kept(said, failure);
            if !kinds.contains(&failure.kind) {
                faults.push(format!("{failure} where {kinds:?} is due"));
            }
            if kinds.contains(&Kind::UnknownFinishReason)
                && failure.finish_reason_raw.as_deref() != Some(UNKNOWN_WORD)
            {
                faults.push(format!("the unknown word is not kept: {failure:?}"));
            }
            faults
        }
        (Outcome::NoGoodEnd(said), Err(failure)) => {
            let is_fair =
                matches!(failure.kind, Kind::StreamInterrupted | Kind::InvalidResponse | Kind::ServerError);
            let mut faults = kept(said, failure);
            if !is_fair {
                faults.push(format!("{failure} where an interruption is due"));
            }
            faults
        }
        (Outcome::NoGoodEnd(_), Ok(answer)) if answer.finish_reason == FinishReason::Empty => Vec::new(),
        (Outcome::NoGoodEnd(_), Ok(answer)) => vec![format!("taken for whole: {answer:?}")],
    }
}

/// What is kept with a failure is the beginning of what was said, never more.
fn kept(said: &Said, failure: &Failure) -> Vec<String> {
    let Some(answer) = failure.answer.as_deref() else { return Vec::new() };
    let mut faults = Vec::new();
    // An answer over the limit is its own beginning.
    let is_giant = answer.text.starts_with("xxxx");
    if !said.text.starts_with(&answer.text) && !is_giant {
        faults.push(format!("keeps {:?}", answer.text));
    }
    if !said.reasoning.starts_with(answer.reasoning_content.as_deref().unwrap_or_default()) {
        faults.push(format!("keeps the reasoning {:?}", answer.reasoning_content));
    }
    for (at, call) in answer.tool_calls.iter().enumerate() {
        let is_known = said.calls.get(at).is_some_and(|(_, name, arguments)| {
            *name == call.name && squeezed(arguments).starts_with(&squeezed(&call.arguments))
        });
        if !is_known {
            faults.push(format!("keeps the call {call:?}"));
        }
    }
    faults
}

fn squeezed(json: &str) -> String {
    json.split_whitespace().collect()
}

fn differences(said: &Said, answer: &Answer) -> Vec<String> {
    let mut faults = Vec::new();
    let mut same = |what: &str, got: &dyn std::fmt::Debug, wanted: &dyn std::fmt::Debug| {
        let (got, wanted) = (format!("{got:?}"), format!("{wanted:?}"));
        if got != wanted {
            faults.push(format!("{what}: {got} where {wanted} is due"));
        }
    };
    same("text", &answer.text, &said.text);
    same("reasoning", &answer.reasoning_content.as_deref().unwrap_or_default(), &said.reasoning);
    same("reason", &Some(answer.finish_reason), &said.reason);
    same("stop text", &answer.stop_sequence.as_deref(), &said.stop_sequence);
    same("prohibited", &answer.prompt_prohibited, &said.prohibited);
    same("context full", &answer.context_full, &said.context_full);
    same("refusal", &answer.refusal.as_deref().unwrap_or_default(), &said.refusal);
    same("number of calls", &answer.tool_calls.len(), &said.calls.len());
    for (call, (id, name, arguments)) in answer.tool_calls.iter().zip(&said.calls) {
        same("tool", &call.name, name);
        if id.is_empty() {
            same("an id", &call.id.is_empty(), &false);
        } else {
            same("id", &call.id, id);
        }
        match serde_json::from_str::<Value>(arguments) {
            Ok(value) => {
                same("arguments", &serde_json::from_str::<Value>(&call.arguments).ok(), &Some(value));
            }
            // Half of it, up to any place.
            Err(_) => same(
                "half of the arguments",
                &(serde_json::from_str::<Value>(&call.arguments).is_err()
                    && squeezed(&call.arguments).starts_with(&squeezed(arguments))),
                &true,
            ),
        }
    }
    let usage = answer.usage;
    match said.counts {
        Some(counts) => {
            same("counts", &(usage.prompt, usage.completion, usage.cached, usage.reasoning), &counts);
            same("estimated", &usage.estimated, &false);
        }
        None if said.quality == Some(mainstay_canon::Quality::Empty) => {}
        None => {
            same("estimated", &usage.estimated, &true);
            same("prompt", &usage.prompt, &PROMPT_ESTIMATE);
        }
    }
    if let Some(signature) = said.signature {
        let is_kept = answer.reasoning_blocks.iter().any(|block| block.raw.text().contains(signature));
        same("signature kept", &is_kept, &true);
    }
    faults
}

fn judged(said: &Said, answer: &Answer) -> Option<String> {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}}}"#;
    let schema = RawJson::parse(schema).ok()?;
    let request = ChatRequest::user("What is the weather?").tool(Tool::function("weather", "", schema));
    let judge = Judge::new(JudgeOptions::default()).ok()?;
    let verdict = judge.judge(&Ask::of(&request), answer, Arrival::Complete).verdict;
    (Some(verdict.quality) != said.quality)
        .then(|| format!("judged {} ({}) where {:?} is due", verdict.quality, verdict.rule, said.quality))
}
