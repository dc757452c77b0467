//! Layer 3: is this 200 a real answer? Whole replies, and chunk by chunk.
//!
//! A [`Judge`] puts an answer into one of the classes of behaviour 4.1, with the rule that decided, a sentence
//! for people and a place in the text. A [`Watch`] says how long the beginning of a stream has to be held
//! back. Both are pure: no I/O, no clock, no provider, no retry. What a verdict leads to is the business of
//! the layers behind.
//!
//! ```
//! use mainstay_canon::{Answer, ChatRequest, FinishReason, Quality};
//! use mainstay_quality::{Arrival, Ask, Judge, JudgeOptions};
//!
//! let judge = Judge::new(JudgeOptions::default())?;
//! let request = ChatRequest::user("What is a mainstay?");
//! let answer = Answer { text: ".".into(), finish_reason: FinishReason::Stop, ..Answer::default() };
//!
//! let judged = judge.judge(&Ask::of(&request), &answer, Arrival::Complete);
//! assert_eq!(judged.verdict.quality, Quality::Empty);
//! assert_eq!(judged.verdict.rule, "empty.punctuation");
//! assert!(judged.verdict.is_failure);
//! # Ok::<(), mainstay_quality::PatternError>(())
//! ```

mod ask;
mod degenerate;
mod demand;
mod findings;
mod grams;
mod judge;
mod leak;
mod lexicon;
pub mod model;
mod opening;
mod options;
mod page;
mod pattern;
mod plain;
mod question;
mod reading;
mod refusal;
mod repair;
mod schema;
pub mod score;
mod short;
mod tools;
mod visible;
mod watch;
mod words;

/// Where `text` goes round in circles, as a byte offset: for a stream that is to be stopped when it loops.
///
/// Only the last few kilobytes are read, so asking again every few kilobytes keeps a stream linear.
pub fn looping(text: &str) -> Option<usize> {
    degenerate::find(text).map(|circle| circle.at)
}

pub use ask::Ask;
pub use judge::{Arrival, Judge, Judged};
pub use options::{Action, ClassAction, JudgeOptions, Profile};
pub use pattern::{PatternError, PatternProblem};
pub use watch::{Hold, HoldMode, HoldOptions, MOST_HELD_ARGUMENTS, Watch};
