//! What becomes of each feature of a request and of a reply on its way from one dialect to another, found out by
//! running the code.
//!
//! A feature is a caller's body twice: without it and with it. Both are read by the face and written to an
//! upstream; what the second has on the wire that the first has not is what became of the feature. Nobody says
//! what is expected: [`page`] prints what happens, the page is committed, and a test compares. One thing is
//! expected of every cell: what a caller asked is on the wire, or in a note, or refused.

mod anthropic;
mod cell;
mod chat;
mod columns;
mod feature;
mod leaves;
mod page;
mod replies;
mod reply_bodies;

mod responses;

pub use cell::Cell;
pub use page::{lost, page};

use mainstay_dialects::{Inbound, anthropic as anthropic_dialect, openai_chat, openai_responses};

use feature::Feature;

/// A caller's dialect, with all that can be asked in it.
pub(crate) struct Side {
    /// Its title in the documentation.
    pub(crate) title: &'static str,
    /// Its codec.
    pub(crate) face: &'static dyn Inbound,
    /// What can be asked.
    pub(crate) features: fn() -> Vec<Feature>,
}

/// The three front doors.
pub(crate) static SIDES: [Side; 3] = [
    Side { title: "OpenAI Chat Completions", face: &openai_chat::INBOUND, features: chat::features },
    Side { title: "OpenAI Responses", face: &openai_responses::INBOUND, features: responses::features },
    Side { title: "Anthropic Messages", face: &anthropic_dialect::Face, features: anthropic::features },
];

/// Bodies of requests in the dialect of each face, one for each feature; the faces beside them.
pub fn asked_bodies() -> Vec<(&'static dyn Inbound, Vec<serde_json::Value>)> {
    let bodies = |side: &Side| (side.features)().into_iter().map(|feature| feature.with).collect();
    SIDES.iter().map(|side| (side.face, bodies(side))).collect()
}
