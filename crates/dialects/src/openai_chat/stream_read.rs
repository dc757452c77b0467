//! A streamed reply, read as it arrives.
//!
//! Chunks are lent from the bytes; only what becomes an event is copied. The state between two chunks is
//! small: the id and model last said, tool calls that wait for their turn, one reasoning block.

use mainstay_canon::{Failure, Joins, Kind, WireEvent, WireUsage};
use serde_json::value::RawValue;

use super::calls::Calls;
use super::content::{Piece, pieces};
use super::excerpt::excerpt;
use super::extras::{self, Extras};
use super::reasoning::{self, Gathering};
use super::wire::{Choice, Reply, Said};
use super::{errors, reply_read, stream_piece};
use crate::StreamReader;
use crate::beside::Beside;
use crate::framing::{Sse, SseEvent, SsePart, begins_field};
use crate::surrogates;

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
    calls: Calls,
    blocks: Gathering,
    extras: Extras,
    beside: Beside,
    /// An event came, so this is a stream.
    streaming: bool,
    /// Text, reasoning, a refusal or a call came.
    said: bool,
    /// Reasoning was sent, but nothing in it.
    hollow_reasoning: bool,
    reasoned: bool,
    finished: bool,
    /// The terminator came; what follows is ignored.
    ended: bool,
    /// A failure was returned.
    failed: bool,
    /// The peer hung up: what cannot be read now was cut.
    closing: bool,
    /// Lines that belong to no event: perhaps a whole JSON body.
    body: String,
}

impl StreamReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.is_over() {
            return Ok(());
        }
        let state = &mut self.state;
        let outcome = self.sse.push_parts(bytes, |part| state.part(part, out));
        if state.ended {
            // What stands behind the terminator is ignored, readable or not.
            return Ok(());
        }
        state.failed = outcome.is_err();
        outcome
    }

    fn close(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.is_over() {
            return Ok(());
        }
        let state = &mut self.state;
        state.closing = true;
        let outcome = match self.sse.close_parts(|part| state.part(part, out)) {
            // A finish word is an end by itself: what was cut after it was the terminator or token counts.
            Err(cut) if cut.kind == Kind::StreamInterrupted && state.finished => state.close(out),
            outcome => outcome.and_then(|()| state.close(out)),
        };
        self.state.failed = true;
        outcome
    }
}

impl State {
    fn is_over(&self) -> bool {
        self.ended || self.failed
    }

    fn part(&mut self, part: SsePart<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.is_over() {
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
            self.settle(out);
            out.push(WireEvent::End);
            self.ended = true;
            return Ok(());
        }
        if event.name == "error" {
            return Err(self.error_event(data));
        }
        if !data.starts_with('{') {
            return self.unreadable(event.name, data, out);
        }
        if let Some(piece) = stream_piece::piece(data, &mut self.beside) {
            self.piece(piece, out);
            return Ok(());
        }
        let data = surrogates::mended(data);
        match reply_read::parse(&data) {
            Ok(reply) => self.chunk(reply, &data, out),
            Err(failure) if self.closing => Err(interrupted(&failure)),
            Err(failure) => Err(Failure::new(Kind::InvalidResponse, failure.message)),
        }
    }

    fn error_event(&self, data: &str) -> Failure {
        match serde_json::from_str::<&RawValue>(data) {
            Ok(raw) => errors::of_json(raw),
            Err(error) if self.closing => {
                Failure::new(Kind::StreamInterrupted, "the stream ends inside an error").because(error)
            }
            Err(_) => errors::of_text(data),
        }
    }

    /// Data that are no object. A named event, such as a ping, may say what it likes.
    fn unreadable(&self, name: &str, data: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if data.is_empty() || !matches!(name, "" | "message" | "data") {
            out.push(WireEvent::KeepAlive);
            return Ok(());
        }
        let failure = Failure::new(Kind::InvalidResponse, excerpt(data.as_bytes()));
        Err(if self.closing { interrupted(&failure) } else { failure })
    }

    /// A chunk that is one piece of text or reasoning, read as [`Self::chunk`] would.
    fn piece(&mut self, piece: stream_piece::Piece<'_>, out: &mut Vec<WireEvent>) {
        self.start(piece.id, piece.model, out);
        self.said = true;
        self.reasoned |= matches!(piece.said, WireEvent::Reasoning(_));
        out.push(piece.said);
    }

    fn chunk(&mut self, reply: Reply<'_>, data: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let before = out.len();
        let failure = errors::inside(&reply, data);
        self.start(reply.id.filled(), reply.model.filled(), out);
        if failure.is_none() {
            self.extras.of_reply(&reply, out);
        }
        let usage =
            (reply.usage.is_some() || reply.x_groq.is_some()).then(|| reply_read::total_usage(&reply));
        if let Some(choice) = reply.choices.first {
            self.choice(&choice, failure.is_some(), out)?;
        }
        if let Some(usage) = usage.filter(|usage| *usage != WireUsage::default()) {
            out.push(WireEvent::Usage(usage));
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        if out.len() == before {
            out.push(WireEvent::KeepAlive);
        }
        Ok(())
    }

    /// Says id and model when they are new. Azure's first chunk has them empty.
    fn start(&mut self, id: Option<&str>, model: Option<&str>, out: &mut Vec<WireEvent>) {
        let mut news = false;
        for (known, said) in [(&mut self.id, id), (&mut self.model, model)] {
            if let Some(said) = said.filter(|said| !said.is_empty() && said != known) {
                said.clone_into(known);
                news = true;
            }
        }
        if news {
            let filled = |text: &String| (!text.is_empty()).then(|| text.clone());
            out.push(WireEvent::Start { id: filled(&self.id), model: filled(&self.model) });
        }
    }

    fn choice(&mut self, choice: &Choice<'_>, fails: bool, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        // MiniMax repeats the whole message at the end; other servers put their only chunk under that name.
        let message = choice.message.as_ref().filter(|_| !self.said);
        let said = choice.delta.as_ref().or(message);
        let before = out.len();
        self.extras.of_choice(choice, said, out);
        self.said |= out.iter().skip(before).any(|event| matches!(event, WireEvent::Shown(_)));
        if let Some(said) = said {
            self.said(said, out)?;
        }
        // Beside an error the word is `error`, or a lie.
        let Some(word) = choice.finish_reason.owned().filter(|_| !fails) else { return Ok(()) };
        self.settle(out);
        self.finished = true;
        out.push(WireEvent::Finish {
            word,
            native: choice.native_finish_reason.owned(),
            stop_sequence: reply_read::stop_text(choice.stop_reason),
        });
        Ok(())
    }

    fn said(&mut self, said: &Said<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let before = out.len();
        self.reasoning(said, out)?;
        if let Some(content) = said.content {
            self.content(content, out)?;
        }
        out.extend(said.refusal.owned().map(WireEvent::Refusal));
        self.calls.take(said, out)?;
        self.said |= out.len() > before;
        Ok(())
    }

    fn reasoning(&mut self, said: &Said<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let items = reasoning::items(said.reasoning_details);
        let named = said.reasoning_content.filled().or(said.reasoning.filled());
        let text = named
            .map_or_else(|| items.iter().map(|item| reasoning::item_text(item)).collect(), str::to_owned);
        if !text.is_empty() {
            self.reasoned = true;
            out.push(WireEvent::Reasoning(text));
        } else if said.reasoning_content.0.is_some() || said.reasoning.0.is_some() {
            self.hollow_reasoning = true;
        }
        for item in items {
            out.extend(self.blocks.add(item)?.map(WireEvent::ReasoningBlock));
        }
        Ok(())
    }

    fn content(&mut self, content: &RawValue, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let mut outcome = Ok(());
        let mut unplaced = Vec::new();
        pieces(content, |piece| match piece {
            Piece::Text(text) if !text.is_empty() => out.push(WireEvent::Text(text.into_owned())),
            Piece::Refusal(text) if !text.is_empty() => out.push(WireEvent::Refusal(text.into_owned())),
            Piece::Thinking(text, part) => {
                if !text.is_empty() {
                    self.reasoned = true;
                    out.push(WireEvent::Reasoning(text));
                }
                match self.blocks.add(part) {
                    Ok(block) => out.extend(block.map(WireEvent::ReasoningBlock)),
                    Err(failure) => outcome = Err(failure),
                }
            }
            Piece::Other(part) => unplaced.push(part),
            Piece::Text(_) | Piece::Refusal(_) => {}
        });
        extras::unplaced(&unplaced, out);
        outcome
    }

    /// Hands over what was held until the answer was whole.
    fn settle(&mut self, out: &mut Vec<WireEvent>) {
        if self.hollow_reasoning && !self.reasoned {
            // Sent, and empty: DeepSeek wants exactly that back.
            out.push(WireEvent::Reasoning(String::new()));
            self.reasoned = true;
        }
        out.extend(self.blocks.end().map(WireEvent::ReasoningBlock));
        self.calls.end(out);
    }

    fn close(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.ended {
            return Ok(());
        }
        if !self.streaming && !begins_field(&self.body) {
            return self.whole_body(out);
        }
        if !self.finished {
            return Err(Failure::new(Kind::StreamInterrupted, "the stream ended without a finish reason"));
        }
        self.settle(out);
        Ok(())
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
        out.extend(Some(reply.text).filter(|text| !text.is_empty()).map(WireEvent::Text));
        out.extend(reply.refusal.map(WireEvent::Refusal));
        for (index, call) in reply.tool_calls.into_iter().enumerate() {
            out.push(WireEvent::ToolStart { index, id: call.id, name: call.name, extra: call.extra });
            out.push(WireEvent::ToolArguments { index, delta: call.arguments });
            out.push(WireEvent::ToolEnd { index });
        }
        extras::tell(reply.extra, Joins::Replace, out);
        out.extend(reply.shown.into_iter().map(WireEvent::Shown));
        let (native, stop_sequence) = (reply.native_finish, reply.stop_sequence);
        out.extend(reply.finish.map(|word| WireEvent::Finish { word, native, stop_sequence }));
        out.push(WireEvent::Usage(reply.usage));
        // The end of the JSON is its terminator.
        out.push(WireEvent::End);
        self.ended = true;
        Ok(())
    }
}

/// What cannot be read after the peer hung up was cut.
fn interrupted(failure: &Failure) -> Failure {
    Failure::new(Kind::StreamInterrupted, format!("the stream ends inside an event: {}", failure.message))
}
