//! Several keys of one provider (behaviour 6.3): of one account they are used in turn and cool together, of
//! separate accounts each has a health of its own.

use mainstay::ChatRequest;
use mainstay_fallback::TierState;
use mainstay_testkit::{Fault, Reply, Said};

use crate::common::{Bench, NOW, TestClock};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

async fn bench(separate: bool) -> Bench {
    let text = format!(
        "[providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"BASE_URL\"\n\
         api_key_envs = [\"ONE_KEY\", \"TWO_KEY\"]\nseparate_accounts = {separate}\n\
         [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"m\"\nretry_budget = 1\n\
         price = {{ input = \"1.00\", output = \"2.00\" }}\n"
    );
    let env = |name: &str| match name {
        "ONE_KEY" => Some("key-of-the-first-account".to_owned()),
        "TWO_KEY" => Some("key-of-the-second-account".to_owned()),
        _ => None,
    };
    Bench::with_text(&text, &env, TestClock::at(NOW)).await
}

/// Which key each call came with.
fn keys(bench: &Bench) -> Vec<String> {
    bench.provider.seen().iter().map(|seen| seen.header("authorization").unwrap().to_owned()).collect()
}

#[tokio::test]
async fn keys_of_one_account_are_used_in_turn() {
    let bench = bench(false).await;
    bench.provider.on("m", [Reply::text(GOOD)]);
    for _ in 0..4 {
        bench.ask(ChatRequest::user("Which rivers?")).await.unwrap();
    }
    let (one, two) = ("Bearer key-of-the-first-account", "Bearer key-of-the-second-account");
    assert_eq!(keys(&bench), [one, two, one, two]);
    assert_eq!(bench.client.tier_health().len(), 1, "they cool together");
}

#[tokio::test]
async fn a_key_of_an_account_of_its_own_cools_alone() {
    let bench = bench(true).await;
    bench.provider.on("m", [Reply::Fault(Fault::RateLimited(60)), Reply::Say(Said::text(GOOD))]);
    let answer = bench.ask(ChatRequest::user("Which rivers?")).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.upstream_calls()), (GOOD, 2));
    let (one, two) = ("Bearer key-of-the-first-account", "Bearer key-of-the-second-account");
    assert_eq!(keys(&bench), [one, two], "the second account is asked at once");
    let states: Vec<bool> = bench.client.tier_health().iter().map(|tier| tier.state.is_available()).collect();
    assert_eq!(states, [false, true]);
    assert!(matches!(bench.client.tier_health()[0].state, TierState::Cooling { .. }));
    // Addressed by its own name the model is asked under the key that is well.
    let mut request = ChatRequest::user("Which rivers?");
    request.model_hint = Some("fake/m".into());
    bench.ask(request).await.unwrap();
    assert_eq!(keys(&bench).last().map(String::as_str), Some(two));
}
