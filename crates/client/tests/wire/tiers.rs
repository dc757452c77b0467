//! Which tier answers: the static one, larger windows, health over a restart, what operators set.

use std::time::Duration;

use mainstay::{ChatRequest, Expect, Kind, Outcome, Quality, Reason, Served};
use mainstay_fallback::StaticSwitch;
use mainstay_testkit::{Fault, Reply, Said, Spelling, Step};
use serde_json::json;

use crate::common::cases::LONG_ANSWER;
use crate::common::{Bench, NOW, TestClock};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";
const STATIC: &str = "static_fallback = true";

fn ask() -> ChatRequest {
    ChatRequest::user("Which rivers?")
}

/// Everything a provider may do instead of answering.
fn faults() -> Vec<Fault> {
    let text = || "The committee met on Tuesday and agreed.".to_owned();
    vec![
        Fault::Empty,
        Fault::Dot,
        Fault::NoChoices,
        Fault::Refusal,
        Fault::RefusalField,
        Fault::Filtered,
        Fault::ReasoningOnly,
        Fault::TruncatedEmpty,
        Fault::UnknownFinish,
        Fault::ErrorInside200,
        Fault::ErrorAfterText,
        Fault::RateLimited(20),
        Fault::Quota,
        Fault::Status(401),
        Fault::Status(403),
        Fault::Status(404),
        Fault::Status(408),
        Fault::Status(500),
        Fault::Status(529),
        Fault::UnknownModel,
        Fault::Overloaded,
        Fault::Html,
        Fault::BadJson,
        Fault::GzipGarbage,
        Fault::WrongLength,
        Fault::NoBody,
        Fault::CloseAtOnce,
        Fault::ResetAtOnce,
        Fault::Hang,
        Fault::HangAfterHeaders,
        Fault::CommentsOnly(Duration::from_millis(40)),
        Fault::CutBeforeContent,
        Fault::CutInText(text()),
        Fault::StallInText(text()),
        Fault::NoTerminator(text()),
        Fault::CutAtByte(text(), 90),
    ]
}

/// Whether a stream shows the fault only after text that is good and therefore out.
fn comes_after_text(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::UnknownFinish
            | Fault::ErrorAfterText
            | Fault::CutInText(_)
            | Fault::StallInText(_)
            | Fault::NoTerminator(_)
            | Fault::WrongLength
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_befalls_the_first_tier_the_second_answers_and_both_are_on_record() {
    // Most of it is waiting, which all dialects can do at once.
    let dialects = Spelling::ALL.map(|spelling| async move {
        for fault in faults() {
            for stream in [false, true] {
                // A whole document that names no reason is whole all the same.
                let is_whole = !stream && matches!(fault, Fault::NoTerminator(_));
                if is_whole || (stream && comes_after_text(&fault)) {
                    continue;
                }
                the_second_answers(spelling.dialect(), &fault, stream).await;
            }
        }
    });
    futures_util::future::join_all(dialects).await;
}

#[tokio::test]
async fn bytes_that_are_garbled_are_told_from_a_line_that_broke_off() {
    let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno number\r\n{}\r\n0\r\n\r\n";
    let garbled = Reply::Raw(vec![Step::Bytes(chunks.into()), Step::Close]);
    for (reply, kind) in [
        (Reply::Fault(Fault::GzipGarbage), Kind::InvalidResponse),
        (garbled, Kind::InvalidResponse),
        (Reply::Fault(Fault::WrongLength), Kind::StreamInterrupted),
        (Reply::Fault(Fault::ResetAfterHeaders), Kind::StreamInterrupted),
    ] {
        for stream in [false, true] {
            let bench = Bench::with_tiers(&[("bad", "retry_budget = 1")], "").await;
            bench.provider.on("bad", [reply.clone()]);
            if stream {
                drop(bench.stream(ask()).await);
            } else {
                drop(bench.ask(ask()).await);
            }
            let rows = bench.rows();
            assert_eq!(rows[0].error_kind.as_deref(), Some(kind.word()), "{reply:?} stream={stream}");
        }
    }
}

async fn the_second_answers(dialect: &str, fault: &Fault, stream: bool) {
    let shown = format!("{dialect} {fault:?} stream={stream}");
    let quick = "retry_budget = 1\nfirst_byte_timeout = \"300ms\"\nfirst_content_timeout = \"300ms\"\n\
                 idle_timeout = \"300ms\"\nanswer_timeout = \"600ms\"";
    let text = format!(
        "[providers.fake]\ndialect = \"{dialect}\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
         [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"bad\"\n{quick}\n\
         [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"good\"\n"
    );
    let bench = Bench::with_text(&text, &|_| None, TestClock::at(NOW)).await;
    bench.provider.on("bad", [Reply::Fault(fault.clone())]).on("good", [Reply::text(GOOD)]);
    let response = if stream {
        let streamed = bench.stream(ask()).await;
        assert_eq!(streamed.text(), GOOD, "{shown}");
        streamed.done().clone()
    } else {
        bench.ask(ask()).await.unwrap_or_else(|gave_up| panic!("{shown}: {gave_up}"))
    };
    assert_eq!((response.text.as_str(), &*response.target.model), (GOOD, "good"), "{shown}");
    let rows = bench.rows();
    assert_eq!((rows.len(), rows[0].released, rows[1].rescued), (2, false, true), "{shown}: {rows:?}");
    assert!(rows[0].outcome != Outcome::Ok && rows[1].outcome == Outcome::Ok, "{shown}: {rows:?}");
}

/// A paid tier and the static one behind it.
async fn with_static() -> Bench {
    let bench = Bench::with_tiers(&[("paid", "retry_budget = 1"), ("local", STATIC)], "").await;
    bench.provider.on("local", [Reply::text(GOOD)]);
    bench
}

#[tokio::test]
async fn the_static_tier_answers_when_every_other_is_down_and_then_at_once() {
    for stream in [false, true] {
        let bench = with_static().await;
        bench.provider.on("paid", [Reply::Fault(Fault::Status(503))]);
        for round in 0..2 {
            let response = if stream {
                let streamed = bench.stream(ask()).await;
                assert_eq!(streamed.opened[0].served, Served::Static);
                streamed.done().clone()
            } else {
                bench.ask(ask()).await.unwrap()
            };
            assert_eq!((response.text.as_str(), response.from_static_tier), (GOOD, true));
            assert_eq!(Served::of(&response), Served::Static);
            assert_eq!(bench.provider.calls("paid"), 1, "round {round}: a tier that cools is not asked");
        }
        let rows = bench.rows();
        let words: Vec<(Outcome, bool)> =
            rows.iter().map(|row| (row.outcome, row.has_note("static tier"))).collect();
        let (error, skipped) = ((Outcome::Error, false), (Outcome::Skipped, false));
        assert_eq!(words, [error, (Outcome::Ok, true), skipped, (Outcome::Ok, true)], "{rows:?}");
        assert!(rows[1].rescued && rows[3].rescued);
    }
}

#[tokio::test]
async fn the_static_tier_does_not_answer_what_others_refused() {
    let bench = with_static().await;
    bench.provider.on("paid", [Reply::Fault(Fault::Refusal)]);
    let response = bench.ask(ask()).await.unwrap();
    assert_eq!((response.quality.quality, response.from_static_tier), (Quality::Refusal, false));
    assert_eq!(bench.provider.calls("local"), 0);
}

#[tokio::test]
async fn the_operators_switch_is_obeyed_and_survives_a_restart() {
    let bench = with_static().await;
    bench.provider.on("paid", [Reply::Fault(Fault::Status(503))]);
    let turn = |bench: &Bench, switch| {
        let engine = bench.client.engine();
        engine.board().set_static(switch);
        engine.store().unwrap().save_static_switch(switch).unwrap();
    };
    turn(&bench, StaticSwitch::On);
    assert!(bench.ask(ask()).await.unwrap().from_static_tier);
    assert_eq!(bench.provider.calls("paid"), 0, "switched on, it is asked first");
    turn(&bench, StaticSwitch::Off);
    let bench = bench.restarted(NOW.after(Duration::from_secs(5))).await;
    let mut short = ask();
    short.max_tokens = Some(50);
    let gave_up = bench.ask(short).await.unwrap_err();
    assert!(matches!(gave_up.reason, Reason::AllProvidersFailed { .. }), "{gave_up:?}");
    assert_eq!(bench.provider.calls("local"), 1, "switched off, it is never asked");
}

#[tokio::test]
async fn without_a_static_tier_the_soonest_is_awaited_or_the_wait_is_told() {
    let bench = Bench::with_tiers(&[("m", "")], "[defaults]\ndeadline = \"4s\"\n").await;
    bench.provider.on("m", [Reply::Fault(Fault::RateLimited(1)), Reply::text(GOOD)]);
    let response = bench.ask(ask()).await.unwrap();
    assert_eq!(response.upstream_calls(), 2);
    let row = &bench.attempts()[1];
    assert!((900..2500).contains(&row.wait_ms) && row.latency_ms < 900, "{row:?}");
    assert!(response.latency_ms >= 1000);

    bench.provider.now_on("m", [Reply::Fault(Fault::RateLimited(30))]);
    let gave_up = bench.ask(ask()).await.unwrap_err();
    let wait = gave_up.retry_after.unwrap();
    assert!((28..=30).contains(&wait.as_secs()), "{wait:?}");
    assert!(
        matches!(gave_up.reason, Reason::AllProvidersFailed { only_rate_limits: true, .. }),
        "{gave_up:?}"
    );
    let before = bench.provider.calls("m");
    bench.ask(ask()).await.unwrap_err();
    assert_eq!(bench.provider.calls("m"), before, "nobody calls before the hint has passed");
    let last = bench.rows().pop().unwrap();
    assert_eq!(
        (last.tier, last.outcome, last.error_kind.as_deref()),
        (None, Outcome::Skipped, Some("rate_limited"))
    );
}

#[tokio::test]
async fn a_cooldown_survives_a_restart_and_ends_when_it_should() {
    let bench = Bench::with_tiers(&[("m", "")], "[defaults]\ndeadline = \"2s\"\n").await;
    bench.provider.on("m", [Reply::Fault(Fault::RateLimited(100)), Reply::text(GOOD)]);
    bench.ask(ask()).await.unwrap_err();
    let bench = bench.restarted(NOW.after(Duration::from_secs(40))).await;
    let gave_up = bench.ask(ask()).await.unwrap_err();
    let wait = gave_up.retry_after.unwrap().as_secs();
    assert!((55..=60).contains(&wait) && bench.provider.calls("m") == 1, "{wait}");
    let bench = bench.restarted(NOW.after(Duration::from_secs(101))).await;
    bench.ask(ask()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_tier_is_told_once_whoever_meets_it_and_once_when_it_is_over() {
    for (fault, kind) in [(Fault::Status(401), "tier_disabled"), (Fault::Quota, "quota_exhausted")] {
        let bench = Bench::start(&["bad", "good"], "").await;
        bench.provider.on("bad", [Reply::Fault(fault)]).on("good", [Reply::text(GOOD)]);
        let calls = (0..20).map(|_| bench.ask(ask()));
        for ended in futures_util::future::join_all(calls).await {
            assert_eq!(&*ended.unwrap().target.model, "good");
        }
        bench.ask(ask()).await.unwrap();
        assert_eq!(bench.watcher.told(), [kind]);
        let engine = bench.client.engine();
        let tier = bench.client.tier_health()[0].target.clone();
        assert_eq!(bench.watcher.alerts.lock()[0].tier.as_ref(), Some(&tier));
        engine.board().enable(&tier, engine.now());
        engine.publish_health();
        assert_eq!(bench.watcher.told(), [kind.to_owned(), format!("-{kind}")]);
    }
}

#[tokio::test]
async fn an_unknown_finish_word_goes_to_the_next_tier_is_told_once_and_can_be_mapped() {
    let bench = Bench::start(&["bad", "good"], "").await;
    bench.provider.on("bad", [Reply::Fault(Fault::UnknownFinish)]).on("good", [Reply::text(GOOD)]);
    for _ in 0..3 {
        assert_eq!(&*bench.ask(ask()).await.unwrap().target.model, "good");
    }
    assert_eq!(bench.watcher.told(), ["unknown_finish_reason"]);
    let alert = bench.watcher.alerts.lock()[0].clone();
    assert!(alert.message.contains("zapped") && alert.message.contains("finish_reasons"), "{alert:?}");
    assert_eq!(
        bench.client.tier_health()[0].state.word(),
        "available",
        "it is no fault of the tier's health"
    );
    let rows = bench.attempts();
    assert_eq!(rows[0].finish_reason_raw.as_deref(), Some("zapped"));
    assert_eq!(rows[0].error_kind.as_deref(), Some("unknown_finish_reason"));

    let text = "[providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
                finish_reasons = { zapped = \"stop\" }\n[chains]\ndefault = [\"fake/bad\"]\n";
    let bench = Bench::with_text(text, &|_| None, TestClock::at(NOW)).await;
    bench.provider.on("bad", [Reply::Fault(Fault::UnknownFinish)]);
    assert_eq!(bench.ask(ask()).await.unwrap().quality.quality, Quality::Ok);
    assert!(bench.watcher.told().is_empty());
}

#[tokio::test]
async fn a_prompt_that_is_too_long_goes_to_a_larger_window_only() {
    let catalogue = mainstay_cost::Catalogue::bundled();
    let window = |model: &str| catalogue.find("openai", model).and_then(|model| model.context);
    let mut known: Vec<(u64, String)> = ["gpt-4", "gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"]
        .iter()
        .filter_map(|model| Some((window(model)?, (*model).to_owned())))
        .collect();
    known.sort();
    let small = known.iter().find(|(size, _)| known.iter().filter(|(other, _)| other == size).count() > 1);
    let (size, first) = small.expect("two models with one window").clone();
    let second = &known.iter().find(|(other, name)| *other == size && *name != first).unwrap().1;
    let large = &known.last().unwrap().1;
    let text = format!(
        "[providers.openai]\nbase_url = \"BASE_URL\"\napi_key_env = \"K\"\n[chains]\n\
         default = [\"openai/{first}\", \"openai/{second}\", \"openai/{large}\"]\n"
    );
    let env = |name: &str| (name == "K").then(|| "sk-0123456789abcdef".to_owned());
    let bench = Bench::with_text(&text, &env, TestClock::at(NOW)).await;
    let too_long = json!({"error": {"message": "This model's maximum context length is 8192 tokens.",
        "type": "invalid_request_error", "code": "context_length_exceeded"}});
    bench
        .provider
        .on(&first, [Reply::http(400, &[], &too_long.to_string())])
        .on(second, [Reply::text("no")])
        .on(large, [Reply::text(GOOD)]);
    let response = bench.ask(ask()).await.unwrap();
    assert_eq!((&*response.target.model, bench.provider.calls(second)), (large.as_str(), 0));
    let rows = bench.rows();
    assert_eq!(rows[0].error_kind.as_deref(), Some("context_length"));
    assert!(rows[1].has_note("window_too_small"), "{rows:?}");
}

#[tokio::test]
async fn an_answer_cut_before_it_was_whole_is_asked_for_again_with_twice_the_limit_if_that_is_allowed() {
    for (further, allowed) in [("[quality]\ngrow_max_tokens = \"2x\"\n", true), ("", false)] {
        let bench = Bench::with_tiers(&[("m", "")], further).await;
        bench.provider.on("m", [Reply::Fault(Fault::TruncatedEmpty), Reply::text(GOOD)]);
        let ended = bench.ask(ask().max_tokens(400)).await;
        let limits: Vec<_> =
            bench.provider.seen().iter().map(|seen| seen.body["max_tokens"].clone()).collect();
        if allowed {
            assert_eq!((ended.unwrap().text.as_str(), limits), (GOOD, vec![json!(400), json!(800)]));
        } else {
            let gave_up = ended.unwrap_err();
            assert_eq!(gave_up.failures[0].kind, Kind::Bad(Quality::TruncatedEmpty));
            assert_eq!(limits, [json!(400)]);
        }
    }
    let bench = Bench::with_tiers(&[("m", "")], "[quality]\ngrow_max_tokens = \"2x\"\n").await;
    bench.provider.on("m", [Reply::Fault(Fault::TruncatedEmpty)]);
    bench.ask(ask()).await.unwrap_err();
    assert_eq!(bench.provider.calls("m"), 1, "without a limit of the caller's there is none to be raised");
}

#[tokio::test]
async fn who_only_observes_is_handed_everything_and_has_it_on_record() {
    for stream in [false, true] {
        let bench = Bench::start(&["bad", "good"], "[quality]\naction = \"observe\"\n").await;
        bench.provider.on("bad", [Reply::Fault(Fault::Refusal)]).on("good", [Reply::text(GOOD)]);
        let response =
            if stream { bench.stream(ask()).await.done().clone() } else { bench.ask(ask()).await.unwrap() };
        assert_eq!(response.text, "I cannot help with that.");
        assert_eq!((response.quality.quality, bench.provider.calls("good")), (Quality::Refusal, 0));
        let rows = bench.rows();
        assert_eq!(
            (rows.len(), rows[0].outcome, rows[0].quality),
            (1, Outcome::Quality, Some(Quality::Refusal))
        );
        assert!(rows[0].has_note("observed") && rows[0].released, "{rows:?}");
    }
}

#[tokio::test]
async fn classes_count_as_the_operator_says() {
    let lenient = "[quality]\nclasses = { empty = \"accept\", truncated = \"fail\" }\n";
    let bench = Bench::start(&["bad", "good"], lenient).await;
    bench.provider.on("bad", [Reply::Fault(Fault::Empty)]).on("good", [Reply::text(GOOD)]);
    let response = bench.ask(ask()).await.unwrap();
    assert_eq!((response.text.as_str(), response.quality.quality), ("", Quality::Empty));
    assert_eq!(bench.rows()[0].outcome, Outcome::Ok, "what the operator accepts is accepted");
    bench.provider.now_on("bad", [Reply::Say(Said::text(LONG_ANSWER).finish("length"))]);
    assert_eq!(bench.ask(ask()).await.unwrap().text, GOOD, "a cut answer is a failure here");
}

#[tokio::test]
async fn a_caller_says_how_long_a_useful_answer_is() {
    for (expect, answered_by) in [(Expect::Long, "good"), (Expect::Any, "bad"), (Expect::Short, "bad")] {
        let bench = Bench::start(&["bad", "good"], "").await;
        bench.provider.on("bad", [Reply::text("Sure.")]).on("good", [Reply::text(LONG_ANSWER)]);
        let request = ChatRequest::user("Are there rivers in Portugal?").expect(expect);
        let response = bench.ask(request).await.unwrap();
        assert_eq!(&*response.target.model, answered_by, "{expect:?}");
    }
}

#[tokio::test]
async fn a_tiers_own_breaker_counts_for_it_alone() {
    let own = "breaker_threshold = 1\nbreaker_open = \"300s\"\nretry_budget = 1";
    let bench = Bench::with_tiers(&[("a", own), ("b", "retry_budget = 1"), ("good", "")], "").await;
    let down = || [Reply::Fault(Fault::Status(500))];
    bench.provider.on("a", down()).on("b", down()).on("good", [Reply::text(GOOD)]);
    bench.ask(ask()).await.unwrap();
    let board = bench.client.engine().board().clone();
    let later = NOW.after(Duration::from_secs(200));
    let states: Vec<&str> = bench
        .client
        .tier_health()
        .iter()
        .map(|tier| board.health_of(&tier.target, None, later).state.word())
        .collect();
    assert_eq!(states, ["open", "available", "available"]);
}

#[tokio::test]
async fn a_reload_keeps_health_and_money_and_frees_what_a_new_key_may_mend() {
    let bench = Bench::with_tiers(&[("bad", ""), ("good", "")], "[budget]\ndaily = \"1.00\"\n").await;
    bench.provider.on("bad", [Reply::Fault(Fault::Status(401))]).on("good", [Reply::text(GOOD)]);
    bench.ask(ask()).await.unwrap();
    let engine = bench.client.engine();
    let spent = engine.ledger().status(engine.now())[0].spent;
    bench.client.reload(engine.config().clone()).unwrap();
    let renewed = bench.client.engine();
    assert_eq!(renewed.ledger().status(renewed.now())[0].spent, spent);
    assert_eq!(bench.client.tier_health()[0].state.word(), "available");
    assert_eq!(bench.watcher.told(), ["tier_disabled", "-tier_disabled"]);
}

#[tokio::test]
async fn an_error_is_read_in_the_dialect_that_was_spoken() {
    // This model is served by Responses alone, which has a code of its own for a prompt that its filter stopped.
    let config = "[providers.openai]\nbase_url = \"BASE_URL\"\napi_key_env = \"KEY\"\n\
        [providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
        [[chains.default.tiers]]\nprovider = \"openai\"\nmodel = \"o3-pro\"\nprice = { input = \"1.00\", output = \"2.00\" }\n\
        [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"second\"\nprice = { input = \"1.00\", output = \"2.00\" }\n";
    let env = |name: &str| (name == "KEY").then(|| "k-1".to_owned());
    let bench = Bench::with_text(config, &env, TestClock::at(NOW)).await;
    let blocked =
        json!({"error": {"code": "prompt_blocked", "message": "Not this.", "type": "error"}}).to_string();
    bench.provider.on("o3-pro", [Reply::http(400, &[], &blocked), Reply::http(400, &[], &blocked)]);
    bench.provider.on("second", [Reply::text(GOOD), Reply::text(GOOD)]);
    assert_eq!(bench.ask(ask()).await.unwrap().text, GOOD);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.text(), GOOD);
    let kinds: Vec<_> = bench.attempts().iter().map(|row| row.error_kind.clone()).collect();
    assert_eq!(
        kinds.iter().filter(|kind| kind.as_deref() == Some("content_filtered")).count(),
        2,
        "{kinds:?}"
    );
}
