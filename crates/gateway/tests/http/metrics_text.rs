//! `/metrics`: one scrape tells how it goes (behaviour 9.5).

use mainstay_testkit::{Fault, Reply};

use crate::common::{Ask, By, Front};

async fn scrape(front: &Front) -> String {
    let reply = front.http.get(front.url("/metrics")).send().await.unwrap();
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers()["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8");
    reply.text().await.unwrap()
}

#[tokio::test]
async fn a_scrape_tells_of_calls_money_time_health_and_the_log() {
    let front = Front::start(&["bad", "good"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::Empty)]);
    front.provider.on("good", [Reply::text("The Douro, the Tagus and the Guadiana.")]);
    front.ask(Ask::default()).await;
    front.ask(Ask::by(By::Anthropic, true)).await;
    front.ask(Ask { model: Some("nothing".into()), ..Ask::default() }).await;
    let text = scrape(&front).await;
    for line in [
        r#"mainstay_calls_total{tier="fake/bad",outcome="quality",quality="empty",error="none"} 4"#,
        r#"mainstay_calls_total{tier="fake/good",outcome="ok",quality="ok",error="none"} 2"#,
        r#"mainstay_rescued_total{tier="fake/good"} 2"#,
        r#"mainstay_tokens_total{tier="fake/good",kind="prompt"} 24"#,
        r#"mainstay_call_duration_seconds_count{tier="fake/good"} 2"#,
        r#"mainstay_call_duration_seconds_bucket{le="81.92",tier="fake/good"} 2"#,
        r#"mainstay_time_to_first_token_seconds_count{tier="fake/good"} 1"#,
        r#"mainstay_requests_total{route="chat_completions",status="200"} 1"#,
        r#"mainstay_requests_total{route="chat_completions",status="404"} 1"#,
        r#"mainstay_requests_total{route="messages",status="200"} 1"#,
        r#"mainstay_tier_state{tier="fake/good",state="available"} 1"#,
        r#"mainstay_tier_state{tier="fake/good",state="cooling"} 0"#,
        r#"mainstay_cap_limit_usd{cap="daily"} 5.0"#,
        r#"mainstay_static_switch{switch="auto"} 1"#,
        "mainstay_requests_in_flight 0",
        "mainstay_journal_lag_entries ",
        "mainstay_log_dropped_total 0",
        "mainstay_cost_usd_total{tier=\"fake/good\"} 0.00",
        "mainstay_wasted_usd_total{tier=\"fake/bad\"} 0.00",
        "mainstay_cap_spent_usd{cap=\"daily\"} 0.00",
    ] {
        assert!(text.lines().any(|known| known.starts_with(line)), "{line}\n{text}");
    }
    assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1, "one exposition, ended once");
}

#[tokio::test]
async fn names_from_outside_make_no_series() {
    let front = Front::start(&["good"]).await;
    front.provider.otherwise(Reply::text("The Douro, the Tagus and the Guadiana."));
    for made_up in ["fake/made-up-1", "made-up-2", "fake/\"}\n evil 1"] {
        let headers =
            vec![("x-mainstay-user", "made-up-3".to_owned()), ("x-mainstay-label", "made-up-4".to_owned())];
        front.ask(Ask { model: Some(made_up.into()), headers, ..Ask::default() }).await;
    }
    front.http.get(front.url("/v1/made-up-5")).send().await.unwrap();
    let text = scrape(&front).await;
    assert!(!text.contains("made-up") && !text.contains("evil"), "{text}");
    assert!(text.contains(r#"mainstay_requests_total{route="other",status="404"} 1"#), "{text}");
}

#[tokio::test]
async fn a_hostile_name_from_the_config_breaks_no_line() {
    let front = Front::start(&["good\"}1\\x"]).await;
    front.provider.otherwise(Reply::text("The Douro, the Tagus and the Guadiana."));
    front.ask(Ask::default()).await;
    let text = scrape(&front).await;
    assert!(text.contains(r#"tier="fake/good\"}1\\x""#), "{text}");
}
