//! `mainstay chat`: one question through a chain, the trail on stderr.

use std::io::{IsTerminal as _, Read as _};

use mainstay::Expect;
use owo_colors::OwoColorize;
use serde::Serialize;

use crate::args::{ChatArgs, Global};
use crate::ask::{Asker, Failed, Question, Replied};
use crate::exit::Exit;
use crate::out::{self, Dollars};
use crate::{progress, settings};

/// Most bytes of standard input that go into a prompt.
const INPUT_LIMIT: u64 = 16 * 1024 * 1024;

/// Asks, prints the answer on stdout and the trail on stderr.
pub(crate) async fn run(args: &ChatArgs, global: &Global) -> Result<(), Exit> {
    let question = Question {
        prompt: prompt(args)?,
        name: args.chain.clone(),
        max_tokens: None,
        expect: Expect::Any,
        deadline: None,
    };
    let loaded = settings::load_or_environment(global).await?;
    let asker = Asker::open(loaded.config, global).await?;
    let streamed = args.stream && !global.json;
    let asked = if streamed {
        let mut show = |text: &str| out::piece(&for_people(text));
        asker.ask(question, Some(&mut show)).await
    } else {
        progress::during("waiting for the answer", asker.ask(question, None)).await
    };
    // First of all what was spent is written down, however the rest ends.
    asker.close().await;
    match asked? {
        Ok(reply) => show(&reply, streamed, global),
        Err(failure) => {
            if streamed {
                out::line("")?;
            }
            trail(&failure.trail);
            Err(told(failure))
        }
    }
}

fn show(reply: &Replied, streamed: bool, global: &Global) -> Result<(), Exit> {
    if global.json {
        return out::json(&Line::of(reply));
    }
    if streamed {
        out::line("")?;
    } else {
        out::line(for_people(
            reply.refusal.as_deref().filter(|_| reply.text.is_empty()).unwrap_or(&reply.text),
        ))?;
    }
    trail(&reply.trail);
    Ok(())
}

fn told(failure: Failed) -> Exit {
    let story = failure.request_id.map(|id| format!("\nthe story: mainstay why {id}")).unwrap_or_default();
    let message = format!("{}{story}", out::clean(&failure.message));
    if failure.is_usage { Exit::usage(message) } else { Exit::failed(message) }
}

/// A model's words must not steer the terminal; a file gets them as they are.
fn for_people(text: &str) -> String {
    if out::to_people() { out::clean(text) } else { text.to_owned() }
}

/// The argument, and below it what is piped in.
fn prompt(args: &ChatArgs) -> Result<String, Exit> {
    let mut prompt = args.prompt.clone().unwrap_or_default();
    if !std::io::stdin().is_terminal() {
        let mut piped = String::new();
        std::io::stdin()
            .take(INPUT_LIMIT)
            .read_to_string(&mut piped)
            .map_err(|error| Exit::usage(format!("standard input cannot be read as text: {error}")))?;
        if !piped.trim().is_empty() {
            if !prompt.is_empty() {
                prompt.push_str("\n\n");
            }
            prompt.push_str(piped.trim_end());
        }
    }
    if prompt.trim().is_empty() {
        return Err(Exit::usage("no question: give one as an argument or on standard input"));
    }
    Ok(prompt)
}

/// Who was asked and what came of it, a line each.
fn trail(lines: &[String]) {
    for line in lines {
        anstream::eprintln!("{}", out::clean(line).dimmed());
    }
}

/// The answer for scripts, in the words of the call log.
#[derive(Serialize)]
struct Line<'a> {
    request_id: &'a str,
    text: &'a str,
    refusal: Option<&'a str>,
    tier: &'a str,
    model: Option<&'a str>,
    quality: &'a str,
    finish_reason: Option<&'a str>,
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    cost_usd: Option<Dollars>,
    latency_ms: u64,
    attempts: usize,
}

impl<'a> Line<'a> {
    fn of(reply: &'a Replied) -> Self {
        Self {
            request_id: &reply.request_id,
            text: &reply.text,
            refusal: reply.refusal.as_deref(),
            tier: &reply.tier,
            model: reply.model.as_deref(),
            quality: &reply.quality,
            finish_reason: reply.finish_reason.as_deref(),
            prompt_tokens: reply.prompt_tokens,
            completion_tokens: reply.completion_tokens,
            cost_usd: reply.cost.map(Dollars),
            latency_ms: reply.latency_ms,
            attempts: reply.attempts,
        }
    }
}
