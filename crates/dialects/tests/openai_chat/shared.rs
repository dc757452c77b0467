//! Shared data where it is at hand, and an assembler of events that knows nothing of the reader's insides.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use mainstay_canon::{Accepts, Failure, Kind, ReasoningReplay, Target, WireEvent, WireReply};
use mainstay_dialects::openai_chat::OpenAiChat;
use mainstay_dialects::{Call, Upstream};
use serde_json::Value;

/// The lines of a file of the shared data; none, and said aloud, where it is absent.
pub(crate) fn lines(file: &str) -> Vec<Value> {
    let named = std::env::var_os("MAINSTAY_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = named.into_iter().chain([beside]).map(|dir| dir.join(file)).find(|path| path.is_file());
    let Some(path) = found else {
        let required = std::env::var("MAINSTAY_REQUIRE_SHARED").is_ok_and(|value| value == "1");
        assert!(!required, "{file} is required and was not found");
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: this test needs the shared data ({file})\n").as_bytes(),
        );
        return Vec::new();
    };
    let raw = std::fs::File::open(&path).unwrap();
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(flate2::read::GzDecoder::new(raw))
    } else {
        Box::new(raw)
    };
    BufReader::new(reader).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

/// Everything a stream gives when its bytes come in these pieces.
#[derive(Debug, PartialEq)]
pub(crate) struct Streamed {
    pub(crate) events: Vec<WireEvent>,
    pub(crate) failure: Option<(Kind, Option<u16>, String)>,
}

pub(crate) fn stream(pieces: &[&[u8]]) -> Streamed {
    let mut reader = OpenAiChat::STANDARD.read_stream();
    let mut events = Vec::new();
    let mut outcome = Ok(());
    for piece in pieces {
        outcome = outcome.and_then(|()| reader.push(piece, &mut events));
    }
    let outcome = outcome.and_then(|()| reader.close(&mut events));
    let failure = outcome.err().map(|failure| (failure.kind, failure.status, failure.message));
    // After a failure or the end nothing more comes.
    let before = events.len();
    reader.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n", &mut events).unwrap();
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
            _ => {}
        }
    }
}

/// Joins events to the reply they tell.
pub(crate) fn assemble(events: &[WireEvent]) -> WireReply {
    let (mut reply, mut joined) = (WireReply::default(), mainstay_canon::JoinedExtra::default());
    for event in events.iter().cloned() {
        match event {
            WireEvent::Start { id, model } => {
                reply.id = id.or(reply.id);
                reply.model = model.or(reply.model);
            }
            WireEvent::Text(text) => reply.text.push_str(&text),
            WireEvent::Reasoning(text) => reply.reasoning.get_or_insert_default().push_str(&text),
            WireEvent::ReasoningBlock(block) => reply.reasoning_blocks.push(block),
            WireEvent::Shown(shown) => {
                if !reply.shown.last_mut().is_some_and(|last| last.joins(&shown)) {
                    reply.shown.push(shown);
                }
            }
            WireEvent::Refusal(text) => reply.refusal.get_or_insert_default().push_str(&text),
            WireEvent::ToolStart { id, name, extra, .. } => {
                reply.tool_calls.push(mainstay_canon::ToolCall { id, name, arguments: String::new(), extra });
            }
            WireEvent::ToolArguments { index, delta } => reply.tool_calls[index].arguments.push_str(&delta),
            WireEvent::Finish { word, native, stop_sequence } => {
                reply.finish = Some(word);
                reply.native_finish = native.or(reply.native_finish);
                reply.stop_sequence = stop_sequence.or(reply.stop_sequence);
            }
            WireEvent::Usage(usage) => reply.usage.merge(usage),
            WireEvent::Extra(piece) => assert!(joined.add(&piece)),
            WireEvent::ToolEnd { .. } | WireEvent::KeepAlive | WireEvent::End => {}
        }
    }
    reply.extra = joined.extra();
    reply
}

/// A target to write to.
pub(crate) fn target() -> Target {
    Target::new("openai", "gpt-6-luna")
}

/// A model that takes everything.
pub(crate) fn takes_all() -> Accepts {
    Accepts { developer_role: true, reasoning_replay: ReasoningReplay::All, ..Accepts::default() }
}

/// Writes a request and gives back the body with the notes.
pub(crate) fn write(
    style: &OpenAiChat,
    request: &mainstay_canon::ChatRequest,
    accepts: &Accepts,
) -> Result<(Value, Vec<String>), Failure> {
    let target = target();
    let call = Call { target: &target, accepts, stream: request.stream, max_tokens: request.max_tokens };
    let outbound = style.write_request(request, &call)?;
    assert_eq!(outbound.path, "/chat/completions");
    Ok((serde_json::from_slice(&outbound.body).unwrap(), outbound.notes))
}
