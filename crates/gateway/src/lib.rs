//! The HTTP front door: clients of OpenAI and Anthropic reach every provider by changing one URL.
//!
//! It reads a caller's dialect, hands a canonical request to the engine and writes the answer back in the
//! same dialect. Which provider answers, and how that provider spells things, it does not know.

mod app;
mod converse;
mod guard;
mod headers;
mod models;
mod ops;
mod problem;
mod server;
mod sse;

pub use app::App;
pub use server::{ServeError, Serving, serve};
