//! The response that most of a stream is: one piece of text with the counts so far, read in one pass.

use super::usage::Counters;
use crate::beside::Beside;
use crate::plain::{Plain, once};

/// What such a response says.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) text: String,
    pub(super) usage: Option<Counters>,
}

/// The piece, where the response is just that and says nothing new beside it.
pub(super) fn piece<'a>(data: &'a str, beside: &mut Beside) -> Option<Piece<'a>> {
    beside.unless_news(|beside| response(data, beside))
}

fn response<'a>(data: &'a str, beside: &mut Beside) -> Option<Piece<'a>> {
    Plain::read(data, |plain| {
        let (mut text, mut usage, mut model, mut id) = (None, None, None, None);
        plain.object(|name, plain| match name {
            "candidates" => once(&mut text, plain.only(|plain| candidate(plain, beside))),
            "usageMetadata" => once(&mut usage, counters(plain, beside)),
            "modelVersion" => once(&mut model, plain.word()),
            "responseId" => once(&mut id, plain.word()),
            "createTime" => beside.add("", name, plain.raw()),
            _ => None,
        })?;
        Some(Piece { id, model, text: text?, usage })
    })
}

fn candidate(plain: &mut Plain<'_>, beside: &mut Beside) -> Option<String> {
    let (mut text, mut index) = (None, None);
    plain.object(|name, plain| match name {
        "content" => once(&mut text, content(plain)),
        "index" => once(&mut index, plain.count().filter(|index| *index == 0)),
        "safetyRatings" | "avgLogprobs" => beside.add("candidates", name, plain.raw()),
        _ => None,
    })?;
    text
}

fn content(plain: &mut Plain<'_>) -> Option<String> {
    let mut text = None;
    plain.object(|name, plain| match name {
        "parts" => once(&mut text, plain.only(part)),
        "role" => plain.skip(),
        _ => None,
    })?;
    text
}

fn part(plain: &mut Plain<'_>) -> Option<String> {
    let mut text = None;
    plain.object(|name, plain| match name {
        "text" => once(&mut text, plain.string()),
        _ => None,
    })?;
    text?.text()
}

fn counters(plain: &mut Plain<'_>, beside: &mut Beside) -> Option<Counters> {
    let mut counters = Counters::default();
    plain.object(|name, plain| match counters.named(name) {
        Some(counter) => once(counter, plain.count()),
        None => beside.add("usageMetadata", name, plain.raw()),
    })?;
    Some(counters)
}
