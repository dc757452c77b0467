//! Configurations of the LiteLLM proxy, written for this test, become ours, and say what differs.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "this is a test")]

use mainstay_canon::Moment;
use mainstay_config::{Config, PriceOf};
use mainstay_moving::{MoveError, Moved, from_litellm};

fn moved(text: &str) -> Moved {
    from_litellm(text, &|name| (name == "LLAMA_BASE").then(|| "http://127.0.0.1:9000/v1".to_owned())).unwrap()
}

/// Loads what came out, with every key at hand.
fn loaded(moved: &Moved) -> Config {
    let env =
        |name: &str| moved.variables.iter().any(|known| known == name).then(|| "sk-test-0123456789".into());
    match mainstay_config::load(&moved.toml_text, "mainstay.toml", &env, Moment::from_secs(1_796_000_000)) {
        Ok(loaded) => loaded.config,
        Err(problems) => panic!("{problems}\n{}", moved.toml_text),
    }
}

fn tiers(config: &Config, chain: &str) -> Vec<String> {
    let chain = config.chains.iter().find(|known| known.name == chain).unwrap();
    chain.tiers.iter().map(|tier| tier.target.to_string()).collect()
}

fn says(moved: &Moved, about: &str, what: &str) {
    let found = moved.notes.iter().any(|note| note.about.contains(about) && note.what.contains(what));
    assert!(found, "{about}: {what}\n{:#?}", moved.notes);
}

const WHOLE: &str = r"
model_list:
  - model_name: assistant
    litellm_params:
      model: openai/gpt-6-luna
      api_key: os.environ/OPENAI_API_KEY
      rpm: 500
      tpm: 400000
      timeout: 30
      max_retries: 1
  - model_name: assistant
    litellm_params:
      model: openai/gpt-6-luna
      api_key: os.environ/OPENAI_API_KEY_TWO
  - model_name: smart/one
    litellm_params: {model: anthropic/claude-sonnet-5-5, api_key: sk-ant-planted-secret-0123456789, order: 2}
  - model_name: own
    litellm_params:
      model: openai/llama-3-70b
      api_base: os.environ/LLAMA_BASE
      api_key: none
      input_cost_per_token: 1.5e-07
      output_cost_per_token: 6e-7
  - model_name: cloud
    litellm_params: {model: bedrock/anthropic.claude-v9, aws_region_name: eu-west-1}
  - model_name: vectors
    litellm_params: {model: openai/text-embedding-3-small}
    model_info: {mode: embedding}
router_settings:
  routing_strategy: least-busy
  num_retries: 2
  cooldown_time: 45
  allowed_fails: 3
  model_group_alias: {gpt-4o: assistant}
  redis_host: cache.internal
litellm_settings:
  fallbacks: [{assistant: [smart/one, cloud]}]
  default_fallbacks: [own]
  max_budget: 25
  budget_duration: 1d
  success_callback: [langfuse]
  invented_setting: 7
general_settings:
  master_key: sk-planted-master-0123456789
environment_variables:
  LANGFUSE_SECRET_KEY: planted-variable-value
";

#[test]
fn a_whole_file_loads_and_asks_the_same_models_in_the_order_of_the_file() {
    let moved = moved(WHOLE);
    let config = loaded(&moved);
    let expected = ["openai/gpt-6-luna", "anthropic/claude-sonnet-5-5", "compatible-server/llama-3-70b"];
    assert_eq!(tiers(&config, "assistant"), expected);
    assert_eq!(tiers(&config, "default"), expected);
    assert_eq!(tiers(&config, "smart-one"), [expected[1], expected[2]]);
    let assistant = config.chains.iter().find(|chain| chain.name == "assistant").unwrap();
    assert_eq!(assistant.aliases, ["gpt-4o"]);
    let smart = config.chains.iter().find(|chain| chain.name == "smart-one").unwrap();
    assert_eq!(smart.aliases, ["smart/one"]);
    assert_eq!(config.budget.daily.unwrap().to_string(), "25.00");
}

#[test]
fn two_keys_of_one_model_are_two_keys_of_one_tier() {
    let moved = moved(WHOLE);
    assert!(moved.toml_text.contains("separate_accounts = true"), "{}", moved.toml_text);
    assert!(moved.variables.iter().any(|name| name == "OPENAI_API_KEY_TWO"));
    assert!(moved.variables.iter().any(|name| name == "OPENAI_API_KEY"));
}

#[test]
fn waits_limits_and_prices_come_along() {
    let moved = moved(WHOLE);
    let config = loaded(&moved);
    let tier = &config.chains.iter().find(|chain| chain.name == "assistant").unwrap().tiers[0];
    assert_eq!(tier.timeouts.answer.as_secs(), 30);
    assert_eq!(tier.retry.cooldown.as_secs(), 45);
    assert_eq!(tier.retry.retry_budget, 2, "its own max_retries, not the router's");
    assert_eq!((tier.limits.rpm, tier.limits.tpm), (Some(500), Some(400_000)));
    let own = &config.chains.iter().find(|chain| chain.name == "own").unwrap().tiers[0];
    let PriceOf::Known(price) = &own.price else { panic!("{:?}", own.price) };
    assert_eq!(price.base().input.to_string(), "0.15");
    assert_eq!(price.base().output.to_string(), "0.60");
}

#[test]
fn everything_that_differs_is_said() {
    let moved = moved(WHOLE);
    says(&moved, "assistant", "asks openai/gpt-6-luna twice");
    says(&moved, "cloud", "nobody here speaks to bedrock/");
    says(&moved, "assistant", "falls back to cloud");
    says(&moved, "vectors", "is for embedding");
    says(&moved, "smart/one", "put it into ANTHROPIC_API_KEY");
    says(&moved, "router_settings.routing_strategy", "least-busy");
    says(&moved, "router_settings.redis_host", "not needed");
    says(&moved, "litellm_settings.success_callback", "every call is in the log");
    says(&moved, "litellm_settings.invented_setting", "left out");
    says(&moved, "general_settings.master_key", "MAINSTAY_ADMIN_TOKEN");
    says(&moved, "environment_variables", "LANGFUSE_SECRET_KEY");
}

#[test]
fn no_secret_of_theirs_is_in_what_comes_out() {
    let moved = moved(WHOLE);
    let all = format!("{moved:?}");
    for secret in ["planted-secret", "planted-master", "planted-variable-value"] {
        assert!(!all.contains(secret), "{secret}");
    }
    // Nor where the file cannot be read.
    let broken = "model_list:\n  - {api_key: sk-planted-broken-0123456789\n";
    let error = from_litellm(broken, &|_| None).unwrap_err();
    assert!(!error.to_string().contains("sk-planted"), "{error}");
}

#[test]
fn a_local_ollama_and_a_second_one_are_two_providers() {
    let moved = moved(
        "model_list:
  - {model_name: a, litellm_params: {model: ollama_chat/qwen3, api_base: 'http://localhost:11434'}}
  - {model_name: b, litellm_params: {model: ollama/qwen3, api_base: 'http://10.0.0.9:11434'}}
  - {model_name: c, litellm_params: {model: ollama/llama3, api_base: 'http://10.0.0.9:11434'}}
",
    );
    let config = loaded(&moved);
    assert_eq!(tiers(&config, "a"), ["ollama/qwen3"]);
    assert_eq!(tiers(&config, "b"), ["ollama-2/qwen3"]);
    assert_eq!(tiers(&config, "c"), ["ollama-2/llama3"]);
    assert!(moved.toml_text.contains("allow_http = true"), "{}", moved.toml_text);
}

#[test]
fn a_model_without_a_prefix_is_found_by_its_name() {
    let moved = moved("model_list: [{model_name: x, litellm_params: {model: claude-sonnet-5-5}}]");
    assert_eq!(tiers(&loaded(&moved), "x"), ["anthropic/claude-sonnet-5-5"]);
}

#[test]
fn what_is_no_such_file_is_told_so() {
    let error = |text: &str| from_litellm(text, &|_| None).unwrap_err();
    assert!(matches!(error("a: [b"), MoveError::NotYaml(_)));
    assert!(matches!(error("- a"), MoveError::NotTheirs(_)));
    assert!(matches!(error("chains: {}"), MoveError::NotTheirs(_)));
    assert!(matches!(error("model_list: 3"), MoveError::NotTheirs(_)));
    assert!(matches!(error("model_list: []"), MoveError::NothingLeft(_)));
    let only = "model_list: [{model_name: x, litellm_params: {model: azure/y}}]";
    assert!(error(only).to_string().contains("azure/y"));
    assert!(matches!(error(&" ".repeat(1_000_001)), MoveError::TooLarge(_)));
}

#[test]
fn names_of_theirs_cannot_write_lines_of_ours() {
    let moved = moved(
        r#"
model_list:
  - model_name: "a\"]\n[budget]\ndaily = \"9999\"\n"
    litellm_params: {model: "openai/x\"\n[server]\nlisten = \"0.0.0.0:1\"", api_key: os.environ/OPENAI_API_KEY}
"#,
    );
    assert!(
        !moved.toml_text.lines().any(|line| line.starts_with("[budget]") || line.starts_with("[server]"))
    );
}

#[test]
fn odd_shapes_are_named_and_never_a_panic() {
    for text in [
        "model_list: [3, {}, {model_name: x}, {model_name: y, litellm_params: 4}, {model_name: z, litellm_params: {model: gpt-6-luna}}]",
        "model_list: [{model_name: z, litellm_params: {model: gpt-6-luna, rpm: -4, timeout: x, order: [1]}}]\nrouter_settings: 7\nlitellm_settings: {fallbacks: 3, max_budget: -3}",
        "model_list: [{model_name: 5, litellm_params: {model: gpt-6-luna}}]\nrouter_settings: {model_group_alias: {a: [1]}}",
    ] {
        let moved = moved(text);
        loaded(&moved);
    }
}
