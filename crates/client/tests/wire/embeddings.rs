//! Vectors from one tier, checked, paid for and written down; never from another (behaviour 11.6).

use std::sync::Arc;
use std::time::Duration;

use mainstay::{
    ChatError, ChatRequest, Cost, EmbedRequest, EmbedResponse, GaveUp, Kind, Nanodollars, Outcome, Quality,
    Reason,
};
use mainstay_testkit::{Fault, Reply, Spoilt, Step, Vectors};
use serde_json::json;

use crate::common::{Bench, NOW, TestClock};

const TEXTS: [&str; 3] = ["a mast", "a stay", "a sail"];

async fn embed(bench: &Bench, model: &str) -> Result<EmbedResponse, GaveUp> {
    bench.client.embed(model, &TEXTS).await.map_err(gave_up)
}

fn gave_up(error: ChatError) -> GaveUp {
    match error {
        ChatError::GaveUp(gave_up) => gave_up,
        ChatError::UnknownModel(unknown) => panic!("{unknown}"),
    }
}

fn expected(dimensions: usize) -> Vec<Vec<f32>> {
    TEXTS.iter().map(|text| Vectors::vector(text, dimensions)).collect()
}

fn usd(text: &str) -> Nanodollars {
    text.parse().unwrap()
}

/// A provider of each dialect, under the names of the built-in ones where their ways matter.
const DIALECTS: &str = "
[providers.openai]
base_url = \"BASE_URL\"
api_key_env = \"KEY\"
[providers.mistral]
base_url = \"BASE_URL\"
api_key_env = \"KEY\"
[providers.gemini]
base_url = \"ORIGIN/v1beta\"
api_key_env = \"KEY\"
[providers.ollama]
base_url = \"ORIGIN\"
[providers.near]
dialect = \"openai-chat\"
base_url = \"BASE_URL\"
auth = \"none\"
[chains]
default = [\"openai/text-embedding-3-small\"]
mistral = [\"mistral/codestral-embed\"]
gemini = [\"gemini/gemini-embedding-001\"]
local = [\"ollama/nomic-embed-text\"]
near = [\"near/bge\"]
";
const TIERS: [&str; 5] = [
    "openai/text-embedding-3-small",
    "mistral/codestral-embed",
    "gemini/gemini-embedding-001",
    "ollama/nomic-embed-text",
    "near/bge",
];

fn key(name: &str) -> Option<String> {
    (name == "KEY").then(|| "k-123".to_owned())
}

async fn every_dialect() -> Bench {
    let bench = Bench::with_text(DIALECTS, &key, TestClock::at(NOW)).await;
    bench.provider.otherwise(Reply::Vectors(Vectors::of(8)));
    bench
}

#[tokio::test]
async fn every_provider_gives_the_vector_of_each_text_in_its_place() {
    let bench = every_dialect().await;
    for name in TIERS {
        let found = embed(&bench, name).await.unwrap();
        assert_eq!(found.vectors, expected(8), "{name}");
        assert_eq!((found.target.to_string().as_str(), found.usage.prompt), (name, 12));
        let fewer = EmbedRequest::texts(TEXTS).model(name).dimensions(4);
        assert_eq!(bench.client.embed_request(fewer).await.unwrap().vectors, expected(4), "{name}");
    }
    let paths: Vec<String> = bench.provider.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(
        [&paths[0], &paths[2], &paths[4], &paths[6], &paths[8]],
        [
            "/v1/embeddings",
            "/v1/embeddings",
            "/v1beta/models/gemini-embedding-001:batchEmbedContents",
            "/api/embed",
            "/v1/embeddings"
        ]
    );
}

#[tokio::test]
async fn a_call_is_one_row_without_a_finish_reason() {
    let bench = every_dialect().await;
    let request = EmbedRequest::texts(TEXTS).for_user("ann").session("s-1");
    let found = bench.client.embed_request(request).await.unwrap();
    let [row] = bench.rows().try_into().unwrap();
    assert_eq!((row.outcome, row.quality, row.finish_reason), (Outcome::Ok, Some(Quality::Ok), None));
    assert_eq!((row.prompt_tokens, row.completion_tokens), (Some(12), Some(0)));
    assert_eq!((row.chain.as_str(), row.tier.as_deref()), ("default", Some(TIERS[0])));
    assert_eq!((row.user_id.as_deref(), row.session_id.as_deref()), (Some("ann"), Some("s-1")));
    assert!(row.has_note("embeddings") && row.released && !row.tokens_estimated && !row.rescued, "{row:?}");
    assert_eq!(row.provider_request_id.as_deref(), Some("req_fake"));
    // 12 tokens at $0.02 a million.
    assert_eq!(row.cost, Cost::Known(usd("0.00000024")));
    assert_eq!((found.cost, found.request_id), (row.cost, row.request_id));
}

#[tokio::test]
async fn a_count_that_was_left_out_is_estimated_and_marked() {
    let bench = every_dialect().await;
    bench.provider.otherwise(Reply::Vectors(Vectors::of(8).tokens(None)));
    for name in TIERS {
        let found = embed(&bench, name).await.unwrap();
        assert!(found.usage.estimated && (3..30).contains(&found.usage.prompt), "{name}: {:?}", found.usage);
    }
    assert!(bench.rows().iter().all(|row| row.tokens_estimated));
}

#[tokio::test]
async fn vectors_that_are_not_what_was_asked_for_are_never_handed_over() {
    for how in Spoilt::ALL {
        let bench = every_dialect().await;
        bench.provider.otherwise(Reply::Vectors(Vectors::of(8).spoilt(how)));
        for name in TIERS {
            let failed = embed(&bench, name).await.unwrap_err();
            let kinds: Vec<Kind> = failed.failures.iter().map(|failure| failure.kind).collect();
            assert_eq!(kinds, [Kind::InvalidResponse; 2], "{name}, {how:?}: {failed}");
            assert!(matches!(failed.reason, Reason::AllProvidersFailed { .. }), "{failed:?}");
        }
    }
}

#[tokio::test]
async fn another_number_of_dimensions_than_asked_for_is_never_handed_over() {
    let bench = every_dialect().await;
    let two = json!({"object": "list", "data": [{"index": 0, "embedding": [0.5, 0.5]}]}).to_string();
    bench.provider.on("bge", [Reply::http(200, &[], &two)]);
    let ask = |dimensions| {
        bench.client.embed_request(EmbedRequest::texts(["a"]).model("near/bge").dimensions(dimensions))
    };
    assert_eq!(gave_up(ask(3).await.unwrap_err()).failures[0].kind, Kind::InvalidResponse);
}

/// A chain of two models that make vectors; both have a price of a dollar a million.
async fn two_tiers(further: &str) -> Bench {
    let bench = Bench::start(&["first", "second"], further).await;
    bench.provider.on("second", [Reply::Vectors(Vectors::of(8))]);
    bench
}

#[tokio::test]
async fn a_failure_is_retried_on_its_tier_and_never_goes_to_another() {
    let faults = [
        Fault::Status(500),
        Fault::Overloaded,
        Fault::CloseAtOnce,
        Fault::CutBeforeContent,
        Fault::Html,
        Fault::BadJson,
        Fault::NoBody,
        Fault::WrongLength,
        Fault::ErrorInside200,
    ];
    for fault in faults {
        let bench = two_tiers("").await;
        let good = Reply::Vectors(Vectors::of(8));
        bench.provider.on("first", [Reply::Fault(fault.clone()), good]);
        let found = embed(&bench, "default").await.unwrap_or_else(|failed| panic!("{fault:?}: {failed}"));
        assert_eq!((&found.vectors, found.upstream_calls()), (&expected(8), 2), "{fault:?}");
        assert!(bench.attempts()[1].rescued);

        let bench = two_tiers("").await;
        bench.provider.on("first", [Reply::Fault(fault.clone())]);
        let failed = embed(&bench, "default").await.unwrap_err();
        assert_eq!((failed.upstream_calls(), bench.provider.calls("second")), (2, 0), "{fault:?}");
        assert!(matches!(failed.reason, Reason::AllProvidersFailed { .. }), "{failed:?}");
    }
}

#[tokio::test]
async fn what_no_retry_mends_is_asked_once() {
    for (fault, kind) in [
        (Fault::Status(401), Kind::Auth),
        (Fault::Status(400), Kind::InvalidRequest),
        (Fault::UnknownModel, Kind::NotFound),
        (Fault::Quota, Kind::QuotaExhausted),
    ] {
        let bench = two_tiers("").await;
        bench.provider.on("first", [Reply::Fault(fault.clone())]);
        let failed = embed(&bench, "default").await.unwrap_err();
        assert_eq!(failed.failures[0].kind, kind);
        assert_eq!((bench.provider.calls("first"), bench.provider.calls("second")), (1, 0), "{fault:?}");
    }
}

#[tokio::test]
async fn a_hint_is_kept_to_the_second_and_then_the_same_tier_answers() {
    let bench = two_tiers("").await;
    bench.provider.on("first", [Reply::Fault(Fault::RateLimited(1)), Reply::Vectors(Vectors::of(8))]);
    let began = tokio::time::Instant::now();
    let found = embed(&bench, "default").await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!((&*found.target.model, bench.provider.calls("second")), ("first", 0));
    let rows = bench.attempts();
    assert_eq!(rows[0].error_kind.as_deref(), Some("rate_limited"));
    assert!(rows[1].wait_ms >= 900, "{rows:?}");
}

#[tokio::test]
async fn a_hint_beyond_the_deadline_ends_the_request_at_once_and_keeps_others_away() {
    let bench = two_tiers("").await;
    bench.provider.on("first", [Reply::Fault(Fault::RateLimited(3_600))]);
    let failed = embed(&bench, "default").await.unwrap_err();
    assert!(matches!(failed.reason, Reason::AllProvidersFailed { only_rate_limits: true, .. }), "{failed:?}");
    assert!(failed.retry_after.is_some_and(|wait| wait > Duration::from_secs(3_590)), "{failed:?}");
    // The tier cools for everybody, chats included, until the hint has passed.
    let failed = embed(&bench, "fake/first").await.unwrap_err();
    assert_eq!((failed.upstream_calls(), bench.provider.calls("first")), (0, 1));
    assert!(bench.rows().iter().any(|row| row.has_note("cooling")), "{:?}", bench.rows());
}

#[tokio::test]
async fn a_tier_that_is_silent_is_given_up_in_time() {
    let bench = Bench::with_tiers(&[("first", "answer_timeout = \"200ms\""), ("second", "")], "").await;
    bench.provider.on("first", [Reply::Fault(Fault::Hang)]).on("second", [Reply::Vectors(Vectors::of(8))]);
    let failed = embed(&bench, "default").await.unwrap_err();
    assert_eq!(failed.failures[0].kind, Kind::TimeoutTotal);
    assert_eq!((bench.provider.calls("first"), bench.provider.calls("second")), (1, 0));
}

#[tokio::test]
async fn a_caller_that_goes_away_hangs_up_on_the_provider_and_is_written_down() {
    let bench = two_tiers("[budget]\ndaily = \"1.00\"\n").await;
    bench.provider.on("first", [Reply::Fault(Fault::HangAfterHeaders)]);
    let client = bench.client.clone();
    let call = tokio::spawn(async move { client.embed("default", &TEXTS).await.map(drop) });
    while bench.provider.calls("first") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    call.abort();
    let rows = bench.rows_when(1).await;
    assert_eq!((rows[0].outcome, rows[0].error_kind.as_deref()), (Outcome::Aborted, Some("cancelled")));
    assert!(rows[0].cost.known().is_some_and(|cost| cost > Nanodollars::ZERO), "at its worst case");
    let engine = bench.client.engine();
    assert!(engine.ledger().status(engine.now()).iter().all(|cap| cap.reserved == Nanodollars::ZERO));
    for _ in 0..200 {
        if bench.provider.open_connections() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the provider is still being waited for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_callers_at_once_never_pass_a_cap() {
    // A text of 4,984 bytes can have 5,000 tokens: $0.005 at a dollar a million, so a cent holds two at a time.
    let bench = two_tiers("[budget]\ndaily = \"0.01\"\n").await;
    let reply = Reply::by(|_| {
        let body = json!({"data": [{"index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 1_300}})
            .to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        Reply::Raw(vec![Step::Wait(Duration::from_millis(20)), Step::Bytes((head + &body).into())])
    });
    bench.provider.on("first", [reply]);
    let text: Arc<str> = "mast ".repeat(1_000)[..4_984].into();
    let calls = (0..100).map(|_| {
        let (client, text) = (bench.client.clone(), Arc::clone(&text));
        tokio::spawn(async move {
            let ended = client.embed("default", &[&*text]).await;
            let engine = client.engine();
            for cap in engine.ledger().status(engine.now()) {
                assert!(cap.spent.saturating_add(cap.reserved) <= usd("0.01"), "{cap:?}");
            }
            ended.map(drop).map_err(|error| error.to_string())
        })
    });
    let ended: Vec<_> = futures_util::future::join_all(calls).await.into_iter().map(Result::unwrap).collect();
    let answered = ended.iter().filter(|one| one.is_ok()).count();
    assert!((2..=7).contains(&answered), "{answered} answered");
    assert_eq!(bench.provider.calls("first"), answered, "whoever was refused had made no call");
    assert!(
        ended.iter().filter_map(|one| one.as_ref().err()).all(|why| why.contains("the cap daily = $0.01"))
    );
    let spent: Nanodollars = bench.rows().iter().filter_map(|row| row.cost.known()).sum();
    assert_eq!(spent, (0..answered).map(|_| usd("0.0013")).sum());
}

#[tokio::test]
async fn a_cap_that_has_no_room_refuses_before_anybody_is_asked() {
    let bench = two_tiers("[budget]\ndaily = \"0.000001\"\n").await;
    let failed = embed(&bench, "default").await.unwrap_err();
    assert!(matches!(failed.reason, Reason::BudgetExceeded(_)), "{failed:?}");
    assert_eq!(bench.provider.seen().len(), 0);
}

#[tokio::test]
async fn a_request_that_nobody_could_answer_is_the_callers_error() {
    let bench = every_dialect().await;
    let many = vec!["a"; 101];
    for (request, param) in [
        (EmbedRequest::default(), "input"),
        (EmbedRequest::texts([""]), "input"),
        (EmbedRequest::texts(["a"]).dimensions(0), "dimensions"),
        (EmbedRequest::tokens([vec![1]]).model("gemini"), "input"),
        (EmbedRequest::tokens([vec![1]]).model("mistral"), "input"),
        (EmbedRequest::tokens([vec![1]]).model("local"), "input"),
        (EmbedRequest::texts(many).model("gemini"), "input"),
    ] {
        let failed = gave_up(bench.client.embed_request(request).await.unwrap_err());
        let Reason::InvalidRequest(failure) = &failed.reason else { panic!("{failed:?}") };
        assert_eq!(failure.param.as_deref(), Some(param), "{failure}");
    }
    assert_eq!(bench.provider.seen().len(), 0);
}

#[tokio::test]
async fn chat_and_embeddings_do_not_take_each_others_models() {
    let text = "[providers.openai]\nbase_url = \"BASE_URL\"\napi_key_env = \"KEY\"\n\
        [providers.deepseek]\nbase_url = \"BASE_URL\"\napi_key_env = \"KEY\"\n\
        [chains]\ndefault = [\"deepseek/deepseek-flash\", \"openai/gpt-6-luna\"]\n\
        vectors = [\"openai/text-embedding-3-small\"]\n";
    let bench = Bench::with_text(text, &key, TestClock::at(NOW)).await;
    bench.provider.otherwise(Reply::Vectors(Vectors::of(8)));
    for name in ["default", "openai/gpt-6-luna", "deepseek/deepseek-flash", "gpt-6-luna", ""] {
        let failed = embed(&bench, name).await.unwrap_err();
        let Reason::InvalidRequest(failure) = &failed.reason else { panic!("{name}: {failed:?}") };
        assert_eq!(failure.param.as_deref(), Some("model"), "{name}");
        assert!(failure.message.contains("makes no embeddings"), "{failure}");
    }
    for name in [
        "vectors",
        "openai/text-embedding-3-small",
        "text-embedding-3-small",
        "openai/text-embedding-3-large",
    ] {
        assert!(embed(&bench, name).await.is_ok(), "{name}");
        let request =
            || ChatRequest { model_hint: Some(name.into()), ..ChatRequest::user("When is high tide?") };
        let failed = bench.ask(request()).await.unwrap_err();
        let Reason::InvalidRequest(failure) = &failed.reason else { panic!("{name}: {failed:?}") };
        assert!(failure.message.contains("/v1/embeddings"), "{failure}");
        let streamed = bench.stream(request()).await;
        assert!(matches!(streamed.error().reason, Reason::InvalidRequest(_)), "{name}");
    }
    assert_eq!(bench.provider.seen().len(), 4, "only the vectors were asked for");
    assert!(matches!(bench.client.embed("no-such-model", &TEXTS).await, Err(ChatError::UnknownModel(_))));
    let tier = bench.client.resolve_embedding(Some("no/where")).err();
    assert!(tier.is_some_and(|unknown| unknown.known.contains(&"vectors".to_owned())));
}
