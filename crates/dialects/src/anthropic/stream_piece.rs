//! The event that most of a stream is: one piece of a block, read in one pass.

use super::blocks::Delta;
use crate::plain::{Plain, once};

/// The block's index and its piece, where the event is just that.
pub(super) fn piece(data: &str) -> Option<(u64, Delta<'_>)> {
    Plain::read(data, |plain| {
        let (mut kind, mut index, mut piece) = (None, None, None);
        plain.object(|name, plain| match name {
            "type" => once(&mut kind, plain.word()),
            "index" => once(&mut index, plain.count()),
            "delta" => once(&mut piece, delta(plain)),
            _ => None,
        })?;
        Some((index.filter(|_| kind == Some("content_block_delta"))?, piece?))
    })
}

fn delta<'a>(plain: &mut Plain<'a>) -> Option<Delta<'a>> {
    let (mut kind, mut said) = (None, None);
    plain.object(|name, plain| match name {
        "type" => once(&mut kind, plain.word()),
        _ => once(&mut said, plain.string().and_then(|text| Some((name, text.text()?)))),
    })?;
    match (kind?, said?) {
        ("text_delta", ("text", text)) => Some(Delta::Text(text)),
        ("thinking_delta", ("thinking", text)) => Some(Delta::Thinking(text)),
        ("input_json_delta", ("partial_json", text)) => Some(Delta::Json(text)),
        _ => None,
    }
}
