//! OpenAI Responses against recordings, against itself, and against what its SDKs require.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Tests may fall over; helpers of tests too.

mod corpus;
mod replies;
mod request_face;
mod requests;
mod round_trip;
mod sdk;
mod shared;
mod stream_face;
mod streams;
