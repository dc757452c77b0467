//! The classes of behaviour 4.1, their order, and what is handed over instead.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use mainstay_canon::{
    Answer, ChatMessage, ChatRequest, Expect, Extra, FinishReason, Quality, RawJson, ResponseFormat, Role,
    Tool, ToolCall, ToolChoice, Usage, Verdict,
};
use mainstay_quality::{Action, Arrival, Ask, ClassAction, Judge, JudgeOptions, Judged, Profile};

fn answer(text: &str) -> Answer {
    Answer {
        text: text.into(),
        finish_reason: FinishReason::Stop,
        usage: Usage { completion: 40, ..Usage::default() },
        ..Answer::default()
    }
}

fn judged_by(options: JudgeOptions, request: &ChatRequest, answer: &Answer) -> Judged {
    Judge::new(options).unwrap().judge(&Ask::of(request), answer, Arrival::Complete)
}

fn judge(request: &ChatRequest, answer: &Answer) -> Verdict {
    judged_by(JudgeOptions::default(), request, answer).verdict
}

fn check(answer: &Answer, quality: Quality, rule: &str) {
    let verdict = judge(&ChatRequest::user("Tell me about rain."), answer);
    assert_eq!(
        (verdict.quality, verdict.rule.as_ref()),
        (quality, rule),
        "{:?} {}",
        answer.text,
        verdict.detail
    );
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: "c".into(), name: name.into(), arguments: arguments.into(), extra: Extra::new() }
}

fn with_tool(prompt: &str) -> ChatRequest {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#;
    ChatRequest::user(prompt).tool(Tool::function("weather", "", RawJson::parse(schema).unwrap()))
}

fn wants_json(prompt: &str) -> ChatRequest {
    let schema = r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#;
    let schema = RawJson::parse(schema).unwrap();
    let response_format = ResponseFormat::JsonSchema { name: "s".into(), schema, strict: None };
    ChatRequest { response_format, ..ChatRequest::user(prompt) }
}

#[test]
fn an_ordinary_answer_is_ok_and_says_nothing_more() {
    let verdict = judge(&ChatRequest::user("?"), &answer("Rain is water that falls from clouds."));
    assert_eq!(verdict, Verdict::ok());
}

#[test]
fn nothing_visible_is_empty() {
    check(&answer(""), Quality::Empty, "empty.no_text");
    check(&answer(" \n\u{200b}"), Quality::Empty, "empty.blank");
    check(&answer("<|im_end|>"), Quality::Empty, "empty.tokens");
    check(&answer("```\n```"), Quality::Empty, "empty.fence");
    check(&answer("<think></think>\n"), Quality::Empty, "empty.thinking");
    for text in [".", "?", "!", "...", "-", "…", "。", "**", "\"", "|"] {
        check(&answer(text), Quality::Empty, "empty.punctuation");
    }
    let one = Answer { usage: Usage { completion: 1, ..Usage::default() }, ..answer(".") };
    assert!(judge(&ChatRequest::user("Six times seven?"), &one).is_failure);
}

#[test]
fn the_detail_is_a_sentence_for_people() {
    let verdict = judge(&ChatRequest::user("?"), &answer(""));
    assert_eq!(verdict.detail, "finish \"stop\", no visible text");
    let raw = Answer { finish_reason_raw: Some("end_turn".into()), ..answer("") };
    assert_eq!(judge(&ChatRequest::user("?"), &raw).detail, "finish \"end_turn\", no visible text");
}

#[test]
fn an_empty_turn_after_a_tool_result_is_told_apart() {
    let request = ChatRequest::user("?").message(ChatMessage::new(Role::Tool, "done"));
    assert_eq!(judge(&request, &answer("")).rule, "empty.after_tool_result");
}

#[test]
fn a_sign_is_an_answer_where_a_sign_was_asked_for() {
    for (prompt, text) in
        [("Which char ends a C statement?", ";"), ("Which punctuation mark ends a question?", "?")]
    {
        assert_eq!(judge(&ChatRequest::user(prompt), &answer(text)).quality, Quality::Ok, "{prompt}");
    }
    assert_eq!(judge(&ChatRequest::user("Return an empty list"), &answer("[]")).quality, Quality::Ok);
    assert_eq!(judge(&ChatRequest::user("null or value?"), &answer("null")).quality, Quality::Ok);
    assert_eq!(judge(&ChatRequest::user("Write an essay"), &answer("null")).quality, Quality::Empty);
}

#[test]
fn a_limit_or_thinking_explains_why_nothing_came() {
    let cut = Answer { finish_reason: FinishReason::Length, ..answer(" ") };
    check(&cut, Quality::TruncatedEmpty, "truncated_empty");
    let thought = Answer { reasoning_content: Some("Hm.".into()), ..answer("") };
    check(&thought, Quality::ReasoningOnly, "reasoning_only");
    check(&answer("<think>Let me see."), Quality::ReasoningOnly, "reasoning_only");
    let both = Answer { finish_reason: FinishReason::Length, ..thought };
    check(&both, Quality::TruncatedEmpty, "truncated_empty.reasoning");
}

#[test]
fn what_the_provider_says_itself_counts() {
    let field = Answer { refusal: Some("I can't help with that.".into()), ..answer("") };
    check(&field, Quality::Refusal, "refusal.field");
    let finish = Answer { finish_reason: FinishReason::Refusal, ..answer("") };
    check(&finish, Quality::Refusal, "refusal.finish");
    let filter = Answer { finish_reason: FinishReason::ContentFilter, ..answer("It was the best of") };
    check(&filter, Quality::Filtered, "filtered.finish");
    let prohibited = Answer { prompt_prohibited: true, ..answer("") };
    check(&prohibited, Quality::Filtered, "filtered.prompt");
}

#[test]
fn an_answer_that_broke_off_is_interrupted_before_all_else() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let filter = Answer { finish_reason: FinishReason::ContentFilter, ..answer("I cannot help with that.") };
    let verdict = judge.judge(&Ask::of(&ChatRequest::user("?")), &filter, Arrival::BrokenOff).verdict;
    assert_eq!(verdict.quality, Quality::Interrupted);
    assert!(verdict.is_failure);
}

#[test]
fn a_well_formed_call_is_ok_with_or_without_text() {
    let with = |text: &str| Answer {
        tool_calls: vec![call("weather", r#"{"city":"Oslo"}"#)],
        finish_reason: FinishReason::ToolCall,
        ..answer(text)
    };
    for text in ["", "Let me check.", "I cannot help with that."] {
        assert_eq!(judge(&with_tool("?"), &with(text)).quality, Quality::Ok, "{text}");
    }
    let bad = Answer { tool_calls: vec![call("weather", r#"{"city":"#)], ..with("") };
    assert_eq!(judge(&with_tool("?"), &bad).rule, "malformed_tool_call.not_json");
    let cut = Answer { finish_reason: FinishReason::Length, ..bad };
    assert_eq!(judge(&with_tool("?"), &cut).rule, "malformed_tool_call.cut");
}

#[test]
fn a_call_written_as_text_is_malformed() {
    for text in [
        "<tool_call>{\"name\": \"weather\"}</tool_call>",
        r#"{"name": "weather", "arguments": {"city": "Oslo"}}"#,
    ] {
        assert_eq!(judge(&with_tool("?"), &answer(text)).rule, "malformed_tool_call.markup", "{text}");
    }
    assert_eq!(
        judge(&ChatRequest::user("?"), &answer(r#"{"name": "Ann", "arguments": 1}"#)).quality,
        Quality::Ok
    );
}

#[test]
fn a_required_call_that_did_not_come_is_missed() {
    let mut request = with_tool("?");
    request.tool_choice = Some(ToolChoice::Required);
    assert_eq!(judge(&request, &answer("It is sunny.")).rule, "malformed_tool_call.missing");
    assert_eq!(judge(&request, &answer("I'm sorry, but I can't help with that.")).quality, Quality::Refusal);
}

#[test]
fn repaired_arguments_are_handed_over_where_that_is_allowed() {
    let options = JudgeOptions { repair_tool_calls: true, ..JudgeOptions::default() };
    let calls = vec![call("weather", r#"{"city":"Oslo",}"#)];
    let answer = Answer { tool_calls: calls, finish_reason: FinishReason::ToolCall, ..answer("") };
    let judged = judged_by(options, &with_tool("?"), &answer);
    assert_eq!(judged.verdict.rule, "ok.repaired_call");
    assert_eq!(judged.repaired_calls.unwrap()[0].arguments, r#"{"city":"Oslo"}"#);
}

#[test]
fn json_is_checked_against_its_schema_after_a_lossless_repair() {
    let judged = |text: &str| judged_by(JudgeOptions::default(), &wants_json("?"), &answer(text));
    assert_eq!(judged(r#"{"a": 1}"#).verdict, Verdict::ok());
    assert_eq!(judged(r#"{"a": 1}"#).repaired, None);
    let fenced = judged("```json\n{\"a\": 1}\n```");
    assert_eq!(
        (fenced.verdict.rule.as_ref(), fenced.repaired.as_deref()),
        ("ok.repaired_json", Some("{\"a\": 1}"))
    );
    assert_eq!(judged("Here it is: {\"a\": 1,}").repaired.as_deref(), Some("{\"a\": 1}"));
    assert_eq!(judged(r#"{"a": "1"}"#).verdict.rule, "schema_mismatch.schema");
    assert_eq!(judged("A is one.").verdict.rule, "schema_mismatch.not_json");
    assert_eq!(judged("I'm sorry, but I can't help with that.").verdict.quality, Quality::Refusal);
    let cut = Answer { finish_reason: FinishReason::Length, ..answer(r#"{"a": "#) };
    assert_eq!(judge(&wants_json("?"), &cut).rule, "schema_mismatch.cut");
    let some = ChatRequest { response_format: ResponseFormat::Json, ..ChatRequest::user("?") };
    assert_eq!(judge(&some, &answer("{}")).quality, Quality::Ok);
    assert_eq!(judge(&some, &answer("42")).rule, "schema_mismatch.not_an_object");
}

#[test]
fn a_schema_that_does_not_compile_is_not_the_answers_fault() {
    let schema = RawJson::parse(r#"{"type":"OBJECT"}"#).unwrap();
    let response_format = ResponseFormat::JsonSchema { name: "s".into(), schema, strict: None };
    let verdict = judge(&ChatRequest { response_format, ..ChatRequest::user("?") }, &answer("{}"));
    assert_eq!(verdict.quality, Quality::Ok);
    assert!(verdict.detail.contains("not checked"), "{}", verdict.detail);
}

#[test]
fn circles_templates_and_error_pages_are_degenerate() {
    check(&answer(&"I am a machine. ".repeat(20)), Quality::Degenerate, "degenerate.loop");
    check(&answer("It is blue.<|im_end|>"), Quality::Degenerate, "degenerate.template");
    check(
        &answer("<html><title>502 Bad Gateway</title></html>"),
        Quality::Degenerate,
        "degenerate.error_page",
    );
    check(
        &answer("Something went wrong. Please try again later."),
        Quality::Degenerate,
        "degenerate.error_text",
    );
    let asked = ChatRequest::user("Repeat the sentence 20 times.");
    assert_eq!(judge(&asked, &answer(&"I am a machine. ".repeat(20))).quality, Quality::Ok);
}

#[test]
fn a_cut_or_paused_answer_is_marked_and_handed_over() {
    let cut = Answer { finish_reason: FinishReason::Length, ..answer("Step one: open the") };
    check(&cut, Quality::Truncated, "truncated.limit");
    check(&Answer { context_full: true, ..cut.clone() }, Quality::Truncated, "truncated.context");
    let paused = Answer { finish_reason: FinishReason::Pause, ..answer("Searching") };
    check(&paused, Quality::Paused, "paused");
    check(&Answer { text: String::new(), ..paused.clone() }, Quality::Paused, "paused");
    assert!(!judge(&ChatRequest::user("?"), &cut).is_failure);
    assert!(!judge(&ChatRequest::user("?"), &paused).is_failure);
}

#[test]
fn short_answers_are_ok_unless_strict_or_stray() {
    let short = |text: &str| Answer { usage: Usage { completion: 1, ..Usage::default() }, ..answer(text) };
    for text in ["Yes", "42", "B", "true", "OK", "positive", "3.14", "{}", "👍", "是", "いいえ", "N/A"]
    {
        assert_eq!(judge(&ChatRequest::user("Which one?"), &short(text)), Verdict::ok(), "{text}");
    }
    let strict = JudgeOptions { profile: Profile::Strict, ..JudgeOptions::default() };
    let verdict = judged_by(strict, &ChatRequest::user("?"), &short("42")).verdict;
    assert_eq!((verdict.quality, verdict.rule.as_ref()), (Quality::SuspiciouslyShort, "short.tokens"));
    let long = ChatRequest::user("?").expect(Expect::Long);
    assert_eq!(judge(&long, &answer("Rain falls.")).rule, "short.expected_long");
    assert_eq!(judge(&ChatRequest::user("Write an essay on rain"), &answer("Sure")).rule, "short.opening");
}

#[test]
fn an_operators_pattern_makes_a_refusal() {
    let options =
        JudgeOptions { refusal_patterns: vec!["ask your manager".into()], ..JudgeOptions::default() };
    let verdict = judged_by(options, &ChatRequest::user("?"), &answer("  Please ask your manager.")).verdict;
    assert_eq!((verdict.rule.as_ref(), verdict.at), ("refusal.pattern", Some(9)));
    let error = Judge::new(JudgeOptions { refusal_patterns: vec!["(".into()], ..JudgeOptions::default() })
        .unwrap_err();
    assert_eq!(error.index, 0);
}

#[test]
fn observing_and_switching_off_change_nothing() {
    let refusal = answer("I'm sorry, but I can't help with that.");
    let observe = JudgeOptions { action: Action::Observe, ..JudgeOptions::default() };
    let verdict = judged_by(observe, &ChatRequest::user("?"), &refusal).verdict;
    assert_eq!((verdict.quality, verdict.is_failure), (Quality::Refusal, false));
    let off = JudgeOptions { profile: Profile::Off, ..JudgeOptions::default() };
    assert_eq!(judged_by(off.clone(), &ChatRequest::user("?"), &refusal).verdict, Verdict::ok());
    let filter = Answer { finish_reason: FinishReason::ContentFilter, ..answer("") };
    let verdict = judged_by(off, &ChatRequest::user("?"), &filter).verdict;
    assert_eq!((verdict.quality, verdict.is_failure), (Quality::Filtered, false));
    let accept =
        JudgeOptions { classes: [(Quality::Refusal, ClassAction::Accept)].into(), ..JudgeOptions::default() };
    assert!(!judged_by(accept, &ChatRequest::user("?"), &refusal).verdict.is_failure);
}

#[test]
fn a_megabyte_of_one_letter_is_judged_quickly() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let request = ChatRequest::user("?");
    let ask = Ask::of(&request);
    for piece in [
        "a",
        " ",
        ".",
        "\u{200b}",
        "<",
        "`",
        "[",
        "{",
        "\"",
        "<think>",
        "```\n",
        "I can't ",
        "아",
        "</s>",
        "\nAction Input:",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        let began = cpu_seconds();
        judge.judge(&ask, &answer(&text), Arrival::Complete);
        let json = ChatRequest { response_format: ResponseFormat::Json, ..request.clone() };
        judge.judge(&Ask::of(&json), &answer(&text), Arrival::Complete);
        let spent = cpu_seconds() - began;
        println!("{piece:?}: {spent} s");
        assert!(spent < 5.0, "{piece:?} took {spent} s of processor time");
    }
}

/// Processor seconds of this thread, so that a busy machine does not fail the test; 0 where unknown.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

#[test]
fn a_judge_and_a_watch_may_be_shared_between_threads() {
    const fn shared<T: Send + Sync>() {}
    shared::<Judge>();
    shared::<mainstay_quality::Watch>();
}

#[test]
fn a_loop_can_be_noticed_while_it_streams() {
    assert!(mainstay_quality::looping(&"Thank you. ".repeat(30)).is_some());
    assert_eq!(mainstay_quality::looping("Thank you."), None);
}
