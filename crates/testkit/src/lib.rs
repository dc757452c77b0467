//! A scripted provider on a real socket that misbehaves byte by byte and on time, and recordings from
//! the field.
//!
//! Everything here is simulated, and whoever shows it to a person says so. It knows how providers spell
//! answers and errors, but nothing of Mainstay: it depends on no other crate of the workspace, so that a
//! mistake in a codec cannot hide behind the same mistake here.

mod fault;
mod recordings;
mod request;
mod said;
mod server;
mod spell;
mod vectors;
mod wire;

pub use fault::{Fault, Hint};
pub use recordings::{Recording, bug_cases, corpus, quality_samples, shared_dir};
pub use said::{Said, SaidCall};
pub use server::{FakeProvider, Reply, Script, Seen, Step};
pub use spell::Spelling;
pub use vectors::{Spoilt, Vectors};
