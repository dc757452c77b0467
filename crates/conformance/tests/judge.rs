//! All recorded good answers before the judge: none is called anything but what it is.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::collections::BTreeMap;

use mainstay_canon::{Answer, ChatRequest, Quality, ReplyEvent, ResponseFormat, Verdict};
use mainstay_conformance::corpus::{SPOKEN, has, headers, reason, speaker};
use mainstay_conformance::heard::Speaker;
use mainstay_conformance::recorded_request::request;
use mainstay_quality::{Arrival, Ask, Hold, HoldOptions, Judge, JudgeOptions};
use mainstay_testkit::{Recording, corpus};
use serde_json::Value;

/// Recordings that the judge calls otherwise than [`class`] does, each with what it says and why that stands.
const EXCEPTIONS: &[(&str, Quality, &str)] = &[(
    "664d51a1577e",
    Quality::Ok,
    "it cannot see the picture and asks for its description: only noted as a possible refusal",
)];

/// Recorded texts that decline what was asked, read by a person; the recordings do not tell.
const DECLINED: [&str; 4] = ["aeb41de2bc50", "aee1a94169f1", "2a746915617c", "664d51a1577e"];

/// How many good answers there are.
const ANSWERS: usize = 923;

/// The class of a recorded good answer, by the recording alone. In the order in which behaviour 4.1 decides:
/// a filter, broken calls, calls, nothing visible (cut, only thought, empty), the provider's own word for a refusal,
/// a cut; the rest is ok.
fn class(recording: &Recording, asked: &ChatRequest) -> Quality {
    let expected = recording.expected.as_ref().unwrap();
    let calls = expected["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let said = |name: &str| expected[name].as_str().is_some_and(|text| !text.trim().is_empty());
    let is_cut = expected["finish_reason_raw"]
        .as_str()
        .is_some_and(|word| word.to_lowercase().contains("length") || word.to_lowercase().contains("max"));
    let is_refused = said("refusal_text") || expected["finish_reason_raw"] == "refusal";
    if has(recording, "content_filter") {
        return Quality::Filtered;
    }
    if !calls.is_empty() {
        return if calls.iter().any(|call| is_broken(call, is_cut)) {
            Quality::MalformedToolCall
        } else {
            Quality::Ok
        };
    }
    if is_refused {
        return Quality::Refusal;
    }
    let text = visible(expected["text"].as_str().unwrap_or_default());
    if text.is_empty() {
        let drew = expected["server_tools"]
            .as_array()
            .is_some_and(|tools| tools.iter().any(|tool| tool == "image_generation_call"));
        return match (is_cut, thought(recording)) {
            (true, _) => Quality::TruncatedEmpty,
            (false, _) if drew => Quality::Ok,
            (false, true) => Quality::ReasoningOnly,
            (false, false) => Quality::Empty,
        };
    }
    if DECLINED.contains(&recording.id.as_str()) {
        return Quality::Refusal;
    }
    // A bare model that goes on after its own turn.
    if text.contains("<|im_end|>") {
        return Quality::Degenerate;
    }
    let is_json_wanted = asked.response_format != ResponseFormat::Text;
    match is_cut {
        _ if is_json_wanted && !is_json(text) => Quality::SchemaMismatch,
        true => Quality::Truncated,
        false => Quality::Ok,
    }
}

/// What is left of a text when thinking that leaked into it is taken away.
fn visible(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix("<think>") {
        Some(thinking) => thinking.split_once("</think>").map_or("", |(_, rest)| rest.trim()),
        None => text,
    }
}

/// Whether a text is JSON, in a fence or not.
fn is_json(text: &str) -> bool {
    let inside = text.trim().trim_start_matches("```json").trim_matches('`').trim();
    serde_json::from_str::<Value>(inside).is_ok()
}

/// Arguments that are no JSON. Blank ones of a whole answer mean none, and free text is no JSON by design.
fn is_broken(call: &Value, is_cut: bool) -> bool {
    let is_blank = call["arguments_raw"].as_str().is_some_and(|text| text.trim().is_empty());
    call["arguments_valid"] == false && call["custom"] != true && (is_cut || !is_blank)
}

/// Whether reasoning came, in text or sealed.
fn thought(recording: &Recording) -> bool {
    let expected = recording.expected.as_ref().unwrap();
    let is_readable = expected["reasoning_text"].as_str().is_some_and(|text| !text.trim().is_empty());
    let body = recording.body.as_deref().unwrap_or_default();
    let is_sealed = [
        "\"encrypted_content\":\"",
        "\"signature\":\"",
        "redacted_thinking",
        "reasoning.encrypted",
        "thoughtSignature",
    ];
    is_readable || is_sealed.iter().any(|mark| body.contains(mark))
}

fn is_good(recording: &Recording) -> bool {
    let expected = recording.expected.as_ref().unwrap();
    recording.status == 200 && expected.get("error").is_none() && reason(expected).is_some()
}

/// The answer, and its pieces: those that came, or for a whole one its text in short ones.
fn read(recording: &Recording, speaker: Speaker) -> (Answer, Vec<ReplyEvent>) {
    let body = recording.body.as_deref().unwrap().as_bytes();
    let headers = headers(recording);
    if recording.stream {
        let heard = speaker.read_stream(&headers, &[body]);
        return (heard.outcome.unwrap(), heard.events);
    }
    let answer = speaker.read_whole(&headers, body).unwrap();
    let events = in_pieces(&answer);
    (answer, events)
}

fn in_pieces(answer: &Answer) -> Vec<ReplyEvent> {
    let mut events = vec![ReplyEvent::Start { id: answer.id.clone(), model: answer.model.clone() }];
    events.extend(answer.reasoning_content.clone().map(ReplyEvent::Reasoning));
    let letters: Vec<char> = answer.text.chars().collect();
    events.extend(letters.chunks(5).map(|piece| ReplyEvent::Text(piece.iter().collect())));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        let (id, name, extra) = (call.id.clone(), call.name.clone(), call.extra.clone());
        events.push(ReplyEvent::ToolStart { index, id, name, extra });
        events.push(ReplyEvent::ToolArguments { index, delta: call.arguments.clone() });
        events.push(ReplyEvent::ToolEnd { index });
    }
    events
}

#[test]
fn no_recorded_good_answer_is_judged_anything_but_what_it_is() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let (mut classes, mut wrong, mut used) = (BTreeMap::<Quality, usize>::new(), Vec::new(), Vec::new());
    for (file, dialect, ..) in SPOKEN {
        for recording in corpus(file).unwrap().iter().filter(|recording| is_good(recording)) {
            let asked = request(recording, dialect);
            let ask = Ask::of(&asked);
            let (answer, events) = read(recording, speaker(recording, dialect));
            let verdict = judge.judge(&ask, &answer, Arrival::Complete).verdict;
            let expected = class(recording, &asked);
            *classes.entry(expected).or_default() += 1;
            let exception = EXCEPTIONS.iter().find(|(id, ..)| *id == recording.id);
            used.extend(exception.map(|(id, ..)| *id));
            let wanted = exception.map_or(expected, |(_, quality, _)| *quality);
            if verdict.quality != wanted {
                wrong.push(told(file, recording, &asked, &answer, &verdict, wanted));
            }
            let mut watch = judge.watch(&ask, HoldOptions::default());
            let was_shown = events.iter().any(|event| watch.event(event) == Hold::Release);
            if verdict.is_failure && was_shown && shows_at_once(expected) {
                wrong.push(format!("{file} {}: shown although it is {}", recording.id, verdict.quality));
            }
        }
    }
    let total: usize = classes.values().sum();
    if total == 0 {
        return;
    }
    println!("{total} answers: {classes:?}, {} exceptions", EXCEPTIONS.len());
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(total, ANSWERS, "the recordings are others");
    assert_eq!(used.len(), EXCEPTIONS.len(), "an exception is about no recording");
}

/// Classes that the beginning of an answer already tells, so that nothing of it may be shown.
const fn shows_at_once(quality: Quality) -> bool {
    match quality {
        Quality::Empty
        | Quality::TruncatedEmpty
        | Quality::ReasoningOnly
        | Quality::SuspiciouslyShort
        | Quality::Refusal
        | Quality::Filtered => true,
        // Calls are held by themselves; the text before them flows.
        Quality::Ok
        | Quality::Truncated
        | Quality::Paused
        | Quality::MalformedToolCall
        | Quality::SchemaMismatch
        | Quality::Degenerate
        | Quality::Interrupted => false,
    }
}

fn told(
    file: &str,
    recording: &Recording,
    asked: &ChatRequest,
    answer: &Answer,
    verdict: &Verdict,
    wanted: Quality,
) -> String {
    let short = |text: &str| text.chars().take(120).collect::<String>();
    let prompt = short(Ask::of(asked).prompt);
    format!(
        "{file} {}{}: {} ({}, {}) where {wanted} is right: {prompt:?} -> {:?} {:?}",
        recording.id,
        if recording.whole["hand_made"] == true { " (made by hand)" } else { "" },
        verdict.quality,
        verdict.rule,
        short(&verdict.detail),
        short(&answer.text),
        answer.tool_calls.iter().map(|call| short(&call.arguments)).collect::<Vec<_>>(),
    )
}
