//! Every recording of this dialect whose meaning is known.

use mainstay_canon::{Kind, WireReply};
use mainstay_dialects::Upstream;
use serde_json::Value;

use crate::shared::{NEWEST, joined, lines, stream};

fn recordings() -> Vec<Value> {
    let all = lines("corpus/gemini.jsonl.gz");
    all.into_iter().filter(|recording| recording["expected"].is_object()).collect()
}

fn good_streams() -> Vec<Value> {
    let is_good = |recording: &Value| recording["stream"] == true && recording["status"] == 200;
    recordings().into_iter().filter(is_good).collect()
}

#[test]
fn every_recording_reads_as_it_should() {
    let recordings = recordings();
    for recording in &recordings {
        let id = recording["id"].as_str().unwrap();
        let expected = &recording["expected"];
        let body = recording["body"].as_str().unwrap();
        let status = u16::try_from(recording["status"].as_u64().unwrap()).unwrap();
        if status >= 400 {
            let failure = NEWEST.read_error(status, body.as_bytes());
            let message = expected["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(failure.message.trim_end_matches('…')), "{id}: {}", failure.message);
            let code = failure.code.unwrap();
            assert!(
                code == expected["error"]["status"] || body.contains(&format!("\"reason\": \"{code}\"")),
                "{id}"
            );
            continue;
        }
        let whole = NEWEST.read_reply(body.as_bytes());
        if recording["stream"] == true {
            let streamed = stream(&[body.as_bytes()]);
            assert_eq!(streamed.failure, None, "{id}");
            let reply = joined(&streamed.events);
            check(id, expected, &reply, body);
            // A list is one whole body, too.
            if body.starts_with('[') {
                assert_eq!(whole.unwrap(), reply, "{id}");
            }
        } else {
            check(id, expected, &whole.unwrap_or_else(|failure| panic!("{id}: {failure}")), body);
        }
    }
    assert!(recordings.is_empty() || recordings.len() == 176, "only {} recordings", recordings.len());
}

/// The last count of that name in a body.
fn last_count(body: &str, name: &str) -> u64 {
    let Some((_, after)) = body.rsplit_once(&format!("\"{name}\":")) else { return 0 };
    let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn check(id: &str, expected: &Value, reply: &WireReply, body: &str) {
    assert_eq!(reply.text, expected["text"].as_str().unwrap(), "{id}");
    assert_eq!(reply.reasoning.as_deref(), expected["reasoning_text"].as_str(), "{id}");
    let word = match &expected["finish_reason_raw"] {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    assert_eq!(reply.finish, word, "{id}");
    let calls = expected["tool_calls"].as_array().unwrap();
    assert_eq!(reply.tool_calls.len(), calls.len(), "{id}: {:?}", reply.tool_calls);
    for (call, wanted) in reply.tool_calls.iter().zip(calls) {
        assert_eq!(call.name, wanted["name"], "{id}");
        assert_eq!(call.id, wanted["id"].as_str().unwrap_or_default(), "{id}");
        // A call that names no arguments takes none, which the normalizer spells out.
        let text = if call.arguments.is_empty() { "{}" } else { &call.arguments };
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), wanted["arguments"], "{id}");
    }
    let signatures = body.matches("\"thoughtSignature\"").count();
    assert_eq!(
        reply.reasoning_blocks.iter().filter(|b| b.raw.text().contains("thoughtSignature")).count(),
        signatures,
        "{id}"
    );

    // The recording's own counters leave out what server tools put in, and thoughts.
    let counts = |name: &str| expected["usage"][name].as_u64();
    let tool_prompt = last_count(body, "toolUsePromptTokenCount");
    assert_eq!(reply.usage.prompt, counts("prompt").map(|prompt| prompt + tool_prompt), "{id}");
    let out = counts("completion").unwrap_or(0) + counts("reasoning").unwrap_or(0);
    assert_eq!(reply.usage.completion.unwrap_or(0), out, "{id}");
    assert_eq!(reply.usage.cached.unwrap_or(0), counts("cached").unwrap_or(0), "{id}");
    assert_eq!(reply.usage.reasoning, counts("reasoning"), "{id}");
}

#[test]
fn a_recorded_stream_reads_the_same_wherever_it_is_cut() {
    let streams = good_streams();
    for recording in &streams {
        let wire = recording["body"].as_str().unwrap().as_bytes();
        let whole = stream(&[wire]);
        let step = (wire.len() / 60).max(1);
        for cut in (0..=wire.len()).step_by(step) {
            let (a, b) = wire.split_at(cut);
            assert_eq!(stream(&[a, b]), whole, "{} cut at byte {cut}", recording["id"]);
        }
        for size in [1, 7, 4096] {
            let pieces: Vec<&[u8]> = wire.chunks(size).collect();
            assert_eq!(stream(&pieces), whole, "{} in pieces of {size} bytes", recording["id"]);
        }
    }
    assert!(streams.is_empty() || streams.len() == 51, "only {} streams", streams.len());
}

#[test]
fn a_recorded_stream_cut_short_is_never_a_whole_answer() {
    for recording in good_streams() {
        let wire = recording["body"].as_str().unwrap();
        // The last one: a model that runs code on the server stops more than once.
        let end = wire.rfind("\"finishReason\"").unwrap();
        for cut in (0..end).step_by((end / 25).max(1)) {
            let kind = stream(&[&wire.as_bytes()[..cut]]).failure.map(|(kind, ..)| kind);
            assert_eq!(kind, Some(Kind::StreamInterrupted), "{} cut at {cut}", recording["id"]);
        }
    }
}
