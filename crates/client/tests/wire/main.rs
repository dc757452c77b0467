//! The whole client on real sockets: simulated providers in front, the log behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod calls;
mod circles;
mod common;
mod embeddings;
mod extras;
mod field_cases;
mod handed;
mod keys;
mod manners;
mod media;
mod money;
mod oddities;
mod policy;
mod reasoning;
mod request_cases;
mod rows;
mod streams;
mod tiers;
mod tool_streams;
