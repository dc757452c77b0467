//! What was answered is in the log, even after `kill -9` (behaviour 9.3).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Gateway, mainstay, write_config};
use mainstay_testkit::{FakeProvider, Fault, Reply, Said};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_that_a_client_got_is_in_the_log_after_kill_9() {
    let provider = FakeProvider::start().await.unwrap();
    // Every other answer is empty, so that retries are logged as well.
    let replies: Vec<Reply> = (0..5000)
        .map(|at| {
            if at % 2 == 0 {
                Reply::Fault(Fault::Empty)
            } else {
                Reply::text("A fine answer, and a full one.")
            }
        })
        .collect();
    provider.on("m", replies);
    let folder = tempfile::tempdir().unwrap();
    let config = write_config(folder.path(), &provider, &["m"]);
    let mut gateway = Gateway::start(&config);
    let stop = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..8)
        .map(|caller| {
            let url = format!("{}/v1/chat/completions", gateway.base_url);
            let stop = Arc::clone(&stop);
            tokio::spawn(async move { ask_until(&url, &stop, caller % 2 == 0).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    gateway.kill();
    stop.store(true, Ordering::Relaxed);
    let mut answered = Vec::new();
    for caller in callers {
        answered.extend(caller.await.unwrap());
    }
    assert!(answered.len() > 20, "only {} answers before the kill", answered.len());
    // A new process on the same store: it replays what the old one left.
    let restarted = Gateway::start(&config);
    let path = folder.path().to_owned();
    let rows =
        tokio::task::spawn_blocking(move || mainstay(&["calls", "--json", "--limit", "100000"], &path).1)
            .await
            .unwrap();
    drop(restarted);
    let logged: std::collections::HashSet<String> = rows
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["released"] == true || row["released"] == 1)
        .map(|row| row["request_id"].as_str().unwrap().to_owned())
        .collect();
    let lost: Vec<&String> = answered.iter().filter(|id| !logged.contains(*id)).collect();
    assert!(lost.is_empty(), "{} of {} answers are not in the log: {lost:?}", lost.len(), answered.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cap_is_passed_by_a_process_that_is_killed_again_and_again() {
    // At $1 and $2 per million tokens an answer of 12 and 8 tokens costs 28 millionths of a dollar.
    const CALL_MICROS: usize = 28;
    const CAP_MICROS: usize = 4_000;
    let provider = FakeProvider::start().await.unwrap();
    provider.otherwise(Reply::Say(Said::text("A fine answer, and a full one.").tokens(12, 8)));
    let folder = tempfile::tempdir().unwrap();
    let config = write_config(folder.path(), &provider, &["m"]);
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("daily = \"5.00\"", "daily = \"0.004\"")).unwrap();
    for _ in 0..3 {
        let mut gateway = Gateway::start(&config);
        let url = format!("{}/v1/chat/completions", gateway.base_url);
        let stop = Arc::new(AtomicBool::new(false));
        let callers: Vec<_> = (0..4)
            .map(|_| {
                let (url, stop) = (url.clone(), Arc::clone(&stop));
                tokio::spawn(async move { ask_until(&url, &stop, true).await })
            })
            .collect();
        let before = provider.calls("m");
        while provider.calls("m") < before + 15 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        gateway.kill();
        stop.store(true, Ordering::Relaxed);
        for caller in callers {
            caller.await.unwrap();
        }
    }
    let gateway = Gateway::start(&config);
    let url = format!("{}/v1/chat/completions", gateway.base_url);
    let refused = ask_until_refused(&url).await;
    assert!(refused.contains("budget_exceeded") && refused.contains("daily"), "{refused}");
    let billed = provider.calls("m") * CALL_MICROS;
    assert!(
        billed <= CAP_MICROS,
        "the provider billed {billed} millionths of a dollar, the cap is {CAP_MICROS}"
    );
    assert!(billed > CAP_MICROS / 3, "only {billed} of {CAP_MICROS} could be spent");
}

/// Asks until an answer is refused; what it says.
async fn ask_until_refused(url: &str) -> String {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for _ in 0..1_000 {
        let request = http.post(url).header("content-type", "application/json");
        let reply = request.body(question(false)).send().await.unwrap();
        if !reply.status().is_success() {
            return reply.text().await.unwrap();
        }
    }
    panic!("nothing was refused");
}

fn question(stream: bool) -> String {
    json!({"model": "default", "stream": stream, "max_tokens": 50,
           "messages": [{"role": "user", "content": "Hello"}]})
    .to_string()
}

/// Asks until told to stop or the gateway is gone; gives back the ids of whole answers.
async fn ask_until(url: &str, stop: &AtomicBool, stream: bool) -> Vec<String> {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = question(stream);
    let mut answered = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let sent = http.post(url).header("content-type", "application/json").body(body.clone()).send().await;
        let Ok(reply) = sent else { break };
        let id =
            reply.headers().get("x-mainstay-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let good = reply.status().is_success();
        match (id, reply.text().await) {
            (Some(id), Ok(text)) if good && (!stream || text.contains("[DONE]")) => answered.push(id),
            (_, Ok(_)) => {}
            (_, Err(_)) => break,
        }
    }
    answered
}
