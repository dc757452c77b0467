//! Tokens used.

use serde::{Deserialize, Serialize};

use crate::Nanodollars;

/// Tokens of one answer, all of them known or honestly estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All input tokens, cached and cache-writing ones included.
    pub prompt: u64,
    /// All billed output tokens, reasoning included.
    pub completion: u64,
    /// Input read from a cache; part of `prompt`.
    pub cached: u64,
    /// Input written to a cache; part of `prompt`.
    pub cache_write: u64,
    /// The part of `cache_write` that is kept for an hour or longer.
    pub cache_write_1h: u64,
    /// The hidden part of `completion`.
    pub reasoning: u64,
    /// Whether `prompt` or `completion` is our estimate because the provider left it out.
    pub estimated: bool,
}

/// Token counts as a provider reported them, already in our arithmetic (`prompt` includes cached
/// tokens, `completion` includes reasoning); `None` is "not said", never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireUsage {
    /// All input tokens.
    pub prompt: Option<u64>,
    /// All billed output tokens.
    pub completion: Option<u64>,
    /// Input read from a cache.
    pub cached: Option<u64>,
    /// Input written to a cache.
    pub cache_write: Option<u64>,
    /// The part of `cache_write` that is kept for an hour or longer.
    pub cache_write_1h: Option<u64>,
    /// The hidden part of the output.
    pub reasoning: Option<u64>,
    /// What the provider says the call cost, where it says so (OpenRouter, xAI).
    pub cost: Option<Nanodollars>,
}

impl WireUsage {
    /// Takes each figure that `later` has, keeps the rest: reports in a stream are running totals.
    pub fn merge(&mut self, later: Self) {
        self.prompt = later.prompt.or(self.prompt);
        self.completion = later.completion.or(self.completion);
        self.cached = later.cached.or(self.cached);
        self.cache_write = later.cache_write.or(self.cache_write);
        self.cache_write_1h = later.cache_write_1h.or(self.cache_write_1h);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.cost = later.cost.or(self.cost);
    }
}
