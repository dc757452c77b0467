//! A streamed answer, cut anywhere, is the answer that the whole reply gives; and the laws of its events.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use mainstay_canon::{
    Answer, Dialect, Extra, ExtraPiece, FinishMeaning, FinishReason, JoinedExtra, Joins, Media, MediaSource,
    RawJson, ReasoningBlock, ReplyEvent, Shown, Sight, Target, ToolCall, WireEvent, WireReply, WireUsage,
};
use mainstay_normalize::{Assembler, Context, whole};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn table(word: &str) -> Option<FinishMeaning> {
    Some(match word {
        "stop" => FinishMeaning::Answer(FinishReason::Stop),
        "length" => FinishMeaning::Answer(FinishReason::Length),
        _ => return None,
    })
}

fn cut(whole: &str, cuts: &[Index]) -> Vec<String> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
    ends.retain(|&at| whole.is_char_boundary(at));
    ends.push(whole.len());
    ends.sort_unstable();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(from, &to)| whole[from..to].to_owned()).collect()
}

/// Extras in pieces: lists item by item.
fn extras(extra: &Extra) -> Vec<WireEvent> {
    let mut events = Vec::new();
    for (name, raw) in extra.iter() {
        let (items, joins) = match raw.read::<Vec<RawJson>>() {
            Ok(items) => (items.iter().map(|item| RawJson::of(&[item]).unwrap()).collect(), Joins::Append),
            Err(_) => (vec![raw.clone()], Joins::Replace),
        };
        for item in items {
            let members = [(name.to_owned(), item)].into_iter().collect();
            events.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::OpenaiChat, members, joins }));
        }
    }
    events
}

/// The events of a stream that says what `wire` says, each of its texts cut.
fn events(wire: &WireReply, cuts: &[Index]) -> Vec<WireEvent> {
    let mut events = vec![WireEvent::Start { id: wire.id.clone(), model: wire.model.clone() }];
    events.extend(wire.reasoning.iter().flat_map(|all| cut(all, cuts)).map(WireEvent::Reasoning));
    events.extend(wire.reasoning_blocks.iter().cloned().map(WireEvent::ReasoningBlock));
    for shown in &wire.shown {
        // The words of a sound come in pieces, a picture comes whole.
        let pieces = shown.transcript.iter().flat_map(|words| cut(words, cuts));
        let pieces = pieces.map(|words| Shown { transcript: Some(words), ..shown.clone() });
        let whole = shown.media.is_some().then(|| shown.clone());
        events.extend(pieces.chain(whole).map(WireEvent::Shown));
    }
    events.extend(cut(&wire.text, cuts).into_iter().map(WireEvent::Text));
    events.extend(extras(&wire.extra));
    events.extend(wire.refusal.iter().flat_map(|all| cut(all, cuts)).map(WireEvent::Refusal));
    for (index, call) in wire.tool_calls.iter().enumerate() {
        events.push(WireEvent::ToolStart {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            extra: call.extra.clone(),
        });
        events.push(WireEvent::KeepAlive);
        let deltas = cut(&call.arguments, cuts);
        events.extend(deltas.into_iter().map(|delta| WireEvent::ToolArguments { index, delta }));
        events.push(WireEvent::ToolEnd { index });
    }
    if let Some(word) = &wire.finish {
        events.push(WireEvent::Finish {
            word: word.clone(),
            native: wire.native_finish.clone(),
            stop_sequence: None,
        });
    }
    events.push(WireEvent::Usage(wire.usage));
    events.push(WireEvent::End);
    events
}

/// A sound with these words.
fn spoken(words: &str) -> Shown {
    let transcript = Some(format!("!{words}"));
    Shown { sight: Sight::Sound, media: None, transcript, dialect: Dialect::OpenaiChat }
}

/// A picture.
fn drawn() -> Shown {
    let media = Media { mime: None, name: None, source: MediaSource::Base64("QUJD".to_owned()) };
    Shown::media(Sight::Picture, media, Dialect::OpenaiChat)
}

/// What the events say when joined; checks the laws of a stream on the way.
fn join(events: &[ReplyEvent]) -> Answer {
    let mut answer = Answer { dialect: Some(Dialect::OpenaiChat), ..Answer::default() };
    let mut joined = JoinedExtra::default();
    let mut open = Vec::new();
    for (place, event) in events.iter().enumerate() {
        assert_eq!(place == 0, matches!(event, ReplyEvent::Start { .. }), "Start comes first, and once");
        match event {
            ReplyEvent::Start { id, model } => (answer.id, answer.model) = (id.clone(), model.clone()),
            ReplyEvent::Text(part) => answer.text.push_str(part),
            ReplyEvent::Reasoning(part) => answer.reasoning_content.get_or_insert_default().push_str(part),
            ReplyEvent::ReasoningBlock(block) => answer.reasoning_blocks.push(block.clone()),
            ReplyEvent::Shown(shown) => {
                if !answer.shown.last_mut().is_some_and(|last| last.joins(shown)) {
                    answer.shown.push(shown.clone());
                }
            }
            ReplyEvent::Refusal(part) => answer.refusal.get_or_insert_default().push_str(part),
            ReplyEvent::ToolStart { index, id, name, extra: _ } => {
                assert_eq!(*index, answer.tool_calls.len(), "calls are numbered without gaps");
                open.push(true);
                answer.tool_calls.push(tool_call(id, name, ""));
            }
            ReplyEvent::ToolArguments { index, delta } => {
                assert!(open[*index], "no arguments after the end of a call");
                answer.tool_calls[*index].arguments.push_str(delta);
            }
            ReplyEvent::Extra(piece) => assert!(joined.add(piece)),
            ReplyEvent::ToolEnd { index } => {
                assert!(open[*index], "a call ends once");
                open[*index] = false;
            }
            ReplyEvent::Finish { reason, raw, stop_sequence, usage } => {
                assert_eq!(place + 1, events.len(), "Finish comes last");
                assert!(!open.contains(&true), "every call has ended");
                answer.finish_reason = *reason;
                answer.finish_reason_raw.clone_from(raw);
                answer.stop_sequence.clone_from(stop_sequence);
                answer.usage = *usage;
            }
        }
    }
    answer.extra = joined.extra();
    answer
}

fn tool_call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        extra: Extra::new(),
    }
}

prop_compose! {
    fn a_reply()(
        parts in prop::collection::vec(select(vec!["<think>", "</think>", "\n", " ", "<", "think", "answer", "é", "杭州"]), 0..12),
        reasoning in prop::option::of("[a-z ]{0,12}"),
        refusal in prop::option::of("[a-z]{1,12}"),
        calls in prop::collection::vec(("[a-z]{0,2}", "[{}\"a ]{0,6}"), 0..3),
        finish in prop::option::of(select(vec!["stop", "length"])),
        native_finish in prop::option::of(select(vec!["stop", "max_output_tokens"])),
        signed in any::<bool>(),
        extra in prop::collection::btree_map("[a-c]", select(vec!["[1,2]", "{\"a\":1}", "\"x\""]), 0..3),
        usage in (prop::option::of(0..9_u64), prop::option::of(0..9_u64), prop::option::of(0..9_u64)),
    ) -> WireReply {
        let block = ReasoningBlock { dialect: Dialect::OpenaiChat, origin: None, raw: RawJson::parse("1").unwrap() };
        WireReply {
            id: Some("c1".to_owned()),
            text: parts.concat(),
            reasoning,
            reasoning_blocks: signed.then_some(block).into_iter().collect(),
            shown: if signed { vec![spoken(&parts.concat()), drawn()] } else { Vec::new() },
            refusal,
            tool_calls: calls.iter().map(|(id, arguments)| tool_call(id, "run", arguments)).collect(),
            finish: finish.map(str::to_owned),
            native_finish: finish.and(native_finish).map(str::to_owned),
            usage: WireUsage { prompt: usage.0, completion: usage.1, cached: usage.2, ..WireUsage::default() },
            extra: extra.into_iter().map(|(name, json)| (name, RawJson::parse(json).unwrap())).collect(),
            ..WireReply::default()
        }
    }
}

proptest! {
    #[test]
    fn a_stream_cut_anywhere_gives_what_the_whole_reply_gives(
        wire in a_reply(),
        cuts in prop::collection::vec(any::<Index>(), 0..8),
    ) {
        // A mark that nothing opened can be put right in a whole text only: a stream has let it go.
        prop_assume!(!wire.text.contains("</think>") || wire.text.contains("<think>"));
        let target = Target::new("acme", "m");
        let mut assembler = Assembler::new(target.clone(), Arc::new(table), 12, Dialect::OpenaiChat);
        let mut out = Vec::new();
        for event in events(&wire, &cuts) {
            assembler.event(event, &mut out).unwrap();
        }
        let streamed = assembler.finish(&mut out).unwrap();
        let context = Context { target: &target, finish: &table, prompt_estimate: 12, dialect: Dialect::OpenaiChat };
        let whole = whole(&context, wire).unwrap();
        prop_assert_eq!(&streamed, &whole);
        let mut joined = join(&out);
        // An empty reasoning field has no piece to be seen by.
        let silent = whole.reasoning_content.clone().filter(String::is_empty);
        joined.reasoning_content = joined.reasoning_content.or(silent);
        prop_assert_eq!(joined, whole);
    }

    #[test]
    fn at_any_point_of_a_stream_what_came_can_be_had(wire in a_reply(), at in any::<Index>()) {
        let mut assembler = Assembler::new(Target::new("acme", "m"), Arc::new(table), 12, Dialect::OpenaiChat);
        let mut out = Vec::new();
        let events = events(&wire, &[]);
        let stop = at.index(events.len());
        for event in events.into_iter().take(stop) {
            assembler.event(event, &mut out).unwrap();
        }
        let partial = assembler.partial();
        prop_assert!(partial.usage.estimated);
        let released = join(&out);
        prop_assert!(partial.text.starts_with(&released.text));
        prop_assert_eq!(partial.tool_calls, released.tool_calls);
    }
}
