//! The chunk that most of a stream is: one piece of text or reasoning, read in one pass.

use mainstay_canon::WireEvent;

use crate::beside::Beside;
use crate::plain::{Plain, Quoted, once};

/// What such a chunk says.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    /// Text or reasoning.
    pub(super) said: WireEvent,
}

/// The piece, where the chunk is just that and says nothing new beside it.
pub(super) fn piece<'a>(data: &'a str, beside: &mut Beside) -> Option<Piece<'a>> {
    beside.unless_news(|beside| chunk(data, beside))
}

fn chunk<'a>(data: &'a str, beside: &mut Beside) -> Option<Piece<'a>> {
    Plain::read(data, |plain| {
        let (mut id, mut model, mut object, mut said, mut usage) = (None, None, None, None, None);
        plain.object(|name, plain| match name {
            "id" => once(&mut id, plain.word()),
            "model" => once(&mut model, plain.word()),
            "object" => once(&mut object, plain.word()),
            "choices" => once(&mut said, plain.only(|plain| choice(plain, beside))),
            "usage" => once(&mut usage, plain.literal("null")),
            "created" | "obfuscation" | "p" => plain.skip(),
            "service_tier" | "system_fingerprint" | "provider" => beside.add("", name, plain.raw()),
            _ => None,
        })?;
        Some(Piece { id, model, said: said? })
    })
}

fn choice(plain: &mut Plain<'_>, beside: &mut Beside) -> Option<WireEvent> {
    let (mut index, mut said, mut finish) = (None, None, None);
    plain.object(|name, plain| match name {
        "index" => once(&mut index, plain.count().filter(|index| *index == 0)),
        "delta" => once(&mut said, delta(plain)),
        "finish_reason" => once(&mut finish, plain.literal("null")),
        "logprobs" | "token_ids" => plain.literal("null"),
        // Azure's own. A list would add to what was said before.
        "content_filter_results" => beside.add("choice", name, plain.raw().filter(|raw| !raw.contains('['))),
        _ => None,
    })?;
    said
}

fn delta(plain: &mut Plain<'_>) -> Option<WireEvent> {
    let (mut content, mut reasoning, mut named, mut refusal) = (None, None, None, None);
    plain.object(|name, plain| match name {
        "content" => once(&mut content, text(plain)),
        "reasoning_content" => once(&mut reasoning, text(plain)),
        "reasoning" => once(&mut named, text(plain)),
        "refusal" => once(&mut refusal, plain.literal("null")),
        "role" => plain.skip(),
        _ => None,
    })?;
    let [content, reasoning, named] =
        [content, reasoning, named].map(|text| text.filter(|text| !text.is_empty()));
    match (content, reasoning, named) {
        (Some(text), None, None) => text.text().map(WireEvent::Text),
        (None, Some(text), None) | (None, None, Some(text)) => text.text().map(WireEvent::Reasoning),
        _ => None,
    }
}

/// A string, or null, which reads as an empty one. An empty one means more than null does, so it is given up.
fn text<'a>(plain: &mut Plain<'a>) -> Option<Quoted<'a>> {
    match plain.literal("null") {
        Some(()) => Some(Quoted::default()),
        None => plain.string().filter(|text| !text.is_empty()),
    }
}
