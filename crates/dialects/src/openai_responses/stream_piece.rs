//! The event that most of a stream is: one piece of an item, read in one pass.

use super::stream_items::Place;
use crate::plain::{Plain, once};

/// The types of such events.
pub(super) const KINDS: [&str; 6] = [
    "response.output_text.delta",
    "response.refusal.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.function_call_arguments.delta",
    "response.custom_tool_call_input.delta",
];

/// What such an event says.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    /// One of [`KINDS`].
    pub(super) kind: &'a str,
    pub(super) place: Place<'a>,
    pub(super) delta: String,
}

/// The piece, where the event is just that.
pub(super) fn piece(data: &str) -> Option<Piece<'_>> {
    Plain::read(data, |plain| {
        let (mut kind, mut id, mut index, mut within, mut delta) = (None, None, None, None, None);
        plain.object(|name, plain| match name {
            "type" => once(&mut kind, plain.word().filter(|kind| KINDS.contains(kind))),
            "item_id" => once(&mut id, plain.word()),
            "output_index" => once(&mut index, plain.count()),
            "content_index" | "summary_index" => once(&mut within, plain.count()),
            "delta" => once(&mut delta, plain.string().filter(|delta| !delta.is_empty())),
            "sequence_number" | "obfuscation" => plain.skip(),
            "logprobs" => plain.list(|_| None),
            _ => None,
        })?;
        let place = Place { index, id: id.filter(|id| !id.is_empty()) };
        Some(Piece { kind: kind?, place, delta: delta?.text()? })
    })
}
