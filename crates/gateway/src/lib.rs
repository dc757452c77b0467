//! The HTTP front door: clients of OpenAI and Anthropic reach every provider by changing one URL.
//!
//! It reads a caller's dialect, hands a canonical request to the engine and writes the answer back in the
//! same dialect. Behind it are the operator's ways in: the admin API, the metrics, the dashboard. Which
//! provider answers, and how that provider spells things, it does not know.

mod access;
mod admin;
mod admin_token;
mod admission;
mod alerts;
mod app;
mod body;
mod caller;
mod converse;
mod count;
mod gateway;
mod guard;
mod headers;
mod held;
mod metrics;
mod models;
mod ops;
mod page;
mod paths;
mod patient;
mod problem;
mod routes;
mod secret;
mod server;
mod sse;
mod when;

pub use admin_token::{AdminTokenError, read_admin_token};
pub use gateway::{Gateway, OpenError, Options};
pub use secret::NoRandomness;
pub use server::{ServeError, Serving};
