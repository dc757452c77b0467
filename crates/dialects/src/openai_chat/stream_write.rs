//! A streamed reply, written as OpenAI's SDKs expect it.
//!
//! The first delta names the role; the last chunk of the choice has the finish word and an empty delta; token
//! counts come in a chunk of their own with no choices, if they are wanted. Then our closing comment, then
//! `[DONE]`. After an error neither follows: an SDK must not take what came for an answer.

use std::collections::BTreeSet;

use mainstay_canon::{Dialect, Extra, FinishReason, ReplyEvent, Shown};
use serde::Serialize;

use super::beside::{self, Beside, Members};
use super::problem;
use super::reasoning::AsDetails;
use super::reply_write::{DECLINED, completion_id, finish_word};
use super::shown::WrittenPicture;
use super::tools::StartedCall;
use super::usage_write::WrittenUsage;
use crate::framing::line;
use crate::media::in_words;
use crate::{Ending, FaceContext, Problem, StreamWriter};

/// How much of the text is remembered, in bytes, to say it again as a refusal where the model declined in
/// plain text.
const REMEMBERED: usize = 4096;

/// Writes one stream.
pub(super) struct Writer {
    id: String,
    created: i64,
    include_usage: bool,
    model: String,
    /// What every chunk begins with, once the model is known.
    head: Vec<u8>,
    begun: bool,
    refused: bool,
    text: String,
    beside: Beside,
    /// Which calls are of tools that take free text.
    custom: BTreeSet<usize>,
    /// How many pictures of other dialects were written.
    pictures: usize,
}

impl Writer {
    /// A writer at the beginning of a reply.
    pub(super) fn new(context: &FaceContext) -> Self {
        Self {
            id: completion_id(context),
            created: context.created,
            include_usage: context.include_usage,
            model: String::new(),
            head: Vec::new(),
            begun: false,
            refused: false,
            text: String::new(),
            beside: Beside::default(),
            custom: BTreeSet::new(),
            pictures: 0,
        }
    }

    /// Writes a chunk with this delta, the role first if nothing was written yet.
    fn delta(&mut self, delta: &impl Serialize, out: &mut Vec<u8>) {
        self.begin(out);
        let beside = self.beside.next();
        self.chunk(delta, &beside, "null", &[], out);
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            let role = Role { role: "assistant", content: "" };
            self.chunk(&role, &Members::default(), "null", &[], out);
        }
    }

    /// One chunk. `finish` and `more` are JSON: the finish word, and further members after a comma.
    fn chunk(
        &mut self,
        delta: &impl Serialize,
        beside: &Members,
        finish: &str,
        more: &[u8],
        out: &mut Vec<u8>,
    ) {
        self.open(out);
        out.extend_from_slice(br#"[{"index":0,"delta":"#);
        json(delta, out);
        within(&beside.delta, out);
        if beside.choice.get("logprobs").is_none() {
            out.extend_from_slice(br#","logprobs":null"#);
        }
        beside::members(&beside.choice, out);
        out.extend_from_slice(br#","finish_reason":"#);
        out.extend_from_slice(finish.as_bytes());
        out.extend_from_slice(b"}]");
        self.beside.write_body(out);
        if self.include_usage {
            out.extend_from_slice(br#","usage":null"#);
        }
        out.extend_from_slice(more);
        out.extend_from_slice(b"}\n\n");
    }

    /// Writes a chunk's beginning, up to the value of `choices`.
    fn open(&mut self, out: &mut Vec<u8>) {
        if self.head.is_empty() {
            let head = &mut self.head;
            head.extend_from_slice(br#"data: {"id":"#);
            json(&self.id, head);
            head.extend_from_slice(br#","object":"chat.completion.chunk","created":"#);
            json(&self.created, head);
            head.extend_from_slice(br#","model":"#);
            json(&self.model, head);
            head.extend_from_slice(br#","choices":"#);
        }
        out.extend_from_slice(&self.head);
    }

    /// What this dialect's own form waits to be told in goes out; another's is put into ours, else into words.
    fn show(&mut self, shown: &Shown, out: &mut Vec<u8>) {
        if shown.dialect == Dialect::OpenaiChat {
            if self.beside.has_delta() {
                self.delta(&Nothing {}, out);
            }
        } else if let Some(picture) = WrittenPicture::of(shown, self.pictures) {
            self.pictures += 1;
            self.delta(&Pictures { images: [picture] }, out);
        } else {
            let words = in_words(shown);
            self.remember(&words);
            self.delta(&Content { content: &words }, out);
        }
    }

    fn remember(&mut self, text: &str) {
        let room = REMEMBERED.saturating_sub(self.text.len());
        let end = text
            .char_indices()
            .map(|(at, c)| at.saturating_add(c.len_utf8()))
            .take_while(|end| *end <= room)
            .last();
        self.text.push_str(text.get(..end.unwrap_or(0)).unwrap_or_default());
    }

    /// A model that declined in plain text: the field says so too (ingress table of finish reasons).
    fn say_refusal(&mut self, out: &mut Vec<u8>) {
        let text = std::mem::take(&mut self.text);
        let refusal = if text.is_empty() { DECLINED } else { &text };
        self.delta(&Refusal { refusal }, out);
    }
}

impl StreamWriter for Writer {
    fn event(&mut self, event: &ReplyEvent, out: &mut Vec<u8>) {
        match event {
            ReplyEvent::Start { model, .. } => {
                // One model for the whole stream, as the SDKs expect: the first that was named.
                if let Some(model) = model.as_ref().filter(|_| !self.begun) {
                    self.model.clone_from(model);
                    self.head.clear();
                }
            }
            ReplyEvent::Text(text) => {
                self.remember(text);
                self.delta(&Content { content: text }, out);
            }
            ReplyEvent::Reasoning(text) => self.delta(&Reasoning { reasoning_content: text }, out),
            ReplyEvent::ReasoningBlock(block) => {
                self.delta(&Details { reasoning_details: AsDetails(std::slice::from_ref(block)) }, out);
            }
            ReplyEvent::Shown(shown) => self.show(shown, out),
            ReplyEvent::Refusal(text) => {
                self.refused = true;
                self.delta(&Refusal { refusal: text }, out);
            }
            ReplyEvent::ToolStart { index, id, name, extra } => {
                let call = StartedCall { id, name, extra };
                if call.is_custom() {
                    self.custom.insert(*index);
                }
                self.delta(&Calls { tool_calls: [Call { index: *index, piece: call }] }, out);
            }
            ReplyEvent::ToolArguments { index, delta } => {
                let piece = if self.custom.contains(index) {
                    Arguments::Custom { input: delta }
                } else {
                    Arguments::Function { arguments: delta }
                };
                self.delta(&Calls { tool_calls: [Call { index: *index, piece }] }, out);
            }
            ReplyEvent::Extra(piece) => {
                if piece.dialect == Dialect::OpenaiChat {
                    self.beside.take(piece);
                }
            }
            // The end of a call has no spelling here; its finish comes with `finish`.
            ReplyEvent::ToolEnd { .. } | ReplyEvent::Finish { .. } => {}
        }
    }

    fn keep_alive(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(b": keep-alive\n\n");
    }

    fn finish(&mut self, ending: &Ending, out: &mut Vec<u8>) {
        self.begin(out);
        if ending.reason == FinishReason::Refusal && !self.refused {
            self.say_refusal(out);
        }
        if self.beside.has_delta() {
            // Clients that see a finish word do not all look at the delta beside it.
            self.delta(&Nothing {}, out);
        }
        let mut mark = Vec::new();
        if let Some(stated) = &ending.mark {
            mark.extend_from_slice(br#","mainstay":"#);
            json(stated, &mut mark);
        }
        let finish = format!("\"{}\"", finish_word(ending.reason));
        let beside = self.beside.next();
        self.chunk(&Nothing {}, &beside, &finish, &mark, out);
        if self.include_usage {
            self.open(out);
            out.extend_from_slice(br#"[],"usage":"#);
            json(&WrittenUsage::from(&ending.usage), out);
            self.beside.write_body(out);
            out.extend_from_slice(b"}\n\n");
        }
        if let Some(comment) = &ending.comment {
            out.extend_from_slice(b": mainstay ");
            json(comment, out);
            out.extend_from_slice(b"\n\n");
        }
        out.extend_from_slice(b"data: [DONE]\n\n");
    }

    fn problem(&mut self, problem: &Problem, out: &mut Vec<u8>) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(&problem::write(problem));
        out.extend_from_slice(b"\n\n");
    }
}

/// Writes members into the object that was written last.
fn within(extra: &Extra, out: &mut Vec<u8>) {
    if extra.is_empty() || out.pop().is_none() {
        return;
    }
    let is_first = out.last() == Some(&b'{');
    let at = out.len();
    beside::members(extra, out);
    if is_first && out.get(at) == Some(&b',') {
        out.remove(at);
    }
    out.push(b'}');
}

/// Writes JSON at the end of `out`. Plain structs into memory: this cannot fail.
fn json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    if line::json(value, out).is_err() {
        out.extend_from_slice(b"null");
    }
}

#[derive(Serialize)]
struct Nothing {}

#[derive(Serialize)]
struct Role {
    role: &'static str,
    content: &'static str,
}

#[derive(Serialize)]
struct Content<'a> {
    content: &'a str,
}

#[derive(Serialize)]
struct Pictures<'a> {
    images: [WrittenPicture<'a>; 1],
}

#[derive(Serialize)]
struct Reasoning<'a> {
    reasoning_content: &'a str,
}

#[derive(Serialize)]
struct Refusal<'a> {
    refusal: &'a str,
}

#[derive(Serialize)]
struct Details<'a> {
    reasoning_details: AsDetails<'a, mainstay_canon::ReasoningBlock>,
}

#[derive(Serialize)]
struct Calls<P> {
    tool_calls: [Call<P>; 1],
}

#[derive(Serialize)]
struct Call<P> {
    index: usize,
    #[serde(flatten)]
    piece: P,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Arguments<'a> {
    Function { arguments: &'a str },
    Custom { input: &'a str },
}
