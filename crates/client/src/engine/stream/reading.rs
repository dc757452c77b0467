//! Reads one attempt's reply: its head, then events as they come, or one document from a provider that was
//! asked for a stream and answers whole.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use mainstay_canon::{Answer, Dialect, Failure, Moment, ReplyEvent, WireEvent};
use mainstay_dialects::{Outbound, StreamReader};
use mainstay_providers::Told;
use tokio::time::Instant;

use super::caller::Caller;
use super::leg::Leg;
use super::limits::{Alarm, Due};
use super::told;
use crate::clock::Clock;
use crate::engine::record;
use crate::engine::trip::Trip;
use crate::transport::Reply;

/// What some servers put before a document.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Longer than this no timer is set; it is looked at again then.
const FAR: Duration = Duration::from_hours(24);

impl Leg {
    /// Asks and reads the answer to its end, letting go of what may go on the way.
    pub(super) async fn read(
        &mut self,
        trip: &mut Trip,
        outbound: Outbound,
        caller: &mut Caller,
    ) -> Result<Answer, Failure> {
        let clock = std::sync::Arc::clone(&trip.engine.clock);
        let tier = std::sync::Arc::clone(&self.tier);
        let mut reply = self.within(&*clock, tier.endpoint.send(outbound, true)).await??;
        self.limits.bytes(clock.now());
        self.came.status = Some(reply.status);
        self.came.provider_request_id = tier.provider.request_id(&reply.headers).map(str::to_owned);
        if !reply.is_success() {
            let body = self.within(&*clock, reply.error_body(tier.timeouts.idle)).await?;
            // In the dialect that was spoken, which need not be the provider's usual one.
            let failure = self.upstream.read_error(reply.status, &body);
            return Err(self.refined(failure, &reply, &body, &*clock));
        }
        if let Some(report) = record::quota(tier.provider, &reply.headers, clock.now()) {
            trip.quota_reported(report);
        }
        let first = self.first_bytes(&*clock, &mut reply).await?;
        // Servers label streams as JSON and JSON as streams; the bytes themselves cannot be mistaken.
        if is_document(self.upstream.dialect(), &first) {
            return self.read_document(&first, &mut reply, trip).await;
        }
        self.read_events(first, reply, trip, caller).await
    }

    /// Waits for something, as long as this attempt may wait.
    async fn within<T>(&self, clock: &dyn Clock, what: impl Future<Output = T>) -> Result<T, Failure> {
        let (at, kind) = self.limits.failing();
        tokio::time::timeout_at(instant(clock, at), what).await.map_err(|_| self.limits.failure(kind))
    }

    /// The body up to its first byte that is not blank; nothing where it has none.
    async fn first_bytes(&mut self, clock: &dyn Clock, reply: &mut Reply) -> Result<Bytes, Failure> {
        loop {
            let Some(bytes) = self.within(clock, reply.chunk()).await?? else { return Ok(Bytes::new()) };
            if !bytes.trim_ascii_start().is_empty() {
                self.limits.bytes(clock.now());
                return Ok(bytes);
            }
        }
    }

    /// Reads events to their end.
    async fn read_events(
        &mut self,
        first: Bytes,
        mut reply: Reply,
        trip: &mut Trip,
        caller: &mut Caller,
    ) -> Result<Answer, Failure> {
        let clock = std::sync::Arc::clone(&trip.engine.clock);
        let mut reader = self.upstream.read_stream();
        let mut wire = Vec::new();
        let mut first = Some(Ok(Some(first).filter(|first| !first.is_empty())));
        let mut alarm = Alarm::at(self.due(&*clock));
        loop {
            let come = async { if let Some(first) = first.take() { first } else { reply.chunk().await } };
            let chunk = tokio::select! {
                biased;
                chunk = come => chunk,
                () = alarm.rings() => {
                    self.on_alarm(&*clock, trip, caller).await?;
                    alarm.set(self.due(&*clock));
                    continue;
                }
            };
            self.limits.bytes(clock.now());
            let read = feed(&mut *reader, chunk, &mut wire);
            let ended = wire.last() == Some(&WireEvent::End);
            // What came before an error still counts: it was paid for, and part of it may be out.
            self.take(&mut wire, &*clock, trip, caller).await?;
            match read {
                Err(failure) => return Err(self.refined(failure, &reply, &[], &*clock)),
                Ok(closed) if closed || ended => {
                    reply.let_end();
                    return self.assemble(trip, caller).await;
                }
                Ok(_) => alarm.no_later_than(self.due(&*clock)),
            }
        }
    }

    /// When something is due if nothing more comes.
    fn due(&self, clock: &dyn Clock) -> Instant {
        instant(clock, self.limits.next().0)
    }

    /// A timer went off: lets go of what was held long enough, or fails, if it is really due.
    async fn on_alarm(&mut self, clock: &dyn Clock, trip: &Trip, caller: &mut Caller) -> Result<(), Failure> {
        let (at, due) = self.limits.next();
        if clock.now() < at {
            return Ok(());
        }
        match due {
            Due::Failed(kind) => Err(self.limits.failure(kind)),
            Due::Hold => {
                self.limits.end_hold();
                let go = self.held.on_time();
                self.let_go(go, trip, caller).await;
                Ok(())
            }
        }
    }

    /// Normalizes what the reader gave, and holds it or lets it go.
    async fn take(
        &mut self,
        wire: &mut Vec<WireEvent>,
        clock: &dyn Clock,
        trip: &mut Trip,
        caller: &mut Caller,
    ) -> Result<(), Failure> {
        // The same buffer serves for every piece.
        let mut events = std::mem::take(&mut self.scratch);
        let mut taken = Ok(());
        for event in wire.drain(..) {
            let Some(assembler) = &mut self.assembler else { break };
            taken = self.meter.count(&event).and_then(|()| assembler.event(event, &mut events));
            if taken.is_err() {
                break;
            }
        }
        let progress = events.iter().any(is_progress);
        if progress && !self.progressed {
            self.progressed = true;
            self.came.ttft = Some(self.limits.age(clock.now()));
            trip.answering();
        }
        if events.iter().any(|event| matches!(event, ReplyEvent::Text(_))) {
            self.limits.text(clock.now());
        }
        for event in events.drain(..) {
            if taken.is_ok() {
                taken = self.circles.event(&event);
            }
            self.one(event, trip, caller).await;
        }
        self.scratch = events;
        if progress {
            // Counted from here: as long as a slow caller makes us wait, the provider is not silent.
            self.limits.progress(clock.now());
        }
        taken
    }

    /// The stream is over: what the assembler still holds, then the whole answer.
    async fn assemble(&mut self, trip: &Trip, caller: &mut Caller) -> Result<Answer, Failure> {
        let Some(assembler) = self.assembler.take() else { return Ok(Answer::default()) };
        let mut events = Vec::new();
        self.came.left_extras_out = assembler.left_extras_out();
        let ended = assembler.finish(&mut events);
        for event in events {
            self.one(event, trip, caller).await;
        }
        ended
    }

    /// Reads one document: a provider that was asked for a stream may answer whole.
    async fn read_document(
        &mut self,
        first: &[u8],
        reply: &mut Reply,
        trip: &mut Trip,
    ) -> Result<Answer, Failure> {
        let clock = std::sync::Arc::clone(&trip.engine.clock);
        let tier = std::sync::Arc::clone(&self.tier);
        let body = self.within(&*clock, reply.body_after(first, tier.timeouts.idle)).await??;
        let read = self.upstream.read_reply(&body);
        let wire = read.map_err(|failure| self.refined(failure, reply, &body, &*clock))?;
        let answer = mainstay_normalize::whole(
            &tier.normal_context(self.upstream.dialect(), trip.prompt_estimate()),
            wire,
        )?;
        self.progressed = true;
        trip.answering();
        let mut events = told::events_of(&answer);
        if let Some(seam) = &mut self.seam {
            seam.push(&answer.text);
            events.retain(|event| {
                let is_left_out = matches!(
                    event,
                    ReplyEvent::Reasoning(_) | ReplyEvent::ReasoningBlock(_) | ReplyEvent::Extra(_)
                );
                !is_left_out
            });
        }
        self.held.replace(events);
        Ok(answer)
    }

    /// Completes what the dialect made of a failure by the provider's own tables.
    fn refined(&self, failure: Failure, reply: &Reply, body: &[u8], clock: &dyn Clock) -> Failure {
        let told = Told { headers: &reply.headers, body, now: clock.now() };
        self.tier.provider.refined(failure, &told)
    }
}

/// Whether a body that begins so is one document. A stream of lines of JSON begins as one does; there a whole
/// answer is a stream of one line.
fn is_document(dialect: Dialect, first: &[u8]) -> bool {
    let text = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first);
    match dialect {
        Dialect::Ollama => false,
        Dialect::OpenaiChat
        | Dialect::OpenaiResponses
        | Dialect::Anthropic
        | Dialect::Gemini
        | Dialect::Bedrock => text.trim_ascii_start().starts_with(b"{"),
    }
}

/// Gives the reader what came; whether the body is over.
fn feed(
    reader: &mut dyn StreamReader,
    chunk: Result<Option<Bytes>, Failure>,
    wire: &mut Vec<WireEvent>,
) -> Result<bool, Failure> {
    match chunk {
        Ok(Some(bytes)) => reader.push(&bytes, wire).map(|()| false),
        Ok(None) => reader.close(wire).map(|()| true),
        // An answer that had come to its end is whole, however the connection ended.
        Err(broken) => reader.close(wire).map(|()| true).map_err(|_| broken),
    }
}

/// Whether an event is content (behaviour 5.3a).
fn is_progress(event: &ReplyEvent) -> bool {
    match event {
        ReplyEvent::Text(text) | ReplyEvent::Reasoning(text) | ReplyEvent::Refusal(text) => !text.is_empty(),
        ReplyEvent::ToolArguments { delta, .. } => !delta.is_empty(),
        ReplyEvent::ReasoningBlock(_)
        | ReplyEvent::Shown(_)
        | ReplyEvent::ToolStart { .. }
        | ReplyEvent::ToolEnd { .. } => true,
        ReplyEvent::Start { .. } | ReplyEvent::Extra(_) | ReplyEvent::Finish { .. } => false,
    }
}

/// A moment of the engine's clock as the runtime's timers know it.
fn instant(clock: &dyn Clock, at: Moment) -> Instant {
    Instant::now() + clock.now().until(at).min(FAR)
}
