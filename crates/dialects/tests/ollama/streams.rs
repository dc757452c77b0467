//! What a stream of lines tells, case by case. Every stream here is also cut at every byte.

use mainstay_canon::{Extra, Kind, WireEvent, WireUsage};
use proptest::prelude::*;

use crate::shared::{Streamed, assemble, stream};

/// Reads a stream whole and cut everywhere.
fn read(wire: &str) -> Streamed {
    let whole = stream(&[wire.as_bytes()]);
    for cut in 0..=wire.len() {
        let (a, b) = wire.as_bytes().split_at(cut);
        assert_eq!(stream(&[a, b]), whole, "cut at byte {cut}");
    }
    let bytes: Vec<&[u8]> = wire.as_bytes().chunks(1).collect();
    assert_eq!(stream(&bytes), whole, "byte by byte");
    whole
}

fn lines(lines: &[&str]) -> Streamed {
    read(&(lines.join("\n") + "\n"))
}

fn kind(told: &Streamed) -> Option<Kind> {
    told.failure.as_ref().map(|(kind, ..)| *kind)
}

const HI: &str = r#"{"model":"q","message":{"role":"assistant","content":"Hi"},"done":false}"#;
const STOP: &str = r#"{"model":"q","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":11,"eval_count":4}"#;

fn start() -> WireEvent {
    WireEvent::Start { id: None, model: Some("q".into()) }
}

fn finish(word: &str) -> WireEvent {
    WireEvent::Finish { word: word.into(), native: None, stop_sequence: None }
}

#[test]
fn an_ordinary_stream_is_told_in_order() {
    let told = lines(&[
        r#"{"model":"q","message":{"role":"assistant","content":""},"done":false}"#,
        r#"{"model":"q","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}"#,
        HI,
        r#"{"model":"q","message":{"role":"assistant","content":""},"done":false}"#,
        STOP,
    ]);
    let usage = WireUsage { prompt: Some(11), completion: Some(4), ..WireUsage::default() };
    assert_eq!(
        told.events,
        [
            start(),
            WireEvent::Reasoning("Hm.".into()),
            WireEvent::Text("Hi".into()),
            WireEvent::KeepAlive,
            WireEvent::Usage(usage),
            finish("stop"),
            WireEvent::End,
        ]
    );
    assert_eq!(told.failure, None);
}

#[test]
fn blank_lines_a_byte_order_mark_and_a_missing_last_end_change_nothing() {
    let plain = lines(&[HI, STOP]);
    assert_eq!(read(&format!("\u{feff}{HI}\r\n\r\n\n{STOP}")), plain);
}

#[test]
fn text_of_the_last_line_counts() {
    let told = lines(&[r#"{"message":{"content":" "},"done":true,"done_reason":"stop"}"#]);
    assert_eq!(told.events, [WireEvent::Text(" ".into()), finish("stop"), WireEvent::End]);
}

#[test]
fn calls_come_whole_numbered_across_lines_and_may_lack_their_id() {
    let told = lines(&[
        r#"{"message":{"content":"","tool_calls":[{"id":"call_a","function":{"index":0,"name":"f","arguments":{"x": 1.50}}}]},"done":false}"#,
        r#"{"message":{"content":"","tool_calls":[{"function":{"name":"g","arguments":"{}"}},{"function":{"name":"h"}},{}]},"done":false}"#,
        STOP,
    ]);
    let calls: Vec<_> = assemble(&told.events).tool_calls;
    let seen: Vec<_> = calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(seen, [("call_a", "f", r#"{"x": 1.50}"#), ("", "g", "{}"), ("", "h", "")]);
    assert_eq!(told.failure, None);
}

#[test]
fn a_stream_without_its_last_object_is_interrupted() {
    assert_eq!(kind(&lines(&[])), Some(Kind::StreamInterrupted));
    let cut = lines(&[HI]);
    assert_eq!(kind(&cut), Some(Kind::StreamInterrupted));
    assert_eq!(cut.events, [start(), WireEvent::Text("Hi".into())], "what had come is kept");
    assert_eq!(kind(&read(&format!("{HI}\n{{\"message\":{{\"con"))), Some(Kind::StreamInterrupted));
    assert_eq!(kind(&read(&format!("{HI}\n<ht"))), Some(Kind::StreamInterrupted));
}

#[test]
fn a_last_object_without_a_reason_is_an_interruption_that_keeps_its_counts() {
    for reason in ["", r#","done_reason":"""#, r#","done_reason":null"#] {
        let told = lines(&[HI, &format!(r#"{{"done":true{reason},"eval_count":2}}"#)]);
        assert_eq!(kind(&told), Some(Kind::StreamInterrupted), "{reason}");
        assert_eq!(assemble(&told.events).usage.completion, Some(2), "{reason}");
        assert_eq!(assemble(&told.events).finish, None);
    }
}

#[test]
fn any_other_word_is_handed_on_for_the_provider_to_know() {
    for word in ["length", "load", "unload", "quota_of_the_moon"] {
        let told = lines(&[&format!(r#"{{"done":true,"done_reason":"{word}"}}"#)]);
        assert_eq!((told.events.first(), told.failure), (Some(&finish(word)), None));
    }
}

#[test]
fn an_error_line_is_a_failure_after_what_had_come() {
    let told =
        lines(&[HI, r#"{"error":"an error was encountered while running the model: CUDA error"}"#, STOP]);
    assert_eq!(told.events, [start(), WireEvent::Text("Hi".into())]);
    let (kind, status, message) = told.failure.unwrap();
    assert_eq!((kind, status), (Kind::ServerError, Some(500)));
    assert!(message.contains("CUDA"), "{message}");
    let busy = lines(&[r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#]);
    assert_eq!(kind_and_status(&busy), (Kind::Overloaded, Some(503)));
    let call = lines(&[HI, r#"{"error":"error parsing tool call: raw='{\"a', err=unexpected end"}"#]);
    assert_eq!(kind_and_status(&call), (Kind::MalformedToolCall, Some(500)));
    let misplaced = lines(&[HI, r#"{"error parsing tool call":"invalid character 'c'"}"#]);
    assert_eq!(kind_and_status(&misplaced), (Kind::MalformedToolCall, Some(500)));
}

fn kind_and_status(told: &Streamed) -> (Kind, Option<u16>) {
    told.failure.as_ref().map(|(kind, status, _)| (*kind, *status)).unwrap()
}

#[test]
fn what_is_no_line_of_this_dialect_is_an_invalid_response() {
    for line in ["<html>", "data: {}", "[1]", "{\"a\":}", "Ollama is running"] {
        let told = lines(&[HI, line, STOP]);
        assert_eq!(kind(&told), Some(Kind::InvalidResponse), "{line}");
        assert_eq!(told.events.len(), 2, "{line}");
    }
    // An object that says nothing of ours is a sign of life.
    let told = lines(&[HI, "{}", r#"{"status":"loading"}"#, STOP]);
    assert_eq!(told.events.iter().filter(|event| **event == WireEvent::KeepAlive).count(), 2);
    assert_eq!(told.failure, None);
}

#[test]
fn the_message_of_an_unreadable_line_quotes_no_prompt() {
    let told = lines(&[r#"{"message":{"content":"my secret"}"#, STOP]);
    let (_, _, message) = told.failure.unwrap();
    assert_eq!(message, "a line of the stream breaks JSON at column 34");
}

#[test]
fn what_stands_behind_the_last_object_is_nothing_to_us() {
    let mut wire = format!("{HI}\n{STOP}\n").into_bytes();
    let plain = stream(&[&wire]);
    wire.extend_from_slice(b"\xff\n<html>\n{\"error\":\"late\"}");
    assert_eq!(stream(&[&wire]), plain);
    let bytes: Vec<&[u8]> = wire.chunks(1).collect();
    assert_eq!(stream(&bytes), plain);
}

#[test]
fn a_model_that_changes_its_name_says_so() {
    let told = lines(&[HI, r#"{"model":"q:latest","message":{"content":"!"}}"#, STOP]);
    let named = |name: &str| WireEvent::Start { id: None, model: Some(name.into()) };
    let starts: Vec<_> =
        told.events.iter().filter(|event| matches!(event, WireEvent::Start { .. })).cloned().collect();
    assert_eq!(starts, [named("q"), named("q:latest"), named("q")]);
}

#[test]
fn a_call_of_its_own_has_no_extras() {
    let told = lines(&[
        r#"{"message":{"tool_calls":[{"id":"a","function":{"index":3,"name":"f","arguments":{}}}]}}"#,
        STOP,
    ]);
    let expected = WireEvent::ToolStart { index: 0, id: "a".into(), name: "f".into(), extra: Extra::new() };
    assert_eq!(told.events.first(), Some(&expected));
}

/// A line of an answer, as servers send them or nearly so.
fn line() -> impl Strategy<Value = String> {
    let text = prop_oneof![Just(String::new()), "[a-zé🙂 \\\\n]{0,8}".prop_map(|text| text)];
    (text.clone(), text, any::<bool>(), prop::sample::select(vec!["\n", "\r\n", "\n\n"])).prop_map(
        |(content, thinking, calls, end)| {
            let mut message = serde_json::json!({ "content": content, "thinking": thinking });
            if calls {
                message["tool_calls"] =
                    serde_json::json!([{ "function": { "name": "f", "arguments": { "x": content } } }]);
            }
            format!("{}{end}", serde_json::json!({ "model": "q", "message": message, "done": false }))
        },
    )
}

proptest! {
    #[test]
    fn where_the_bytes_are_cut_does_not_matter(
        lines in prop::collection::vec(line(), 0..8),
        tail in prop::sample::select(vec![STOP, "", "{\"error\":\"x\"}", "{\"done\":true}", "{\"mess", "<p>"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let wire = [lines.concat(), tail.to_owned()].concat().into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
        at.extend([0, wire.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &wire[pair[0]..pair[1]]).collect();
        prop_assert_eq!(stream(&pieces), stream(&[&wire]));
    }

    #[test]
    fn any_bytes_are_survived(wire in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
        let (a, b) = wire.split_at(cut.index(wire.len() + 1));
        prop_assert_eq!(stream(&[a, b]), stream(&[&wire]));
    }
}
