//! A streamed reply: from server-sent events, or a growing list, to wire events.
//!
//! Source: Gemini API reference, streamGenerateContent, 2026-11. The dialect has no terminator: the stream ends when
//! the connection does, and a finish word is the only proof that the answer is whole.

use mainstay_canon::{Failure, Kind, WireEvent};

use super::json::{Object, items};
use super::reading::Reading;
use super::split::Splitter;
use super::{error, json, stream_piece};
use crate::StreamReader;
use crate::beside::Beside;
use crate::framing::{Sse, SseEvent, SsePart};

/// A reader of one streamed reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    framing: Framing,
    state: State,
}

/// How responses are told apart, which the first byte tells.
#[derive(Debug, Default)]
enum Framing {
    #[default]
    Unknown,
    Events(Box<Sse>),
    /// Bare JSON: without `alt=sse`, or an error in place of a stream.
    Json(Splitter),
}

#[derive(Debug, Default)]
struct State {
    reading: Reading,
    /// Bare JSON between events: an error that breaks off the stream comes without `data:`.
    stray: Splitter,
    beside: Beside,
    began: bool,
    /// The peer hung up: what is pending now may be cut.
    hung_up: bool,
    /// The end or an error came: nothing more is read.
    over: bool,
}

impl StreamReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.over {
            return Ok(());
        }
        let Self { framing, state } = self;
        let outcome = framing.take(bytes, state, out);
        if state.over {
            // What follows the end is ignored, however it is broken.
            return Ok(());
        }
        state.over = outcome.is_err();
        outcome
    }

    fn close(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let Self { framing, state } = self;
        if std::mem::replace(&mut state.hung_up, true) || state.over {
            return Ok(());
        }
        let outcome = match framing {
            Framing::Events(sse) => sse.close_parts(|part| state.part(part, out)),
            Framing::Unknown | Framing::Json(_) => Ok(()),
        };
        let was_over = std::mem::replace(&mut state.over, true);
        if was_over || state.reading.is_finished() {
            return Ok(());
        }
        outcome.and_then(|()| {
            Err(Failure::new(Kind::StreamInterrupted, "the stream ended without a finish reason"))
        })
    }
}

impl Framing {
    /// Takes bytes; the first that is no white space decides. What stands before it belongs to nothing, whether it
    /// comes with it or before it.
    fn take(&mut self, bytes: &[u8], state: &mut State, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let mut bytes = bytes;
        if let Self::Unknown = self {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => {}
                Some(b'[' | b'{') => *self = Self::Json(Splitter::default()),
                Some(_) => *self = Self::Events(Box::default()),
            }
        }
        self.push(bytes, state, out)
    }

    fn push(&mut self, bytes: &[u8], state: &mut State, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        match self {
            Self::Unknown => Ok(()),
            Self::Events(sse) => sse.push_parts(bytes, |part| state.part(part, out)),
            Self::Json(splitter) => {
                splitter.push(bytes, |object| state.object(object, out))?;
                if splitter.is_closed() && state.reading.is_finished() {
                    state.end(out);
                }
                Ok(())
            }
        }
    }
}

impl State {
    fn part(&mut self, part: SsePart<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        match part {
            SsePart::Event(event) => self.event(event, out),
            SsePart::Comment(_) => {
                out.push(WireEvent::KeepAlive);
                Ok(())
            }
            SsePart::Stray(line) => self.stray(line, out),
        }
    }

    fn event(&mut self, event: SseEvent<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let data = event.data.trim();
        match data {
            "" => {
                out.push(WireEvent::KeepAlive);
                Ok(())
            }
            // Not a word of this dialect, but gateways close with it.
            "[DONE]" => {
                if self.reading.is_finished() {
                    self.end(out);
                }
                Ok(())
            }
            data if event.name == "error" && Object::parse(data).is_none() => Err(error::spoken(data)),
            data => self.responses(data, out),
        }
    }

    /// One response, or a list of them.
    fn responses(&mut self, text: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if !text.starts_with('[') {
            return self.object(text, out);
        }
        match serde_json::from_str(text).ok().and_then(items) {
            Some(items) => items.into_iter().try_for_each(|item| self.object(item.get(), out)),
            None => self.unreadable(),
        }
    }

    fn object(&mut self, text: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        self.began = true;
        if let Some(piece) = stream_piece::piece(text, &mut self.beside) {
            self.reading.piece(piece, out);
            return Ok(());
        }
        match json::Object::parse(text) {
            Some(object) => self.reading.response(&object, out),
            None => self.unreadable(),
        }
    }

    /// What is no JSON was cut, if it came last.
    fn unreadable(&self) -> Result<(), Failure> {
        Err(if self.hung_up {
            Failure::new(Kind::StreamInterrupted, "the stream ended inside a response")
        } else {
            Failure::new(Kind::InvalidResponse, "an event of the stream is not JSON")
        })
    }

    fn stray(&mut self, line: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let begin = line.trim_start().bytes().next();
        if !self.began && begin == Some(b'<') {
            return Err(Failure::new(Kind::InvalidResponse, "a page of markup came in place of a stream"));
        }
        if !self.stray.is_inside() && !matches!(begin, Some(b'{' | b'[' | b']' | b',')) {
            return Ok(());
        }
        let mut splitter = std::mem::take(&mut self.stray);
        let mut on_object = |object: &str| self.object(object, out);
        let outcome =
            splitter.push(line.as_bytes(), &mut on_object).and_then(|()| splitter.push(b"\n", on_object));
        self.stray = splitter;
        outcome
    }

    fn end(&mut self, out: &mut Vec<WireEvent>) {
        self.over = true;
        out.push(WireEvent::End);
    }
}
