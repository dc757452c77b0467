//! Replies that came in one piece.

use mainstay_canon::{Answer, Failure, ReasoningBlock, Target, ToolCall, WireReply};

use crate::Context;
use crate::ending::{Words, settle};
use crate::ids::{Ground, made_up};
use crate::think::{Piece, Splitter, unopened};
use crate::usage::{Reach, tally};

/// Makes a wire reply an answer.
///
/// # Errors
///
/// `UnknownFinishReason` for a finish word that no table knows (behaviour 3.1), and the failure that a
/// word hides; the answer, with its counts, is kept in the failure.
pub fn whole(context: &Context<'_>, wire: WireReply) -> Result<Answer, Failure> {
    let mut answer = Answer {
        reasoning_content: wire.reasoning,
        reasoning_blocks: signed(wire.reasoning_blocks, context.target),
        shown: wire.shown,
        refusal: wire.refusal.filter(|refusal| !refusal.trim_ascii().is_empty()),
        stop_sequence: wire.stop_sequence,
        reported_cost: wire.usage.cost,
        extra: wire.extra,
        dialect: Some(context.dialect),
        id: wire.id,
        model: wire.model,
        ..Answer::default()
    };
    split(context, wire.text, &mut answer);
    for (index, call) in wire.tool_calls.into_iter().enumerate() {
        name_call(call, index, context.prompt_estimate, &mut answer);
    }
    answer.usage = tally(&wire.usage, &answer, context.prompt_estimate, Reach::Ended);
    settle(context.target, context.finish, Words { finish: wire.finish, native: wire.native_finish }, answer)
}

/// Tells thinking and text apart.
fn split(context: &Context<'_>, text: String, answer: &mut Answer) {
    if let Some((thoughts, rest)) =
        unopened(context.dialect, &text).filter(|(thoughts, _)| !thoughts.is_empty())
    {
        add_reasoning(answer, thoughts);
        rest.clone_into(&mut answer.text);
        return;
    }
    let mut splitter = Splitter::new(context.dialect);
    let mut pieces = Vec::new();
    splitter.push(text, &mut pieces);
    splitter.finish(&mut pieces);
    for piece in pieces {
        match piece {
            Piece::Text(text) if answer.text.is_empty() => answer.text = text,
            Piece::Text(text) => answer.text.push_str(&text),
            Piece::Reasoning(text) => add_reasoning(answer, &text),
        }
    }
}

/// Adds a call, with an id if it has none.
pub(crate) fn name_call(mut call: ToolCall, index: usize, prompt: u64, answer: &mut Answer) {
    if call.id.is_empty() {
        let ground = Ground { answer: answer.id.as_deref(), prompt, index, name: &call.name };
        call.id = made_up(&ground, &answer.tool_calls);
    }
    answer.tool_calls.push(call);
}

/// Adds to the reasoning, which exists from its first piece on, an empty one included.
pub(crate) fn add_reasoning(answer: &mut Answer, text: &str) {
    answer.reasoning_content.get_or_insert_default().push_str(text);
}

/// Says who thought it: another model must not be given it.
fn signed(mut blocks: Vec<ReasoningBlock>, target: &Target) -> Vec<ReasoningBlock> {
    for block in &mut blocks {
        block.origin = Some(target.clone());
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{Dialect, Extra, FinishMeaning, FinishReason, Kind, RawJson, WireUsage};

    fn table(word: &str) -> Option<FinishMeaning> {
        (word == "stop").then_some(FinishMeaning::Answer(FinishReason::Stop))
    }

    fn read(wire: WireReply) -> Result<Answer, Failure> {
        let target = Target::new("acme", "m");
        whole(
            &Context { target: &target, finish: &table, prompt_estimate: 12, dialect: Dialect::OpenaiChat },
            wire,
        )
    }

    fn reply(text: &str) -> WireReply {
        WireReply { text: text.to_owned(), finish: Some("stop".to_owned()), ..WireReply::default() }
    }

    #[test]
    fn the_text_is_kept_exactly_as_sent() {
        for text in ["", "\n\n  \n", " 42 ", "a < b"] {
            assert_eq!(read(reply(text)).unwrap().text, text);
        }
    }

    #[test]
    fn leaked_thinking_joins_the_reasoning_and_leaves_the_text() {
        let wire = WireReply { reasoning: Some("One. ".to_owned()), ..reply("<think>Two.</think>\n\nDone.") };
        let answer = read(wire).unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning_content.as_deref()), ("Done.", Some("One. Two.")));
    }

    #[test]
    fn thinking_without_its_opening_mark_is_told_from_the_answer() {
        let answer = read(reply("The user greets me.\n</think>\n\nHello!")).unwrap();
        assert_eq!(answer.text, "Hello!");
        assert_eq!(answer.reasoning_content.as_deref(), Some("The user greets me."));
        let answer = read(reply("</think>\n\nHello!")).unwrap();
        assert_eq!((answer.text.as_str(), answer.reasoning_content), ("Hello!", None));
    }

    #[test]
    fn an_empty_reasoning_field_is_kept_apart_from_none() {
        let wire = WireReply { reasoning: Some(String::new()), ..reply("Done.") };
        assert_eq!(read(wire).unwrap().reasoning_content.as_deref(), Some(""));
        assert_eq!(read(reply("Done.")).unwrap().reasoning_content, None);
    }

    #[test]
    fn reasoning_blocks_say_who_thought_them() {
        let block = ReasoningBlock {
            dialect: Dialect::OpenaiChat,
            origin: None,
            raw: RawJson::parse("{\"data\":\"QUJD\"}").unwrap(),
        };
        let answer = read(WireReply { reasoning_blocks: vec![block], ..reply("x") }).unwrap();
        assert_eq!(answer.reasoning_blocks[0].origin, Some(Target::new("acme", "m")));
        assert_eq!(answer.reasoning_blocks[0].raw.text(), "{\"data\":\"QUJD\"}");
    }

    #[test]
    fn calls_without_an_id_get_one_and_ids_that_came_are_kept() {
        let call = |id: &str| ToolCall {
            id: id.to_owned(),
            name: "run".to_owned(),
            arguments: "{}".to_owned(),
            extra: Extra::new(),
        };
        let wire = WireReply { tool_calls: vec![call(""), call(""), call("c1"), call("c1")], ..reply("") };
        let ids: Vec<String> =
            read(wire.clone()).unwrap().tool_calls.into_iter().map(|call| call.id).collect();
        assert!(!ids[0].is_empty() && ids[0] != ids[1]);
        assert_eq!(&ids[2..], ["c1", "c1"]);
        assert_eq!(read(wire).unwrap().tool_calls[0].id, ids[0]);
    }

    #[test]
    fn a_blank_refusal_field_is_none() {
        let wire = WireReply { refusal: Some(" ".to_owned()), ..reply("Fine.") };
        let answer = read(wire).unwrap();
        assert_eq!((answer.refusal, answer.finish_reason), (None, FinishReason::Stop));
    }

    #[test]
    fn an_empty_reply_is_an_empty_answer_with_an_estimated_prompt() {
        let answer = read(WireReply::default()).unwrap();
        assert_eq!((answer.finish_reason, answer.finish_reason_raw), (FinishReason::Empty, None));
        assert_eq!((answer.usage.prompt, answer.usage.completion, answer.usage.estimated), (12, 0, true));
    }

    #[test]
    fn an_unknown_word_keeps_text_and_counts() {
        let usage = WireUsage { prompt: Some(5), completion: Some(3), ..WireUsage::default() };
        let wire = WireReply { finish: Some("tea_break".to_owned()), usage, ..reply("Hm") };
        let failure = read(wire).unwrap_err();
        assert_eq!(failure.kind, Kind::UnknownFinishReason);
        let answer = failure.answer.unwrap();
        assert_eq!((answer.text.as_str(), answer.usage.prompt, answer.usage.completion), ("Hm", 5, 3));
    }
}
