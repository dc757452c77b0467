//! Embeddings of every dialect that has them: what is sent, what is read, what is never passed on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod corpus;
mod face;
mod written;
