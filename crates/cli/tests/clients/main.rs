//! Real clients cannot tell us from the provider: each is run against a simulated provider directly and through
//! a real gateway process, and must show its user the same.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod client;
#[path = "../common/mod.rs"]
mod common;
mod matrix;
mod page;
mod retries;
mod run;
mod setting;

use client::{Client, Face};
use matrix::Row;
use setting::{Setting, Way};

/// Runs a client in one dialect, on all three ways at once.
async fn row(client: &'static Client, face: Face) -> Option<Row> {
    let mut running = Vec::new();
    for way in Way::all(face) {
        let setting = Setting::start(way, face).await;
        running.push((way, tokio::task::spawn_blocking(move || run::run(client, face, way, &setting))));
    }
    let mut runs = Vec::new();
    for (way, ran) in running {
        runs.push((way, ran.await.unwrap()?));
    }
    Some(Row::of(client, face, &runs))
}

async fn check(client: &'static Client) {
    let mut reds = Vec::new();
    for &face in client.faces {
        let Some(row) = row(client, face).await else { return };
        reds.extend(row.reds());
    }
    assert!(reds.is_empty(), "{}", reds.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_shows_what_it_shows_with_the_provider() {
    check(&client::OPENAI_PYTHON).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_node_sdk_shows_what_it_shows_with_the_provider() {
    check(&client::OPENAI_NODE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_anthropic_python_sdk_shows_what_it_shows_with_the_provider() {
    check(&client::ANTHROPIC_PYTHON).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_anthropic_typescript_sdk_shows_what_it_shows_with_the_provider() {
    check(&client::ANTHROPIC_NODE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_retries_of_the_openai_python_sdk_do_not_multiply_ours() {
    retries::multiplies_by_itself(&client::OPENAI_PYTHON, "retry_openai.py", Face::Chat).await;
    retries::check(&client::OPENAI_PYTHON, "retry_openai.py", Face::Chat).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_retries_of_the_openai_node_sdk_do_not_multiply_ours() {
    retries::multiplies_by_itself(&client::OPENAI_NODE, "retry_openai.mjs", Face::Chat).await;
    retries::check(&client::OPENAI_NODE, "retry_openai.mjs", Face::Chat).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_retries_of_the_anthropic_python_sdk_do_not_multiply_ours() {
    retries::multiplies_by_itself(&client::ANTHROPIC_PYTHON, "retry_anthropic.py", Face::Anthropic).await;
    retries::check(&client::ANTHROPIC_PYTHON, "retry_anthropic.py", Face::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_retries_of_the_anthropic_typescript_sdk_do_not_multiply_ours() {
    retries::multiplies_by_itself(&client::ANTHROPIC_NODE, "retry_anthropic.mjs", Face::Anthropic).await;
    retries::check(&client::ANTHROPIC_NODE, "retry_anthropic.mjs", Face::Anthropic).await;
}

/// Every client there is: `just clients`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "installs a gigabyte of packages; `just clients` runs it and writes docs/clients.md"]
async fn every_client_shows_what_it_shows_with_the_provider() {
    // A part of a client's name runs that one alone, and leaves the page as it is.
    let only = std::env::var("MAINSTAY_CLIENT").unwrap_or_default();
    let mut rows = Vec::new();
    for client in client::ALL.into_iter().filter(|client| client.name.contains(&only)) {
        for &face in client.faces {
            let row = row(client, face).await.expect("`just clients` needs every client");
            println!("{}", page::line(&row));
            rows.push(row);
        }
    }
    let reds: Vec<String> = rows.iter().flat_map(Row::reds).collect();
    if only.is_empty() {
        page::write(&rows);
    }
    assert!(reds.is_empty(), "{}", reds.join("\n"));
}
