//! What goes into the simulated week, each number with its reason. Both orders of the chain get the same.
//!
//! The published week says how often which tier answered and not why the tiers before it did not. The rates
//! here are the plainest ones that give those shares: faults that pass, which every provider has at about
//! the same rate, and prompts that are hard, at which a model fails again and again. Without the second kind
//! the figures cannot be had: published, a request that failed three times at the first provider fails at
//! the second with 27 %, ten times as often as a fresh one. None of the rates was chosen for what the week
//! costs; prices are those of the bundled catalogue at the week's time.

/// Requests in the week: a company whose agents make some 3,300 runs of 30 calls. Enough for the rarest
/// published share, 0.04 %, to stand for 40 of them.
pub const REQUESTS: u32 = 100_000;

/// The week begins on this Monday, 2026-11-23, at midnight UTC; in seconds since 1970.
pub const MONDAY: i64 = 1_795_392_000;

/// Traffic of each hour of a day, in parts: office hours of one continent, nights for what runs by itself.
pub const HOURS: [u32; 24] = [1, 1, 1, 1, 1, 1, 2, 3, 5, 7, 8, 8, 7, 8, 8, 8, 8, 7, 5, 4, 3, 2, 2, 1];

/// Traffic of each day from Monday on, in parts: weekends are quiet.
pub const DAYS: [u32; 7] = [10, 10, 10, 10, 10, 4, 4];

/// Attempts allowed on one tier: the published week counts answers "after one or two retries".
pub const ATTEMPTS_A_TIER: u32 = 3;

/// Prompts at which models fail again and again. The published 0.82 % that no attempt of the first provider
/// answered, divided by its three attempts' chance below, less what leaves it for reasons of its own.
pub const HARD: f64 = 0.015;

/// How often attempts fail that have nothing to do with the prompt, as shares of attempts. The same for all
/// providers: the published week does not tell them apart.
pub struct Passing {
    /// Useless answers: empty, cut, with broken arguments. More than half of what is published as failing
    /// first and answered after a retry.
    pub useless: f64,
    /// Statuses 500 to 529, resets: providers' own status pages come to 99.5 % and better.
    pub server: f64,
    /// Rate limits. Rare where limits are respected before the call.
    pub limited: f64,
    /// Silence until a timeout.
    pub silent: f64,
}

/// See [`Passing`]. Together 1.4 %: the published 2.6 % that fail at first, less those at hard prompts.
pub const PASSING: Passing = Passing { useless: 0.008, server: 0.0055, limited: 0.0003, silent: 0.0001 };

/// How long a rate limit asks to be left alone, in seconds: what providers' hints come to under short bursts.
pub const LIMITED_FOR: u64 = 5;

/// How long silence lasts until the attempt is given up, in seconds: the default for a stream's first
/// content.
pub const SILENCE: u64 = 60;

/// One provider.
pub struct Tier {
    /// Provider and model, as in the catalogue.
    pub name: &'static str,
    /// How often an attempt at a hard prompt brings a useless answer. From the published shares: of what
    /// reached a tier, the part that went on to the next, to the third root for its three attempts.
    pub fails_at_hard: f64,
    /// How long an answer takes in the median, in milliseconds.
    pub takes: u64,
}

/// Cheap first: what the documentation's own chain names, and a fourth provider.
pub const TIERS: [Tier; 4] = [
    Tier { name: "openai/gpt-6-luna", fails_at_hard: 0.77, takes: 900 },
    Tier { name: "deepseek/deepseek-flash", fails_at_hard: 0.68, takes: 1_400 },
    Tier { name: "anthropic/claude-sonnet-5-5", fails_at_hard: 0.57, takes: 1_800 },
    Tier { name: "gemini/gemini-4-argon", fails_at_hard: 0.30, takes: 1_800 },
];

/// The tier of last resort: a model on the company's own machine. Free, slower, never down.
pub const LAST_RESORT: Tier =
    Tier { name: "local_llama/llama-3-70b-instruct", fails_at_hard: 0.0, takes: 3_000 };

/// A size of request.
pub struct Size {
    /// Its part of all requests, in percent.
    pub percent: u32,
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Those of them that the provider has in its cache, where it is the one that is asked first; another
    /// provider's cache is cold.
    pub cached: u64,
    /// Tokens of the answer.
    pub completion: u64,
}

/// Calls of an agent: the first of a run, those in the middle, and long ones whose history is cached.
pub const SIZES: [Size; 3] = [
    Size { percent: 20, prompt: 1_200, cached: 0, completion: 150 },
    Size { percent: 50, prompt: 4_000, cached: 2_800, completion: 250 },
    Size { percent: 30, prompt: 12_000, cached: 10_000, completion: 400 },
];

/// Tokens that an answer may have, which is what is set aside before a call.
pub const OUTPUT_LIMIT: u64 = 2_000;

/// The outage of every provider: Friday from 17:00 to 19:00, in hours since the week's beginning.
pub const OUTAGE: std::ops::Range<u32> = (4 * 24 + 17)..(4 * 24 + 19);

/// Calls during the outage that hear nothing at all; the others get a 503 or no connection. Both kinds are
/// seen in public reports of outages, mostly the second.
pub const OUTAGE_SILENT: f64 = 0.2;

/// How long a call takes that is turned away, in milliseconds.
pub const TURNED_AWAY: u64 = 200;

/// The published shares, in percent: by the first provider at once, by it after one or two retries, by the
/// second, third and fourth.
pub const PUBLISHED: [f64; 5] = [97.4, 1.8, 0.6, 0.18, 0.04];

/// The published factor between what expensive first and cheap first cost.
pub const PUBLISHED_FACTOR: f64 = 14.0;
