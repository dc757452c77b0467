//! The HTTP front door: clients of OpenAI and Anthropic reach every provider by changing one URL.
//!
//! It reads a caller's dialect, hands a canonical request to the engine and writes the answer back in the
//! same dialect. Behind it are the operator's ways in: the admin API, the metrics, the dashboard. Which
//! provider answers, and how that provider spells things, it does not know.
//!
//! Where the behaviour contract is silent, this is the rule:
//!
//! - `max_connections` counts requests that are being answered; a connection that idles takes no place. Probes,
//!   scrapers and operators need none and are let in while the gateway drains.
//! - An error's `x-mainstay-served` and `x-mainstay-tier` tell of the last call that was made; where none was
//!   made, both are absent, `x-mainstay-attempts` is 0 and the cost 0.00.
//! - A body that is too large or too slow ends its connection, after what was on its way has been read.
//! - `/healthz` and `/readyz` answer under any `Host`: probes come by addresses that no config knows.
//! - A dashboard link works once within a day, its cookie for a week or until a restart. The cookie lets look
//!   and do nothing: browsers send it to every port of a host.
//! - A client that takes nothing of its answer for a minute is gone.

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
mod embed;
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
