//! Streams of providers.

use mainstay_canon::Kind;
use serde_json::json;

use super::*;

fn start() -> String {
    sse(&json!({"type": "message_start", "message": {
        "id": "msg_1", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 5, "output_tokens": 1}
    }}))
}

fn open(index: u64, block: &Value) -> String {
    sse(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: u64, delta: &Value) -> String {
    sse(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: u64) -> String {
    sse(&json!({"type": "content_block_stop", "index": index}))
}

fn end(word: &str) -> String {
    sse(&json!({"type": "message_delta", "delta": {"stop_reason": word}, "usage": {"output_tokens": 9}}))
        + &sse(&json!({"type": "message_stop"}))
}

/// The events of a stream, which must read the same at every cut.
fn events(wire: &str) -> (Vec<WireEvent>, Option<Failure>) {
    let whole = stream(&[wire.as_bytes()]);
    for cut in 0..=wire.len() {
        let (a, b) = wire.as_bytes().split_at(cut);
        assert_eq!(format!("{:?}", stream(&[a, b])), format!("{whole:?}"), "cut at byte {cut}");
    }
    let bytes: Vec<&[u8]> = wire.as_bytes().chunks(1).collect();
    assert_eq!(format!("{:?}", stream(&bytes)), format!("{whole:?}"), "byte by byte");
    whole
}

fn reply(wire: &str) -> WireReply {
    let (events, failure) = events(wire);
    assert!(failure.is_none(), "{failure:?}");
    joined(&events)
}

fn failure(wire: &str) -> (Vec<WireEvent>, Failure) {
    let (events, failure) = events(wire);
    (events, failure.unwrap())
}

#[test]
fn a_turn_with_everything_reads_in_order() {
    let wire = start()
        + &open(0, &json!({"type": "thinking", "thinking": "", "signature": ""}))
        + &delta(0, &json!({"type": "thinking_delta", "thinking": "Hm"}))
        + &sse(&json!({"type": "ping"}))
        + &delta(0, &json!({"type": "signature_delta", "signature": "s="}))
        + &stop(0)
        + &open(1, &json!({"type": "text", "text": ""}))
        + &delta(1, &json!({"type": "text_delta", "text": "Grüße 🙂"}))
        + &stop(1)
        + &open(2, &json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}))
        + &delta(2, &json!({"type": "input_json_delta", "partial_json": ""}))
        + &delta(2, &json!({"type": "input_json_delta", "partial_json": "{\"a\""}))
        + &delta(2, &json!({"type": "input_json_delta", "partial_json": ": 1}"}))
        + &stop(2)
        + &end("tool_use");
    let reply = reply(&wire);
    assert_eq!((reply.id.as_deref(), reply.model.as_deref()), (Some("msg_1"), Some("m")));
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Grüße 🙂", Some("Hm")));
    assert_eq!(
        reply.reasoning_blocks[0].raw.text(),
        r#"{"type":"thinking","thinking":"Hm","signature":"s="}"#
    );
    assert_eq!(reply.tool_calls[0].arguments, "{\"a\": 1}");
    assert_eq!(reply.finish.as_deref(), Some("tool_use"));
    assert_eq!(reply.usage, usage(5, 9));
}

#[test]
fn the_counts_at_the_start_hold_no_output() {
    let (events, _) = events(&start());
    let WireEvent::Usage(counts) = events[1] else { panic!("{events:?}") };
    assert_eq!((counts.prompt, counts.completion), (Some(5), None));
}

#[test]
fn a_whole_turn_may_come_at_the_start() {
    let wire = sse(&json!({"type": "message_start", "message": {
        "id": "msg_1", "model": "m", "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 7},
        "content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]
    }})) + &sse(&json!({"type": "message_stop"}));
    let reply = reply(&wire);
    assert_eq!((reply.text.as_str(), reply.finish.as_deref()), ("ok", Some("tool_use")));
    assert_eq!(reply.tool_calls[0].arguments, r#"{"a":1}"#);
    assert_eq!(reply.usage, usage(5, 7));
}

#[test]
fn server_tools_are_put_together_to_be_handed_back() {
    let result = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result", "encrypted_content": "E"}]});
    let wire = start()
        + &open(0, &json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}))
        + &delta(0, &json!({"type": "input_json_delta", "partial_json": "{\"query\":"}))
        + &delta(0, &json!({"type": "input_json_delta", "partial_json": "\"x\"}"}))
        + &stop(0)
        + &open(1, &result)
        + &stop(1)
        + &open(2, &json!({"type": "compaction", "content": null}))
        + &delta(2, &json!({"type": "compaction_delta", "content": "short"}))
        + &stop(2)
        + &open(3, &json!({"type": "text", "text": ""}))
        + &delta(3, &json!({"type": "text_delta", "text": "found"}))
        + &delta(3, &json!({"type": "citations_delta", "citation": {"type": "x"}}))
        + &stop(3)
        + &end("end_turn");
    let reply = reply(&wire);
    let blocks: Vec<Value> = reply.reasoning_blocks.iter().map(|block| block.raw.read().unwrap()).collect();
    assert_eq!(
        blocks[0],
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}})
    );
    assert_eq!(blocks[1], result);
    assert_eq!(blocks[2], json!({"type": "compaction", "content": "short"}));
    assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("found", 0));
}

#[test]
fn a_call_without_arguments_takes_none_unless_it_was_cut() {
    let call =
        start() + &open(0, &json!({"type": "tool_use", "id": "t", "name": "f", "input": {}})) + &stop(0);
    for (word, arguments) in [("tool_use", "{}"), ("max_tokens", ""), ("model_context_window_exceeded", "")] {
        let reply = reply(&(call.clone() + &end(word)));
        assert_eq!(reply.tool_calls[0].arguments, arguments, "{word}");
    }
    // Another block after it shows that it was whole.
    let two = call + &open(1, &json!({"type": "text", "text": "x"})) + &stop(1) + &end("max_tokens");
    assert_eq!(reply(&two).tool_calls[0].arguments, "{}");
}

#[test]
fn a_cut_call_keeps_what_came() {
    let wire = start()
        + &open(0, &json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}))
        + &delta(0, &json!({"type": "input_json_delta", "partial_json": "{\"a\": \"b"}))
        + &stop(0)
        + &end("max_tokens");
    assert_eq!(reply(&wire).tool_calls[0].arguments, "{\"a\": \"b");
}

#[test]
fn servers_that_leave_out_starts_and_stops_are_understood() {
    let wire = start()
        + &delta(0, &json!({"type": "text_delta", "text": "a"}))
        + &open(1, &json!({"type": "tool_use", "id": "t", "name": "f"}))
        + &delta(1, &json!({"type": "input_json_delta", "partial_json": "{}"}))
        + &end("tool_use");
    let reply = reply(&wire);
    assert_eq!((reply.text.as_str(), reply.tool_calls[0].arguments.as_str()), ("a", "{}"));
}

#[test]
fn arguments_that_belong_to_no_call_are_not_lost_in_silence() {
    let wire = start() + &delta(3, &json!({"type": "input_json_delta", "partial_json": "{}"}));
    assert_eq!(failure(&wire).1.kind, Kind::InvalidResponse);
}

#[test]
fn events_of_another_day_are_passed_over() {
    let wire = start()
        + "event: future\ndata: not json\n\n: comment\n\ndata: {\"type\":\"future_2\",\"x\":1}\n\n"
        + &open(0, &json!({"type": "text", "text": ""}))
        + &delta(0, &json!({"type": "future_delta", "x": 1}))
        + &delta(0, &json!({"type": "text_delta", "text": "a"}))
        + &stop(0)
        + &end("end_turn");
    assert_eq!(reply(&wire).text, "a");
}

#[test]
fn an_error_inside_the_stream_is_a_failure_with_the_status_it_stands_for() {
    for (kind, status, expected) in [
        ("overloaded_error", 529, Kind::Overloaded),
        ("api_error", 500, Kind::ServerError),
        ("rate_limit_error", 429, Kind::RateLimited),
        ("invalid_request_error", 400, Kind::InvalidRequest),
    ] {
        let error = sse(&json!({"type": "error", "error": {"type": kind, "message": "x"}}));
        let (events, failure) = failure(
            &(start()
                + &delta(0, &json!({"type": "text_delta", "text": "Half"}))
                + &error
                + &end("end_turn")),
        );
        assert_eq!((failure.kind, failure.status), (expected, Some(status)));
        assert_eq!(joined(&events).text, "Half");
    }
}

#[test]
fn after_an_error_or_the_end_nothing_more_comes() {
    let mut reader = UPSTREAM.read_stream();
    let mut out = Vec::new();
    assert!(reader.push(b"event: error\ndata: {}\n\n", &mut out).is_err());
    reader.push(start().as_bytes(), &mut out).unwrap();
    reader.close(&mut out).unwrap();
    assert!(out.is_empty());

    let tail = "event: data\ndata: [DONE]\n\ndata: garbage\n\nevent: error\ndata: {\"type\":\"error\"}\n\n";
    let (events, failure) = events(&(start() + &end("end_turn") + tail));
    assert!(failure.is_none());
    assert_eq!(events.last(), Some(&WireEvent::End));
}

#[test]
fn what_stands_behind_the_terminator_is_ignored_even_where_it_is_unreadable() {
    let mut wire = (start() + &end("end_turn")).into_bytes();
    let plain = stream(&[&wire]).0;
    wire.extend_from_slice(b"data: \xff\n\n");
    let pieces: Vec<&[u8]> = wire.chunks(1).collect();
    for pieces in [&[wire.as_slice()][..], &pieces] {
        let (events, failure) = stream(pieces);
        assert_eq!((events, failure.map(|failure| failure.kind)), (plain.clone(), None));
    }
}

#[test]
fn only_a_stop_reason_or_the_terminator_is_an_end() {
    let begun = start() + &delta(0, &json!({"type": "text_delta", "text": "Dear"}));
    let (events, failed) = failure(&begun);
    assert_eq!((failed.kind, joined(&events).text.as_str()), (Kind::StreamInterrupted, "Dear"));
    assert_eq!(failure("").1.kind, Kind::StreamInterrupted);
    assert_eq!(failure(&(begun.clone() + "data: [DONE]\n\n")).1.kind, Kind::StreamInterrupted);
    assert_eq!(reply(&(begun.clone() + &sse(&json!({"type": "message_stop"})))).finish, None);
    let word = sse(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}));
    assert_eq!(reply(&(begun + &word)).finish.as_deref(), Some("end_turn"));
}

#[test]
fn a_gateways_done_after_the_stop_reason_is_the_end() {
    let word = sse(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    let (events, failure) = events(&(start() + &word + "data: [DONE]\n\n"));
    assert!(failure.is_none());
    assert_eq!(events.last(), Some(&WireEvent::End));
}

#[test]
fn a_refusal_says_why_before_it_ends() {
    let wire = start()
        + &sse(
            &json!({"type": "message_delta", "usage": {"output_tokens": 1}, "delta": {"stop_reason": "refusal",
            "stop_details": {"type": "refusal", "category": "bio", "explanation": "Declined."}}}),
        )
        + &sse(&json!({"type": "message_stop"}));
    let reply = reply(&wire);
    assert_eq!((reply.refusal.as_deref(), reply.finish.as_deref()), (Some("Declined."), Some("refusal")));
}

#[test]
fn a_whole_body_in_place_of_a_stream_is_read_as_what_it_is() {
    let body = "{\"type\": \"message\",\n \"content\": [{\"type\": \"text\", \"text\": \"hi\"}],\n\n \"stop_reason\": \"end_turn\"}";
    let reply = reply(body);
    assert_eq!((reply.text.as_str(), reply.finish.as_deref()), ("hi", Some("end_turn")));
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#;
    assert_eq!(failure(error).1.kind, Kind::Overloaded);
    assert_eq!(failure(r#"{"type":"message","content":[]}"#).1.kind, Kind::StreamInterrupted);
    assert_eq!(failure("{\"type\":\"mess").1.kind, Kind::StreamInterrupted);
    assert_eq!(failure("<html>\n<body>502</body></html>").1.kind, Kind::InvalidResponse);
}

#[test]
fn a_name_alone_is_an_event() {
    let (events, failure) = events(
        &(start()
            + "event: ping

event: message_stop

"),
    );
    assert!(failure.is_none());
    assert_eq!(events[2..], [WireEvent::KeepAlive, WireEvent::End]);
}

#[test]
fn an_event_that_is_not_json_is_an_invalid_response() {
    let (events, failed) = failure(&(start() + "event: content_block_delta\ndata: {\"type\":\n\n"));
    assert_eq!((failed.kind, events.len()), (Kind::InvalidResponse, 2));
    assert_eq!(failure("event: error\ndata: upstream died\n\n").1.kind, Kind::ServerError);
}

#[test]
fn what_is_kept_of_a_stream_has_a_limit() {
    let mut reader = UPSTREAM.read_stream();
    let mut out = Vec::new();
    let opened = open(0, &json!({"type": "thinking", "thinking": ""}));
    reader.push(opened.as_bytes(), &mut out).unwrap();
    let piece = delta(0, &json!({"type": "thinking_delta", "thinking": "x".repeat(1 << 20)}));
    let failed = (0..32).find_map(|_| {
        out.clear();
        reader.push(piece.as_bytes(), &mut out).err()
    });
    assert_eq!(failed.unwrap().kind, Kind::InvalidResponse);

    let mut reader = UPSTREAM.read_stream();
    let failed = (0..1000)
        .find_map(|index| reader.push(open(index, &json!({"type": "text"})).as_bytes(), &mut out).err());
    assert_eq!(failed.unwrap().kind, Kind::InvalidResponse);
}
