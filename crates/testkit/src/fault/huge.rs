//! Lines and events that are larger than anybody should keep.

use bytes::Bytes;

use super::broken::head;
use crate::server::Step;
use crate::spell::Spelling;
use crate::wire::last_chunk;

/// What is sent at once, in bytes.
const PIECE: usize = 1024 * 1024;

/// A line that never ends, and then the end of the body.
pub(super) fn line(bytes: usize, spelling: Spelling) -> Vec<Step> {
    let begun = if spelling == Spelling::Ollama { "{\"model\":\"" } else { "data: {\"id\":\"" };
    pieces(spelling, bytes, begun, "")
}

/// An event whose data stands in many lines.
pub(super) fn event(bytes: usize, spelling: Spelling) -> Vec<Step> {
    pieces(spelling, bytes, "data: ", "\ndata: ")
}

/// A body of so many bytes, in pieces with something between them.
fn pieces(spelling: Spelling, bytes: usize, begun: &str, between: &str) -> Vec<Step> {
    let piece = Bytes::from(format!("{PIECE:x}\r\n{}\r\n", "x".repeat(PIECE)));
    let mut steps = vec![head(spelling), crate::wire::chunk(begun)];
    for _ in 0..bytes.div_ceil(PIECE) {
        steps.push(Step::Bytes(piece.clone()));
        if !between.is_empty() {
            steps.push(crate::wire::chunk(between));
        }
    }
    steps.push(last_chunk());
    steps
}
