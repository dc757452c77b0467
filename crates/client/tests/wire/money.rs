//! Caps under a crowd, over a restart and after a kill (behaviour 8).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mainstay::{ChatRequest, Cost, Kind, Nanodollars, Outcome, Quality, Reason};
use mainstay_calllog::CallRecord;
use mainstay_cost::KeyCaps;
use mainstay_testkit::{Fault, Reply, Said, Seen, Step};
use serde_json::json;

use crate::common::bytes::{chunk, ends, says, sse, stream_of};
use crate::common::{Bench, NOW, Watcher, open};

/// A price at which a token of output costs ten nano-dollars a thousand and input a tenth of that.
const TEN: &str = "price = { input = \"1.00\", output = \"10.00\" }";

fn usd(text: &str) -> Nanodollars {
    text.parse().unwrap()
}

/// What the log says was spent.
fn spent(rows: &[CallRecord]) -> Nanodollars {
    rows.iter().filter_map(|row| row.cost.known()).sum()
}

/// An answer of as many tokens as the request allows, at most `most`, that takes a moment to come.
fn within_limit(most: u64, after: Duration) -> Reply {
    Reply::by(move |seen: &Seen| {
        let limit = seen.body["max_tokens"].as_u64().or(seen.body["max_completion_tokens"].as_u64());
        let tokens = limit.unwrap_or(u64::MAX).min(most);
        let finish = if tokens < most { "length" } else { "stop" };
        let body = json!({"id": "c1", "model": "m-real", "choices": [{"index": 0, "finish_reason": finish,
            "message": {"role": "assistant", "content": "The tide came in at noon and went out at six."}}],
            "usage": {"prompt_tokens": 12, "completion_tokens": tokens}})
        .to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        Reply::Raw(vec![Step::Wait(after), Step::Bytes((head + &body).into())])
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_callers_at_once_never_pass_a_dollar_by_a_cent() {
    for limit in [None, Some(2_000)] {
        let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"1.00\"\n").await;
        bench.provider.on("m", [within_limit(1_500, Duration::from_millis(20))]);
        let highest = Arc::new(AtomicU64::new(0));
        let calls = (0..200).map(|caller| {
            let (client, highest) = (bench.client.clone(), Arc::clone(&highest));
            tokio::spawn(async move {
                let mut request =
                    ChatRequest::user("When is high tide?").for_user(format!("u{}", caller % 7));
                request.max_tokens = limit;
                let ended = if caller % 2 == 0 {
                    client.chat(request).await.map(|_| ()).map_err(|error| error.to_string())
                } else {
                    let stream = client.chat_stream(request).await.unwrap();
                    stream.collect().await.map(|_| ()).map_err(|gave_up| gave_up.to_string())
                };
                let engine = client.engine();
                for cap in engine.ledger().status(engine.now()) {
                    let used = cap.spent.saturating_add(cap.reserved).nanos();
                    highest.fetch_max(u64::try_from(used).unwrap(), Ordering::Relaxed);
                }
                ended
            })
        });
        let ended: Vec<_> = futures_util::future::join_all(calls).await;
        let rows = bench.rows();
        let calls: Vec<CallRecord> = rows.iter().filter(|row| row.attempt.is_some()).cloned().collect();
        let answered = ended.iter().filter(|one| one.as_ref().unwrap().is_ok()).count();
        println!(
            "limit {limit:?}: {answered} answered of 200, ${} spent by the log, at most ${} spent and set aside",
            spent(&rows),
            Nanodollars::from_nanos(i64::try_from(highest.load(Ordering::Relaxed)).unwrap())
        );
        assert!(spent(&rows) <= usd("1.00") && highest.load(Ordering::Relaxed) <= 1_000_000_000);
        assert!((20..200).contains(&answered), "{answered}");
        assert_eq!(bench.provider.seen().len(), calls.len());
        assert_eq!(calls.len(), answered, "whoever was refused had made no call");
        let refusals: Vec<&String> =
            ended.iter().filter_map(|one| one.as_ref().unwrap().as_ref().err()).collect();
        assert!(refusals.iter().all(|why| why.contains("the cap daily = $1.00")), "{refusals:?}");
        // Each refused request is one row without a tier, beside the tier that was passed over.
        let refused = rows.iter().filter(|row| row.tier.is_none()).count();
        assert_eq!(refused, 200 - answered);
    }
}

#[tokio::test]
async fn a_cap_that_is_nearly_spent_is_told_once() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"1.00\"\n").await;
    bench.provider.on("m", [Reply::Say(Said::text("At noon, as every day.").tokens(0, 17_000))]);
    for _ in 0..5 {
        bench.ask(ChatRequest::user("When?").max_tokens(17_000)).await.unwrap();
    }
    assert_eq!(bench.watcher.told(), ["cap_near"]);
    let message = bench.watcher.alerts.lock()[0].message.clone();
    assert!(message.contains("of the cap daily = $1.00 is spent"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_callers_without_a_limit_use_up_a_session_before_any_is_refused() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\nper_session = \"1.00\"\n").await;
    bench.provider.on("m", [within_limit(1_000, Duration::from_millis(10))]);
    let callers = (0..10).map(|_| {
        let client = bench.client.clone();
        tokio::spawn(async move {
            let mut answered = 0;
            loop {
                let ended = client.chat(ChatRequest::user("When is high tide?").session("s")).await;
                match ended {
                    Ok(_) => answered += 1,
                    Err(mainstay::ChatError::GaveUp(gave_up)) => return (answered, gave_up),
                    Err(other) => panic!("{other}"),
                }
            }
        })
    });
    let ended: Vec<_> =
        futures_util::future::join_all(callers).await.into_iter().map(Result::unwrap).collect();
    let mut least = usd("1.00");
    for (_, gave_up) in &ended {
        let Reason::BudgetExceeded(abort) = &gave_up.reason else { panic!("{gave_up:?}") };
        least = least.min(abort.spent);
    }
    let answered: u32 = ended.iter().map(|(answered, _)| answered).sum();
    let rows = bench.rows();
    println!("{answered} answered; the first refusal came at ${least} settled, ${} in the end", spent(&rows));
    assert!(least >= usd("0.80"), "refused at ${least}");
    assert!(spent(&rows) <= usd("1.00"));
    let limited = bench.attempts().iter().filter(|row| row.has_note("output limited to")).count();
    assert_eq!(limited, bench.attempts().len(), "every attempt says which limit it was given");
}

#[tokio::test]
async fn a_tier_that_is_too_dear_is_passed_over_for_one_that_is_not() {
    let dear = "price = { input = \"10\", output = \"100\" }";
    let bench = Bench::with_tiers(&[("dear", dear), ("cheap", TEN)], "[budget]\ndaily = \"0.10\"\n").await;
    bench.provider.on("dear", [Reply::text("no")]).on("cheap", [Reply::text("At noon, as every day.")]);
    let answer = bench.ask(ChatRequest::user("When?").max_tokens(2_000)).await.unwrap();
    assert_eq!((&*answer.target.model, bench.provider.calls("dear")), ("cheap", 0));
    let rows = bench.rows();
    assert_eq!((rows[0].outcome, rows[0].has_note("over_budget")), (Outcome::Skipped, true), "{rows:?}");
    assert!(rows[1].rescued, "a tier was passed over before it");
}

#[tokio::test]
async fn a_cap_survives_a_restart() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"0.10\"\n").await;
    bench.provider.on("m", [Reply::Say(Said::text("At noon, as every day.").tokens(12, 8_000))]);
    bench.ask(ChatRequest::user("When?").max_tokens(9_000)).await.unwrap();
    let bench = bench.restarted(NOW.after(Duration::from_mins(1))).await;
    let gave_up = bench.ask(ChatRequest::user("When?").max_tokens(3_000)).await.unwrap_err();
    let Reason::BudgetExceeded(abort) = &gave_up.reason else { panic!("{gave_up:?}") };
    assert_eq!((abort.spent, abort.reserved), (usd("0.080012"), Nanodollars::ZERO));
    let bench = bench.restarted(NOW.after(Duration::from_hours(24))).await;
    bench.ask(ChatRequest::user("When?").max_tokens(9_000)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_set_aside_when_the_process_was_killed_counts_in_full() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"0.10\"\n").await;
    bench.provider.on("m", [Reply::Fault(Fault::Hang)]);
    let (client, request) = (bench.client.clone(), ChatRequest::user("When?").max_tokens(6_000));
    let call = tokio::spawn(async move { client.chat(request).await.map(drop) });
    while bench.provider.calls("m") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // What a kill leaves behind: the files as they are now.
    assert!(bench.client.engine().store().unwrap().flush(Duration::from_secs(10)));
    let copy = tempfile::tempdir().unwrap();
    copy_all(bench.folder.path(), copy.path());
    call.abort();
    let text =
        bench.config.replace(&bench.folder.path().display().to_string(), &copy.path().display().to_string());
    let watcher = Arc::new(Watcher::default());
    let clock = crate::common::TestClock::at(NOW.after(Duration::from_mins(1)));
    let again = open(&text, &|_| None, clock, &watcher).await;
    bench.provider.now_on("m", [Reply::text("At noon, as every day.")]);
    let error = again.chat(ChatRequest::user("When?").max_tokens(5_000)).await.unwrap_err();
    let mainstay::ChatError::GaveUp(gave_up) = error else { panic!("{error}") };
    let Reason::BudgetExceeded(abort) = &gave_up.reason else { panic!("{gave_up:?}") };
    assert!(abort.spent.saturating_add(abort.reserved) >= usd("0.06"), "{abort:?}");
    again.chat(ChatRequest::user("When?").max_tokens(1_000)).await.unwrap();
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn a_stream_that_goes_on_beyond_what_was_set_aside_is_cut_and_says_so() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"1.00\"\n").await;
    let mut steps = sse(&[]);
    for number in 0..2_000 {
        steps.push(chunk(&says(&format!("Boat {number} came in with the tide and left again. "))));
    }
    bench.provider.on("m", [Reply::Raw(steps)]);
    let streamed = bench.stream(ChatRequest::user("Tell me of the boats.").max_tokens(100)).await;
    let Reason::Interrupted(failure) = &streamed.error().reason else { panic!("{streamed:?}") };
    assert_eq!(failure.kind, Kind::BudgetExceeded);
    let row = &bench.attempts()[0];
    assert_eq!((row.error_kind.as_deref(), row.released), (Some("budget_exceeded"), true));
    assert!(row.cost.known().is_some_and(|cost| cost <= usd("0.0015")), "{row:?}");
    assert!(!bench.watcher.told().contains(&"overrun".to_owned()), "{:?}", bench.watcher.told());
}

#[tokio::test]
async fn a_bill_above_what_was_set_aside_is_charged_told_and_planned_for() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"1.00\"\n").await;
    bench.provider.on("m", [Reply::Say(Said::text("At noon, as every day.").tokens(12, 9_000))]);
    for _ in 0..3 {
        bench.ask(ChatRequest::user("When?").max_tokens(1_000)).await.unwrap();
    }
    let rows = bench.attempts();
    assert_eq!(spent(&rows[..1]), usd("0.090012"));
    assert!(rows[0].has_note("overrun"), "{rows:?}");
    assert!(!rows[2].has_note("overrun"), "the margin covers it by then: {rows:?}");
    assert_eq!(bench.watcher.told().iter().filter(|kind| *kind == "overrun").count(), 1);
}

#[tokio::test]
async fn a_virtual_keys_own_caps_count() {
    let bench = Bench::with_tiers(&[("m", TEN)], "").await;
    bench.provider.on("m", [Reply::Say(Said::text("At noon, as every day.").tokens(12, 4_000))]);
    let caps = KeyCaps { name: "team".into(), daily: Some(usd("0.10")), ..KeyCaps::default() };
    let options = mainstay::CallOptions { key_caps: Some(Arc::new(caps)), ..Default::default() };
    let ask = async || {
        let route = bench.client.resolve(None).unwrap();
        let request = ChatRequest::user("When?").max_tokens(4_500);
        bench.client.chat_on(route, request, options.clone()).await
    };
    ask().await.unwrap();
    ask().await.unwrap();
    let Reason::BudgetExceeded(abort) = ask().await.unwrap_err().reason else { panic!("not refused") };
    assert_eq!(abort.cap.to_string(), "key daily");
}

#[tokio::test]
async fn discarded_answers_are_charged_and_failed_calls_are_not() {
    let bench = Bench::with_tiers(&[("bad", TEN), ("down", TEN), ("good", TEN)], "").await;
    bench
        .provider
        .on("bad", [Reply::Say(Said::text("").tokens(1_000, 100))])
        .on("down", [Reply::Fault(Fault::Status(500))])
        .on("good", [Reply::Say(Said::text("At noon, as every day.").tokens(1_000, 50))]);
    let answer = bench.ask(ChatRequest::user("When?")).await.unwrap();
    let costs: Vec<Cost> = bench.attempts().iter().map(|row| row.cost).collect();
    let (bad, nothing) = (Cost::Known(usd("0.002")), Cost::ZERO);
    assert_eq!(costs, [bad, bad, nothing, nothing, Cost::Known(usd("0.0015"))]);
    assert_eq!(answer.cost, Cost::Known(usd("0.0055")));
}

#[tokio::test]
async fn usage_of_a_stream_is_what_the_provider_says_in_the_end() {
    let bench = Bench::with_tiers(&[("m", TEN)], "[budget]\ndaily = \"1.00\"\n").await;
    let mut events = vec![says("At noon, "), says("as every day.")];
    events.extend(ends("stop", 1_000, 50));
    bench.provider.on("m", [Reply::Raw(stream_of(&events))]);
    let streamed = bench.stream(ChatRequest::user("When?")).await;
    assert_eq!(streamed.done().cost, Cost::Known(usd("0.0015")));
    let row = &bench.attempts()[0];
    assert_eq!(
        (row.prompt_tokens, row.completion_tokens, row.quality),
        (Some(1_000), Some(50), Some(Quality::Ok))
    );
    assert_eq!(row.model.as_deref(), Some("m-real"), "the model as the provider reports it");
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_spent_where_the_operator_says_so() {
    let capped = "[budget]\ndaily = \"1.00\"\n";
    for (setting, cap, refused) in [("refuse", capped, true), ("refuse", "", true), ("warn", capped, false)] {
        let further = format!("[log]\non_failure = \"{setting}\"\njournal_max = \"1KB\"\n{cap}");
        let bench = Bench::with_tiers(&[("m", TEN)], &further).await;
        bench.provider.on("m", [Reply::text("At noon, as every day.")]);
        // A database that is locked takes nothing; the journal fills up.
        let db = rusqlite_lock(&bench);
        let mut last = bench.ask(ChatRequest::user("When?")).await;
        for _ in 0..39 {
            last = bench.ask(ChatRequest::user("When?")).await;
        }
        let calls = bench.provider.calls("m");
        assert!(bench.watcher.told().contains(&"log_unwritable".to_owned()), "{:?}", bench.watcher.told());
        match last {
            Err(gave_up) if refused => {
                assert!(matches!(gave_up.reason, Reason::LogUnavailable(_)), "{gave_up:?}");
                // The last bytes of a full journal may hold a small entry now and then.
                assert!(calls < 20, "calls that cannot be written down were made: {calls}");
            }
            Ok(_) if !refused => assert_eq!(calls, 40),
            other => panic!("{setting}: {other:?}"),
        }
        drop(db);
        // The database takes what waits, and calls are made again.
        assert!(bench.client.engine().store().unwrap().flush(Duration::from_secs(20)));
        bench.ask(ChatRequest::user("When?")).await.unwrap();
        assert!(bench.watcher.told().contains(&"-log_unwritable".to_owned()), "{:?}", bench.watcher.told());
    }
}

/// Keeps every other process from writing to the log's database.
fn rusqlite_lock(bench: &Bench) -> impl Sized + use<> {
    let db = rusqlite::Connection::open(bench.folder.path().join("log.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    db
}
