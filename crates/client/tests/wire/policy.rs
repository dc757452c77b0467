//! The field's `policy` cases that only a wire can show: money, sockets, secrets, bytes in time. Times are
//! scaled down; each test names its case.

use std::time::{Duration, Instant};

use mainstay::{ChatRequest, Cost, Dialect, Kind, Outcome, Quality, RawJson, Reason};
use mainstay_testkit::{Fault, Reply, Said, Step};
use serde_json::json;

use crate::common::bytes::{chunk, delta, last_chunk, says, sse};
use crate::common::{Bench, NOW, Streamed, TestClock};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

/// Waits until nobody is connected to the provider any more; how long that took.
async fn closed(bench: &Bench) -> Duration {
    let began = Instant::now();
    while bench.provider.open_connections() > 0 {
        assert!(began.elapsed() < Duration::from_secs(5), "the connection is still open");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn budget_01_of_eight_calls_at_once_two_fit_and_the_rest_are_refused_before_any_is_made() {
    let price = "price = { input = \"0\", output = \"10.00\" }";
    let bench = Bench::with_tiers(&[("m-a", price)], "[budget]\nper_session = \"0.10\"\n").await;
    let answer = Said::text(GOOD).tokens(12, 4000);
    bench.provider.on(
        "m-a",
        [Reply::by(move |_| {
            let body = answer.body(mainstay_testkit::Spelling::OpenaiChat, "m-a").to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let answer = Step::Bytes((head + &body).into());
            Reply::Raw(vec![Step::Wait(Duration::from_millis(400)), answer])
        })],
    );
    let calls = (0..8).map(|_| bench.ask(ChatRequest::user("Go on.").session("s").max_tokens(4000)));
    let ended = futures_util::future::join_all(calls).await;
    let answered = ended.iter().filter(|one| one.is_ok()).count();
    let refused = ended.iter().filter_map(|one| one.as_ref().err());
    assert_eq!((answered, bench.provider.calls("m-a")), (2, 2));
    for gave_up in refused {
        assert!(matches!(gave_up.reason, Reason::BudgetExceeded(_)), "{gave_up:?}");
        assert_eq!(gave_up.upstream_calls(), 0);
    }
    let spent: i64 =
        bench.rows().iter().filter_map(|row| row.cost.known()).map(mainstay::Nanodollars::nanos).sum();
    assert_eq!(spent, 80_000_000);
}

#[tokio::test]
async fn budget_02_a_model_that_nobody_knows_the_price_of_is_never_recorded_as_free() {
    let keyed = "[budget]\ndaily = \"1.00\"\n[providers.p1]\ndialect = \"openai-chat\"\nbase_url = \
                 \"http://127.0.0.1:9/v1\"\napi_key_env = \"K\"\n[chains]\ndefault = [\"p1/brand-new\"]\n";
    let env = |name: &str| (name == "K").then(|| "sk-0123456789abcdef".to_owned());
    let refused = mainstay_config::load(keyed, "test.toml", &env, NOW).unwrap_err().to_string();
    assert!(refused.contains("brand-new") && refused.contains("price"), "{refused}");

    let bench = Bench::with_tiers(
        &[("brand-new", "unpriced = true # no price is known")],
        "[budget]\ndaily = \"1.00\"\n",
    )
    .await;
    bench.provider.on("brand-new", [Reply::text(GOOD)]);
    assert_eq!(bench.ask(ChatRequest::user("Go on.")).await.unwrap().cost, Cost::Unknown);
    assert_eq!(bench.attempts()[0].cost, Cost::Unknown);
}

#[tokio::test]
async fn budget_03_what_costs_nothing_is_recorded_as_nothing() {
    let price = "price = { input = \"0\", output = \"0\" }";
    let bench = Bench::with_tiers(&[("free", price)], "[budget]\ndaily = \"1.00\"\n").await;
    bench.provider.on("free", [Reply::text(GOOD)]);
    assert_eq!(bench.ask(ChatRequest::user("Go on.")).await.unwrap().cost, Cost::ZERO);
    assert_eq!(bench.attempts()[0].cost, Cost::ZERO);
}

#[tokio::test]
async fn shared_state_01_a_parameter_of_one_request_does_not_stick_to_the_next() {
    let bench = Bench::start(&["m-a"], "").await;
    bench.provider.on("m-a", [Reply::text(GOOD)]);
    let mut odd = ChatRequest { origin: Some(Dialect::OpenaiChat), ..ChatRequest::user("Go on.") };
    odd.extra.insert("dry_multiplier", RawJson::of(&0.8).unwrap());
    bench.ask(odd).await.unwrap();
    bench.ask(ChatRequest::user("Go on.")).await.unwrap();
    let seen = bench.provider.seen();
    assert_eq!(seen[0].body["dry_multiplier"], json!(0.8));
    assert_eq!(seen[1].body.get("dry_multiplier"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnect_01_a_stream_whose_caller_leaves_is_dropped_upstream_and_recorded() {
    let bench = Bench::start(&["m-a", "m-b"], "").await;
    let words = Said::text(&"word ".repeat(100)).slowly(Duration::from_millis(50));
    bench.provider.on("m-a", [Reply::Say(words)]).on("m-b", [Reply::text(GOOD)]);
    let mut stream = bench.client.chat_stream(ChatRequest::user("Go on.")).await.unwrap();
    stream.opening().await.unwrap();
    for _ in 0..4 {
        stream.next_text().await.unwrap();
    }
    drop(stream);
    let took = closed(&bench).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
    let rows = bench.rows_when(1).await;
    assert_eq!((rows.len(), rows[0].outcome, rows[0].released), (1, Outcome::Aborted, true), "{rows:?}");
    assert_eq!(rows[0].error_kind.as_deref(), Some("cancelled"));
    assert!(rows[0].tokens_estimated && rows[0].completion_tokens > Some(4), "{rows:?}");
    assert!(rows[0].cost.known().is_some_and(|cost| cost.nanos() > 0));
    assert!(rows[0].ttft_ms.is_some() && rows[0].http_status == Some(200), "{rows:?}");
    assert_eq!(bench.provider.calls("m-b"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnect_02_a_call_whose_caller_leaves_before_any_answer_is_dropped_upstream_and_recorded() {
    for stream in [false, true] {
        let bench = Bench::start(&["m-a", "m-b"], "").await;
        bench.provider.on("m-a", [Reply::Fault(Fault::Hang)]).on("m-b", [Reply::text(GOOD)]);
        let request = ChatRequest::user("Go on.").max_tokens(1000);
        let wait = Duration::from_millis(300);
        if stream {
            let mut stream = bench.client.chat_stream(request).await.unwrap();
            assert!(tokio::time::timeout(wait, stream.next()).await.is_err());
        } else {
            assert!(tokio::time::timeout(wait, bench.ask(request)).await.is_err());
        }
        let took = closed(&bench).await;
        assert!(took < Duration::from_secs(1), "{took:?}");
        let rows = bench.rows_when(1).await;
        assert_eq!((rows.len(), rows[0].outcome, rows[0].released), (1, Outcome::Aborted, false), "{rows:?}");
        assert_eq!(bench.provider.calls("m-b"), 0);
        // Of a stream it is known that nothing came; a whole answer may have been written unseen.
        let worst = rows[0].cost.known().unwrap().nanos() >= 2_000_000;
        assert_eq!(worst, !stream, "{rows:?}");
        assert_eq!(rows[0].has_note("charged at its worst case"), !stream);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn buffering_01_pieces_go_out_as_they_come() {
    let bench = Bench::start(&["m-a"], "").await;
    let mut steps = sse(&[]);
    for piece in 0..12 {
        steps.extend([chunk(&says(&format!("t{piece} "))), Step::Wait(Duration::from_millis(100))]);
    }
    steps.extend([chunk(&delta(&json!({}), Some("stop"))), chunk("data: [DONE]\n\n"), last_chunk()]);
    bench.provider.on("m-a", [Reply::Raw(steps)]);
    let streamed = bench.stream(ChatRequest::user("Count.")).await;
    streamed.done();
    let gaps = streamed.times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).max().unwrap();
    println!("first piece after {:?}, longest gap {gaps:?}", streamed.times[0]);
    assert!(streamed.times[0] < Duration::from_millis(400), "{:?}", streamed.times);
    assert!(gaps < Duration::from_millis(400), "{:?}", streamed.times);
}

#[tokio::test]
async fn fallback_stream_01_an_error_before_the_first_text_is_invisible() {
    let bench = Bench::with_tiers(&[("m-a", "retry_budget = 1"), ("m-b", "")], "").await;
    let error = "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"overloaded\"}}\n\n";
    let mut steps = sse(&[error.to_owned()]);
    steps.push(last_chunk());
    bench.provider.on("m-a", [Reply::Raw(steps)]).on("m-b", [Reply::text("all good")]);
    let streamed = bench.stream(ChatRequest::user("Go on.")).await;
    assert_eq!((streamed.text().as_str(), &*streamed.done().target.model), ("all good", "m-b"));
    assert_eq!(streamed.opened[0].target.to_string(), "fake/m-b");
}

#[tokio::test]
async fn fallback_stream_02_a_stream_closed_after_its_role_is_invisible() {
    let bench = Bench::with_tiers(&[("m-a", "retry_budget = 1"), ("m-b", "")], "").await;
    let mut steps = sse(&[delta(&json!({"role": "assistant", "content": ""}), None)]);
    steps.push(Step::Close);
    bench.provider.on("m-a", [Reply::Raw(steps)]).on("m-b", [Reply::text("fine")]);
    let streamed = bench.stream(ChatRequest::user("Go on.")).await;
    assert_eq!((streamed.text().as_str(), &*streamed.done().target.model), ("fine", "m-b"));
}

#[tokio::test]
async fn fallback_stream_03_and_04_half_an_answer_never_ends_in_good_order() {
    for (pieces, then) in [(&["Dear ", "team"][..], Step::Close), (&["Dear"][..], Step::Reset)] {
        let live = "[streaming]\nmode = \"live\"\non_interrupt = \"error\"\n";
        let bench = Bench::start(&["m-a"], live).await;
        let events: Vec<String> = pieces.iter().map(|piece| says(piece)).collect();
        let mut steps = sse(&events);
        steps.extend([Step::Wait(Duration::from_millis(50)), then]);
        bench.provider.on("m-a", [Reply::Raw(steps)]);
        let streamed = bench.stream(ChatRequest::user("Go on.")).await;
        assert_eq!(streamed.text(), pieces.concat());
        let Reason::Interrupted(failure) = &streamed.error().reason else { panic!("{streamed:?}") };
        assert_eq!(failure.kind, Kind::StreamInterrupted);
        assert_eq!(failure.answer.as_ref().unwrap().text, pieces.concat());
        let row = &bench.attempts()[0];
        assert_eq!((row.outcome, row.quality), (Outcome::Error, Some(Quality::Interrupted)));
        assert_eq!((row.error_kind.as_deref(), row.released), (Some("stream_interrupted"), true));
        assert!(row.tokens_estimated && row.completion_tokens > Some(0), "{row:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn timeouts_01_a_silent_stream_is_left_for_the_next_tier() {
    let patience = "retry_budget = 1\nfirst_content_timeout = \"500ms\"";
    let bench = Bench::with_tiers(&[("m-a", patience), ("m-b", "")], "").await;
    bench.provider.on("m-a", [Reply::Fault(Fault::HangAfterHeaders)]).on("m-b", [Reply::text("ok")]);
    let streamed = bench.stream(ChatRequest::user("Go on.")).await;
    assert_eq!(&*streamed.done().target.model, "m-b");
    assert!((450..1500).contains(&streamed.took.as_millis()), "{:?}", streamed.took);
    let row = &bench.attempts()[0];
    assert_eq!(row.error_kind.as_deref(), Some("timeout_first_byte"), "{row:?}");
    assert_eq!(row.detail, "no first content within 0.5 s");
    // The idle connection of the answering tier may stay in the pool.
    for _ in 0..100 {
        if bench.provider.open_connections() <= 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the silent connection is still open");
}

#[tokio::test(flavor = "multi_thread")]
async fn timeouts_02_a_stream_that_falls_silent_is_an_error_and_comments_do_not_keep_it() {
    let live = "[streaming]\nmode = \"live\"\non_interrupt = \"error\"\n";
    let idle = "idle_timeout = \"500ms\"";
    let mut comments = sse(&[says("half")]);
    for _ in 0..100 {
        comments.extend([chunk(": still here\n\n"), Step::Wait(Duration::from_millis(50))]);
    }
    let mut silence = sse(&[says("half")]);
    silence.push(Step::Hang);
    for steps in [silence, comments] {
        let bench = Bench::with_tiers(&[("m-a", idle)], live).await;
        bench.provider.on("m-a", [Reply::Raw(steps)]);
        let streamed = bench.stream(ChatRequest::user("Go on.")).await;
        let Reason::Interrupted(failure) = &streamed.error().reason else { panic!("{streamed:?}") };
        assert_eq!((failure.kind, streamed.text().as_str()), (Kind::TimeoutIdle, "half"));
        assert!((450..1500).contains(&streamed.took.as_millis()), "{:?}", streamed.took);
    }
}

#[tokio::test]
async fn retry_count_01_a_tier_is_asked_as_often_as_its_budget_says_and_no_more() {
    let bench = Bench::with_tiers(&[("m-a", "retry_budget = 4")], "[defaults]\ndeadline = \"5s\"\n").await;
    bench.provider.on("m-a", [Reply::Fault(Fault::Status(503))]);
    let gave_up = bench.ask(ChatRequest::user("Go on.")).await.unwrap_err();
    assert_eq!((bench.provider.calls("m-a"), gave_up.upstream_calls()), (4, 4));
    let numbers: Vec<_> = bench.attempts().iter().map(|row| (row.attempt, row.tier_attempt)).collect();
    assert_eq!(numbers, (1..=4).map(|number| (Some(number), Some(number))).collect::<Vec<_>>());
}

/// Resident memory in kilobytes; `None` where the system does not tell.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_01_streams_leave_nothing_behind() {
    let boats: Vec<String> =
        (0..400).map(|n| format!("Boat {n} came back with {} fish. ", n * 7 % 31)).collect();
    let text = format!("Nine boats left the harbour before dawn. {}", boats.concat());
    let bench = Bench::start(&["m-a"], "[log]\ncapture = \"preview\"\n").await;
    let answer = Said { piece: 64, ..Said::text(&text) };
    bench.provider.on("m-a", [Reply::Say(answer)]);
    let round = async |count: usize| {
        for _ in 0..count.div_ceil(25) {
            let calls = (0..25).map(|_| bench.stream(ChatRequest::user("Tell me of the boats.")));
            for streamed in futures_util::future::join_all(calls).await {
                assert_eq!(streamed.done().text.len(), text.len());
            }
        }
    };
    round(100).await;
    let Some(before) = resident() else { return };
    round(300).await;
    let after = resident().unwrap();
    println!("resident: {before} kB after 100 streams, {after} kB after 400");
    assert!(after < before + 40_000, "{before} kB, then {after} kB");
}

#[tokio::test]
async fn a_stream_that_is_dropped_before_it_is_read_makes_no_second_call() {
    let bench = Bench::with_tiers(&[("m-a", "retry_budget = 2")], "").await;
    bench.provider.on("m-a", [Reply::Fault(Fault::Hang)]);
    let stream = bench.client.chat_stream(ChatRequest::user("Go on.")).await.unwrap();
    drop(stream);
    let rows = bench.rows_when(1).await;
    assert_eq!(rows[0].outcome, Outcome::Aborted);
    assert!(bench.provider.calls("m-a") <= 1);
}

#[tokio::test]
async fn a_clock_of_the_tests_own_is_used() {
    let text = "[providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n[chains]\ndefault = [\"fake/m\"]\n";
    let bench = Bench::with_text(text, &|_| None, TestClock::at(NOW)).await;
    bench.provider.on("m", [Reply::text(GOOD)]);
    let streamed = Streamed::of(bench.client.chat_stream(ChatRequest::user("Go on.")).await.unwrap()).await;
    streamed.done();
    let row = &bench.attempts()[0];
    assert!(row.ts.since(NOW) < Duration::from_secs(30), "{row:?}");
    assert!(row.stream, "a stream is one, also where the request did not say so");
}
