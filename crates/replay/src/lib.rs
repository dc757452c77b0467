//! The engine on values: what another chain would have made of the same traffic.
//!
//! [`reprice`] says what logged calls would have cost at other prices. [`simulate`] lets requests walk the
//! real chain, with the real health board and the real ledger, past providers that follow a script, on a
//! clock that is moved by hand: a week of traffic takes seconds. [`week`] is such a week.
//!
//! Opens no file, reads no clock, throws no dice of its own and makes no call.

mod reprice;
mod simulation;
pub mod week;

pub use reprice::{Repriced, reprice};
pub use simulation::{Call, Coming, Ended, Happening, How, Providers, Reply, World, simulate};
