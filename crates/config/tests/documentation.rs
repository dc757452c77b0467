//! The examples of the interface document load, and say what the defaults are.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::path::Path;

use common::{KEY, NOW, nothing};
use mainstay_config::{Config, load};

/// The TOML blocks of the interface document, where the shared data is at hand.
fn examples() -> Option<Vec<String>> {
    let shared = std::env::var("MAINSTAY_SHARED")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").to_owned());
    let Ok(text) = std::fs::read_to_string(Path::new(&shared).join("design/interface.md")) else {
        assert!(std::env::var("MAINSTAY_REQUIRE_SHARED").is_err(), "the shared data is required");
        // Past the test runner's capture: a skip must not look like a pass.
        let _ =
            std::io::Write::write_all(&mut std::io::stderr(), b"skipped: this test needs the shared data\n");
        return None;
    };
    let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    Some(blocks.map(str::to_owned).collect())
}

fn all_keys(name: &str) -> Option<String> {
    name.ends_with("_API_KEY").then(|| KEY.to_owned())
}

fn config(text: &str) -> Config {
    load(text, "mainstay.toml", &all_keys, NOW).unwrap_or_else(|problems| panic!("{problems}")).config
}

#[test]
fn the_two_line_example_loads_with_keys_and_names_them_without() {
    let Some(examples) = examples() else { return };
    let text = &examples[0];
    let loaded = load(text, "mainstay.toml", &all_keys, NOW).unwrap();
    assert_eq!(loaded.warnings, []);
    let told = load(text, "mainstay.toml", &nothing, NOW).unwrap_err();
    for name in ["OPENAI_API_KEY", "DEEPSEEK_API_KEY", "ANTHROPIC_API_KEY"] {
        assert!(told.to_string().contains(&format!("{name} is not set")), "{told}");
    }
    assert_eq!(told.errors().count(), 3);
}

#[test]
fn the_long_example_loads() {
    let Some(examples) = examples() else { return };
    let config = config(&examples[1]);
    let chain = config.chain("support").unwrap();
    assert_eq!(chain.tiers.len(), 4);
    assert_eq!(chain.aliases, ["gpt-*", "claude-*"]);
    assert!(config.budget.has_cap());
}

/// What the long example says outside caps, chains and providers is what is meant without it.
#[test]
fn the_values_of_the_long_example_are_the_defaults() {
    let Some(examples) = examples() else { return };
    let chain = "[chains]\ndefault = [\"openai/gpt-6-luna\"]\n";
    let (sections, _) = examples[1].split_once("[providers.deepseek]").unwrap();
    let quality = sections.find("classes = ").unwrap();
    let (typed, short) = (config(&format!("{}\n{chain}", &sections[..quality])), config(chain));
    assert_eq!(format!("{:?}", typed.server), format!("{:?}", short.server));
    assert_eq!(format!("{:?}", typed.log), format!("{:?}", short.log));
    assert_eq!(format!("{:?}", typed.alerts), format!("{:?}", short.alerts));
    assert_eq!(typed.streaming, short.streaming);
    assert_eq!(format!("{:?}", typed.quality), format!("{:?}", short.quality));
    assert_eq!((typed.breaker, typed.deadline), (short.breaker, short.deadline));
    let (typed_tier, short_tier) = (&typed.chains[0].tiers[0], &short.chains[0].tiers[0]);
    assert_eq!(typed_tier.retry, short_tier.retry);
    assert_eq!(typed_tier.timeouts, short_tier.timeouts);
    let (typed, short) = (&typed.budget, &short.budget);
    assert_eq!(typed.warn_at_percent, short.warn_at_percent);
    assert_eq!((typed.at_cap, typed.on_failure), (short.at_cap, short.on_failure));
    assert_eq!((typed.lower_output, &typed.prices), (short.lower_output, &short.prices));
    assert_eq!(typed.timezone, short.timezone);
}
