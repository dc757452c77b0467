//! What only the provider's dialect says, in a stream (behaviour 1.1, 7.1).

use mainstay::{ChatRequest, Dialect, ReplyEvent};
use mainstay_testkit::{Fault, Reply, Step};
use serde_json::{Value, json};

use crate::common::Bench;
use crate::common::bytes::{chunk, delta, ends, last_chunk, says, sse, stream_of};

const PART: &str = "The committee met on Tuesday and agreed on everything that mattered, and then";

fn ask() -> ChatRequest {
    ChatRequest::user("What did the committee do?")
}

/// A chunk of text with its log probability.
fn weighed(text: &str, weight: f64) -> String {
    let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null,
        "logprobs": {"content": [{"token": text, "logprob": weight}]}});
    let chunk = json!({"id": "c1", "model": "m-real", "system_fingerprint": "fp_1", "choices": [choice]});
    format!("data: {chunk}\n\n")
}

fn cites(url: &str) -> String {
    delta(&json!({"annotations": [{"type": "url_citation", "url_citation": {"url": url}}]}), None)
}

/// Which events came, extras by their names.
fn order(events: &[ReplyEvent]) -> Vec<String> {
    let told = |event: &ReplyEvent| match event {
        ReplyEvent::Text(text) => text.clone(),
        ReplyEvent::Extra(piece) => {
            assert_eq!(piece.dialect, Dialect::OpenaiChat);
            piece.members.names().collect::<Vec<_>>().join(" ")
        }
        ReplyEvent::Start { .. } => "start".to_owned(),
        other => panic!("{other:?}"),
    };
    events.iter().map(told).collect()
}

#[tokio::test]
async fn extras_come_in_order_with_their_text_though_both_were_held() {
    let bench = Bench::start(&["m"], "").await;
    let mut events = vec![
        weighed("The", -0.5),
        weighed(" Douro and the Tagus rise in Spain,", -0.25),
        cites("https://a.example"),
    ];
    events.extend([says(" as does the Guadiana."), cites("https://b.example")]);
    events.extend(ends("stop", 12, 20));
    bench.provider.on("m", [Reply::Raw(stream_of(&events))]);
    let streamed = bench.stream(ask()).await;
    let (weights, notes) = ("choices[0].logprobs", "choices[0].message.annotations");
    assert_eq!(
        order(&streamed.events),
        [
            "start",
            "system_fingerprint",
            weights,
            "The",
            weights,
            " Douro and the Tagus rise in Spain,",
            notes,
            " as does the Guadiana.",
            notes
        ]
    );
    let answer = &streamed.done().answer;
    let kept = |name: &str| answer.extra.get(name).unwrap().read::<Value>().unwrap();
    assert_eq!(kept(notes).as_array().unwrap().len(), 2);
    assert_eq!(kept(weights)["content"][1]["logprob"], -0.25);
    assert_eq!((kept("system_fingerprint"), answer.dialect), (json!("fp_1"), Some(Dialect::OpenaiChat)));
}

#[tokio::test]
async fn extras_of_an_attempt_that_was_dropped_are_never_seen() {
    let bench = Bench::start(&["bad", "good"], "").await;
    let mut refusal =
        vec![weighed("I'm sorry, but I can't help with that.", -0.5), cites("https://bad.example")];
    refusal.extend(ends("stop", 12, 20));
    let mut good = vec![says("The Douro, the Tagus and the Guadiana.")];
    good.extend(ends("stop", 12, 20));
    bench.provider.on("bad", [Reply::Raw(stream_of(&refusal))]);
    bench.provider.on("good", [Reply::Raw(stream_of(&good))]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(order(&streamed.events), ["start", "The Douro, the Tagus and the Guadiana."]);
    assert!(streamed.done().answer.extra.is_empty());
}

#[tokio::test]
async fn extras_are_no_progress_and_release_nothing() {
    let bench = Bench::start(&["bad", "good"], "").await;
    let mut steps = sse(&[weighed("", -0.5), cites("https://a.example")]);
    steps.extend([Step::Wait(std::time::Duration::from_millis(40)), Step::Reset]);
    bench
        .provider
        .on("bad", [Reply::Raw(steps)])
        .on("good", [Reply::Fault(Fault::Empty), Reply::text("Fine, all is well.")]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.text(), "Fine, all is well.");
    assert!(bench.attempts().iter().all(|row| row.released == (row.quality == Some(mainstay::Quality::Ok))));
    assert_eq!(bench.attempts()[0].ttft_ms, None, "nothing of content came");
}

#[tokio::test]
async fn extras_of_a_continuation_are_left_out_for_their_places_are_others() {
    let bench = Bench::start(&["m"], "").await;
    let mut broken = sse(&[weighed(PART, -0.5)]);
    broken.extend([Step::Wait(std::time::Duration::from_millis(40)), Step::Reset]);
    let mut rest =
        sse(&[weighed(" the chair thanked all members and went home.", -0.75), cites("https://a.example")]);
    rest.extend(ends("stop", 100, 20).iter().map(|event| chunk(event)));
    rest.push(last_chunk());
    bench.provider.on("m", [Reply::Raw(broken), Reply::Raw(rest)]);
    let streamed = bench.stream(ask()).await;
    let extras = order(&streamed.events).into_iter().filter(|told| told.starts_with("choices")).count();
    assert_eq!((extras, streamed.done().continued_at), (1, Some(PART.len())));
    let answer = &streamed.done().answer;
    assert_eq!(answer.extra.get("choices[0].message.annotations"), None);
    assert!(answer.extra.get("choices[0].logprobs").unwrap().text().contains("-0.5"));
}

#[tokio::test]
async fn extras_of_a_document_in_place_of_a_stream_are_told_too() {
    let bench = Bench::start(&["m"], "").await;
    let body = json!({"id": "c1", "model": "m-real", "system_fingerprint": "fp_1", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": "The Douro and the Tagus.", "annotations": [{"n": 1}]},
        "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 7}});
    let headers = [("content-type", "application/json")];
    bench.provider.on("m", [Reply::http(200, &headers, &body.to_string())]);
    let streamed = bench.stream(ask()).await;
    // They come first: a writer says things otherwise where its own dialect has said them already.
    assert_eq!(
        order(&streamed.events),
        ["start", "choices[0].message.annotations system_fingerprint", "The Douro and the Tagus."]
    );
}
