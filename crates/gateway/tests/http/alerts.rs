//! Alerts: on the page, in the metrics, at the webhook; once, and once when over (behaviour 9.4a).

use mainstay_testkit::{FakeProvider, Fault, Reply};
use serde_json::{Value, json};

use crate::common::{Ask, Front};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

/// A gateway that posts its alerts to a server of the test's own.
async fn start(hook: &FakeProvider) -> Front {
    hook.otherwise(Reply::http(200, &[], "ok"));
    let address = format!("http://{}/hooks/secret-1", hook.address());
    let variables = move |name: &str| (name == "MAINSTAY_ALERT_WEBHOOK").then(|| address.clone());
    Front::start_in(tempfile::tempdir().unwrap(), &["refused", "good"], "", &variables).await
}

async fn alerts(front: &Front) -> Vec<Value> {
    front.admin("GET", "/admin/status", None).await.1["alerts"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_wrong_key_is_told_once_and_once_more_when_it_is_over() {
    let hook = FakeProvider::start().await.unwrap();
    let front = start(&hook).await;
    front.provider.on("refused", [Reply::Fault(Fault::Status(401))]).on("good", [Reply::text(GOOD)]);
    for _ in 0..3 {
        assert_eq!(front.ask(Ask::default()).await.status, 200);
    }
    let on = alerts(&front).await;
    assert_eq!(on.len(), 1, "{on:?}");
    assert_eq!((&on[0]["kind"], &on[0]["tier"]), (&json!("tier_disabled"), &json!("fake/refused")), "{on:?}");
    let text = front.http.get(front.url("/metrics")).send().await.unwrap().text().await.unwrap();
    for line in [
        r#"mainstay_alerts_total{kind="tier_disabled",tier="fake/refused"} 1"#,
        r#"mainstay_alert_active{kind="tier_disabled",tier="fake/refused"} 1"#,
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    front.until("it is posted", async |_| !hook.seen().is_empty()).await;
    let post = &hook.seen()[0];
    assert_eq!(
        (post.path.as_str(), post.header("content-type")),
        ("/hooks/secret-1", Some("application/json"))
    );
    let said = post.body["text"].as_str().unwrap();
    assert!(said.starts_with("mainstay: tier_disabled fake/refused: "), "{said}");
    assert_eq!(post.body.as_object().unwrap().len(), 1, "{}", post.body);

    front.admin("POST", "/admin/tiers/enable", Some(json!({"tier": "fake/refused"}))).await;
    assert!(alerts(&front).await.is_empty());
    front.until("its end is posted", async |_| hook.seen().len() == 2).await;
    let said = hook.seen()[1].body["text"].as_str().unwrap().to_owned();
    assert!(said.starts_with("mainstay: over: tier_disabled fake/refused: "), "{said}");
}

#[tokio::test]
async fn a_webhook_that_fails_holds_up_nobody_and_is_counted() {
    let hook = FakeProvider::start().await.unwrap();
    let front = start(&hook).await;
    hook.otherwise(Reply::http(500, &[], "no"));
    front.provider.on("refused", [Reply::Fault(Fault::Quota)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(front.ask(Ask::default()).await.status, 200);
    front
        .until("the failure is counted", async |front| {
            let text = front.http.get(front.url("/metrics")).send().await.unwrap().text().await.unwrap();
            text.contains("mainstay_webhook_failures_total 1\n")
        })
        .await;
    assert_eq!(hook.seen().len(), 1, "one POST, no more");
}

#[tokio::test]
async fn a_finish_word_that_nobody_knows_is_an_alert() {
    let hook = FakeProvider::start().await.unwrap();
    let front = start(&hook).await;
    front.provider.on("refused", [Reply::Fault(Fault::UnknownFinish)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(front.ask(Ask::default()).await.status, 200);
    let on = alerts(&front).await;
    assert_eq!((on.len(), &on[0]["kind"]), (1, &json!("unknown_finish_reason")), "{on:?}");
    assert!(on[0]["message"].as_str().unwrap().contains("zapped"), "{on:?}");
}
