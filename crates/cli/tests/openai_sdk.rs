//! The real OpenAI Python SDK chats, streams and calls a tool through a real gateway process.

mod common;

use common::{Behind, for_sdks, nothing_was_multiplied, python_with, run_script};

async fn check(behind: Behind) {
    let Some(python) = python_with("openai-sdk", &["openai==3.57.0"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (provider, gateway) = for_sdks(folder.path(), behind).await;
    let url = gateway.base_url.clone();
    tokio::task::spawn_blocking(move || run_script(&python, "openai_chat.py", &[&url])).await.unwrap();
    nothing_was_multiplied(&provider);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_cannot_tell_us_from_the_provider() {
    check(Behind::OpenAi).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_reaches_a_provider_that_speaks_anthropic() {
    check(Behind::Anthropic).await;
}
