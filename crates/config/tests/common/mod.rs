//! What the tests of this crate share: a moment, an environment, a file that uses every key.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use mainstay_canon::Moment;
use mainstay_config::{Loaded, Problems, load};

/// 2026-11-30, 00:00 UTC.
pub(crate) const NOW: Moment = Moment::from_secs(1_795_996_800);

/// A file in which every key stands.
pub(crate) const FULL: &str = include_str!("../data/full.toml");

/// A key that looks like one.
pub(crate) const KEY: &str = "sk-test-4f9a8b7c6d5e4f3a2b1c";

/// An environment with the keys of OpenAI and Anthropic.
pub(crate) fn two_keys(name: &str) -> Option<String> {
    ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"].contains(&name).then(|| KEY.to_owned())
}

/// An environment with nothing in it.
pub(crate) fn nothing(_: &str) -> Option<String> {
    None
}

/// The same, and some variables that are of no use.
pub(crate) fn two_keys_and_worse(name: &str) -> Option<String> {
    match name {
        "BLANK" => Some("  ".to_owned()),
        "SPACED" => Some("two words".to_owned()),
        "SHORT" => Some("short".to_owned()),
        other => two_keys(other),
    }
}

/// Reads a text as `mainstay.toml` with two keys at hand.
pub(crate) fn read(text: &str) -> Result<Loaded, Problems> {
    load(text, "mainstay.toml", &two_keys_and_worse, NOW)
}

/// What is said about a text.
pub(crate) fn told(text: &str) -> String {
    match read(text) {
        Ok(loaded) => loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n"),
        Err(problems) => problems.to_string(),
    }
}
