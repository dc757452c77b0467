//! Streamed replies of each dialect: the laws of `StreamReader`, then the laws of what the normalizer makes of it.

use std::sync::Arc;

use mainstay_canon::{
    Answer, Dialect, Extra, Failure, JoinedExtra, Kind, ReplyEvent, RetryHint, Target, ToolCall, WireEvent,
};
use mainstay_dialects::{StreamReader, Upstream};
use mainstay_normalize::Assembler;
use mainstay_providers::Provider;

use crate::cut::{Dice, ways};
use crate::dialect::speakers;
use crate::written;

/// Most bytes of events that a byte of a stream may become.
const GROWTH: usize = 16;

/// A Chat Completions stream.
pub fn stream_openai_chat(data: &[u8]) {
    stream(Dialect::OpenaiChat, data);
}

/// A Responses stream.
pub fn stream_openai_responses(data: &[u8]) {
    stream(Dialect::OpenaiResponses, data);
}

/// A Messages stream.
pub fn stream_anthropic(data: &[u8]) {
    stream(Dialect::Anthropic, data);
}

/// A `streamGenerateContent` stream, as events or as a JSON array.
pub fn stream_gemini(data: &[u8]) {
    stream(Dialect::Gemini, data);
}

/// An `/api/chat` stream.
pub fn stream_ollama(data: &[u8]) {
    stream(Dialect::Ollama, data);
}

fn stream(dialect: Dialect, data: &[u8]) {
    let Some(provider) = Dice::of(data).pick(&speakers(dialect)).copied() else { return };
    let whole = read(provider.upstream, &[data]);
    laws(&whole.events);
    let size: usize = whole.events.iter().map(event_size).sum();
    assert!(size <= data.len().saturating_mul(GROWTH) + 4096, "{} bytes became {size}", data.len());
    for way in ways(data) {
        assert_eq!(read(provider.upstream, &way), whole, "cut into {} pieces", way.len());
    }
    normalized(provider, whole);
}

/// What of a failure is compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failed {
    kind: Kind,
    status: Option<u16>,
    message: String,
    code: Option<String>,
    param: Option<String>,
    word: Option<String>,
    hint: Option<RetryHint>,
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self {
            kind: failure.kind,
            status: failure.status,
            message: failure.message,
            code: failure.code,
            param: failure.param,
            word: failure.finish_reason_raw,
            hint: failure.hint,
        }
    }
}

/// Everything that a stream gives.
#[derive(Debug, PartialEq)]
pub(crate) struct Streamed {
    pub(crate) events: Vec<WireEvent>,
    pub(crate) failed: Option<Failed>,
}

/// Reads a stream that comes in these pieces; nothing comes after it.
pub(crate) fn read(upstream: &dyn Upstream, pieces: &[&[u8]]) -> Streamed {
    let mut reader = upstream.read_stream();
    let mut events = Vec::new();
    let pushed = pieces.iter().try_for_each(|piece| reader.push(piece, &mut events));
    let failed = pushed.and_then(|()| reader.close(&mut events)).err().map(Failed::from);
    silent(reader.as_mut(), upstream.dialect());
    Streamed { events, failed }
}

/// After an error or the end nothing more comes.
fn silent(reader: &mut dyn StreamReader, dialect: Dialect) {
    let late: &[u8] = match dialect {
        Dialect::OpenaiChat => b"data: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n",
        Dialect::OpenaiResponses => b"data: {\"type\":\"response.output_text.delta\",\"delta\":\"late\"}\n\n",
        Dialect::Anthropic => {
            b"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"late\"}}\n\n"
        }
        Dialect::Gemini => b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"late\"}]}}]}\n\n",
        Dialect::Ollama | Dialect::Bedrock => b"{\"message\":{\"content\":\"late\"},\"done\":false}\n",
    };
    let mut events = Vec::new();
    let pushed = reader.push(late, &mut events);
    let closed = reader.close(&mut events);
    assert!(pushed.is_ok() && closed.is_ok() && events.is_empty(), "{events:?} after the end");
}

/// The laws that every reader keeps.
pub(crate) fn laws(events: &[WireEvent]) {
    let mut open: Vec<bool> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            WireEvent::ToolStart { index, .. } => {
                assert_eq!(*index, open.len(), "calls are numbered from 0 without gaps");
                open.push(true);
            }
            WireEvent::ToolArguments { index, .. } => {
                assert_eq!(
                    open.get(*index),
                    Some(&true),
                    "arguments follow the start and come before the end"
                );
            }
            WireEvent::ToolEnd { index } => {
                let ended = open.get_mut(*index).map(|open| std::mem::replace(open, false));
                assert_eq!(ended, Some(true), "a call ends once");
            }
            WireEvent::End => assert_eq!(at + 1, events.len(), "the end is last and comes once"),
            WireEvent::Start { .. }
            | WireEvent::Text(_)
            | WireEvent::Reasoning(_)
            | WireEvent::ReasoningBlock(_)
            | WireEvent::Shown(_)
            | WireEvent::Refusal(_)
            | WireEvent::KeepAlive
            | WireEvent::Finish { .. }
            | WireEvent::Extra(_)
            | WireEvent::Usage(_) => {}
        }
    }
}

fn event_size(event: &WireEvent) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    match event {
        WireEvent::Start { id, model } => optional(id) + optional(model),
        WireEvent::Text(text) | WireEvent::Reasoning(text) | WireEvent::Refusal(text) => text.len(),
        WireEvent::ReasoningBlock(block) => block.raw.text().len(),
        WireEvent::Shown(shown) => shown.weight(),
        WireEvent::ToolStart { id, name, extra, .. } => id.len() + name.len() + extra_size(extra),
        WireEvent::ToolArguments { delta, .. } => delta.len(),
        WireEvent::Finish { word, native, stop_sequence } => {
            word.len() + optional(native) + optional(stop_sequence)
        }
        WireEvent::Extra(piece) => piece.weight(),
        WireEvent::ToolEnd { .. } | WireEvent::KeepAlive | WireEvent::Usage(_) | WireEvent::End => 0,
    }
}

pub(crate) fn extra_size(extra: &Extra) -> usize {
    extra.iter().map(|(name, value)| name.len() + value.text().len()).sum()
}

/// The events of a stream make one answer: the canonical events join to it, and it can be written to any caller.
fn normalized(provider: &'static Provider, streamed: Streamed) {
    let target = Target::new(provider.id, "m-test");
    let finish = Arc::new(|word: &str| provider.meaning(word));
    let mut assembler = Assembler::new(target, finish, 12, provider.upstream.dialect());
    let mut out = Vec::new();
    for event in streamed.events {
        // Whatever a reader tells is in order; only the limits of an answer may stop it.
        if let Err(failure) = assembler.event(event, &mut out) {
            assert_eq!(failure.kind, Kind::InvalidResponse, "{failure}");
            assert!(failure.message.contains("more than"), "{failure}");
            return;
        }
    }
    let partial = assembler.partial();
    assert!(partial.text.starts_with(&join(&out).text), "what was released is part of what came");
    if streamed.failed.is_some() {
        return;
    }
    let Ok(answer) = assembler.finish(&mut out) else { return };
    assert!(matches!(out.last(), Some(ReplyEvent::Finish { .. })), "the finish comes last");
    let mut joined = join(&out);
    // What no event carries.
    joined.reasoning_content = joined.reasoning_content.or(answer.reasoning_content.clone());
    joined.refusal = joined.refusal.filter(|_| answer.refusal.is_some());
    joined.reported_cost = answer.reported_cost;
    joined.prompt_prohibited = answer.prompt_prohibited;
    joined.context_full = answer.context_full;
    joined.dialect = answer.dialect;
    // A host may name itself anew after the start.
    joined.id.clone_from(&answer.id);
    joined.model.clone_from(&answer.model);
    assert_eq!(joined, answer, "the events join to the answer");
    written::streamed(&answer, &out);
}

/// What canonical events say when joined; checks their laws on the way.
pub(crate) fn join(events: &[ReplyEvent]) -> Answer {
    let (mut answer, mut extra) = (Answer::default(), JoinedExtra::default());
    let mut open: Vec<bool> = Vec::new();
    for (place, event) in events.iter().enumerate() {
        assert_eq!(place == 0, matches!(event, ReplyEvent::Start { .. }), "Start comes first, and once");
        match event {
            ReplyEvent::Start { id, model } => (answer.id, answer.model) = (id.clone(), model.clone()),
            ReplyEvent::Text(part) => answer.text.push_str(part),
            ReplyEvent::Reasoning(part) => answer.reasoning_content.get_or_insert_default().push_str(part),
            ReplyEvent::ReasoningBlock(block) => answer.reasoning_blocks.push(block.clone()),
            ReplyEvent::Shown(shown) => {
                if !answer.shown.last_mut().is_some_and(|last| last.joins(shown)) {
                    answer.shown.push(shown.clone());
                }
            }
            ReplyEvent::Refusal(part) => answer.refusal.get_or_insert_default().push_str(part),
            ReplyEvent::ToolStart { index, id, name, extra } => {
                assert_eq!(*index, open.len(), "calls are numbered without gaps");
                open.push(true);
                answer.tool_calls.push(ToolCall {
                    id: id.clone(),
                    name: name.clone(),
                    arguments: String::new(),
                    extra: extra.clone(),
                });
            }
            ReplyEvent::ToolArguments { index, delta } => {
                assert_eq!(open.get(*index), Some(&true), "arguments come before the end of a call");
                if let Some(call) = answer.tool_calls.get_mut(*index) {
                    call.arguments.push_str(delta);
                }
            }
            ReplyEvent::ToolEnd { index } => {
                let ended = open.get_mut(*index).map(|open| std::mem::replace(open, false));
                assert_eq!(ended, Some(true), "a call ends once");
            }
            ReplyEvent::Extra(piece) => assert!(extra.add(piece), "what is too much is not handed on"),
            ReplyEvent::Finish { reason, raw, stop_sequence, usage } => {
                assert_eq!(place + 1, events.len(), "the finish comes last");
                assert!(!open.contains(&true), "every call has ended");
                answer.finish_reason = *reason;
                answer.finish_reason_raw.clone_from(raw);
                answer.stop_sequence.clone_from(stop_sequence);
                answer.usage = *usage;
            }
        }
    }
    answer.extra = extra.extra();
    answer
}
