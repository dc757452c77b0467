//! The configuration file: as typed, then as meant; every mistake at once, with its line.
//!
//! [`load`] takes the text of a `mainstay.toml` and gives back either a [`Config`] in which every default
//! is filled in, every name resolved and every key at hand, or [`Problems`] that read like a compiler's.
//! It reads the environment through the function it is given, and the files that the text names (a key, a
//! certificate, a newer catalogue of prices); relative names begin at the file's own folder. It opens no
//! socket, looks up no name and makes no call: whether a key *works* is not known here.
//!
//! ```
//! use mainstay_canon::Moment;
//!
//! let text = "[chains]\ndefault = [\"openai/gpt-6-luna\"]\n";
//! let env = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-test-0123456789".to_owned());
//! let loaded = mainstay_config::load(text, "mainstay.toml", &env, Moment::from_secs(1_796_000_000)).unwrap();
//! assert_eq!(loaded.config.chains[0].tiers[0].target.to_string(), "openai/gpt-6-luna");
//!
//! let problems = mainstay_config::load(text, "mainstay.toml", &|_| None, Moment::EPOCH).unwrap_err();
//! assert!(problems.to_string().contains("OPENAI_API_KEY is not set"));
//! ```

// What a start that fails hands back may be large; it happens once.
#![allow(clippy::result_large_err)]

mod address;
mod aliases;
mod config;
mod environment;
mod files;
mod problem;
mod quantities;
mod read;
mod report;
mod resolve;
mod secret;
mod sections;
mod source;
mod suggest;
mod surroundings;
mod table;
mod typed;
mod units;
mod variables;

pub use address::StoreUrl;
pub use config::{Breaker, Chain, Config, Limits, Loaded, PriceOf, ProviderConfig, Source, Tier};
pub use environment::{Generated, NoKeys, from_environment};
pub use files::{find_file, log_url, read_file};
pub use problem::{Excerpt, Problem, Problems, Severity};
pub use read::load;
pub use secret::Key;
pub use sections::alerts::Alerts;
pub use sections::budget::{AtCap, Budget, OnLedgerFailure};
pub use sections::log::{Capture, Log, OnLogFailure};
pub use sections::quality::{OnLoop, QualityPolicy, ReturnOrError};
pub use sections::server::{BareModels, RequireKeys, Server, Tls};
pub use sections::streaming::{OnInterrupt, Streaming};
