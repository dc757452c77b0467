//! A whole reply: one response, or the list of them that a stream without `alt=sse` is.
//!
//! Source: Gemini API reference, GenerateContentResponse, 2026-11. It is read by the same machine as a stream; here
//! its events are joined again, and what has no canonical name is kept.

use mainstay_canon::{Failure, JoinedExtra, Kind, ToolCall, WireEvent, WireReply};

use super::json::{Object, items};
use super::reading::Reading;

/// Reads the body of a 2xx reply.
pub(super) fn read(body: &[u8]) -> Result<WireReply, Failure> {
    let invalid = |why: &str| Failure::new(Kind::InvalidResponse, why);
    let text = std::str::from_utf8(body).map_err(|error| invalid("the body is not UTF-8").because(error))?;
    let no_json = || invalid("the body is not the JSON of a response");
    // Some servers add a byte order mark.
    let text = text.trim_start_matches('\u{feff}').trim();
    let raw = serde_json::from_str(text).map_err(|error| {
        let is_cut = error.is_eof() && !text.is_empty();
        if is_cut { Failure::new(Kind::StreamInterrupted, "the body ends early") } else { no_json() }
    })?;
    let responses = items(raw).unwrap_or_else(|| vec![raw]);
    let (mut reading, mut events) = (Reading::default(), Vec::new());
    for response in responses {
        let response = Object::of(response).ok_or_else(no_json)?;
        reading.response(&response, &mut events)?;
    }
    reading.end(&mut events);
    let (mut reply, mut extra) = (WireReply::default(), JoinedExtra::default());
    for event in events {
        join(event, &mut reply, &mut extra);
    }
    reply.extra = extra.extra();
    Ok(reply)
}

fn join(event: WireEvent, reply: &mut WireReply, extra: &mut JoinedExtra) {
    match event {
        WireEvent::Start { id, model } => {
            reply.id = id;
            reply.model = model;
        }
        WireEvent::Text(text) if reply.text.is_empty() => reply.text = text,
        WireEvent::Text(text) => reply.text.push_str(&text),
        WireEvent::Reasoning(text) => reply.reasoning.get_or_insert_default().push_str(&text),
        WireEvent::ReasoningBlock(block) => reply.reasoning_blocks.push(block),
        WireEvent::Shown(shown) => reply.shown.push(shown),
        WireEvent::Refusal(text) => reply.refusal.get_or_insert_default().push_str(&text),
        WireEvent::ToolStart { id, name, extra, .. } => {
            reply.tool_calls.push(ToolCall { id, name, arguments: String::new(), extra });
        }
        WireEvent::ToolArguments { index, delta } => {
            if let Some(call) = reply.tool_calls.get_mut(index) {
                call.arguments.push_str(&delta);
            }
        }
        WireEvent::Finish { word, native, stop_sequence } => {
            reply.finish = Some(word);
            reply.native_finish = native;
            reply.stop_sequence = stop_sequence;
        }
        WireEvent::Usage(usage) => reply.usage = usage,
        WireEvent::Extra(piece) => {
            extra.add(&piece);
        }
        WireEvent::ToolEnd { .. } | WireEvent::KeepAlive | WireEvent::End => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> WireReply {
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_response_is_read_whole() {
        let reply = reply(
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Hm","thought":true},{"text":"a"},{"text":"b"},
                {"functionCall":{"name":"f","args":{"n": 1.50}},"thoughtSignature":"s"}]},"finishReason":"STOP","index":0}],
                "usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":9,"thoughtsTokenCount":2},
                "modelVersion":"m","responseId":"r"}"#,
        );
        assert_eq!((reply.id.as_deref(), reply.model.as_deref()), (Some("r"), Some("m")));
        assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("ab", Some("Hm")));
        assert_eq!(
            (reply.tool_calls[0].id.as_str(), reply.tool_calls[0].arguments.as_str()),
            ("", r#"{"n": 1.50}"#)
        );
        assert_eq!(reply.tool_calls[0].extra.get("thoughtSignature").unwrap().text(), "\"s\"");
        assert_eq!(reply.finish.as_deref(), Some("STOP"));
        assert_eq!((reply.usage.prompt, reply.usage.completion), (Some(3), Some(11)));
        assert!(reply.extra.is_empty(), "{:?}", reply.extra);
    }

    #[test]
    fn what_has_no_canonical_name_is_kept_as_it_stood() {
        let reply = reply(
            r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","avgLogprobs":-0.50,
                "groundingMetadata":{"webSearchQueries":[]}}],"createTime":"t","promptFeedback":{"blockReason":null},
                "usageMetadata":{"promptTokenCount":1,"trafficType":"ON_DEMAND"}}"#,
        );
        let names: Vec<&str> = reply.extra.names().collect();
        assert_eq!(
            names,
            ["avgLogprobs", "createTime", "groundingMetadata", "promptFeedback", "usageMetadata"]
        );
        assert_eq!(reply.extra.get("avgLogprobs").unwrap().text(), "-0.50");
        assert_eq!(reply.extra.get("usageMetadata").unwrap().text(), r#"{"trafficType":"ON_DEMAND"}"#);
    }

    #[test]
    fn a_list_of_responses_is_one_reply() {
        let reply = reply(
            r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1}},
                {"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],
                 "usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}]"#,
        );
        assert_eq!((reply.text.as_str(), reply.finish.as_deref()), ("ab", Some("STOP")));
        assert_eq!(reply.usage.completion, Some(2));
    }

    #[test]
    fn missing_and_null_members_are_an_empty_reply() {
        for body in [
            "{}",
            "[]",
            " {\"candidates\":[]} ",
            r#"{"candidates":null,"usageMetadata":null}"#,
            r#"{"candidates":[null,7]}"#,
            r#"{"candidates":[{"content":null,"finishReason":null}],"modelVersion":{}}"#,
            r#"{"candidates":[{"content":{"parts":[null,7,{},{"text":7},{"functionCall":null}]}}]}"#,
        ] {
            let reply = reply(body);
            assert_eq!((reply.text.as_str(), reply.finish, reply.tool_calls.len()), ("", None, 0), "{body}");
            assert_eq!(reply.usage, mainstay_canon::WireUsage::default(), "{body}");
        }
    }

    #[test]
    fn what_is_no_response_is_a_failure() {
        for (body, kind) in [
            ("", Kind::InvalidResponse),
            ("<html></html>", Kind::InvalidResponse),
            ("[7]", Kind::InvalidResponse),
            (r#"{"candidates":["#, Kind::StreamInterrupted),
            (r#"{"error":{"code":503,"status":"UNAVAILABLE"}}"#, Kind::Overloaded),
            (r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]"#, Kind::RateLimited),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap_err().kind, kind, "{body}");
        }
        assert_eq!(read(b"\xff{}").unwrap_err().kind, Kind::InvalidResponse);
    }
}
