//! What a file that is right comes to mean.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod common;

use std::time::Duration;

use common::{FULL, KEY, NOW, nothing, read, two_keys};
use mainstay_canon::{FinishReason, MaxTokensParam, Nanodollars, ReasoningReplay, Target};
use mainstay_config::{
    AtCap, BareModels, Capture, Config, OnInterrupt, OnLedgerFailure, OnLogFailure, OnLoop, PriceOf,
    RequireKeys, ReturnOrError, Source, StoreUrl, Tier, load,
};
use mainstay_quality::HoldMode;
use mainstay_retry::{RetryOptions, Timeouts};

const TWO_LINES: &str = "[chains]\ndefault = [\"openai/gpt-6-luna\", \"anthropic/claude-sonnet-5-5\"]\n";

fn full() -> Config {
    let env = |name: &str| match name {
        "OPENAI_ONE" => Some("sk-one-0123456789".to_owned()),
        "OPENAI_TWO" => Some(" sk-two-0123456789\n".to_owned()),
        "ALERTS_URL" => Some("https://hooks.example.com/abc".to_owned()),
        "GATEWAY_ADMIN" => Some("a-long-admin-token".to_owned()),
        _ => None,
    };
    let loaded = load(FULL, "mainstay.toml", &env, NOW).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(loaded.warnings, []);
    loaded.config
}

fn tier<'c>(config: &'c Config, chain: &str, index: usize) -> &'c Tier {
    &config.chain(chain).unwrap().tiers[index]
}

#[test]
fn two_lines_are_enough() {
    let loaded = read(TWO_LINES).unwrap();
    assert_eq!(loaded.warnings, []);
    let config = loaded.config;
    assert_eq!(config.source, Source::File("mainstay.toml".into()));
    assert_eq!(config.providers.keys().collect::<Vec<_>>(), ["anthropic", "openai"]);
    assert_eq!(config.providers["openai"].keys[0].name, "OPENAI_API_KEY");
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:7171");
    assert_eq!(config.log.url.to_string(), "sqlite:mainstay.db");
    assert_eq!(config.deadline, Duration::from_secs(590));
    assert!(!config.budget.has_cap());
    let tier = tier(&config, "default", 0);
    assert_eq!(tier.target, Target::new("openai", "gpt-6-luna"));
    assert_eq!(tier.retry, RetryOptions::default());
    assert!(matches!(&tier.price, PriceOf::Listed(model) if model.model == "gpt-6-luna"));
    assert_eq!(config.default_chain().unwrap().name, "default");
}

#[test]
fn every_section_takes_on_what_is_typed() {
    let config = full();
    let server = &config.server;
    assert_eq!(server.listen.port(), 9000);
    assert_eq!(server.hosts, ["gateway.example.com", "gateway.example.com:443"]);
    assert!(server.admin_token.is_some() && server.metrics_public && server.tls.is_none());
    assert_eq!((server.max_body, server.max_connections, server.queue), (16_000_000, 500, 20));
    assert_eq!((server.require_keys, server.bare_models), (RequireKeys::Always, BareModels::Alone));
    assert_eq!(
        (server.drain_timeout, server.queue_timeout),
        (Duration::from_secs(10), Duration::from_secs(2))
    );

    let log = &config.log;
    assert!(matches!(log.url, StoreUrl::Postgres(_)));
    assert_eq!((log.capture, log.on_failure), (Capture::Preview, OnLogFailure::Refuse));
    assert_eq!((log.retention.as_secs() / 86_400, log.retention_ok.as_secs() / 86_400), (30, 7));
    assert_eq!((log.max_size, log.journal_max), (2_000_000_000, 100_000_000));
    assert_eq!(log.otlp_endpoint.as_deref(), Some("http://127.0.0.1:4318"));
    assert_eq!(log.drift_false_alarms_one_in, 5_000);

    let budget = &config.budget;
    assert_eq!(budget.daily, Some(Nanodollars::from_nanos(50_000_000_000)));
    assert_eq!(budget.monthly, Some(Nanodollars::from_nanos(500_000_000_000)));
    assert_eq!(budget.per_user_daily, Some(Nanodollars::from_nanos(2_500_000_000)));
    assert_eq!(budget.per_session, Some(Nanodollars::from_nanos(1_000)));
    assert_eq!(budget.timezone.iana_name(), Some("Europe/Berlin"));
    assert_eq!((budget.warn_at_percent, budget.lower_output), (75, true));
    assert_eq!((budget.at_cap, budget.on_failure), (AtCap::Static, OnLedgerFailure::Warn));
    assert!(config.alerts.webhook.is_some());
}

#[test]
fn streams_and_quality_take_on_what_is_typed() {
    let config = full();
    let streaming = &config.streaming;
    assert_eq!((streaming.mode, streaming.hold_chars), (HoldMode::Buffer, 100));
    assert!(!streaming.hold_tool_calls && streaming.live_reasoning);
    assert_eq!(streaming.on_interrupt, OnInterrupt::Error);
    assert_eq!((streaming.hold_time, streaming.keepalive), (Duration::from_secs(2), Duration::from_secs(5)));
    let quality = &config.quality;
    assert!(!quality.fallback_on_refusal && !quality.fallback_on_filter);
    assert!(quality.grow_max_tokens && quality.quality_breaker);
    assert_eq!((quality.max_refusals, quality.on_refusal), (3, ReturnOrError::Error));
    assert_eq!(quality.on_loop, OnLoop::Stop);
}

#[test]
fn a_provider_takes_on_what_is_typed() {
    let config = full();
    let openai = &config.providers["openai"];
    assert_eq!(
        openai.keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(),
        ["OPENAI_ONE", "OPENAI_TWO"]
    );
    assert!(openai.separate_accounts && !openai.own_address && !openai.is_free());
    assert!(openai.proxy.is_some());
    let house = &config.providers["house"];
    assert_eq!(house.base_urls, ["http://10.0.0.7:8000/v1", "http://10.0.0.8:8000/v1"]);
    assert_eq!(house.base_url, house.base_urls[0]);
    assert_eq!(house.finish_reasons["eos"], FinishReason::Stop);
    assert!(house.keys.is_empty() && house.allow_http && house.own_address && !house.is_loopback);
    assert_eq!(
        (house.region.as_deref(), house.api_version.as_deref()),
        (Some("eu-central-1"), Some("2026-01-01"))
    );
    let near = &config.providers["near"];
    assert_eq!(near.base_url, "http://127.0.0.1:8080/v1");
    assert!(near.is_loopback && near.is_free());
}

#[test]
fn a_tier_overrides_the_defaults_and_the_rest_follows_them() {
    let config = full();
    let local = tier(&config, "support", 0);
    assert!(local.static_fallback);
    assert_eq!(local.price, PriceOf::Free);
    assert_eq!((local.retry.retry_budget, local.retry.cooldown), (1, Duration::from_secs(45)));
    assert_eq!(local.timeouts.first_byte, Duration::from_secs(20));
    assert_eq!(local.timeouts.whole_first_byte, None);
    assert_eq!(local.breaker, config.breaker);
    let own = tier(&config, "support", 1);
    assert_eq!((own.retry.retry_budget, own.retry.cooldown), (3, Duration::from_secs(30)));
    assert_eq!(own.retry.backoff, Duration::from_millis(250));
    assert_eq!(own.timeouts.answer, Duration::from_mins(2));
    assert_eq!(own.timeouts.whole_first_byte, Some(Duration::from_secs(15)));
    assert_eq!((own.breaker.threshold, own.breaker.return_over), (3, Duration::from_secs(10)));
    assert_eq!(
        (own.limits.rpm, own.limits.tpm, own.limits.in_flight),
        (Some(5_000), Some(4_000_000), Some(200))
    );
    let PriceOf::Known(price) = &own.price else { panic!("{:?}", own.price) };
    assert_eq!((price.input.to_string(), price.output.to_string()), ("0.10".to_owned(), "0.50".to_owned()));
    assert_eq!(price.cache_write.unwrap().to_string(), "0.125");
    let odd = tier(&config, "support", 2);
    assert_eq!(odd.price, PriceOf::Unpriced);
    let accepts = &odd.accepts;
    assert!(!accepts.system_role && accepts.developer_role && accepts.alternate_roles && !accepts.sampling);
    assert!(!accepts.images && !accepts.tools && !accepts.json_schema && !accepts.effort);
    assert_eq!(accepts.max_tokens_param, MaxTokensParam::MaxCompletionTokens);
    assert_eq!(accepts.reasoning_replay, ReasoningReplay::ToolLoop);
}

#[test]
fn what_a_tier_says_of_thinking_and_sampling_overrules_the_table() {
    let accepts = |model: &str, says: &str| {
        let text = format!(
            "[[chains.default.tiers]]\nprovider = \"openai\"\nmodel = \"{model}\"\naccepts = {{ {says} }}\n"
        );
        tier(&read(&text).unwrap().config, "default", 0).accepts.clone()
    };
    let told = accepts("gpt-4o", "effort = true");
    assert_eq!(told.efforts.len(), 7, "a model that no table knows to think is told any effort");
    assert!(!accepts("gpt-6-luna", "sampling = false").sampling_at_rest, "never means never");
    assert!(accepts("gpt-6-luna", "tools = true").sampling_at_rest);
}

/// The catalogue marks claude-sonnet-5-5 as a model that thinks first.
#[test]
fn a_model_that_thinks_first_gets_its_time_unless_its_tier_says_otherwise() {
    let first_content = |text: &str| {
        let config = read(text).unwrap().config;
        tier(&config, "default", 0).timeouts.first_content
    };
    let chain = "[chains]\ndefault = [\"anthropic/claude-sonnet-5-5\"]\n";
    assert_eq!(first_content(chain), Timeouts::FIRST_CONTENT_OF_REASONING);
    let with_default = format!("{chain}[defaults]\nfirst_content_timeout = \"20s\"\n");
    assert_eq!(first_content(&with_default), Timeouts::FIRST_CONTENT_OF_REASONING);
    let own = "[[chains.default.tiers]]\nprovider = \"anthropic\"\nmodel = \"claude-sonnet-5-5\"\nfirst_content_timeout = \"20s\"\n";
    assert_eq!(first_content(own), Duration::from_secs(20));
}

#[test]
fn chains_keep_the_order_of_the_file_and_their_forms_mix() {
    let text = "[chains]\nzebra = [\"openai/gpt-6-luna\"]\nant = [\"openai/gpt-6-luna\", { provider = \"anthropic\", model = \"claude-sonnet-5-5\", retry_budget = 1 }]\n";
    let config = read(text).unwrap().config;
    assert_eq!(config.chains.iter().map(|chain| chain.name.as_str()).collect::<Vec<_>>(), ["zebra", "ant"]);
    assert_eq!(tier(&config, "ant", 1).retry.retry_budget, 1);
    assert!(config.default_chain().is_none());
}

#[test]
fn a_client_s_model_finds_its_chain_or_its_tier() {
    let config = full();
    let chain_for = |model: &str| config.chain_for(model).map(|chain| chain.name.as_str());
    assert_eq!(chain_for("support"), Some("support"));
    assert_eq!(chain_for("gpt-6-luna"), Some("support"));
    assert_eq!(chain_for("mistral-large"), None);
    assert_eq!(config.serving("small"), Some(Target::new("near", "small")));
    assert_eq!(config.serving("gpt-6-sol"), Some(Target::new("openai", "gpt-6-sol")));
    assert_eq!(config.serving("no-such-model"), None);
    let direct = config.tier_for(&Target::new("openai", "gpt-6-sol")).unwrap();
    assert_eq!(direct.retry.retry_budget, 3);
    assert!(matches!(direct.price, PriceOf::Listed(_)));
    assert_eq!(config.tier_for(&Target::new("near", "anything")).unwrap().price, PriceOf::Free);
    assert!(config.tier_for(&Target::new("openai", "no-such-model")).is_none());
    assert!(config.tier_for(&Target::new("anthropic", "claude-sonnet-5-5")).is_none());
    let own = config.tier_for(&Target::new("house", "odd")).unwrap();
    assert_eq!(own.price, PriceOf::Unpriced);
}

#[test]
fn paths_begin_at_the_file_s_own_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key"), format!("{KEY}\n")).unwrap();
    let text = "[providers.openai]\napi_key_file = \"key\"\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n";
    let file = folder.path().join("mainstay.toml").display().to_string();
    let config = load(text, &file, &nothing, NOW).unwrap().config;
    assert_eq!(config.providers["openai"].keys[0].name, "key");
    assert_eq!(config.log.url.to_string(), format!("sqlite:{}/mainstay.db", folder.path().display()));
}

#[test]
fn the_log_s_address_may_come_from_the_environment() {
    let env = |name: &str| match name {
        "DATABASE_URL" => Some("postgres://ann:hunter2secret@db/x".to_owned()),
        other => two_keys(other),
    };
    let text = format!("{TWO_LINES}[log]\nurl = \"env:DATABASE_URL\"\n");
    let loaded = load(&text, "mainstay.toml", &env, NOW).unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.config.log.url.to_string(), "postgres://ann:*************@db/x");
}

#[test]
fn a_newer_catalogue_is_read_over_the_bundled_one() {
    let folder = tempfile::tempdir().unwrap();
    let prices = "mainstay-catalogue 1\nas-of 2027-01-01\nsource me mine, none, 2027-01\n[openai]\nnew-model in=1 out=2 src=me\n";
    std::fs::write(folder.path().join("prices.txt"), prices).unwrap();
    let file = folder.path().join("mainstay.toml").display().to_string();
    let text = "[budget]\nprices = \"prices.txt\"\n[chains]\ndefault = [\"openai/gpt-6-luna\", \"openai/new-model\"]\n";
    let config = load(text, &file, &two_keys, NOW).unwrap().config;
    assert!(matches!(&config.chains[0].tiers[1].price, PriceOf::Listed(model) if model.model == "new-model"));
}

#[test]
fn a_built_in_provider_keeps_its_key_behind_another_address() {
    let text = "[providers.openai]\nbase_url = \"https://eu.example.com/v1\"\n[chains]\ndefault = [\"openai/gpt-6-luna\"]\n";
    let config = read(text).unwrap().config;
    assert_eq!(config.providers["openai"].keys[0].name, "OPENAI_API_KEY");
    assert!(config.providers["openai"].own_address);
}

#[test]
fn a_configuration_made_by_hand_starts_from_the_defaults() {
    let bare = Config::default();
    assert!(bare.chains.is_empty() && bare.providers.is_empty());
    let typed = read(TWO_LINES).unwrap().config;
    assert_eq!(format!("{:?}", bare.server), format!("{:?}", typed.server));
    assert_eq!((bare.breaker, bare.deadline), (typed.breaker, typed.deadline));
}
