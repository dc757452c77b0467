//! The admin API: behind its token, heard by the next request, remembered after a restart (11.3a, 11.3b).

use mainstay_testkit::{Fault, Reply};
use serde_json::{Value, json};

use crate::common::{Ask, Front};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

async fn tier(front: &Front, name: &str) -> Value {
    let (status, body) = front.admin("GET", "/admin/tiers", None).await;
    assert_eq!(status, 200, "{body}");
    let tiers = body["tiers"].as_array().unwrap();
    tiers.iter().find(|tier| tier["tier"] == name).unwrap_or_else(|| panic!("{name}: {body}")).clone()
}

#[tokio::test]
async fn without_the_token_nothing_is_shown_or_done() {
    let front = Front::start(&["good"]).await;
    let token = front.admin_token();
    for path in ["/admin/tiers", "/admin/caps", "/admin/status", "/admin/calls", "/admin/nothing", "/admin"] {
        for authorization in [None, Some("Bearer wrong".to_owned()), Some(format!("Basic {token}"))] {
            let mut request = front.http.get(front.url(path));
            if let Some(authorization) = &authorization {
                request = request.header("authorization", authorization);
            }
            let reply = request.send().await.unwrap();
            assert_eq!(reply.status(), 401, "{path} {authorization:?}");
            assert!(reply.headers()["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
            let body: Value = reply.json().await.unwrap();
            assert_eq!(body["error"]["type"], "authentication_error", "{path}");
            assert!(body["error"]["message"].as_str().unwrap().contains("admin token"));
        }
    }
    let reply =
        front.http.post(front.url("/admin/tiers/disable")).json(&json!({"tier": "fake/good"})).send().await;
    assert_eq!(reply.unwrap().status(), 401);
    assert_eq!(tier(&front, "fake/good").await["state"], "available");
    let (status, body) = front.admin("GET", "/admin/nothing", None).await;
    assert_eq!((status, &body["error"]["type"]), (404, &json!("not_found_error")));
    let (status, body) = front.admin("GET", "/admin/tiers/enable", None).await;
    assert_eq!((status, &body["error"]["type"]), (405, &json!("invalid_request_error")));
}

#[tokio::test]
async fn a_tier_is_shown_with_reason_and_countdown() {
    let front = Front::start(&["last static_fallback = true\n", "limited", "good"]).await;
    front.provider.on("limited", [Reply::Fault(Fault::RateLimited(300))]).on("good", [Reply::text(GOOD)]);
    front.ask(Ask::default()).await;
    let (_, body) = front.admin("GET", "/admin/tiers", None).await;
    assert_eq!(body["static_switch"], "auto");
    let names: Vec<&str> =
        body["tiers"].as_array().unwrap().iter().map(|tier| tier["tier"].as_str().unwrap()).collect();
    assert_eq!(names, ["fake/limited", "fake/good", "fake/last"], "the static tier is shown last");
    let limited = tier(&front, "fake/limited").await;
    assert_eq!(
        (&limited["state"], &limited["kind"]),
        (&json!("cooling"), &json!("rate_limited")),
        "{limited}"
    );
    assert_eq!(limited["chains"], json!(["default"]));
    assert!((290..=301).contains(&limited["seconds_left"].as_u64().unwrap()), "{limited}");
    assert!(limited["why"].as_str().unwrap().contains("429"), "{limited}");
    for moment in ["until", "since"] {
        let text = limited[moment].as_str().unwrap();
        assert!(text.len() == 24 && text.ends_with('Z') && text.contains('T'), "{limited}");
    }
    let good = tier(&front, "fake/good").await;
    assert_eq!(
        (&good["state"], &good["until"], &good["seconds_left"]),
        (&json!("available"), &json!(null), &json!(null))
    );
    assert_eq!(
        (&good["in_flight"], &good["faults_in_row"], &good["static"]),
        (&json!(0), &json!(0), &json!(false))
    );
    assert_eq!(tier(&front, "fake/last").await["static"], true);
}

#[tokio::test]
async fn what_an_operator_does_holds_for_the_next_request_and_after_a_restart() {
    let front = Front::start(&["first", "second", "last static_fallback = true\n"]).await;
    front.provider.otherwise(Reply::text(GOOD));
    let asked =
        async |front: &Front| front.ask(Ask::default()).await.header("x-mainstay-tier").map(str::to_owned);
    assert_eq!(asked(&front).await.as_deref(), Some("fake/first"));

    let wanted = json!({"tier": "fake/first", "for_ms": 3_600_000, "why": "bad answers"});
    let (status, body) = front.admin("POST", "/admin/tiers/disable", Some(wanted)).await;
    assert_eq!((status, &body["tier"]["state"]), (200, &json!("disabled")), "{body}");
    assert_eq!((&body["tier"]["why"], &body["tier"]["by"]), (&json!("bad answers"), &json!("operator")));
    assert!((3_590..=3_600).contains(&body["tier"]["seconds_left"].as_u64().unwrap()), "{body}");
    assert_eq!(asked(&front).await.as_deref(), Some("fake/second"));
    let (status, body) = front.admin("POST", "/admin/tiers/static", Some(json!({"switch": "on"}))).await;
    assert_eq!((status, &body["static_switch"]), (200, &json!("on")));
    assert_eq!(asked(&front).await.as_deref(), Some("fake/last"));

    let Front { gateway, client, folder, http: _, provider: _ } = front;
    gateway.stop().await;
    drop(client);
    let front =
        Front::start_in(folder, &["first", "second", "last static_fallback = true\n"], "", &|_| None).await;
    front.provider.otherwise(Reply::text(GOOD));
    assert_eq!(tier(&front, "fake/first").await["why"], "bad answers", "kept over the restart");
    assert_eq!(front.admin("GET", "/admin/tiers", None).await.1["static_switch"], "on");
    front.admin("POST", "/admin/tiers/static", Some(json!({"switch": "auto"}))).await;
    assert_eq!(asked(&front).await.as_deref(), Some("fake/second"));
    let (status, body) =
        front.admin("POST", "/admin/tiers/enable", Some(json!({"tier": "fake/first"}))).await;
    assert_eq!((status, &body["tier"]["state"]), (200, &json!("available")), "{body}");
    assert_eq!(asked(&front).await.as_deref(), Some("fake/first"));
}

#[tokio::test]
async fn a_hand_on_nothing_is_refused_with_what_there_is() {
    let front = Front::start(&["good"]).await;
    let refused = async |path: &str, body: Value| {
        let (status, body) = front.admin("POST", path, Some(body)).await;
        (status, body["error"]["message"].as_str().unwrap().to_owned())
    };
    for path in ["/admin/tiers/disable", "/admin/tiers/enable"] {
        let (status, message) = refused(path, json!({"tier": "fake/none"})).await;
        assert!(status == 404 && message.contains("fake/none") && message.contains("fake/good"), "{message}");
    }
    for (path, body) in [
        ("/admin/tiers/disable", json!({"tier": "fake/good", "for_ms": 0})),
        ("/admin/tiers/disable", json!({"tier": "fake/good", "for": "30m"})),
        ("/admin/tiers/disable", json!({})),
        ("/admin/tiers/static", json!({"switch": "maybe"})),
        ("/admin/tiers/static", json!({"switch": "on"})),
    ] {
        assert_eq!(refused(path, body.clone()).await.0, 400, "{body}");
    }
    let form = front.http.post(front.url("/admin/tiers/enable")).bearer_auth(front.admin_token());
    assert_eq!(form.body("tier=fake/good").send().await.unwrap().status(), 415);
    assert_eq!(tier(&front, "fake/good").await["state"], "available");
}

#[tokio::test]
async fn caps_status_and_calls_say_what_is_so() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    for _ in 0..3 {
        front.ask(Ask { headers: vec![("x-mainstay-user", "ann".into())], ..Ask::default() }).await;
    }
    let (status, caps) = front.admin("GET", "/admin/caps", None).await;
    assert_eq!((status, caps["caps"].as_array().unwrap().len()), (200, 1), "{caps}");
    let daily = &caps["caps"][0];
    assert_eq!((&daily["cap"], &daily["limit_usd"]), (&json!("daily"), &json!(5.0)), "{caps}");
    let spent = daily["spent_usd"].as_f64().unwrap();
    assert!(spent > 0.0 && spent < 0.001, "{caps}");
    assert_eq!(daily["reserved_usd"], json!(0.0), "{caps}");
    assert!(daily["resets_at"].as_str().unwrap().ends_with("T00:00:00.000Z"), "{caps}");

    let (status, about) = front.admin("GET", "/admin/status", None).await;
    assert_eq!((status, &about["version"]), (200, &json!(env!("CARGO_PKG_VERSION"))), "{about}");
    assert_eq!((&about["config"]["source"], &about["alerts"]), (&json!("file"), &json!([])), "{about}");
    assert!(about["uptime_seconds"].is_u64() && about["log"]["problem"].is_null(), "{about}");
    assert!(about["log"]["path"].as_str().unwrap().ends_with("log.db"), "{about}");

    let (status, calls) = front.admin("GET", "/admin/calls?limit=2", None).await;
    let calls = calls["calls"].as_array().unwrap().clone();
    assert_eq!((status, calls.len()), (200, 2));
    assert!(calls[0]["ts"].as_i64() >= calls[1]["ts"].as_i64(), "the newest first");
    assert_eq!((&calls[0]["user_id"], &calls[0]["outcome"]), (&json!("ann"), &json!("ok")));
    let text =
        front.http.get(front.url("/admin/calls")).bearer_auth(front.admin_token()).send().await.unwrap();
    let text = text.text().await.unwrap();
    assert!(text.contains("\"cost_usd\":0.0000"), "exact decimals, no exponent: {text}");
    let bad =
        front.http.get(front.url("/admin/calls?limit=many")).bearer_auth(front.admin_token()).send().await;
    let bad = bad.unwrap();
    assert_eq!(bad.status(), 400);
    assert_eq!(bad.json::<Value>().await.unwrap()["error"]["type"], "invalid_request_error");
}

#[tokio::test]
async fn a_money_figure_keeps_its_decimals() {
    let front = Front::start(&["good"]).await;
    front.provider.on("good", [Reply::text(GOOD)]);
    front.ask(Ask::default()).await;
    let reply =
        front.http.get(front.url("/admin/caps")).bearer_auth(front.admin_token()).send().await.unwrap();
    let text = reply.text().await.unwrap();
    assert!(text.contains("\"limit_usd\":5.00,\"spent_usd\":0.0000"), "{text}");
}
