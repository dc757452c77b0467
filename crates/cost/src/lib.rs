//! Layer 6: prices, reservations and caps, in exact money (behaviour 8, 10.1a).
//!
//! A [`Price`] turns token counts into nano-dollars. The [`Catalogue`] knows the prices, limits and ends of
//! about 2,300 models. [`prompt_bound`] and [`output_limit`] say how much a call may cost at worst, and the
//! [`Ledger`] sets that much aside before the call and charges what it cost after, so that no cap is ever
//! passed. No file, no socket and no clock: time comes in as a [`mainstay_canon::Moment`], and what must
//! survive a restart goes out and comes in as values.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod bound;
mod caps;
mod catalogue;
mod ledger;
mod limit;
mod multiplier;
mod price;
mod schedule;
mod surcharge;
mod window;

pub use bound::{IMAGE_TOKENS, UNSEEN_TOKENS, prompt_bound, prompt_bound_for, text_bound};
pub use caps::{ANONYMOUS, CapKind, CapStatus, CapWarning, Caps, HardAbort, KeyCaps, Spender};
pub use catalogue::{
    Catalogue, CatalogueError, MediaRates, Model, Purpose, RETIREMENT_NOTICE_DAYS, Retirement,
};
pub use ledger::{
    Ledger, LedgerEntry, Margin, Released, Reservation, Reserved, Scope, Settled, SettledEntry, Snapshot,
    Spent,
};
pub use limit::{LEAST_OUTPUT, OutputLimit, output_limit};
pub use multiplier::Multiplier;
pub use price::{Price, Rates};
pub use schedule::{Calendar, Schedule};
pub use surcharge::{service_of, unbounded};
pub use window::{Window, WindowError};
