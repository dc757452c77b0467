//! Layer 1: who speaks a dialect. One file a provider, one line in [`ALL`].
//!
//! A provider's file states its address, its auth, what its models accept, what its finish words mean,
//! how its errors and rate-limit headers are read. It never knows about retries, money or another provider.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Headers};
use mainstay_dialects::Upstream;

/// How a provider wants its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: Bearer KEY`.
    Bearer {
        /// The provider's own standard environment variable.
        env: &'static str,
    },
    /// A header of its own, such as `x-api-key`.
    Header {
        /// Its name, lower case.
        name: &'static str,
        /// The provider's own standard environment variable.
        env: &'static str,
    },
    /// No key.
    None,
}

/// Everything that is particular about one provider.
pub struct Provider {
    /// Its name in the config file.
    pub id: &'static str,
    /// Where it listens; empty for a server that has no address of its own.
    pub base_url: &'static str,
    /// How it wants its key.
    pub auth: Auth,
    /// The dialect it speaks, with its quirks.
    pub upstream: &'static dyn Upstream,
    /// What its finish words mean. A word that is not here is a failure.
    pub finish: &'static [(&'static str, FinishMeaning)],
    /// What a model of it accepts.
    pub accepts: fn(model: &str) -> Accepts,
    /// Corrects the dialect's reading of an error by the provider's own tables (status, headers, body).
    pub refine: fn(failure: &mut Failure, headers: &Headers, body: &[u8]),
    /// Its rate-limit buckets, for hints (behaviour 5.2).
    pub buckets: &'static [Bucket],
}

/// A rate-limit bucket that a provider reports in headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The header that says how much is left.
    pub remaining: &'static str,
    /// The header that says when it is full again.
    pub reset: &'static str,
}
