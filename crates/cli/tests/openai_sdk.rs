//! The real OpenAI Python SDK chats, streams and calls a tool through a real gateway process.

mod common;

use common::{Gateway, python_with, run_script, tier, write_config_with};
use mainstay_testkit::{Fault, FakeProvider, Reply, Said};

const RIVERS: &str = "The Douro, the Tagus and the Guadiana.";

#[tokio::test(flavor = "multi_thread")]
async fn the_openai_python_sdk_cannot_tell_us_from_the_provider() {
    let Some(python) = python_with("openai-sdk", &["openai==3.57.0"]) else { return };
    let provider = FakeProvider::start().await.unwrap();
    provider
        .on("good", [Reply::text(RIVERS)])
        .on("empty", [Reply::Fault(Fault::Empty)])
        .on("tool", [Reply::Say(Said::call("get_weather", "{\"city\": \"Porto\"}"))])
        .on("broken", [Reply::Fault(Fault::Status(500))])
        .on("limited", [Reply::Fault(Fault::RateLimited(300))])
        .on("refusing", [Reply::Fault(Fault::Refusal)]);
    let folder = tempfile::tempdir().unwrap();
    let mut tiers = tier("rescued", "empty") + &tier("rescued", "good");
    for model in ["good", "tool", "broken", "limited", "refusing"] {
        tiers += &tier(model, model);
    }
    let config = write_config_with(folder.path(), &provider, &tiers);
    let gateway = Gateway::start(&config);
    let url = gateway.base_url.clone();
    tokio::task::spawn_blocking(move || run_script(&python, "openai_chat.py", &[&url])).await.unwrap();
    // The SDK would have retried by itself; the gateway told it not to (behaviour 11.1).
    assert_eq!(provider.calls("broken"), 2, "one request, the tier's own budget of two attempts");
    assert_eq!(provider.calls("limited"), 1);
    assert_eq!(provider.calls("refusing"), 1, "a refusal is never asked for twice");
}
