//! What was answered is in the log, even after `kill -9` (behaviour 9.3).

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Gateway, mainstay, write_config};
use mainstay_testkit::{Fault, FakeProvider, Reply};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_that_a_client_got_is_in_the_log_after_kill_9() {
    let provider = FakeProvider::start().await.unwrap();
    // Every other answer is empty, so that retries are logged as well.
    let replies: Vec<Reply> = (0..5000)
        .map(|at| if at % 2 == 0 { Reply::Fault(Fault::Empty) } else { Reply::text("A fine answer, and a full one.") })
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
    let rows = tokio::task::spawn_blocking(move || {
        mainstay(&["calls", "--json", "--limit", "100000"], &path).1
    })
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

/// Asks until told to stop or the gateway is gone; gives back the ids of whole answers.
async fn ask_until(url: &str, stop: &AtomicBool, stream: bool) -> Vec<String> {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({"model": "default", "stream": stream, "max_tokens": 50,
                      "messages": [{"role": "user", "content": "Hello"}]})
    .to_string();
    let mut answered = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let sent = http.post(url).header("content-type", "application/json").body(body.clone()).send().await;
        let Ok(reply) = sent else { break };
        let id = reply.headers().get("x-mainstay-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let good = reply.status().is_success();
        match (id, reply.text().await) {
            (Some(id), Ok(text)) if good && (!stream || text.contains("[DONE]")) => answered.push(id),
            (_, Ok(_)) => {}
            (_, Err(_)) => break,
        }
    }
    answered
}
