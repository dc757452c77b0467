//! OpenAI Chat Completions against recordings, cases from the field, and itself.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Tests may fall over; helpers of tests too.

mod accepts;
mod cases;
mod corpus;
mod round_trip;
mod shared;
mod streams;
mod strict;
mod written;
