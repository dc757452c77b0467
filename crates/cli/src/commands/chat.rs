//! `mainstay chat`: one question through a chain, the trail on stderr.

use std::io::{IsTerminal as _, Read as _, Write as _};

use mainstay::{ChatRequest, ChatResponse, Client, GaveUp, ReplyEvent, StreamItem};
use owo_colors::OwoColorize;
use serde_json::json;

use crate::args::{ChatArgs, Global};
use crate::commands;
use crate::exit::Exit;

/// Most bytes of standard input that go into a prompt.
const INPUT_LIMIT: u64 = 16 * 1024 * 1024;

/// Asks, prints the answer on stdout and the trail on stderr.
pub(crate) async fn run(args: &ChatArgs, global: &Global) -> Result<(), Exit> {
    let prompt = prompt(args)?;
    let loaded = commands::load_or_environment(global)?;
    let client = Client::new(loaded.config, Vec::new()).await?;
    let mut request = ChatRequest::user(prompt);
    request.model_hint.clone_from(&args.chain);
    let answered = if args.stream && !global.json {
        streamed(&client, request).await
    } else {
        whole(&client, request, global).await
    };
    client.close().await;
    answered
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

async fn whole(client: &Client, request: ChatRequest, global: &Global) -> Result<(), Exit> {
    let route = client.resolve(request.model_hint.as_deref()).map_err(Exit::usage)?;
    match client.chat_on(route, request, mainstay::CallOptions::default()).await {
        Ok(answer) if global.json => {
            anstream::println!("{}", as_json(&answer));
            Ok(())
        }
        Ok(answer) => {
            let text = if answer.text.is_empty() { answer.refusal.as_deref().unwrap_or_default() } else { &answer.text };
            anstream::println!("{text}");
            trail(&answer);
            Ok(())
        }
        Err(gave_up) => Err(failed(&gave_up)),
    }
}

async fn streamed(client: &Client, request: ChatRequest) -> Result<(), Exit> {
    let route = client.resolve(request.model_hint.as_deref()).map_err(Exit::usage)?;
    let mut stream = client.stream_on(route, request, mainstay::CallOptions::default());
    while let Some(item) = stream.next().await {
        match item {
            Ok(StreamItem::Event(ReplyEvent::Text(text) | ReplyEvent::Refusal(text))) => {
                anstream::print!("{text}");
                // A reader that went away ends the command at the next print.
                let _ = std::io::stdout().flush();
            }
            Ok(StreamItem::Event(_) | StreamItem::Open(_)) => {}
            Ok(StreamItem::Done(answer)) => {
                anstream::println!();
                trail(&answer);
            }
            Err(gave_up) => {
                anstream::println!();
                return Err(failed(&gave_up));
            }
        }
    }
    Ok(())
}

/// Who was asked and what came of it, a line each.
fn trail(answer: &ChatResponse) {
    for attempt in &answer.attempts {
        let number = attempt.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let verdict = match (attempt.quality, attempt.error) {
            (_, Some(kind)) => kind.word(),
            (Some(quality), None) => quality.word(),
            (None, None) => attempt.outcome.word(),
        };
        let cost = attempt.cost.known().map_or_else(|| "cost unknown".to_owned(), |cost| format!("${cost}"));
        let line = format!("{number} {:<36} {verdict:<20} {} ms  {cost}", attempt.target.to_string(), attempt.latency_ms);
        anstream::eprintln!("{}", line.dimmed());
    }
}

fn as_json(answer: &ChatResponse) -> serde_json::Value {
    json!({
        "request_id": answer.request_id,
        "text": answer.text,
        "refusal": answer.refusal,
        "tier": answer.target.to_string(),
        "model": answer.model,
        "quality": answer.quality.quality,
        "finish_reason": answer.finish_reason,
        "prompt_tokens": answer.usage.prompt,
        "completion_tokens": answer.usage.completion,
        "cost_usd": answer.cost.known().map(|cost| cost.to_string()),
        "latency_ms": answer.latency_ms,
        "attempts": answer.upstream_calls(),
    })
}

fn failed(gave_up: &GaveUp) -> Exit {
    Exit::failed(format!("{gave_up}\nthe story: mainstay why {}", gave_up.request_id))
}
