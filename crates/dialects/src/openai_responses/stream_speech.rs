//! What a streamed reply says: messages in parts, reasoning, and items that come as a whole.
//!
//! One item of speech is open at a time; another kind of piece closes it.

use mainstay_canon::{Dialect, RawJson, ReasoningBlock, Shown};
use serde_json::value::{RawValue, to_raw_value};

use super::output_write::{
    DECLINED, Own, SummaryPart, WrittenMessage, WrittenPart, WrittenReasoning, own_block,
};
use super::reply_write::item_id;
use super::shown::WrittenPicture;
use super::stream_events::{At, Event};
use super::stream_write::Writer;
use crate::envelope::seal;
use crate::media::in_words;

/// The open item of speech.
#[derive(Debug)]
pub(super) enum Open {
    Message { at: Spot, parts: Vec<Said> },
    Reasoning { at: Spot, text: String },
}

impl Open {
    const fn is_message(&self) -> bool {
        match self {
            Self::Message { .. } => true,
            Self::Reasoning { .. } => false,
        }
    }
}

/// An item's place and id.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) place: usize,
    pub(super) id: String,
}

impl Spot {
    /// The same, for an event.
    pub(super) fn at(&self) -> At<'_> {
        At { item_id: &self.id, output_index: self.place }
    }
}

/// A part of a message; the last one may go on.
#[derive(Debug)]
pub(super) enum Said {
    Text(Text),
    Refusal(String),
}

/// Text, with what this dialect says about it.
#[derive(Debug, Default)]
pub(super) struct Text {
    said: String,
    annotations: Vec<RawJson>,
    logprobs: Vec<RawJson>,
}

impl Said {
    fn written(&self) -> WrittenPart<'_> {
        match self {
            Self::Text(Text { said: text, annotations, logprobs }) => {
                WrittenPart::OutputText { text, annotations, logprobs }
            }
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

impl Writer {
    /// A piece of text or of a refusal.
    pub(super) fn say(&mut self, piece: &str, is_refusal: bool, out: &mut Vec<u8>) {
        if piece.is_empty() {
            return;
        }
        self.begin(out);
        let (at, mut parts) = self.message(is_refusal, out);
        let content_index = parts.len().saturating_sub(1);
        match parts.last_mut() {
            Some(Said::Text(text)) => {
                let logprobs = std::mem::take(&mut self.logprobs);
                Self::keep(&mut self.kept, &mut text.said, piece);
                self.emit(
                    &Event::Text { at: at.at(), content_index, delta: piece, logprobs: &logprobs },
                    out,
                );
                Self::keep_all(&mut self.kept, &mut text.logprobs, logprobs);
            }
            Some(Said::Refusal(text)) => {
                Self::keep(&mut self.kept, text, piece);
                self.emit(&Event::Refusal { at: at.at(), content_index, delta: piece }, out);
            }
            None => {}
        }
        self.open = Some(Open::Message { at, parts });
    }

    /// An annotation of the text that is open. Where none is, there is nothing that it could be about.
    pub(super) fn annotate(&mut self, annotation: &RawJson, out: &mut Vec<u8>) {
        let Some(Open::Message { at, mut parts }) = self.open.take_if(|open| open.is_message()) else {
            return;
        };
        let content_index = parts.len().saturating_sub(1);
        if let Some(Said::Text(said)) = parts.last_mut() {
            let annotation_index = said.annotations.len();
            let event = Event::Annotation { at: at.at(), content_index, annotation_index, annotation };
            self.emit(&event, out);
            Self::keep_all(&mut self.kept, &mut said.annotations, [annotation.clone()]);
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
            let part = if is_refusal { Said::Refusal(String::new()) } else { Said::Text(Text::default()) };
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
            Said::Text(Text { said: text, logprobs, .. }) => {
                self.emit(&Event::TextDone { at, content_index, text, logprobs }, out);
            }
            Said::Refusal(refusal) => self.emit(&Event::RefusalDone { at, content_index, refusal }, out),
        }
        let name = "response.content_part.done";
        self.emit(&Event::Part { name, at, content_index, part: part.written() }, out);
    }

    pub(super) fn reason(&mut self, piece: &str, out: &mut Vec<u8>) {
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
    pub(super) fn block(&mut self, block: &ReasoningBlock, out: &mut Vec<u8>) {
        self.begin(out);
        if let Own::AsItCame(raw) = own_block(block) {
            if let Some(at) = self.begun_items.take_closing() {
                self.settle(&at, raw, out);
            } else {
                self.hush("completed", out);
                self.whole(raw, out);
            }
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

    /// What another dialect shows: as an item of ours, else in words. Ours came as an item of its own.
    pub(super) fn show(&mut self, shown: &Shown, out: &mut Vec<u8>) {
        if shown.dialect == Dialect::OpenaiResponses {
            return;
        }
        self.begin(out);
        let id = item_id("ig", &self.context, self.next_place());
        let picture = WrittenPicture::of(shown, &id).and_then(|picture| to_raw_value(&picture).ok());
        match picture {
            Some(picture) => {
                self.hush("completed", out);
                self.whole(&picture, out);
            }
            None => self.say(&in_words(shown), false, out),
        }
    }

    /// An item that comes as a whole.
    pub(super) fn whole(&mut self, raw: &RawValue, out: &mut Vec<u8>) {
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
    pub(super) fn hush(&mut self, status: &'static str, out: &mut Vec<u8>) {
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

    /// A model that declined in plain text: a refusal part says so, too.
    pub(super) fn say_refusal(&mut self, out: &mut Vec<u8>) {
        let said = match &self.open {
            Some(Open::Message { parts, .. }) => parts.iter().find_map(|part| match part {
                Said::Text(text) if !text.said.is_empty() => Some(text.said.clone()),
                Said::Text(_) | Said::Refusal(_) => None,
            }),
            Some(Open::Reasoning { .. }) | None => None,
        };
        self.say(said.as_deref().unwrap_or(DECLINED), true, out);
    }
}
