//! Every fault of a provider, in every dialect, whole and streamed, as callers of every kind see it.
//!
//! A row is a fault with what must follow from it by the contract, said once; a column is a dialect. Each cell is a
//! request over real sockets through a chain whose first tier has the fault. Nothing here is part of the product;
//! it is a library only so that its test files can share it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests only"
)]

pub mod ask;
pub mod cell;
pub mod check;
pub mod expect;
pub mod lab;
pub mod page;
pub mod places;
pub mod read;
pub mod row;
pub mod rows;
pub mod table;
pub mod words;
