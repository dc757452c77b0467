//! The operator's hand: health, spending, questions and the log, with a gateway running and without one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use std::path::{Path, PathBuf};

use common::{Gateway, RIVERS, free_port, mainstay, mainstay_in, tier, write_config, write_config_with};
use mainstay_testkit::{FakeProvider, Fault, Reply, Vectors};
use serde_json::Value;

/// A gateway over a model that says nothing first and one that answers, and one request through it.
async fn asked_once(folder: &Path) -> (FakeProvider, Gateway) {
    let provider = provider().await;
    let gateway = Gateway::start(&write_config(folder, &provider, &["empty", "good"]));
    let url = gateway.base_url.clone();
    let body = r#"{"model": "default", "user": "ann", "messages": [{"role": "user", "content": "Hello"}]}"#;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let reply = http.post(format!("{url}/v1/chat/completions")).header("content-type", "application/json");
    assert_eq!(reply.body(body).send().await.unwrap().status(), 200);
    (provider, gateway)
}

async fn provider() -> FakeProvider {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("good", [Reply::text(RIVERS)]).on("empty", [Reply::Fault(Fault::Empty)]);
    provider
}

/// The rows of a command's JSON.
fn rows(shown: &str) -> Vec<Value> {
    shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tiers_are_shown_disabled_and_enabled_through_the_running_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let (provider, gateway) = asked_once(folder.path()).await;
    let (code, shown, said) = gateway.tell(&["tiers"]);
    assert_eq!(code, 0, "{said}");
    assert!(shown.lines().any(|line| line.starts_with("fake/good\tdefault\tavailable")), "{shown}");
    assert!(said.contains("running gateway") && said.contains("static tier: auto"), "{said}");
    let disable = ["tiers", "disable", "fake/empty", "--for", "30m", "--why", "says nothing"];
    let (code, shown, said) = gateway.tell(&disable);
    assert_eq!(code, 0, "{said}");
    assert!(shown.contains("fake/empty is disabled for 30 min"), "{shown}");
    let (_, shown, _) = gateway.tell(&["tiers", "--json"]);
    let row = &rows(&shown)[0];
    assert_eq!(
        (&row["tier"], &row["state"], &row["by"]),
        (&"fake/empty".into(), &"disabled".into(), &"operator".into())
    );
    assert_eq!(row["why"], "says nothing");
    assert!(row["seconds_left"].as_u64().is_some_and(|left| left > 1700 && left <= 1800), "{row}");
    // A disabled tier is passed over without a call.
    let before = provider.calls("empty");
    let (code, answer, trail) = ask(&gateway, &[]);
    assert_eq!((code, answer.trim()), (0, RIVERS), "{trail}");
    assert_eq!(provider.calls("empty"), before);
    assert_eq!(gateway.tell(&["tiers", "enable", "fake/empty"]).0, 0);
    let (_, shown, _) = gateway.tell(&["tiers", "--json"]);
    assert_eq!(rows(&shown)[0]["state"], "available");
}

fn ask(gateway: &Gateway, more: &[&str]) -> (i32, String, String) {
    let mut arguments = vec!["chat", "Name three rivers of Portugal."];
    arguments.extend(more);
    gateway.tell(&arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_refuses_is_quoted_and_one_that_wants_its_token_says_where_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, gateway) = asked_once(folder.path()).await;
    let (code, _, said) = gateway.tell(&["tiers", "disable", "fake/nobody"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("fake/nobody") && said.contains("fake/good"), "{said}");
    let (code, _, said) = gateway.tell(&["tiers", "static", "on"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("static_fallback"), "{said}");
    let stranger = tempfile::tempdir().unwrap();
    let (code, _, said) = mainstay(&["tiers", "--url", &gateway.base_url], stranger.path());
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("MAINSTAY_ADMIN_TOKEN"), "{said}");
    let token = std::fs::read_to_string(folder.path().join(".local/state/mainstay/admin-token")).unwrap();
    let with_token = [("MAINSTAY_ADMIN_TOKEN", token.trim()), ("MAINSTAY_URL", &gateway.base_url)];
    let (code, shown, said) = mainstay_in(&["tiers"], stranger.path(), &with_token, "");
    assert_eq!(code, 0, "{said}");
    assert!(shown.contains("fake/good"), "{shown}");
}

/// A configuration that listens on a port where nobody is, so that no gateway answers for it.
async fn nobody_listens(folder: &Path) -> (FakeProvider, PathBuf) {
    let provider = provider().await;
    let path = write_config(folder, &provider, &["empty", "good"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("127.0.0.1:0", &format!("127.0.0.1:{}", free_port()));
    std::fs::write(&path, text).unwrap();
    (provider, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_gateway_the_store_keeps_what_the_operator_says_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, config) = nobody_listens(folder.path()).await;
    let tell = |arguments: &[&str]| mainstay_in(arguments, folder.path(), &[], "");
    let (code, shown, said) = tell(&["tiers"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        shown.contains("fake/empty\tdefault\tavailable") && said.contains("no gateway answers"),
        "{shown}{said}"
    );
    let (code, shown, said) = tell(&["tiers", "disable", "fake/empty", "--for", "2h"]);
    assert_eq!(code, 0, "{said}");
    assert!(shown.contains("disabled for") && said.contains("next start"), "{shown}{said}");
    let (_, shown, _) = tell(&["tiers", "--json"]);
    assert_eq!((&rows(&shown)[0]["state"], &rows(&shown)[0]["by"]), (&"disabled".into(), &"operator".into()));
    // The next start knows of it, and so does whoever asks it.
    let gateway = Gateway::start(&config);
    let (_, shown, said) = gateway.tell(&["tiers", "--json"]);
    assert_eq!(rows(&shown)[0]["state"], "disabled", "{said}");
    drop(gateway);
    assert_eq!(tell(&["tiers", "enable", "fake/empty"]).0, 0);
    let (_, shown, _) = tell(&["tiers", "--json"]);
    assert_eq!(rows(&shown)[0]["state"], "available");
    let (code, _, said) = tell(&["tiers", "disable", "fake/nobody"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("fake/good"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_static_switch_is_kept_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let (provider, path) = nobody_listens(folder.path()).await;
    let last = "[[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"last\"\nstatic_fallback = true\n\
                price = { input = \"0\", output = \"0\" }\n";
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + last).unwrap();
    provider.on("last", [Reply::text("The static tier has answered.")]);
    let tell = |arguments: &[&str]| mainstay_in(arguments, folder.path(), &[], "");
    let (code, shown, said) = tell(&["tiers", "static", "on"]);
    assert_eq!(code, 0, "{said}");
    assert!(shown.contains("on"), "{shown}");
    let gateway = Gateway::start(&path);
    let (_, shown, _) = gateway.tell(&["tiers", "--json"]);
    assert!(rows(&shown).iter().all(|row| row["static_switch"] == "on"), "{shown}");
    let (_, answer, said) = ask(&gateway, &[]);
    assert_eq!(answer.trim(), "The static tier has answered.", "{said}");
    assert_eq!(gateway.tell(&["tiers", "static", "auto"]).0, 0);
    assert_eq!(ask(&gateway, &[]).1.trim(), RIVERS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_another_process_owns_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, gateway) = asked_once(folder.path()).await;
    // A gateway that nobody finds: the configuration says another port than the one it listens on.
    let path = folder.path().join("mainstay.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("127.0.0.1:0", &format!("127.0.0.1:{}", free_port()))).unwrap();
    let id = gateway.child.id().to_string();
    for arguments in [&["tiers", "disable", "fake/empty"][..], &["chat", "Hello"]] {
        let (code, _, said) = mainstay_in(arguments, folder.path(), &[], "");
        assert_eq!(code, 1, "{arguments:?}: {said}");
        assert!(said.contains("log.db") && said.contains(&id), "{arguments:?}: {said}");
    }
    // Reading always works.
    assert_eq!(mainstay(&["calls"], folder.path()).0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_through_the_gateway_that_keeps_the_money() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, gateway) = asked_once(folder.path()).await;
    let (code, answer, said) = ask(&gateway, &[]);
    assert_eq!((code, answer.trim()), (0, RIVERS), "{said}");
    for part in [&gateway.base_url, "fake/empty", "fake/good", "empty", "ok"] {
        assert!(said.contains(part), "{part} is missing in the trail:\n{said}");
    }
    let (code, answer, said) = ask(&gateway, &["--stream"]);
    assert_eq!((code, answer.trim()), (0, RIVERS), "{said}");
    let (code, answer, said) = ask(&gateway, &["--json"]);
    assert_eq!(code, 0, "{said}");
    let told: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(
        (&told["text"], &told["tier"], &told["attempts"]),
        (&RIVERS.into(), &"fake/good".into(), &3.into())
    );
    assert!(told["cost_usd"].as_f64().is_some_and(|cost| cost > 0.0), "{answer}");
    let (code, _, said) = ask(&gateway, &["--chain", "nowhere"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("nowhere") && said.contains("default"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_needs_no_gateway_and_takes_what_is_piped_in() {
    let folder = tempfile::tempdir().unwrap();
    let (provider, _config) = nobody_listens(folder.path()).await;
    let (code, answer, trail) = mainstay_in(&["chat", "Summarise this:"], folder.path(), &[], "A long text.");
    assert_eq!((code, answer.trim()), (0, RIVERS), "{trail}");
    assert!(trail.contains("fake/empty") && trail.contains("fake/good"), "{trail}");
    let asked = provider.seen().last().unwrap().body["messages"][0]["content"].clone();
    assert_eq!(asked, "Summarise this:\n\nA long text.");
    let (code, answer, _) = mainstay_in(&["chat", "--stream", "Hello"], folder.path(), &[], "");
    assert_eq!((code, answer.trim()), (0, RIVERS));
    provider.now_on("good", [Reply::Fault(Fault::Status(500))]);
    let (code, answer, said) = mainstay_in(&["chat", "Hello"], folder.path(), &[], "");
    assert_eq!((code, answer.as_str()), (1, ""), "{said}");
    assert!(said.contains("mainstay why req_"), "{said}");
    let (code, story, _) = mainstay(&["why", "last"], folder.path());
    assert_eq!(code, 0);
    assert!(story.contains("fake/good") && story.contains("500"), "{story}");
}

#[tokio::test(flavor = "multi_thread")]
async fn check_live_says_before_what_it_costs_and_calls_each_tier_once() {
    let folder = tempfile::tempdir().unwrap();
    let (provider, _config) = nobody_listens(folder.path()).await;
    provider.now_on("good", [Reply::text("ready")]);
    let (code, shown, said) = mainstay_in(&["check", "--live"], folder.path(), &[], "");
    assert_eq!(code, 1, "one tier says nothing: {said}");
    assert!(said.contains("at most $"), "{said}");
    assert!(shown.contains("ok      fake/good") && shown.contains("failed  fake/empty"), "{shown}");
    assert_eq!((provider.calls("good"), provider.calls("empty")), (1, 1));
    let (_, shown, _) = mainstay_in(&["check", "--live", "--json"], folder.path(), &[], "");
    let told = rows(&shown);
    assert_eq!(
        (&told[0]["valid"], &told[1]["ok"], &told[2]["ok"]),
        (&true.into(), &false.into(), &true.into())
    );
}

/// Chains that make embeddings: of a model that the catalogue knows, and of one that it does not.
async fn embeds(folder: &Path) -> (FakeProvider, PathBuf) {
    let (provider, path) = nobody_listens(folder).await;
    let vectors = format!(
        "[providers.openai]\nbase_url = \"{}\"\nauth = \"none\"\n[chains]\nvectors = [\"openai/text-embedding-3-small\"]\n\
         local = [\"fake/nomic-embed-text\"]\n",
        provider.base_url()
    );
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, vectors + &text).unwrap();
    for model in ["text-embedding-3-small", "nomic-embed-text"] {
        provider.on(model, [Reply::Vectors(Vectors::of(1536))]);
    }
    provider.now_on("good", [Reply::text("ready")]);
    provider.now_on("empty", [Reply::text("ready")]);
    (provider, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn check_live_asks_a_tier_that_makes_embeddings_for_a_vector() {
    let folder = tempfile::tempdir().unwrap();
    let (provider, path) = embeds(folder.path()).await;
    let asked = || {
        let paths: Vec<_> = provider.seen().into_iter().filter(|seen| seen.model.contains("embed")).collect();
        paths.iter().filter(|seen| seen.path.ends_with("/embeddings")).count()
    };
    let (code, shown, said) = mainstay_in(&["check", "--live"], folder.path(), &[], "");
    assert_eq!(code, 0, "{shown}{said}");
    for tier in ["openai/text-embedding-3-small", "fake/nomic-embed-text", "fake/good"] {
        assert!(shown.contains(&format!("ok      {tier}")), "{shown}");
    }
    assert_eq!(asked(), 2);
    // The same through a gateway that has the store.
    let gateway = Gateway::start(&path);
    let (code, shown, said) = gateway.tell(&["check", "--live"]);
    assert_eq!(code, 0, "{shown}{said}");
    assert!(said.contains("through the running gateway"), "{said}");
    assert_eq!(asked(), 4);
    // And one that is broken is told as such.
    provider.now_on("text-embedding-3-small", [Reply::Fault(Fault::Status(500))]);
    let (code, shown, _) = gateway.tell(&["check", "--live"]);
    assert_eq!(code, 1);
    assert!(shown.contains("failed  openai/text-embedding-3-small"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn spending_is_shown_with_the_caps_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, mut gateway) = asked_once(folder.path()).await;
    let (code, shown, said) = gateway.tell(&["spend", "--by", "tier"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.lines().all(|line| line.split('\t').count() == 8), "{shown}");
    for part in [
        "total: $",
        "bought nothing",
        "as the running gateway counts",
        "daily $5.00",
        "spent",
        "starts anew in",
    ] {
        assert!(said.contains(part), "{part} is missing in:\n{said}");
    }
    let (_, shown, _) = gateway.tell(&["spend", "--by", "user", "--json"]);
    let told = rows(&shown);
    assert_eq!(told[0]["name"], "ann");
    let last = told.last().unwrap();
    assert_eq!((&last["caps_from"], &last["caps"][0]["cap"]), (&"gateway".into(), &"daily".into()));
    assert_eq!(last["total"]["cost_nanousd"], told[0]["cost_nanousd"]);
    assert!(last["total"]["wasted_nanousd"].as_u64().is_some_and(|wasted| wasted > 0), "{last}");
    gateway.kill();
    let (code, shown, said) = mainstay(&["spend"], folder.path());
    assert_eq!(code, 0, "{said}");
    assert!(shown.contains(" %"), "the day's share of the cap is missing: {shown}");
    assert!(said.contains("no gateway answers") && said.contains("daily $5.00"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_read_with_select_and_with_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, gateway) = asked_once(folder.path()).await;
    let sql = |statement: &str, more: &[&str]| {
        let mut arguments = vec!["sql", statement];
        arguments.extend(more);
        gateway.tell(&arguments)
    };
    let (code, shown, said) =
        sql("SELECT tier, count(*) AS calls FROM llm_calls GROUP BY tier ORDER BY tier", &[]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(shown, "fake/empty\t2\nfake/good\t1\n");
    let (_, shown, _) =
        sql("SELECT tier, attempt FROM llm_calls ORDER BY attempt", &["--json", "--limit", "1"]);
    assert_eq!(shown, "{\"tier\":\"fake/empty\",\"attempt\":1}\n");
    for (statement, part) in [
        ("DELETE FROM llm_calls", "SELECT"),
        ("SELECT 1; DROP TABLE llm_calls", "SELECT"),
        ("SELECT nothing FROM llm_calls", "nothing"),
        ("ATTACH 'x' AS y", "SELECT"),
    ] {
        let (code, shown, said) = sql(statement, &[]);
        assert_eq!((code, shown.as_str()), (2, ""), "{statement}: {said}");
        assert!(said.contains(part), "{statement}: {said}");
    }
    let (_, shown, _) = sql("SELECT count(*) FROM llm_calls", &[]);
    assert_eq!(shown, "3\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_s_rows_and_stories_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_provider, gateway) = asked_once(folder.path()).await;
    let (code, shown, said) = gateway.tell(&["calls", "--user", "ann"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert_eq!(gateway.tell(&["calls", "--user", "nobody"]).1, "");
    assert_eq!(gateway.tell(&["calls", "--quality", "empty"]).1.lines().count(), 2);
    let (code, story, _) = gateway.tell(&["why", "last"]);
    assert_eq!(code, 0);
    for part in ["user ann", "fake/empty", "fake/good", "Answered on attempt 3", "bought nothing"] {
        assert!(story.contains(part), "{part} is missing in:\n{story}");
    }
    let (code, _, said) = gateway.tell(&["why", "req_nothing"]);
    assert_eq!(code, 1);
    assert!(said.contains("req_nothing") && said.contains("mainstay calls"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_taken_in_and_an_invalid_one_is_refused_loudly() {
    let folder = tempfile::tempdir().unwrap();
    let provider = provider().await;
    let config = write_config(folder.path(), &provider, &["empty", "good"]);
    let gateway = Gateway::start(&config);
    let tiers = |gateway: &Gateway| gateway.tell(&["tiers"]).1.lines().count();
    assert_eq!(tiers(&gateway), 2);
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}colour = \"red\"\n")).unwrap();
    gateway.wait_for("the old one stays in force");
    // The problem stands on a line of its own, which may come a moment later.
    gateway.wait_for("colour");
    assert_eq!(tiers(&gateway), 2);
    write_config_with(folder.path(), &provider, &tier("default", "good"));
    gateway.wait_for("the new configuration is in force");
    assert_eq!(tiers(&gateway), 1);
    assert_eq!(ask(&gateway, &[]).1.trim(), RIVERS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_reads_the_file_again() {
    let folder = tempfile::tempdir().unwrap();
    let provider = provider().await;
    let gateway = Gateway::start(&write_config(folder.path(), &provider, &["good"]));
    gateway.signal("HUP");
    gateway.wait_for("the new configuration is in force");
    assert_eq!(ask(&gateway, &[]).1.trim(), RIVERS);
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_lets_a_running_answer_finish() {
    let folder = tempfile::tempdir().unwrap();
    let provider = FakeProvider::start().await.unwrap();
    let slow = mainstay_testkit::Said::text(RIVERS).slowly(std::time::Duration::from_millis(150));
    provider.on("slow", [Reply::Say(slow)]);
    let mut gateway = Gateway::start(&write_config(folder.path(), &provider, &["slow"]));
    let url = format!("{}/v1/chat/completions", gateway.base_url);
    let body = r#"{"model": "default", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}"#;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let running = tokio::spawn(async move {
        let request = http.post(url).header("content-type", "application/json").body(body);
        request.send().await.unwrap().text().await.unwrap()
    });
    while provider.calls("slow") == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    gateway.signal("TERM");
    let answer = running.await.unwrap();
    assert!(answer.trim_end().ends_with("data: [DONE]"), "{answer}");
    assert_eq!(gateway.child.wait().unwrap().code(), Some(0));
    let (_, shown, _) = mainstay(&["calls", "--json"], folder.path());
    assert_eq!(rows(&shown)[0]["outcome"], "ok");
}
