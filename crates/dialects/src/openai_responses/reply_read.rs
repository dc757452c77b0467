//! A whole reply, read.
//!
//! Missing and null members are no error: they read as an empty reply (behaviour 3.4). Members of the response
//! without a canonical name are kept in `extra`, and the output as it came beside them: its items say more than
//! the canonical fields.

use mainstay_canon::{Extra, Failure, Kind, WireReply};
use serde_json::value::RawValue;

use super::items::{self, Item, Part};
use super::wire::{Response, text};
use super::{errors, shown, usage};
use crate::openai_chat::excerpt::excerpt;
use crate::openai_chat::json::{Members, keep, place};

/// The value of `object` in a response.
pub(super) const OBJECT: &str = "response";
/// The member of `extra` that holds the output as it came.
pub(super) const OUTPUT: &str = "output";

/// Members of a response that have a canonical name, or say nothing.
const KNOWN: [&str; 9] =
    ["id", "object", "created_at", "model", "status", "incomplete_details", "usage", "error", "output_text"];

/// Reads the body of a 2xx reply.
pub(super) fn read_reply(body: &[u8]) -> Result<WireReply, Failure> {
    let text = std::str::from_utf8(body)
        .map_err(|error| Failure::new(Kind::InvalidResponse, "the body is not UTF-8").because(error))?
        .trim_start_matches('\u{feff}')
        .trim();
    if !text.starts_with('{') {
        return Err(Failure::new(Kind::InvalidResponse, excerpt(text.as_bytes())));
    }
    let unreadable = |error: serde_json::Error| {
        let kind = if error.is_eof() { Kind::StreamInterrupted } else { Kind::InvalidResponse };
        Failure::new(kind, format!("the body is not a response: {}", place(&error)))
    };
    let raw: &RawValue = serde_json::from_str(text).map_err(unreadable)?;
    let response: Response<'_> = serde_json::from_str(text).map_err(unreadable)?;
    match errors::inside(&response, raw) {
        Some(failure) => Err(failure),
        None => Ok(whole(&response, raw)),
    }
}

fn whole(response: &Response<'_>, raw: &RawValue) -> WireReply {
    let mut reply = WireReply {
        id: response.id.owned(),
        model: response.model.owned(),
        finish: response.word(),
        usage: response.usage.map(usage::read).unwrap_or_default(),
        extra: extra(raw),
        ..WireReply::default()
    };
    read_output(&response.items(), &mut reply);
    if reply.text.is_empty() && reply.tool_calls.is_empty() && reply.refusal.is_none() {
        // Servers with an output of their own still send the text.
        reply.text = text(response.output_text).unwrap_or_default().into_owned();
    }
    reply
}

/// Fills in what the items of an output say.
pub(super) fn read_output(output: &[&RawValue], reply: &mut WireReply) {
    for raw in output {
        match items::item(raw) {
            Item::Message(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => reply.text.push_str(&text),
                        Part::Refusal(text) => reply.refusal.get_or_insert_default().push_str(&text),
                        Part::Other => {}
                    }
                }
            }
            Item::Reasoning(text) => {
                if !text.is_empty() {
                    reply.reasoning.get_or_insert_default().push_str(&text);
                }
                reply.reasoning_blocks.extend(items::block(raw));
            }
            Item::Call(call) => reply.tool_calls.push(call),
            Item::Other => {
                reply.reasoning_blocks.extend(items::block(raw));
                reply.shown.extend(shown::of_item(raw));
            }
        }
    }
}

/// What has no canonical name, but no nulls: they say nothing and there are many.
pub(super) fn extra(raw: &RawValue) -> Extra {
    let members: Members<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
    let mut extra = Extra::new();
    for (name, value) in members.iter().filter(|(name, value)| !KNOWN.contains(name) && value.get() != "null")
    {
        keep(&mut extra, name, value);
    }
    extra
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(output: &str) -> WireReply {
        read_reply(format!(r#"{{"status":"completed","output":{output}}}"#).as_bytes()).unwrap()
    }

    #[test]
    fn missing_and_null_members_read_as_empty() {
        for body in [
            "{}",
            r#"{"output":null}"#,
            r#"{"output":[]}"#,
            r#"{"output":[null,{}]}"#,
            r#"{"output":[{"type":"message"}],"usage":null,"error":null}"#,
            r#"{"output":[{"type":"message","content":[null,{"type":"output_text"}]}]}"#,
        ] {
            let reply = read_reply(body.as_bytes()).unwrap();
            assert_eq!((reply.text.as_str(), &reply.finish, &reply.reasoning), ("", &None, &None), "{body}");
            assert!(reply.tool_calls.is_empty(), "{body}");
        }
    }

    #[test]
    fn what_is_no_response_is_an_invalid_response() {
        for body in ["<!DOCTYPE html><html>", "hello", "[]", "7"] {
            assert_eq!(read_reply(body.as_bytes()).unwrap_err().kind, Kind::InvalidResponse, "{body}");
        }
        assert_eq!(read_reply(br#"{"output":"#).unwrap_err().kind, Kind::StreamInterrupted);
        assert_eq!(read_reply(b"\xff").unwrap_err().kind, Kind::InvalidResponse);
    }

    #[test]
    fn every_item_has_its_place() {
        let reply = of(
            r#"[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look."}],"encrypted_content":"x"},
            {"type":"web_search_call","id":"ws_1","n":1.0},
            {"type":"message","content":[{"type":"output_text","text":"One "}]},
            {"type":"message","content":[{"type":"output_text","text":"two."},{"type":"refusal","refusal":"No."}]},
            {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
            {"type":"a_call_of_tomorrow","id":"x"}]"#,
        );
        assert_eq!((reply.text.as_str(), reply.refusal.as_deref()), ("One two.", Some("No.")));
        assert_eq!((reply.reasoning.as_deref(), reply.tool_calls.len()), (Some("Look."), 1));
        let blocks: Vec<&str> = reply.reasoning_blocks.iter().map(|block| block.raw.text()).collect();
        assert_eq!(blocks.len(), 3);
        assert_eq!(
            blocks[1..],
            [
                r#"{"type":"web_search_call","id":"ws_1","n":1.0}"#,
                r#"{"type":"a_call_of_tomorrow","id":"x"}"#
            ]
        );
    }

    #[test]
    fn members_without_a_name_of_ours_are_kept() {
        let reply = read_reply(
            br#"{"id":"r","object":"response","created_at":1,"status":"completed","service_tier":"default","user":null,
            "output":[ {"type":"message"} ],"temperature":1.0,"output_text":"said","error":null}"#,
        )
        .unwrap();
        let kept: Vec<_> = reply.extra.iter().map(|(name, raw)| format!("{name}={}", raw.text())).collect();
        assert_eq!(
            kept,
            [r#"output=[ {"type":"message"} ]"#, r#"service_tier="default""#, "temperature=1.0"]
        );
        assert_eq!(reply.text, "said");
    }
}
