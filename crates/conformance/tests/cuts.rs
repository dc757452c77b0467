//! A recorded stream is read the same wherever its bytes are cut, and what ends early is no answer.
//!
//! `cargo test` reads a fixed sample; `just cuts` sets `MAINSTAY_ALL_CUTS=1` and reads everything: each stream
//! cut at every position of its first 4 kB, at 200 pairs of positions drawn over its whole length, and byte by byte;
//! and every such position as the place where the connection broke.

#![allow(clippy::unwrap_used, clippy::result_large_err)]

use std::io::Write as _;
use std::sync::Arc;

use mainstay_canon::{Dialect, Failure, Kind, ReplyEvent, Target, WireEvent};
use mainstay_normalize::Assembler;
use mainstay_providers::{Provider, by_id, for_dialect};
use mainstay_testkit::{Recording, corpus};

/// The files of recordings, and the dialect that each is in.
const FILES: [(&str, Dialect); 6] = [
    ("openai-chat", Dialect::OpenaiChat),
    ("openai-responses", Dialect::OpenaiResponses),
    ("anthropic-messages", Dialect::Anthropic),
    ("gemini", Dialect::Gemini),
    ("mistral", Dialect::OpenaiChat),
    ("ollama", Dialect::Ollama),
];

/// Up to here every position is tried, in bytes.
const EVERY_POSITION: usize = 4096;

/// How many random pairs of positions are tried of each stream.
const PAIRS: usize = 200;

/// One stream read, so that two readings of the same bytes are equal.
#[derive(Debug, PartialEq)]
struct Reading {
    /// Events after normalization, neighbours of one kind joined.
    events: Vec<ReplyEvent>,
    /// The finish reason of a whole answer, or what was wrong.
    end: Result<String, (Kind, Option<u16>, String)>,
    /// Whether the wire had said why it ended, or that it ended.
    ended: bool,
}

fn read(provider: &'static Provider, pieces: &[&[u8]]) -> Reading {
    let dialect = provider.upstream.dialect();
    let mut reader = provider.upstream.read_stream();
    let table = Arc::new(|word: &str| provider.meaning(word));
    let mut assembler = Assembler::new(Target::new(provider.id, "m"), table, 0, dialect);
    let (mut wire, mut events, mut ended) = (Vec::new(), Vec::new(), false);
    let mut hand_on = |wire: &mut Vec<WireEvent>, events: &mut Vec<ReplyEvent>| -> Result<(), Failure> {
        for event in wire.drain(..) {
            ended |= matches!(event, WireEvent::Finish { .. } | WireEvent::End);
            assembler.event(event, events)?;
        }
        Ok(())
    };
    let mut outcome = Ok(());
    for piece in pieces {
        outcome = outcome.and_then(|()| {
            let pushed = reader.push(piece, &mut wire);
            hand_on(&mut wire, &mut events).and(pushed)
        });
    }
    outcome = outcome.and_then(|()| {
        let closed = reader.close(&mut wire);
        hand_on(&mut wire, &mut events).and(closed)
    });
    let end = outcome.and_then(|()| assembler.finish(&mut events));
    let end = end.map(|answer| answer.finish_reason.word().to_owned());
    let end = end.map_err(|failure| (failure.kind, failure.status, failure.message));
    Reading { events: joined(events), end, ended }
}

/// Joins neighbouring pieces: how much of a text one event carries may depend on the cut, what it says may not.
fn joined(events: Vec<ReplyEvent>) -> Vec<ReplyEvent> {
    let mut all: Vec<ReplyEvent> = Vec::new();
    for event in events {
        match (all.last_mut(), &event) {
            (Some(ReplyEvent::Text(said)), ReplyEvent::Text(more))
            | (Some(ReplyEvent::Reasoning(said)), ReplyEvent::Reasoning(more))
            | (Some(ReplyEvent::Refusal(said)), ReplyEvent::Refusal(more)) => said.push_str(more),
            (
                Some(ReplyEvent::ToolArguments { index, delta }),
                ReplyEvent::ToolArguments { index: same, delta: more },
            ) if index == same => delta.push_str(more),
            _ => all.push(event),
        }
    }
    all
}

/// Numbers that look random and are the same in every run (a linear congruential generator, constants as in
/// Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    /// A number from 0 to `most`.
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % (most + 1)
    }
}

/// Who reads a recording, as the gateway would: the provider by name, else whoever speaks its dialect.
fn provider(recording: &Recording, dialect: Dialect) -> &'static Provider {
    by_id(&recording.provider)
        .filter(|provider| provider.upstream.dialect() == dialect)
        .or_else(|| for_dialect(dialect))
        .unwrap()
}

/// Where a stream is cut.
struct Plan {
    /// Single cuts, and where the stream breaks off.
    singles: Vec<usize>,
    /// Two cuts at once.
    pairs: Vec<(usize, usize)>,
}

impl Plan {
    fn of(length: usize, all: bool, numbers: &mut Numbers) -> Self {
        let (every, pairs) = if all { (length.min(EVERY_POSITION), PAIRS) } else { (0, 0) };
        let mut singles: Vec<usize> = (0..=every).collect();
        // The sample: some positions of every stream, the last bytes always among them.
        let drawn = if all { PAIRS } else { 6 };
        singles.extend((0..drawn).map(|_| numbers.below(length)));
        singles.extend(length.saturating_sub(3)..=length);
        let pairs = (0..pairs.max(4)).map(|_| {
            let (a, b) = (numbers.below(length), numbers.below(length));
            (a.min(b), a.max(b))
        });
        Self { pairs: pairs.collect(), singles }
    }
}

#[derive(Default)]
struct Count {
    streams: usize,
    cuts: usize,
    prefixes: usize,
}

fn check(recording: &Recording, dialect: Dialect, all: bool, count: &mut Count) {
    let body = recording.body.as_deref().unwrap_or_default().as_bytes();
    let provider = provider(recording, dialect);
    let id = &recording.id;
    let whole = read(provider, &[body]);
    let plan = Plan::of(body.len(), all, &mut Numbers(body.len() as u64));
    for &at in &plan.singles {
        let (a, b) = body.split_at(at);
        assert_eq!(read(provider, &[a, b]), whole, "{id} cut at byte {at}");
        prefix(provider, a, &whole, id);
    }
    for &(from, to) in &plan.pairs {
        let (rest, c) = body.split_at(to);
        let (a, b) = rest.split_at(from);
        assert_eq!(read(provider, &[a, b, c]), whole, "{id} cut at bytes {from} and {to}");
    }
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(read(provider, &bytes), whole, "{id} byte by byte");
    count.streams += 1;
    count.cuts += plan.singles.len() + plan.pairs.len();
    count.prefixes += plan.singles.len();
}

/// A stream that broke off is an answer only where its end had been said and nothing is missing.
fn prefix(provider: &'static Provider, bytes: &[u8], whole: &Reading, id: &str) {
    let cut = read(provider, &[bytes]);
    if cut.end.is_err() {
        return;
    }
    let at = bytes.len();
    assert!(cut.ended, "{id} broken off at byte {at} is taken for whole before any end was told");
    assert_eq!(
        said(&cut.events),
        said(&whole.events),
        "{id} broken off at byte {at} says less than the whole"
    );
}

/// What the events say, without the ending and what only the dialect says: token counts and extras may come after
/// the finish word.
fn said(events: &[ReplyEvent]) -> Vec<&ReplyEvent> {
    let is_said = |event: &&ReplyEvent| !matches!(event, ReplyEvent::Finish { .. } | ReplyEvent::Extra(_));
    events.iter().filter(is_said).collect()
}

#[test]
fn where_the_bytes_are_cut_does_not_matter() {
    let all = std::env::var("MAINSTAY_ALL_CUTS").is_ok_and(|value| value == "1");
    let mut count = Count::default();
    for (file, dialect) in FILES {
        for recording in corpus(file).unwrap() {
            if recording.stream && (200..300).contains(&recording.status) && recording.body.is_some() {
                check(&recording, dialect, all, &mut count);
            }
        }
    }
    let Count { streams, cuts, prefixes } = count;
    // Past the test runner's capture: how much was tried belongs to the result.
    let line = format!(
        "{streams} streams read alike in {cuts} ways of cutting and byte by byte; broken off at {prefixes} places\n"
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
