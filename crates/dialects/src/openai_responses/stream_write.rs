//! A streamed reply to a caller, event by event in the order that SDKs demand.
//!
//! Every item is announced, comes in pieces and is done; the last event has the whole response once more, so all of
//! it is kept until then. Items are numbered in the order in which they begin.

use std::collections::BTreeMap;

use mainstay_canon::{FinishReason, RawJson, ReasoningBlock, ReplyEvent, ToolCall, Usage};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::envelope::seal;
use super::items::{CUSTOM, kind_of_call};
use super::output_write::{
    DECLINED, Own, SummaryPart, WrittenMessage, WrittenPart, WrittenReasoning, call_prefix, own_block,
};
use super::reply_write::{State, WrittenResponse, item_id, response_id};
use super::stream_events::{At, Event, Problem as Told};
use super::tools::{Extras, WrittenCall, whole_item};
use crate::openai_chat::problem::words;
use crate::{Ending, FaceContext, Problem, ProblemKind, StreamWriter};

/// Most bytes that are kept for the last event: 64 MB. What comes after is passed on in pieces only.
const KEPT: usize = 64 * 1024 * 1024;

/// Writes one stream.
#[derive(Debug)]
pub(super) struct Writer {
    context: FaceContext,
    id: String,
    model: String,
    /// The number of the next event.
    sequence: u64,
    begun: bool,
    /// The last event was written: nothing more is.
    over: bool,
    /// Items that are done, by their place. Places of open ones are empty.
    output: Vec<Option<Box<RawValue>>>,
    open: Option<Open>,
    /// Open calls by their number. They may overlap where calls are not held back.
    calls: BTreeMap<usize, OpenCall>,
    refused: bool,
    kept: usize,
}

/// The open item of speech.
#[derive(Debug)]
enum Open {
    Message { at: Spot, parts: Vec<Said> },
    Reasoning { at: Spot, text: String },
}

/// An item's place and id.
#[derive(Clone, Debug)]
struct Spot {
    place: usize,
    id: String,
}

impl Spot {
    fn at(&self) -> At<'_> {
        At { item_id: &self.id, output_index: self.place }
    }
}

/// A part of a message; the last one may go on.
#[derive(Debug)]
enum Said {
    Text(String),
    Refusal(String),
}

impl Said {
    fn written(&self) -> WrittenPart<'_> {
        match self {
            Self::Text(text) => WrittenPart::text(text),
            Self::Refusal(refusal) => WrittenPart::Refusal { refusal },
        }
    }

    const fn is_refusal(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Refusal(_) => true,
        }
    }
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
        }
    }

    /// The next event's number.
    fn number(&mut self) -> u64 {
        let number = self.sequence;
        self.sequence = self.sequence.saturating_add(1);
        number
    }

    fn emit(&mut self, event: &Event<'_>, out: &mut Vec<u8>) {
        event.write(self.number(), out);
    }

    /// Says that the response begins, once.
    fn begin(&mut self, out: &mut Vec<u8>) {
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
            extra: None,
            mark,
        });
        Event::Response { name, response }.write(number, out);
    }

    /// A new item's place and id.
    fn spot(&mut self, prefix: &str) -> Spot {
        let place = self.output.len();
        self.output.push(None);
        Spot { place, id: item_id(prefix, &self.context, place) }
    }

    fn announce(&mut self, at: &Spot, item: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
        if let Ok(item) = to_raw_value(item) {
            self.emit(&Event::Added { output_index: at.place, item: &item }, out);
        }
    }

    fn settle(&mut self, at: &Spot, item: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
        let Ok(item) = to_raw_value(item) else { return };
        self.emit(&Event::Done { output_index: at.place, item: &item }, out);
        if let Some(slot) = self.output.get_mut(at.place) {
            *slot = Some(item);
        }
    }

    /// Keeps a piece for later, as far as there is room.
    fn keep(kept: &mut usize, whole: &mut String, piece: &str) {
        if kept.saturating_add(piece.len()) <= KEPT {
            *kept += piece.len();
            whole.push_str(piece);
        }
    }

    /// A piece of text or of a refusal.
    fn say(&mut self, piece: &str, is_refusal: bool, out: &mut Vec<u8>) {
        if piece.is_empty() {
            return;
        }
        self.begin(out);
        let (at, mut parts) = self.message(is_refusal, out);
        let content_index = parts.len().saturating_sub(1);
        match parts.last_mut() {
            Some(Said::Text(text)) => {
                Self::keep(&mut self.kept, text, piece);
                self.emit(&Event::Text { at: at.at(), content_index, delta: piece, logprobs: [] }, out);
            }
            Some(Said::Refusal(text)) => {
                Self::keep(&mut self.kept, text, piece);
                self.emit(&Event::Refusal { at: at.at(), content_index, delta: piece }, out);
            }
            None => {}
        }
        self.open = Some(Open::Message { at, parts });
    }

    /// The open message with a part of that kind at its end, begun where there is none.
    fn message(&mut self, is_refusal: bool, out: &mut Vec<u8>) -> (Spot, Vec<Said>) {
        let (at, mut parts) = match self.open.take() {
            Some(Open::Message { at, parts }) => (at, parts),
            other => {
                self.open = other;
                self.hush("completed", out);
                let at = self.spot("msg");
                self.announce(&at, &WrittenMessage::new(&at.id, "in_progress", &[]), out);
                (at, Vec::new())
            }
        };
        if parts.last().is_none_or(|last| last.is_refusal() != is_refusal) {
            self.end_part(&at, &parts, out);
            let part = if is_refusal { Said::Refusal(String::new()) } else { Said::Text(String::new()) };
            let name = "response.content_part.added";
            let content_index = parts.len();
            self.emit(&Event::Part { name, at: at.at(), content_index, part: part.written() }, out);
            parts.push(part);
        }
        (at, parts)
    }

    /// Ends the last part of a message.
    fn end_part(&mut self, at: &Spot, parts: &[Said], out: &mut Vec<u8>) {
        let Some(part) = parts.last() else { return };
        let content_index = parts.len().saturating_sub(1);
        let at = at.at();
        match part {
            Said::Text(text) => {
                self.emit(&Event::TextDone { at, content_index, text, logprobs: [] }, out);
            }
            Said::Refusal(refusal) => self.emit(&Event::RefusalDone { at, content_index, refusal }, out),
        }
        let name = "response.content_part.done";
        self.emit(&Event::Part { name, at, content_index, part: part.written() }, out);
    }

    fn reason(&mut self, piece: &str, out: &mut Vec<u8>) {
        if piece.is_empty() {
            return;
        }
        self.begin(out);
        let (at, mut text) = match self.open.take() {
            Some(Open::Reasoning { at, text }) => (at, text),
            other => {
                self.open = other;
                self.hush("completed", out);
                let at = self.spot("rs");
                self.announce(&at, &WrittenReasoning { id: &at.id, text: "", encrypted: None }, out);
                let name = "response.reasoning_summary_part.added";
                let part = SummaryPart::new("");
                self.emit(&Event::SummaryPart { name, at: at.at(), summary_index: 0, part }, out);
                (at, String::new())
            }
        };
        Self::keep(&mut self.kept, &mut text, piece);
        self.emit(&Event::Summary { at: at.at(), summary_index: 0, delta: piece }, out);
        self.open = Some(Open::Reasoning { at, text });
    }

    /// A block that the caller hands back later: it closes the reasoning that it signs.
    fn block(&mut self, block: &ReasoningBlock, out: &mut Vec<u8>) {
        self.begin(out);
        if let Own::AsItCame(raw) = own_block(block) {
            self.hush("completed", out);
            self.whole(raw, out);
            return;
        }
        let sealed = seal(Some(block));
        match self.open.take() {
            Some(Open::Reasoning { at, text }) => self.end_reasoning(&at, &text, &sealed, out),
            other => {
                self.open = other;
                self.hush("completed", out);
                let at = self.spot("rs");
                self.announce(&at, &WrittenReasoning { id: &at.id, text: "", encrypted: None }, out);
                self.settle(&at, &WrittenReasoning { id: &at.id, text: "", encrypted: Some(&sealed) }, out);
            }
        }
    }

    /// An item that comes as a whole.
    fn whole(&mut self, raw: &RawValue, out: &mut Vec<u8>) {
        let at = self.spot("");
        self.announce(&at, raw, out);
        self.settle(&at, raw, out);
    }

    fn end_reasoning(&mut self, at: &Spot, text: &str, sealed: &str, out: &mut Vec<u8>) {
        self.emit(&Event::SummaryDone { at: at.at(), summary_index: 0, text }, out);
        let name = "response.reasoning_summary_part.done";
        let part = SummaryPart::new(text);
        self.emit(&Event::SummaryPart { name, at: at.at(), summary_index: 0, part }, out);
        self.settle(at, &WrittenReasoning { id: &at.id, text, encrypted: Some(sealed) }, out);
    }

    /// Closes the open message or reasoning.
    fn hush(&mut self, status: &'static str, out: &mut Vec<u8>) {
        match self.open.take() {
            None => {}
            Some(Open::Message { at, parts }) => {
                self.end_part(&at, &parts, out);
                let content: Vec<WrittenPart<'_>> = parts.iter().map(Said::written).collect();
                self.settle(&at, &WrittenMessage::new(&at.id, status, &content), out);
            }
            Some(Open::Reasoning { at, text }) => self.end_reasoning(&at, &text, &seal(None), out),
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

    /// A model that declined in plain text: a refusal part says so, too.
    fn say_refusal(&mut self, out: &mut Vec<u8>) {
        let said = match &self.open {
            Some(Open::Message { parts, .. }) => parts.iter().find_map(|part| match part {
                Said::Text(text) if !text.is_empty() => Some(text.clone()),
                Said::Text(_) | Said::Refusal(_) => None,
            }),
            Some(Open::Reasoning { .. }) | None => None,
        };
        self.say(said.as_deref().unwrap_or(DECLINED), true, out);
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
            ReplyEvent::Finish { .. } => {}
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

/// `: mainstay {…}`. JSON has line ends only between its values, where a space says the same.
fn comment_line(comment: &RawJson, out: &mut Vec<u8>) {
    out.extend_from_slice(b": mainstay ");
    out.extend(comment.text().bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    out.extend_from_slice(b"\n\n");
}
