//! What a client writes that keeps nothing in mind but the text: the `eventsource-stream` crate, or lines, and
//! each event's whole JSON as a `serde_json::Value`.

use std::convert::Infallible;

use eventsource_stream::Eventsource;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;

/// Reads a stream and hands on each piece of text that stands at one of these paths.
pub(crate) fn read(dialect: &str, chunks: &[&[u8]], on_text: &mut impl FnMut(String)) {
    if dialect == "ollama" {
        return lines(chunks, |data| on_text(text(data, "/message/content")));
    }
    let path = match dialect {
        "openai_chat" => "/choices/0/delta/content",
        "openai_responses" => "/delta",
        "anthropic" => "/delta/text",
        _ => "/candidates/0/content/parts/0/text",
    };
    let bytes = stream::iter(chunks).map(Ok::<_, Infallible>);
    let read = bytes.eventsource().for_each(|event| {
        on_text(text(&event.unwrap().data, path));
        std::future::ready(())
    });
    read.now_or_never().unwrap();
}

fn text(data: &str, path: &str) -> String {
    let Ok(mut event) = serde_json::from_str::<Value>(data) else { return String::new() };
    match event.pointer_mut(path).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

fn lines(chunks: &[&[u8]], mut on_line: impl FnMut(&str)) {
    let mut held: Vec<u8> = Vec::new();
    for chunk in chunks {
        held.extend_from_slice(chunk);
        let Some(last) = held.iter().rposition(|byte| *byte == b'\n') else { continue };
        let rest = held.split_off(last + 1);
        std::str::from_utf8(&held).unwrap().lines().for_each(&mut on_line);
        held = rest;
    }
}
