//! Layer 7: what happened. The record of one attempt, and how to ask about many.
//!
//! [`CallRecord`] is one row of the table `llm_calls`; [`CallFilter`] asks for rows, [`parse_when`]
//! reads the moments people type, [`story()`] tells one request in plain words, [`HourSum`] and
//! [`SpendRow`] add many up. Everything is a value: this crate reads no clock, opens no file and
//! does not know where rows are kept.

mod filter;
mod hours;
mod id;
mod json;
pub mod note;
mod record;
mod spend;
mod story;
mod when;

pub use filter::CallFilter;
pub use hours::{HourKey, HourSum};
pub use id::{CallId, CallIdError, IdSource};
pub use json::CallRow;
pub use record::{COLUMNS, CallRecord};
pub use spend::{SpendBy, SpendRow};
pub use story::{Ending, Story, StoryLine, story};
pub use when::{WhenError, parse_when};
