//! Shared data where it is at hand, and an assembler of events that knows nothing of the reader's insides.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use mainstay_canon::{Extra, Kind, ToolCall, WireEvent, WireReply};
use mainstay_dialects::Upstream;
use mainstay_dialects::ollama::Ollama;
use serde_json::Value;

/// The lines of a compressed file of the shared data; none, and said aloud, where it is absent.
pub(crate) fn lines(file: &str) -> Vec<Value> {
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

/// Everything a stream gives when its bytes come in these pieces.
#[derive(Debug, PartialEq)]
pub(crate) struct Streamed {
    pub(crate) events: Vec<WireEvent>,
    pub(crate) failure: Option<(Kind, Option<u16>, String)>,
}

pub(crate) fn stream(pieces: &[&[u8]]) -> Streamed {
    let mut reader = Ollama::STANDARD.read_stream();
    let mut events = Vec::new();
    let mut outcome = Ok(());
    for piece in pieces {
        outcome = outcome.and_then(|()| reader.push(piece, &mut events));
    }
    let outcome = outcome.and_then(|()| reader.close(&mut events));
    let failure = outcome.err().map(|failure| (failure.kind, failure.status, failure.message));
    let before = events.len();
    reader.push(b"{\"message\":{\"content\":\"late\"}}\n", &mut events).unwrap();
    reader.close(&mut events).unwrap();
    assert_eq!(events.len(), before, "nothing comes after the end");
    laws(&events);
    Streamed { events, failure }
}

/// The laws that every reader keeps.
fn laws(events: &[WireEvent]) {
    let mut open: Vec<bool> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            WireEvent::ToolStart { index, .. } => {
                assert_eq!(*index, open.len(), "calls are numbered from 0 without gaps");
                open.push(true);
            }
            WireEvent::ToolArguments { index, .. } => assert!(open[*index], "arguments follow the start"),
            WireEvent::ToolEnd { index } => {
                assert!(std::mem::replace(&mut open[*index], false), "ended once");
            }
            WireEvent::End => assert_eq!(at + 1, events.len(), "the end is last"),
            WireEvent::Finish { .. } => assert!(!open.contains(&true), "calls end before the finish"),
            WireEvent::Start { .. }
            | WireEvent::Text(_)
            | WireEvent::Reasoning(_)
            | WireEvent::ReasoningBlock(_)
            | WireEvent::Shown(_)
            | WireEvent::Refusal(_)
            | WireEvent::KeepAlive
            | WireEvent::Extra(_)
            | WireEvent::Usage(_) => {}
        }
    }
}

/// Joins events to the reply they tell.
pub(crate) fn assemble(events: &[WireEvent]) -> WireReply {
    let (mut reply, mut joined) = (WireReply::default(), mainstay_canon::JoinedExtra::default());
    for event in events.iter().cloned() {
        match event {
            WireEvent::Start { id, model } => (reply.id, reply.model) = (id, model),
            WireEvent::Text(text) => reply.text.push_str(&text),
            WireEvent::Reasoning(text) => reply.reasoning.get_or_insert_default().push_str(&text),
            WireEvent::ToolStart { id, name, .. } => {
                reply.tool_calls.push(ToolCall { id, name, arguments: String::new(), extra: Extra::new() });
            }
            WireEvent::ToolArguments { index, delta } => reply.tool_calls[index].arguments.push_str(&delta),
            WireEvent::Finish { word, .. } => reply.finish = Some(word),
            WireEvent::Usage(usage) => reply.usage.merge(usage),
            WireEvent::Extra(piece) => assert!(joined.add(&piece)),
            WireEvent::ToolEnd { .. } | WireEvent::KeepAlive | WireEvent::End => {}
            WireEvent::ReasoningBlock(_) | WireEvent::Shown(_) | WireEvent::Refusal(_) => {
                panic!("not of this dialect: {event:?}")
            }
        }
    }
    reply.extra = joined.extra();
    reply
}
