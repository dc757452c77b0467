//! An LLM client that notices the useless `200 OK`, and does something about it.
//!
//! One request walks a chain of tiers, cheap first. Every answer is judged before it is handed over; what is
//! not good is asked for again, sent to the next tier, or returned as an error that carries every attempt.
//!
//! ```no_run
//! use mainstay::{Cap, Client, Tier};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder()
//!     .tier("deepseek/deepseek-flash")
//!     .tier(Tier::new("anthropic/claude-sonnet-5-5").retry_budget(1))
//!     .static_tier(Tier::new("local/llama-3-70b-instruct").base_url("http://127.0.0.1:8080/v1"))
//!     .cap(Cap::daily("50.00"))
//!     .log("sqlite:mainstay.db")
//!     .build()
//!     .await?;
//! println!("{}", client.generate("What is a mainstay?").await?);
//! # Ok(()) }
//! ```

mod builder;
mod client;
mod clock;
mod engine;
mod error;
mod gave_up;
mod transport;

pub use builder::{Builder, Cap, Tier};
pub use client::{ChatStream, Client};
pub use clock::{Clock, SystemClock};
pub use engine::{
    Alert, CallOptions, ChainRuntime, Engine, Observer, Opening, Resolved, Route, Served, Setup, StreamItem,
    TierRuntime, UnknownModel,
};
pub use error::{BuildError, ChatError};
pub use gave_up::{GaveUp, Reason};
pub use mainstay_canon::*;
