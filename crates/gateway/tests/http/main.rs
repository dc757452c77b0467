//! The gateway on real sockets, as clients, operators and strangers meet it.

// Helpers of tests are tests, too.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod admin_api;
mod alerts;
mod anthropic_face;
mod both_ways;
mod drain;
mod embeddings;
mod errors;
mod extras;
mod hang_up;
mod limits;
mod metrics_text;
mod page;
mod shown;
mod steering;
mod wire;
