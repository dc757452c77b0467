//! Replies that come as a stream: wire events in, canonical events out, and the whole answer at the end.

use std::sync::Arc;

use mainstay_canon::{
    Answer, Dialect, Extra, ExtraPiece, Failure, FinishMeaning, JoinedExtra, Kind, ReplyEvent, Shown, Target,
    ToolCall, WireEvent, WireUsage,
};

use crate::ending::{Words, blank_means_none, settle};
use crate::think::{Piece, Splitter};
use crate::usage::{Reach, tally};
use crate::whole::{add_reasoning, name_call};
use crate::{ANSWER_LIMIT, FinishTable, TOOL_CALL_LIMIT};

/// Puts one streamed answer together.
///
/// Feed it each [`WireEvent`] in order; when the reader says that the stream is over, call
/// [`finish`](Self::finish). A stream that breaks is asked for what it had by [`partial`](Self::partial).
pub struct Assembler {
    target: Target,
    table: Arc<dyn FinishTable>,
    prompt_estimate: u64,
    splitter: Splitter,
    pieces: Vec<Piece>,
    /// What has come; its ending and counts are filled in at the end.
    answer: Answer,
    words: Words,
    usage: WireUsage,
    extra: JoinedExtra,
    /// Extras that wait for the beginning of the answer.
    early: Vec<ExtraPiece>,
    /// Extras that wait for text before them that is not told apart yet.
    behind: Vec<ExtraPiece>,
    /// Which calls were told to be complete, by index.
    ended: Vec<bool>,
    started: bool,
    bytes: usize,
}

impl Assembler {
    /// For an answer of `target`, in that provider's `dialect`, to a prompt of about `prompt_estimate` tokens.
    pub fn new(target: Target, finish: Arc<dyn FinishTable>, prompt_estimate: u64, dialect: Dialect) -> Self {
        Self {
            target,
            table: finish,
            prompt_estimate,
            splitter: Splitter::new(dialect),
            pieces: Vec::new(),
            answer: Answer { dialect: Some(dialect), ..Answer::default() },
            words: Words::default(),
            usage: WireUsage::default(),
            extra: JoinedExtra::default(),
            early: Vec::new(),
            behind: Vec::new(),
            ended: Vec::new(),
            started: false,
            bytes: 0,
        }
    }

    /// Takes one event and adds what it means to `out`. The events of one answer join to the same whole
    /// however the text was cut; the first is [`ReplyEvent::Start`].
    ///
    /// # Errors
    ///
    /// `InvalidResponse` when the answer passes [`ANSWER_LIMIT`] or [`TOOL_CALL_LIMIT`], or numbers its
    /// calls in a way no reader may. An unknown finish word is told at [`finish`](Self::finish), when the
    /// counts that follow it are known.
    pub fn event(&mut self, event: WireEvent, out: &mut Vec<ReplyEvent>) -> Result<(), Failure> {
        self.grow(&event)?;
        match event {
            WireEvent::Start { id, model } => {
                self.answer.id = id.or(self.answer.id.take());
                self.answer.model = model.or(self.answer.model.take());
            }
            WireEvent::Text(text) => {
                self.splitter.push(text, &mut self.pieces);
                self.release(out);
            }
            WireEvent::Reasoning(text) => self.reason(text, out),
            WireEvent::ReasoningBlock(mut block) => {
                self.start(out);
                block.origin = Some(self.target.clone());
                self.answer.reasoning_blocks.push(block.clone());
                out.push(ReplyEvent::ReasoningBlock(block));
            }
            WireEvent::Shown(shown) => self.show(shown, out),
            WireEvent::Refusal(text) => self.refuse(text, out),
            WireEvent::ToolStart { index, id, name, extra } => {
                self.tool_start(index, id, name, extra, out)?;
            }
            WireEvent::ToolArguments { index, delta } => self.tool_arguments(index, delta, out)?,
            WireEvent::ToolEnd { index } => self.tool_end(index, out)?,
            WireEvent::Finish { word, native, stop_sequence } => {
                self.words.finish = Some(word).filter(|word| !word.is_empty()).or(self.words.finish.take());
                self.words.native = native.or(self.words.native.take());
                self.answer.stop_sequence = stop_sequence.or(self.answer.stop_sequence.take());
            }
            WireEvent::Usage(usage) => self.usage.merge(usage),
            WireEvent::Extra(piece) => self.extra(piece, out),
            WireEvent::KeepAlive | WireEvent::End => {}
        }
        Ok(())
    }

    /// The stream is over: adds what was held, the ends of the calls and, last, [`ReplyEvent::Finish`], and
    /// gives the whole answer.
    ///
    /// # Errors
    ///
    /// As [`whole`](crate::whole()): `UnknownFinishReason`, or the failure that the finish word hides. What was
    /// held is in `out`, no `Finish` is.
    pub fn finish(mut self, out: &mut Vec<ReplyEvent>) -> Result<Answer, Failure> {
        self.splitter.finish(&mut self.pieces);
        self.release(out);
        self.start(out);
        self.follow(out);
        self.answer.extra = self.extra.extra();
        self.answer.refusal = self.answer.refusal.filter(|refusal| !refusal.trim_ascii().is_empty());
        self.answer.usage = tally(&self.usage, &self.answer, self.prompt_estimate, Reach::Ended);
        self.answer.reported_cost = self.usage.cost;
        let blank = blank_calls(&self.answer);
        let answer = settle(&self.target, self.table.as_ref(), self.words, self.answer)?;
        for (index, ended) in self.ended.into_iter().enumerate() {
            if ended {
                continue;
            }
            if blank.get(index) == Some(&true) && blank_means_none(answer.finish_reason) {
                out.push(ReplyEvent::ToolArguments { index, delta: "{}".to_owned() });
            }
            out.push(ReplyEvent::ToolEnd { index });
        }
        out.push(ReplyEvent::Finish {
            reason: answer.finish_reason,
            raw: answer.finish_reason_raw.clone(),
            stop_sequence: answer.stop_sequence.clone(),
            usage: answer.usage,
        });
        Ok(answer)
    }

    /// What has arrived so far, for a stream that broke or was cut off: its counts are estimated, and its
    /// reason is [`FinishReason::Empty`](mainstay_canon::FinishReason::Empty) unless a finish word had come.
    pub fn partial(&self) -> Answer {
        let mut answer = self.answer.clone();
        let (mut splitter, mut pieces) = (self.splitter.clone(), self.pieces.clone());
        splitter.finish(&mut pieces);
        for piece in pieces {
            match piece {
                Piece::Text(text) => answer.text.push_str(&text),
                Piece::Reasoning(text) => add_reasoning(&mut answer, &text),
            }
        }
        answer.extra = self.extra.extra();
        answer.usage = tally(&self.usage, &answer, self.prompt_estimate, Reach::BrokenOff);
        answer.reported_cost = self.usage.cost;
        answer.finish_reason_raw.clone_from(&self.words.finish);
        if let Some(FinishMeaning::Answer(reason)) =
            self.words.finish.as_deref().and_then(|word| self.table.meaning(word))
        {
            answer.finish_reason = reason;
        }
        answer
    }

    /// The answer's first event, before any other: by then its id and model are as known as they will be.
    fn start(&mut self, out: &mut Vec<ReplyEvent>) {
        if !self.started {
            self.started = true;
            out.push(ReplyEvent::Start { id: self.answer.id.clone(), model: self.answer.model.clone() });
            out.extend(self.early.drain(..).map(ReplyEvent::Extra));
        }
    }

    /// Whether the limit on extras was passed, so that some were left out.
    pub fn left_extras_out(&self) -> bool {
        self.extra.is_full()
    }

    /// Takes in what only the dialect says. It neither begins an answer (its id may still come) nor overtakes the
    /// text before it.
    fn extra(&mut self, piece: ExtraPiece, out: &mut Vec<ReplyEvent>) {
        if !self.extra.add(&piece) {
            return;
        }
        if self.splitter.holds() {
            self.behind.push(piece);
        } else if self.started {
            out.push(ReplyEvent::Extra(piece));
        } else {
            self.early.push(piece);
        }
    }

    /// Hands on what waited for text, once that is out.
    fn follow(&mut self, out: &mut Vec<ReplyEvent>) {
        if self.started && !self.splitter.holds() {
            out.extend(self.behind.drain(..).map(ReplyEvent::Extra));
        }
    }

    /// Hands on what the splitter could tell.
    fn release(&mut self, out: &mut Vec<ReplyEvent>) {
        let mut pieces = std::mem::take(&mut self.pieces);
        for piece in pieces.drain(..) {
            match piece {
                Piece::Text(text) if text.is_empty() => {}
                Piece::Text(text) => {
                    self.start(out);
                    self.answer.text.push_str(&text);
                    out.push(ReplyEvent::Text(text));
                }
                Piece::Reasoning(text) => self.reason(text, out),
            }
        }
        // The same buffer serves for every piece of text.
        self.pieces = pieces;
        self.follow(out);
    }

    fn reason(&mut self, text: String, out: &mut Vec<ReplyEvent>) {
        add_reasoning(&mut self.answer, &text);
        if !text.is_empty() {
            self.start(out);
            out.push(ReplyEvent::Reasoning(text));
        }
    }

    fn show(&mut self, shown: Shown, out: &mut Vec<ReplyEvent>) {
        self.start(out);
        let all = &mut self.answer.shown;
        if !all.last_mut().is_some_and(|last| last.joins(&shown)) {
            all.push(shown.clone());
        }
        out.push(ReplyEvent::Shown(shown));
    }

    fn refuse(&mut self, text: String, out: &mut Vec<ReplyEvent>) {
        if !text.is_empty() {
            self.start(out);
            self.answer.refusal.get_or_insert_default().push_str(&text);
            out.push(ReplyEvent::Refusal(text));
        }
    }

    fn tool_start(
        &mut self,
        index: usize,
        id: String,
        name: String,
        extra: Extra,
        out: &mut Vec<ReplyEvent>,
    ) -> Result<(), Failure> {
        if index != self.answer.tool_calls.len() {
            return Err(self.misnumbered(index));
        }
        if index >= TOOL_CALL_LIMIT {
            return Err(self.too_much(format!("more than {TOOL_CALL_LIMIT} tool calls in one answer")));
        }
        self.start(out);
        let call = ToolCall { id, name, arguments: String::new(), extra };
        name_call(call, index, self.prompt_estimate, &mut self.answer);
        self.ended.push(false);
        if let Some(call) = self.answer.tool_calls.last() {
            out.push(ReplyEvent::ToolStart {
                index,
                id: call.id.clone(),
                name: call.name.clone(),
                extra: call.extra.clone(),
            });
        }
        Ok(())
    }

    fn tool_arguments(
        &mut self,
        index: usize,
        delta: String,
        out: &mut Vec<ReplyEvent>,
    ) -> Result<(), Failure> {
        let Some(call) = self.answer.tool_calls.get_mut(index) else {
            return Err(self.misnumbered(index));
        };
        if !delta.is_empty() {
            call.arguments.push_str(&delta);
            out.push(ReplyEvent::ToolArguments { index, delta });
        }
        Ok(())
    }

    /// A call without arguments stays open: whether they were left out or cut off, the finish word tells.
    fn tool_end(&mut self, index: usize, out: &mut Vec<ReplyEvent>) -> Result<(), Failure> {
        let (Some(call), Some(ended)) = (self.answer.tool_calls.get(index), self.ended.get_mut(index)) else {
            return Err(self.misnumbered(index));
        };
        if !*ended && !call.arguments.trim_ascii().is_empty() {
            *ended = true;
            out.push(ReplyEvent::ToolEnd { index });
        }
        Ok(())
    }

    /// Counts what an event brings.
    fn grow(&mut self, event: &WireEvent) -> Result<(), Failure> {
        let bytes = match event {
            WireEvent::Text(text) | WireEvent::Reasoning(text) | WireEvent::Refusal(text) => text.len(),
            WireEvent::ReasoningBlock(block) => block.raw.text().len(),
            WireEvent::Shown(shown) => shown.weight(),
            WireEvent::ToolStart { id, name, .. } => id.len() + name.len(),
            WireEvent::ToolArguments { delta, .. } => delta.len(),
            WireEvent::Start { .. }
            | WireEvent::ToolEnd { .. }
            | WireEvent::KeepAlive
            | WireEvent::Finish { .. }
            | WireEvent::Usage(_)
            // Extras have a limit of their own.
            | WireEvent::Extra(_)
            | WireEvent::End => 0,
        };
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > ANSWER_LIMIT {
            return Err(self.too_much(format!("an answer of more than {ANSWER_LIMIT} bytes")));
        }
        Ok(())
    }

    fn too_much(&self, what: String) -> Failure {
        Failure::new(Kind::InvalidResponse, what).at(&self.target).with_answer(self.partial())
    }

    fn misnumbered(&self, index: usize) -> Failure {
        self.too_much(format!("a piece of tool call {index}, which is out of order"))
    }
}

/// Which calls have no arguments, by index.
fn blank_calls(answer: &Answer) -> Vec<bool> {
    answer.tool_calls.iter().map(|call| call.arguments.trim_ascii().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{FinishReason, Usage};

    fn table(word: &str) -> Option<FinishMeaning> {
        Some(match word {
            "stop" => FinishMeaning::Answer(FinishReason::Stop),
            "length" => FinishMeaning::Answer(FinishReason::Length),
            "busy" => FinishMeaning::Broken(Kind::Overloaded),
            _ => return None,
        })
    }

    fn assembler() -> Assembler {
        Assembler::new(Target::new("acme", "m"), Arc::new(table), 12, Dialect::OpenaiChat)
    }

    fn text(part: &str) -> WireEvent {
        WireEvent::Text(part.to_owned())
    }

    fn ending(word: &str) -> WireEvent {
        WireEvent::Finish { word: word.to_owned(), native: None, stop_sequence: None }
    }

    fn call(index: usize, id: &str) -> WireEvent {
        WireEvent::ToolStart { index, id: id.to_owned(), name: "run".to_owned(), extra: Extra::new() }
    }

    fn arguments(index: usize, delta: &str) -> WireEvent {
        WireEvent::ToolArguments { index, delta: delta.to_owned() }
    }

    fn run(events: Vec<WireEvent>) -> (Vec<ReplyEvent>, Result<Answer, Failure>) {
        let mut assembler = assembler();
        let mut out = Vec::new();
        for event in events {
            assembler.event(event, &mut out).unwrap();
        }
        let answer = assembler.finish(&mut out);
        (out, answer)
    }

    #[test]
    fn an_answer_comes_out_as_it_went_in() {
        let usage = WireUsage { prompt: Some(9), completion: Some(2), ..WireUsage::default() };
        let (events, answer) = run(vec![
            WireEvent::Start { id: None, model: None },
            WireEvent::KeepAlive,
            WireEvent::Start { id: Some("c1".to_owned()), model: Some("m-1".to_owned()) },
            text("Hello"),
            text(" world"),
            ending("stop"),
            WireEvent::Usage(usage),
            WireEvent::End,
        ]);
        let answer = answer.unwrap();
        assert_eq!((answer.text.as_str(), answer.finish_reason), ("Hello world", FinishReason::Stop));
        assert_eq!((answer.id.as_deref(), answer.model.as_deref()), (Some("c1"), Some("m-1")));
        assert_eq!(answer.usage, Usage { prompt: 9, completion: 2, ..Usage::default() });
        let Some(ReplyEvent::Start { id, model }) = events.first() else { panic!("{events:?}") };
        assert_eq!((id.as_deref(), model.as_deref()), (Some("c1"), Some("m-1")));
        assert_eq!(events.len(), 4);
    }

    #[test]
    fn extras_neither_begin_an_answer_nor_overtake_text_that_is_not_told_apart() {
        let beside = |name: &str| {
            let members = [(name.to_owned(), mainstay_canon::RawJson::parse("[1]").unwrap())];
            let (dialect, joins) = (Dialect::OpenaiChat, mainstay_canon::Joins::Append);
            WireEvent::Extra(ExtraPiece { dialect, members: members.into_iter().collect(), joins })
        };
        let (events, answer) = run(vec![
            beside("a"),
            WireEvent::Start { id: Some("c1".to_owned()), model: None },
            text("<th"),
            beside("b"),
            text("ree> "),
            beside("a"),
            ending("stop"),
        ]);
        let told = |event: &ReplyEvent| match event {
            ReplyEvent::Start { id, .. } => id.clone().unwrap(),
            ReplyEvent::Text(text) => text.clone(),
            ReplyEvent::Extra(piece) => piece.members.names().collect(),
            other => format!("{other:?}"),
        };
        let told: Vec<String> = events.iter().take(5).map(told).collect();
        assert_eq!(told, ["c1", "a", "<three> ", "b", "a"]);
        assert_eq!(answer.unwrap().extra.get("a").unwrap().text(), "[1,1]");
    }

    #[test]
    fn counts_are_running_totals() {
        let total =
            |completion| WireEvent::Usage(WireUsage { completion: Some(completion), ..WireUsage::default() });
        let prompt = WireEvent::Usage(WireUsage { prompt: Some(50), ..WireUsage::default() });
        let (_, answer) = run(vec![prompt, text("ABC"), total(1), total(3), ending("stop")]);
        let usage = answer.unwrap().usage;
        assert_eq!((usage.prompt, usage.completion, usage.estimated), (50, 3, false));
    }

    #[test]
    fn a_call_with_no_arguments_gets_empty_ones_unless_it_was_cut() {
        for (word, expected) in [("stop", "{}"), ("length", "")] {
            let (events, answer) = run(vec![
                call(0, "c0"),
                WireEvent::ToolEnd { index: 0 },
                call(1, "c1"),
                arguments(1, "{\"a\":1}"),
                ending(word),
            ]);
            let answer = answer.unwrap();
            assert_eq!(answer.tool_calls[0].arguments, expected, "{word}");
            assert_eq!(answer.tool_calls[1].arguments, "{\"a\":1}");
            let added = events.contains(&ReplyEvent::ToolArguments { index: 0, delta: "{}".to_owned() });
            assert_eq!(added, word == "stop");
        }
    }

    #[test]
    fn a_call_that_the_wire_ends_ends_at_once() {
        let mut assembler = assembler();
        let mut out = Vec::new();
        for event in [call(0, ""), arguments(0, "{}"), WireEvent::ToolEnd { index: 0 }] {
            assembler.event(event, &mut out).unwrap();
        }
        assert_eq!(out.last(), Some(&ReplyEvent::ToolEnd { index: 0 }));
        let ReplyEvent::ToolStart { id, .. } = out.remove(1) else { panic!("{out:?}") };
        assert!(!id.is_empty());
        assert_eq!(assembler.finish(&mut out).unwrap().tool_calls[0].id, id);
    }

    #[test]
    fn a_reader_that_misnumbers_calls_is_caught() {
        let mut assembler = assembler();
        let mut out = Vec::new();
        for event in [call(1, "c"), arguments(0, "{"), WireEvent::ToolEnd { index: 0 }] {
            assert_eq!(assembler.event(event, &mut out).unwrap_err().kind, Kind::InvalidResponse);
        }
        assert_eq!(out, []);
    }

    #[test]
    fn a_failing_finish_word_keeps_the_text_and_sends_no_finish() {
        for (word, kind) in [("busy", Kind::Overloaded), ("tea_break", Kind::UnknownFinishReason)] {
            let (events, answer) = run(vec![text("The cause is"), ending(word)]);
            let failure = answer.unwrap_err();
            assert_eq!((failure.kind, failure.finish_reason_raw.as_deref()), (kind, Some(word)));
            assert_eq!(failure.answer.unwrap().text, "The cause is");
            assert!(!events.iter().any(|event| matches!(event, ReplyEvent::Finish { .. })));
        }
    }

    #[test]
    fn a_broken_stream_still_has_what_had_arrived() {
        let mut assembler = assembler();
        let mut out = Vec::new();
        let early = WireUsage { prompt: Some(25), completion: Some(1), ..WireUsage::default() };
        for event in [
            WireEvent::Usage(early),
            text("Dear team, "),
            text("the audit <"),
            call(0, "c0"),
            arguments(0, "{\"a"),
        ] {
            assembler.event(event, &mut out).unwrap();
        }
        let partial = assembler.partial();
        assert_eq!(partial.text, "Dear team, the audit <");
        assert_eq!(partial.tool_calls[0].arguments, "{\"a");
        assert_eq!(partial.finish_reason, FinishReason::Empty);
        assert!(partial.usage.estimated && partial.usage.completion > 5);
        let mut held = Assembler::new(Target::new("acme", "m"), Arc::new(table), 12, Dialect::OpenaiChat);
        held.event(text("<thi"), &mut out).unwrap();
        assert_eq!(held.partial().text, "<thi");
    }

    #[test]
    fn an_endless_answer_is_cut_off() {
        let mut assembler = assembler();
        let mut out = Vec::new();
        let part = "x".repeat(ANSWER_LIMIT / 4);
        for _ in 0..4 {
            assembler.event(text(&part), &mut out).unwrap();
            out.clear();
        }
        let failure = assembler.event(text("x"), &mut out).unwrap_err();
        assert_eq!(failure.kind, Kind::InvalidResponse);
        assert_eq!(failure.answer.unwrap().text.len(), ANSWER_LIMIT);
    }

    #[test]
    fn a_stream_with_too_many_calls_is_cut_off() {
        let mut assembler = assembler();
        let mut out = Vec::new();
        for index in 0..TOOL_CALL_LIMIT {
            assembler.event(call(index, "c"), &mut out).unwrap();
        }
        let failure = assembler.event(call(TOOL_CALL_LIMIT, "c"), &mut out).unwrap_err();
        assert_eq!(failure.kind, Kind::InvalidResponse);
    }
}
