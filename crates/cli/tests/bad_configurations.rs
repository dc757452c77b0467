//! Every mistake of a configuration has a message of its own: what, where, what to do. Exit code 2.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use common::{mainstay, mainstay_in};

/// The configuration is refused, with each of these parts in the message.
#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mainstay.toml"), text).unwrap();
    let keys = [("OPENAI_API_KEY", "sk-a-key-for-tests"), ("ANTHROPIC_API_KEY", "sk-a-key-for-tests")];
    for command in ["check", "serve"] {
        let (code, shown, said) = mainstay_in(&[command], folder.path(), &keys, "");
        assert_eq!((code, shown.as_str()), (2, ""), "{command}: {said}");
        for part in parts {
            assert!(said.contains(part), "{command}: {part} is missing in:\n{said}");
        }
        assert!(said.contains("\n    = "), "{command}: nothing says what to do:\n{said}");
    }
}

#[test]
fn a_missing_key_names_the_variable_the_tier_and_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[chains]\ndefault = [\"openai/gpt-6-luna\", \"anthropic/claude-sonnet-5-5\"]\n";
    std::fs::write(folder.path().join("mainstay.toml"), text).unwrap();
    let (code, _, said) = mainstay(&["check"], folder.path());
    assert_eq!(code, 2, "{said}");
    for part in [
        "OPENAI_API_KEY",
        "openai/gpt-6-luna",
        "ANTHROPIC_API_KEY",
        "anthropic/claude-sonnet-5-5",
        "mainstay.toml:2",
    ] {
        assert!(said.contains(part), "{part} is missing in:\n{said}");
    }
}

#[test]
fn two_tiers_of_one_name() {
    refused(
        "[chains]\ndefault = [\"openai/gpt-6-luna\", \"openai/gpt-6-luna\"]\n",
        &["two tiers named openai/gpt-6-luna", "mainstay.toml:2"],
    );
}

#[test]
fn a_static_tier_alone() {
    refused(
        "[[chains.default.tiers]]\nprovider = \"ollama\"\nmodel = \"llama3\"\nstatic_fallback = true\n",
        &["default", "static", "mainstay.toml:"],
    );
}

#[test]
fn a_retired_model() {
    refused(
        "[chains]\ndefault = [\"anthropic/claude-3-5-sonnet-20241022\"]\n",
        &["anthropic/claude-3-5-sonnet-20241022", "retired", "mainstay.toml:2"],
    );
}

#[test]
fn a_paid_model_without_a_price_under_a_cap() {
    let text = "[budget]\ndaily = \"5.00\"\n[[chains.default.tiers]]\nprovider = \"openai\"\n\
                model = \"gpt-of-nobody\"\nunpriced = true\n";
    refused(text, &["openai/gpt-of-nobody", "budget.daily", "mainstay.toml:"]);
    refused(
        "[chains]\ndefault = [\"openai/gpt-of-nobody\"]\n",
        &["gpt-of-nobody", "price", "unpriced", "mainstay.toml:2"],
    );
}

#[test]
fn an_unknown_key() {
    refused(
        "[server]\nlisten = \"127.0.0.1:7171\"\nmax_bodey = \"1MB\"\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n",
        &["max_bodey", "mainstay.toml:3", "did you mean \"max_body\""],
    );
}

#[test]
fn a_cap_given_as_a_float() {
    refused(
        "[budget]\ndaily = 5.0\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n",
        &["daily", "mainstay.toml:2", "\"5.0"],
    );
}

#[test]
fn a_chain_without_a_tier() {
    refused("[chains]\ndefault = []\n", &["default", "mainstay.toml:2"]);
}

#[test]
fn all_mistakes_are_listed_at_once() {
    refused(
        "[server]\nlisten = \"everywhere\"\n[budget]\ndaily = 5\ncolour = \"red\"\n[chains]\ndefault = []\n",
        &["mainstay.toml:2", "mainstay.toml:4", "mainstay.toml:5", "mainstay.toml:7", "4 errors"],
    );
}

#[test]
fn check_tells_scripts_the_same_as_people() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mainstay.toml"), "[chains]\ndefault = []\n").unwrap();
    let (code, shown, said) = mainstay(&["check", "--json"], folder.path());
    assert_eq!((code, said.as_str()), (2, ""));
    let told: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&told["valid"], &told["problems"][0]["line"]), (&false.into(), &2.into()), "{shown}");
}

#[test]
fn what_is_worth_a_look_is_said_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[chains]\ndefault = [\"anthropic/claude-sonnet-5-5\", \"openai/gpt-6-luna\"]\n";
    std::fs::write(folder.path().join("mainstay.toml"), text).unwrap();
    let keys = [("OPENAI_API_KEY", "sk-a-key-for-tests"), ("ANTHROPIC_API_KEY", "sk-a-key-for-tests")];
    let (code, shown, said) = mainstay_in(&["check"], folder.path(), &keys, "");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("warning") && said.contains("cheap first"), "{said}");
    assert!(shown.contains("chain default") && shown.contains("valid"), "{shown}");
}
