//! What goes back of an earlier answer, and where: signatures on the very parts they came with.
//!
//! Source: Gemini API, Thought signatures, 2026-11. A signature is one model's own, so none is given to another; an
//! unsigned thought is never wanted back.

use std::borrow::Cow;

use mainstay_canon::{ChatMessage, ContentPart, Dialect, ReasoningReplay, ToolCall};

use super::json::{Object, raw};
use super::marks::{Mark, Marked, Place, SIGNATURE};
use super::notes::Notes;
use super::parts::{Members, OutCall, OutPart, PartWriter, members_of};
use crate::Call;

/// The note on reasoning that does not go back.
const UNRETURNED: &str =
    "earlier reasoning is not sent back: it is another model's, or this one does not take it";
/// The note on a signature whose part is not what it was.
const EDITED: &str = "a signature is not sent back: its part was changed since";

/// What of one message's reasoning goes back.
#[derive(Debug)]
pub(super) struct Returned<'a> {
    marks: Vec<Mark<'a>>,
    /// Whether the message is this model's own, as far as we know, and it takes its reasoning back.
    is_own: bool,
}

impl<'a> Returned<'a> {
    /// Decides for one message.
    pub(super) fn of(message: &'a ChatMessage, call: &Call<'_>, notes: &mut Notes) -> Self {
        let allowed = match call.accepts.reasoning_replay {
            ReasoningReplay::All => true,
            ReasoningReplay::ToolLoop => !message.tool_calls.is_empty(),
            ReasoningReplay::Never => false,
        };
        let blocks = &message.reasoning_blocks;
        let is_own = allowed
            && blocks.iter().all(|block| {
                block.dialect == Dialect::Gemini
                    && block.origin.as_ref().is_none_or(|origin| origin == call.target)
            });
        let marks: Vec<_> = blocks.iter().filter(|_| is_own).filter_map(Mark::read).collect();
        if marks.len() < blocks.len() || (blocks.is_empty() && message.reasoning_content.is_some()) {
            notes.add(UNRETURNED);
        }
        Self { marks, is_own }
    }

    /// The members that go with one call: its own, and those of its marks that it does not carry itself.
    pub(super) fn members(
        &self,
        call: &'a ToolCall,
        index: usize,
        parts: &mut PartWriter<'_>,
    ) -> Members<'a> {
        let mut members = if parts.is_own() {
            members_of(&call.extra)
        } else if parts.may_be_own() {
            // Nobody said whose they are: a signature is ours by its name.
            call.extra
                .get(SIGNATURE)
                .and_then(raw)
                .map(|value| (SIGNATURE.into(), value))
                .into_iter()
                .collect()
        } else {
            parts.notes.leave_behind("a tool call", &call.extra);
            Members::new()
        };
        if !self.is_own {
            members.retain(|(name, _)| name != SIGNATURE);
        }
        for mark in &self.marks {
            if let Marked::Call(of, part) = &mark.marked
                && of.index == index
            {
                if of.name == call.name {
                    add_missing(&mut members, part);
                } else {
                    parts.notes.add(EDITED);
                }
            }
        }
        members
    }

    /// The parts of a message whose content is nothing but text: text and calls in the order of the marks, with
    /// the parts that only marks know between them.
    pub(super) fn weave(
        self,
        text: Cow<'a, str>,
        calls: Vec<OutCall<'a>>,
        notes: &mut Notes,
    ) -> Vec<OutPart<'a>> {
        let is_signed = self.marks.iter().any(|mark| matches!(mark.marked, Marked::Text(..)));
        // Nothing is lost with a blank, which the API may refuse.
        let text = if text.trim().is_empty() && !is_signed { Cow::Borrowed("") } else { text };
        let mut weaver = Weaver { text, at: 0, calls: calls.into_iter(), called: 0, parts: Vec::new() };
        for mark in self.marks {
            weaver.go_to(mark.after);
            match mark.marked {
                Marked::Whole(part) => weaver.parts.push(OutPart::Raw(part)),
                Marked::Call(of, _) => weaver.calls_to(of.index.saturating_add(1)),
                Marked::Text(span, part) => {
                    let end = span.within(&weaver.text, mark.after.text).map(|text| weaver.at + text.len());
                    let stretch =
                        end.filter(|_| weaver.at == mark.after.text).and_then(|end| weaver.take_to(end));
                    match stretch {
                        Some(text) => {
                            weaver.parts.push(OutPart::Text { text, members: part.into_members() });
                        }
                        None => notes.add(EDITED),
                    }
                }
            }
        }
        weaver.go_to(Place { text: weaver.text.len(), calls: usize::MAX });
        weaver.parts
    }

    /// The same for a message with other content: what the marks know comes first, then the content, then the calls.
    pub(super) fn stack(
        self,
        content: Vec<OutPart<'a>>,
        calls: Vec<OutCall<'a>>,
        notes: &mut Notes,
    ) -> Vec<OutPart<'a>> {
        let mut parts = Vec::new();
        for mark in self.marks {
            match mark.marked {
                Marked::Whole(part) => parts.push(OutPart::Raw(part)),
                Marked::Text(..) => notes.add(EDITED),
                Marked::Call(..) => {}
            }
        }
        parts.extend(content);
        parts.extend(calls.into_iter().map(OutPart::Call));
        parts
    }
}

fn add_missing<'a>(members: &mut Members<'a>, part: &Object<'a>) {
    for (name, value) in part.clone().into_members() {
        if !members.iter().any(|(known, _)| *known == name) {
            members.push((name, value));
        }
    }
}

/// The text of a content that is nothing but text.
pub(super) fn plain(content: &[ContentPart]) -> Option<Cow<'_, str>> {
    match content {
        [only] if only.extra.is_empty() => only.as_text().map(Cow::Borrowed),
        parts => parts
            .iter()
            .map(|part| part.as_text().filter(|_| part.extra.is_empty()))
            .collect::<Option<String>>()
            .map(Cow::Owned),
    }
}

/// Takes a message's text and calls apart again.
struct Weaver<'a> {
    text: Cow<'a, str>,
    /// Bytes of the text that are written.
    at: usize,
    calls: std::vec::IntoIter<OutCall<'a>>,
    /// Calls that are written.
    called: usize,
    parts: Vec<OutPart<'a>>,
}

impl<'a> Weaver<'a> {
    /// Writes what comes before a place.
    fn go_to(&mut self, place: Place) {
        if let Some(text) = self.take_to(place.text).filter(|text| !text.is_empty()) {
            self.parts.push(OutPart::Text { text, members: Members::new() });
        }
        self.calls_to(place.calls);
    }

    /// The text from where we are; nothing where that is no stretch of it.
    fn take_to(&mut self, end: usize) -> Option<Cow<'a, str>> {
        let stretch = match &self.text {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(self.at..end)?),
            Cow::Owned(text) => Cow::Owned(text.get(self.at..end)?.to_owned()),
        };
        self.at = end;
        Some(stretch)
    }

    fn calls_to(&mut self, count: usize) {
        while self.called < count {
            let Some(call) = self.calls.next() else { return };
            self.parts.push(OutPart::Call(call));
            self.called += 1;
        }
    }
}
