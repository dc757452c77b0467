//! A configuration from the keys in the environment: what `init` writes and what `serve` runs without a
//! file. Names of variables only; no value is ever written.

use std::fmt::Write;

use mainstay_canon::{Moment, Nanodollars};
use mainstay_cost::{Catalogue, Model, Purpose, Retirement};
use mainstay_providers::by_id;

use crate::config::{Config, PriceOf, Source, is_named_for_embeddings};
use crate::problem::Problem;
use crate::read::load;
use crate::resolve::keys::standard_variable;
use crate::resolve::order::thousand_calls;
use crate::surroundings::Surroundings;

/// A provider's models for ordinary work and for hard work, the preferred one first. Which of them are
/// offered depends on the catalogue: none that is retired, soon will be, or has no price.
struct Pick {
    provider: &'static str,
    everyday: &'static [&'static str],
    capable: &'static [&'static str],
}

/// In the order in which a capable model is looked for. Names and prices as of 2026-11-30.
const PICKS: [Pick; 9] = [
    Pick {
        provider: "anthropic",
        everyday: &["claude-haiku-5-5", "claude-haiku-4-5"],
        capable: &["claude-sonnet-5-5", "claude-sonnet-5"],
    },
    Pick {
        provider: "openai",
        everyday: &["gpt-6-luna", "gpt-5.6-luna"],
        capable: &["gpt-6.1-terra", "gpt-5.6-terra"],
    },
    Pick {
        provider: "gemini",
        everyday: &["gemini-3.5-flash-lite", "gemini-2.5-flash-lite"],
        capable: &["gemini-3.8-flash", "gemini-3.6-flash"],
    },
    Pick { provider: "xai", everyday: &["grok-4.3"], capable: &["grok-4.7", "grok-4.6"] },
    Pick {
        provider: "mistral",
        everyday: &["mistral-small-latest", "mistral-small-2603"],
        capable: &["mistral-large-4"],
    },
    Pick { provider: "deepseek", everyday: &["deepseek-flash"], capable: &["deepseek-v4-pro"] },
    Pick {
        provider: "openrouter",
        everyday: &["openai/gpt-6-luna", "openai/gpt-5.6-luna"],
        capable: &["anthropic/claude-sonnet-5.5", "anthropic/claude-sonnet-5"],
    },
    Pick { provider: "minimax", everyday: &["MiniMax-M3"], capable: &[] },
    Pick { provider: "groq", everyday: &["openai/gpt-oss-120b"], capable: &[] },
];

/// Longest name of a local model that is written, in bytes.
const LONGEST_LOCAL: usize = 128;

/// What was made of the environment.
#[derive(Clone, Debug)]
pub struct Generated {
    /// A commented `mainstay.toml`; holds names of variables, no values.
    pub toml_text: String,
    /// The same, ready to run.
    pub config: Config,
    /// The variables whose keys it uses.
    pub variables_used: Vec<String>,
    /// What is worth a look.
    pub warnings: Vec<Problem>,
}

/// Nothing in the environment can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no API key found; looked for {}", .looked_for.join(", "))]
pub struct NoKeys {
    /// The variables that were looked for.
    pub looked_for: Vec<String>,
}

/// Makes a configuration from the keys that the environment holds, each under its provider's own standard
/// name, and from the models of a local Ollama: cheapest first, a capable model last, the local one static,
/// five dollars a day.
///
/// # Errors
///
/// [`NoKeys`] when there is neither a key nor a local model.
pub fn from_environment(
    env: &dyn Fn(&str) -> Option<String>,
    ollama_models: &[String],
    now: Moment,
) -> Result<Generated, NoKeys> {
    let around = Surroundings::of("mainstay.toml", env, now);
    let mut looked_for = Vec::new();
    let mut found: Vec<(&Pick, &'static str)> = Vec::new();
    for pick in &PICKS {
        let Some(variable) = by_id(pick.provider).and_then(standard_variable) else { continue };
        looked_for.push(variable.to_owned());
        if around.has(variable) {
            found.push((pick, variable));
        }
    }
    let tiers = choose(&found, now);
    let local = ollama_models.iter().map(String::as_str).find(|name| is_local_chat(name));
    let used: Vec<&str> = found
        .iter()
        .filter(|(pick, _)| tiers.iter().any(|(model, _)| &*model.provider == pick.provider))
        .map(|(_, variable)| *variable)
        .collect();
    if tiers.is_empty() && local.is_none() {
        return Err(NoKeys { looked_for });
    }
    let toml_text = write(&tiers, local, &used);
    let Ok(mut loaded) = load(&toml_text, "mainstay.toml", env, now) else {
        return Err(NoKeys { looked_for });
    };
    loaded.config.source = Source::Environment;
    Ok(Generated {
        toml_text,
        config: loaded.config,
        variables_used: used.into_iter().map(str::to_owned).collect(),
        warnings: loaded.warnings,
    })
}

/// The models for the chain with what a thousand calls of each cost, cheapest first.
fn choose(found: &[(&Pick, &str)], now: Moment) -> Vec<(&'static Model, Nanodollars)> {
    let best = |provider: &str, names: &[&str]| {
        names.iter().find_map(|name| {
            let model = Catalogue::bundled().find(provider, name)?;
            let serving = model.retirement(now) == Retirement::Serving && model.purpose == Purpose::Chat;
            let cost = thousand_calls(&PriceOf::Known(model.price.clone()))?;
            serving.then_some((model, cost))
        })
    };
    let everyday = found.iter().filter_map(|(pick, _)| best(pick.provider, pick.everyday));
    let mut tiers: Vec<(&Model, Nanodollars)> = everyday.collect();
    tiers.extend(found.iter().find_map(|(pick, _)| best(pick.provider, pick.capable)));
    tiers.sort_by_key(|(_, cost)| *cost);
    tiers
}

/// Whether a model that Ollama lists can hold a conversation on this machine, and its name can be written
/// without escapes. What it lists as a cloud model runs elsewhere, on an account.
fn is_local_chat(name: &str) -> bool {
    let plain = !name.is_empty()
        && name.len() <= LONGEST_LOCAL
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._:/-".contains(&b));
    let ranks = name.to_ascii_lowercase().contains("rerank");
    let is_elsewhere = name.ends_with("-cloud") || name.ends_with(":cloud");
    plain && !ranks && !is_named_for_embeddings(name) && !is_elsewhere
}

/// The commented file.
fn write(tiers: &[(&Model, Nanodollars)], local: Option<&str>, used: &[&str]) -> String {
    let mut text = String::from("# Made by `mainstay init` from the keys in the environment.\n");
    if !used.is_empty() {
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "# Keys stay there; this file only relies on their names: {}.", used.join(", "));
    }
    text.push_str("\n[chains]\n# Asked in this order; the first usable answer wins.\n");
    let mut lines: Vec<(String, String)> = Vec::new();
    for (model, _) in tiers {
        let (input, output) = (model.price.input, model.price.output);
        lines.push((
            format!("\"{}\",", model.name()),
            format!("${input} in, ${output} out per million tokens"),
        ));
    }
    if let Some(model) = local {
        lines.push(if tiers.is_empty() {
            (format!("\"ollama/{model}\","), "this machine, free".to_owned())
        } else {
            let tier = format!("{{ provider = \"ollama\", model = \"{model}\", static_fallback = true }},");
            (tier, "this machine, free; answers when all others are down".to_owned())
        });
    }
    let width = lines.iter().map(|(tier, _)| tier.len()).max().unwrap_or_default();
    text.push_str("default = [\n");
    for (tier, comment) in lines {
        let _ = writeln!(text, "    {tier:width$}  # {comment}");
    }
    text.push_str("]\n");
    text.push_str(
        "\n[budget]\ndaily = \"5.00\"                 # dollars; never exceeded\n# per_user_daily = \"1.00\"\n\n# [server]\n# listen = \"127.0.0.1:7171\"\n\n# [log]\n# url = \"sqlite:mainstay.db\"\n",
    );
    text
}
