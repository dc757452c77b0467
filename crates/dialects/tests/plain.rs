//! The quick reading of plain events says what the lenient one says.
//!
//! An event is sent to the lenient reading by a member that nobody knows, with an escape in its name. Everything else
//! of it stays as it was, so both must tell the same.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use mainstay_canon::{Kind, RawJson, WireEvent};
use mainstay_dialects::Upstream;
use serde_json::Value;

#[path = "../benches/reading/streams.rs"]
mod streams;

/// The member that the quick reading gives up on and the lenient one passes over.
const ODD: &str = r#""\u005f":null,"#;

/// What is told of these events. A failure's message may name a column, which is not the same.
fn told(upstream: &dyn Upstream, events: &[String]) -> (Vec<WireEvent>, Option<(Kind, Option<u16>)>) {
    let mut reader = upstream.read_stream();
    let mut out = Vec::new();
    let mut outcome = Ok(());
    for event in events {
        outcome = outcome.and_then(|()| reader.push(event.as_bytes(), &mut out));
    }
    outcome = outcome.and_then(|()| reader.close(&mut out));
    out.iter_mut().for_each(without_odd);
    (out, outcome.err().map(|failure| (failure.kind, failure.status)))
}

/// Events that are passed on whole hold the odd member, too.
fn without_odd(event: &mut WireEvent) {
    if let WireEvent::Extra(piece) = event {
        let clean = |raw: &RawJson| RawJson::parse(raw.text().replace(ODD, "")).unwrap();
        piece.members = piece.members.iter().map(|(name, raw)| (name.to_owned(), clean(raw))).collect();
    }
}

/// The event as only the lenient reading takes it; nothing where it holds no object with a member.
fn odd(event: &str) -> Option<String> {
    let at = event.find('{')? + 1;
    let has_member = event[at..].trim_start().starts_with('"');
    has_member.then(|| format!("{}{ODD}{}", &event[..at], &event[at..]))
}

/// Holds the two readings of one stream against each other.
fn check(upstream: &dyn Upstream, events: &[String], what: &str) {
    let lenient: Vec<String> =
        events.iter().map(|event| odd(event).unwrap_or_else(|| event.clone())).collect();
    assert_eq!(told(upstream, events), told(upstream, &lenient), "{what}: {events:?}");
}

#[test]
fn plain_streams_are_read_the_same() {
    for stream in &streams::all(100) {
        check(stream.upstream, &stream.events, stream.dialect);
        let (events, failure) = told(stream.upstream, &stream.events);
        let texts = events.iter().filter_map(|event| match event {
            WireEvent::Text(text) => Some(text.as_str()),
            _ => None,
        });
        assert_eq!((texts.collect::<String>(), failure), (stream.text.clone(), None), "{}", stream.dialect);
    }
}

/// Members and values that other servers send, as they stand in an event of some dialect.
const ODDITIES: [(&str, &str); 24] = [
    (r#""usage":null"#, r#""usage":{"prompt_tokens":3}"#),
    (r#""logprobs":null"#, r#""logprobs":{"content":[{"token":"a"}]}"#),
    (r#""logprobs":[]"#, r#""logprobs":[{"token":"a","logprob":-0.5}]"#),
    (r#""finish_reason":null"#, r#""finish_reason":"stop""#),
    (
        r#""finish_reason":null"#,
        r#""finish_reason":null,"content_filter_results":{"hate":{"filtered":false}}"#,
    ),
    (r#""finish_reason":null"#, r#""finish_reason":null,"content_filter_results":{"list":["x"]}"#),
    (r#""system_fingerprint":"fp_3c1b7e90aa""#, r#""system_fingerprint":null"#),
    (r#""service_tier":"default""#, r#""service_tier":"flex","provider":"P""#),
    (r#""index":0"#, r#""index":1"#),
    (r#""index":0"#, r#""index":0.0"#),
    (r#""index": 0"#, r#""index": 0,"safetyRatings": [{"category": "C","score": 0.25}]"#),
    (r#""index": 0"#, r#""index": 1"#),
    (r#""content":"#, r#""reasoning_content":"#),
    (r#""content":"#, r#""thinking":"#),
    (r#""content":"#, r#""content":"","reasoning":"#),
    (r#""content":"#, r#""role":"assistant","refusal":null,"content":"#),
    (r#""delta":{"type":"text_delta","text""#, r#""delta":{"type":"thinking_delta","thinking""#),
    (r#""delta":{"type":"text_delta","text""#, r#""delta":{"type":"input_json_delta","partial_json""#),
    (r#""delta":{"type":"text_delta","text""#, r#""delta":{"type":"text_delta","citation":{},"text""#),
    (r#"response.output_text.delta""#, r#"response.reasoning_text.delta""#),
    (r#"response.output_text.delta""#, r#"response.code_interpreter_call_code.delta""#),
    (r#""parts": [{"#, r#""parts": [{"thought": true,"#),
    (r#""parts": [{"#, r#""parts": [{"thoughtSignature": "c2ln","#),
    (r#""serviceTier": "standard""#, r#""serviceTier": "flex","cachedContentTokenCount": 7"#),
];

#[test]
fn what_other_servers_send_is_read_the_same() {
    for stream in &streams::all(12) {
        for (usual, other) in ODDITIES {
            for which in 0..3 {
                // In every event, in every second, in one.
                let events = stream.events.iter().enumerate().map(|(nth, event)| {
                    let is_other = [true, nth % 2 == 0, nth == 7][which];
                    if is_other { event.replace(usual, other) } else { event.clone() }
                });
                check(stream.upstream, &events.collect::<Vec<_>>(), &format!("{} {other}", stream.dialect));
            }
        }
    }
}

#[test]
fn mutilated_events_are_read_the_same() {
    for stream in &streams::all(4) {
        let whole = &stream.events[3];
        for at in (0..whole.len()).filter(|at| whole.is_char_boundary(*at) && whole.is_char_boundary(at + 1))
        {
            let (before, after) = (&whole[..at], &whole[at + 1..]);
            for other in
                ["", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", " ", "x", "\u{1}", "null", "\\ud83d"]
            {
                let mut events = stream.events.clone();
                events[3] = format!("{before}{other}{after}");
                check(stream.upstream, &events, stream.dialect);
            }
        }
    }
}

#[test]
fn recorded_streams_are_read_the_same() {
    let files = ["openai-chat", "openai-responses", "anthropic-messages", "gemini", "ollama"];
    for (stream, file) in streams::all(1).iter().zip(files) {
        for recording in lines(&format!("corpus/{file}.jsonl.gz")) {
            if let (Some(true), Some(body)) = (recording["stream"].as_bool(), recording["body"].as_str()) {
                let events: Vec<String> = body.split_inclusive('\n').map(str::to_owned).collect();
                check(stream.upstream, &events, recording["id"].as_str().unwrap());
            }
        }
    }
}

/// The lines of a compressed file of the shared data; none, and said aloud, where it is absent.
fn lines(file: &str) -> Vec<Value> {
    let root = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let Ok(raw) = std::fs::File::open(root.join(file)) else {
        let required = std::env::var("MAINSTAY_REQUIRE_SHARED").is_ok_and(|value| value == "1");
        assert!(!required, "{file} is required and was not found");
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: this test needs the shared data ({file})\n").as_bytes(),
        );
        return Vec::new();
    };
    let lines = BufReader::new(flate2::read::GzDecoder::new(raw)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}
