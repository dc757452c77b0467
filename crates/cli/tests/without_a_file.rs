//! `serve` with nothing but a key in the environment.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use common::{Gateway, mainstay};
use mainstay_testkit::{FakeProvider, Reply};
use serde_json::{Value, json};

const KEY: &str = "sk-a-key-for-tests-0123";

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_alone_serve_starts_says_what_it_does_and_answers_for_its_model() {
    // Without a file it listens where all of them do.
    if std::net::TcpListener::bind("127.0.0.1:7171").is_err() {
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: somebody listens on 127.0.0.1:7171 already\n",
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let gateway = Gateway::start_with(folder.path(), &[("OPENAI_API_KEY", KEY)]);
    let said = gateway.wait_for("Anthropic(base_url");
    for part in [
        "using the keys in OPENAI_API_KEY",
        "openai/gpt-6-luna",
        "$0.10 in, $0.50 out",
        "cap: $5.00 a day",
        ".local/state/mainstay/mainstay.db",
        "listening on http://127.0.0.1:7171",
        "OPENAI_BASE_URL=http://127.0.0.1:7171/v1",
        "ANTHROPIC_BASE_URL=http://127.0.0.1:7171",
        "dashboard",
        "mainstay init",
    ] {
        assert!(said.contains(part), "{part} is missing in:\n{said}");
    }
    assert!(!said.contains(KEY), "the key was shown");
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let ready: Value = get(&http, &gateway, "/readyz").await;
    assert_eq!(ready["config"], "environment");
    let models: Value = get(&http, &gateway, "/v1/models").await;
    let names: Vec<&str> =
        models["data"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert!(names.contains(&"default") && names.contains(&"openai/gpt-6-luna"), "{names:?}");
    // What a client asks for by the model's own name reaches that tier: the cap refuses what it could cost
    // there, before anything is sent.
    let reply = http
        .post(format!("{}/v1/chat/completions", gateway.base_url))
        .header("content-type", "application/json")
        .body(
            json!({"model": "gpt-6-luna", "max_tokens": 100_000, "n": 1,
                   "messages": [{"role": "user", "content": "x".repeat(20_000_000)}]})
            .to_string(),
        )
        .send()
        .await
        .unwrap();
    let status = reply.status().as_u16();
    let id = reply.headers()["x-mainstay-request-id"].to_str().unwrap().to_owned();
    let body = reply.text().await.unwrap();
    assert_eq!(status, 402, "{body}");
    assert!(body.contains("daily"), "{body}");
    let path = folder.path().to_owned();
    let (code, story, said) =
        tokio::task::spawn_blocking(move || mainstay(&["why", &id], &path)).await.unwrap();
    assert_eq!(code, 0, "{said}");
    assert!(story.contains("openai/gpt-6-luna"), "{story}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_s_own_name_is_answered_by_its_provider_with_the_key_of_the_environment() {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("gpt-6-luna", [Reply::text("A mainstay holds the mast.")]);
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("mainstay.toml");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[providers.openai]\nbase_url = \"{}\"\n\
         [chains]\ndefault = [\"openai/gpt-6-luna\"]\n",
        provider.base_url()
    );
    std::fs::write(&config, text).unwrap();
    let gateway = Gateway::start_knowing(&config, &[("OPENAI_API_KEY", KEY)]);
    let said = gateway.wait_for("Anthropic(base_url");
    assert!(said.contains("keys: OPENAI_API_KEY") && !said.contains(KEY), "{said}");
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let reply = http
        .post(format!("{}/v1/chat/completions", gateway.base_url))
        .header("content-type", "application/json")
        .bearer_auth("whatever-the-client-has")
        .body(r#"{"model": "gpt-6-luna", "messages": [{"role": "user", "content": "What is a mainstay?"}]}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(reply.headers()["x-mainstay-tier"], "openai/gpt-6-luna");
    let answer: Value = serde_json::from_str(&reply.text().await.unwrap()).unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "A mainstay holds the mast.");
    let seen = provider.seen();
    assert_eq!(seen[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

async fn get(http: &reqwest::Client, gateway: &Gateway, path: &str) -> Value {
    let reply = http.get(format!("{}{path}", gateway.base_url)).send().await.unwrap();
    serde_json::from_str(&reply.text().await.unwrap()).unwrap()
}
