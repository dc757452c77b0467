//! Ollama's own dialect: what is written, what streams tell, and what recordings say.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod corpus;
mod options;
mod shared;
mod streams;
mod written;
