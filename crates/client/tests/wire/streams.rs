//! Streams: what is held, when it goes, what follows a break (behaviour 7).

use std::time::Duration;

use mainstay::{ChatRequest, Cost, Kind, Outcome, Quality, Reason, ReplyEvent, Served, StreamItem};
use mainstay_testkit::{Fault, Reply, Said, Step};
use serde_json::json;

use crate::common::Bench;
use crate::common::bytes::{calls, chunk, delta, ends, last_chunk, says, sse, stream_of};
use crate::common::cases::LONG_ANSWER;

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";
const PART: &str = "The committee met on Tuesday and agreed on everything that mattered, and then";
const REST: &str = " the chair thanked all members and went home.";

fn ask() -> ChatRequest {
    ChatRequest::user("What did the committee do?")
}

fn thinks(text: &str) -> String {
    delta(&json!({"reasoning_content": text}), None)
}

fn pause(ms: u64) -> Step {
    Step::Wait(Duration::from_millis(ms))
}

/// A stream of these texts that is reset after the last.
fn cut(texts: &[&str]) -> Reply {
    let events: Vec<String> = texts.iter().map(|text| says(text)).collect();
    let mut steps = sse(&events);
    steps.extend([pause(40), Step::Reset]);
    Reply::Raw(steps)
}

/// A stream of these events and a good end.
fn whole(mut events: Vec<String>, prompt: u64, completion: u64) -> Reply {
    events.extend(ends("stop", prompt, completion));
    Reply::Raw(stream_of(&events))
}

fn tool_request() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let tool = mainstay::Tool::function("weather", "The weather.", mainstay::RawJson::of(&schema).unwrap());
    ChatRequest::user("What is the weather in Porto?").tool(tool)
}

#[tokio::test]
async fn a_refusal_at_the_beginning_is_never_seen() {
    let bench = Bench::start(&["bad", "good"], "").await;
    bench.provider.on("bad", [Reply::Fault(Fault::Refusal)]).on("good", [Reply::text(GOOD)]);
    let streamed = bench.stream(ask()).await;
    assert_eq!((streamed.text().as_str(), streamed.opened[0].served), (GOOD, Served::Fallback));
    assert_eq!(streamed.opened[0].upstream_calls, 2);
    let rows = bench.rows();
    assert_eq!((rows[0].quality, rows[0].released), (Some(Quality::Refusal), false));
    assert!(rows[1].rescued && rows[1].released);
}

#[tokio::test]
async fn text_that_might_become_a_refusal_is_held_no_longer_than_the_hold_time() {
    let bench = Bench::start(&["m"], "[streaming]\nhold_time = \"300ms\"\n").await;
    let mut steps = sse(&[says("I can")]);
    steps.extend([pause(1200), chunk(&says(" tell you that she is well again."))]);
    steps.extend(ends("stop", 12, 20).iter().map(|event| chunk(event)));
    steps.push(last_chunk());
    bench.provider.on("m", [Reply::Raw(steps)]);
    let streamed = bench.stream(ChatRequest::user("My mother is ill.")).await;
    streamed.done();
    let first = streamed.times[0].as_millis();
    assert!((250..1000).contains(&first), "{:?}", streamed.times);
}

#[tokio::test]
async fn buffer_holds_everything_and_live_holds_nothing() {
    let slow = || Reply::Say(Said::text(LONG_ANSWER).slowly(Duration::from_millis(15)));
    for (mode, at_once) in [("buffer", false), ("live", true)] {
        let bench = Bench::start(&["m"], &format!("[streaming]\nmode = \"{mode}\"\n")).await;
        bench.provider.on("m", [slow()]);
        let streamed = bench.stream(ask()).await;
        assert_eq!(streamed.text(), LONG_ANSWER);
        let (first, last) = (streamed.times[0], streamed.times[streamed.times.len() - 1]);
        assert_eq!(
            last.saturating_sub(first) > Duration::from_millis(300),
            at_once,
            "{mode}: {first:?} to {last:?}"
        );
    }
    let bench = Bench::start(&["bad", "good"], "[streaming]\nmode = \"buffer\"\n").await;
    let broken = Fault::CutInText(LONG_ANSWER.into());
    bench.provider.on("bad", [Reply::Fault(broken)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.stream(ask()).await.text(), GOOD, "what is held whole can break unseen");
}

#[tokio::test]
async fn an_empty_answer_in_live_mode_has_shown_nothing_and_is_asked_for_again() {
    let bench = Bench::start(&["bad", "good"], "[streaming]\nmode = \"live\"\n").await;
    bench.provider.on("bad", [Reply::Fault(Fault::Empty)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.stream(ask()).await.text(), GOOD);
}

#[tokio::test]
async fn reasoning_is_held_with_the_text_or_goes_at_once_and_counts_as_nothing() {
    let reasons = |text: &str| {
        let mut steps = sse(&[thinks("First the rivers"), thinks(" of the north.")]);
        steps.extend([pause(400), chunk(&says(text))]);
        steps.extend(ends("stop", 12, 20).iter().map(|event| chunk(event)));
        steps.push(last_chunk());
        Reply::Raw(steps)
    };
    for (setting, at_once) in [("held", false), ("live", true)] {
        let bench = Bench::start(&["m"], &format!("[streaming]\nreasoning = \"{setting}\"\n")).await;
        bench.provider.on("m", [reasons(GOOD)]);
        let streamed = bench.stream(ask()).await;
        assert_eq!(
            (streamed.reasoning().as_str(), streamed.text().as_str()),
            ("First the rivers of the north.", GOOD)
        );
        let thought = |event: &ReplyEvent| matches!(event, ReplyEvent::Reasoning(_));
        let at = streamed.events.iter().position(thought).unwrap();
        assert_eq!(
            streamed.times[at] < Duration::from_millis(300),
            at_once,
            "{setting}: {:?}",
            streamed.times
        );
    }
    // What follows live reasoning can still fail unseen: a refusal, an empty answer, a break.
    for text in ["I cannot help with that.", ""] {
        let bench = Bench::start(&["bad", "good"], "[streaming]\nreasoning = \"live\"\n").await;
        bench.provider.on("bad", [reasons(text)]).on("good", [Reply::text(GOOD)]);
        let streamed = bench.stream(ask()).await;
        assert_eq!((streamed.text().as_str(), &*streamed.done().target.model), (GOOD, "good"));
        assert!(bench.attempts().iter().take(1).all(|row| !row.released));
    }
    let bench = Bench::start(&["bad", "good"], "[streaming]\nreasoning = \"live\"\n").await;
    let mut steps = sse(&[thinks("First the rivers")]);
    steps.extend([pause(100), Step::Reset]);
    bench.provider.on("bad", [Reply::Raw(steps)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.stream(ask()).await.text(), GOOD);
}

#[tokio::test]
async fn reasoning_is_progress_and_comments_are_none() {
    let quick = "idle_timeout = \"400ms\"\nfirst_content_timeout = \"400ms\"\nretry_budget = 1";
    let bench = Bench::with_tiers(&[("m", quick)], "").await;
    let mut steps = sse(&[]);
    for _ in 0..12 {
        steps.extend([chunk(&thinks("hm ")), pause(100)]);
    }
    steps.push(chunk(&says(GOOD)));
    steps.extend(ends("stop", 12, 20).iter().map(|event| chunk(event)));
    steps.push(last_chunk());
    bench.provider.on("m", [Reply::Raw(steps)]);
    assert_eq!(bench.stream(ask()).await.done().text, GOOD);

    let bench = Bench::with_tiers(&[("m", quick), ("good", "")], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::CommentsOnly(Duration::from_millis(30)))]);
    bench.provider.on("good", [Reply::text(GOOD)]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.text(), GOOD);
    assert!((350..1500).contains(&streamed.took.as_millis()), "{:?}", streamed.took);
    assert_eq!(bench.attempts()[0].error_kind.as_deref(), Some("timeout_first_byte"));
}

#[tokio::test]
async fn a_provider_that_says_nothing_at_all_is_left_after_the_first_byte_limit() {
    let quick = "first_byte_timeout = \"400ms\"\nretry_budget = 1";
    let bench = Bench::with_tiers(&[("m", quick), ("good", "")], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::Hang)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.stream(ask()).await.text(), GOOD);
    let row = &bench.attempts()[0];
    assert_eq!(
        (row.error_kind.as_deref(), row.detail.as_str()),
        (Some("timeout_first_byte"), "no first byte within 0.4 s")
    );
}

#[tokio::test]
async fn a_whole_answer_has_limits_of_its_own() {
    let quick = "answer_timeout = \"400ms\"\nretry_budget = 1";
    let bench = Bench::with_tiers(&[("m", quick), ("good", "")], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::Hang)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.ask(ask()).await.unwrap().text, GOOD);
    assert_eq!(bench.attempts()[0].error_kind.as_deref(), Some("timeout_total"));

    let quick = "idle_timeout = \"400ms\"\nretry_budget = 1";
    let bench = Bench::with_tiers(&[("m", quick), ("good", "")], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::StallInText(GOOD.into()))]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.ask(ask()).await.unwrap().text, GOOD);
    let row = &bench.attempts()[0];
    assert_eq!((row.error_kind.as_deref(), row.http_status), (Some("timeout_idle"), Some(200)));

    let quick = "first_byte_timeout = \"400ms\"\nretry_budget = 1";
    let bench = Bench::with_tiers(&[("m", quick), ("good", "")], "").await;
    bench.provider.on("m", [Reply::Fault(Fault::Hang)]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.ask(ask()).await.unwrap().text, GOOD);
    assert_eq!(bench.attempts()[0].error_kind.as_deref(), Some("timeout_first_byte"));
}

#[tokio::test]
async fn a_released_stream_may_use_the_time_that_was_kept_for_the_tiers_below() {
    // Two tiers share three seconds; the answer takes more than its share, and is out long before.
    let bench = Bench::start(&["m", "below"], "[defaults]\ndeadline = \"3s\"\n").await;
    let mut steps = sse(&[]);
    for number in 0..22 {
        steps.extend([chunk(&says(&format!("Boat {number} came in. "))), pause(100)]);
    }
    steps.extend(ends("stop", 12, 60).iter().map(|event| chunk(event)));
    steps.push(last_chunk());
    bench.provider.on("m", [Reply::Raw(steps)]);
    let streamed = bench.stream(ask()).await;
    assert!(streamed.done().text.ends_with("Boat 21 came in. "));
    assert!(streamed.took > Duration::from_secs(2));
}

#[tokio::test]
async fn a_slow_caller_is_not_taken_for_a_silent_provider() {
    let bench = Bench::with_tiers(&[("m", "idle_timeout = \"500ms\"")], "").await;
    let boats: Vec<String> =
        (0..600).map(|number| format!("Boat {number} came in with the tide. ")).collect();
    let text = boats.concat();
    bench.provider.on("m", [Reply::Say(Said { piece: 16, ..Said::text(&text) })]);
    let mut stream = bench.client.chat_stream(ask()).await.unwrap();
    stream.opening().await.unwrap();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let mut told = String::new();
    loop {
        match stream.next().await.unwrap() {
            Ok(StreamItem::Event(ReplyEvent::Text(text))) => told.push_str(&text),
            Ok(StreamItem::Done(response)) => {
                assert_eq!(response.text, text);
                break;
            }
            Ok(_) => {}
            Err(gave_up) => panic!("{gave_up}"),
        }
    }
    assert_eq!(told, text);
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_stream_has_ended() {
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [Reply::text(GOOD)]);
    for round in 0..3 {
        bench.stream(ask()).await.done();
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(bench.provider.open_connections(), 1, "after stream {round}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_continued_by_the_same_model_without_a_repeated_word() {
    let bench = Bench::with_tiers(&[("m", "price = { input = \"1\", output = \"10\" }")], "").await;
    let again = format!("and then{REST}");
    bench.provider.on("m", [cut(&[PART]), whole(vec![says(&again[..12]), says(&again[12..])], 100, 20)]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.text(), format!("{PART}{REST}"));
    let response = streamed.done();
    assert_eq!((response.text.clone(), response.continued_at), (streamed.text(), Some(PART.len())));
    let second = &bench.provider.seen()[1].body["messages"];
    assert_eq!((second[1]["role"].as_str(), second[1]["content"].as_str()), (Some("assistant"), Some(PART)));
    let rows = bench.attempts();
    assert_eq!((rows[0].outcome, rows[0].released), (Outcome::Error, true));
    assert_eq!((rows[1].outcome, rows[1].released, rows[1].rescued), (Outcome::Ok, true, true));
    assert!(rows[1].has_note(&format!("continued at byte {}", PART.len())), "{rows:?}");
    // Both legs are billed, each by its own row; the answer counts both.
    assert!(rows.iter().all(|row| row.cost.known().is_some_and(|cost| cost.nanos() > 0)));
    let costs = rows.iter().fold(Cost::ZERO, |sum, row| sum.plus(row.cost));
    assert_eq!(response.cost, costs);
    assert_eq!(rows[1].prompt_tokens, Some(100));
    assert!(response.usage.prompt > 100 && response.usage.completion > 20);
}

#[tokio::test]
async fn a_continuation_that_tells_everything_again_is_cut_to_what_is_new() {
    let bench = Bench::start(&["m"], "").await;
    let so_far = LONG_ANSWER.get(..LONG_ANSWER.len() - 40).unwrap();
    let pieces: Vec<String> =
        LONG_ANSWER.as_bytes().chunks(9).map(|piece| says(std::str::from_utf8(piece).unwrap())).collect();
    bench.provider.on("m", [cut(&[so_far]), whole(pieces, 12, 90)]);
    assert_eq!(bench.stream(ask()).await.text(), LONG_ANSWER);
}

#[tokio::test]
async fn a_continuation_of_a_single_full_stop_completes_the_answer() {
    let bench = Bench::start(&["m"], "").await;
    bench
        .provider
        .on("m", [cut(&["The committee met on Tuesday and agreed"]), whole(vec![says(".")], 12, 1)]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.done().text, "The committee met on Tuesday and agreed.");
    assert_eq!(streamed.done().quality.quality, Quality::Ok);
}

#[tokio::test]
async fn a_continuation_that_refuses_or_says_nothing_is_an_error_with_the_part_that_is_out() {
    for rest in ["I'm sorry, but I cannot help with that.", ""] {
        let bench = Bench::start(&["m"], "").await;
        bench.provider.on("m", [cut(&[PART]), whole(vec![says(rest)], 12, 9)]);
        let streamed = bench.stream(ask()).await;
        let Reason::Interrupted(failure) = &streamed.error().reason else { panic!("{streamed:?}") };
        assert_eq!((failure.kind, streamed.text().as_str()), (Kind::StreamInterrupted, PART), "{rest:?}");
        assert_eq!(failure.answer.as_ref().unwrap().text, PART);
        assert_eq!(streamed.error().attempts.len(), 2, "both are in the trail");
        assert_eq!(bench.attempts().iter().map(|row| row.released).collect::<Vec<_>>(), [true, false]);
    }
}

#[tokio::test]
async fn another_tier_continues_only_where_the_operator_allows_it() {
    let budget = "retry_budget = 1";
    for (setting, continued) in [("continue_any", true), ("continue", false), ("error", false)] {
        let further = format!("[streaming]\non_interrupt = \"{setting}\"\n");
        let bench = Bench::with_tiers(&[("m", budget), ("other", budget)], &further).await;
        bench.provider.on("m", [cut(&[PART])]).on("other", [whole(vec![says(REST)], 12, 9)]);
        let streamed = bench.stream(ask()).await;
        if continued {
            assert_eq!(streamed.text(), format!("{PART}{REST}"));
            assert_eq!(&*streamed.done().target.model, "other");
        } else {
            assert_eq!((streamed.text().as_str(), bench.provider.calls("other")), (PART, 0), "{setting}");
            assert!(matches!(streamed.error().reason, Reason::Interrupted(_)));
        }
    }
}

#[tokio::test]
async fn an_answer_may_break_off_twice_and_is_continued_as_long_as_the_budget_lasts() {
    let (one, two, three) = (PART, " the chair thanked all members, who", " then went home.");
    for (budget, ends_well) in [(3, true), (2, false)] {
        let bench = Bench::with_tiers(&[("m", &format!("retry_budget = {budget}"))], "").await;
        bench.provider.on("m", [cut(&[one]), cut(&[two]), whole(vec![says(three)], 12, 9)]);
        let streamed = bench.stream(ask()).await;
        if ends_well {
            assert_eq!(streamed.text(), format!("{one}{two}{three}"));
            let response = streamed.done();
            assert_eq!((response.text.clone(), response.continued_at), (streamed.text(), Some(one.len())));
            assert!(bench.attempts()[2].has_note(&format!("continued at byte {}", one.len() + two.len())));
        } else {
            assert_eq!(streamed.text(), format!("{one}{two}"));
            let Reason::Interrupted(failure) = &streamed.error().reason else { panic!("{streamed:?}") };
            assert_eq!(failure.answer.as_ref().unwrap().text, streamed.text());
        }
    }
}

#[tokio::test]
async fn an_answer_in_the_other_dialect_is_continued_as_well() {
    let text = "[providers.fake]\ndialect = \"anthropic\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
                [chains]\ndefault = [\"fake/m\"]\n";
    let bench = Bench::with_text(text, &|_| None, crate::common::TestClock::at(crate::common::NOW)).await;
    let again = format!("and then{REST}");
    bench.provider.on("m", [Reply::Fault(Fault::CutInText(PART.into())), Reply::text(&again)]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.text(), format!("{PART}{REST}"));
    let messages = bench.provider.seen()[1].body["messages"].clone();
    let roles: Vec<&str> =
        messages.as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"], "{messages}");
}

#[tokio::test]
async fn a_stall_after_the_release_is_continued_too() {
    let bench = Bench::with_tiers(&[("m", "idle_timeout = \"300ms\"")], "").await;
    let mut stalls = sse(&[says(PART)]);
    stalls.push(Step::Hang);
    bench.provider.on("m", [Reply::Raw(stalls), whole(vec![says(REST)], 12, 9)]);
    assert_eq!(bench.stream(ask()).await.text(), format!("{PART}{REST}"));
}

#[tokio::test]
async fn a_call_that_was_being_held_when_the_line_broke_is_issued_again_whole() {
    let bench = Bench::start(&["m"], "").await;
    let mut broken = sse(&[says("Let me look at the weather there for you.")]);
    broken.extend(calls(0, "weather", "{\"city\":\"Porto\"}").iter().take(2).map(|event| chunk(event)));
    broken.extend([pause(40), Step::Reset]);
    let mut again = calls(0, "weather", "{\"city\":\"Porto\"}");
    again.extend(ends("tool_calls", 12, 20));
    bench.provider.on("m", [Reply::Raw(broken), Reply::Raw(stream_of(&again))]);
    let streamed = bench.stream(tool_request()).await;
    assert_eq!(streamed.text(), "Let me look at the weather there for you.");
    assert_eq!(streamed.calls(), [("weather".to_owned(), "{\"city\":\"Porto\"}".to_owned())]);
    let response = streamed.done();
    assert_eq!((response.tool_calls.len(), response.text.clone()), (1, streamed.text()));
}

#[tokio::test]
async fn a_bad_call_behind_text_that_is_out_is_issued_again_and_never_seen() {
    let text = "Let me look at the weather there for you.";
    let with_call = |arguments: &str| {
        let mut events = vec![says(text)];
        events.extend(calls(0, "weather", arguments));
        events.extend(ends("tool_calls", 12, 20));
        Reply::Raw(stream_of(&events))
    };
    let mut again = calls(0, "weather", "{\"city\":\"Porto\"}");
    again.extend(ends("tool_calls", 12, 20));
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [with_call("{\"town\":1}"), Reply::Raw(stream_of(&again))]);
    let streamed = bench.stream(tool_request()).await;
    assert_eq!(streamed.calls(), [("weather".to_owned(), "{\"city\":\"Porto\"}".to_owned())]);
    assert_eq!(streamed.done().text, text);

    let bench = Bench::start(&["m"], "[streaming]\non_interrupt = \"error\"\n").await;
    bench.provider.on("m", [with_call("{\"town\":1}")]);
    let streamed = bench.stream(tool_request()).await;
    assert!(streamed.calls().is_empty() && streamed.text() == text);
    let Reason::Interrupted(failure) = &streamed.error().reason else { panic!("{streamed:?}") };
    assert_eq!(failure.kind, Kind::Bad(Quality::MalformedToolCall));
    let row = &bench.attempts()[0];
    assert_eq!((row.outcome, row.error_kind.as_deref()), (Outcome::Quality, None), "the line held");
    assert_eq!((row.quality, row.released), (Some(Quality::MalformedToolCall), true));
}

#[tokio::test]
async fn a_provider_that_answers_a_stream_with_one_document_is_read_whatever_it_calls_that() {
    let document = Said::text(GOOD).body(mainstay_testkit::Spelling::OpenaiChat, "m").to_string();
    for kind in ["application/json", "text/event-stream", "text/plain"] {
        let bench = Bench::start(&["m"], "").await;
        bench.provider.on("m", [Reply::http(200, &[("content-type", kind)], &format!("\n {document}"))]);
        let streamed = bench.stream(ask()).await;
        assert_eq!((streamed.text().as_str(), streamed.done().text.as_str()), (GOOD, GOOD), "{kind}");
    }
    // And events that are called JSON flow as they come.
    let bench = Bench::start(&["m"], "").await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::Bytes(head.into()), chunk(&says("The Douro, the Tagus"))];
    steps.extend([pause(500), chunk(&says(" and the Guadiana."))]);
    steps.extend(ends("stop", 12, 20).iter().map(|event| chunk(event)));
    steps.push(last_chunk());
    bench.provider.on("m", [Reply::Raw(steps)]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.done().text, GOOD);
    assert!(streamed.times[0] < Duration::from_millis(400), "{:?}", streamed.times);
    // A document that is no good is asked for again like any other.
    let bench = Bench::start(&["bad", "good"], "").await;
    bench.provider.on("bad", [Reply::http(200, &[], "{\"choices\": []}")]).on("good", [Reply::text(GOOD)]);
    assert_eq!(bench.stream(ask()).await.text(), GOOD);
}

#[tokio::test]
async fn a_stream_that_begins_to_answer_brings_its_tier_back_before_it_has_ended() {
    let bench = Bench::with_tiers(&[("m", "retry_budget = 1")], "[defaults]\nbreaker_threshold = 1\nbreaker_open = \"300ms\"\ncooldown = \"1ms\"\ndeadline = \"15s\"\n").await;
    bench.provider.on(
        "m",
        [
            Reply::Fault(Fault::Status(500)),
            Reply::Say(Said::text(LONG_ANSWER).slowly(Duration::from_millis(40))),
        ],
    );
    bench.ask(ask()).await.unwrap_err();
    assert_ne!(bench.client.tier_health()[0].state.word(), "available");
    let mut stream = bench.client.chat_stream(ask()).await.unwrap();
    stream.opening().await.unwrap();
    assert_eq!(bench.client.tier_health()[0].state.word(), "available");
    assert!(stream.collect().await.unwrap().is_some());
}
