//! The real Anthropic Python SDK chats, streams and calls a tool through a real gateway process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use common::{Behind, for_sdks, nothing_was_multiplied, python_with, run_script};

async fn check(behind: Behind) {
    let Some(python) = python_with("anthropic-sdk", &["anthropic==2.14.0"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (provider, gateway) = for_sdks(folder.path(), behind).await;
    let url = gateway.base_url.clone();
    tokio::task::spawn_blocking(move || run_script(&python, "anthropic_messages.py", &[&url])).await.unwrap();
    nothing_was_multiplied(&provider);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_anthropic_python_sdk_cannot_tell_us_from_the_provider() {
    check(Behind::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_anthropic_python_sdk_reaches_a_provider_that_speaks_openai() {
    check(Behind::OpenAi).await;
}
