//! What a stream of events tells, case by case. Every stream here is also cut at every byte.

use mainstay_canon::{Dialect, ExtraPiece, Joins, Kind, WireEvent, WireUsage};
use serde_json::{Value, json};

use crate::shared::{Streamed, assemble, raw, recordings, stream};

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

fn sse(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
}

/// A stream of these events.
fn events(events: &[Value]) -> Streamed {
    read(&events.iter().map(sse).collect::<String>())
}

fn created() -> Value {
    json!({"type": "response.created", "response": {"id": "r", "model": "m", "status": "in_progress", "output": []}})
}

fn completed(output: &Value) -> Value {
    json!({"type": "response.completed", "response": {"id": "r", "model": "m", "status": "completed", "output": output,
        "usage": {"input_tokens": 3, "output_tokens": 1}}})
}

fn added(index: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn done(index: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn text(index: usize, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": delta})
}

fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text}]})
}

fn start() -> WireEvent {
    WireEvent::Start { id: Some("r".into()), model: Some("m".into()) }
}

fn finish(word: &str) -> WireEvent {
    WireEvent::Finish { word: word.into(), native: None, stop_sequence: None }
}

fn usage() -> WireEvent {
    WireEvent::Usage(WireUsage { prompt: Some(3), completion: Some(1), ..WireUsage::default() })
}

fn said(text: &str) -> WireEvent {
    WireEvent::Text(text.into())
}

#[test]
fn an_ordinary_stream_is_told_in_order() {
    let told = events(&[
        created(),
        json!({"type": "response.in_progress", "response": {"id": "r", "model": "m"}}),
        added(0, &json!({"type": "message", "id": "msg_1", "content": []})),
        json!({"type": "response.content_part.added", "output_index": 0, "part": {"type": "output_text", "text": ""}}),
        text(0, "Hi"),
        text(0, ""),
        json!({"type": "response.output_text.done", "output_index": 0, "text": "Hi"}),
        done(0, &message("Hi")),
        completed(&json!([message("Hi")])),
    ]);
    let alive = || WireEvent::KeepAlive;
    let members = [("output".to_owned(), raw(&json!([message("Hi")]).to_string()))].into_iter().collect();
    let (dialect, joins) = (Dialect::OpenaiResponses, Joins::Replace);
    assert_eq!(
        told.events,
        [
            start(),
            alive(),
            alive(),
            alive(),
            said("Hi"),
            alive(),
            alive(),
            alive(),
            WireEvent::Extra(ExtraPiece { dialect, members, joins }),
            usage(),
            finish("completed"),
            WireEvent::End
        ]
    );
    assert_eq!(told.failure, None);
}

#[test]
fn only_the_last_event_proves_an_end() {
    let cut = events(&[created(), text(0, "a"), done(0, &message("a"))]);
    assert_eq!(cut.failure.unwrap().kind, Kind::StreamInterrupted);
    assert_eq!(cut.events[..2], [start(), said("a")]);
    let named_done = read(&format!("{}{}data: [DONE]\n\n", sse(&created()), sse(&text(0, "a"))));
    assert_eq!(named_done.failure.unwrap().kind, Kind::StreamInterrupted);
    assert_eq!(events(&[]).failure.unwrap().kind, Kind::StreamInterrupted);
    let whole = sse(&created()) + &sse(&text(0, "a")) + &sse(&completed(&json!([])));
    for lost in [10, 30, 100] {
        let cut = stream(&[&whole.as_bytes()[..whole.len() - lost]]);
        assert_eq!(cut.failure.unwrap().kind, Kind::StreamInterrupted, "{lost}");
    }
    assert_eq!(read(whole.trim_end()).failure, None, "its blank line is no proof");
}

#[test]
fn what_follows_the_last_event_is_ignored() {
    let told = read(&format!("{}data: [DONE]\n\n{}", sse(&completed(&json!([]))), sse(&text(0, "late"))));
    assert_eq!(told.events.last(), Some(&WireEvent::End));
    assert_eq!((assemble(&told.events).text.as_str(), told.failure), ("", None));
}

#[test]
fn what_stands_behind_the_last_event_is_ignored_even_where_it_is_unreadable() {
    let wire = [sse(&created()), sse(&completed(&json!([])))].concat().into_bytes();
    for behind in [&b"data: \xff\n\n"[..], b"\xff", b"data: {\n\n"] {
        let wire = [&wire, behind].concat();
        let whole = stream(&[&wire]);
        assert_eq!((&whole.failure, whole.events.last()), (&None, Some(&WireEvent::End)));
        for cut in 0..=wire.len() {
            let (a, b) = wire.split_at(cut);
            assert_eq!(stream(&[a, b]), whole, "cut at byte {cut}");
        }
    }
}

#[test]
fn the_finish_word_is_the_status_with_its_reason() {
    for (event, word) in [
        (
            json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}}),
            "incomplete:max_output_tokens",
        ),
        (
            json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}}),
            "incomplete:content_filter",
        ),
        (json!({"type": "response.incomplete"}), "incomplete"),
        (json!({"type": "response.completed", "response": {}}), "completed"),
        (json!({"type": "response.completed", "response": {"status": "in_progress"}}), "completed"),
        (json!({"type": "response.cancelled", "response": {"status": "cancelled"}}), "cancelled"),
    ] {
        assert_eq!(events(std::slice::from_ref(&event)).events, [finish(word), WireEvent::End], "{event}");
    }
}

#[test]
fn an_answer_that_lies_only_in_the_items_is_read() {
    // The Codex backend ends with an empty output.
    let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"a\":1}"});
    let told = events(&[created(), done(0, &message("All.")), done(1, &call), completed(&json!([]))]);
    let reply = assemble(&told.events);
    assert_eq!((reply.text.as_str(), reply.tool_calls[0].arguments.as_str()), ("All.", "{\"a\":1}"));
}

#[test]
fn an_answer_that_lies_only_in_the_last_event_is_read() {
    let output = json!([
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
        message("All."),
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    ]);
    let told = events(&[created(), completed(&output.clone())]);
    let reply = assemble(&told.events);
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("All.", Some("Hm.")));
    assert_eq!((reply.tool_calls.len(), reply.reasoning_blocks.len()), (1, 1));
    // Nor is anything told twice where some of it came before.
    let told = events(&[created(), text(1, "All."), completed(&output)]);
    assert_eq!(assemble(&told.events).text, "All.");
}

#[test]
fn an_item_that_was_begun_is_finished_by_the_last_event() {
    let call = |arguments: &str| json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": arguments});
    let told = events(&[added(0, &call("")), completed(&json!([call("{\"a\":1}")]))]);
    assert_eq!(assemble(&told.events).tool_calls[0].arguments, "{\"a\":1}");
    let cut = events(&[
        added(0, &call("")),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"a"}),
        json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}}),
    ]);
    assert_eq!(assemble(&cut.events).tool_calls[0].arguments, "{\"a");
    assert!(cut.events.contains(&WireEvent::ToolEnd { index: 0 }));
}

#[test]
fn calls_come_in_pieces_whole_or_late() {
    let delta = |index: usize, delta: &str| json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta});
    let call = |id: &str, name: &str, arguments: &str| json!({"type": "function_call", "id": "fc", "status": "in_progress", "call_id": id, "name": name, "arguments": arguments});
    let told = events(&[
        added(1, &call("a", "f", "")),
        added(0, &call("b", "g", "")),
        delta(0, "{\"x\":"),
        delta(1, "{}"),
        delta(0, "1}"),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"x\":1}"}),
        done(0, &call("b", "g", "{\"x\":1}")),
        done(1, &call("a", "f", "{}")),
        // Without a name at first, and never in pieces.
        added(2, &call("", "", "")),
        delta(2, "{\"lost\":"),
        done(2, &call("c", "h", "{\"whole\":true}")),
        json!({"type": "response.function_call_arguments.done", "output_index": 3, "arguments": "{}"}),
        completed(&json!([])),
    ]);
    let calls = assemble(&told.events).tool_calls;
    let told: Vec<_> = calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    assert_eq!(told, [("a", "f", "{}"), ("b", "g", "{\"x\":1}"), ("c", "h", "{\"whole\":true}")]);
    assert_eq!(calls[0].extra.names().collect::<Vec<_>>(), ["id"]);
}

#[test]
fn a_call_without_pieces_gets_its_arguments_from_their_end() {
    let call = json!({"type": "custom_tool_call", "call_id": "c", "name": "sum", "input": ""});
    let told = events(&[
        added(0, &call),
        json!({"type": "response.custom_tool_call_input.done", "output_index": 0, "input": "4 + 4"}),
        completed(&json!([])),
    ]);
    let call = &assemble(&told.events).tool_calls[0];
    assert_eq!((&*call.arguments, call.extra.get("type")), ("4 + 4", Some(&raw("\"custom\""))));
}

#[test]
fn text_without_pieces_is_taken_from_what_comes_whole_and_only_once() {
    let told = events(&[
        json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Whole."}),
        done(0, &message("Whole.")),
        completed(&json!([message("Whole.")])),
    ]);
    assert_eq!(assemble(&told.events).text, "Whole.");
    let refused = events(&[
        json!({"type": "response.refusal.delta", "output_index": 0, "delta": "No."}),
        json!({"type": "response.refusal.done", "output_index": 0, "refusal": "No."}),
        completed(&json!([])),
    ]);
    assert_eq!(assemble(&refused.events).refusal.as_deref(), Some("No."));
}

#[test]
fn reasoning_is_told_once_and_its_item_whole() {
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}],
        "content": [{"type": "reasoning_text", "text": "Hmm."}], "encrypted_content": "gAAA"});
    let told = events(&[
        added(0, &json!({"type": "reasoning", "id": "rs_1", "summary": []})),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "Hm."}),
        json!({"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 0, "text": "Hm."}),
        json!({"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Hmm."}),
        done(0, &item.clone()),
        completed(&json!([item])),
    ]);
    let reply = assemble(&told.events);
    assert_eq!(reply.reasoning.as_deref(), Some("Hm."));
    assert_eq!(reply.reasoning_blocks[0].raw.read::<Value>().unwrap(), item);
    let encrypted = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let silent = assemble(&events(&[done(0, &encrypted), completed(&json!([]))]).events);
    assert_eq!((silent.reasoning, silent.reasoning_blocks.len()), (None, 1));
}

#[test]
fn items_of_the_providers_own_tools_are_kept_and_calls_for_the_caller_are_calls() {
    let told = events(&[
        added(0, &json!({"type": "web_search_call", "id": "ws_1", "status": "in_progress"})),
        json!({"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"}),
        done(0, &json!({"type": "web_search_call", "id": "ws_1", "status": "completed"})),
        done(1, &json!({"type": "an_item_of_tomorrow", "id": "x"})),
        added(2, &json!({"type": "computer_call", "id": "cu", "call_id": "c"})),
        done(
            2,
            &json!({"type": "computer_call", "id": "cu", "call_id": "c", "action": {"type": "screenshot"}}),
        ),
        completed(&json!([])),
    ]);
    let reply = assemble(&told.events);
    assert_eq!(reply.reasoning_blocks.len(), 2);
    assert_eq!((&*reply.tool_calls[0].name, &*reply.tool_calls[0].id), ("computer", "c"));
    let item: Value = serde_json::from_str(&reply.tool_calls[0].arguments).unwrap();
    assert_eq!(item["action"]["type"], "screenshot");
}

#[test]
fn places_may_be_missing_and_ids_may_change() {
    let told = events(&[
        json!({"type": "response.output_item.added", "item": {"type": "message", "id": "m1"}}),
        json!({"type": "response.output_text.delta", "item_id": "m1", "delta": "a"}),
        json!({"type": "response.output_item.added", "item": {"type": "function_call", "id": "f1", "call_id": "c", "name": "f"}}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "f1", "delta": "{}"}),
        json!({"type": "response.output_text.delta", "item_id": "m1", "delta": "b"}),
        completed(&json!([])),
    ]);
    let reply = assemble(&told.events);
    assert_eq!((reply.text.as_str(), reply.tool_calls[0].arguments.as_str()), ("ab", "{}"));
    let moved = events(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "one"}}),
        json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "two", "delta": "a"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "three", "content": [{"type": "output_text", "text": "a"}]}}),
        completed(&json!([])),
    ]);
    assert_eq!(assemble(&moved.events).text, "a");
}

#[test]
fn signs_of_life_are_no_content() {
    let told = read(
        ": OPENROUTER PROCESSING\n\nevent: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n\
         event: keepalive\ndata: soon\n\ndata:\n\ndata: {\"type\":\"response.event_of_tomorrow\",\"x\":1}\n\ndata: {}\n\n",
    );
    assert_eq!(told.events, vec![WireEvent::KeepAlive; 6]);
}

#[test]
fn an_error_ends_a_stream_in_any_dress() {
    let quota =
        json!({"type": "insufficient_quota", "code": "insufficient_quota", "message": "x", "param": null});
    for (event, kind, status) in [
        (
            json!({"type": "error", "code": "server_error", "message": "x", "param": null}),
            Kind::ServerError,
            500,
        ),
        (json!({"type": "error", "error": quota}), Kind::QuotaExhausted, 429),
        (
            json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "x"}}}),
            Kind::RateLimited,
            429,
        ),
        (
            json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "bio_policy", "message": "x"}}}),
            Kind::ContentFiltered,
            400,
        ),
        (json!({"type": "response.failed"}), Kind::ServerError, 500),
        (json!({"error": {"message": "x", "code": 503}}), Kind::Overloaded, 503),
    ] {
        let told = events(&[created(), text(0, "a"), event.clone(), completed(&json!([]))]);
        assert_eq!(told.events, [start(), said("a")], "{event}");
        let failed = told.failure.unwrap();
        assert_eq!((failed.kind, failed.status), (kind, Some(status)), "{event}");
        assert_eq!(failed.finish.as_deref(), Some("failed"), "{event}");
    }
    assert_eq!(read("event: error\ndata: gone\n\n").failure.unwrap().kind, Kind::ServerError);
}

#[test]
fn tokens_of_a_failed_answer_are_told() {
    let told = events(&[
        json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "x"},
        "usage": {"input_tokens": 3, "output_tokens": 1}}}),
    ]);
    assert_eq!(told.events, [usage()]);
}

#[test]
fn a_whole_body_instead_of_a_stream_is_read() {
    let body = r#"
{
  "id": "r", "model": "m", "status": "completed",

  "output": [{"type": "message", "content": [{"type": "output_text", "text": "All in one."}]},
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}]
}"#;
    let told = read(body);
    let reply = assemble(&told.events);
    assert_eq!((reply.text.as_str(), reply.tool_calls.len(), told.failure), ("All in one.", 1, None));
    assert_eq!(told.events.last(), Some(&WireEvent::End));
    assert_eq!(read(r#"{"error":{"message":"busy","code":503}}"#).failure.unwrap().status, Some(503));
    assert_eq!(read(r#"{"output":[{"type":"mess"#).failure.unwrap().kind, Kind::StreamInterrupted);
    assert_eq!(
        read("<html>\n<body>Bad gateway</body>\n</html>\n").failure.unwrap().kind,
        Kind::InvalidResponse
    );
}

#[test]
fn what_is_no_event_is_an_invalid_response() {
    for broken in
        ["data: hello\n\n", "data: {\"type\":\n\n", "event: response.output_text.delta\ndata: [1]\n\n"]
    {
        let told = read(&format!("{}{broken}{}", sse(&text(0, "a")), sse(&completed(&json!([])))));
        assert_eq!(told.failure.unwrap().kind, Kind::InvalidResponse, "{broken}");
    }
    let bytes = stream(&[b"data: {\"type\":\"response.output_text.delta\",\"delta\":\"\xff\"}\n\n"]);
    assert_eq!(bytes.failure.unwrap().kind, Kind::InvalidResponse);
}

#[test]
fn too_many_items_are_an_invalid_response() {
    let wire: String = (0..5000).map(|index| sse(&text(index, "a"))).collect();
    assert_eq!(stream(&[wire.as_bytes()]).failure.unwrap().kind, Kind::InvalidResponse);
}

#[test]
fn half_a_surrogate_pair_does_not_lose_the_text() {
    let told = read("data: {\"type\":\"response.output_text.delta\",\"delta\":\"ab\\ud83d\"}\n\n");
    assert!(assemble(&told.events).text.starts_with("ab\u{fffd}"));
}

#[test]
fn a_recorded_stream_may_be_cut_at_every_byte() {
    let mut tried = 0;
    for recording in recordings() {
        let body = recording["body"].as_str().unwrap_or_default();
        if recording["stream"] == json!(true) && body.len() < 5_000 && tried < 3 {
            read(body);
            tried += 1;
        }
    }
}
