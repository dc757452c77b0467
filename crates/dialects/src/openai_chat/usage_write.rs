//! Token counts as a caller of this dialect reads them.

use mainstay_canon::Usage;
use serde::Serialize;

/// A `usage` object.
#[derive(Serialize)]
pub(super) struct WrittenUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: Prompt,
    completion_tokens_details: Completion,
}

#[derive(Serialize)]
struct Prompt {
    cached_tokens: u64,
    cache_write_tokens: u64,
}

#[derive(Serialize)]
struct Completion {
    reasoning_tokens: u64,
}

impl From<&Usage> for WrittenUsage {
    fn from(usage: &Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt,
            completion_tokens: usage.completion,
            total_tokens: usage.prompt.saturating_add(usage.completion),
            prompt_tokens_details: Prompt {
                cached_tokens: usage.cached,
                cache_write_tokens: usage.cache_write,
            },
            completion_tokens_details: Completion { reasoning_tokens: usage.reasoning },
        }
    }
}
