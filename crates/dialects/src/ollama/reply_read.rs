//! A whole reply, read.
//!
//! Missing and null members are no error: they read as an empty reply (behaviour 3.4). Members without a
//! canonical name, such as durations, are kept in `extra`.

use std::collections::BTreeMap;

use mainstay_canon::{Extra, Failure, JoinedExtra, Kind, RawJson, ToolCall, WireEvent, WireReply};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::errors;
use super::stream_read::{Reader, ending};
use super::wire::{Chunk, Said};
use crate::StreamReader;
use crate::openai_chat::excerpt::excerpt;

/// Members that have a canonical name.
const NAMED: [&str; 6] = ["model", "message", "done", "done_reason", "prompt_eval_count", "eval_count"];

/// The member that grows from line to line.
pub(super) const LOGPROBS: &str = "logprobs";

/// Reads the body of a 2xx reply.
pub(super) fn read(body: &[u8]) -> Result<WireReply, Failure> {
    let text = std::str::from_utf8(body)
        .map_err(|error| Failure::new(Kind::InvalidResponse, "the body is not UTF-8").because(error))?
        .trim_start_matches('\u{feff}')
        .trim();
    if !text.starts_with('{') {
        return Err(Failure::new(Kind::InvalidResponse, excerpt(text.as_bytes())));
    }
    let text = &*crate::surrogates::mended(text);
    match serde_json::from_str::<Chunk<'_>>(text) {
        Ok(chunk) => whole(&chunk, text),
        Err(error) if error.classify() == Category::Eof => {
            Err(Failure::new(Kind::StreamInterrupted, "the body ends early"))
        }
        Err(_) => lines(text),
    }
}

fn whole(chunk: &Chunk<'_>, text: &str) -> Result<WireReply, Failure> {
    if chunk.fails() {
        return Err(errors::of_json(text));
    }
    let finish = match chunk.done() {
        Some(true) => Some(ending(chunk)?),
        Some(false) => return Err(unfinished()),
        None if chunk.says() => return Err(unfinished()),
        None => None,
    };
    let said = chunk.message.as_ref();
    Ok(WireReply {
        model: chunk.model.owned(),
        text: said.and_then(|said| said.content.owned()).unwrap_or_default(),
        reasoning: said.and_then(|said| said.thinking.owned()),
        tool_calls: said.map(calls).unwrap_or_default(),
        finish,
        usage: chunk.usage(),
        extra: extra(text),
        ..WireReply::default()
    })
}

fn unfinished() -> Failure {
    Failure::new(Kind::StreamInterrupted, "the reply is not marked as done")
}

fn calls(said: &Said<'_>) -> Vec<ToolCall> {
    let call = |call: &super::wire::Call<'_>| ToolCall {
        id: call.id.owned().unwrap_or_default(),
        name: call.name().to_owned(),
        arguments: call.arguments().into_owned(),
        extra: Extra::new(),
    };
    said.calls().map(call).collect()
}

/// What has no canonical name, but no nulls: they say nothing.
pub(super) fn extra(text: &str) -> Extra {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    members
        .into_iter()
        .filter(|(name, raw)| !NAMED.contains(&name.as_str()) && raw.get() != "null")
        .filter_map(|(name, raw)| Some((name, RawJson::of(raw).ok()?)))
        .collect()
}

/// The server streamed although it was told not to: the lines, put together.
fn lines(text: &str) -> Result<WireReply, Failure> {
    let mut reader = Reader::default();
    let mut events = Vec::new();
    reader.push(text.as_bytes(), &mut events)?;
    // The body is all there, so its last line is whole.
    reader.push(b"\n", &mut events)?;
    reader.close(&mut events)?;
    let (mut reply, mut extra) = (WireReply::default(), JoinedExtra::default());
    for event in events {
        add(event, &mut reply, &mut extra);
    }
    reply.extra = extra.extra();
    Ok(reply)
}

fn add(event: WireEvent, reply: &mut WireReply, extra: &mut JoinedExtra) {
    match event {
        WireEvent::Start { model, .. } => reply.model = model,
        WireEvent::Text(text) => reply.text.push_str(&text),
        WireEvent::Reasoning(text) => reply.reasoning.get_or_insert_default().push_str(&text),
        WireEvent::ToolStart { id, name, extra, .. } => {
            reply.tool_calls.push(ToolCall { id, name, arguments: String::new(), extra });
        }
        WireEvent::ToolArguments { index, delta } => {
            if let Some(call) = reply.tool_calls.get_mut(index) {
                call.arguments.push_str(&delta);
            }
        }
        WireEvent::Finish { word, .. } => reply.finish = Some(word),
        WireEvent::Usage(usage) => reply.usage.merge(usage),
        WireEvent::Extra(piece) => {
            extra.add(&piece);
        }
        // The reader of this dialect gives neither blocks nor refusals.
        WireEvent::ReasoningBlock(_)
        | WireEvent::Shown(_)
        | WireEvent::Refusal(_)
        | WireEvent::ToolEnd { .. }
        | WireEvent::KeepAlive
        | WireEvent::End => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::WireUsage;

    fn of(body: &str) -> WireReply {
        read(body.as_bytes()).unwrap()
    }

    fn fails(body: &str) -> Failure {
        read(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_whole_reply_is_read() {
        let reply = of(
            r#"{"model":"qwen3:4b","created_at":"2026-08-04T19:58:15Z","message":{"role":"assistant","content":"Sunny.",
            "thinking":"Look up.","tool_calls":[{"id":"call_1","function":{"index":0,"name":"f","arguments":{"a": 1}}},
            {"function":{"name":"g","arguments":{}}}]},"done":true,"done_reason":"stop","total_duration":5,
            "prompt_eval_count":26,"eval_count":9}"#,
        );
        assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Sunny.", Some("Look up.")));
        assert_eq!((reply.finish.as_deref(), reply.model.as_deref()), (Some("stop"), Some("qwen3:4b")));
        let calls: Vec<_> = reply.tool_calls.iter().map(|c| (&*c.id, &*c.name, &*c.arguments)).collect();
        assert_eq!(calls, [("call_1", "f", "{\"a\": 1}"), ("", "g", "{}")]);
        let counted = WireUsage { prompt: Some(26), completion: Some(9), ..WireUsage::default() };
        assert_eq!(reply.usage, counted);
        assert_eq!(reply.extra.names().collect::<Vec<_>>(), ["created_at", "total_duration"]);
    }

    #[test]
    fn missing_members_read_as_an_empty_reply() {
        for body in ["{}", r#"{"message":null}"#, r#"{"message":{"content":""},"done":null}"#] {
            let reply = of(body);
            assert_eq!((reply.text.as_str(), &reply.finish), ("", &None), "{body}");
        }
        let uncounted = of(r#"{"message":{"content":"Hi"},"done":true,"done_reason":"stop"}"#);
        assert_eq!(uncounted.usage, WireUsage::default(), "not said, never zero");
    }

    #[test]
    fn an_answer_without_an_end_is_an_interruption() {
        for body in [
            r#"{"message":{"content":"Hi"}}"#,
            r#"{"message":{"content":"Hi"},"done":false}"#,
            r#"{"message":{"content":"Hi"},"done":true}"#,
            r#"{"message":{"content":"Hi"},"done":true,"done_reason":""}"#,
            r#"{"message":{"content":"Hi"#,
        ] {
            assert_eq!(fails(body).kind, Kind::StreamInterrupted, "{body}");
        }
    }

    #[test]
    fn what_is_no_reply_is_an_invalid_response() {
        for body in ["<!DOCTYPE html>", "Ollama is running", "[]", "7", "", "{]"] {
            assert_eq!(fails(body).kind, Kind::InvalidResponse, "{body}");
        }
        assert_eq!(read(b"{\xff}").unwrap_err().kind, Kind::InvalidResponse);
    }

    #[test]
    fn an_error_inside_a_200_is_an_error() {
        let failure = fails(r#"{"error":"model runner has unexpectedly stopped"}"#);
        assert_eq!((failure.kind, failure.status), (Kind::ServerError, Some(500)));
    }

    #[test]
    fn a_stream_that_nobody_asked_for_is_put_together() {
        let reply = of(concat!(
            r#"{"model":"q","message":{"thinking":"Hm."},"done":false}"#,
            "\n",
            r#"{"model":"q","message":{"content":"Yes"},"done":false}"#,
            "\n",
            r#"{"model":"q","message":{"content":".","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":true,"done_reason":"stop","eval_count":3}"#,
            "\n"
        ));
        assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Yes.", Some("Hm.")));
        assert_eq!((reply.finish.as_deref(), reply.usage.completion), (Some("stop"), Some(3)));
        assert_eq!(reply.tool_calls[0].arguments, "{}");
        let cut = "{\"message\":{\"content\":\"Yes\"},\"done\":false}\n{\"message\":{\"content\":\"!\"},\"done\":false}\n";
        assert_eq!(fails(cut).kind, Kind::StreamInterrupted);
    }
}
