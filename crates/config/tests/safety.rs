//! Whatever the text: no panic, and no secret in anything that is shown.

#![allow(clippy::indexing_slicing, clippy::format_collect, reason = "helpers of tests")]

mod common;

use common::{FULL, NOW};
use mainstay_config::{Loaded, Problems, from_environment, load};
use proptest::prelude::*;

/// Everything that anybody could print of a result.
fn shown(result: &Result<Loaded, Problems>) -> String {
    match result {
        Ok(loaded) => format!("{loaded:?} {:#?} {}", loaded.config, list(&loaded.warnings)),
        Err(problems) => format!("{problems:?} {problems} {}", problems.to_json()),
    }
}

fn list(problems: &[mainstay_config::Problem]) -> String {
    problems.iter().map(ToString::to_string).collect()
}

/// The full file with a piece taken out and something else put in.
fn damaged(at: usize, len: usize, put: &str) -> String {
    let edge = |at: usize| (0..=at.min(FULL.len())).rev().find(|at| FULL.is_char_boundary(*at)).unwrap_or(0);
    let (from, to) = (edge(at), edge(at.saturating_add(len)));
    format!("{}{put}{}", &FULL[..from], &FULL[to..])
}

#[test]
fn a_working_configuration_shows_no_secret() {
    let env = |name: &str| Some(format!("https://secret-of-{}", name.to_lowercase()));
    let result = load(FULL, "mainstay.toml", &env, NOW);
    assert!(result.is_ok(), "{}", result.unwrap_err());
    let shown = shown(&result);
    assert!(!shown.contains("secret-of"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_key_pasted_into_the_file_is_not_repeated() {
    for line in [
        "api_key = \"sk-live-0123456789abcdef\"",
        "api_key = sk-live-0123456789abcdef",
        "api_key_env = \"sk-live-0123456789abcdef\"",
        "api_key_envs = [\"sk-live-0123456789abcdef\"]",
        "base_url = \"https://sk-live-0123456789abcdef@example.com\"",
        "base_url = \"https://example.com/?key=sk-live-0123456789abcdef\"",
        "proxy = \"http://ann:sk-live-0123456789abcdef@proxy:1\"",
        "sk-live-0123456789abcdef = true",
        "auth = \"sk-live-0123456789abcdef\"",
    ] {
        let text = format!("[providers.openai]\n{line}\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n");
        let shown = shown(&common::read(&text));
        assert!(!shown.contains("0123456789abcdef"), "{line}: {shown}");
    }
}

#[test]
fn a_file_with_very_many_mistakes_is_not_let_through() {
    let many: String = (0..500).map(|n| format!("wrong_{n} = 1\n")).collect();
    let problems = common::read(&format!("{many}[chains]\ndefault = [\"openai/gpt-6-luna\"]\n")).unwrap_err();
    assert_eq!(problems.problems.len(), 201);
    assert!(problems.to_string().contains("300 more are not listed"), "{problems}");
}

#[test]
fn warnings_before_an_error_do_not_hide_it() {
    let chains: String = (0..250)
        .map(|n| format!("c{n} = [\"anthropic/claude-sonnet-5-5\", \"openai/gpt-6-luna\"]\n"))
        .collect();
    assert!(common::read(&format!("[chains]\n{chains}")).is_ok());
    assert!(common::read(&format!("[chains]\n{chains}\n[budget]\ndaily = 5\n")).is_err());
}

#[test]
fn a_deep_file_ends() {
    for text in [
        "a = ".to_owned() + &"[".repeat(100_000),
        "a".to_owned() + &".a".repeat(50_000) + " = 1",
        "[".repeat(500_000),
    ] {
        assert!(common::read(&text).is_err());
    }
}

/// Each mistake shows its line; a long line is made ready to be shown once, not once a mistake.
#[test]
fn many_mistakes_on_one_long_line_are_told_in_seconds() {
    let began = std::time::Instant::now();
    assert!(common::read(&("x = ".to_owned() + &"{\"a\":1},".repeat(100_000))).is_err());
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,300}") {
        let _ = shown(&common::read(&text));
    }

    #[test]
    fn no_damage_panics(at in 0..FULL.len(), len in 0_usize..60, put in "[ -~\\n\"=\\[\\]é]{0,12}") {
        let _ = shown(&common::read(&damaged(at, len, &put)));
    }

    /// The secrets of the environment, wherever they may also have been pasted.
    #[test]
    fn no_secret_is_shown(
        secret in "[A-Za-z0-9_.+/=-]{12,60}",
        at in 0..FULL.len(),
        len in 0_usize..30,
        before in "[a-z =\"\\n\\[]{0,6}",
        after in "[a-z =\"\\n\\]]{0,6}",
    ) {
        let env = |_: &str| Some(secret.clone());
        let text = damaged(at, len, &format!("{before}{secret}{after}"));
        let result = load(&text, "mainstay.toml", &env, NOW);
        let shown = shown(&result);
        prop_assert!(!shown.contains(&secret), "{}", shown);
    }

    #[test]
    fn what_is_generated_holds_no_secret(secret in "[A-Za-z0-9_.+/=-]{12,60}") {
        let env = |_: &str| Some(secret.clone());
        let Ok(made) = from_environment(&env, &[], NOW) else { return Ok(()) };
        let shown = format!("{made:?}");
        prop_assert!(!shown.contains(&secret));
        prop_assert!(!made.toml_text.contains(&secret));
    }
}
