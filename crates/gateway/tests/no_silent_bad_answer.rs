//! Useless answers never reach a caller, streamed or not (behaviour 0, promise 1).

mod common;

use common::{Ask, Front};
use mainstay_testkit::{Fault, Reply};
use serde_json::{Value, json};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

#[tokio::test]
async fn useless_answers_are_answered_by_the_next_tier() {
    for fault in [
        Fault::Empty,
        Fault::Dot,
        Fault::Refusal,
        Fault::RefusalField,
        Fault::NoChoices,
        Fault::ReasoningOnly,
        Fault::TruncatedEmpty,
        Fault::Filtered,
        Fault::UnknownFinish,
        Fault::ErrorInside200,
        Fault::ErrorAfterText,
        Fault::Html,
        Fault::BadJson,
        Fault::CutBeforeContent,
        Fault::Status(500),
        Fault::Status(401),
        Fault::RateLimited(20),
        Fault::Quota,
        Fault::Overloaded,
        Fault::CloseAtOnce,
        Fault::ResetAtOnce,
    ] {
        for stream in [false, true] {
            let front = Front::start(&["bad", "good"]).await;
            front.provider.on("bad", [Reply::Fault(fault.clone())]).on("good", [Reply::text(GOOD)]);
            if stream && comes_after_text(&fault) {
                continue;
            }
            let told = front.ask(Ask { stream, ..Ask::default() }).await;
            assert_eq!(
                (told.status, told.text.as_str()),
                (200, GOOD),
                "{fault:?} stream={stream}: {}",
                told.body
            );
            assert!(told.finished, "{fault:?} stream={stream}: {}", told.body);
            assert_eq!(told.header("x-mainstay-tier"), Some("fake/good"), "{fault:?} stream={stream}");
            assert_eq!(told.header("x-mainstay-served"), Some("fallback"), "{fault:?} stream={stream}");
        }
    }
}

/// Whether a stream shows the fault only after text that is good and therefore out.
fn comes_after_text(fault: &Fault) -> bool {
    matches!(fault, Fault::UnknownFinish | Fault::ErrorAfterText)
}

#[tokio::test]
async fn a_fault_after_released_text_is_an_error_event_and_never_an_ordinary_end() {
    for fault in [Fault::UnknownFinish, Fault::ErrorAfterText] {
        let front = Front::start_with(&["bad", "good"], "[streaming]\non_interrupt = \"error\"\n").await;
        front.provider.on("bad", [Reply::Fault(fault.clone())]).on("good", [Reply::text(GOOD)]);
        let told = front.ask(Ask { stream: true, ..Ask::default() }).await;
        assert!(!told.finished && told.body.contains("\"error\""), "{fault:?}: {}", told.body);
        assert_eq!(front.provider.calls("good"), 0, "{fault:?}");
    }
}

#[tokio::test]
async fn a_useless_answer_without_a_next_tier_is_an_error_and_not_an_answer() {
    for fault in [Fault::Empty, Fault::Dot, Fault::NoChoices] {
        for stream in [false, true] {
            let front = Front::start(&["bad"]).await;
            front.provider.on("bad", [Reply::Fault(fault.clone())]);
            let told = front.ask(Ask { stream, ..Ask::default() }).await;
            let body: Value = serde_json::from_str(&told.body).unwrap();
            assert_eq!(told.status, 502, "{fault:?} stream={stream}: {body}");
            assert_eq!(body["error"]["type"], json!("all_providers_failed"), "{body}");
            assert_eq!(told.header("x-should-retry"), Some("false"));
            assert_eq!(told.header("x-mainstay-attempts"), Some("2"), "the tier's own budget");
        }
    }
}

#[tokio::test]
async fn a_refusal_by_all_is_handed_over_as_a_refusal() {
    for stream in [false, true] {
        let front = Front::start(&["bad"]).await;
        front.provider.on("bad", [Reply::Fault(Fault::Refusal)]);
        let told = front.ask(Ask { stream, ..Ask::default() }).await;
        assert_eq!(told.status, 200, "{}", told.body);
        assert!(told.body.contains("\"refusal\":\"I cannot help with that.\""), "{}", told.body);
        assert_eq!(front.provider.calls("bad"), 1, "never asked twice (behaviour 5.1)");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_after_its_release_never_ends_in_good_order() {
    for fault in [
        Fault::CutInText("The committee met on Tuesday and agreed on everything that mattered.".into()),
        Fault::NoTerminator("The committee met on Tuesday and agreed on everything that mattered.".into()),
    ] {
        let front = Front::start_with(&["bad"], "[streaming]\non_interrupt = \"error\"\n").await;
        front.provider.on("bad", [Reply::Fault(fault.clone())]);
        let told = front.ask(Ask { stream: true, ..Ask::default() }).await;
        assert_eq!(told.status, 200);
        assert!(told.text.starts_with("The committee met"), "{fault:?}: {}", told.body);
        assert!(!told.finished, "{fault:?}: {}", told.body);
        assert!(told.body.contains("\"error\""), "{fault:?}: {}", told.body);
    }
}

#[tokio::test]
async fn a_broken_answer_is_continued_without_a_repeated_word() {
    let front = Front::start(&["bad"]).await;
    let part = "The committee met on Tuesday and agreed on everything that mattered, and then";
    front.provider.on(
        "bad",
        [
            Reply::Fault(Fault::CutInText(part.into())),
            Reply::text(
                "and then the chair, who had said nothing so far, thanked all members and went home.",
            ),
        ],
    );
    let told = front.ask(Ask { stream: true, ..Ask::default() }).await;
    assert_eq!(
        told.text,
        "The committee met on Tuesday and agreed on everything that mattered, and then the chair, who had said \
         nothing so far, thanked all members and went home."
    );
    assert!(told.finished, "{}", told.body);
    assert!(
        told.body.contains("\"continued\":true") && told.body.contains("\"continued_at\":"),
        "{}",
        told.body
    );
    let second = &front.provider.seen()[1].body["messages"];
    assert_eq!(second[1]["role"], "assistant");
    assert_eq!(second[1]["content"], part);
}

#[tokio::test]
async fn a_rate_limit_of_every_tier_is_told_with_its_wait() {
    let front = Front::start(&["bad"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::RateLimited(700))]);
    for _ in 0..2 {
        let told = front.ask(Ask::default()).await;
        assert_eq!(told.status, 429, "{}", told.body);
        let wait: u64 = told.header("retry-after").unwrap().parse().unwrap();
        assert!((690..=702).contains(&wait), "{wait}");
    }
    assert_eq!(front.provider.calls("bad"), 1, "nobody calls before the hint has passed (behaviour 5.2)");
}
