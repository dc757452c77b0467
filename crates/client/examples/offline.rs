//! The library against a simulated provider: no key, no network beyond this machine.
//!
//! The first model answers with nothing; the second one answers. Run it with
//! `cargo run -p mainstay --example offline`.

use mainstay::{ChatRequest, Client, Tier};
use mainstay_testkit::{FakeProvider, Fault, Reply};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let provider = FakeProvider::start().await?;
    provider
        .on("small", [Reply::Fault(Fault::Empty)])
        .on("large", [Reply::text("A mainstay is the rope that keeps the mast from falling backwards.")]);

    let client = Client::builder()
        .tier(Tier::new("simulated/small").base_url(provider.base_url()))
        .tier(Tier::new("simulated/large").base_url(provider.base_url()))
        .build()
        .await?;

    let answer = client.chat(ChatRequest::user("What is a mainstay?").session("example")).await?;
    println!("{}", answer.text);
    for attempt in &answer.attempts {
        println!("  {} {} {}", attempt.target, attempt.outcome.word(), attempt.why);
    }
    client.close().await;
    Ok(())
}
