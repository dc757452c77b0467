//! How events are told apart on the wire. Knows bytes and lines; knows no dialect.

pub(crate) mod line;
pub mod ndjson;
pub mod sse;

pub use ndjson::Ndjson;
pub(crate) use sse::begins_field;
pub use sse::{Sse, SseEvent, SsePart};
