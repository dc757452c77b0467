//! Gemini `generateContent` against recordings, cases from the field, and itself.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Tests may fall over; helpers of tests too.

mod cases;
mod conversation;
mod corpus;
mod request;
mod round_trip;
mod shared;
mod streams;
