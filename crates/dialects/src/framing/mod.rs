//! How events are told apart on the wire.

pub mod sse;
