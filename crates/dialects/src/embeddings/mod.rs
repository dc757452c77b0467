//! Embeddings: what is particular about a request for vectors, and what every reader of vectors checks.
//!
//! Each dialect that has them writes and reads them beside its chat. A vector that is missing, empty, of
//! another length than the rest or than was asked for, or that holds something other than a finite number
//! is a failure here, so that none is ever stored beside good ones. Knows no provider.

mod base64;
mod check;

use mainstay_canon::{Dialect, EmbedRequest, Failure, Kind, RawJson, Target, WireVectors};

use crate::Outbound;

pub(crate) use base64::{encode, floats};
pub(crate) use check::{bad, checked, numbers, unreadable};

/// The provider's side of a dialect's embeddings. Pure, as [`Upstream`](crate::Upstream) is; errors of
/// other statuses are read by its `read_error`.
pub trait Embeddings: Send + Sync {
    /// Writes a request.
    ///
    /// # Errors
    ///
    /// `UnsupportedParameter` when this dialect cannot express what was asked; the field is in `param`.
    fn write_request(&self, request: &EmbedRequest, target: &Target) -> Result<Outbound, Failure>;

    /// Reads the reply of a 2xx status to a request for `wanted`.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` when the body is not this dialect's JSON or its vectors are not what was wanted;
    /// `StreamInterrupted` when it ends early; the kind of error that an error object inside it states.
    fn read_reply(&self, wanted: Wanted, body: &[u8]) -> Result<WireVectors, Failure>;
}

/// What a reply must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How many vectors.
    pub count: usize,
    /// How many numbers each, where the request said so.
    pub dimensions: Option<u32>,
}

impl Wanted {
    /// What that request wants.
    pub fn of(request: &EmbedRequest) -> Self {
        Self { count: request.inputs.len(), dimensions: request.dimensions }
    }
}

/// The failure of a field that a dialect or host cannot be told.
pub(crate) fn cannot(param: &str, why: &str) -> Failure {
    Failure::new(Kind::UnsupportedParameter, format!("{param}: {why}")).param(param)
}

/// The caller's own members that are passed on, and a note that names those which are not: they are of
/// another dialect, or the host does not take them. A caller in code who names no dialect means whoever is
/// asked.
pub(crate) fn extras<'a>(
    request: &'a EmbedRequest,
    ours: &[Dialect],
    taken: impl Fn(&str) -> bool,
) -> (Vec<(&'a str, &'a RawJson)>, Vec<String>) {
    let is_ours = request.origin.is_none_or(|origin| ours.contains(&origin));
    let (passed, left): (Vec<_>, Vec<_>) = request.extra.iter().partition(|(name, _)| is_ours && taken(name));
    if left.is_empty() {
        return (passed, Vec::new());
    }
    let names = left.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
    let whose = request.origin.map_or("unknown origin", Dialect::name);
    (passed, vec![format!("not passed on ({whose}): {names}")])
}
