//! A whole reply, read.
//!
//! Missing and null members are no error: they read as an empty reply (behaviour 3.4). Members without a
//! canonical name are kept in `extra` under their path from the body: `system_fingerprint`,
//! `choices[0].logprobs`, `choices[0].message.annotations`.

use mainstay_canon::{Extra, Failure, Kind, RawJson, WireReply, WireUsage};
use serde_json::value::RawValue;

use super::content::{Piece, pieces};
use super::excerpt::excerpt;
use super::json::{Members, keep, place};
use super::lenient::{Many, Text, read, read_object};
use super::wire::{Choice, Reply, Said};
use super::{errors, reasoning, shown, usage, whole_calls};
use crate::paths::beneath;
use crate::surrogates;

/// The value of `object` in a whole reply.
pub(super) const OBJECT: &str = "chat.completion";
/// Where a choice's own members stand in `extra`.
pub(super) const CHOICE: &str = "choices[0].";
/// Where a message's own members stand in `extra`.
pub(super) const MESSAGE: &str = "choices[0].message.";

/// Reads the body of a 2xx reply.
pub(super) fn read_reply(body: &[u8]) -> Result<WireReply, Failure> {
    // DeepSeek and OpenRouter send blank lines while the model thinks; some servers add a byte order mark.
    let text = std::str::from_utf8(body)
        .map_err(|error| Failure::new(Kind::InvalidResponse, "the body is not UTF-8").because(error))?
        .trim_start_matches('\u{feff}')
        .trim();
    let text = surrogates::mended(text);
    let reply = parse(&text)?;
    if let Some(failure) = errors::inside(&reply, &text) {
        return Err(failure);
    }
    Ok(whole(reply, &text))
}

/// Reads the JSON of a reply, or says why it is none.
pub(super) fn parse(text: &str) -> Result<Reply<'_>, Failure> {
    if !text.starts_with('{') {
        return Err(Failure::new(Kind::InvalidResponse, excerpt(text.as_bytes())));
    }
    serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_eof() { Kind::StreamInterrupted } else { Kind::InvalidResponse };
        Failure::new(kind, format!("the body is not a chat completion: {}", place(&error)))
    })
}

/// The reply that a parsed body is. `text` is the body itself.
pub(super) fn whole(reply: Reply<'_>, text: &str) -> WireReply {
    let mut members: Members<'_> = serde_json::from_str(text).unwrap_or_default();
    let mut out = WireReply { id: reply.id.owned(), model: reply.model.owned(), ..WireReply::default() };
    out.usage = total_usage(&reply);
    let choices = read::<Many<&RawValue>>(members.take("choices")).0;
    if let Some(choice) = reply.choices.first {
        let raw = choices.into_iter().find(|raw| {
            serde_json::from_str::<Choice<'_>>(raw.get()).is_ok_and(|other| other.index == choice.index)
        });
        read_choice(choice, read(raw), &mut out);
    }
    for known in ["id", "object", "created", "model", "usage", "error", "base_resp"] {
        members.take(known);
    }
    keep_filled(&mut out.extra, &members, "");
    out
}

/// Usage, wherever it stands.
pub(super) fn total_usage(reply: &Reply<'_>) -> WireUsage {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Groq<'a> {
        #[serde(borrow)]
        usage: Option<&'a RawValue>,
    }
    let mut total = read_object::<Groq<'_>>(reply.x_groq).usage.map(usage::usage).unwrap_or_default();
    if let Some(raw) = reply.usage {
        total.merge(usage::usage(raw));
    }
    total
}

fn read_choice(choice: Choice<'_>, mut members: Members<'_>, out: &mut WireReply) {
    let message = members.take("message").or_else(|| members.take("delta"));
    out.finish = choice.finish_reason.owned();
    out.native_finish = choice.native_finish_reason.owned();
    out.stop_sequence = stop_text(choice.stop_reason);
    if let Some(said) = choice.message.or(choice.delta) {
        read_message(said, read(message), out);
    }
    for known in ["index", "finish_reason", "delta", "error"] {
        members.take(known);
    }
    keep_filled(&mut out.extra, &members, CHOICE);
}

/// The stop text that was hit. vLLM sends the number of a token where that ended it.
pub(super) fn stop_text(raw: Option<&RawValue>) -> Option<String> {
    let raw = raw.filter(|raw| raw.get().starts_with('"'))?;
    read::<Text<'_>>(Some(raw)).owned()
}

fn read_message(said: Said<'_>, mut members: Members<'_>, out: &mut WireReply) {
    out.tool_calls = whole_calls::whole_calls(&said, &mut members);
    if let Some(content) = said.content {
        read_content(content, out);
    }
    let items = reasoning::items(said.reasoning_details);
    let texts = items.iter().map(|item| reasoning::item_text(item)).collect::<String>();
    out.reasoning_blocks.extend(items.into_iter().filter_map(reasoning::block));
    let named = reasoning_text(said.reasoning_content, said.reasoning);
    let beside = named.or_else(|| (!texts.is_empty()).then_some(texts));
    // Where both came, the parts of the content were the whole of it.
    out.reasoning = out.reasoning.take().or(beside);
    out.refusal = out.refusal.take().or_else(|| said.refusal.owned());
    for known in ["role", "content", "refusal", "reasoning_content", "reasoning", "reasoning_details"] {
        members.take(known);
    }
    out.shown.extend(members.iter().flat_map(|(name, raw)| shown::of_member(name, raw)));
    keep_filled(&mut out.extra, &members, MESSAGE);
}

/// The reasoning text, under the one name or the other; hosts in between send it under both. An empty text
/// that was sent is kept as empty: DeepSeek wants it back.
pub(super) fn reasoning_text(content: Text<'_>, plain: Text<'_>) -> Option<String> {
    if content.filled().is_some() || plain.0.is_none() { content.given() } else { plain.given() }
        .map(std::borrow::Cow::into_owned)
}

fn read_content(raw: &RawValue, out: &mut WireReply) {
    let mut unplaced = Vec::new();
    pieces(raw, |piece| match piece {
        Piece::Text(text) => out.text.push_str(&text),
        Piece::Refusal(text) => out.refusal.get_or_insert_default().push_str(&text),
        Piece::Thinking(text, part) => {
            out.reasoning.get_or_insert_default().push_str(&text);
            out.reasoning_blocks.extend(reasoning::block(part));
        }
        Piece::Other(part) => unplaced.push(part),
    });
    if let Some(parts) = (!unplaced.is_empty()).then(|| RawJson::of(&unplaced).ok()).flatten() {
        out.extra.insert(format!("{MESSAGE}content"), parts);
    }
}

/// Keeps what nobody took, but no nulls: they say nothing and there are many.
fn keep_filled(extra: &mut Extra, members: &Members<'_>, prefix: &str) {
    for (name, raw) in members.iter().filter(|(_, raw)| raw.get() != "null") {
        keep(extra, beneath(prefix, name), raw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> WireReply {
        read_reply(
            format!(r#"{{"choices":[{{"index":0,"message":{message},"finish_reason":"stop"}}]}}"#).as_bytes(),
        )
        .unwrap()
    }

    #[test]
    fn blank_lines_before_the_body_are_skipped() {
        let reply = read_reply(b"\n\n \r\n{\"id\":\"x\",\"choices\":[]}\n").unwrap();
        assert_eq!((reply.id.as_deref(), reply.text.as_str(), reply.finish), (Some("x"), "", None));
    }

    #[test]
    fn missing_and_null_members_read_as_empty() {
        for body in [
            "{}",
            r#"{"choices":null}"#,
            r#"{"choices":[]}"#,
            r#"{"choices":[null]}"#,
            r#"{"choices":[{}]}"#,
            r#"{"choices":[{"message":null}]}"#,
            r#"{"choices":[{"message":{"content":null},"finish_reason":null}]}"#,
        ] {
            let reply = read_reply(body.as_bytes()).unwrap();
            assert_eq!((reply.text.as_str(), &reply.finish, &reply.reasoning), ("", &None, &None), "{body}");
        }
    }

    #[test]
    fn what_is_no_chat_completion_is_an_invalid_response() {
        for body in ["<!DOCTYPE html><html>", "hello", "[]", "7", r#"{"choices":"#] {
            let failure = read_reply(body.as_bytes()).unwrap_err();
            assert!(matches!(failure.kind, Kind::InvalidResponse | Kind::StreamInterrupted), "{body}");
        }
        assert_eq!(read_reply(b"\xff").unwrap_err().kind, Kind::InvalidResponse);
        let page = read_reply(b"<!DOCTYPE html><html>").unwrap_err();
        assert_eq!(page.message, "not JSON: <!DOCTYPE html><html>");
    }

    #[test]
    fn members_without_a_name_of_ours_are_kept_under_their_path() {
        let body = br#"{"id":"x","created":1,"system_fingerprint":"fp","service_tier":null,"choices":[
            {"index":1,"message":{"content":"b"}},
            {"index":0,"logprobs":{"content":[]},"message":{"role":"assistant","content":"a","annotations":[1.0]}}]}"#;
        let reply = read_reply(body).unwrap();
        assert_eq!(reply.text, "a");
        let kept: Vec<_> = reply.extra.iter().map(|(name, raw)| format!("{name}={}", raw.text())).collect();
        assert_eq!(
            kept,
            [
                r#"choices[0].logprobs={"content":[]}"#,
                "choices[0].message.annotations=[1.0]",
                r#"system_fingerprint="fp""#
            ]
        );
    }

    #[test]
    fn reasoning_is_read_under_every_name_once() {
        assert_eq!(of(r#"{"reasoning_content":"a","reasoning":"a"}"#).reasoning.as_deref(), Some("a"));
        assert_eq!(of(r#"{"reasoning_content":"","reasoning":"b"}"#).reasoning.as_deref(), Some("b"));
        assert_eq!(of(r#"{"reasoning_content":""}"#).reasoning.as_deref(), Some(""));
        let details =
            of(r#"{"reasoning":"x","reasoning_details":[{"type":"reasoning.text","text":"x","n":1.0}]}"#);
        assert_eq!(details.reasoning.as_deref(), Some("x"));
        assert_eq!(details.reasoning_blocks[0].raw.text(), r#"{"type":"reasoning.text","text":"x","n":1.0}"#);
        let alone = of(r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"s"}]}"#);
        assert_eq!(alone.reasoning.as_deref(), Some("s"));
    }

    #[test]
    fn parts_that_have_no_place_are_recorded() {
        let reply = of(
            r#"{"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]},{"type":"text","text":"b"}]}"#,
        );
        assert_eq!(reply.text, "ab");
        let kept = reply.extra.get("choices[0].message.content").unwrap();
        assert_eq!(kept.text(), r#"[{"type":"reference","reference_ids":[1]}]"#);
    }

    #[test]
    fn a_call_keeps_what_only_its_host_understands() {
        let reply = of(
            r#"{"tool_calls":[{"id":"a","type":"function","index":0,"extra_content":{"google":{"thought_signature":"c2ln"}},
            "function":{"name":"f","arguments":"{}","x":1}},{"id":"b","type":"custom","custom":{"name":"sum","input":"4 + 4"}}]}"#,
        );
        let [call, free] = &reply.tool_calls[..] else { panic!() };
        assert_eq!(call.extra.names().collect::<Vec<_>>(), ["extra_content", "function.x"]);
        assert_eq!(
            (free.arguments.as_str(), free.extra.get("type").unwrap().text()),
            ("4 + 4", "\"custom\"")
        );
    }

    #[test]
    fn only_a_text_is_a_stop_text() {
        let stop = |json: &str| {
            read_reply(format!(r#"{{"choices":[{{"stop_reason":{json}}}]}}"#).as_bytes())
                .unwrap()
                .stop_sequence
        };
        assert_eq!((stop("\"END\"").as_deref(), stop("128009"), stop("null")), (Some("END"), None, None));
    }
}
