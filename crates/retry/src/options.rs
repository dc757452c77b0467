//! What an operator may set: how often, how long. Defaults are those of the config file's `[defaults]`.

use std::time::Duration;

/// How often one tier is asked and how long it is left alone afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryOptions {
    /// Attempts allowed on one tier within one request, the first included. At least 1; default 2.
    pub retry_budget: u32,
    /// How long a tier is left alone after a rate limit without a hint. Default 60 s.
    pub cooldown: Duration,
    /// The first wait after a failure of transport or server; doubles with each attempt. Default 1 s.
    pub backoff: Duration,
    /// The longest such wait, before jitter. Default 30 s.
    pub backoff_cap: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self {
            retry_budget: 2,
            cooldown: Duration::from_mins(1),
            backoff: Duration::from_secs(1),
            backoff_cap: Duration::from_secs(30),
        }
    }
}

/// The limits that run while one attempt is under way (behaviour 5.3a).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands. Default 5 s.
    pub connect: Duration,
    /// Streams: from the connection to the first byte. Default 30 s.
    pub first_byte: Duration,
    /// Streams: from the connection to the first content. Default 60 s; 300 s for reasoning models.
    pub first_content: Duration,
    /// Streams: between contents. Whole answers: between body bytes. Default 30 s.
    pub idle: Duration,
    /// Whole answers: from sending to the last byte. Default 240 s.
    pub answer: Duration,
    /// Whole answers: from the connection to the first byte; only where an operator sets it by hand.
    pub whole_first_byte: Option<Duration>,
}

impl Timeouts {
    /// What [`Self::first_content`] is for models that think before they speak.
    pub const FIRST_CONTENT_OF_REASONING: Duration = Duration::from_mins(5);

    /// The defaults for a model that thinks before it speaks.
    pub fn for_reasoning() -> Self {
        Self { first_content: Self::FIRST_CONTENT_OF_REASONING, ..Self::default() }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(30),
            first_content: Duration::from_mins(1),
            idle: Duration::from_secs(30),
            answer: Duration::from_mins(4),
            whole_first_byte: None,
        }
    }
}
