//! The configuration that is made of the environment.

#![allow(clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use common::{KEY, NOW, nothing, two_keys};
use mainstay_canon::Moment;
use mainstay_config::{Source, from_environment, load};
use mainstay_cost::Retirement;

fn only(wanted: &'static str) -> impl Fn(&str) -> Option<String> {
    move |name| (name == wanted).then(|| KEY.to_owned())
}

fn tiers(config: &mainstay_config::Config) -> Vec<String> {
    config.chains[0].tiers.iter().map(|tier| tier.target.to_string()).collect()
}

#[test]
fn keys_make_a_chain_cheapest_first_and_a_cap() {
    let made = from_environment(&two_keys, &[], NOW).unwrap();
    assert_eq!(made.variables_used, ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    assert_eq!(
        tiers(&made.config),
        ["anthropic/claude-haiku-5-5", "openai/gpt-6-luna", "anthropic/claude-sonnet-5-5"]
    );
    assert_eq!(made.config.budget.daily.unwrap().to_string(), "5.00");
    assert_eq!(made.config.source, Source::Environment);
    assert!(made.config.server.is_loopback());
    assert_eq!(made.warnings, []);
}

#[test]
fn what_is_written_says_names_and_prices_and_no_key() {
    let made = from_environment(&only("OPENAI_API_KEY"), &["llama3.2:3b".to_owned()], NOW).unwrap();
    assert!(!made.toml_text.contains(KEY));
    assert!(made.toml_text.contains("OPENAI_API_KEY"), "{}", made.toml_text);
    assert!(made.toml_text.contains("\"openai/gpt-6-luna\","), "{}", made.toml_text);
    assert!(made.toml_text.contains("# $0.10 in, $0.50 out per million tokens"), "{}", made.toml_text);
    let again = load(&made.toml_text, "mainstay.toml", &only("OPENAI_API_KEY"), NOW).unwrap();
    assert_eq!(tiers(&again.config), tiers(&made.config));
}

#[test]
fn a_local_model_is_static_beside_others_and_ordinary_alone() {
    let local = ["nomic-embed-text", "glm-5:cloud", "gpt-oss:120b-cloud", "llama3.2:3b"].map(str::to_owned);
    let beside = from_environment(&only("OPENAI_API_KEY"), &local, NOW).unwrap();
    let last = beside.config.chains[0].tiers.last().unwrap();
    assert_eq!((last.target.to_string().as_str(), last.static_fallback), ("ollama/llama3.2:3b", true));
    assert!(beside.config.providers["ollama"].is_free());
    let alone = from_environment(&nothing, &local, NOW).unwrap();
    assert!(!alone.config.chains[0].tiers[0].static_fallback);
    assert_eq!(alone.variables_used, [] as [&str; 0]);
    for made in [beside, alone] {
        assert_eq!(made.warnings, []);
        let again = load(&made.toml_text, "mainstay.toml", &only("OPENAI_API_KEY"), NOW).unwrap();
        assert_eq!(tiers(&again.config), tiers(&made.config));
    }
}

#[test]
fn a_model_that_runs_elsewhere_is_no_local_one() {
    for name in ["glm-5:cloud", "gpt-oss:120b-cloud", "nomic-embed-text", "bad\"name"] {
        assert!(from_environment(&nothing, &[name.to_owned()], NOW).is_err(), "{name}");
    }
    let far = from_environment(&nothing, &["hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M".to_owned()], NOW).unwrap();
    assert_eq!(tiers(&far.config), ["ollama/hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M"]);
}

#[test]
fn without_a_key_the_variables_are_named() {
    let blank = |_: &str| Some("  ".to_owned());
    for env in [&nothing as &dyn Fn(&str) -> Option<String>, &blank] {
        let none = from_environment(env, &["bad\"name".to_owned()], NOW).unwrap_err();
        for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY"] {
            assert!(none.looked_for.iter().any(|looked| looked == name), "{none}");
        }
    }
}

#[test]
fn no_model_is_written_that_is_retired_or_soon_will_be() {
    for days in [0, 30, 200, 400, 2_000] {
        let now = Moment::from_micros(NOW.micros() + days * 86_400_000_000);
        let env = |name: &str| name.ends_with("_API_KEY").then(|| KEY.to_owned());
        let Ok(made) = from_environment(&env, &[], now) else { continue };
        for tier in &made.config.chains[0].tiers {
            let model = tier.model.as_ref().unwrap();
            assert_eq!(model.retirement(now), Retirement::Serving, "{}", tier.target);
        }
        assert_eq!(made.warnings, []);
    }
}

#[test]
fn every_provider_s_standard_key_alone_is_enough() {
    for kind in mainstay_providers::ALL {
        let (mainstay_providers::Auth::Bearer { env } | mainstay_providers::Auth::Header { env, .. }) =
            kind.auth
        else {
            continue;
        };
        let Err(none) = from_environment(&only(env), &[], NOW) else { continue };
        assert!(!none.looked_for.iter().any(|looked| looked == env), "{env} is looked for and not used");
    }
}

#[test]
fn stray_variables_of_the_gateway_stop_nothing() {
    let env = |name: &str| match name {
        "MAINSTAY_ADMIN_TOKEN" => Some("has a space".to_owned()),
        "MAINSTAY_ALERT_WEBHOOK" => Some("not-an-address".to_owned()),
        other => two_keys(other),
    };
    let made = from_environment(&env, &[], NOW).unwrap();
    assert_eq!(made.warnings.len(), 2);
}
