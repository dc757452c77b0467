//! Useless answers never reach a caller, streamed or not (behaviour 0, promise 1).

mod common;

use common::{Ask, By, Front, tier_provider};
use mainstay_testkit::{Fault, Reply, Spelling};
use serde_json::{Value, json};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

/// Everything that a provider may do instead of answering, short of saying nothing at all.
fn faults() -> Vec<Fault> {
    vec![
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
        Fault::WrongLength,
        Fault::NoBody,
        Fault::CutBeforeContent,
        Fault::Status(500),
        Fault::Status(401),
        Fault::UnknownModel,
        Fault::RateLimited(20),
        Fault::Quota,
        Fault::Overloaded,
        Fault::CloseAtOnce,
        Fault::ResetAtOnce,
    ]
}

/// Two tiers of a provider that speaks so: one that does what it should not, and one that answers.
async fn two_tiers(spelling: Spelling, further: &str, fault: &Fault) -> Front {
    let provider = tier_provider(spelling);
    let (bad, good) = (format!("{provider}/bad"), format!("{provider}/good"));
    let front = Front::start_with(&[&bad, &good], further).await;
    front.provider.on("bad", [Reply::Fault(fault.clone())]).on("good", [Reply::text(GOOD)]);
    front
}

#[tokio::test]
async fn useless_answers_are_answered_by_the_next_tier() {
    for spelling in Spelling::ALL {
        for (number, fault) in faults().iter().enumerate() {
            // Callers of both dialects in turn.
            let bys = if number % 2 == 0 { [By::OpenAi, By::Anthropic] } else { [By::Anthropic, By::OpenAi] };
            for (by, stream) in [(bys[0], false), (bys[1], true)] {
                if stream && comes_after_text(fault) {
                    continue;
                }
                let shown = format!("{spelling:?} {fault:?} by={by:?} stream={stream}");
                let front = two_tiers(spelling, "", fault).await;
                let told = front.ask(Ask::by(by, stream)).await;
                assert_eq!((told.status, told.text.as_str()), (200, GOOD), "{shown}: {}", told.body);
                assert!(told.finished, "{shown}: {}", told.body);
                let good = format!("{}/good", tier_provider(spelling));
                assert_eq!(told.header("x-mainstay-tier"), Some(&*good), "{shown}");
                assert_eq!(told.header("x-mainstay-served"), Some("fallback"), "{shown}");
            }
        }
    }
}

/// Whether a stream shows the fault only after text that is good and therefore out.
fn comes_after_text(fault: &Fault) -> bool {
    matches!(fault, Fault::UnknownFinish | Fault::ErrorAfterText | Fault::WrongLength)
}

#[tokio::test]
async fn a_fault_after_released_text_is_an_error_event_and_never_an_ordinary_end() {
    for spelling in Spelling::ALL {
        for fault in [Fault::UnknownFinish, Fault::ErrorAfterText] {
            let shown = format!("{spelling:?} {fault:?}");
            let front = two_tiers(spelling, "[streaming]\non_interrupt = \"error\"\n", &fault).await;
            let told = front.ask(Ask { stream: true, ..Ask::default() }).await;
            assert!(!told.finished && told.body.contains("\"error\""), "{shown}: {}", told.body);
            assert!(!told.text.is_empty(), "{shown}: {}", told.body);
            assert_eq!(front.provider.calls("good"), 0, "{shown}");
        }
    }
}

#[tokio::test]
async fn a_useless_answer_without_a_next_tier_is_an_error_and_not_an_answer() {
    for spelling in Spelling::ALL {
        for fault in [Fault::Empty, Fault::Dot, Fault::NoChoices] {
            for stream in [false, true] {
                let shown = format!("{spelling:?} {fault:?} stream={stream}");
                let front = Front::start(&[&format!("{}/bad", tier_provider(spelling))]).await;
                front.provider.on("bad", [Reply::Fault(fault.clone())]);
                let told = front.ask(Ask { stream, ..Ask::default() }).await;
                let body: Value = serde_json::from_str(&told.body).unwrap();
                // A stream of Gemini's without a finish reason has no end, which looks like a broken line.
                let has_no_end = (spelling, &fault, stream) == (Spelling::Gemini, &Fault::NoChoices, true);
                assert_eq!(told.status, if has_no_end { 503 } else { 502 }, "{shown}: {body}");
                assert_eq!(body["error"]["type"], json!("all_providers_failed"), "{shown}: {body}");
                assert_eq!(told.header("x-should-retry"), Some("false"));
                assert_eq!(told.header("x-mainstay-attempts"), Some("2"), "{shown}: the tier's own budget");
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_by_all_is_handed_over_as_a_refusal() {
    for spelling in Spelling::ALL {
        for stream in [false, true] {
            let front = Front::start(&[&format!("{}/bad", tier_provider(spelling))]).await;
            front.provider.on("bad", [Reply::Fault(Fault::Refusal)]);
            let told = front.ask(Ask { stream, ..Ask::default() }).await;
            assert_eq!(told.status, 200, "{spelling:?}: {}", told.body);
            let refusal = "\"refusal\":\"I cannot help with that.\"";
            assert!(told.body.contains(refusal), "{spelling:?}: {}", told.body);
            assert_eq!(front.provider.calls("bad"), 1, "never asked twice (behaviour 5.1)");
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_after_its_release_never_ends_in_good_order() {
    let text = "The committee met on Tuesday and agreed on everything that mattered.";
    for spelling in Spelling::ALL {
        for fault in [Fault::CutInText(text.into()), Fault::NoTerminator(text.into())] {
            let shown = format!("{spelling:?} {fault:?}");
            let front = two_tiers(spelling, "[streaming]\non_interrupt = \"error\"\n", &fault).await;
            let told = front.ask(Ask { stream: true, ..Ask::default() }).await;
            assert_eq!(told.status, 200, "{shown}");
            assert!(told.text.starts_with("The committee met"), "{shown}: {}", told.body);
            assert!(!told.finished, "{shown}: {}", told.body);
            assert!(told.body.contains("\"error\""), "{shown}: {}", told.body);
        }
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
