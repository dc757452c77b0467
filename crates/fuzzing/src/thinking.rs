//! Thinking that leaked into the text: told apart the same whether the text comes whole or in pieces.

use std::sync::Arc;

use mainstay_canon::{Answer, Dialect, FinishMeaning, FinishReason, Target, WireEvent, WireReply};
use mainstay_normalize::{Assembler, Context, estimate_tokens, whole};

use crate::cut::{Dice, text, words};
use crate::stream::join;

/// A text of a model, with its marks of thinking.
pub fn thinking(data: &[u8]) {
    let Some(text) = text(data) else { return };
    assert!(estimate_tokens(text) <= 4 * text.len() as u64 + 16, "an estimate is bounded");
    for dialect in Dialect::ALL {
        let whole = one_piece(text, dialect);
        let told = whole.text.len() + whole.reasoning_content.as_deref().map_or(0, str::len);
        assert!(told <= text.len(), "{dialect}: more text than came");
        let streamed = in_pieces(&[text], dialect);
        let pieces = in_pieces(&words(text, &mut Dice::of(data)), dialect);
        assert_eq!(pieces, streamed, "{dialect}: where a text is cut does not matter");
        if !is_unopened(text) {
            let told = |answer: &Answer| (answer.text.clone(), answer.reasoning_content.clone());
            assert_eq!(told(&streamed), told(&whole), "{dialect}");
        }
    }
}

/// A mark that nothing opened can be put right in a whole text only: a stream has let it go.
fn is_unopened(text: &str) -> bool {
    let marks = [
        ("<think>", "</think>"),
        ("<seed:think>", "</seed:think>"),
        ("[THINK]", "[/THINK]"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("◁think▷", "◁/think▷"),
    ];
    marks.iter().any(|(open, close)| text.contains(close) && !text.contains(open))
}

fn meaning(word: &str) -> Option<FinishMeaning> {
    (word == "stop").then_some(FinishMeaning::Answer(FinishReason::Stop))
}

fn one_piece(text: &str, dialect: Dialect) -> Answer {
    let target = Target::new("acme", "m");
    let context = Context { target: &target, finish: &meaning, prompt_estimate: 1, dialect };
    let wire = WireReply { text: text.to_owned(), finish: Some("stop".to_owned()), ..WireReply::default() };
    whole(&context, wire).unwrap_or_default()
}

fn in_pieces(pieces: &[&str], dialect: Dialect) -> Answer {
    let mut assembler = Assembler::new(Target::new("acme", "m"), Arc::new(meaning), 1, dialect);
    let mut out = Vec::new();
    let texts = pieces.iter().map(|piece| WireEvent::Text((*piece).to_owned()));
    let finish = WireEvent::Finish { word: "stop".to_owned(), native: None, stop_sequence: None };
    let taken = texts.chain([finish]).try_for_each(|event| assembler.event(event, &mut out));
    assert!(taken.is_ok(), "{taken:?}");
    let answer = assembler.finish(&mut out).unwrap_or_default();
    assert_eq!(join(&out).text, answer.text, "{dialect}: the events join to the answer");
    answer
}
