//! The journal, and SQLite behind it: call log, ledger and health on disk.
//!
//! [`Store::append`] writes one line to an append-only journal, and what it has written outlives the
//! process, however that ends. A thread of the store's own brings the database up to the journal; when the
//! database is locked or its disk full, the journal carries what is new until it fits again. [`LogReader`]
//! reads both as one. One process owns a store for writing; any may read.
//!
//! This crate knows rows, reservations and health as values. It does not know how a call is made, what a
//! cap is, nor when a tier cools.

mod entry;
mod error;
mod follower;
mod journal;
mod lock;
mod options;
mod reader;
mod sink;
mod sqlite;
mod store;
mod tail;

pub use entry::Entry;
pub use error::{JournalError, ReadError, StoreError};
pub use mainstay_fallback::{HealthRecord as HealthRow, StaticSwitch};
pub use options::{OnFailure, StoreOptions, sqlite_path};
pub use reader::{LogReader, SqlTable, SqlValue};
pub use sink::Swept;
pub use store::{Recovered, Store, StoreStatus};
