//! Recorded replies decode to what they say, wherever their bytes are cut.

use mainstay_canon::{Kind, WireEvent, WireReply};
use mainstay_dialects::Upstream;
use mainstay_dialects::ollama::Ollama;
use serde_json::{Value, json};

use crate::shared::{assemble, lines, stream};

/// The recordings whose meaning is known.
fn recordings() -> Vec<Value> {
    let all = lines("corpus/ollama.jsonl.gz");
    all.into_iter().filter(|recording| recording["expected"].is_object()).collect()
}

#[test]
fn every_recording_decodes_to_what_it_says() {
    let recordings = recordings();
    for recording in &recordings {
        let id = recording["id"].as_str().unwrap();
        let (body, expected) = (recording["body"].as_str().unwrap(), &recording["expected"]);
        let status = u16::try_from(recording["status"].as_u64().unwrap()).unwrap();
        if status >= 400 {
            let failure = Ollama::STANDARD.read_error(status, body.as_bytes());
            assert!(failure.message.starts_with(expected["error"]["message"].as_str().unwrap()), "{id}");
            assert_eq!((failure.kind, failure.status), (Kind::NotFound, Some(status)), "{id}");
            continue;
        }
        let reply = if recording["stream"] == true {
            let told = stream(&[body.as_bytes()]);
            assert_eq!((told.failure, told.events.last()), (None, Some(&WireEvent::End)), "{id}");
            assemble(&told.events)
        } else {
            Ollama::STANDARD.read_reply(body.as_bytes()).unwrap()
        };
        check(id, expected, &reply);
        assert_eq!(reply.model.as_deref(), recording["model"].as_str(), "{id}");
    }
    assert!(recordings.is_empty() || recordings.len() == 17, "{} recordings", recordings.len());
}

fn check(id: &str, expected: &Value, reply: &WireReply) {
    assert_eq!(reply.text, expected["text"].as_str().unwrap(), "{id}");
    assert_eq!(reply.reasoning.as_deref(), expected["reasoning_text"].as_str(), "{id}");
    assert_eq!(reply.finish.as_deref(), expected["finish_reason_raw"].as_str(), "{id}");
    assert_eq!(reply.usage.prompt, expected["usage"]["prompt"].as_u64(), "{id}");
    assert_eq!(reply.usage.completion, expected["usage"]["completion"].as_u64(), "{id}");
    let calls: Vec<Value> = reply
        .tool_calls
        .iter()
        .map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            json!({ "name": call.name, "id": call.id, "arguments": arguments })
        })
        .collect();
    let wanted = expected["tool_calls"].as_array().unwrap().iter();
    let wanted: Vec<Value> = wanted
        .map(|call| {
            let id = call["id"].as_str().unwrap_or_default();
            json!({ "name": call["name"], "id": id, "arguments": call["arguments"] })
        })
        .collect();
    assert_eq!(calls, wanted, "{id}");
}

#[test]
fn a_recorded_stream_reads_the_same_wherever_it_is_cut() {
    for recording in recordings().iter().filter(|recording| recording["stream"] == true) {
        let wire = recording["body"].as_str().unwrap().as_bytes();
        let whole = stream(&[wire]);
        for cut in (0..=wire.len()).step_by((wire.len() / 60).max(1)) {
            let (a, b) = wire.split_at(cut);
            assert_eq!(stream(&[a, b]), whole, "{} cut at byte {cut}", recording["id"]);
        }
        for size in [1, 7, 1000] {
            let pieces: Vec<&[u8]> = wire.chunks(size).collect();
            assert_eq!(stream(&pieces), whole, "{} in pieces of {size}", recording["id"]);
        }
    }
}

#[test]
fn a_recorded_stream_cut_short_is_never_a_whole_answer() {
    for recording in recordings().iter().filter(|recording| recording["stream"] == true) {
        let wire = recording["body"].as_str().unwrap().trim_end();
        for cut in (0..wire.len()).step_by((wire.len() / 60).max(1)).chain([wire.len() - 1]) {
            let told = stream(&[&wire.as_bytes()[..cut]]);
            let kind = told.failure.map(|failure| failure.0);
            assert_eq!(kind, Some(Kind::StreamInterrupted), "{} cut at {cut}", recording["id"]);
        }
    }
}

#[test]
fn a_recorded_stream_reads_as_a_whole_body_too() {
    for recording in recordings().iter().filter(|recording| recording["stream"] == true) {
        let body = recording["body"].as_str().unwrap();
        let reply = Ollama::STANDARD.read_reply(body.as_bytes()).unwrap();
        assert_eq!(reply, assemble(&stream(&[body.as_bytes()]).events), "{}", recording["id"]);
    }
}
