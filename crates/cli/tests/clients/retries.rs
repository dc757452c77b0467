//! The retries that SDKs make by themselves do not multiply ours (behaviour 11.1): an outage of every tier costs the
//! chain's own number of calls, whatever its kind.

use std::collections::BTreeSet;
use std::path::Path;

use mainstay_testkit::{FakeProvider, Fault, Reply};
use serde_json::Value;

use crate::client::{Client, Face};
use crate::common::{Gateway, mainstay};
use crate::run::{self, Shown};
use crate::setting::{RIVERS, section, tier};

/// One way in which every tier fails.
struct Outage {
    name: &'static str,
    fault: Fault,
    /// Calls of one request: two tiers with a budget of two, which a limit whose end is too far away does not use up.
    calls: usize,
    /// The classes, one for each SDK family, under which its users catch it.
    caught_as: [&'static str; 2],
}

const SERVER: [&str; 2] = ["InternalServerError", "InternalServerError"];
const LIMITED: [&str; 2] = ["RateLimitError", "RateLimitError"];

fn outages() -> Vec<Outage> {
    let outage = |name, fault, calls, caught_as| Outage { name, fault, calls, caught_as };
    vec![
        outage("500", Fault::Status(500), 4, SERVER),
        outage("503", Fault::Status(503), 4, SERVER),
        outage("429", Fault::Status(429), 4, LIMITED),
        outage("429-hint", Fault::RateLimited(3600), 2, LIMITED),
        outage("quota", Fault::Quota, 2, SERVER),
        outage("cut", Fault::CutBeforeContent, 4, SERVER),
        outage("empty", Fault::Empty, 4, SERVER),
        outage("dot", Fault::Dot, 4, SERVER),
        outage("error-in-200", Fault::ErrorInside200, 4, SERVER),
        outage("html", Fault::Html, 4, SERVER),
        // Nobody listens on its port: the log counts.
        outage("refused", Fault::CloseAtOnce, 4, SERVER),
    ]
}

/// Whole and streamed, each a chain of its own, so that one does not find the other's cooldowns.
fn cells(outages: &[Outage]) -> Vec<(String, &Outage)> {
    outages.iter().flat_map(|one| ["", "-stream"].map(|mode| (format!("{}{mode}", one.name), one))).collect()
}

fn start(folder: &Path, face: Face, provider: &FakeProvider, cells: &[(String, &Outage)]) -> Gateway {
    let mut text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[log]\nurl = \"sqlite:{}\"\n[budget]\ndaily = \"5.00\"\n{}",
        folder.join("log.db").display(),
        section("fake", face, provider),
    );
    text += "[providers.gone]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:1/v1\"\nauth = \"none\"\n";
    for (name, outage) in cells {
        let behind = if outage.name == "refused" { "gone" } else { "fake" };
        for tier_name in ["a", "b"].map(|letter| format!("{name}-{letter}")) {
            // A limit without a hint is waited for, and this test does not want to wait for long.
            text += &(tier(name, behind, &tier_name) + "cooldown = \"1s\"\n");
            provider.on(&tier_name, [Reply::Fault(outage.fault.clone())]);
        }
    }
    // One model under two names: the first request finds it limited, the second comes while it cools.
    text += &(tier("hasty", "fake", "patient") + &tier("patient", "fake", "patient"));
    provider.on("patient", [Reply::Fault(Fault::RateLimited(2)), Reply::text(RIVERS)]);
    let path = folder.join("mainstay.toml");
    std::fs::write(&path, text).unwrap();
    Gateway::start(&path)
}

/// The rows of the log.
fn log(gateway: &Gateway) -> Vec<Value> {
    let (code, rows, errors) = mainstay(&["calls", "--json", "--limit", "100000"], &gateway.folder);
    assert_eq!(code, 0, "{errors}");
    rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How many requests came for a chain, and how many calls were made for them.
fn logged(rows: &[Value], chain: &str) -> (usize, usize) {
    let of_chain = || rows.iter().filter(|row| row["chain"] == chain);
    let requests: BTreeSet<String> = of_chain().map(|row| row["request_id"].to_string()).collect();
    (requests.len(), of_chain().filter(|row| !row["attempt"].is_null()).count())
}

/// How many calls the provider saw of a chain.
fn seen(provider: &FakeProvider, chain: &str) -> usize {
    ["a", "b"].iter().map(|letter| provider.calls(&format!("{chain}-{letter}"))).sum()
}

/// Lets every tier fail in every way while this SDK asks.
pub async fn check(client: &'static Client, script: &'static str, face: Face) {
    let outages = outages();
    let cells = cells(&outages);
    let provider = FakeProvider::start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let gateway = start(folder.path(), face, &provider, &cells);
    let mut models: Vec<String> = cells.iter().map(|(name, _)| name.clone()).collect();
    models.extend(["hasty", "patient"].map(String::from));
    let Some(shown) = ask(client, script, face, &gateway.base_url, models).await else { return };
    let rows = log(&gateway);
    let mut wrong = Vec::new();
    for (name, outage) in &cells {
        let (requests, calls) = logged(&rows, name);
        let at_provider = if outage.name == "refused" { calls } else { seen(&provider, name) };
        let said = shown.get(name).map_or("nothing", String::as_str);
        let caught = said.starts_with("raised ")
            && said.contains(outage.caught_as[usize::from(face == Face::Anthropic)]);
        if requests != 1 || calls != outage.calls || at_provider != calls || !caught {
            wrong.push(format!(
                "{name}: {requests} requests, {calls} calls logged, {at_provider} seen, wanted {}; {said}",
                outage.calls
            ));
        }
    }
    // Nothing was tried for it, and the wait is short: the SDK is told to sit it out, and does.
    if shown["patient"] != RIVERS || provider.calls("patient") != 2 {
        wrong.push(format!("patient: {} calls, {}", provider.calls("patient"), shown["patient"]));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same SDK at the provider itself asks three times: what is measured here could be otherwise.
pub async fn multiplies_by_itself(client: &'static Client, script: &'static str, face: Face) {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("500", [Reply::Fault(Fault::Status(500))]);
    let Some(_) = ask(client, script, face, &provider.origin(), vec!["500".into(), "nothing".into()]).await
    else {
        return;
    };
    assert_eq!(provider.calls("500"), 3, "the SDK's first call and its two retries");
}

async fn ask(
    client: &'static Client,
    script: &'static str,
    face: Face,
    origin: &str,
    models: Vec<String>,
) -> Option<Shown> {
    let origin = origin.to_owned();
    let asking = tokio::task::spawn_blocking(move || {
        let mut arguments = vec![origin.as_str(), face.word()];
        arguments.extend(models.iter().map(String::as_str));
        run::shown(client, script, &arguments, |_, _| {})
    });
    asking.await.unwrap()
}
