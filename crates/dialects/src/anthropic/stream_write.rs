//! A streamed reply to a caller, event by event in the order that SDKs demand.
//!
//! Source: Anthropic API reference, Streaming, 2026-11, and the official SDKs: `message_start` first, every event
//! named, block numbers rising, a tool call's input empty at its start, the counts in `message_delta` final.

use std::collections::BTreeMap;

use mainstay_canon::{Dialect, Extra, ExtraPiece, Joins, RawJson, ReasoningBlock, ReplyEvent, Usage};

use super::json::{Object, empty_object, raw};
use super::problem::ErrorBody;
use super::reply_write::{
    Ended, NewBlock, OutUsage, StopDetails, input_text, message_id, own_block, sealed, typed,
};
use super::stream_events::{Delta, Details, Event, Opened, Start, Stop, frame};
use super::stream_read::{BLOCK, DELTA};
use crate::framing::line;
use crate::media::in_words;
use crate::{Ending, FaceContext, Problem, StreamWriter};

/// A writer of one streamed reply.
#[derive(Debug)]
pub(super) struct Writer {
    context: FaceContext,
    id: String,
    began: bool,
    /// The end or an error was written: nothing more is.
    over: bool,
    /// The number of the next block.
    next: u64,
    /// The open block of text or thinking.
    open: Option<(Speech, u64)>,
    /// Open calls: their block by their number. They may overlap where calls are not held back.
    calls: BTreeMap<usize, u64>,
    has_calls: bool,
    refusal: String,
    /// The model, once it is known.
    model: String,
    /// Members of the message that only this dialect knows.
    extra: Extra,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speech {
    Text,
    Thinking,
}

impl Writer {
    pub(super) fn new(context: &FaceContext) -> Self {
        Self {
            context: context.clone(),
            id: message_id(&context.request_id),
            began: false,
            over: false,
            next: 0,
            open: None,
            calls: BTreeMap::new(),
            has_calls: false,
            refusal: String::new(),
            model: String::new(),
            extra: Extra::new(),
        }
    }

    /// `message_start`, once. Its counts are not known yet; those of `message_delta` replace them.
    fn begin(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.began, true) {
            return;
        }
        let message = Start {
            id: &self.id,
            r#type: "message",
            role: "assistant",
            model: &self.model,
            content: [],
            stop_reason: None,
            stop_sequence: None,
            usage: OutUsage { usage: Usage::default(), extra: self.extra.get("usage") },
        };
        Event::MessageStart { message }.write(out);
    }

    fn take_index(&mut self) -> u64 {
        let index = self.next;
        self.next += 1;
        index
    }

    /// Goes on with the open block of that kind, or closes another one and begins it.
    fn speak(&mut self, speech: Speech, out: &mut Vec<u8>) -> u64 {
        self.begin(out);
        if let Some((open, index)) = self.open
            && open == speech
        {
            return index;
        }
        self.hush(out);
        let index = self.take_index();
        let block = match speech {
            Speech::Text => NewBlock::Text { text: "" },
            Speech::Thinking => NewBlock::Thinking { thinking: "", signature: "" },
        };
        Event::ContentBlockStart { index, content_block: Opened::New(block) }.write(out);
        self.open = Some((speech, index));
        index
    }

    /// Closes the open block of text or thinking.
    fn hush(&mut self, out: &mut Vec<u8>) {
        if let Some((_, index)) = self.open.take() {
            Event::ContentBlockStop { index }.write(out);
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<u8>) {
        if !text.is_empty() {
            let index = self.speak(Speech::Text, out);
            Event::ContentBlockDelta { index, delta: Delta::Text { text } }.write(out);
        }
    }

    fn thinking(&mut self, thinking: &str, out: &mut Vec<u8>) {
        if !thinking.is_empty() {
            let index = self.speak(Speech::Thinking, out);
            Event::ContentBlockDelta { index, delta: Delta::Thinking { thinking } }.write(out);
        }
    }

    /// A block that the caller hands back later. Thinking closes with its signature; its text has been said where
    /// its block is open. Another dialect's block goes in an envelope.
    fn block(&mut self, block: &ReasoningBlock, out: &mut Vec<u8>) {
        let Some(raw) = own_block(block) else {
            if let Some(data) = sealed(block, &self.context) {
                self.whole(Opened::New(NewBlock::RedactedThinking { data: &data }), out);
            }
            return;
        };
        let Some(members) = Object::of(raw) else { return };
        if members.text("type").as_deref() == Some("thinking") {
            if self.open.is_none_or(|(speech, _)| speech != Speech::Thinking) {
                self.thinking(&members.text("thinking").unwrap_or_default(), out);
            }
            let index = self.speak(Speech::Thinking, out);
            if let Some(signature) = members.word("signature") {
                Event::ContentBlockDelta { index, delta: Delta::Signature { signature: &signature } }
                    .write(out);
            }
            self.hush(out);
            return;
        }
        match input_text(&members) {
            Some(input) => {
                self.begin(out);
                self.hush(out);
                let index = self.take_index();
                let content_block = Opened::Members(members.with("input", empty_object()));
                Event::ContentBlockStart { index, content_block }.write(out);
                Event::ContentBlockDelta { index, delta: Delta::Json { partial_json: &input } }.write(out);
                Event::ContentBlockStop { index }.write(out);
            }
            None => self.whole(Opened::Whole(raw), out),
        }
    }

    /// A block that comes as a whole.
    fn whole(&mut self, content_block: Opened<'_>, out: &mut Vec<u8>) {
        self.begin(out);
        self.hush(out);
        let index = self.take_index();
        Event::ContentBlockStart { index, content_block }.write(out);
        Event::ContentBlockStop { index }.write(out);
    }

    /// What only this dialect says: at its place in the text, or for the end of the message.
    fn beside(&mut self, piece: &ExtraPiece, out: &mut Vec<u8>) {
        if piece.joins != Joins::Pass {
            for (name, raw) in piece.members.iter() {
                self.extra.insert(name, raw.clone());
            }
            return;
        }
        if let Some(block) = piece.members.get(BLOCK).and_then(raw) {
            self.begin(out);
            self.hush(out);
            let index = self.take_index();
            Event::ContentBlockStart { index, content_block: Opened::Whole(block) }.write(out);
            self.open = Some((Speech::Text, index));
        }
        if let Some(delta) = piece.members.get(DELTA) {
            let index = self.speak(Speech::Text, out);
            Event::ContentBlockDelta { index, delta: Delta::Own(delta) }.write(out);
        }
    }

    fn call(&mut self, call: usize, id: &str, name: &str, caller: Option<&RawJson>, out: &mut Vec<u8>) {
        self.begin(out);
        self.hush(out);
        let index = self.take_index();
        let content_block = Opened::Call { r#type: "tool_use", id, name, input: Object::default(), caller };
        Event::ContentBlockStart { index, content_block }.write(out);
        self.calls.insert(call, index);
        self.has_calls = true;
    }
}

impl StreamWriter for Writer {
    fn event(&mut self, event: &ReplyEvent, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match event {
            // What belongs into `message_start` may still come behind it.
            ReplyEvent::Start { model, .. } => {
                if let Some(model) = model.as_ref().filter(|_| !self.began) {
                    self.model.clone_from(model);
                }
            }
            ReplyEvent::Text(text) => self.text(text, out),
            ReplyEvent::Reasoning(text) => self.thinking(text, out),
            ReplyEvent::ReasoningBlock(block) => self.block(block, out),
            // Ours came as a block.
            ReplyEvent::Shown(shown) if shown.dialect == Dialect::Anthropic => {}
            ReplyEvent::Shown(shown) => self.text(&in_words(shown), out),
            ReplyEvent::Refusal(text) => {
                self.refusal.push_str(text);
                // Where the provider says it in `stop_details`, so do we.
                if typed(&self.extra, "stop_details").is_none() {
                    self.text(text, out);
                }
            }
            ReplyEvent::ToolStart { index, id, name, extra } => {
                self.call(*index, id, name, extra.get("caller"), out);
            }
            ReplyEvent::ToolArguments { index, delta } => {
                if let Some(&index) = self.calls.get(index).filter(|_| !delta.is_empty()) {
                    Event::ContentBlockDelta { index, delta: Delta::Json { partial_json: delta } }.write(out);
                }
            }
            ReplyEvent::ToolEnd { index } => {
                if let Some(index) = self.calls.remove(index) {
                    Event::ContentBlockStop { index }.write(out);
                }
            }
            ReplyEvent::Extra(piece) if piece.dialect == Dialect::Anthropic => self.beside(piece, out),
            ReplyEvent::Extra(_) | ReplyEvent::Finish { .. } => {}
        }
    }

    fn keep_alive(&mut self, out: &mut Vec<u8>) {
        if !self.over {
            Event::Ping.write(out);
        }
    }

    fn finish(&mut self, ending: &Ending, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.begin(out);
        self.hush(out);
        for index in std::mem::take(&mut self.calls).into_values() {
            Event::ContentBlockStop { index }.write(out);
        }
        let ended = Ended {
            reason: ending.reason,
            raw: ending.raw.as_deref(),
            stop_sequence: ending.stop_sequence.as_deref(),
            has_calls: self.has_calls,
            is_refused: !self.refusal.is_empty(),
            context_full: ending.context_full,
        };
        let word = ended.word();
        let refusal = Some(self.refusal.as_str()).filter(|text| !text.is_empty());
        let delta = Stop {
            reason: word,
            sequence: ended.stop_sequence.filter(|_| word == "stop_sequence"),
            details: match typed(&self.extra, "stop_details") {
                Some(stated) => Details::Stated(stated),
                None => Details::Ours(StopDetails::of(word, refusal)),
            },
            container: self.extra.get("container"),
        };
        let usage = OutUsage { usage: ending.usage, extra: self.extra.get("usage") };
        let context_management = self.extra.get("context_management");
        Event::MessageDelta { delta, usage, context_management, mainstay: ending.mark.as_ref() }.write(out);
        if let Some(comment) = &ending.comment {
            comment_line(comment, out);
        }
        Event::MessageStop.write(out);
    }

    fn problem(&mut self, problem: &Problem, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.over, true) {
            frame("error", &ErrorBody::of(problem), out);
        }
    }
}

/// `: mainstay {…}`.
fn comment_line(comment: &RawJson, out: &mut Vec<u8>) {
    out.extend_from_slice(b": mainstay ");
    // JSON can always be written as JSON.
    let _ = line::json(comment, out);
    out.extend_from_slice(b"\n\n");
}
