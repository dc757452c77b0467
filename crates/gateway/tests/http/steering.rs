//! Request headers that steer one call, and what reaches the log of them.

use std::time::Duration;

use mainstay_testkit::{Fault, Reply, Said};
use serde_json::json;

use crate::common::{Ask, By, Front};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

#[tokio::test]
async fn who_asks_is_taken_from_headers_and_bodies() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    let headers = vec![
        ("x-request-id", "mine-1".to_owned()),
        ("x-mainstay-user", "ann".to_owned()),
        ("x-mainstay-session", "s-1".to_owned()),
        ("x-mainstay-label", "billing".to_owned()),
        ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()),
    ];
    let told = front.ask(Ask { headers, ..Ask::default() }).await;
    assert_eq!(told.header("x-request-id"), Some("mine-1"), "the caller's own");
    let row = front.rows().await.remove(0);
    assert_eq!(told.header("x-mainstay-request-id"), Some(row.request_id.as_str()), "ours");
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    assert_eq!(
        [
            text(&row.client_request_id),
            text(&row.user_id),
            text(&row.session_id),
            text(&row.label),
            text(&row.trace_id)
        ],
        ["mine-1", "ann", "s-1", "billing", "4bf92f3577b34da6a3ce929d0e0e4736"]
    );
    for (by, member) in
        [(By::OpenAi, json!({"user": "bob"})), (By::Anthropic, json!({"metadata": {"user_id": "bob"}}))]
    {
        let mut body =
            json!({"model": "default", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
        body.as_object_mut().unwrap().extend(member.as_object().unwrap().clone());
        front.ask(Ask { body: Some(body), ..Ask::by(by, false) }).await;
        assert_eq!(text(&front.rows().await[0].user_id), "bob", "{by:?}");
    }
}

#[tokio::test]
async fn the_first_keep_alive_takes_the_headers_along() {
    let front = Front::start_with(&["slow"], "[streaming]\nkeepalive = \"100ms\"\n").await;
    front.provider.on("slow", [Reply::Say(Said::text(GOOD).slowly(Duration::from_millis(150)))]);
    for by in [By::OpenAi, By::Anthropic] {
        let told = front.ask(Ask::by(by, true)).await;
        assert_eq!((told.status, told.text.as_str()), (200, GOOD), "{}", told.body);
        assert!(told.finished, "{}", told.body);
        assert_eq!(told.header("x-mainstay-quality"), Some("pending"));
        assert_eq!(told.header("x-mainstay-tier"), None, "not known when the headers left");
        let sign = if by == By::OpenAi { ": keep-alive" } else { "event: ping" };
        assert!(told.body.starts_with(sign), "{}", told.body);
        assert_eq!(told.comment()["tier"], "fake/slow");
    }
}

#[tokio::test]
async fn what_fails_after_a_keep_alive_is_an_error_event() {
    let front = Front::start_with(&["bad"], "[streaming]\nkeepalive = \"50ms\"\n").await;
    front.provider.on("bad", [Reply::Fault(Fault::CommentsOnly(Duration::from_millis(100)))]);
    for by in [By::OpenAi, By::Anthropic] {
        let headers = vec![("x-mainstay-deadline-ms", "500".to_owned())];
        let told = front.ask(Ask { headers, ..Ask::by(by, true) }).await;
        assert_eq!(told.status, 200, "{}", told.body);
        assert!(!told.finished && told.body.contains("\"error\""), "{}", told.body);
        assert!(!told.body.contains("[DONE]") && !told.body.contains("message_stop"), "{}", told.body);
    }
}

#[tokio::test]
async fn the_callers_own_timeout_is_kept() {
    let front = Front::start(&["bad"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::Hang)]);
    let before = std::time::Instant::now();
    let told = front.ask(Ask { headers: vec![("x-stainless-timeout", "1".into())], ..Ask::default() }).await;
    assert_eq!(told.status, 504, "{}", told.body);
    assert!(before.elapsed() < Duration::from_secs(1), "an answer before the client gives up");
}

#[tokio::test]
async fn every_way_of_serving_has_its_word() {
    let more = "retry_budget = 1\n";
    let front = Front::start(&[&format!("bad {more}"), "good", "last static_fallback = true\n"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::Status(500))]).on("good", [Reply::text(GOOD)]);
    front.provider.on("last", [Reply::text(GOOD)]);
    let served = async |ask: Ask| front.ask(ask).await.header("x-mainstay-served").map(str::to_owned);
    assert_eq!(served(Ask::default()).await.as_deref(), Some("fallback"));
    assert_eq!(
        served(Ask { model: Some("fake/good".into()), ..Ask::default() }).await.as_deref(),
        Some("first")
    );
    front.provider.now_on("good", [Reply::Fault(Fault::Empty), Reply::text(GOOD)]);
    assert_eq!(
        served(Ask { model: Some("fake/good".into()), ..Ask::default() }).await.as_deref(),
        Some("retry")
    );
    front.provider.now_on("good", [Reply::Fault(Fault::Status(500))]);
    assert_eq!(served(Ask::default()).await.as_deref(), Some("static"));
    assert_eq!(served(Ask { stream: true, ..Ask::default() }).await.as_deref(), Some("static"));
}
