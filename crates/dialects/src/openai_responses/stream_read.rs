//! A streamed reply, read as it arrives.
//!
//! Events are told by the `type` inside their data; the `event` name serves where a server left that out. Unknown
//! events are passed over: new ones may come at any time. Only one of `response.completed`, `response.incomplete`
//! and `response.failed` proves that a reply is over; `[DONE]`, which some hosts add, does not.

use std::borrow::Cow;

use mainstay_canon::{Dialect, Extra, ExtraPiece, Failure, Joins, Kind, WireEvent};
use serde_json::value::RawValue;

use super::stream_items::{Items, LOGPROBS, Place, Thought, tell};
use super::stream_piece::{KINDS, Piece};
use super::wire::{Event, Response, filled};
use super::{errors, reply_read, stream_piece, usage};
use crate::StreamReader;
use crate::framing::{Sse, SseEvent, SsePart, begins_field};
use crate::openai_chat::excerpt::excerpt;
use crate::openai_chat::json::place;
use crate::openai_chat::lenient::{Text, read_object, says_something};

/// Most bytes of a body that is no event stream.
const BODY_LIMIT: usize = Sse::EVENT_LIMIT;

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Reader {
    sse: Sse,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    id: String,
    model: String,
    items: Items,
    /// An event came, so this is a stream.
    streaming: bool,
    /// The last event or a failure came: nothing more is read.
    over: bool,
    /// The peer hung up: what cannot be read now was cut.
    closing: bool,
    /// Lines that belong to no event: perhaps a whole JSON body.
    body: String,
}

impl StreamReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.over {
            return Ok(());
        }
        let Self { sse, state } = self;
        let outcome = sse.push_parts(bytes, |part| state.part(part, out));
        if state.over {
            // What stands behind the last event is ignored, readable or not.
            return Ok(());
        }
        state.over = outcome.is_err();
        outcome
    }

    fn close(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.over {
            return Ok(());
        }
        let Self { sse, state } = self;
        state.closing = true;
        let outcome = sse.close_parts(|part| state.part(part, out)).and_then(|()| state.hung_up(out));
        state.over = true;
        outcome
    }
}

impl State {
    fn part(&mut self, part: SsePart<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        match part {
            SsePart::Event(event) => {
                self.streaming = true;
                self.event(event, out)
            }
            SsePart::Comment(_) => {
                out.push(WireEvent::KeepAlive);
                Ok(())
            }
            SsePart::Stray(line) => self.stray(line),
        }
    }

    /// A line of no event. Before the first event it may be the beginning of a whole body.
    fn stray(&mut self, line: &str) -> Result<(), Failure> {
        if self.streaming {
            return Ok(());
        }
        if self.body.len().saturating_add(line.len()) > BODY_LIMIT {
            return Err(Failure::new(Kind::InvalidResponse, "a body of more than 16 MB is no event stream"));
        }
        self.body.push_str(line);
        self.body.push('\n');
        Ok(())
    }

    fn event(&mut self, event: SseEvent<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let data = event.data.trim();
        if data == "[DONE]" {
            return Err(unfinished());
        }
        if !data.starts_with('{') {
            return self.unreadable(event.name, data, out);
        }
        if let Some(Piece { kind, place, delta }) = stream_piece::piece(data) {
            let before = out.len();
            self.piece(kind, place, delta.into(), out)?;
            if out.len() == before {
                out.push(WireEvent::KeepAlive);
            }
            return Ok(());
        }
        match serde_json::from_str::<Event<'_>>(data) {
            Ok(told) => {
                let before = out.len();
                self.told(event.name, &told, data, out)?;
                if out.len() == before {
                    out.push(WireEvent::KeepAlive);
                }
                Ok(())
            }
            Err(error) => {
                Err(self.broken(format!("an event of the stream is not readable: {}", place(&error))))
            }
        }
    }

    /// Data that are no object. A named event, such as a ping, may say what it likes.
    fn unreadable(&mut self, name: &str, data: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if name == "error" {
            return Err(errors::of_text(data));
        }
        if data.is_empty() || !(matches!(name, "" | "message" | "data") || name.starts_with("response.")) {
            out.push(WireEvent::KeepAlive);
            return Ok(());
        }
        Err(self.broken(excerpt(data.as_bytes())))
    }

    /// What cannot be read: cut, if the peer hung up.
    fn broken(&self, what: String) -> Failure {
        let kind = if self.closing { Kind::StreamInterrupted } else { Kind::InvalidResponse };
        Failure::new(kind, what)
    }

    fn told(
        &mut self,
        name: &str,
        event: &Event<'_>,
        data: &str,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let place = Place { index: event.output_index.0, id: event.item_id.filled() };
        let kind = event.kind.filled().unwrap_or(name);
        match kind {
            "response.created" | "response.in_progress" | "response.queued" => {
                self.start(&read_object(event.response), out);
                Ok(())
            }
            "response.output_item.added" => match event.item {
                Some(item) => self.items.added(place, item, out),
                None => Ok(()),
            },
            "response.output_item.done" => match event.item {
                Some(item) => self.items.done(place, item, out),
                None => Ok(()),
            },
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                self.over(kind, event.response, out)
            }
            "error" => Err(stated(data)),
            _ => self.pieces(kind, place, event, data, out),
        }
    }

    /// A piece of an item, or the whole of one of its members.
    fn pieces(
        &mut self,
        kind: &str,
        place: Place<'_>,
        event: &Event<'_>,
        data: &str,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let text = |text: Cow<'_, str>| WireEvent::Text(text.into_owned());
        let refusal = |text: Cow<'_, str>| WireEvent::Refusal(text.into_owned());
        let items = &mut self.items;
        match kind {
            _ if KINDS.contains(&kind) => when(filled(event.delta), |delta| {
                if kind == "response.output_text.delta" {
                    tell(LOGPROBS, event.logprobs, out);
                }
                self.piece(kind, place, delta, out)
            }),
            "response.output_text.done" => when(filled(event.text), |said| {
                if !items.has_said(place)? {
                    tell(LOGPROBS, event.logprobs, out);
                }
                items.said_whole(place, text(said), out)
            }),
            "response.output_text.annotation.added" => match event.annotation {
                Some(annotation) => items.annotated(place, annotation, out),
                None => Ok(()),
            },
            "response.refusal.done" => {
                when(filled(event.refusal), |said| items.said_whole(place, refusal(said), out))
            }
            "response.reasoning_summary_text.done" => {
                when(filled(event.text), |said| items.thought_whole(place, Thought::Summary, said, out))
            }
            "response.reasoning_text.done" => {
                when(filled(event.text), |said| items.thought_whole(place, Thought::Content, said, out))
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                let whole = filled(event.arguments).or_else(|| filled(event.input));
                when(whole, |said| items.arguments_whole(place, said, out))
            }
            // An error in a dress of its own, such as a proxy's.
            _ if event.error.is_some_and(says_something) => Err(stated(data)),
            _ => {
                items.happened(place, data, out);
                Ok(())
            }
        }
    }

    /// A piece of an item.
    fn piece(
        &mut self,
        kind: &str,
        place: Place<'_>,
        delta: Cow<'_, str>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let items = &mut self.items;
        match kind {
            "response.output_text.delta" => items.said(place, WireEvent::Text(delta.into_owned()), out),
            "response.refusal.delta" => items.said(place, WireEvent::Refusal(delta.into_owned()), out),
            "response.reasoning_summary_text.delta" => items.thought(place, Thought::Summary, delta, out),
            "response.reasoning_text.delta" => items.thought(place, Thought::Content, delta, out),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                items.arguments(place, delta, out)
            }
            _ => Ok(()),
        }
    }

    /// Says id and model when they are new.
    fn start(&mut self, response: &Response<'_>, out: &mut Vec<WireEvent>) {
        let mut news = false;
        for (known, said) in [(&mut self.id, &response.id), (&mut self.model, &response.model)] {
            if let Some(said) = Text::filled(said).filter(|said| said != known) {
                said.clone_into(known);
                news = true;
            }
        }
        if news {
            let filled = |text: &String| (!text.is_empty()).then(|| text.clone());
            out.push(WireEvent::Start { id: filled(&self.id), model: filled(&self.model) });
        }
    }

    /// The last event. Its type is the proof; the status inside tells why.
    fn over(&mut self, kind: &str, raw: Option<&RawValue>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let raw = raw.unwrap_or(RawValue::NULL);
        let response: Response<'_> = read_object(Some(raw));
        self.start(&response, out);
        let usage = response.usage.map(|raw| WireEvent::Usage(usage::read(raw)));
        if kind == "response.failed" {
            out.extend(usage);
            return Err(errors::inside(&response, raw).unwrap_or_else(errors::unexplained));
        }
        self.items.settle(&response.items(), out)?;
        keep_members(reply_read::extra(raw), out);
        out.extend(usage);
        let told = kind.strip_prefix("response.").unwrap_or(kind);
        // A server that copies the beginning leaves the status behind.
        let word = response.word().filter(|word| !matches!(word.as_str(), "in_progress" | "queued"));
        let word = word.unwrap_or_else(|| told.to_owned());
        out.push(WireEvent::Finish { word, native: None, stop_sequence: None });
        out.push(WireEvent::End);
        self.over = true;
        Ok(())
    }

    /// The peer hung up without the last event.
    fn hung_up(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        if !self.streaming && !begins_field(&self.body) {
            return self.whole_body(out);
        }
        Err(unfinished())
    }

    /// The server answered with one JSON body although a stream was asked for.
    fn whole_body(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let body = std::mem::take(&mut self.body);
        let reply = reply_read::read_reply(body.as_bytes())?;
        if reply.id.is_some() || reply.model.is_some() {
            out.push(WireEvent::Start { id: reply.id, model: reply.model });
        }
        out.extend(reply.reasoning.map(WireEvent::Reasoning));
        out.extend(reply.reasoning_blocks.into_iter().map(WireEvent::ReasoningBlock));
        out.extend(reply.shown.into_iter().map(WireEvent::Shown));
        out.extend(Some(reply.text).filter(|text| !text.is_empty()).map(WireEvent::Text));
        out.extend(reply.refusal.map(WireEvent::Refusal));
        for (index, call) in reply.tool_calls.into_iter().enumerate() {
            out.push(WireEvent::ToolStart { index, id: call.id, name: call.name, extra: call.extra });
            out.push(WireEvent::ToolArguments { index, delta: call.arguments });
            out.push(WireEvent::ToolEnd { index });
        }
        keep_members(reply.extra, out);
        out.push(WireEvent::Usage(reply.usage));
        let finish = reply.finish.map(|word| WireEvent::Finish { word, native: None, stop_sequence: None });
        out.extend(finish);
        // The end of the JSON is its terminator.
        out.push(WireEvent::End);
        self.over = true;
        Ok(())
    }
}

/// What the last event says beside the answer: for the whole reply, as a whole one says it.
fn keep_members(members: Extra, out: &mut Vec<WireEvent>) {
    if !members.is_empty() {
        let (dialect, joins) = (Dialect::OpenaiResponses, Joins::Replace);
        out.push(WireEvent::Extra(ExtraPiece { dialect, members, joins }));
    }
}

/// The failure that an event states.
fn stated(data: &str) -> Failure {
    serde_json::from_str::<&RawValue>(data).map_or_else(|_| errors::of_text(data), errors::of_json)
}

/// Does something with a text that came.
fn when<'t>(
    text: Option<Cow<'t, str>>,
    then: impl FnOnce(Cow<'t, str>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    text.map_or(Ok(()), then)
}

fn unfinished() -> Failure {
    Failure::new(Kind::StreamInterrupted, "the stream ended without response.completed or another last event")
}
