//! `mainstay check`: every mistake of the configuration at once; what the chain costs.

use std::time::Duration;

use mainstay::{Expect, Nanodollars};
use mainstay_config::{Config, Loaded, Problem, Problems, Tier};
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::json;

use crate::args::{CheckArgs, Global};
use crate::ask::{Asker, Failed, Question, Replied};
use crate::exit::Exit;
use crate::out::{self, Dollars};
use crate::{chains, progress, settings};

/// Output tokens that a live call may use; a model that thinks first needs some.
const LIVE_TOKENS: u32 = 1024;
/// How long a live call may take.
const LIVE_DEADLINE: Duration = Duration::from_mins(1);

/// Checks the configuration; with `--live`, each tier once.
pub(crate) async fn run(args: &CheckArgs, global: &Global) -> Result<(), Exit> {
    let loaded = match settings::load_or_problems(global)? {
        Ok(loaded) => loaded,
        Err(problems) => return Err(invalid(&problems, global)?),
    };
    report(&loaded, global)?;
    if args.live { live(loaded.config, global).await } else { Ok(()) }
}

/// Says what is wrong, in the form that was asked for.
fn invalid(problems: &Problems, global: &Global) -> Result<Exit, Exit> {
    if global.json {
        out::json(&json!({"valid": false, "problems": problems.problems}))?;
        return Ok(Exit::usage_told());
    }
    Ok(Exit::usage(problems))
}

fn report(loaded: &Loaded, global: &Global) -> Result<(), Exit> {
    let Loaded { config, warnings } = loaded;
    if global.json {
        let chains = chains::to_json(config);
        return out::json(&json!({"valid": true, "problems": warnings, "chains": chains}));
    }
    warn(warnings);
    chains::lines(config).into_iter().try_for_each(out::line)?;
    let rest = match warnings.len() {
        0 => String::new(),
        some => format!(", with {} to look at (above)", out::many(some as u64, "thing")),
    };
    out::line(format!("{}{rest}", "The configuration is valid".green()))
}

/// What is worth a look, on stderr.
pub(crate) fn warn(warnings: &[Problem]) {
    for warning in warnings {
        anstream::eprintln!("{}\n", warning.to_string().trim_end());
    }
}

/// Calls each tier once, alone.
async fn live(config: Config, global: &Global) -> Result<(), Exit> {
    let mut once = config.clone();
    for tier in once.chains.iter_mut().flat_map(|chain| &mut chain.tiers) {
        tier.retry.retry_budget = 1;
    }
    let asker = Asker::open(once.clone(), global).await?;
    // A running gateway asks as often as its own configuration says, and that is what may be billed.
    let tiers = each_once(if asker.is_own() { &once } else { &config });
    announce(&tiers);
    let mut failed = 0;
    for tier in &tiers {
        let name = tier.target.to_string();
        let asked = progress::during(&name, ask(&asker, tier)).await?;
        failed += u64::from(asked.is_err());
        if global.json {
            out::json(&Live::of(&name, &asked))?;
            continue;
        }
        out::line(match &asked {
            Ok(reply) => {
                let cost = reply.cost.as_ref().map_or("cost unknown".to_owned(), |cost| format!("${cost}"));
                format!(
                    "  {}      {name}  {} in {} ms, {cost}",
                    "ok".green(),
                    reply.quality,
                    reply.latency_ms
                )
            }
            Err(failure) => format!("  {}  {name}  {}", "failed".red(), out::clean(&failure.message)),
        })?;
    }
    asker.close().await;
    if failed == 0 {
        Ok(())
    } else {
        Err(Exit::failed(format!("{} did not answer", out::many(failed, "tier"))))
    }
}

/// One live call: for a vector where the tier makes embeddings, else for a word.
async fn ask(asker: &Asker, tier: &Tier) -> Result<Result<Replied, Failed>, Exit> {
    let question = question(tier);
    if tier.embeds() { asker.embed(question).await } else { asker.ask(question, None).await }
}

/// What came of one live call, for scripts.
#[derive(Serialize)]
struct Live<'a> {
    tier: &'a str,
    ok: bool,
    quality: Option<&'a str>,
    latency_ms: Option<u64>,
    cost_usd: Option<Dollars>,
    message: Option<&'a str>,
}

impl<'a> Live<'a> {
    fn of(tier: &'a str, asked: &'a Result<Replied, Failed>) -> Self {
        let reply = asked.as_ref().ok();
        Self {
            tier,
            ok: reply.is_some(),
            quality: reply.map(|reply| reply.quality.as_str()),
            latency_ms: reply.map(|reply| reply.latency_ms),
            cost_usd: reply.and_then(|reply| reply.cost).map(Dollars),
            message: asked.as_ref().err().map(|failure| failure.message.as_str()),
        }
    }
}

/// Every tier of every chain, each once.
fn each_once(config: &Config) -> Vec<Tier> {
    let mut tiers: Vec<Tier> = Vec::new();
    for tier in config.chains.iter().flat_map(|chain| &chain.tiers) {
        if !tiers.iter().any(|known| known.target == tier.target) {
            tiers.push(tier.clone());
        }
    }
    tiers
}

fn question(tier: &Tier) -> Question {
    Question {
        prompt: "Reply with the single word: ready".to_owned(),
        name: Some(tier.target.to_string()),
        max_tokens: Some(LIVE_TOKENS),
        expect: Expect::Short,
        deadline: Some(LIVE_DEADLINE),
    }
}

/// Says before what it costs at most.
fn announce(tiers: &[Tier]) {
    let worst: Vec<Option<Nanodollars>> = tiers.iter().map(worst).collect();
    let sum: Nanodollars = worst.iter().flatten().copied().sum();
    let unknown = if worst.contains(&None) { ", and what the tiers without a price cost" } else { "" };
    let calls = out::many(tiers.len() as u64, "tier");
    anstream::eprintln!("calling {calls} once each; at most ${sum} together{unknown}:");
    for (tier, worst) in tiers.iter().zip(&worst) {
        let words = worst.map_or_else(|| "unknown: it has no price".to_owned(), |worst| format!("${worst}"));
        anstream::eprintln!("  {}  at most {words}", tier.target);
    }
}

/// The most that a tier's live call can cost; a vector has no output tokens.
fn worst(tier: &Tier) -> Option<Nanodollars> {
    let mut request = question(tier).request();
    if tier.embeds() {
        request.max_tokens = Some(0);
    }
    chains::worst(tier, &request)
}
