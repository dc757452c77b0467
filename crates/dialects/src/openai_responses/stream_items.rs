//! The items of a streamed reply, put together from their pieces.
//!
//! An item is announced, comes in pieces, and comes once more when it is done. Servers leave out any of the three,
//! so whatever was not said in pieces is taken from what comes whole. Items are told apart by their place in the
//! output; their ids may change from event to event (GitHub Copilot, recordings of 2026-08).

use std::borrow::Cow;

use mainstay_canon::{Dialect, Extra, ExtraPiece, Failure, Joins, Kind, ToolCall, WireEvent};
use serde_json::value::RawValue;

use super::items::{self, Item, ItemKind, Part, TYPE, word};
use super::{progress, shown};
use crate::openai_chat::json::{Members, keep};
use crate::openai_chat::lenient::{Many, read, read_object, says_something};

/// Most items of one reply.
const ITEM_LIMIT: usize = 4096;

/// The name under which the log probabilities of the text that follows are told.
pub(super) const LOGPROBS: &str = "logprobs";
/// The name under which an annotation of the text before is told.
pub(super) const ANNOTATION: &str = "annotation";

/// Which of its two forms an item's reasoning came in; a second one would say it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thought {
    Summary,
    Content,
}

/// Where in the output a piece belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The item's place.
    pub(super) index: Option<u64>,
    /// The item's id.
    pub(super) id: Option<&'a str>,
}

/// One item, as far as it came.
#[derive(Debug, Default)]
struct Slot {
    index: u64,
    id: String,
    /// Text or a refusal came in pieces.
    said: bool,
    /// Annotations came by themselves.
    annotated: bool,
    thought: Option<Thought>,
    call: Option<Call>,
    /// The provider runs it itself, and it was announced.
    hosted: bool,
    done: bool,
}

#[derive(Debug)]
struct Call {
    number: usize,
    has_arguments: bool,
}

/// All items so far.
#[derive(Debug, Default)]
pub(super) struct Items {
    slots: Vec<Slot>,
    /// How many calls began.
    calls: usize,
    /// Text or a refusal came.
    said: bool,
}

impl Items {
    /// An item is announced.
    pub(super) fn added(
        &mut self,
        place: Place<'_>,
        raw: &RawValue,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let members: Members<'_> = read_object(Some(raw));
        let id = word(&members, "id");
        let place = Place { id: place.id.or(id.as_deref()), ..place };
        let kind = word(&members, TYPE).unwrap_or_default();
        let number = self.calls;
        let slot = self.slot(place)?;
        let kind = ItemKind::of(&kind, &members);
        if kind == ItemKind::Hosted && !std::mem::replace(&mut slot.hosted, true) {
            progress::begun(slot.index, raw, out);
        }
        if matches!(kind, ItemKind::Function | ItemKind::Custom)
            && slot.call.is_none()
            && let Some(mut call) = items::call(raw).filter(|call| !call.name.is_empty())
        {
            // It is in progress now; what it will be is told when it is done.
            call.extra.remove("status");
            slot.call = Some(start(number, call, out).0);
            self.calls += 1;
        }
        Ok(())
    }

    /// Something happens to an item: of those that the provider runs itself it is told.
    pub(super) fn happened(&mut self, place: Place<'_>, data: &str, out: &mut Vec<WireEvent>) {
        let slot = self.slots.iter().rfind(|slot| match place {
            Place { index: Some(index), .. } => slot.index == index,
            Place { index: None, id } => id.is_some_and(|id| slot.id == id),
        });
        if let Some(slot) = slot.filter(|slot| slot.hosted && !slot.done) {
            progress::happened(slot.index, data, out);
        }
    }

    /// A piece of text or of a refusal.
    pub(super) fn said(
        &mut self,
        place: Place<'_>,
        event: WireEvent,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        self.slot(place)?.said = true;
        self.said = true;
        out.push(event);
        Ok(())
    }

    /// Whether a piece of that item came.
    pub(super) fn has_said(&mut self, place: Place<'_>) -> Result<bool, Failure> {
        Ok(self.slot(place)?.said)
    }

    /// An annotation of what was said.
    pub(super) fn annotated(
        &mut self,
        place: Place<'_>,
        annotation: &RawValue,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        self.slot(place)?.annotated = true;
        tell(ANNOTATION, Some(annotation), out);
        Ok(())
    }

    /// A text or a refusal as a whole, which counts where no piece of the item came.
    pub(super) fn said_whole(
        &mut self,
        place: Place<'_>,
        event: WireEvent,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        if self.slot(place)?.said { Ok(()) } else { self.said(place, event, out) }
    }

    /// A piece of reasoning.
    pub(super) fn thought(
        &mut self,
        place: Place<'_>,
        form: Thought,
        text: Cow<'_, str>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let slot = self.slot(place)?;
        if *slot.thought.get_or_insert(form) == form {
            out.push(WireEvent::Reasoning(text.into_owned()));
        }
        Ok(())
    }

    /// Reasoning as a whole, which counts where no piece of the item came.
    pub(super) fn thought_whole(
        &mut self,
        place: Place<'_>,
        form: Thought,
        text: Cow<'_, str>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        if self.slot(place)?.thought.is_some() { Ok(()) } else { self.thought(place, form, text, out) }
    }

    /// A piece of a call's arguments. Before the call has a name they wait until it is done.
    pub(super) fn arguments(
        &mut self,
        place: Place<'_>,
        delta: Cow<'_, str>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        if let Some(call) = &mut self.slot(place)?.call {
            call.has_arguments = true;
            out.push(WireEvent::ToolArguments { index: call.number, delta: delta.into_owned() });
        }
        Ok(())
    }

    /// A call's arguments as a whole, which count where no piece came.
    pub(super) fn arguments_whole(
        &mut self,
        place: Place<'_>,
        whole: Cow<'_, str>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let is_news = self.slot(place)?.call.as_ref().is_some_and(|call| !call.has_arguments);
        if is_news { self.arguments(place, whole, out) } else { Ok(()) }
    }

    /// An item is done.
    pub(super) fn done(
        &mut self,
        place: Place<'_>,
        raw: &RawValue,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let number = self.calls;
        let slot = self.slot(place)?;
        if std::mem::replace(&mut slot.done, true) {
            return Ok(());
        }
        match items::item(raw) {
            Item::Message(parts) => {
                let before = out.len();
                if !slot.said {
                    out.extend(parts.into_iter().filter_map(said));
                }
                let says_more = out.len() > before;
                slot.said |= says_more;
                if !slot.annotated {
                    annotations(raw, out);
                }
                self.said |= says_more;
            }
            Item::Reasoning(text) => {
                if slot.thought.is_none() && !text.is_empty() {
                    out.push(WireEvent::Reasoning(text));
                }
                out.extend(items::block(raw).map(WireEvent::ReasoningBlock));
            }
            Item::Call(call) => {
                let (mut open, arguments) = if let Some(open) = slot.call.take() {
                    (open, call.arguments)
                } else {
                    self.calls += 1;
                    start(number, call, out)
                };
                if !open.has_arguments && !arguments.is_empty() {
                    open.has_arguments = true;
                    out.push(WireEvent::ToolArguments { index: open.number, delta: arguments });
                }
                out.push(WireEvent::ToolEnd { index: open.number });
            }
            Item::Other => {
                if slot.hosted {
                    progress::done(slot.index, out);
                }
                out.extend(items::block(raw).map(WireEvent::ReasoningBlock));
                out.extend(shown::of_item(raw).into_iter().map(WireEvent::Shown));
            }
        }
        Ok(())
    }

    /// The reply is over, and this is its output as the last event tells it: empty from some servers, all that
    /// there is from others.
    pub(super) fn settle(&mut self, output: &[&RawValue], out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        let untold = self.slots.is_empty();
        for (index, raw) in (0..).zip(output) {
            let known = self.slots.iter().find(|slot| slot.index == index).map(|slot| slot.done);
            let is_news = match (known, items::item(raw)) {
                (Some(done), _) => !done,
                (None, _) if untold => true,
                (None, Item::Message(_)) => !self.said,
                (None, Item::Call(_)) => self.calls == 0,
                (None, Item::Reasoning(_) | Item::Other) => false,
            };
            if is_news {
                self.done(Place { index: Some(index), id: None }, raw, out)?;
            }
        }
        for call in self.slots.iter_mut().filter_map(|slot| slot.call.take()) {
            out.push(WireEvent::ToolEnd { index: call.number });
        }
        Ok(())
    }

    /// The item at that place, begun if it is new. Without a place its id counts, and without that it is the
    /// latest item.
    fn slot(&mut self, place: Place<'_>) -> Result<&mut Slot, Failure> {
        let found = match place {
            Place { index: Some(index), .. } => self.slots.iter().rposition(|slot| slot.index == index),
            Place { index: None, id: Some(id) } => self.slots.iter().rposition(|slot| slot.id == id),
            Place { index: None, id: None } => self.slots.len().checked_sub(1),
        };
        let at = found.unwrap_or(self.slots.len());
        if at == self.slots.len() && at < ITEM_LIMIT {
            let index = place.index.unwrap_or(u64::try_from(at).unwrap_or(u64::MAX));
            let id = place.id.unwrap_or_default().to_owned();
            self.slots.push(Slot { index, id, ..Slot::default() });
        }
        self.slots.get_mut(at).ok_or_else(too_many)
    }
}

/// Tells something that belongs to its place in the stream; the output says it for the whole reply.
pub(super) fn tell(name: &str, raw: Option<&RawValue>, out: &mut Vec<WireEvent>) {
    let Some(raw) = raw.filter(|raw| says_something(raw)) else { return };
    let mut members = Extra::new();
    keep(&mut members, name, raw);
    out.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::OpenaiResponses, members, joins: Joins::Pass }));
}

/// The annotations of a message that came whole.
fn annotations(message: &RawValue, out: &mut Vec<WireEvent>) {
    let members: Members<'_> = read_object(Some(message));
    for part in read::<Many<&RawValue>>(members.look("content")).0 {
        let part: Members<'_> = read_object(Some(part));
        for annotation in read::<Many<&RawValue>>(part.look("annotations")).0 {
            tell(ANNOTATION, Some(annotation), out);
        }
    }
}

fn too_many() -> Failure {
    Failure::new(Kind::InvalidResponse, format!("more than {ITEM_LIMIT} items in one reply"))
}

/// Begins a call; gives back its arguments, which come when it is done.
fn start(number: usize, call: ToolCall, out: &mut Vec<WireEvent>) -> (Call, String) {
    let ToolCall { id, name, arguments, extra } = call;
    out.push(WireEvent::ToolStart { index: number, id, name, extra });
    (Call { number, has_arguments: false }, arguments)
}

fn said(part: Part<'_>) -> Option<WireEvent> {
    match part {
        Part::Text(text) if !text.is_empty() => Some(WireEvent::Text(text.into_owned())),
        Part::Refusal(text) if !text.is_empty() => Some(WireEvent::Refusal(text.into_owned())),
        Part::Text(_) | Part::Refusal(_) | Part::Other => None,
    }
}
