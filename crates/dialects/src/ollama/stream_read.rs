//! A streamed reply, read as it arrives: one object a line, the last with `done`.

use mainstay_canon::{Dialect, Extra, ExtraPiece, Failure, Joins, Kind, RawJson, WireEvent, WireUsage};

use super::reply_read::{LOGPROBS, extra};
use super::wire::{Chunk, Said};
use super::{errors, stream_piece};
use crate::StreamReader;
use crate::framing::Ndjson;
use crate::openai_chat::excerpt::excerpt;

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Reader {
    lines: Ndjson,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    /// The model last said.
    model: String,
    /// How many tool calls came.
    calls: usize,
    /// The last object or a failure came; what follows is ignored.
    over: bool,
    /// The peer hung up: what cannot be read now was cut.
    closing: bool,
}

impl StreamReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.over {
            return Ok(());
        }
        let Self { lines, state } = self;
        let outcome = lines.push(bytes, |line| state.line(line, out));
        if state.over {
            // The last object came; whatever stands behind it is nothing to us.
            return Ok(());
        }
        state.over = outcome.is_err();
        outcome
    }

    fn close(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.over {
            return Ok(());
        }
        let Self { lines, state } = self;
        state.closing = true;
        let outcome = lines.close(|line| state.line(line, out));
        if std::mem::replace(&mut state.over, true) {
            return Ok(());
        }
        outcome?;
        Err(Failure::new(Kind::StreamInterrupted, "the stream ended before its last object"))
    }
}

impl State {
    fn line(&mut self, line: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        if !line.starts_with('{') {
            return Err(self.unreadable(excerpt(line.as_bytes())));
        }
        if let Some((model, said)) = stream_piece::piece(line) {
            self.model(model, out);
            out.push(said);
            return Ok(());
        }
        let line = &*crate::surrogates::mended(line);
        // The parser's own words might quote a prompt.
        let chunk: Chunk<'_> = serde_json::from_str(line).map_err(|error| {
            self.unreadable(format!("a line of the stream breaks JSON at column {}", error.column()))
        })?;
        self.chunk(&chunk, line, out)
    }

    fn unreadable(&self, message: String) -> Failure {
        if self.closing {
            return Failure::new(Kind::StreamInterrupted, "the stream ends inside an object");
        }
        Failure::new(Kind::InvalidResponse, message)
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, line: &str, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let before = out.len();
        self.model(chunk.model.filled().unwrap_or_default(), out);
        if let Some(raw) = chunk.logprobs.and_then(|raw| RawJson::of(raw).ok()) {
            tell([(LOGPROBS.to_owned(), raw)].into_iter().collect(), Joins::Append, out);
        }
        if let Some(said) = &chunk.message {
            self.said(said, out);
        }
        let counted = Some(chunk.usage()).filter(|usage| *usage != WireUsage::default());
        out.extend(counted.map(WireEvent::Usage));
        if chunk.fails() {
            return Err(errors::of_json(line));
        }
        if chunk.done() == Some(true) {
            let word = ending(chunk)?;
            // Every line has a time of its own; a whole reply has that of its end, and durations.
            let mut members = extra(line);
            members.remove(LOGPROBS);
            tell(members, Joins::Replace, out);
            out.push(WireEvent::Finish { word, native: None, stop_sequence: None });
            out.push(WireEvent::End);
            self.over = true;
        } else if out.len() == before {
            out.push(WireEvent::KeepAlive);
        }
        Ok(())
    }

    /// Says the model when it is new.
    fn model(&mut self, model: &str, out: &mut Vec<WireEvent>) {
        if !model.is_empty() && model != self.model {
            model.clone_into(&mut self.model);
            out.push(WireEvent::Start { id: None, model: Some(model.to_owned()) });
        }
    }

    fn said(&mut self, said: &Said<'_>, out: &mut Vec<WireEvent>) {
        out.extend(said.thinking.owned().map(WireEvent::Reasoning));
        out.extend(said.content.owned().map(WireEvent::Text));
        for call in said.calls() {
            let index = self.calls;
            self.calls = index.saturating_add(1);
            let (id, name) = (call.id.owned().unwrap_or_default(), call.name().to_owned());
            out.push(WireEvent::ToolStart { index, id, name, extra: Extra::new() });
            let arguments = call.arguments();
            if !arguments.is_empty() {
                out.push(WireEvent::ToolArguments { index, delta: arguments.into_owned() });
            }
            out.push(WireEvent::ToolEnd { index });
        }
    }
}

/// Tells members that have no canonical name.
fn tell(members: Extra, joins: Joins, out: &mut Vec<WireEvent>) {
    if !members.is_empty() {
        out.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::Ollama, members, joins }));
    }
}

/// The finish word of a last object.
///
/// # Errors
///
/// `StreamInterrupted` where there is none: the server lost its model in mid-answer and spells that so.
pub(super) fn ending(chunk: &Chunk<'_>) -> Result<String, Failure> {
    chunk.done_reason.owned().ok_or_else(|| {
        Failure::new(Kind::StreamInterrupted, "the server lost the connection to its model: no done_reason")
    })
}
