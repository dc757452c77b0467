//! `mainstay check`: every mistake of the configuration at once; what the chain costs.

use std::time::Duration;

use mainstay::{CallOptions, ChatRequest, Client};
use mainstay_config::{Config, Loaded, PriceOf, Tier};
use owo_colors::OwoColorize;
use serde_json::json;

use crate::args::{CheckArgs, Global};
use crate::commands;
use crate::exit::Exit;

/// Output tokens that a live call may use.
const LIVE_TOKENS: u32 = 256;
/// How long a live call may take.
const LIVE_DEADLINE: Duration = Duration::from_secs(60);

/// Checks the configuration; with `--live`, each tier once.
pub(crate) async fn run(args: &CheckArgs, global: &Global) -> Result<(), Exit> {
    let loaded = commands::load(global)?;
    for warning in &loaded.warnings {
        anstream::eprintln!("{}", warning.to_string().trim_end());
    }
    report(&loaded, global);
    if args.live { live(loaded.config, global).await } else { Ok(()) }
}

fn report(loaded: &Loaded, global: &Global) {
    let config = &loaded.config;
    for chain in &config.chains {
        if !global.json {
            anstream::println!("chain {}", chain.name.bold());
        }
        for (place, tier) in chain.tiers.iter().enumerate() {
            if global.json {
                anstream::println!(
                    "{}",
                    json!({"chain": chain.name, "place": place + 1, "tier": tier.target.to_string(),
                           "static": tier.static_fallback, "price": price_words(tier)})
                );
            } else {
                let last = if tier.static_fallback { "  (when nobody else can)" } else { "" };
                anstream::println!("  {} {:<40} {}{last}", place + 1, tier.target.to_string(), price_words(tier));
            }
        }
    }
    if !global.json {
        let warnings = loaded.warnings.len();
        let rest = if warnings == 0 { String::new() } else { format!(", {warnings} to look at (above)") };
        anstream::println!("{}{rest}", "The configuration is valid.".green());
    }
}

/// A tier's price for people, per million tokens.
pub(crate) fn price_words(tier: &Tier) -> String {
    match &tier.price {
        PriceOf::Known(price) => rates(&price.base()),
        PriceOf::Listed(model) => rates(&model.price_at(commands::now()).base()),
        PriceOf::Free => "free (this machine)".into(),
        PriceOf::Unpriced => "price unknown".into(),
    }
}

fn rates(rates: &mainstay_cost::Rates) -> String {
    format!("${} in, ${} out per million tokens", rates.input, rates.output)
}

/// Calls each tier once, alone.
async fn live(config: Config, global: &Global) -> Result<(), Exit> {
    let mut targets = Vec::new();
    for tier in config.chains.iter().flat_map(|chain| &chain.tiers) {
        if !targets.iter().any(|(known, _)| *known == tier.target) {
            targets.push((tier.target.clone(), worst_words(tier)));
        }
    }
    anstream::eprintln!("Calling {} tiers once each; each costs at most:", targets.len());
    for (target, worst) in &targets {
        anstream::eprintln!("  {:<40} {worst}", target.to_string());
    }
    let client = Client::new(config, Vec::new()).await?;
    let mut failed = 0;
    for (target, _) in targets {
        let name = target.to_string();
        let route = client.resolve(Some(&name)).map_err(Exit::failed)?;
        let request = ChatRequest::user("Reply with the single word: ready").max_tokens(LIVE_TOKENS);
        let options = CallOptions { deadline: Some(LIVE_DEADLINE), ..CallOptions::default() };
        let (good, words) = match client.chat_on(route, request, options).await {
            Ok(answer) => (true, format!("{} in {} ms", answer.quality.quality, answer.latency_ms)),
            Err(gave_up) => (false, gave_up.to_string()),
        };
        failed += usize::from(!good);
        if global.json {
            anstream::println!("{}", json!({"tier": name, "ok": good, "message": words}));
        } else if good {
            anstream::println!("  {} {name:<40} {words}", "ok".green());
        } else {
            anstream::println!("  {} {name:<40} {words}", "failed".red());
        }
    }
    client.close().await;
    if failed == 0 { Ok(()) } else { Err(Exit::failed(format!("{failed} tiers did not answer"))) }
}

/// The most that the live call of a tier can cost.
fn worst_words(tier: &Tier) -> String {
    let prompt = 64;
    match &tier.price {
        PriceOf::Known(price) => format!("${}", price.worst(prompt, LIVE_TOKENS.into())),
        PriceOf::Listed(model) => {
            format!("${}", model.price_at(commands::now()).worst(prompt, LIVE_TOKENS.into()))
        }
        PriceOf::Free => "nothing".into(),
        PriceOf::Unpriced => "unknown: it has no price".into(),
    }
}
