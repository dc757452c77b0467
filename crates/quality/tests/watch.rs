//! How long the beginning of a stream is held back (behaviour 7).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use mainstay_canon::{ChatRequest, Expect, FinishReason, RawJson, ReplyEvent, ResponseFormat, Tool, Usage};
use mainstay_quality::{
    Action, Ask, Hold, HoldMode, HoldOptions, Judge, JudgeOptions, MOST_HELD_ARGUMENTS, Watch,
};
use proptest::prelude::*;

fn watch_with(options: JudgeOptions, request: &ChatRequest, hold: HoldOptions) -> Watch {
    Judge::new(options).unwrap().watch(&Ask::of(request), hold)
}

fn watch(hold: HoldOptions) -> Watch {
    watch_with(JudgeOptions::default(), &ChatRequest::user("?"), hold)
}

fn text(piece: &str) -> ReplyEvent {
    ReplyEvent::Text(piece.into())
}

fn start(index: usize) -> ReplyEvent {
    ReplyEvent::ToolStart {
        index,
        id: "c".into(),
        name: "weather".into(),
        extra: mainstay_canon::Extra::new(),
    }
}

fn arguments(index: usize, delta: &str) -> ReplyEvent {
    ReplyEvent::ToolArguments { index, delta: delta.into() }
}

fn finish() -> ReplyEvent {
    ReplyEvent::Finish { reason: FinishReason::Stop, raw: None, stop_sequence: None, usage: Usage::default() }
}

/// Characters seen when the text was let go, arriving one by one; `None` where it never was.
fn held(watch: &mut Watch, answer: &str) -> Option<usize> {
    let mut seen = 0;
    for c in answer.chars() {
        seen += 1;
        if watch.event(&text(&c.to_string())) == Hold::Release {
            return Some(seen);
        }
    }
    None
}

fn with_tool() -> ChatRequest {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#;
    ChatRequest::user("?").tool(Tool::function("weather", "", RawJson::parse(schema).unwrap()))
}

#[test]
fn an_ordinary_answer_is_held_for_its_first_word() {
    for answer in [
        "The capital of France is Paris.",
        "Paris",
        "1. Boil water.",
        "# Rain\nRain falls.",
        "```rust\nfn main() {}\n```",
    ] {
        let seen = held(&mut watch(HoldOptions::default()), answer).unwrap();
        assert!(seen <= 9, "{answer}: {seen}");
    }
}

#[test]
fn a_refusal_is_never_shown_however_long_it_goes_on() {
    let long = format!(
        "I'm sorry, but I can't help with that request. {}",
        "It would break my guidelines. ".repeat(30)
    );
    for answer in [
        "I cannot help with that.",
        "Lo siento, pero no puedo ayudarte con eso.",
        "죄송하지만 그 요청은 도와드릴 수 없습니다.",
        &long,
    ] {
        let mut watch = watch(HoldOptions::default());
        assert_eq!(held(&mut watch, answer), None, "{answer}");
        assert_eq!(watch.event(&finish()), Hold::Keep);
        assert!(!watch.released());
    }
}

#[test]
fn an_empty_answer_is_never_shown() {
    for answer in ["", "  \n\u{200b} ", "...", "<|im_end|>", "```\n```", "<think></think>"] {
        let mut watch = watch(HoldOptions::default());
        assert_eq!(held(&mut watch, answer), None, "{answer:?}");
        assert_eq!(watch.on_time(), Hold::Keep);
        assert_eq!(watch.event(&finish()), Hold::Keep);
    }
}

#[test]
fn a_programs_word_for_nothing_is_not_shown_until_more_comes() {
    for answer in ["null", "None", " undefined ", "[object Object]", "(no content)"] {
        assert_eq!(held(&mut watch(HoldOptions::default()), answer), None, "{answer:?}");
    }
    for (answer, seen) in [("None of them fits.", 6), ("nullable columns", 5), ("Nano", 4)] {
        assert_eq!(held(&mut watch(HoldOptions::default()), answer), Some(seen), "{answer:?}");
    }
}

#[test]
fn half_a_template_token_is_not_shown_until_it_is_none() {
    for answer in ["[INST]", "</s>", "<|im_end|>", "<｜end▁of▁sentence｜>", "&nbsp;", "<think>", "<reasoning"]
    {
        assert_eq!(held(&mut watch(HoldOptions::default()), answer), None, "{answer:?}");
    }
    for (answer, seen) in [("[INS]", 5), ("<|a b|>", 4), ("&copy", 2)] {
        assert_eq!(held(&mut watch(HoldOptions::default()), answer), Some(seen), "{answer:?}");
    }
}

#[test]
fn what_might_be_a_refusal_is_held_for_eighty_characters_at_most() {
    let answer = "I can hardly imagine a better day to walk along the river, past the mill and over the old bridge to town.";
    assert!(held(&mut watch(HoldOptions::default()), answer).unwrap() <= 80);
    let answer = "Unfortunately the museum on the hill above the old town by the river is closed on Mondays and Tuesdays";
    assert_eq!(held(&mut watch(HoldOptions::default()), answer), Some(80));
    assert_eq!(held(&mut watch(HoldOptions { chars: 20, ..HoldOptions::default() }), answer), Some(20));
}

#[test]
fn the_hold_time_lets_words_go_and_nothing_else() {
    let mut hesitant = watch(HoldOptions::default());
    assert_eq!(hesitant.event(&text("Unfortunately, ")), Hold::Keep);
    assert_eq!(hesitant.on_time(), Hold::Release);
    assert_eq!(hesitant.event(&text("it rains.")), Hold::Release);
    let mut refusing = watch(HoldOptions::default());
    refusing.event(&text("I'm sorry, but I can't help with that."));
    assert_eq!(refusing.on_time(), Hold::Keep);
}

#[test]
fn json_is_held_until_it_begins() {
    let request = ChatRequest { response_format: ResponseFormat::Json, ..ChatRequest::user("?") };
    let mut json = watch_with(JudgeOptions::default(), &request, HoldOptions::default());
    assert_eq!(json.event(&text(" ")), Hold::Keep);
    assert_eq!(json.event(&text("{")), Hold::Release);
    let mut refusing = watch_with(JudgeOptions::default(), &request, HoldOptions::default());
    assert_eq!(held(&mut refusing, "I'm sorry, but I can't help with that."), None);
}

#[test]
fn buffer_shows_nothing_and_live_everything() {
    let mut buffer = watch(HoldOptions { mode: HoldMode::Buffer, ..HoldOptions::default() });
    assert_eq!(buffer.event(&text("The capital of France")), Hold::Keep);
    assert_eq!((buffer.on_time(), buffer.event(&finish())), (Hold::Keep, Hold::Keep));
    let mut live = watch(HoldOptions { mode: HoldMode::Live, ..HoldOptions::default() });
    assert_eq!(live.event(&text("I can't")), Hold::Release);
    assert_eq!(live.event(&start(0)), Hold::Release);
}

#[test]
fn reasoning_waits_for_the_text_unless_it_is_live() {
    let thought = ReplyEvent::Reasoning("Hm.".into());
    let mut held = watch(HoldOptions::default());
    assert_eq!(held.event(&thought), Hold::Keep);
    assert_eq!(held.event(&text("The capital")), Hold::Release);
    let mut live = watch(HoldOptions { live_reasoning: true, ..HoldOptions::default() });
    assert_eq!(live.event(&thought), Hold::Release);
    assert!(!live.released(), "only text counts as released");
    assert_eq!(live.event(&text("I ca")), Hold::Keep);
}

#[test]
fn a_call_is_held_until_it_is_whole_and_valid() {
    let mut watch = watch_with(JudgeOptions::default(), &with_tool(), HoldOptions::default());
    assert_eq!(watch.event(&text("Let me look at the weather. ")), Hold::Release);
    assert_eq!(watch.event(&start(0)), Hold::Keep);
    assert_eq!(watch.event(&arguments(0, r#"{"city":"#)), Hold::Keep);
    assert_eq!(watch.on_time(), Hold::Keep);
    assert_eq!(watch.event(&arguments(0, r#""Oslo"}"#)), Hold::Keep);
    assert_eq!(watch.event(&ReplyEvent::ToolEnd { index: 0 }), Hold::Release);
    assert_eq!(watch.event(&start(1)), Hold::Keep);
    assert_eq!(watch.event(&arguments(1, r#"{"city":7}"#)), Hold::Keep);
    assert_eq!(watch.event(&ReplyEvent::ToolEnd { index: 1 }), Hold::Keep);
    assert_eq!(watch.event(&finish()), Hold::Keep);
}

#[test]
fn two_calls_at_once_wait_for_each_other() {
    let mut watch = watch_with(JudgeOptions::default(), &with_tool(), HoldOptions::default());
    for event in [start(0), start(1), arguments(0, r#"{"city":"A"}"#), arguments(1, r#"{"city":"B"}"#)] {
        assert_eq!(watch.event(&event), Hold::Keep);
    }
    assert_eq!(watch.event(&ReplyEvent::ToolEnd { index: 0 }), Hold::Keep);
    assert_eq!(watch.event(&ReplyEvent::ToolEnd { index: 1 }), Hold::Release);
    assert_eq!(watch.event(&finish()), Hold::Release);
}

#[test]
fn no_more_than_a_megabyte_of_arguments_is_held() {
    let mut watch = watch_with(JudgeOptions::default(), &with_tool(), HoldOptions::default());
    watch.event(&start(0));
    let piece = "x".repeat(MOST_HELD_ARGUMENTS / 2);
    assert_eq!(watch.event(&arguments(0, &piece)), Hold::Keep);
    assert_eq!(watch.event(&arguments(0, &piece)), Hold::Keep);
    assert_eq!(watch.event(&arguments(0, "x")), Hold::Release);
}

#[test]
fn nothing_is_held_where_nothing_would_count_as_a_failure() {
    let observe = JudgeOptions { action: Action::Observe, ..JudgeOptions::default() };
    let mut watch = watch_with(observe, &with_tool(), HoldOptions::default());
    assert_eq!(watch.event(&text("I'm sorry")), Hold::Release);
    assert_eq!(watch.event(&start(0)), Hold::Release);
}

#[test]
fn an_operators_pattern_is_held_back_where_it_shows_in_time() {
    let options = JudgeOptions { refusal_patterns: vec!["^please ask".into()], ..JudgeOptions::default() };
    let mut watch = watch_with(options, &ChatRequest::user("?").expect(Expect::Any), HoldOptions::default());
    assert_eq!(watch.event(&text("Please ask your manager about that.")), Hold::Keep);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_a_watch_stumble_and_text_that_flows_goes_on_flowing(pieces in prop::collection::vec(".{0,12}", 0..40)) {
        let mut watch = watch(HoldOptions::default());
        let mut released = false;
        for piece in &pieces {
            let hold = watch.event(&text(piece));
            prop_assert!(!released || hold == Hold::Release);
            released |= hold == Hold::Release;
        }
    }

    #[test]
    fn no_answer_makes_the_judge_stumble_and_places_lie_in_the_text(text in "(\\PC|[ \n`<>|\\[\\]{}\"'.*]|I can't |sorry|<think>|</think>|```|</s>){0,60}") {
        use mainstay_canon::Answer;
        let judge = Judge::new(JudgeOptions::default()).unwrap();
        for format in [ResponseFormat::Text, ResponseFormat::Json] {
            let request = ChatRequest { response_format: format, ..ChatRequest::user(text.clone()) };
            let answer = Answer { text: text.clone(), finish_reason: FinishReason::Stop, ..Answer::default() };
            let verdict = judge.judge(&Ask::of(&request), &answer, mainstay_quality::Arrival::Complete).verdict;
            prop_assert!(verdict.at.is_none_or(|at| text.is_char_boundary(at)), "{:?} at {:?}", verdict.rule, verdict.at);
        }
    }
}
