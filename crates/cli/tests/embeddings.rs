//! The real OpenAI Python SDK asks a real gateway process for vectors, in its default encoding and in numbers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use std::fmt::Write as _;

use common::{Gateway, python_with, run_script, tier};
use mainstay_testkit::{FakeProvider, Fault, Reply, Spelling, Spoilt, Vectors};

/// Numbers of a vector that no request asks otherwise.
const DIMENSIONS: usize = 64;

/// A gateway whose provider speaks so: a chain for each way to answer, and one whose second tier is never asked.
async fn gateway(folder: &std::path::Path, spelling: Spelling) -> (FakeProvider, Gateway) {
    let provider = FakeProvider::start().await.unwrap();
    provider
        .on("good", [Reply::Vectors(Vectors::of(DIMENSIONS))])
        .on("recovers", [Reply::Fault(Fault::Status(500)), Reply::Vectors(Vectors::of(DIMENSIONS))])
        .on("broken", [Reply::Fault(Fault::Status(500))])
        .on("limited", [Reply::Fault(Fault::RateLimited(3_600))])
        .on("spoilt", [Reply::Vectors(Vectors::of(DIMENSIONS).spoilt(Spoilt::Missing))]);
    let mut text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[log]\nurl = \"sqlite:{}\"\n[budget]\ndaily = \"5.00\"\n\
         [providers.fake]\ndialect = \"{}\"\nbase_url = \"{}\"\nauth = \"none\"\n",
        folder.join("log.db").display(),
        spelling.dialect(),
        if spelling == Spelling::Ollama { provider.origin() } else { provider.base_url() },
    );
    for model in ["good", "recovers", "broken", "limited", "spoilt"] {
        let _ = write!(text, "{}{}", tier(model, model), tier(model, &format!("after-{model}")));
    }
    let path = folder.join("mainstay.toml");
    std::fs::write(&path, text).unwrap();
    let gateway = Gateway::start(&path);
    (provider, gateway)
}

async fn check(spelling: Spelling) {
    let Some(python) = python_with("openai-sdk", &["openai==3.57.0"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (provider, gateway) = gateway(folder.path(), spelling).await;
    let url = gateway.base_url.clone();
    let expected: Vec<String> = ["a mast", "a stay"]
        .into_iter()
        .map(|text| format!("{:?}", Vectors::vector(text, DIMENSIONS)))
        .collect();
    let takes_tokens = if spelling == Spelling::OpenaiChat { "tokens" } else { "texts" };
    let vectors = format!("[{}]", expected.join(","));
    let run = move || run_script(&python, "openai_embeddings.py", &[&url, &vectors, takes_tokens]);
    tokio::task::spawn_blocking(run).await.unwrap();
    assert_eq!(provider.calls("broken"), 2, "the tier's own budget, which no SDK multiplies");
    assert_eq!((provider.calls("recovers"), provider.calls("limited"), provider.calls("spoilt")), (2, 1, 2));
    let others = provider.seen().iter().filter(|seen| seen.model.starts_with("after-")).count();
    assert_eq!(others, 0, "vectors of two models do not mix");
    let (code, rows, _) = gateway.tell(&["calls", "--json", "--tier", "fake/good", "--limit", "50"]);
    assert_eq!(code, 0);
    let is_whole = |row: &str| row.contains("embeddings") && row.contains("\"prompt_tokens\":12");
    assert!(rows.lines().any(is_whole), "{rows}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_gets_its_vectors_from_a_provider_of_its_dialect() {
    check(Spelling::OpenaiChat).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_gets_its_vectors_from_gemini() {
    check(Spelling::Gemini).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_gets_its_vectors_from_ollama() {
    check(Spelling::Ollama).await;
}
