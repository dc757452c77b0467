//! Models that are retired, or soon will be (behaviour 10.1a). The catalogue is the test's own.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use common::{NOW, two_keys};
use mainstay_config::load;

const CATALOGUE: &str = "mainstay-catalogue 1
as-of 2026-11-30
source me mine, none, 2026-11
[openai]
soon in=1 out=2 by=2026-12-11 next=newer src=me
tomorrow in=1 out=2 by=2026-12-01 src=me
later in=1 out=2 by=2027-06-01 src=me
past in=1 out=2 by=2026-11-01 next=newer src=me
gone in=1 out=2 gone src=me
newer in=1 out=2 src=me
";

/// What is said about a file beside that catalogue, and whether it can be run.
fn told(text: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("prices.txt"), CATALOGUE).unwrap();
    let file = folder.path().join("m.toml").display().to_string();
    let text = format!("{text}\n[budget]\nprices = \"prices.txt\"\n");
    let (runs, told) = match load(&text, &file, &two_keys, NOW) {
        Ok(loaded) => (true, loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
        Err(problems) => (false, problems.to_string()),
    };
    (runs, told.replace(&file, "m.toml"))
}

#[test]
fn a_model_that_retires_soon_is_a_warning_with_its_successor() {
    let (runs, told) =
        told("[chains]\na = [\"openai/soon\"]\nb = [\"openai/tomorrow\"]\nc = [\"openai/later\"]");
    assert!(runs);
    assert_eq!(
        told,
        r#"m.toml:2:6: warning: openai/soon retires on 2026-12-11, in 11 days
  2 | a = ["openai/soon"]
    |      ^^^^^^^^^^^^^
    = its provider names openai/newer as the successor
m.toml:3:6: warning: openai/tomorrow retires on 2026-12-01, in 1 day
  3 | b = ["openai/tomorrow"]
    |      ^^^^^^^^^^^^^^^^^
    = choose another model of openai: `mainstay prices` lists them"#
    );
}

#[test]
fn a_retired_model_is_an_error_with_its_successor() {
    let (runs, told) = told("[chains]\na = [\"openai/past\"]\nb = [\"openai/gone\"]");
    assert!(!runs);
    assert_eq!(
        told,
        r#"m.toml:2:6: openai/past was retired on 2026-11-01
  2 | a = ["openai/past"]
    |      ^^^^^^^^^^^^^
    = its provider names openai/newer as the successor

m.toml:3:6: openai/gone is retired
  3 | b = ["openai/gone"]
    |      ^^^^^^^^^^^^^
    = choose another model of openai: `mainstay prices` lists them

2 errors"#
    );
}

#[test]
fn behind_an_address_or_a_price_of_its_own_a_retired_model_is_a_warning() {
    let price = "price = { input = \"1\", output = \"2\" }";
    let own_price = format!("[[chains.a.tiers]]\nprovider = \"openai\"\nmodel = \"past\"\n{price}");
    let own_address =
        "[providers.openai]\nbase_url = \"https://old.example.com/v1\"\n[chains]\na = [\"openai/past\"]";
    for text in [own_price.as_str(), own_address] {
        let (runs, told) = told(text);
        assert!(runs, "{told}");
        assert!(told.contains("warning: openai/past was retired on 2026-11-01"), "{told}");
    }
}

#[test]
fn a_retired_model_and_a_missing_key_are_told_together() {
    let (runs, told) = told(
        "[providers.openai]\napi_key_env = \"NOT_THERE\"\n[chains]\na = [\"openai/past\", \"openai/nobody\"]",
    );
    assert!(!runs);
    for said in ["NOT_THERE is not set", "openai/past was retired", "no price is known for openai/nobody"] {
        assert!(told.contains(said), "{told}");
    }
}
