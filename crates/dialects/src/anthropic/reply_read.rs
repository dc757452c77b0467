//! A whole reply: from the message object to what it says.
//!
//! Source: Anthropic API reference, Messages, 2026-11. What `stop_reason` means is not decided here.

use mainstay_canon::{Failure, Kind, ToolCall, WireReply};
use serde_json::value::RawValue;

use super::content::Order;
use super::error;
use super::json::{Object, items, keep, kept, text};
use super::wire::{Block, Counters, arguments, cuts_calls, explanation, is_blank, returnable, usage_extra};

/// Members of a message that have a canonical name, or say nothing.
pub(super) const KNOWN: [&str; 8] =
    ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"];

/// Reads the body of a 2xx reply.
pub(super) fn read(body: &[u8]) -> Result<WireReply, Failure> {
    let invalid = |why: &str| Failure::new(Kind::InvalidResponse, why);
    let text = std::str::from_utf8(body).map_err(|error| invalid("the body is not UTF-8").because(error))?;
    // Some servers add a byte order mark.
    let text = text.trim_start_matches('\u{feff}').trim();
    let object = Object::parse(text).map_err(|error| {
        let is_cut = error.is_eof() && !text.is_empty();
        let kind = if is_cut { Kind::StreamInterrupted } else { Kind::InvalidResponse };
        Failure::new(kind, "the body is not the JSON object of a message").because(error)
    })?;
    match error::inside(&object) {
        Some(failure) => Err(failure),
        None => Ok(message(&object)),
    }
}

/// Reads a message object. Whatever is missing or null reads as empty (behaviour 3.4).
pub(super) fn message(object: &Object<'_>) -> WireReply {
    let finish = object.word("stop_reason");
    let mut reply = WireReply {
        id: object.word("id"),
        model: object.word("model"),
        stop_sequence: object.word("stop_sequence"),
        extra: object.rest(&KNOWN),
        ..WireReply::default()
    };
    if finish.as_deref() == Some("refusal") {
        reply.refusal = explanation(object);
    }
    if let Some(content) = object.get("content") {
        let is_plain = read_content(content, &mut reply, cuts_calls(finish.as_deref()));
        if !is_plain {
            reply.extra.insert("content", keep(content));
        }
    }
    if let Some(usage) = object.object("usage") {
        let mut counters = Counters::default();
        counters.merge(&usage);
        reply.usage = counters.totals();
        let rest = usage_extra(&usage);
        if !rest.is_empty() {
            reply.extra.insert("usage", kept(&rest));
        }
    }
    reply.finish = finish;
    reply
}

/// Fills in what the content says. Whether the canonical fields say all of it, in its order; where not, a
/// caller of the same dialect needs the content itself.
pub(super) fn read_content(content: &RawValue, reply: &mut WireReply, may_be_cut: bool) -> bool {
    let Some(blocks) = items(content) else {
        // A compatible server may send the text itself.
        reply.text = text(content).unwrap_or_default().into_owned();
        return true;
    };
    let mut order = Order::default();
    let count = blocks.len();
    for (nth, raw) in blocks.into_iter().enumerate() {
        let Some(block) = Object::of(raw).as_ref().and_then(Block::of) else {
            order.break_off();
            continue;
        };
        order.take(&block);
        match block {
            Block::Text { text, .. } => reply.text.push_str(&text),
            Block::Thinking { text } => {
                if !text.is_empty() {
                    reply.reasoning.get_or_insert_default().push_str(&text);
                }
                reply.reasoning_blocks.push(returnable(keep(raw)));
            }
            Block::Redacted | Block::Opaque => reply.reasoning_blocks.push(returnable(keep(raw))),
            Block::ToolUse { id, name, input, extra } => {
                let is_cut = may_be_cut && nth + 1 == count && is_blank(input);
                let arguments = if is_cut { String::new() } else { arguments(input) };
                reply.tool_calls.push(ToolCall { id, name, arguments, extra });
            }
        }
    }
    order.is_plain()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> WireReply {
        read(text.as_bytes()).unwrap()
    }

    #[test]
    fn blocks_go_where_they_belong() {
        let reply = reply(
            r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[
                {"type":"thinking","thinking":"Hm. ","signature":"s1"},
                {"type":"redacted_thinking","data":"ZW5j"},
                {"type":"text","text":"It is "},
                {"type":"tool_use","id":"t1","name":"f","input":{"n": 1.50}}],
                "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":9}}"#,
        );
        assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("It is ", Some("Hm. ")));
        assert_eq!(
            reply.reasoning_blocks.iter().map(|block| block.raw.text()).collect::<Vec<_>>(),
            [
                r#"{"type":"thinking","thinking":"Hm. ","signature":"s1"}"#,
                r#"{"type":"redacted_thinking","data":"ZW5j"}"#
            ]
        );
        assert_eq!(reply.tool_calls[0].arguments, r#"{"n": 1.50}"#);
        assert_eq!(reply.finish.as_deref(), Some("tool_use"));
        assert!(reply.extra.is_empty(), "{:?}", reply.extra);
    }

    #[test]
    fn what_has_no_canonical_name_is_kept_as_it_stood() {
        let content = r#"[{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":"x"}},{"type":"text","text":"a","citations":[{"type":"t"}]},{"type":"text","text":"b"}]"#;
        let reply = reply(&format!(
            r#"{{"content":{content},"stop_reason":"end_turn","container":{{"id":"c"}},"context_management":null,
                "usage":{{"input_tokens":1,"output_tokens":2,"service_tier":"standard","server_tool_use":{{"web_search_requests":1}}}}}}"#
        ));
        assert_eq!(reply.text, "ab");
        assert_eq!(reply.extra.get("content").unwrap().text(), content);
        assert_eq!(reply.extra.get("container").unwrap().text(), r#"{"id":"c"}"#);
        assert_eq!(
            reply.extra.get("usage").unwrap().text(),
            r#"{"server_tool_use":{"web_search_requests":1},"service_tier":"standard"}"#
        );
        assert_eq!(reply.extra.names().count(), 3);
        assert!(reply.reasoning_blocks[0].raw.text().contains("server_tool_use"));
    }

    #[test]
    fn a_text_after_a_call_keeps_its_place() {
        let reply = reply(
            r#"{"content":[{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"text","text":"x"}],"stop_reason":"tool_use"}"#,
        );
        assert!(reply.extra.get("content").is_some());
    }

    #[test]
    fn missing_and_null_members_are_an_empty_reply() {
        for body in [
            "{}",
            r#"{"choices":[]}"#,
            r#"{"content":null,"usage":null,"stop_reason":null}"#,
            r#"{"content":[null,7,{},{"type":null}],"usage":[],"stop_reason":""}"#,
            r#"{"content":7,"id":7,"model":{}}"#,
        ] {
            let reply = reply(body);
            assert_eq!((reply.text.as_str(), reply.finish, reply.tool_calls.len()), ("", None, 0), "{body}");
            assert_eq!(reply.usage, mainstay_canon::WireUsage::default(), "{body}");
        }
    }

    #[test]
    fn a_refusal_has_its_explanation() {
        let reply = reply(
            r#"{"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"Declined."}}"#,
        );
        assert_eq!(reply.refusal.as_deref(), Some("Declined."));
        assert!(reply.extra.get("stop_details").unwrap().text().contains("bio"));
    }

    #[test]
    fn a_call_cut_before_its_arguments_is_not_one_without_arguments() {
        let with = |finish: &str| {
            format!(
                r#"{{"content":[{{"type":"tool_use","id":"t","name":"f","input":{{}}}}],"stop_reason":"{finish}"}}"#
            )
        };
        assert_eq!(reply(&with("max_tokens")).tool_calls[0].arguments, "");
        assert_eq!(reply(&with("tool_use")).tool_calls[0].arguments, "{}");
    }

    #[test]
    fn what_is_not_a_message_is_a_failure() {
        for (body, kind) in [
            ("", Kind::InvalidResponse),
            ("<html></html>", Kind::InvalidResponse),
            ("[]", Kind::InvalidResponse),
            (r#"{"content":["#, Kind::StreamInterrupted),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Kind::Overloaded,
            ),
            (r#"{"error":"boom"}"#, Kind::ServerError),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap_err().kind, kind, "{body}");
        }
        assert_eq!(read(b"\xff{}").unwrap_err().kind, Kind::InvalidResponse);
    }
}
