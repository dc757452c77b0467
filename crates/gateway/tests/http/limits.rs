//! What clients may take: bytes, time, places; and what strangers may not (behaviour 11.3).

use std::time::{Duration, Instant};

use mainstay_testkit::{Fault, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::common::{Ask, By, Front};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

/// Sends bytes on a connection of its own and reads until it is closed, or for at most ten seconds.
async fn raw(front: &Front, pieces: &[&[u8]]) -> String {
    let mut socket = TcpStream::connect(front.gateway.address()).await.unwrap();
    for piece in pieces {
        // A refusal may come before everything is sent.
        if socket.write_all(piece).await.is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let reading = async { while socket.read_buf(&mut answer).await.is_ok_and(|read| read > 0) {} };
    tokio::time::timeout(Duration::from_secs(10), reading).await.ok();
    String::from_utf8_lossy(&answer).into_owned()
}

fn head(path: &str, fields: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{fields}\r\n")
}

#[tokio::test]
async fn a_body_over_the_limit_is_a_413_in_the_callers_dialect() {
    let front = Front::start_with(&["good"], "[server]\nmax_body = \"64KB\"\n").await;
    for (by, word) in [(By::OpenAi, "invalid_request_error"), (By::Anthropic, "request_too_large")] {
        let body =
            json!({"model": "default", "messages": [{"role": "user", "content": "x".repeat(3_000_000)}]});
        let told = front.ask(Ask { body: Some(body), ..Ask::by(by, false) }).await;
        assert_eq!((told.status, &told.json()["error"]["type"]), (413, &json!(word)), "{}", told.body);
        assert_eq!(told.header("connection"), Some("close"));
        assert_eq!(told.header("x-should-retry"), Some("false"));
    }
    assert!(front.provider.seen().is_empty());
}

#[tokio::test]
async fn a_length_over_the_limit_is_refused_before_the_body_is_sent() {
    let front = Front::start(&["good"]).await;
    let before = Instant::now();
    let head = head("/v1/chat/completions", "content-length: 99999999999\r\nexpect: 100-continue\r\n");
    let answer = raw(&front, &[head.as_bytes()]).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(
        before.elapsed() < Duration::from_secs(5),
        "and the connection is closed: {:?}",
        before.elapsed()
    );
}

#[tokio::test]
async fn chunks_without_end_are_refused_at_the_limit() {
    let front = Front::start_with(&["good"], "[server]\nmax_body = \"64KB\"\n").await;
    let head = head("/v1/messages", "transfer-encoding: chunked\r\n");
    let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
    let chunks = chunk.repeat(8);
    let answer = raw(&front, &[head.as_bytes(), chunks.as_bytes(), b"0\r\n\r\n"]).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[tokio::test]
async fn strangers_are_refused_before_anything_is_read() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    let ask = async |headers: Vec<(&'static str, String)>| front.ask(Ask { headers, ..Ask::default() }).await;
    let own = format!("http://{}", front.gateway.address());
    assert_eq!(ask(vec![("origin", own)]).await.status, 200);
    for (name, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost:1"),
        ("host", "evil.example"),
        ("host", "127.0.0.1.evil.example:7171"),
    ] {
        let told = ask(vec![(name, value.to_owned())]).await;
        assert_eq!(
            (told.status, &told.json()["error"]["type"]),
            (403, &json!("permission_error")),
            "{name}: {value}"
        );
    }
    let preflight = front
        .http
        .request("OPTIONS".parse().unwrap(), front.url("/v1/chat/completions"))
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "POST");
    let preflight = preflight.send().await.unwrap();
    assert_eq!(preflight.status(), 403);
    assert!(!preflight.headers().keys().any(|name| name.as_str().starts_with("access-control")));
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let told = ask(vec![("content-type", kind.to_owned())]).await;
        // The client adds its own header; a second one makes none of them count.
        assert!(matches!(told.status, 200 | 415), "{kind}: {}", told.body);
        let form =
            front.http.post(front.url("/v1/messages")).header("content-type", kind).body("{}").send().await;
        let form = form.unwrap();
        assert_eq!(form.status(), 415, "{kind}");
        assert_eq!(form.json::<Value>().await.unwrap()["type"], "error");
    }
    for path in ["/admin/status", "/", "/metrics", "/v1/models"] {
        let reply =
            front.http.get(front.url(path)).header("origin", "https://evil.example").send().await.unwrap();
        assert_eq!(reply.status(), 403, "{path}");
    }
}

#[tokio::test]
async fn any_bearer_is_accepted_on_loopback_and_none_where_keys_are_required() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    for headers in [
        vec![],
        vec![("authorization", "Bearer anything".to_owned())],
        vec![("x-api-key", "anything".to_owned())],
        vec![("authorization", "Basic \u{7f}".to_owned().replace('\u{7f}', "!"))],
    ] {
        assert_eq!(front.ask(Ask { headers, ..Ask::default() }).await.status, 200);
    }
    let front = Front::start_with(&["good"], "[server]\nrequire_keys = \"always\"\n").await;
    for (by, word) in [(By::OpenAi, "authentication_error"), (By::Anthropic, "authentication_error")] {
        let headers = vec![("authorization", "Bearer anything".to_owned())];
        let told = front.ask(Ask { headers, ..Ask::by(by, false) }).await;
        assert_eq!((told.status, &told.json()["error"]["type"]), (401, &json!(word)), "{}", told.body);
    }
    assert_eq!(front.http.get(front.url("/v1/models")).send().await.unwrap().status(), 401);
    assert_eq!(front.http.get(front.url("/healthz")).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn base_urls_are_taken_as_people_write_them() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    for path in [
        "/v1/chat/completions",
        "/chat/completions",
        "/v1//chat/completions/",
        "/v1/v1/messages?beta=true",
        "/messages",
    ] {
        let body =
            json!({"model": "default", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
        let reply = front.http.post(front.url(path)).json(&body).send().await.unwrap();
        assert_eq!(reply.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn who_finds_no_place_waits_and_who_finds_no_queue_is_told_when_to_come_back() {
    let further = "[server]\nmax_connections = 1\nqueue = 1\nqueue_timeout = \"2s\"\n";
    let front = Front::start_with(&["silent"], further).await;
    front.provider.on("silent", [Reply::Fault(Fault::Hang)]);
    let first = tokio::spawn(front.http.post(front.url("/v1/chat/completions")).json(&ask_body()).send());
    front.until("the only place is taken", async |front| front.provider.open_connections() == 1).await;

    let waiting = front.ask(Ask::default());
    let turned_away = async {
        front.until("somebody waits", async |front| metric(front, "mainstay_requests_waiting 1").await).await;
        let told = front.ask(Ask::by(By::Anthropic, false)).await;
        assert_eq!(
            (told.status, &told.json()["error"]["type"]),
            (529, &json!("overloaded_error")),
            "{}",
            told.body
        );
        told
    };
    let (waited, turned_away) = tokio::join!(waiting, turned_away);
    assert_eq!(waited.status, 503, "{}", waited.body);
    for told in [&waited, &turned_away] {
        assert_eq!(told.header("x-should-retry"), Some("true"), "nothing was tried");
        assert_eq!((told.header("retry-after"), told.header("x-mainstay-attempts")), (Some("2"), Some("0")));
    }
    assert!(metric(&front, "mainstay_requests_in_flight 1").await, "operators always get in");
    first.abort();
    front.provider.now_on("silent", [Reply::text(GOOD)]);
    front
        .until("the place is free again", async |front| metric(front, "mainstay_requests_in_flight 0").await)
        .await;
    assert_eq!(front.ask(Ask::default()).await.status, 200);
}

fn ask_body() -> Value {
    json!({"model": "default", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]})
}

async fn metric(front: &Front, line: &str) -> bool {
    let text = front.http.get(front.url("/metrics")).send().await.unwrap().text().await.unwrap();
    text.lines().any(|known| known == line)
}

#[tokio::test]
async fn a_connection_is_used_again_and_a_request_head_has_a_limit() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    let body = ask_body().to_string();
    let one =
        format!("{}{body}", head("/v1/chat/completions", &format!("content-length: {}\r\n", body.len())));
    let bad = format!("{}nope", head("/v1/chat/completions", "content-length: 4\r\n"));
    let last = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let answer = raw(&front, &[one.as_bytes(), bad.as_bytes(), one.as_bytes(), last.as_bytes()]).await;
    let statuses: Vec<&str> = answer.split("HTTP/1.1 ").skip(1).filter_map(|part| part.get(..3)).collect();
    assert_eq!(statuses, ["200", "400", "200", "200"], "{answer}");

    let many = head("/v1/chat/completions", &"x-more: 1\r\n".repeat(200));
    let long = head("/v1/chat/completions", &format!("x-long: {}\r\n", "x".repeat(100_000)));
    for request in [many, long] {
        let answer = raw(&front, &[request.as_bytes()]).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
    assert_eq!(front.ask(Ask::default()).await.status, 200);
}

#[tokio::test]
async fn a_gateway_that_everybody_can_reach_does_not_start_without_keys() {
    let folder = tempfile::tempdir().unwrap();
    let provider = mainstay_testkit::FakeProvider::start().await.unwrap();
    let text =
        crate::common::config(&provider, folder.path(), &["good"], "[server]\nlisten = \"0.0.0.0:0\"\n");
    let token = |name: &str| (name == "MAINSTAY_ADMIN_TOKEN").then(|| "0123456789abcdef0123".to_owned());
    let config =
        mainstay_config::load(&text, "test.toml", &token, mainstay::Moment::from_secs(1_796_000_000));
    let gateway =
        mainstay_gateway::Gateway::open(config.unwrap().config, mainstay_gateway::Options::default());
    let refused = gateway.await.unwrap().serve().await.unwrap_err();
    assert!(matches!(refused, mainstay_gateway::ServeError::NoKeys { .. }), "{refused}");
    assert!(refused.to_string().contains("mainstay keys create"), "{refused}");
}
