//! What a stream of chunks tells, case by case. Every stream here is also cut at every byte.

use mainstay_canon::{Dialect, ExtraPiece, Joins, Kind, RawJson, WireEvent, WireUsage};

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

/// A stream of these chunks.
fn chunks(chunks: &[&str]) -> Streamed {
    let events: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    read(&events.concat())
}

fn text(text: &str) -> String {
    format!(r#"{{"id":"c","model":"m","choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#)
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

fn start() -> WireEvent {
    WireEvent::Start { id: Some("c".into()), model: Some("m".into()) }
}

fn stop() -> WireEvent {
    WireEvent::Finish { word: "stop".into(), native: None, stop_sequence: None }
}

fn extra(joins: Joins, name: &str, json: &str) -> WireEvent {
    let members = [(name.to_owned(), RawJson::parse(json).unwrap())].into_iter().collect();
    WireEvent::Extra(ExtraPiece { dialect: Dialect::OpenaiChat, members, joins })
}

#[test]
fn what_only_this_dialect_says_is_told_where_it_stands_and_once() {
    let chunk = |rest: &str| {
        format!(r#"{{"id":"c","model":"m","system_fingerprint":"fp","obfuscation":"x1","choices":[{rest}]}}"#)
    };
    let told = chunks(&[
        &chunk(r#"{"index":0,"delta":{"content":"a"},"logprobs":{"content":[1.0]}}"#),
        &chunk(
            r#"{"index":0,"delta":{"content":"b"},"logprobs":{"content":[2.0]},"content_filter_results":{"hate":{"filtered":false}}}"#,
        ),
        &chunk(
            r#"{"index":0,"delta":{"annotations":[{"n":1.0}]},"content_filter_results":{"hate":{"filtered":false}}}"#,
        ),
        &chunk(r#"{"index":0,"delta":{"annotations":[{"n":2.0}]},"finish_reason":"stop"}"#),
    ]);
    let probabilities = |json: &str| extra(Joins::Append, "choices[0].logprobs", json);
    assert_eq!(told.events[1], extra(Joins::Replace, "system_fingerprint", "\"fp\""));
    assert_eq!(told.events[2..4], [probabilities(r#"{"content":[1.0]}"#), WireEvent::Text("a".into())]);
    assert_eq!(told.events.len(), 9, "{:?}", told.events);
    let kept: Vec<_> =
        assemble(&told.events).extra.iter().map(|(name, raw)| format!("{name}={}", raw.text())).collect();
    assert_eq!(
        kept,
        [
            r#"choices[0].content_filter_results={"hate":{"filtered":false}}"#,
            r#"choices[0].logprobs={"content":[1.0,2.0]}"#,
            r#"choices[0].message.annotations=[{"n":1.0},{"n":2.0}]"#,
            r#"system_fingerprint="fp""#
        ]
    );
}

#[test]
fn a_streamed_call_keeps_what_only_its_host_understands() {
    let told = chunks(&[
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"name":"f","arguments":"{}","x":1}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"custom","custom":{"name":"sum","input":"4 "}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"custom":{"input":"+ 4"}}]},"finish_reason":"tool_calls"}]}"#,
    ]);
    let reply = assemble(&told.events);
    let [call, free] = &reply.tool_calls[..] else { panic!("{reply:?}") };
    assert_eq!(call.extra.names().collect::<Vec<_>>(), ["extra_content", "function.x"]);
    assert_eq!((free.arguments.as_str(), free.extra.get("type").unwrap().text()), ("4 + 4", "\"custom\""));
}

#[test]
fn an_ordinary_stream_is_told_in_order() {
    let told = chunks(&[
        r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
        &text("Hi"),
        r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{}}],"usage":null}"#,
        STOP,
        r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}"#,
        "[DONE]",
    ]);
    let usage = WireUsage { prompt: Some(3), completion: Some(1), ..WireUsage::default() };
    assert_eq!(
        told.events,
        [
            start(),
            WireEvent::Text("Hi".into()),
            WireEvent::KeepAlive,
            stop(),
            WireEvent::Usage(usage),
            WireEvent::End
        ]
    );
    assert_eq!(told.failure, None);
}

#[test]
fn a_finish_word_is_an_end_and_nothing_is_an_interruption() {
    assert_eq!(chunks(&[&text("a"), STOP]).failure, None);
    let cut = chunks(&[&text("a")]);
    assert_eq!(cut.failure.unwrap().0, Kind::StreamInterrupted);
    assert_eq!(cut.events, [start(), WireEvent::Text("a".into())]);
    assert_eq!(chunks(&[]).failure.unwrap().0, Kind::StreamInterrupted);
    assert_eq!(read("data: {\"choices\":[{\"delta\":{\"con").failure.unwrap().0, Kind::StreamInterrupted);
    // What is cut after a finish word is not the answer.
    for tail in ["data: [DON", "data: {\"choices\":[],\"usage\":{\"prom", "da", "event: x"] {
        let told = read(&format!("data: {}\n\ndata: {STOP}\n\n{tail}", text("a")));
        assert_eq!(told.failure, None, "{tail}");
    }
    // The terminator alone ends a stream too; that no word came is judged above.
    assert_eq!(chunks(&[&text("a"), "[DONE]"]).failure, None);
}

#[test]
fn what_follows_the_terminator_is_ignored() {
    let told = chunks(&[&text("a"), STOP, "[DONE]", &text("b"), "not json", r#"{"error":"x"}"#]);
    assert_eq!((told.events.last(), told.failure), (Some(&WireEvent::End), None));
}

#[test]
fn an_error_may_come_at_any_point_and_in_any_dress() {
    for (wire, kind, status) in [
        (r#"data: {"error":{"message":"x","code":429}}"#, Kind::RateLimited, 429),
        ("event: error\ndata: {\"message\":\"x\",\"type\":\"server_error\"}", Kind::ServerError, 500),
        ("event: error\ndata: gone", Kind::ServerError, 500),
        (
            r#"data: {"choices":[{"index":0,"delta":{},"error":{"code":502,"message":"x"}}]}"#,
            Kind::ServerError,
            502,
        ),
        (r#"data: {"choices":[],"x_groq":{"id":"r","error":"rate_limit_exceeded"}}"#, Kind::RateLimited, 429),
        (
            r#"data: {"base_resp":{"status_code":1039,"status_msg":"TPM"},"choices":null}"#,
            Kind::RateLimited,
            429,
        ),
        (
            r#"data: {"object":"error","message":"x","code":400,"type":"BadRequestError"}"#,
            Kind::InvalidRequest,
            400,
        ),
    ] {
        let told = read(&format!("data: {}\n\n{wire}\n\ndata: [DONE]\n\n", text("a")));
        assert_eq!(told.events, [start(), WireEvent::Text("a".into())], "{wire}");
        let (found, found_status, _) = told.failure.unwrap();
        assert_eq!((found, found_status), (kind, Some(status)), "{wire}");
    }
}

#[test]
fn text_and_usage_beside_an_error_are_kept_but_not_its_finish_word() {
    let told = chunks(&[
        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}],"error":{"code":400,"message":"Token limit reached"},"usage":{"completion_tokens":9}}"#,
    ]);
    let usage = WireUsage { completion: Some(9), ..WireUsage::default() };
    assert_eq!(told.events, [WireEvent::Text("a".into()), WireEvent::Usage(usage)]);
    assert_eq!(told.failure.unwrap().1, Some(400));
}

#[test]
fn only_the_first_choice_is_told() {
    let told = chunks(&[
        r#"{"choices":[{"index":1,"delta":{"content":"B"},"finish_reason":"stop"},{"index":0,"delta":{"content":"A"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]);
    assert_eq!(assemble(&told.events).text, "Aa");
}

#[test]
fn comments_pings_and_empty_deltas_are_signs_of_life() {
    let told = read(
        ": OPENROUTER PROCESSING\n\nevent: ping\ndata: {}\n\nevent: keepalive\ndata: soon\n\ndata:\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":null}}]}\n\ndata: [DONE]\n\n",
    );
    let mut expected = vec![WireEvent::KeepAlive; 5];
    expected.push(WireEvent::End);
    assert_eq!(told.events, expected);
}

#[test]
fn id_and_model_are_told_when_they_are_new() {
    let told = chunks(&[
        r#"{"id":"","model":"","object":"","choices":[],"prompt_filter_results":[]}"#,
        r#"{"id":"c","model":"m","choices":[{"index":0,"finish_reason":null}]}"#,
        r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
        r#"{"id":"c","model":"m-2","choices":[]}"#,
    ]);
    let renamed = WireEvent::Start { id: Some("c".into()), model: Some("m-2".into()) };
    let filter = extra(Joins::Replace, "prompt_filter_results", "[]");
    assert_eq!(told.events, [filter, start(), WireEvent::Text("a".into()), stop(), renamed]);
}

#[test]
fn a_finish_word_may_come_twice_and_usage_is_a_running_total() {
    let told = chunks(&[
        r#"{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":null}}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop","native_finish_reason":"STOP"}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"completion_tokens":2}}"#,
        r#"{"choices":[],"x_groq":{"id":"r","usage":{"prompt_tokens":6}}}"#,
    ]);
    let reply = assemble(&told.events);
    assert_eq!((reply.usage.prompt, reply.usage.completion), (Some(6), Some(2)));
    assert_eq!((reply.finish.as_deref(), reply.native_finish.as_deref()), (Some("stop"), Some("STOP")));
}

#[test]
fn reasoning_that_was_sent_empty_is_told_once_and_last() {
    let hollow =
        chunks(&[r#"{"choices":[{"index":0,"delta":{"reasoning_content":"","content":"a"}}]}"#, STOP]);
    assert_eq!(hollow.events, [WireEvent::Text("a".into()), WireEvent::Reasoning(String::new()), stop()]);
    let filled = chunks(&[
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":""}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"r","reasoning":"r"}}]}"#,
        STOP,
    ]);
    assert_eq!(filled.events, [WireEvent::KeepAlive, WireEvent::Reasoning("r".into()), stop()]);
}

#[test]
fn reasoning_details_are_told_whole_before_the_finish() {
    let told = chunks(&[
        r#"{"choices":[{"index":0,"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","signature":"s","index":0}]}}]}"#,
        STOP,
    ]);
    let reply = assemble(&told.events);
    assert_eq!(reply.reasoning.as_deref(), Some("ab"));
    assert_eq!(
        reply.reasoning_blocks[0].raw.text(),
        r#"{"type":"reasoning.text","text":"ab","index":0,"signature":"s"}"#
    );
    assert!(matches!(told.events[..], [_, _, WireEvent::ReasoningBlock(_), WireEvent::Finish { .. }]));
}

#[test]
fn a_message_in_place_of_deltas_counts_once() {
    let alone = chunks(&[r#"{"choices":[{"index":0,"message":{"content":"all"},"finish_reason":"stop"}]}"#]);
    assert_eq!(assemble(&alone.events).text, "all");
    let repeated = chunks(&[
        r#"{"choices":[{"index":0,"delta":{"content":"all"}}]}"#,
        r#"{"choices":[{"index":0,"message":{"content":"all"},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(assemble(&repeated.events).text, "all");
}

#[test]
fn a_whole_body_instead_of_a_stream_is_read() {
    let body = r#"
{
  "id": "c", "model": "m",

  "choices": [{"index": 0, "message": {"content": "All in one.", "tool_calls":
    [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}, "finish_reason": "stop"}]
}"#;
    let told = read(body);
    let reply = assemble(&told.events);
    assert_eq!((reply.text.as_str(), reply.tool_calls.len(), told.failure), ("All in one.", 1, None));
    assert_eq!(told.events.last(), Some(&WireEvent::End));
    assert_eq!(read(r#"{"error":{"message":"busy","code":503}}"#).failure.unwrap().1, Some(503));
    assert_eq!(read(r#"{"choices":[{"message":{"content":"cut"#).failure.unwrap().0, Kind::StreamInterrupted);
    assert_eq!(read("<html>\n<body>Bad gateway</body>\n</html>\n").failure.unwrap().0, Kind::InvalidResponse);
}

#[test]
fn what_is_no_chunk_is_an_invalid_response() {
    assert_eq!(chunks(&[&text("a"), "hello", STOP]).failure.unwrap().0, Kind::InvalidResponse);
    assert_eq!(chunks(&[&text("a"), r#"{"choices":"#, STOP]).failure.unwrap().0, Kind::InvalidResponse);
    let bytes = stream(&[b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n"]);
    assert_eq!(bytes.failure.unwrap().0, Kind::InvalidResponse);
}

#[test]
fn the_stop_text_is_told_with_the_finish() {
    let told =
        chunks(&[r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop","stop_reason":"END"}]}"#]);
    let finish = WireEvent::Finish { word: "stop".into(), native: None, stop_sequence: Some("END".into()) };
    let kept = extra(Joins::Append, "choices[0].stop_reason", "\"END\"");
    assert_eq!(told.events, [kept, finish]);
}

#[test]
fn what_stands_behind_the_terminator_is_ignored_even_where_it_is_unreadable() {
    let mut wire = format!("data: {}\n\ndata: {STOP}\n\ndata: [DONE]\n\n", text("a")).into_bytes();
    let plain = stream(&[&wire]);
    assert_eq!(plain.failure, None);
    wire.extend_from_slice(b"data: \xff\n\ndata: {\"error\":{\"message\":\"late\"}}\n\n");
    assert_eq!(stream(&[&wire]), plain);
    let bytes: Vec<&[u8]> = wire.chunks(1).collect();
    assert_eq!(stream(&bytes), plain);
}
