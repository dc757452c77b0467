//! No key and no token is ever shown: not in a log, an error, a metric, a page or to a provider (10.3, 11.3).
//!
//! A program of its own, because it listens to everything that the whole process logs.

// Helpers of tests are tests, too.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write;
use std::sync::{Arc, Mutex};

use mainstay_testkit::{Fault, Reply};
use serde_json::json;

use common::{Ask, By, Front};

/// What a client calls its key; on loopback it is looked at by nobody.
const BEARER: &str = "sk-client-planted-0123456789abcdef";
/// The provider's key.
const PROVIDER_KEY: &str = "sk-proj-planted-FEDCBA9876543210";
/// The configured admin token.
const ADMIN: &str = "admin-planted-00112233445566778899";
/// Where alerts go.
const WEBHOOK: &str = "http://127.0.0.1:9/hooks/planted-a1b2c3d4e5f6";
/// What the user says.
const PROMPT: &str = "planted-prompt: my neighbour's secret";

/// Everything that is logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn variables(name: &str) -> Option<String> {
    let value = match name {
        "KEYED_API_KEY" => PROVIDER_KEY,
        "MAINSTAY_ADMIN_TOKEN" => ADMIN,
        "MAINSTAY_ALERT_WEBHOOK" => WEBHOOK,
        _ => return None,
    };
    Some(value.to_owned())
}

/// Asks in every way that fails, with everything planted; what callers were told.
async fn provoke(front: &Front) -> Vec<String> {
    let mut told = Vec::new();
    for by in [By::OpenAi, By::Anthropic] {
        for stream in [false, true] {
            for model in ["default", "keyed/bad", "nothing-planted"] {
                let headers = vec![
                    ("authorization", format!("Bearer {BEARER}")),
                    ("x-api-key", BEARER.to_owned()),
                    ("api-key", BEARER.to_owned()),
                    ("x-mainstay-deadline-ms", "500".to_owned()),
                ];
                let body = json!({"model": model, "stream": stream, "max_tokens": 30,
                    "messages": [{"role": "user", "content": PROMPT}]});
                let reply = front.ask(Ask { body: Some(body), headers, ..Ask::by(by, stream) }).await;
                told.push(format!("{:?} {}", reply.headers, reply.body));
            }
        }
    }
    told
}

#[tokio::test]
async fn what_is_planted_is_found_nowhere() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let further = "[providers.keyed]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\
                   api_key_env = \"KEYED_API_KEY\"\n";
    let front = Front::start_in(folder, &["keyed/bad", "bad"], further, &variables).await;
    front.provider.otherwise(Reply::Fault(Fault::Status(401)));
    let mut shown = provoke(&front).await;

    let get = async |path: &str, token: &str| {
        let reply = front.http.get(front.url(path)).bearer_auth(token).send().await.unwrap();
        let headers = format!("{:?}", reply.headers());
        format!("{headers} {}", reply.text().await.unwrap())
    };
    for path in ["/metrics", "/readyz", "/", "/v1/models", "/admin/status", "/admin/nothing"] {
        shown.push(get(path, BEARER).await);
    }
    for path in ["/admin/status", "/admin/tiers", "/admin/calls?limit=1000", "/admin/caps"] {
        let answer = get(path, ADMIN).await;
        assert!(!answer.contains("authentication_error"), "{path}: {answer}");
        shown.push(answer);
    }
    let link = front.gateway.dashboard_link().unwrap();
    let cookie =
        front.http.get(&link).send().await.unwrap().headers()["set-cookie"].to_str().unwrap().to_owned();
    let page = front
        .http
        .get(front.url("/"))
        .header("cookie", cookie.split(';').next().unwrap())
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), 200);
    shown.push(page.text().await.unwrap());
    shown.push(format!("{:?}", front.gateway));
    let sent = front.provider.seen();
    assert!(!sent.is_empty());
    shown.extend(sent.iter().map(|seen| format!("{:?}", seen.headers)));
    let folder = front.folder.path().to_owned();
    front.gateway.stop().await;
    let logged = String::from_utf8_lossy(&lines.0.lock().unwrap()).into_owned();
    assert!(logged.contains("WARN") && logged.contains("tier_disabled"), "nothing was caught: {logged}");
    shown.push(logged);

    for planted in [BEARER, PROVIDER_KEY, ADMIN, WEBHOOK, "planted-a1b2c3d4e5f6"] {
        for text in &shown {
            assert!(!text.contains(planted), "{planted} in: {text}");
        }
    }
    for text in &shown {
        assert!(!text.contains("my neighbour's secret"), "the prompt in: {text}");
    }
    for file in std::fs::read_dir(&folder).unwrap().flatten().filter(|file| file.path().is_file()) {
        let bytes = String::from_utf8_lossy(&std::fs::read(file.path()).unwrap()).into_owned();
        for planted in [BEARER, PROVIDER_KEY, ADMIN, WEBHOOK, "my neighbour's secret"] {
            assert!(!bytes.contains(planted), "{planted} in {}", file.path().display());
        }
    }
    assert!(!folder.join("state/admin-token").exists(), "a configured token is kept nowhere");
}

#[tokio::test]
async fn a_key_that_a_provider_repeats_is_not_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let further = "[providers.keyed]\ndialect = \"openai-chat\"\nbase_url = \"KEYED_URL\"\n\
                   api_key_env = \"KEYED_API_KEY\"\n";
    let provider = mainstay_testkit::FakeProvider::start().await.unwrap();
    let further = further.replace("KEYED_URL", &provider.base_url());
    let repeats =
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {PROVIDER_KEY}.","type":"auth"}}}}"#);
    provider.otherwise(Reply::http(401, &[], &repeats));
    let front = Front::start_in(folder, &["keyed/bad"], &further, &variables).await;
    let told = front.ask(Ask::default()).await;
    assert_eq!(provider.seen()[0].header("authorization"), Some(format!("Bearer {PROVIDER_KEY}").as_str()));
    assert!(!told.body.contains(PROVIDER_KEY), "{}", told.body);
    let tiers = front.http.get(front.url("/admin/tiers")).bearer_auth(ADMIN).send().await.unwrap();
    let tiers = tiers.text().await.unwrap();
    assert!(tiers.contains("auth") && !tiers.contains(PROVIDER_KEY), "{tiers}");
    let row = front.rows().await.remove(0);
    assert!(!row.detail.contains(PROVIDER_KEY), "{row:?}");
}
