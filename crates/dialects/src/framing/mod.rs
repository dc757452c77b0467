//! How events are told apart on the wire. Knows bytes and lines; knows no dialect.

pub mod sse;

pub use sse::{Sse, SseEvent, SsePart};
