//! The judge and the watch on any text: pure, bounded, and the same whole or in pieces.

use std::sync::{Arc, LazyLock};

use mainstay_canon::{
    Answer, ChatRequest, Dialect, Expect, FinishMeaning, FinishReason, RawJson, ReplyEvent, ResponseFormat,
    Target, Tool, ToolCall, WireEvent, WireReply,
};
use mainstay_normalize::{Assembler, Context, whole};
use mainstay_quality::{
    Arrival, Ask, Hold, HoldMode, HoldOptions, Judge, JudgeOptions, Judged, Profile, looping,
};

use crate::cut::{Dice, text, words};

/// Parts a prompt from its answer, and a schema from its text.
const RULE: &str = "\n---\n";

static BALANCED: LazyLock<Option<Judge>> = LazyLock::new(|| Judge::new(JudgeOptions::default()).ok());
static STRICT: LazyLock<Option<Judge>> = LazyLock::new(|| {
    let options =
        JudgeOptions { profile: Profile::Strict, repair_tool_calls: true, ..JudgeOptions::default() };
    Judge::new(options).ok()
});

pub(crate) fn judges() -> impl Iterator<Item = &'static Judge> {
    [&*BALANCED, &*STRICT].into_iter().flatten()
}

/// An answer to a prompt, or to none: `prompt`, a line of three dashes, `answer`.
pub fn judge(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (prompt, text) = text.split_once(RULE).unwrap_or(("", text));
    let mut dice = Dice::of(data);
    let mut request = ChatRequest::user(prompt);
    request.expect = *dice.pick(&[Expect::Any, Expect::Short, Expect::Long]).unwrap_or(&Expect::Any);
    request.response_format = if dice.roll(3) == 0 { ResponseFormat::Json } else { ResponseFormat::Text };
    for reason in [FinishReason::Stop, FinishReason::Length] {
        let whole = one_piece(text, reason);
        let pieces = many_pieces(text, reason, &mut dice);
        assert_eq!(pieces, whole, "an answer is the same in pieces");
        for judge in judges() {
            let ask = Ask::of(&request);
            let judged = judge.judge(&ask, &whole, Arrival::Complete);
            assert_eq!(judge.judge(&ask, &pieces, Arrival::Complete), judged, "a verdict is the same twice");
            sound(&judged, &whole, &request);
            watched(judge, &request, &whole, &judged, &mut dice);
        }
    }
    if let Some(at) = looping(text) {
        assert!(text.is_char_boundary(at) && at <= text.len(), "{at} in {text:?}");
    }
}

fn meaning(word: &str) -> Option<FinishMeaning> {
    let reasons = [FinishReason::Stop, FinishReason::Length];
    reasons.into_iter().find(|reason| reason.word() == word).map(FinishMeaning::Answer)
}

fn one_piece(text: &str, reason: FinishReason) -> Answer {
    let target = Target::new("acme", "m");
    let context = Context { target: &target, finish: &meaning, prompt_estimate: 1, dialect: Dialect::Gemini };
    let wire =
        WireReply { text: text.to_owned(), finish: Some(reason.word().to_owned()), ..WireReply::default() };
    whole(&context, wire).unwrap_or_default()
}

fn many_pieces(text: &str, reason: FinishReason, dice: &mut Dice) -> Answer {
    let mut assembler = Assembler::new(Target::new("acme", "m"), Arc::new(meaning), 1, Dialect::Gemini);
    let mut out = Vec::new();
    let pieces = words(text, dice).into_iter().map(|piece| WireEvent::Text(piece.to_owned()));
    let finish = WireEvent::Finish { word: reason.word().to_owned(), native: None, stop_sequence: None };
    let taken = pieces.chain([finish]).try_for_each(|event| assembler.event(event, &mut out));
    assert!(taken.is_ok(), "{taken:?}");
    assembler.finish(&mut out).unwrap_or_default()
}

/// A verdict can be shown, and what it hands over instead is what it says it is.
pub(crate) fn sound(judged: &Judged, answer: &Answer, request: &ChatRequest) {
    let verdict = &judged.verdict;
    assert!(!verdict.rule.is_empty(), "{verdict:?}");
    assert!(verdict.detail.len() <= 4096, "{} bytes of detail", verdict.detail.len());
    if let Some(at) = verdict.at.filter(|_| answer.tool_calls.is_empty()) {
        assert!(
            answer.text.is_char_boundary(at) && at <= answer.text.len(),
            "{verdict:?}: {:?}",
            answer.text
        );
    }
    assert!(verdict.score.is_none_or(|score| (0.0..=1.0).contains(&score)), "{verdict:?}");
    if let Some(repaired) = &judged.repaired {
        assert!(request.response_format != ResponseFormat::Text, "{verdict:?}");
        let read = serde_json::from_str::<&serde_json::value::RawValue>(repaired);
        assert!(read.is_ok() && repaired.len() <= answer.text.len(), "{repaired:?} of {:?}", answer.text);
    }
    for call in judged.repaired_calls.iter().flatten() {
        let read = serde_json::from_str::<&serde_json::value::RawValue>(&call.arguments);
        assert!(read.is_ok(), "{call:?}");
    }
}

/// What was released stays released, and an answer that shows nothing is never released.
fn watched(judge: &Judge, request: &ChatRequest, answer: &Answer, judged: &Judged, dice: &mut Dice) {
    for mode in [HoldMode::Prefix, HoldMode::Buffer, HoldMode::Live] {
        let mut watch = judge.watch(&Ask::of(request), HoldOptions { mode, ..HoldOptions::default() });
        let mut released = watch.released();
        for piece in words(&answer.text, dice) {
            let hold = watch.event(&ReplyEvent::Text(piece.to_owned()));
            assert!(!released || watch.released(), "what was released is held again");
            released = watch.released();
            assert_eq!(hold == Hold::Release, released, "text goes when it is released: {mode:?}");
        }
        assert!(mode != HoldMode::Buffer || !released, "a buffer is never released");
        let nothing = judged.verdict.is_failure && judged.verdict.quality == mainstay_canon::Quality::Empty;
        assert!(mode != HoldMode::Prefix || !nothing || !released, "nothing was released: {:?}", answer.text);
    }
}

/// A schema, a line of three dashes, and a text that may satisfy it: as an answer and as a call's arguments.
pub fn schema(data: &[u8]) {
    let Some((schema, text)) = text(data).and_then(|text| text.split_once(RULE)) else { return };
    let Ok(schema) = RawJson::parse(schema) else { return };
    let mut request = ChatRequest::user("Answer in JSON.");
    request.response_format =
        ResponseFormat::JsonSchema { name: "form".to_owned(), schema: schema.clone(), strict: None };
    let answer = Answer { text: text.to_owned(), finish_reason: FinishReason::Stop, ..Answer::default() };
    let mut offering = ChatRequest::user("Call it.").tool(Tool::function("run", "", schema));
    offering.stream = true;
    let call = ToolCall {
        id: "call_1".to_owned(),
        name: "run".to_owned(),
        arguments: text.to_owned(),
        extra: mainstay_canon::Extra::new(),
    };
    let called =
        Answer { tool_calls: vec![call], finish_reason: FinishReason::ToolCall, ..Answer::default() };
    for judge in judges() {
        for (request, answer) in [(&request, &answer), (&offering, &called)] {
            let ask = Ask::of(request);
            let judged = judge.judge(&ask, answer, Arrival::Complete);
            assert_eq!(judge.judge(&ask, answer, Arrival::Complete), judged, "a verdict is the same twice");
            sound(&judged, answer, request);
        }
        call_watched(judge, &offering, text, &mut Dice::of(data));
    }
}

/// A call that the judge finds malformed is never let go before the judge has seen it.
fn call_watched(judge: &Judge, request: &ChatRequest, arguments: &str, dice: &mut Dice) {
    let mut watch = judge.watch(&Ask::of(request), HoldOptions::default());
    watch.event(&ReplyEvent::ToolStart {
        index: 0,
        id: "call_1".to_owned(),
        name: "run".to_owned(),
        extra: mainstay_canon::Extra::new(),
    });
    for delta in words(arguments, dice) {
        watch.event(&ReplyEvent::ToolArguments { index: 0, delta: delta.to_owned() });
        assert!(!watch.released(), "half a call was released");
    }
    watch.event(&ReplyEvent::ToolEnd { index: 0 });
    let is_json = serde_json::from_str::<&serde_json::value::RawValue>(arguments).is_ok();
    let repairs = judge.options().repair_tool_calls;
    assert!(
        !watch.released() || is_json || repairs || arguments.trim().is_empty(),
        "{arguments:?} was let go"
    );
}
