//! What people type, and what they are told.

mod common;

use std::path::Path;

use common::mainstay;

fn check_config(text: &str) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mainstay.toml"), text).unwrap();
    let (code, _, said) = mainstay(&["check"], folder.path());
    (code, said)
}

#[test]
fn the_demonstration_shows_every_fault_answered() {
    let folder = tempfile::tempdir().unwrap();
    let (code, shown, said) = mainstay(&["demo", "--once"], folder.path());
    assert_eq!(code, 0, "{shown}\n{said}");
    for part in ["simulated", "an empty answer", "choices", "refusal", "429", "500", "cut", "8 of 8", "Answered on attempt"] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    let widest = shown.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest <= 80, "{widest} columns:\n{shown}");
}

#[test]
fn the_demonstration_speaks_json() {
    let folder = tempfile::tempdir().unwrap();
    let (code, shown, _) = mainstay(&["demo", "--once", "--json"], folder.path());
    assert_eq!(code, 0);
    for line in shown.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&row["simulated"], &row["as_promised"]), (&true.into(), &true.into()), "{line}");
    }
}

#[test]
fn a_missing_key_names_the_variable_and_the_tier() {
    let (code, said) = check_config("[chains]\ndefault = [\"openai/gpt-6-luna\"]\n");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("OPENAI_API_KEY") && said.contains("openai/gpt-6-luna"), "{said}");
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_what_was_meant() {
    let (code, said) = check_config("[server]\nlisten = \"127.0.0.1:7171\"\nmax_bodey = \"1MB\"\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("max_bodey") && said.contains("mainstay.toml:3") && said.contains("max_body"), "{said}");
}

#[test]
fn a_cap_given_as_a_float_is_refused_with_the_right_spelling() {
    let (code, said) = check_config("[budget]\ndaily = 5.0\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("daily") && said.contains("mainstay.toml:2") && said.contains('"'), "{said}");
}

#[test]
fn a_chain_without_a_tier_is_refused() {
    let (code, said) = check_config("[chains]\ndefault = []\n");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("default") && said.contains("mainstay.toml:2"), "{said}");
}

#[test]
fn serve_without_a_key_says_what_it_looked_for_and_shows_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = mainstay(&["serve"], folder.path());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("OPENAI_API_KEY") && said.contains("mainstay demo"), "{said}");
}

#[test]
fn a_named_file_that_is_missing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = mainstay(&["check", "--config", "nowhere.toml"], folder.path());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("nowhere.toml"), "{said}");
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in ["demo", "check", "serve", "chat", "calls", "why"] {
        let (code, shown, _) = mainstay(&[command, "--help"], Path::new("/"));
        assert_eq!(code, 0);
        assert!(shown.contains("Example"), "{command}: {shown}");
    }
}
