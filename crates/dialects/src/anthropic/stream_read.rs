//! A streamed reply: from server-sent events to wire events.
//!
//! Source: Anthropic API reference, Streaming, 2026-11. Events are told by the `type` inside their data, the
//! `event` name serves where a server left that out. Unknown events are passed over: new ones may come at any
//! time. What `stop_reason` means is not decided here.

use std::collections::BTreeMap;

use mainstay_canon::{Dialect, Extra, ExtraPiece, Failure, Joins, Kind, RawJson, WireEvent};

use super::blocks::{Delta, OpenBlock};
use super::content::{self, Content};
use super::json::{Object, items, kept};
use super::wire::{Block, Counters, cuts_calls, explanation, usage_extra};
use super::{error, reply_read, stream_piece};
use crate::StreamReader;
use crate::framing::{Sse, SseEvent, SsePart};

/// Most bytes kept of blocks and of a body that is no stream: 16 MB.
pub(super) const KEPT: usize = 16 * 1024 * 1024;
/// Most blocks that may be open at once.
const OPEN: usize = 256;

/// The name under which a text block that does not run on is told, with its members.
pub(super) const BLOCK: &str = "block";
/// The name under which a delta of a text block is told.
pub(super) const DELTA: &str = "delta";

/// A reader of one streamed reply.
#[derive(Debug, Default)]
pub(super) struct Reader {
    sse: Sse,
    state: State,
}

/// Members of `usage` without a canonical name.
#[derive(Debug, Default)]
struct UsageExtra {
    members: Extra,
    has_news: bool,
}

impl UsageExtra {
    fn extend<'a>(&mut self, members: impl Iterator<Item = (&'a str, &'a RawJson)>) {
        for (name, raw) in members {
            if self.members.get(name) != Some(raw) {
                self.members.insert(name, raw.clone());
                self.has_news = true;
            }
        }
    }

    fn take_news(&mut self) -> Option<RawJson> {
        std::mem::take(&mut self.has_news).then(|| kept(&self.members))
    }
}

/// What has been read so far.
#[derive(Debug, Default)]
struct State {
    /// Open blocks by their index on the wire, with their number in the content.
    open: BTreeMap<u64, (usize, OpenBlock)>,
    content: Content,
    /// Members of `usage` without a canonical name, so far.
    usage: UsageExtra,
    /// The last tool call, stopped before any arguments came: whether that is a call without arguments or a
    /// call that was cut, the finish word tells.
    unsaid: Option<usize>,
    /// How many tool calls began.
    calls: usize,
    counters: Counters,
    /// Lines that are no server-sent event: a whole body where a stream was asked for.
    stray: String,
    /// Bytes kept in open blocks.
    kept: usize,
    began: bool,
    finished: bool,
    /// The terminator or an error came: nothing more is read.
    over: bool,
    /// The peer hung up: what cannot be read now was cut.
    closing: bool,
}

impl StreamReader for Reader {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.state.over {
            return Ok(());
        }
        let Self { sse, state } = self;
        let outcome = sse.push_parts(bytes, |part| state.part(part, out));
        if state.over {
            // What stands behind the terminator is ignored, readable or not.
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
        let outcome = match sse.close_parts(|part| state.part(part, out)) {
            // A stop reason is an end by itself: what was cut after it was the terminator.
            Err(cut) if cut.kind == Kind::StreamInterrupted && state.finished => Ok(()),
            outcome => outcome.and_then(|()| state.hung_up(out)),
        };
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
            SsePart::Event(event) => self.event(event, out),
            SsePart::Comment(_) => {
                out.push(WireEvent::KeepAlive);
                Ok(())
            }
            SsePart::Stray(line) => self.stray(line),
        }
    }

    fn event(&mut self, event: SseEvent<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let data = event.data.trim();
        if data == "[DONE]" {
            // Not a word of this dialect, but compatible gateways close with it.
            if self.finished {
                self.end(out);
            }
            return Ok(());
        }
        if let Some((index, piece)) = stream_piece::piece(data) {
            return self.delta(index, piece, out);
        }
        // A name alone says enough for `ping` and `message_stop`; of an error it was cut off.
        let is_cut = self.closing && event.name == "error";
        let object = match Object::parse(if data.is_empty() && !is_cut { "{}" } else { data }) {
            Ok(object) => object,
            Err(_) if event.name == "error" && !self.closing => {
                return Err(Failure::new(Kind::ServerError, data).status(500));
            }
            Err(error) => {
                let known =
                    ["message", "content_block", "error"].iter().any(|name| event.name.starts_with(name));
                if !known && !event.name.is_empty() {
                    return Ok(());
                }
                let (kind, why) = if self.closing {
                    (Kind::StreamInterrupted, "the stream ends inside an event")
                } else {
                    (Kind::InvalidResponse, "an event of the stream is not JSON")
                };
                return Err(Failure::new(kind, why).because(error));
            }
        };
        self.object(event.name, &object, out)
    }

    fn object(&mut self, name: &str, object: &Object<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let stated = object.text("type");
        match stated.as_deref().unwrap_or(name) {
            "ping" => out.push(WireEvent::KeepAlive),
            "message_start" => {
                if let Some(message) = object.object("message") {
                    self.begin(&message, out)?;
                }
            }
            "content_block_start" => {
                if let Some(block) = object.object("content_block") {
                    self.open(object.count("index").unwrap_or_default(), &block, out)?;
                }
            }
            "content_block_delta" => {
                if let Some(delta) = object.object("delta") {
                    self.delta(object.count("index").unwrap_or_default(), Delta::of(delta), out)?;
                }
            }
            "content_block_stop" => self.stop(object.count("index").unwrap_or_default(), out),
            "message_delta" => self.message_delta(object, out),
            "message_stop" => self.end(out),
            "error" => return Err(error::stated(object)),
            _ => {
                if let Some(failure) = error::inside(object) {
                    return Err(failure);
                }
            }
        }
        Ok(())
    }

    /// `message_start`. It may hold a whole turn, content and stop reason included, after which no block
    /// events come (seen with programmatic tool calls, 2026-08).
    fn begin(&mut self, message: &Object<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        self.began = true;
        out.push(WireEvent::Start { id: message.word("id"), model: message.word("model") });
        let blocks = message.get("content").and_then(items).unwrap_or_default();
        for (index, block) in (0..).zip(blocks.iter().filter_map(|raw| Object::of(raw))) {
            self.open(index, &block, out)?;
            self.stop(index, out);
        }
        tell(message.rest(&reply_read::KNOWN), Joins::Replace, out);
        if let Some(usage) = message.object("usage") {
            self.counters.merge(&usage);
            self.usage.extend(usage_extra(&usage).iter());
            self.tell_usage(out);
        }
        let word = message.word("stop_reason");
        if word.is_none() {
            self.counters = self.counters.without_output();
        }
        self.report(out);
        if let Some(word) = word {
            self.finish(word, message.word("stop_sequence"), explanation(message), out);
        }
        Ok(())
    }

    fn open(&mut self, index: u64, block: &Object<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        self.settle(out, false);
        if self.open.len() >= OPEN {
            return Err(Failure::new(Kind::InvalidResponse, "more than 256 blocks of the stream are open"));
        }
        self.stop(index, out);
        let Some(read) = Block::of(block) else { return Ok(()) };
        let (number, told) = self.content.begin(&read);
        tell_one(BLOCK, told, out);
        let opened = OpenBlock::start(read, block, self.calls, out);
        if let OpenBlock::Call { .. } = opened {
            self.calls += 1;
        }
        let weight = opened.weight();
        self.open.insert(index, (number, opened));
        self.keep(weight)
    }

    fn delta(&mut self, index: u64, delta: Delta<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        match self.open.get_mut(&index) {
            Some((number, block)) => {
                self.content.delta(*number, &delta);
                if let OpenBlock::Text = block {
                    tell_one(DELTA, content::told(&delta), out);
                }
                let weight = block.take(delta, out);
                self.keep(weight)
            }
            None => delta.alone(out),
        }
    }

    fn stop(&mut self, index: u64, out: &mut Vec<WireEvent>) {
        if let Some((number, block)) = self.open.remove(&index) {
            self.settle(out, false);
            self.unsaid = block.stop(out);
            if let Some(WireEvent::ReasoningBlock(block)) = out.last() {
                self.content.whole(number, &block.raw);
            }
        }
    }

    fn message_delta(&mut self, object: &Object<'_>, out: &mut Vec<WireEvent>) {
        if let Some(usage) = object.object("usage") {
            self.counters.merge(&usage);
            self.usage.extend(usage_extra(&usage).iter());
            self.report(out);
        }
        let delta = object.object("delta");
        let rest = delta.as_ref().map(|delta| delta.rest(&["stop_reason", "stop_sequence"]));
        tell(rest.unwrap_or_default(), Joins::Replace, out);
        tell(object.rest(&["type", "delta", "usage"]), Joins::Replace, out);
        if let Some(delta) = delta
            && let Some(word) = delta.word("stop_reason")
        {
            self.finish(word, delta.word("stop_sequence"), explanation(&delta), out);
        }
    }

    fn finish(
        &mut self,
        word: String,
        stop_sequence: Option<String>,
        explanation: Option<String>,
        out: &mut Vec<WireEvent>,
    ) {
        self.stop_all(out);
        self.settle(out, cuts_calls(Some(&word)));
        if let Some(content) = self.content.take() {
            tell([("content".to_owned(), content)].into_iter().collect(), Joins::Replace, out);
        }
        if let Some(text) = explanation.filter(|_| word == "refusal") {
            out.push(WireEvent::Refusal(text));
        }
        if !self.finished {
            self.tell_usage(out);
        }
        self.finished = true;
        out.push(WireEvent::Finish { word, native: None, stop_sequence });
    }

    fn end(&mut self, out: &mut Vec<WireEvent>) {
        self.stop_all(out);
        self.settle(out, false);
        self.tell_usage(out);
        self.over = true;
        out.push(WireEvent::End);
    }

    /// Some servers send no `content_block_stop`; what is open ends with the message.
    fn stop_all(&mut self, out: &mut Vec<WireEvent>) {
        while let Some((&index, _)) = self.open.first_key_value() {
            self.stop(index, out);
        }
    }

    /// Ends the call that came without arguments: a whole one takes none, a cut one said none.
    fn settle(&mut self, out: &mut Vec<WireEvent>, is_cut: bool) {
        if let Some(index) = self.unsaid.take() {
            if !is_cut {
                out.push(WireEvent::ToolArguments { index, delta: "{}".to_owned() });
            }
            out.push(WireEvent::ToolEnd { index });
        }
    }

    /// The members of `usage` without a canonical name, if there is news. Reports are running, member by member;
    /// told at the beginning and in the end.
    fn tell_usage(&mut self, out: &mut Vec<WireEvent>) {
        if let Some(usage) = self.usage.take_news() {
            tell([("usage".to_owned(), usage)].into_iter().collect(), Joins::Replace, out);
        }
    }

    fn report(&self, out: &mut Vec<WireEvent>) {
        out.push(WireEvent::Usage(self.counters.totals()));
    }

    fn keep(&mut self, bytes: usize) -> Result<(), Failure> {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > KEPT {
            return Err(Failure::new(
                Kind::InvalidResponse,
                "the blocks of the stream are larger than 16 MB",
            ));
        }
        Ok(())
    }

    fn stray(&mut self, line: &str) -> Result<(), Failure> {
        if self.began {
            return Ok(());
        }
        if self.stray.is_empty() && line.trim_start().starts_with('<') {
            return Err(Failure::new(Kind::InvalidResponse, "a page of markup came in place of a stream"));
        }
        if self.stray.len().saturating_add(line.len()) > KEPT {
            return Err(Failure::new(Kind::InvalidResponse, "a body over 16 MB came in place of a stream"));
        }
        self.stray.push_str(line);
        self.stray.push('\n');
        Ok(())
    }

    /// The peer hung up without the terminator.
    fn hung_up(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        if self.over || self.finished {
            return Ok(());
        }
        if !self.began && self.stray.trim_start().starts_with('{') {
            return self.whole(out);
        }
        Err(Failure::new(Kind::StreamInterrupted, "the stream ended without a stop reason"))
    }

    /// A server that does not stream answered with a whole body.
    fn whole(&mut self, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let body = std::mem::take(&mut self.stray);
        reply_read::read(body.as_bytes())?;
        let Ok(message) = Object::parse(&body) else { return Ok(()) };
        self.begin(&message, out)?;
        if self.finished {
            return Ok(());
        }
        Err(Failure::new(
            Kind::StreamInterrupted,
            "a whole body came in place of a stream, with no stop reason",
        ))
    }
}

/// Tells members, if there are any.
fn tell(members: Extra, joins: Joins, out: &mut Vec<WireEvent>) {
    if !members.is_empty() {
        out.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::Anthropic, members, joins }));
    }
}

/// Tells something that belongs to its place in the stream; the content says it for the whole reply.
fn tell_one(name: &str, raw: Option<RawJson>, out: &mut Vec<WireEvent>) {
    tell(raw.map(|raw| (name.to_owned(), raw)).into_iter().collect(), Joins::Pass, out);
}
