//! The line that most of a stream is: one piece of text or thinking, read in one pass.

use mainstay_canon::WireEvent;

use crate::plain::{Plain, once};

/// The model and what it said, where the line is just that.
pub(super) fn piece(line: &str) -> Option<(&str, WireEvent)> {
    Plain::read(line, |plain| {
        let (mut model, mut said, mut done) = (None, None, None);
        plain.object(|name, plain| match name {
            "model" => once(&mut model, plain.word()),
            "message" => once(&mut said, message(plain)),
            "done" => once(&mut done, plain.literal("false")),
            "created_at" => plain.skip(),
            _ => None,
        })?;
        Some((model?, said?))
    })
}

fn message(plain: &mut Plain<'_>) -> Option<WireEvent> {
    let (mut content, mut thinking) = (None, None);
    plain.object(|name, plain| match name {
        "content" => once(&mut content, plain.string()),
        "thinking" => once(&mut thinking, plain.string()),
        "role" => plain.skip(),
        _ => None,
    })?;
    match (content.filter(|text| !text.is_empty()), thinking.filter(|text| !text.is_empty())) {
        (Some(text), None) => text.text().map(WireEvent::Text),
        (None, Some(text)) => text.text().map(WireEvent::Reasoning),
        _ => None,
    }
}
