//! What is heard of a wire: through a provider's dialect and the normalizer, as the client does it, with the laws
//! of a stream checked on the way.

use std::sync::Arc;

use mainstay_canon::{Answer, ChatRequest, Dialect, Failure, Headers, Moment, ReplyEvent, Target, WireEvent};
use mainstay_dialects::Upstream;
use mainstay_normalize::{Assembler, Context, whole};
use mainstay_providers::{Provider, Told};

/// The moment at which everything here happens: 2026-03-01T12:00:00Z.
pub const NOW: Moment = Moment::from_secs(1_772_366_400);

/// The model that is asked where it does not matter which.
pub const MODEL: &str = "m-test";

/// Our estimate of every prompt, in tokens.
pub const PROMPT_ESTIMATE: u64 = 321;

/// A provider, and the dialect in which it is spoken to.
#[derive(Clone, Copy)]
pub struct Speaker {
    /// Who.
    pub provider: &'static Provider,
    /// How.
    pub upstream: &'static dyn Upstream,
}

impl std::fmt::Debug for Speaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {}", self.provider.id, self.upstream.dialect())
    }
}

impl Speaker {
    /// A provider in the dialect it usually speaks.
    pub fn usual(provider: &'static Provider) -> Self {
        Self { provider, upstream: provider.upstream }
    }

    /// A provider asked for `model` by a caller of `dialect`; `None` where it would speak another one.
    pub fn of(provider: &'static Provider, dialect: Dialect, model: &str) -> Option<Self> {
        let request = ChatRequest { origin: Some(dialect), ..ChatRequest::user("?") };
        let upstream = provider.upstream_for(&request, model);
        (upstream.dialect() == dialect).then_some(Self { provider, upstream })
    }

    /// Every way in which a provider speaks: its usual dialect first, then those that it chooses for a caller's sake.
    pub fn all_of(provider: &'static Provider) -> Vec<Self> {
        let usual = Self::usual(provider);
        let others = Dialect::ALL.into_iter().filter(|dialect| *dialect != usual.upstream.dialect());
        std::iter::once(usual)
            .chain(others.filter_map(|dialect| Self::of(provider, dialect, MODEL)))
            .collect()
    }

    /// Reads a reply whose status is no success.
    pub fn read_error(&self, status: u16, headers: &Headers, body: &[u8]) -> Failure {
        self.refined(self.upstream.read_error(status, body), headers, body)
    }

    /// Reads a whole reply of a success.
    ///
    /// # Errors
    ///
    /// What a caller would be told.
    pub fn read_whole(&self, headers: &Headers, body: &[u8]) -> Result<Answer, Failure> {
        let provider = self.provider;
        let target = Target::new(provider.id, MODEL);
        let finish = |word: &str| provider.meaning(word);
        let dialect = self.upstream.dialect();
        let context = Context { target: &target, finish: &finish, prompt_estimate: PROMPT_ESTIMATE, dialect };
        let wire = self.upstream.read_reply(body).map_err(|failure| self.refined(failure, headers, body))?;
        whole(&context, wire)
    }

    /// Reads a streamed reply of a success, which came in these pieces.
    pub fn read_stream(&self, headers: &Headers, pieces: &[&[u8]]) -> Heard {
        let provider = self.provider;
        let wire = listen(self.upstream, pieces);
        let finish = Arc::new(|word: &str| provider.meaning(word));
        let target = Target::new(provider.id, MODEL);
        let mut assembler = Assembler::new(target, finish, PROMPT_ESTIMATE, self.upstream.dialect());
        let mut events = Vec::new();
        let said = wire.events.iter().try_for_each(|event| assembler.event(event.clone(), &mut events));
        let outcome = match (said, &wire.failure) {
            (Err(failure), _) => Err(failure),
            (Ok(()), Some(failure)) => {
                Err(self.refined(failure.clone(), headers, &[]).with_answer(assembler.partial()))
            }
            (Ok(()), None) => assembler.finish(&mut events),
        };
        Heard { outcome, events, wire }
    }

    fn refined(&self, failure: Failure, headers: &Headers, body: &[u8]) -> Failure {
        self.provider.refined(failure, &Told { headers, body, now: NOW })
    }
}

/// What is heard of a stream.
#[derive(Clone, Debug)]
pub struct Heard {
    /// What a caller gets.
    pub outcome: Result<Answer, Failure>,
    /// In which pieces.
    pub events: Vec<ReplyEvent>,
    /// What the dialect's reader made of the bytes.
    pub wire: Wire,
}

/// What a dialect's reader made of the bytes.
#[derive(Clone, Debug)]
pub struct Wire {
    /// In order.
    pub events: Vec<WireEvent>,
    /// How it failed, if it did.
    pub failure: Option<Failure>,
    /// What came after the failure or the end, which must be nothing.
    pub afterwards: Vec<WireEvent>,
}

impl Wire {
    /// The events with neighbours of one kind joined, and the failure: what must not depend on the cuts.
    pub fn meaning(&self) -> (Vec<WireEvent>, Option<(mainstay_canon::Kind, Option<u16>)>) {
        let mut joined: Vec<WireEvent> = Vec::new();
        for event in &self.events {
            match (joined.last_mut(), event) {
                (Some(WireEvent::Text(before)), WireEvent::Text(text))
                | (Some(WireEvent::Reasoning(before)), WireEvent::Reasoning(text))
                | (Some(WireEvent::Refusal(before)), WireEvent::Refusal(text)) => before.push_str(text),
                (
                    Some(WireEvent::ToolArguments { index: before, delta: said }),
                    WireEvent::ToolArguments { index, delta },
                ) if before == index => said.push_str(delta),
                (_, event) => joined.push(event.clone()),
            }
        }
        (joined, self.failure.as_ref().map(|failure| (failure.kind, failure.status)))
    }

    /// The laws that every reader keeps; the first that is broken.
    ///
    /// # Errors
    ///
    /// The law, in words.
    pub fn keeps_the_laws(&self) -> Result<(), String> {
        let mut calls = 0;
        for (at, event) in self.events.iter().enumerate() {
            let is_last = at + 1 == self.events.len();
            match event {
                WireEvent::End if !is_last => {
                    return Err(format!("an event after the end: {:?}", self.events));
                }
                WireEvent::End if self.failure.is_some() => return Err("a failure after the end".to_owned()),
                WireEvent::ToolStart { index, .. } if *index != calls => {
                    return Err(format!("call {index} begins where {calls} is next"));
                }
                WireEvent::ToolStart { .. } => calls += 1,
                WireEvent::ToolArguments { index, .. } | WireEvent::ToolEnd { index } if *index >= calls => {
                    return Err(format!("a piece of call {index} before its beginning"));
                }
                _ => {}
            }
        }
        if !self.afterwards.is_empty() {
            return Err(format!("something came after all was over: {:?}", self.afterwards));
        }
        Ok(())
    }
}

/// Feeds a reader, and goes on feeding it after a failure or the end, from which nothing may come.
fn listen(upstream: &dyn Upstream, pieces: &[&[u8]]) -> Wire {
    let mut reader = upstream.read_stream();
    let (mut events, mut afterwards) = (Vec::new(), Vec::new());
    let mut failure = None;
    for piece in pieces {
        let is_over = failure.is_some() || events.last() == Some(&WireEvent::End);
        let out = if is_over { &mut afterwards } else { &mut events };
        let outcome = reader.push(piece, out);
        failure = failure.or(outcome.err());
    }
    let is_over = failure.is_some() || events.last() == Some(&WireEvent::End);
    let outcome = reader.close(if is_over { &mut afterwards } else { &mut events });
    failure = failure.or(outcome.err());
    let _ = reader.push(b"data: {}\n\n", &mut afterwards);
    let _ = reader.close(&mut afterwards);
    Wire { events, failure, afterwards }
}
