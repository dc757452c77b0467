//! Streams that no recording holds.

use mainstay_canon::{Kind, WireEvent, WireUsage};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::shared::{joined, stream};

fn says(text: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]})
}

fn stops(text: &str) -> Value {
    let mut chunk = says(text);
    chunk["candidates"][0]["finishReason"] = json!("STOP");
    chunk
}

fn sse(chunks: &[Value]) -> String {
    let events: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect();
    events.concat()
}

fn check_text(wire: &str, text: &str) {
    let streamed = stream(&[wire.as_bytes()]);
    assert_eq!((streamed.failure, joined(&streamed.events).text.as_str()), (None, text), "{wire}");
}

fn check_failure(wire: &str, kind: Kind, text: &str) {
    let streamed = stream(&[wire.as_bytes()]);
    let found = streamed.failure.as_ref().map(|(kind, ..)| *kind);
    assert_eq!((found, joined(&streamed.events).text.as_str()), (Some(kind), text), "{wire}");
}

#[test]
fn the_connection_ends_a_stream_and_a_finish_word_proves_it() {
    let streamed = stream(&[sse(&[says("a"), stops("b")]).as_bytes()]);
    assert_eq!(streamed.failure, None);
    assert!(matches!(streamed.events.last(), Some(WireEvent::Finish { word, .. }) if word == "STOP"));
    check_failure(&sse(&[says("a"), says("b")]), Kind::StreamInterrupted, "ab");
    check_failure("", Kind::StreamInterrupted, "");
    check_failure(" \r\n", Kind::StreamInterrupted, "");
    check_failure(&sse(&[json!({"candidates": []})]), Kind::StreamInterrupted, "");
    check_failure(&sse(&[json!({"usageMetadata": {"promptTokenCount": 3}})]), Kind::StreamInterrupted, "");
}

#[test]
fn white_space_before_a_stream_belongs_to_nothing_wherever_it_is_cut() {
    for blank in [" ", "\t", "\r\n\n", " \n "] {
        let wire = format!("{blank}{}", sse(&[says("a"), stops("b")]));
        check_text(&wire, "ab");
        let whole = stream(&[wire.as_bytes()]);
        for cut in 0..=wire.len() {
            let (a, b) = wire.as_bytes().split_at(cut);
            assert_eq!(stream(&[a, b]), whole, "{wire} cut at byte {cut}");
        }
    }
}

#[test]
fn counts_may_come_after_the_finish_word() {
    let late = json!({"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 2}});
    let reply = joined(&stream(&[sse(&[stops("a"), late]).as_bytes()]).events);
    assert_eq!(reply.usage, WireUsage { prompt: Some(3), completion: Some(2), ..WireUsage::default() });
}

#[test]
fn an_event_that_the_hang_up_cut_is_an_interruption_unless_the_answer_had_ended() {
    let cut = "data: {\"candidates\": [{\"content\": {\"par";
    check_failure(&(sse(&[says("a")]) + cut), Kind::StreamInterrupted, "a");
    check_text(&(sse(&[stops("a")]) + cut), "a");
    check_failure(&(sse(&[says("a")]) + cut + "\n\n"), Kind::InvalidResponse, "a");
}

#[test]
fn a_list_may_take_the_place_of_events() {
    let chunk = |chunk: &Value| serde_json::to_string_pretty(chunk).unwrap();
    let list = format!("\r\n[{}\r\n,\r\n{}\r\n]\r\n", chunk(&says("é ")), chunk(&stops("🙂")));
    let streamed = stream(&[list.as_bytes()]);
    assert_eq!((streamed.failure, joined(&streamed.events).text.as_str()), (None, "é 🙂"));
    assert_eq!(streamed.events.last(), Some(&WireEvent::End));
    check_failure(&format!("[{}]", says("a")), Kind::StreamInterrupted, "a");
    check_failure(&format!("[{},{{\"cand", says("a")), Kind::StreamInterrupted, "a");
    check_text(&format!("[{},{{\"cand", stops("a")), "a");
    check_failure(&format!("[{}, oops]", says("a")), Kind::InvalidResponse, "a");
    check_failure("[]", Kind::StreamInterrupted, "");
}

#[test]
fn a_whole_body_may_take_the_place_of_a_stream() {
    check_text(&serde_json::to_string_pretty(&stops("hi")).unwrap(), "hi");
    check_failure(&says("hi").to_string(), Kind::StreamInterrupted, "hi");
    check_failure("<html>\n<body>502</body></html>", Kind::InvalidResponse, "");
    check_failure("data: {\"candidates\": [}\n\n", Kind::InvalidResponse, "");
}

#[test]
fn an_error_breaks_off_a_stream_in_every_form_and_keeps_what_came() {
    let error =
        json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});
    let pretty = serde_json::to_string_pretty(&error).unwrap();
    for wire in [
        sse(&[says("Half"), error.clone()]),
        sse(&[says("Half"), json!([error])]),
        // Without `data:`, as the front ends write it.
        format!("{}{pretty}\n", sse(&[says("Half")])),
        format!("{}[{pretty}\n]", sse(&[says("Half")])),
        format!("[{},{pretty}]", says("Half")),
    ] {
        let streamed = stream(&[wire.as_bytes()]);
        let (kind, status, _) = streamed.failure.clone().unwrap();
        assert_eq!((kind, status), (Kind::Overloaded, Some(503)), "{wire}");
        assert_eq!(joined(&streamed.events).text, "Half");
    }
    check_failure("event: error\ndata: upstream died\n\n", Kind::ServerError, "");
    check_failure(&pretty, Kind::Overloaded, "");
}

#[test]
fn what_gateways_add_changes_nothing() {
    let wire = format!(
        ": hello\n\nid: 1\nevent: message\n{}: ping\n\ndata: [DONE]\n\ndata: late",
        sse(&[stops("a")])
    );
    let streamed = stream(&[wire.as_bytes()]);
    assert_eq!((streamed.failure, streamed.events.last()), (None, Some(&WireEvent::End)));
    assert!(streamed.events.contains(&WireEvent::KeepAlive));
    check_failure(&(sse(&[says("a")]) + "data: [DONE]\n\n"), Kind::StreamInterrupted, "a");
    for end in [sse(&[stops("a")]) + "data: [DONE]\n\n", format!("[{}]", stops("a"))] {
        let wire = [end.as_bytes(), b"data: \xff\n\ndata: {\"error\":{}}\n\n"].concat();
        let whole = stream(&[&wire]);
        assert_eq!((&whole.failure, whole.events.last()), (&None, Some(&WireEvent::End)));
        for cut in 0..=wire.len() {
            let (a, b) = wire.split_at(cut);
            assert_eq!(stream(&[a, b]), whole, "cut at byte {cut}");
        }
    }
    check_text(&("\u{feff}some words\n".to_owned() + &sse(&[stops("a")])), "a");
}

#[test]
fn a_signature_may_come_on_an_empty_part_at_the_end() {
    let end = json!({"candidates": [{"content": {"parts": [{"text": "", "thoughtSignature": "c2ln"}]},
        "finishReason": "STOP"}]});
    let streamed = stream(&[sse(&[says("a"), end]).as_bytes()]);
    let reply = joined(&streamed.events);
    assert_eq!((reply.text.as_str(), reply.reasoning_blocks.len()), ("a", 1));
    assert!(reply.reasoning_blocks[0].raw.text().contains("c2ln"));
}

#[test]
fn one_object_has_a_limit() {
    let mut wire = b"[{\"candidates\":\"".to_vec();
    wire.extend(std::iter::repeat_n(b'x', 17 << 20));
    assert_eq!(stream(&[&wire]).failure.map(|(kind, ..)| kind), Some(Kind::InvalidResponse));
}

fn part() -> impl Strategy<Value = Value> {
    prop_oneof![
        ".{0,8}".prop_map(|text| json!({"text": text})),
        ".{0,8}".prop_map(|text| json!({"text": text, "thought": true})),
        ".{0,8}".prop_map(|text| json!({"text": text, "thoughtSignature": "c2ln"})),
        "[a-z]{1,4}".prop_map(|name| json!({"functionCall": {"name": name, "args": {"a": [1, "}"]}}})),
        Just(json!({"functionCall": {"name": "f", "willContinue": true}, "thoughtSignature": "c2ln"})),
        "[a-z]{1,2}".prop_map(|name| json!({"functionCall": {"willContinue": true,
            "partialArgs": [{"jsonPath": format!("$.{name}"), "stringValue": "x"}]}})),
        Just(json!({"functionCall": {}})),
        Just(json!({"executableCode": {"code": "1 + 1"}})),
        Just(json!(null)),
    ]
}

fn chunk() -> impl Strategy<Value = Value> {
    let word = prop_oneof![Just(json!(null)), Just(json!("STOP")), Just(json!("MAX_TOKENS")), Just(json!(1))];
    (prop::collection::vec(part(), 0..4), word).prop_map(|(parts, word)| {
        json!({"candidates": [{"content": {"parts": parts}, "finishReason": word}], "responseId": "r"})
    })
}

proptest! {
    #[test]
    fn where_the_bytes_are_cut_does_not_matter(
        chunks in prop::collection::vec(chunk(), 0..5),
        as_list in any::<bool>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let wire = if as_list { json!(chunks).to_string() } else { sse(&chunks) };
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
        cuts.extend([0, wire.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &wire.as_bytes()[ends[0]..ends[1]]).collect();
        prop_assert_eq!(stream(&pieces), stream(&[wire.as_bytes()]));
    }

    #[test]
    fn events_and_a_list_say_the_same(chunks in prop::collection::vec(chunk(), 1..5)) {
        let (events, list) = (stream(&[sse(&chunks).as_bytes()]), stream(&[json!(chunks).to_string().as_bytes()]));
        prop_assert_eq!(joined(&events.events), joined(&list.events));
        prop_assert_eq!(events.failure.map(|(kind, ..)| kind), list.failure.map(|(kind, ..)| kind));
    }

    #[test]
    fn no_bytes_make_a_reader_fall_over(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        stream(&[&bytes]);
        stream(&[b"data: ", &bytes, b"\n\n"]);
        stream(&[b"[{\"candidates\":", &bytes]);
    }
}
