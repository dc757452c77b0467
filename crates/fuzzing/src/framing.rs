//! Framing: bytes are told apart into events and lines, and it does not matter where they were cut.

use mainstay_canon::{Failure, Kind};
use mainstay_dialects::framing::{Ndjson, Sse, SsePart};

use crate::cut::ways;

/// What a splitter gave, and how it ended.
type Told = (Vec<String>, Option<Kind>);

/// Server-sent events: the same parts wherever the bytes are cut, no more text than came, nothing after the end.
pub fn sse(data: &[u8]) {
    let whole = parts(&[data]);
    assert!(size(&whole) <= data.len().saturating_mul(2), "more text than came: {whole:?}");
    for way in ways(data) {
        assert_eq!(parts(&way), whole, "cut into {way:?}");
    }
}

fn parts(pieces: &[&[u8]]) -> Told {
    let mut parts = Vec::new();
    let mut reader = Sse::new();
    let pushed = pieces.iter().try_for_each(|piece| reader.push_parts(piece, |part| keep(&mut parts, part)));
    let outcome = pushed.and_then(|()| reader.close_parts(|part| keep(&mut parts, part)));
    let before = parts.len();
    let late = reader.push_parts(b"data: late\n\n", |part| keep(&mut parts, part));
    let late = late.and_then(|()| reader.close_parts(|part| keep(&mut parts, part)));
    assert!(late.is_ok() && parts.len() == before, "something comes after the end: {parts:?}");
    (parts, outcome.err().map(|failure| failure.kind))
}

#[expect(clippy::unnecessary_wraps, reason = "what a reader calls may fail")]
fn keep(parts: &mut Vec<String>, part: SsePart<'_>) -> Result<(), Failure> {
    parts.push(match part {
        SsePart::Event(event) => format!("{}|{}", event.name, event.data),
        SsePart::Comment(text) => format!("#{text}"),
        SsePart::Stray(text) => format!("?{text}"),
    });
    Ok(())
}

/// Newline-delimited JSON: the same lines wherever the bytes are cut, none of them blank, nothing after the end.
pub fn ndjson(data: &[u8]) {
    let whole = lines(&[data]);
    assert!(size(&whole) <= data.len(), "more text than came: {whole:?}");
    assert!(whole.0.iter().all(|line| !line.trim_ascii().is_empty()), "a blank line: {whole:?}");
    for way in ways(data) {
        assert_eq!(lines(&way), whole, "cut into {way:?}");
    }
}

fn lines(pieces: &[&[u8]]) -> Told {
    let mut lines = Vec::new();
    let mut note = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    let mut reader = Ndjson::new();
    let pushed = pieces.iter().try_for_each(|piece| reader.push(piece, &mut note));
    let outcome = pushed.and_then(|()| reader.close(&mut note));
    let late = |_: &str| Err(Failure::new(Kind::InvalidResponse, "a line after the end"));
    assert!(reader.push(b"late\n", late).and_then(|()| reader.close(late)).is_ok(), "after the end");
    (lines, outcome.err().map(|failure| failure.kind))
}

fn size(told: &Told) -> usize {
    told.0.iter().map(String::len).sum()
}
