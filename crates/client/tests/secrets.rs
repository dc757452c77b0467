//! A planted key is nowhere: not in an error, a debug print, a row, an alert, a log line or a file on disk
//! (behaviour 10.3; the field's case bug-secrets-01 and what lies around it).

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mainstay::{Alert, ChatRequest, Client, Clock, Observer, Setup, SystemClock};
use mainstay_calllog::{CallFilter, CallRecord};
use mainstay_testkit::{FakeProvider, Fault, Reply, Step};

const KEY: &str = "AIzaFAKEFAKE0123456789";
/// A key without any form that gives it away.
const PLAIN: &str = "correct.horse.battery";
const PASSWORD: &str = "hunter2secret";

/// Everything that was printed.
#[derive(Clone, Default)]
struct Everything(Arc<Mutex<Vec<u8>>>);

impl Everything {
    fn note(&self, what: &dyn std::fmt::Debug) {
        let mut text = String::new();
        writeln!(text, "{what:?}\n{what:#?}").unwrap();
        self.0.lock().unwrap().extend_from_slice(text.as_bytes());
    }
}

impl Write for Everything {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Observer for Everything {
    fn row(&self, row: &CallRecord) {
        self.note(row);
    }

    fn alert(&self, alert: &Alert) {
        self.note(alert);
    }
}

/// Ways of a provider to repeat what it was sent.
fn indiscretions(key: &str) -> Vec<Reply> {
    let error = |status, kind: &str| {
        let body = format!(
            "{{\"error\":{{\"message\":\"Incorrect API key provided: {key}.\",\"type\":\"{kind}\",\
             \"param\":\"{key}\",\"code\":\"{key}\"}}}}"
        );
        Reply::http(status, &[], &body)
    };
    let answer = |finish: &str| {
        format!(
            "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"A fine answer.\"}},\
             \"finish_reason\":\"{finish}\"}}]}}"
        )
    };
    let stream = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
         data: {{\"error\":{{\"message\":\"bad key {key}\",\"code\":401}}}}\n\n"
    );
    vec![
        error(401, "authentication_error"),
        error(400, "invalid_request_error"),
        error(429, "rate_limit_error"),
        error(500, "server_error"),
        Reply::http(404, &[], &format!("no model here for {key}")),
        Reply::http(200, &[], &format!("{{\"error\":{{\"message\":\"not for {key}\",\"code\":500}}}}")),
        Reply::http(200, &[], &answer(key)),
        Reply::http(200, &[], &format!("<html>{key}</html>")),
        Reply::http(302, &[("location", &format!("http://127.0.0.1:1/?key={key}"))], ""),
        Reply::Raw(vec![Step::Bytes(stream.into()), Step::Close]),
        Reply::Fault(Fault::ResetAtOnce),
        Reply::Fault(Fault::CutInText("A fine answer, as far as it goes, and then".into())),
        Reply::Fault(Fault::Status(403)),
    ]
}

/// A client with that key, at the provider or where nobody listens, or behind a proxy that is not there.
async fn client(address: &str, key: &str, further: &str, folder: &Path, everything: &Everything) -> Client {
    let text = format!(
        "[log]\nurl = \"sqlite:{}\"\ncapture = \"full\"\n[budget]\ndaily = \"5.00\"\n[providers.p1]\n\
         dialect = \"openai-chat\"\nbase_url = \"{address}\"\napi_key_env = \"PLANTED\"\n{further}\n\
         [[chains.default.tiers]]\nprovider = \"p1\"\nmodel = \"m-a\"\nretry_budget = 1\n\
         price = {{ input = \"1\", output = \"2\" }}\n",
        folder.join("log.db").display()
    );
    let clock = SystemClock::new();
    let env = |name: &str| (name == "PLANTED").then(|| key.to_owned());
    let loaded = mainstay_config::load(&text, "test.toml", &env, clock.now())
        .unwrap_or_else(|problems| panic!("{problems}"));
    everything.note(&loaded);
    let observer: Arc<dyn Observer> = Arc::new(everything.clone());
    let setup = Setup { observers: vec![observer], ..Setup::default() };
    let client = Client::start(loaded.config, setup).await.unwrap();
    everything.note(&client);
    client
}

/// Asks in both ways and notes all that can be seen of it.
async fn ask(client: &Client, everything: &Everything) {
    let request = || ChatRequest::user("Go on.").session("s");
    match client.chat(request()).await {
        Ok(response) => everything.note(&response),
        Err(error) => {
            everything.note(&error);
            let mut lines = String::new();
            let mut cause: Option<&dyn std::error::Error> = Some(&error);
            while let Some(error) = cause {
                writeln!(lines, "{error} {error:?}").unwrap();
                cause = error.source();
            }
            everything.clone().write_all(lines.as_bytes()).unwrap();
        }
    }
    let engine = client.engine();
    for tier in client.tier_health() {
        engine.board().enable(&tier.target, engine.now());
    }
    let mut stream = client.chat_stream(request()).await.unwrap();
    while let Some(item) = stream.next().await {
        everything.note(&item);
    }
    everything.note(&client.tier_health());
    everything.note(&client.engine().ledger());
}

/// Every file of the log.
fn files(folder: &Path, everything: &Everything) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, everything);
        } else {
            everything.clone().write_all(&std::fs::read(&path).unwrap()).unwrap();
        }
    }
}

#[tokio::test]
async fn a_planted_key_is_nowhere() {
    let everything = Everything::default();
    let writer = everything.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .init();
    let mut looked_at = 0;
    for key in [KEY, PLAIN] {
        let provider = FakeProvider::start().await.unwrap();
        for (number, reply) in indiscretions(key).into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            provider.now_on("m-a", [reply]);
            let client = client(&provider.base_url(), key, "", folder.path(), &everything).await;
            ask(&client, &everything).await;
            client.close().await;
            let engine = client.engine();
            let rows = engine.store().unwrap().reader().unwrap().calls(&CallFilter::default()).unwrap();
            assert!(rows.len() >= 2, "{number}: {rows:?}");
            looked_at += rows.len();
            drop((client, engine));
            files(folder.path(), &everything);
        }
        let seen = provider.seen();
        let sent = format!("Bearer {key}");
        assert!(seen.iter().all(|seen| seen.header("authorization") == Some(&sent)), "the key was used");
        let refused = tempfile::tempdir().unwrap();
        let nobody = client("http://127.0.0.1:9/v1", key, "", refused.path(), &everything).await;
        ask(&nobody, &everything).await;
        let proxied = tempfile::tempdir().unwrap();
        let proxy = format!("proxy = \"http://ann:{PASSWORD}@127.0.0.1:9\"\nallow_http = true");
        let far = client("http://192.0.2.1/v1", key, &proxy, proxied.path(), &everything).await;
        tokio::time::timeout(Duration::from_secs(20), ask(&far, &everything)).await.unwrap();
        nobody.close().await;
        far.close().await;
        files(refused.path(), &everything);
        files(proxied.path(), &everything);
    }
    let all = everything.0.lock().unwrap();
    println!("{looked_at} rows, {} bytes searched", all.len());
    assert!(all.len() > 100_000, "there was something to search");
    for secret in [KEY, PLAIN, PASSWORD] {
        let found = all.windows(secret.len()).position(|window| window == secret.as_bytes());
        if let Some(at) = found {
            let around = &all[at.saturating_sub(300)..(at + 200).min(all.len())];
            panic!("{secret} is in: …{}…", String::from_utf8_lossy(around));
        }
    }
}
