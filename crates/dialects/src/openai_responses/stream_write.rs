//! A streamed reply to a caller, event by event in the order that SDKs demand.
//!
//! Every item is announced, comes in pieces and is done; the last event has the whole response once more, so all of
//! it is kept until then. Items are numbered in the order in which they begin.

use std::collections::BTreeMap;

use mainstay_canon::{Dialect, Extra, ExtraPiece, FinishReason, Joins, RawJson, ReplyEvent, ToolCall, Usage};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::items::{CUSTOM, kind_of_call};
use super::output_write::call_prefix;
use super::progress::Begun;
use super::reply_write::{State, WrittenResponse, item_id, response_id};
use super::stream_events::{Event, Problem as Told};
use super::stream_items::{ANNOTATION, LOGPROBS};
use super::stream_speech::{Open, Spot};
use super::tools::{Extras, WrittenCall, whole_item};
use crate::framing::line;
use crate::openai_chat::problem::words;
use crate::{Ending, FaceContext, Problem, ProblemKind, StreamWriter};

/// Most bytes that are kept for the last event: 64 MB. What comes after is passed on in pieces only.
const KEPT: usize = 64 * 1024 * 1024;

/// Writes one stream.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) context: FaceContext,
    id: String,
    model: String,
    /// The number of the next event.
    sequence: u64,
    begun: bool,
    /// The last event was written: nothing more is.
    over: bool,
    /// Items that are done, by their place. Places of open ones are empty.
    output: Vec<Option<Box<RawValue>>>,
    pub(super) open: Option<Open>,
    /// Open calls by their number. They may overlap where calls are not held back.
    calls: BTreeMap<usize, OpenCall>,
    refused: bool,
    pub(super) kept: usize,
    /// Members of this dialect that came with the answer.
    extra: Extra,
    /// Log probabilities of the text that comes next.
    pub(super) logprobs: Vec<RawJson>,
    /// Items of the provider's own tools that are begun.
    pub(super) begun_items: Begun,
}

/// A call whose arguments come.
#[derive(Debug)]
struct OpenCall {
    /// Nothing for a call that is no function: it is an item, told as a whole.
    at: Option<Spot>,
    call: ToolCall,
}

impl Writer {
    /// A writer at the beginning of a reply.
    pub(super) fn new(context: &FaceContext) -> Self {
        Self {
            context: context.clone(),
            id: response_id(context),
            model: String::new(),
            sequence: 0,
            begun: false,
            over: false,
            output: Vec::new(),
            open: None,
            calls: BTreeMap::new(),
            refused: false,
            kept: 0,
            extra: Extra::new(),
            logprobs: Vec::new(),
            begun_items: Begun::default(),
        }
    }

    /// The next event's number.
    pub(super) fn number(&mut self) -> u64 {
        let number = self.sequence;
        self.sequence = self.sequence.saturating_add(1);
        number
    }

    pub(super) fn emit(&mut self, event: &Event<'_>, out: &mut Vec<u8>) {
        event.write(self.number(), out);
    }

    /// Says that the response begins, once.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            self.response("response.created", State::InProgress, None, None, out);
            self.response("response.in_progress", State::InProgress, None, None, out);
        }
    }

    /// The response as it stands.
    fn response(
        &mut self,
        name: &'static str,
        state: State<'_>,
        usage: Option<&Usage>,
        mark: Option<&RawJson>,
        out: &mut Vec<u8>,
    ) {
        let number = self.number();
        let response = Box::new(WrittenResponse {
            id: &self.id,
            created: self.context.created,
            model: &self.model,
            state,
            output: self.output.iter().flatten().map(|item| &**item).collect(),
            usage,
            echo: &self.context.echo,
            extra: Some(&self.extra),
            mark,
        });
        Event::Response { name, response }.write(number, out);
    }

    /// The place that the next new item has.
    pub(super) const fn next_place(&self) -> usize {
        self.output.len()
    }

    /// A new item's place and id.
    pub(super) fn spot(&mut self, prefix: &str) -> Spot {
        let place = self.next_place();
        self.output.push(None);
        Spot { place, id: item_id(prefix, &self.context, place) }
    }

    pub(super) fn announce(&mut self, at: &Spot, item: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
        if let Ok(item) = to_raw_value(item) {
            self.emit(&Event::Added { output_index: at.place, item: &item }, out);
        }
    }

    pub(super) fn settle(&mut self, at: &Spot, item: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
        let Ok(item) = to_raw_value(item) else { return };
        self.emit(&Event::Done { output_index: at.place, item: &item }, out);
        if let Some(slot) = self.output.get_mut(at.place) {
            *slot = Some(item);
        }
    }

    /// Keeps a piece for later, as far as there is room.
    pub(super) fn keep(kept: &mut usize, whole: &mut String, piece: &str) {
        if kept.saturating_add(piece.len()) <= KEPT {
            *kept += piece.len();
            whole.push_str(piece);
        }
    }

    /// What only this dialect says: for the text around it, or for the last event.
    fn beside(&mut self, piece: &ExtraPiece, out: &mut Vec<u8>) {
        if piece.joins == Joins::Pass {
            if self.progress(piece, out) {
                return;
            }
            if let Some(raw) = piece.members.get(ANNOTATION) {
                self.annotate(raw, out);
            }
            let logprobs = piece.members.get(LOGPROBS).and_then(|raw| raw.read::<Vec<RawJson>>().ok());
            self.logprobs.extend(logprobs.unwrap_or_default());
            return;
        }
        for (name, raw) in piece.members.iter() {
            self.extra.insert(name, raw.clone());
        }
    }

    /// Keeps more about a text for later, as far as there is room.
    pub(super) fn keep_all(
        kept: &mut usize,
        all: &mut Vec<RawJson>,
        more: impl IntoIterator<Item = RawJson>,
    ) {
        for raw in more {
            let length = raw.text().len();
            if kept.saturating_add(length) <= KEPT {
                *kept += length;
                all.push(raw);
            }
        }
    }

    fn call(&mut self, index: usize, call: ToolCall, out: &mut Vec<u8>) {
        self.begin(out);
        self.hush("completed", out);
        let is_item = kind_of_call(&call.extra).is_some_and(|kind| kind != CUSTOM);
        let at = (!is_item).then(|| self.spot(call_prefix(&call)));
        if let Some(at) = &at {
            self.announce(at, &written_call(&call, at, "in_progress"), out);
        }
        self.calls.insert(index, OpenCall { at, call });
    }

    fn arguments(&mut self, index: usize, delta: &str, out: &mut Vec<u8>) {
        let Some(OpenCall { at, call }) = self.calls.get_mut(&index).filter(|_| !delta.is_empty()) else {
            return;
        };
        Self::keep(&mut self.kept, &mut call.arguments, delta);
        let Some(at) = at.clone() else { return };
        let name = match call_prefix(call) {
            "ctc" => "response.custom_tool_call_input.delta",
            _ => "response.function_call_arguments.delta",
        };
        self.emit(&Event::Arguments { name, at: at.at(), delta }, out);
    }

    fn end_call(&mut self, index: usize, status: &'static str, out: &mut Vec<u8>) {
        let Some(OpenCall { at, call }) = self.calls.remove(&index) else { return };
        let Some(at) = at else {
            if let Some(raw) = whole_item(&call) {
                self.whole(raw, out);
            }
            return;
        };
        let told = call.arguments.as_str();
        match call_prefix(&call) {
            "ctc" => self.emit(&Event::InputDone { at: at.at(), input: told }, out),
            _ => self.emit(&Event::ArgumentsDone { at: at.at(), arguments: told }, out),
        }
        self.settle(&at, &written_call(&call, &at, status), out);
    }
}

/// A call's item as it stands.
fn written_call<'a>(call: &'a ToolCall, at: &'a Spot, status: &'static str) -> WrittenCall<'a> {
    let (item_id, status, extras) = (Some(at.id.as_str()), Some(status), Extras::Unsaid);
    WrittenCall { call, id: &call.id, item_id, status, extras, is_bare: false }
}

impl StreamWriter for Writer {
    fn event(&mut self, event: &ReplyEvent, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match event {
            ReplyEvent::Start { model, .. } => {
                // One model for the whole stream: the first that was named.
                if let Some(model) = model.as_ref().filter(|_| !self.begun) {
                    self.model.clone_from(model);
                }
                self.begin(out);
            }
            ReplyEvent::Text(text) => self.say(text, false, out),
            ReplyEvent::Reasoning(text) => self.reason(text, out),
            ReplyEvent::ReasoningBlock(block) => self.block(block, out),
            ReplyEvent::Shown(shown) => self.show(shown, out),
            ReplyEvent::Refusal(text) => {
                self.refused = true;
                self.say(text, true, out);
            }
            ReplyEvent::ToolStart { index, id, name, extra } => {
                let (id, name, extra) = (id.clone(), name.clone(), extra.clone());
                self.call(*index, ToolCall { id, name, arguments: String::new(), extra }, out);
            }
            ReplyEvent::ToolArguments { index, delta } => self.arguments(*index, delta, out),
            ReplyEvent::ToolEnd { index } => self.end_call(*index, "completed", out),
            ReplyEvent::Extra(piece) if piece.dialect == Dialect::OpenaiResponses => self.beside(piece, out),
            ReplyEvent::Extra(_) | ReplyEvent::Finish { .. } => {}
        }
    }

    fn keep_alive(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b": keep-alive\n\n");
    }

    fn finish(&mut self, ending: &Ending, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.begin(out);
        if ending.reason == FinishReason::Refusal && !self.refused {
            self.say_refusal(out);
        }
        let state = State::of(ending.reason);
        self.hush(state.of_last_item(), out);
        while let Some((&index, _)) = self.calls.first_key_value() {
            self.end_call(index, state.of_last_item(), out);
        }
        self.end_hosted(out);
        if let Some(comment) = &ending.comment {
            comment_line(comment, out);
        }
        let name = match state {
            State::Completed | State::InProgress => "response.completed",
            State::Incomplete(_) => "response.incomplete",
            State::Failed { .. } => "response.failed",
        };
        self.response(name, state, Some(&ending.usage), ending.mark.as_ref(), out);
    }

    fn problem(&mut self, problem: &Problem, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.begin(out);
        let (r#type, code) = words(problem.kind);
        let code = problem.code.as_deref().unwrap_or(code);
        let (message, param) = (problem.message.as_str(), problem.param.as_deref());
        let error = Told { message, r#type, param, code };
        self.emit(&Event::Error { code, message, param, error }, out);
        // As the API itself does. Its own words only: SDKs know them as a closed set.
        let code = match problem.kind {
            ProblemKind::RateLimited => "rate_limit_exceeded",
            ProblemKind::InvalidRequest
            | ProblemKind::Authentication
            | ProblemKind::Permission
            | ProblemKind::NotFound
            | ProblemKind::TooLarge
            | ProblemKind::BudgetExceeded
            | ProblemKind::AllProvidersFailed
            | ProblemKind::Timeout
            | ProblemKind::Unavailable => "server_error",
        };
        self.response("response.failed", State::Failed { code, message }, None, None, out);
    }
}

/// `: mainstay {…}`.
fn comment_line(comment: &RawJson, out: &mut Vec<u8>) {
    out.extend_from_slice(b": mainstay ");
    // JSON can always be written as JSON.
    let _ = line::json(comment, out);
    out.extend_from_slice(b"\n\n");
}
