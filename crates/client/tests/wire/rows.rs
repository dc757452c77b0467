//! The call log: what each row says, what is captured, what is told about trouble with it (behaviour 9).

use std::time::Duration;

use mainstay::{ChatRequest, FinishReason, Metadata, Outcome, Quality, Reason, Served};
use mainstay_calllog::{CallRecord, Ending, story};
use mainstay_testkit::{Fault, Reply, Said};

use crate::common::Bench;
use crate::common::cases::LONG_ANSWER;

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

fn ask() -> ChatRequest {
    ChatRequest::user("Which rivers?")
}

fn ending(rows: &[CallRecord]) -> Ending {
    story(rows, &jiff::tz::TimeZone::UTC).ending
}

#[tokio::test]
async fn a_row_says_who_asked_and_what_came() {
    for stream in [false, true] {
        let bench = Bench::start(&["bad", "good"], "").await;
        bench.provider.on("bad", [Reply::Fault(Fault::Empty)]).on("good", [Reply::text(GOOD)]);
        let mut request = ask();
        request.meta = Metadata {
            request_id: None,
            client_request_id: Some("client-7".into()),
            session_id: Some("s".into()),
            user_id: Some("ann".into()),
            label: Some("search".into()),
            key_name: Some("team".into()),
            trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736".into()),
        };
        let response = if stream {
            bench.stream(request).await.done().clone()
        } else {
            bench.ask(request).await.unwrap()
        };
        let rows = bench.rows();
        assert_eq!(rows.len(), 3);
        for row in &rows {
            assert_eq!(row.request_id, response.request_id);
            assert_eq!(
                (row.client_request_id.as_deref(), row.key_name.as_deref()),
                (Some("client-7"), Some("team"))
            );
            assert_eq!((row.session_id.as_deref(), row.user_id.as_deref()), (Some("s"), Some("ann")));
            assert_eq!(row.trace_id.as_deref(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
            assert_eq!((row.label.as_deref(), row.stream), (Some("search"), stream));
            assert_eq!((row.http_status, row.provider_request_id.as_deref()), (Some(200), Some("req_fake")));
            assert_eq!(row.chain, "default");
        }
        let [first, second, last] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((first.attempt, first.tier_attempt, second.tier_attempt), (Some(1), Some(1), Some(2)));
        assert_eq!(
            (last.attempt, last.tier_attempt, last.tier.as_deref()),
            (Some(3), Some(1), Some("fake/good"))
        );
        assert_eq!((first.outcome, first.quality), (Outcome::Quality, Some(Quality::Empty)));
        assert_eq!((first.released, first.rescued, last.released, last.rescued), (false, false, true, true));
        assert_eq!((last.outcome, last.finish_reason), (Outcome::Ok, Some(FinishReason::Stop)));
        assert_eq!((last.prompt_tokens, last.completion_tokens), (Some(12), Some(10)));
        assert_eq!(last.ttft_ms.is_some(), stream);
        assert!(last.ttft_ms.is_none_or(|ttft| ttft <= last.latency_ms));
        assert_eq!(ending(&rows), Ending::Answered);
        assert!(rows.iter().map(|row| row.ts).is_sorted());
    }
}

#[tokio::test]
async fn the_first_answer_that_is_good_at_once_is_no_rescue() {
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [Reply::text(GOOD)]);
    let response = bench.ask(ask()).await.unwrap();
    assert_eq!(Served::of(&response), Served::First);
    let rows = bench.rows();
    assert!(rows.len() == 1 && rows[0].is_first_try_ok() && rows[0].wait_ms == 0, "{rows:?}");
}

#[tokio::test]
async fn of_several_failures_the_refusal_that_is_handed_over_is_the_one_that_is_marked() {
    for stream in [false, true] {
        let bench = Bench::with_tiers(&[("no", ""), ("down", "retry_budget = 1")], "").await;
        bench
            .provider
            .on("no", [Reply::Fault(Fault::Refusal)])
            .on("down", [Reply::Fault(Fault::Status(500))]);
        let response = if stream {
            let streamed = bench.stream(ask()).await;
            assert_eq!(streamed.text(), "I cannot help with that.");
            assert_eq!(streamed.opened[0].target.to_string(), "fake/no");
            assert_eq!(streamed.opened[0].served, Served::First);
            streamed.done().clone()
        } else {
            bench.ask(ask()).await.unwrap()
        };
        assert_eq!((response.finish_reason, &*response.target.model), (FinishReason::Refusal, "no"));
        let rows = bench.rows();
        let marks: Vec<(Option<&str>, bool)> =
            rows.iter().map(|row| (row.tier.as_deref(), row.released)).collect();
        assert_eq!(marks, [(Some("fake/no"), true), (Some("fake/down"), false)]);
        assert_eq!(ending(&rows), Ending::HandedOver);
    }
}

#[tokio::test]
async fn a_filter_that_speaks_through_an_error_status_is_a_filtered_answer() {
    let bench = Bench::start(&["m"], "").await;
    let body = "{\"error\":{\"code\":\"content_filter\",\"message\":\"The prompt was filtered.\"}}";
    bench.provider.on("m", [Reply::http(400, &[], body)]);
    let response = bench.ask(ask()).await.unwrap();
    assert_eq!(
        (response.finish_reason, response.quality.quality),
        (FinishReason::ContentFilter, Quality::Filtered)
    );
    let rows = bench.rows();
    assert_eq!(
        (rows.len(), rows[0].outcome, rows[0].quality),
        (1, Outcome::Quality, Some(Quality::Filtered))
    );
    assert!(rows[0].released && rows[0].http_status == Some(400));
    assert_eq!(ending(&rows), Ending::HandedOver);
}

#[tokio::test]
async fn a_refusal_that_the_operator_calls_an_error_is_not_marked_as_handed_over() {
    let bench = Bench::start(&["m"], "[quality]\non_refusal = \"error\"\n").await;
    bench.provider.on("m", [Reply::Fault(Fault::Refusal)]);
    let gave_up = bench.ask(ask()).await.unwrap_err();
    assert!(matches!(gave_up.reason, Reason::Refused(_)));
    assert!(!bench.rows()[0].released);
}

#[tokio::test]
async fn a_request_that_reaches_nobody_is_one_row_without_a_tier() {
    let bench = Bench::start(&["m"], "[budget]\ndaily = \"0.000001\"\n").await;
    let gave_up = bench.ask(ask().max_tokens(100)).await.unwrap_err();
    assert!(matches!(gave_up.reason, Reason::BudgetExceeded(_)));
    let rows = bench.rows();
    let nobody: Vec<&CallRecord> = rows.iter().filter(|row| row.tier.is_none()).collect();
    assert_eq!((nobody.len(), nobody[0].outcome, nobody[0].attempt), (1, Outcome::Skipped, None), "{rows:?}");
    assert_eq!(nobody[0].error_kind.as_deref(), Some("budget_exceeded"));
    assert!(nobody[0].detail.contains("the cap daily"), "{rows:?}");
    assert!(rows.iter().all(|row| row.attempt.is_none()));
}

#[tokio::test]
async fn a_caller_that_leaves_while_a_tier_is_awaited_is_on_record() {
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::RateLimited(20))]);
    let waiting = tokio::time::timeout(Duration::from_millis(200), bench.ask(ask()));
    assert!(waiting.await.is_err());
    assert!(tokio::time::timeout(Duration::from_millis(200), bench.ask(ask())).await.is_err());
    let rows = bench.rows_when(3).await;
    assert_eq!(rows[0].error_kind.as_deref(), Some("rate_limited"), "{rows:?}");
    assert_eq!(rows[1].outcome, Outcome::Skipped, "{rows:?}");
    assert_eq!((rows[2].outcome, rows[2].tier.as_deref()), (Outcome::Aborted, None), "{rows:?}");
    assert_eq!(ending(&rows[1..]), Ending::Aborted);
    assert_eq!(bench.provider.calls("m"), 1);
}

#[tokio::test]
async fn the_wait_before_an_attempt_stands_in_its_row() {
    let bench = Bench::with_tiers(&[("m", "backoff = \"200ms\"")], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::Status(500)), Reply::text(GOOD)]);
    bench.ask(ask()).await.unwrap();
    let rows = bench.rows();
    assert_eq!(rows[0].wait_ms, 0);
    assert!((150..900).contains(&rows[1].wait_ms), "{rows:?}");
    assert_eq!(Served::of(&bench.ask(ask()).await.unwrap()), Served::First);
}

#[tokio::test]
async fn prompts_and_answers_are_kept_only_where_that_is_wanted_and_without_secrets() {
    let asks = "My key is sk-proj-abcDEF0123456789abcd, write to ann@example.org, card 4111 1111 1111 1111.";
    let long = format!("Noted: ann@example.org. {LONG_ANSWER} {LONG_ANSWER} {GOOD}");
    for (capture, kept) in [("off", 0), ("preview", 500), ("full", usize::MAX)] {
        for stream in [false, true] {
            let bench = Bench::start(&["bad", "m"], &format!("[log]\ncapture = \"{capture}\"\n")).await;
            bench.provider.on("bad", [Reply::Fault(Fault::Status(404))]).on("m", [Reply::text(&long)]);
            let request = ChatRequest::user(asks).system("Be kind.");
            if stream {
                bench.stream(request).await.done();
            } else {
                bench.ask(request).await.unwrap();
            }
            let rows = bench.rows();
            let reader = bench.client.engine().store().unwrap().reader().unwrap();
            let texts: Vec<_> = rows.iter().map(|row| reader.text(row.id).unwrap()).collect();
            if kept == 0 {
                assert!(texts.iter().all(Option::is_none));
                continue;
            }
            let (prompt, answer) = texts[1].clone().unwrap();
            assert_eq!(
                texts[0].as_ref().map(|(prompt, answer)| (prompt.as_str(), answer.as_str())),
                Some((prompt.as_str(), ""))
            );
            let clean = "My key is [key], write to [e-mail], card [card number].";
            let expected =
                if capture == "full" { format!("system: Be kind.\nuser: {clean}") } else { clean.into() };
            assert_eq!(prompt, expected);
            let said = long.replace("ann@example.org", "[e-mail]");
            assert_eq!(answer, said.chars().take(kept).collect::<String>(), "{capture}");
        }
    }
}

#[tokio::test]
async fn an_aborted_stream_keeps_what_had_come() {
    let bench = Bench::start(&["m"], "[log]\ncapture = \"full\"\n").await;
    let words = Said::text(&"word ".repeat(100)).slowly(Duration::from_millis(30));
    bench.provider.on("m", [Reply::Say(words)]);
    let mut stream = bench.client.chat_stream(ask()).await.unwrap();
    stream.opening().await.unwrap();
    stream.next_text().await.unwrap();
    drop(stream);
    let rows = bench.rows_when(1).await;
    let (_, answer) =
        bench.client.engine().store().unwrap().reader().unwrap().text(rows[0].id).unwrap().unwrap();
    assert!(answer.starts_with("word "), "{answer}");
    assert_eq!(ending(&rows), Ending::Aborted);
}

#[tokio::test]
async fn an_answer_that_was_told_is_in_the_journal_before_its_end_is() {
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [Reply::text(GOOD)]);
    let mut stream = bench.client.chat_stream(ask()).await.unwrap();
    while let Some(item) = stream.next().await {
        if matches!(item.unwrap(), mainstay::StreamItem::Done(_)) {
            break;
        }
    }
    let rows = bench.watcher.rows.lock().len();
    let reader = bench.client.engine().store().unwrap().reader().unwrap();
    assert_eq!((rows, reader.calls(&mainstay_calllog::CallFilter::default()).unwrap().len()), (1, 1));
}

#[tokio::test]
async fn a_limit_that_stands_in_for_an_unknown_maximum_says_so() {
    let bench = Bench::start(&["m"], "[budget]\ndaily = \"5.00\"\n").await;
    bench.provider.on("m", [Reply::text("The Douro, the Tagus and the Guadiana.")]);
    bench.ask(ChatRequest::user("Which rivers?")).await.unwrap();
    let note = bench.attempts()[0].note.clone().unwrap_or_default();
    assert!(note.contains("32768") && note.contains("nobody knows the model's maximum"), "{note}");
}
