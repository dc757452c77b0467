//! What every dialect and every provider must do, said once.
//!
//! A dialect or a provider joins by standing in a table: `Dialect::ALL` and `mainstay_providers::ALL`. Nothing
//! here is part of the product; it is a library only so that its test files can share it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::result_large_err,
    reason = "tests only"
)]

pub mod corpus;
pub mod heard;
pub mod indented;
pub mod outcome;
pub mod provider_rows;
pub mod recorded_request;
pub mod requests;
pub mod scenario;
pub mod spelling;
pub mod suite;
pub mod translation;
mod writer_laws;
