//! All recorded replies, through the right provider and the normalizer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fmt::Write as _;

use mainstay_canon::{Answer, Failure, Kind};
use mainstay_conformance::corpus::{SPOKEN, UNSPOKEN, differences, headers, reason, speaker, word};
use mainstay_conformance::heard::{Heard, NOW, Speaker};
use mainstay_testkit::{Recording, corpus};

/// Recorded finish words that are no ending, and what they are. `complete` was written by hand: no table knows it.
const NO_ENDING: [(&str, Kind); 4] = [
    ("queued", Kind::StreamInterrupted),
    ("complete", Kind::UnknownFinishReason),
    ("UNEXPECTED_TOOL_CALL", Kind::MalformedToolCall),
    ("failed", Kind::QuotaExhausted),
];

/// How many recorded rate limits have both their headers, and how many replies have an id.
const HEADERS: (usize, usize) = (339, 183);

#[test]
fn every_recorded_reply_comes_out_as_it_was_recorded() {
    let mut table =
        format!("{:20} {:>8} {:>8} {:>8}  {}\n", "file", "entries", "streams", "errors", "spoken");
    let mut wrong = Vec::new();
    for (file, dialect, entries, streams) in SPOKEN {
        let recordings = corpus(file).unwrap();
        if recordings.is_empty() {
            return;
        }
        let mut errors = 0;
        for recording in &recordings {
            let speaker = speaker(recording, dialect);
            assert_eq!(speaker.upstream.dialect(), dialect);
            errors += usize::from(recording.status >= 400);
            let faults = check(recording, speaker);
            wrong.extend(
                faults.into_iter().map(|fault| format!("{file} {} {speaker:?}: {fault}", recording.id)),
            );
        }
        let streamed = recordings.iter().filter(|recording| recording.stream).count();
        writeln!(table, "{file:20} {:8} {streamed:8} {errors:8}  yes", recordings.len()).unwrap();
        assert_eq!((recordings.len(), streamed), (entries, streams), "{file}: the recordings are others");
    }
    for (file, entries) in UNSPOKEN {
        let recordings = corpus(file).unwrap();
        writeln!(table, "{file:20} {:8} {:8} {:8}  not yet", recordings.len(), "", "").unwrap();
        assert_eq!(recordings.len(), entries, "{file}: the recordings are others");
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_file_of_recordings_is_left_out() {
    let Some(folder) = mainstay_testkit::shared_dir().unwrap() else { return };
    let mut files: Vec<String> = std::fs::read_dir(folder.join("corpus"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".jsonl.gz").map(str::to_owned))
        .collect();
    files.sort();
    let mut named: Vec<&str> =
        SPOKEN.iter().map(|row| row.0).chain(UNSPOKEN.iter().map(|row| row.0)).collect();
    named.sort_unstable();
    assert_eq!(files, named);
}

fn check(recording: &Recording, speaker: Speaker) -> Vec<String> {
    let body = recording.body.as_deref().expect("a spoken dialect is text").as_bytes();
    let headers = headers(recording);
    if recording.status >= 400 {
        return check_failure(recording, &speaker.read_error(recording.status, &headers, body));
    }
    if !recording.stream {
        return check_outcome(recording, &speaker.read_whole(&headers, body));
    }
    let whole = speaker.read_stream(&headers, &[body]);
    let mut faults = check_outcome(recording, &whole.outcome);
    faults.extend(whole.wire.keeps_the_laws().err());
    for (what, pieces) in cuts(body) {
        let cut = speaker.read_stream(&headers, &pieces);
        if cut.wire.meaning() != whole.wire.meaning() || !same_outcome(&cut, &whole) {
            faults.push(format!("another answer when {what}"));
        }
    }
    faults
}

fn same_outcome(one: &Heard, other: &Heard) -> bool {
    match (&one.outcome, &other.outcome) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => (one.kind, &one.answer) == (other.kind, &other.answer),
        _ => false,
    }
}

/// A stream in two pieces at some places, and in many.
fn cuts(body: &[u8]) -> Vec<(String, Vec<&[u8]>)> {
    let places = (1..body.len()).step_by((body.len() / 12).max(1));
    let in_two = places.map(|at| {
        let (a, b) = body.split_at(at);
        (format!("cut at byte {at}"), vec![a, b])
    });
    in_two.chain([("in pieces of 7 bytes".to_owned(), body.chunks(7).collect())]).collect()
}

fn check_outcome(recording: &Recording, outcome: &Result<Answer, Failure>) -> Vec<String> {
    let expected =
        recording.expected.as_ref().expect("every entry of a spoken dialect says what is expected");
    match outcome {
        Ok(_) if expected.get("error").is_some() => vec!["an error is taken for an answer".to_owned()],
        Ok(answer) => differences(recording, answer),
        Err(failure) if reason(expected).is_none() => {
            let word = word(expected).unwrap_or_default();
            let kind = NO_ENDING.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
            if kind == Some(failure.kind) { Vec::new() } else { vec![format!("{word} is {failure}")] }
        }
        Err(failure) => check_failure(recording, failure),
    }
}

fn check_failure(recording: &Recording, failure: &Failure) -> Vec<String> {
    let error = &recording.expected.as_ref().expect("as above")["error"];
    if error.is_null() {
        return vec![format!("a good answer fails: {failure}")];
    }
    // A key in the message is taken out, and a long message is cut.
    let said = error["message"].as_str().unwrap_or_default().split("sk-").next().unwrap_or_default();
    let head: String = said.chars().take(40).collect();
    let mut faults = Vec::new();
    if !failure.message.starts_with(&head) {
        faults.push(format!("says {:?}, recorded was {said:?}", failure.message));
    }
    let fitting: &[Kind] =
        match recording.whole["features"].as_array().into_iter().flatten().find_map(|tag| {
            ["auth_error", "rate_limit", "context_overflow"].into_iter().find(|known| tag == known)
        }) {
            Some("auth_error") => &[Kind::Auth, Kind::Permission],
            Some("rate_limit") => &[Kind::RateLimited, Kind::QuotaExhausted],
            Some("context_overflow") => &[Kind::ContextLength],
            _ => &[],
        };
    if !fitting.is_empty() && !fitting.contains(&failure.kind) {
        faults.push(format!("is {} where one of {fitting:?} was recorded", failure.kind));
    }
    if failure.status.is_none_or(|status| status < 400) {
        faults.push(format!("has no status of an error: {failure}"));
    }
    faults
}

#[test]
fn every_recorded_rate_limit_and_id_of_a_call_is_read() {
    let mut wrong = Vec::new();
    let (mut limits, mut ids) = (0, 0);
    for (file, dialect, ..) in SPOKEN {
        for recording in &corpus(file).unwrap() {
            let (provider, headers) = (speaker(recording, dialect).provider, headers(recording));
            // What is left says something only beside a moment at which it is full again.
            let resets = |name: &str| headers.get(&name.replace("remaining", "reset")).is_some();
            let told = headers.iter().filter(|(name, _)| name.contains("remaining") && resets(name)).count();
            let read = provider.remaining(&headers, NOW).count();
            limits += told;
            if told != read {
                wrong.push(format!(
                    "{file} {} {}: {read} of {told} limits are read",
                    recording.id, provider.id
                ));
            }
            let has_id = headers.iter().any(|(name, value)| !value.is_empty() && names_a_call(name));
            ids += usize::from(has_id);
            if has_id && provider.request_id(&headers).is_none() {
                wrong.push(format!("{file} {} {}: its id is not read", recording.id, provider.id));
            }
        }
    }
    println!("{limits} rate limits, {ids} ids of calls");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
    assert!(limits == 0 || (limits, ids) == HEADERS, "the recordings are others: {limits}, {ids}");
}

fn names_a_call(name: &str) -> bool {
    ["request-id", "trace-id", "correlation-id"]
        .iter()
        .any(|ending| name.to_ascii_lowercase().ends_with(ending))
}
