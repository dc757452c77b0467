//! A streamed answer: the same line, with a hold in front of the caller.
//!
//! A task walks the chain and feeds a bounded channel. Until the hold releases, every failure is
//! invisible: the upstream is dropped and the next attempt begins. After it, the caller is told the truth.

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{
    Answer, ChatRequest, ChatResponse, Failure, Kind, ReplyEvent, Target, Usage, WireEvent,
};
use mainstay_config::OnInterrupt;
use mainstay_dialects::StreamReader;
use mainstay_fallback::Continue;
use mainstay_normalize::Assembler;
use mainstay_providers::Told;
use mainstay_quality::{Arrival, Hold, HoldMode, Watch};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::trip::{Arrived, Prepared, Trip};
use super::{CallOptions, Engine, Route, TierRuntime, record, splice};
use crate::gave_up::GaveUp;
use crate::transport::Reply;

/// Pieces that may wait for a slow caller before the upstream is made to wait, too.
const QUEUE: usize = 64;
/// Most bytes of held tool calls before they are let through unjudged (behaviour 7.1a).
const HELD_CALLS_LIMIT: usize = 1024 * 1024;

/// What a streaming caller receives, in order: one `Open`, events, one `Done`. An error ends the stream.
#[derive(Clone, Debug)]
pub enum StreamItem {
    /// The hold released: who answers, and how we got there.
    Open(Opening),
    /// A piece of the answer.
    Event(ReplyEvent),
    /// The whole answer with its verdict, cost and trail. Comes last.
    Done(Box<ChatResponse>),
}

/// What is known when the first piece is released.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Who answers.
    pub target: Target,
    /// How many calls reached a provider so far.
    pub upstream_calls: usize,
    /// How the answer came to be served.
    pub served: Served,
}

/// Which way an answer was served: the `x-mainstay-served` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// The first attempt on the first tier.
    First,
    /// A later attempt on the first tier that was asked.
    Retry,
    /// A lower tier.
    Fallback,
    /// The static tier.
    Static,
}

impl Served {
    /// The word in the header.
    pub const fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Retry => "retry",
            Self::Fallback => "fallback",
            Self::Static => "static",
        }
    }
}

type Sender = mpsc::Sender<Result<StreamItem, GaveUp>>;

/// Starts the task that feeds one stream.
pub(crate) fn start(
    engine: Arc<Engine>,
    route: Route,
    request: ChatRequest,
    options: CallOptions,
) -> mpsc::Receiver<Result<StreamItem, GaveUp>> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let trip = Trip::start(engine, route, request, options);
    tokio::spawn(run(trip, sender));
    receiver
}

/// What the caller was given by answers that broke off.
struct Carried {
    text: String,
    usage: Usage,
    failure: Failure,
    at: usize,
}

async fn run(mut trip: Trip, sender: Sender) {
    let mut carried: Option<Carried> = None;
    loop {
        let next = tokio::select! {
            biased;
            () = sender.closed() => return trip.abort(None),
            next = trip.next(true) => next,
        };
        let prepared = match (next, carried.take()) {
            (Ok(prepared), still) => {
                carried = still;
                prepared
            }
            (Err(_), Some(carried)) => {
                let gave_up = trip.interrupted(carried.failure);
                let _ = sender.send(Err(gave_up)).await;
                return;
            }
            (Err(end), None) => return deliver(trip.finish(end), &trip, &sender).await,
        };
        let mut leg = Leg::new(&trip, &prepared, carried.as_ref().map(|carried| carried.text.clone()));
        match leg.run(&mut trip, prepared, &sender).await {
            LegEnd::CallerLeft => return trip.abort(Some(&leg.partial())),
            LegEnd::Broke(failure) if leg.released => {
                match leg.broke_after_release(failure, &mut trip, carried.take()) {
                    Ok(go_on) => carried = Some(go_on),
                    Err(gave_up) => {
                        let _ = sender.send(Err(*gave_up)).await;
                        return;
                    }
                }
            }
            LegEnd::Broke(mut failure) => {
                if failure.answer.is_none() && leg.progressed {
                    failure.answer = Some(Box::new(leg.partial()));
                }
                trip.failed(failure, leg.http_status, leg.provider_request_id.take());
            }
            LegEnd::Whole(answer) => {
                if let Some(last) = leg.came_whole(answer, &mut trip, carried.as_ref(), &sender).await {
                    let _ = sender.send(last).await;
                    return;
                }
            }
        }
    }
}

/// Hands over an ending that came without a stream of its own: a refusal as an answer, or the error.
async fn deliver(given: Result<ChatResponse, GaveUp>, trip: &Trip, sender: &Sender) {
    let response = match given {
        Ok(response) => response,
        Err(gave_up) => {
            let _ = sender.send(Err(gave_up)).await;
            return;
        }
    };
    let opening = Opening {
        target: response.target.clone(),
        upstream_calls: trip.upstream_calls(),
        served: Served::Fallback,
    };
    let mut items = vec![StreamItem::Open(opening)];
    items.extend(events_of(&response.answer).into_iter().map(StreamItem::Event));
    items.push(StreamItem::Done(Box::new(response)));
    for item in items {
        if sender.send(Ok(item)).await.is_err() {
            return;
        }
    }
}

/// A whole answer, told as a stream.
fn events_of(answer: &Answer) -> Vec<ReplyEvent> {
    let mut events = vec![ReplyEvent::Start { id: answer.id.clone(), model: answer.model.clone() }];
    events.extend(answer.reasoning_content.clone().map(ReplyEvent::Reasoning));
    if !answer.text.is_empty() {
        events.push(ReplyEvent::Text(answer.text.clone()));
    }
    events.extend(answer.refusal.clone().map(ReplyEvent::Refusal));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        events.extend([
            ReplyEvent::ToolStart { index, id: call.id.clone(), name: call.name.clone() },
            ReplyEvent::ToolArguments { index, delta: call.arguments.clone() },
            ReplyEvent::ToolEnd { index },
        ]);
    }
    events.push(ReplyEvent::Finish {
        reason: answer.finish_reason,
        raw: answer.finish_reason_raw.clone(),
        stop_sequence: answer.stop_sequence.clone(),
        usage: answer.usage,
    });
    events
}

/// How one attempt's stream ended.
enum LegEnd {
    /// It came to its end.
    Whole(Answer),
    /// It broke, or never began.
    Broke(Failure),
    /// The caller hung up.
    CallerLeft,
}

/// One attempt's stream: what has arrived, what is held back, which timer runs.
struct Leg {
    tier: Arc<TierRuntime>,
    assembler: Option<Assembler>,
    watch: Watch,
    held: Vec<ReplyEvent>,
    held_call_bytes: usize,
    hold_calls: bool,
    open_calls: bool,
    may_release: bool,
    released: bool,
    /// What the caller has already, where this leg continues a broken answer.
    so_far: Option<String>,
    /// Text of this leg that went to the caller.
    sent: String,
    progressed: bool,
    started: Instant,
    last_progress: Instant,
    first_text: Option<Instant>,
    ttft: Option<Duration>,
    hold_time: Duration,
    http_status: Option<u16>,
    provider_request_id: Option<String>,
    time_left: Duration,
}

impl Leg {
    fn new(trip: &Trip, prepared: &Prepared, so_far: Option<String>) -> Self {
        let now = Instant::now();
        let streaming = &trip.engine.config.streaming;
        Self {
            tier: Arc::clone(&prepared.tier),
            assembler: Some(prepared.tier.assembler(trip.prompt_estimate())),
            watch: trip.engine.judge.watch(&trip.ask(), streaming.hold_options()),
            held: Vec::new(),
            held_call_bytes: 0,
            hold_calls: streaming.hold_tool_calls && streaming.mode != HoldMode::Live,
            open_calls: false,
            may_release: false,
            released: false,
            so_far,
            sent: String::new(),
            progressed: false,
            started: now,
            last_progress: now,
            first_text: None,
            ttft: None,
            hold_time: streaming.hold_time,
            http_status: None,
            provider_request_id: None,
            time_left: prepared.time_left,
        }
    }

    async fn run(&mut self, trip: &mut Trip, prepared: Prepared, sender: &Sender) -> LegEnd {
        let head_limit = self.tier.timeouts.first_byte.min(self.time_left);
        let head = tokio::select! {
            biased;
            () = sender.closed() => return LegEnd::CallerLeft,
            head = tokio::time::timeout(head_limit, self.tier.endpoint.send(prepared.outbound, true)) => head,
        };
        let mut reply = match head {
            Ok(Ok(reply)) => reply,
            Ok(Err(failure)) => return LegEnd::Broke(failure),
            Err(_) => return LegEnd::Broke(timeout(Kind::TimeoutFirstByte, "no first byte", head_limit)),
        };
        self.http_status = Some(reply.status);
        self.provider_request_id = self.tier.provider.request_id(&reply.headers).map(str::to_owned);
        if !reply.is_success() {
            let body = reply.error_body(self.tier.timeouts.idle.min(self.time_left)).await;
            let now = trip.engine.clock.now();
            return LegEnd::Broke(self.tier.provider.read_error(reply.status, &reply.headers, &body, now));
        }
        if let Some(report) = record::quota(self.tier.provider, &reply.headers, trip.engine.clock.now()) {
            trip.quota_reported(report);
        }
        if is_whole_json(&reply) {
            return self.read_whole(&mut reply, trip, sender).await;
        }
        let reader = self.tier.upstream().read_stream();
        self.read(reader, &mut reply, trip, sender).await
    }

    /// Reads the stream to its end, releasing as the hold allows.
    async fn read(
        &mut self,
        mut reader: Box<dyn StreamReader>,
        reply: &mut Reply,
        trip: &mut Trip,
        sender: &Sender,
    ) -> LegEnd {
        let mut wire = Vec::new();
        loop {
            let (deadline, which) = self.next_timer();
            let chunk = tokio::select! {
                biased;
                () = sender.closed() => return LegEnd::CallerLeft,
                chunk = reply.chunk() => chunk,
                () = tokio::time::sleep_until(deadline) => match which {
                    Timer::Hold => {
                        if self.watch.on_time() == Hold::Release && self.release(trip, sender).await.is_err() {
                            return LegEnd::CallerLeft;
                        }
                        self.first_text = None;
                        continue;
                    }
                    Timer::FirstContent(limit) => {
                        return LegEnd::Broke(timeout(Kind::TimeoutFirstByte, "no first content", limit));
                    }
                    Timer::Idle(limit) => return LegEnd::Broke(timeout(Kind::TimeoutIdle, "no content", limit)),
                    Timer::Total(limit) => {
                        return LegEnd::Broke(timeout(Kind::TimeoutTotal, "no whole answer", limit));
                    }
                },
            };
            let read = match chunk {
                Ok(Some(bytes)) => reader.push(&bytes, &mut wire).map(|()| false),
                Ok(None) => reader.close(&mut wire).map(|()| true),
                Err(broken) => reader.close(&mut wire).map(|()| true).map_err(|_| broken),
            };
            let ended = wire.contains(&WireEvent::End);
            // What came before an error still counts: it was paid for, and part of it may be released.
            match self.take(&mut wire, trip, sender).await {
                Ok(()) => {}
                Err(TakeError::CallerLeft) => return LegEnd::CallerLeft,
                Err(TakeError::Broke(failure)) => return LegEnd::Broke(*failure),
            }
            match read {
                Err(failure) => return LegEnd::Broke(self.refined(failure, reply, &[], trip)),
                Ok(closed) if closed || ended => return self.finish(trip, sender).await,
                Ok(_) => {}
            }
        }
    }

    /// A provider that was asked for a stream may answer whole.
    async fn read_whole(&mut self, reply: &mut Reply, trip: &mut Trip, sender: &Sender) -> LegEnd {
        let limit = self.tier.timeouts.answer.min(self.time_left);
        let body = tokio::select! {
            biased;
            () = sender.closed() => return LegEnd::CallerLeft,
            body = tokio::time::timeout(limit, reply.body(self.tier.timeouts.idle)) => body,
        };
        let body = match body {
            Ok(Ok(body)) => body,
            Ok(Err(failure)) => return LegEnd::Broke(failure),
            Err(_) => return LegEnd::Broke(timeout(Kind::TimeoutTotal, "no whole answer", limit)),
        };
        // Some servers label a stream as JSON.
        if body.trim_ascii_start().starts_with(b"data:") || body.trim_ascii_start().starts_with(b"event:") {
            let mut reader = self.tier.upstream().read_stream();
            let mut wire = Vec::new();
            let read = reader.push(&body, &mut wire).and_then(|()| reader.close(&mut wire));
            return match (self.take(&mut wire, trip, sender).await, read) {
                (Err(TakeError::CallerLeft), _) => LegEnd::CallerLeft,
                (Err(TakeError::Broke(failure)), _) => LegEnd::Broke(*failure),
                (Ok(()), Err(failure)) => LegEnd::Broke(self.refined(failure, reply, &[], trip)),
                (Ok(()), Ok(())) => self.finish(trip, sender).await,
            };
        }
        let read = self
            .tier
            .upstream()
            .read_reply(&body)
            .map_err(|failure| self.refined(failure, reply, &body, trip))
            .and_then(|wire| {
                mainstay_normalize::whole(&self.tier.normal_context(trip.prompt_estimate()), wire)
            });
        match read {
            Ok(answer) => {
                self.held = events_of(&answer);
                self.held.pop();
                self.progressed = true;
                LegEnd::Whole(answer)
            }
            Err(failure) => LegEnd::Broke(failure),
        }
    }

    /// Completes a failure that was told inside a 200 by the provider's own tables.
    fn refined(&self, failure: Failure, reply: &Reply, body: &[u8], trip: &Trip) -> Failure {
        let told = Told { headers: &reply.headers, body, now: trip.engine.clock.now() };
        self.tier.provider.refined(failure, &told)
    }

    /// Normalizes what the reader gave, and holds or releases it.
    async fn take(
        &mut self,
        wire: &mut Vec<WireEvent>,
        trip: &mut Trip,
        sender: &Sender,
    ) -> Result<(), TakeError> {
        let mut events = Vec::new();
        for event in wire.drain(..) {
            let Some(assembler) = &mut self.assembler else { break };
            assembler.event(event, &mut events)?;
        }
        for event in events {
            self.one(event, trip, sender).await?;
        }
        Ok(())
    }

    async fn one(&mut self, event: ReplyEvent, trip: &mut Trip, sender: &Sender) -> Result<(), TakeError> {
        let (progress, is_call) = match &event {
            ReplyEvent::Text(text) | ReplyEvent::Refusal(text) => (!text.is_empty(), false),
            ReplyEvent::Reasoning(text) => (!text.is_empty(), false),
            ReplyEvent::ReasoningBlock(_) => (true, false),
            ReplyEvent::ToolStart { .. } | ReplyEvent::ToolEnd { .. } => (true, true),
            ReplyEvent::ToolArguments { delta, .. } => {
                self.held_call_bytes = self.held_call_bytes.saturating_add(delta.len());
                (!delta.is_empty(), true)
            }
            ReplyEvent::Start { .. } | ReplyEvent::Finish { .. } => (false, false),
        };
        if progress {
            let now = Instant::now();
            if !self.progressed {
                self.progressed = true;
                trip.answering();
            }
            self.last_progress = now;
            self.ttft.get_or_insert_with(|| now.duration_since(self.started));
            if matches!(event, ReplyEvent::Text(_)) && !self.released {
                self.first_text.get_or_insert(now);
            }
        }
        if matches!(event, ReplyEvent::Finish { .. }) {
            return Ok(());
        }
        self.open_calls |= is_call;
        // Calls wait for the final judgement; what follows a held call waits behind it.
        let waits = self.hold_calls && self.open_calls && self.held_call_bytes <= HELD_CALLS_LIMIT;
        self.may_release |= self.watch.event(&event) == Hold::Release;
        self.held.push(event);
        if !waits && (self.released || (self.may_release && self.can_be_spliced())) {
            self.release(trip, sender).await.map_err(|()| TakeError::CallerLeft)?;
        }
        Ok(())
    }

    /// Lets everything that is held go to the caller.
    async fn release(&mut self, trip: &Trip, sender: &Sender) -> Result<(), ()> {
        if !self.released {
            self.released = true;
            let opening = Opening {
                target: self.tier.target.clone(),
                upstream_calls: trip.upstream_calls(),
                served: served(trip, &self.tier),
            };
            if self.so_far.is_some() {
                self.splice();
            } else {
                sender.send(Ok(StreamItem::Open(opening))).await.map_err(|_| ())?;
            }
        }
        for event in self.held.drain(..) {
            if let ReplyEvent::Text(text) = &event {
                self.sent.push_str(text);
            }
            // The caller's stream has begun already; a second beginning would confuse it.
            if self.so_far.is_some() && matches!(event, ReplyEvent::Start { .. }) {
                continue;
            }
            sender.send(Ok(StreamItem::Event(event))).await.map_err(|_| ())?;
        }
        Ok(())
    }

    /// Whether enough has come to see where a continuation repeats what the caller has.
    fn can_be_spliced(&self) -> bool {
        self.so_far.is_none() || held_text(&self.held).len() >= splice::OVERLAP
    }

    /// Takes out of what is held what the caller has already.
    fn splice(&mut self) {
        let Some(so_far) = &self.so_far else { return };
        let text = held_text(&self.held);
        let new = text.get(splice::repeated(so_far, &text)..).unwrap_or_default().to_owned();
        self.held.retain(|event| !matches!(event, ReplyEvent::Text(_)));
        self.held.insert(0, ReplyEvent::Text(new));
    }

    /// The answer broke off after a part of it went out: what may be continued from, or the error.
    fn broke_after_release(
        &mut self,
        failure: Failure,
        trip: &mut Trip,
        before: Option<Carried>,
    ) -> Result<Carried, Box<GaveUp>> {
        let then = self.what_may_follow(failure.kind, trip);
        let arrived = self.arrived_in_part(&failure);
        let usage = arrived.answer.usage;
        trip.broke_off(&failure, arrived, then);
        if then == Continue::No {
            return Err(Box::new(trip.interrupted(failure)));
        }
        let (mut text, spent) = before.map_or_else(Default::default, |before| (before.text, before.usage));
        text.push_str(&self.sent);
        trip.continue_from(&text);
        let at = text.len();
        Ok(Carried { text, usage: sum(spent, usage), failure, at })
    }

    /// Whether another attempt may go on where this one broke off (behaviour 7.4).
    fn what_may_follow(&self, kind: Kind, trip: &Trip) -> Continue {
        let has_text = self.so_far.is_some() || !self.sent.is_empty();
        // A call that is out cannot be spliced.
        let calls_are_out = self.open_calls && (!self.hold_calls || self.held_call_bytes > HELD_CALLS_LIMIT);
        if !has_text || calls_are_out || !is_a_break(kind) {
            return Continue::No;
        }
        match trip.options.on_interrupt.unwrap_or(trip.engine.config.streaming.on_interrupt) {
            OnInterrupt::Continue => Continue::SameTarget,
            OnInterrupt::ContinueAny => Continue::AnyTier,
            OnInterrupt::Error => Continue::No,
        }
    }

    /// The stream came to its end: judged as a whole and handed over, or `None` and the next attempt begins.
    async fn came_whole(
        &mut self,
        answer: Answer,
        trip: &mut Trip,
        carried: Option<&Carried>,
        sender: &Sender,
    ) -> Option<Result<StreamItem, GaveUp>> {
        let mut verdict = trip.engine.judge.judge(&trip.ask(), &answer, Arrival::Complete).verdict;
        if verdict.is_failure && !self.released {
            let failure = Failure::bad(verdict, answer);
            trip.failed(failure, self.http_status, self.provider_request_id.take());
            return None;
        }
        if self.holds_bad_call(&verdict) {
            let failure = Failure::bad(verdict, answer);
            trip.broke_off(&failure, self.arrived_in_part(&failure), Continue::No);
            return Some(Err(trip.interrupted(failure)));
        }
        if self.release(trip, sender).await.is_err() {
            trip.abort(Some(&answer));
            return Some(Err(trip.gave_up_on_caller()));
        }
        if let Some(carried) = carried {
            let mut whole = answer.clone();
            whole.text = format!("{}{}", carried.text, self.sent);
            verdict = trip.engine.judge.judge(&trip.ask(), &whole, Arrival::Complete).verdict;
        }
        let mut arrived = self.arrived(answer, verdict);
        arrived.continued_at = carried.map(|carried| carried.at);
        Some(trip.answered(arrived).map(|mut response| {
            if let Some(carried) = carried {
                response.answer.text = format!("{}{}", carried.text, self.sent);
                response.answer.usage = sum(carried.usage, response.answer.usage);
            }
            StreamItem::Done(Box::new(response))
        }))
    }

    /// The stream is over: what the assembler still holds, then the whole answer.
    async fn finish(&mut self, trip: &mut Trip, sender: &Sender) -> LegEnd {
        let Some(assembler) = self.assembler.take() else {
            return LegEnd::Broke(Failure::new(Kind::StreamInterrupted, "the stream ended twice"));
        };
        let partial = assembler.partial();
        let mut events = Vec::new();
        let ended = assembler.finish(&mut events);
        for event in events {
            match self.one(event, trip, sender).await {
                Ok(()) => {}
                Err(TakeError::CallerLeft) => return LegEnd::CallerLeft,
                Err(TakeError::Broke(failure)) => return LegEnd::Broke(*failure),
            }
        }
        match ended {
            Ok(answer) => LegEnd::Whole(answer),
            Err(mut failure) => {
                failure.answer.get_or_insert_with(|| Box::new(partial));
                LegEnd::Broke(failure)
            }
        }
    }

    /// The timer that fires next.
    fn next_timer(&self) -> (Instant, Timer) {
        let limits = &self.tier.timeouts;
        let mut next = (self.started + self.time_left, Timer::Total(self.time_left));
        let mut consider = |at: Instant, timer: Timer| {
            if at < next.0 {
                next = (at, timer);
            }
        };
        if self.progressed {
            consider(self.last_progress + limits.idle, Timer::Idle(limits.idle));
        } else {
            consider(self.started + limits.first_content, Timer::FirstContent(limits.first_content));
        }
        if let Some(first_text) = self.first_text.filter(|_| !self.released) {
            consider(first_text + self.hold_time, Timer::Hold);
        }
        next
    }

    /// Whether a call that must not be run is still held while text before it is out already.
    fn holds_bad_call(&self, verdict: &mainstay_canon::Verdict) -> bool {
        verdict.is_failure && self.released && self.hold_calls && self.open_calls && !self.held.is_empty()
    }

    fn partial(&self) -> Answer {
        self.assembler.as_ref().map(Assembler::partial).unwrap_or_default()
    }

    /// What had arrived when it broke off; the failure may hold it where the assembler has given it away.
    fn arrived_in_part(&self, failure: &Failure) -> Arrived {
        let answer = failure.answer.as_deref().cloned().unwrap_or_else(|| self.partial());
        let verdict = mainstay_canon::Verdict::of(
            mainstay_canon::Quality::Interrupted,
            "transport.broken",
            "the stream broke off",
        );
        self.arrived(answer, verdict)
    }

    fn arrived(&self, answer: Answer, verdict: mainstay_canon::Verdict) -> Arrived {
        Arrived {
            answer,
            verdict,
            http_status: self.http_status,
            provider_request_id: self.provider_request_id.clone(),
            ttft: self.ttft,
            continued_at: None,
        }
    }
}

/// All text that is held.
fn held_text(held: &[ReplyEvent]) -> String {
    held.iter()
        .filter_map(|event| if let ReplyEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect()
}

/// Tokens of both legs of a continued answer.
fn sum(one: Usage, two: Usage) -> Usage {
    Usage {
        prompt: one.prompt.saturating_add(two.prompt),
        completion: one.completion.saturating_add(two.completion),
        cached: one.cached.saturating_add(two.cached),
        cache_write: one.cache_write.saturating_add(two.cache_write),
        cache_write_1h: one.cache_write_1h.saturating_add(two.cache_write_1h),
        reasoning: one.reasoning.saturating_add(two.reasoning),
        estimated: one.estimated || two.estimated,
    }
}

/// Whether a failure is a broken line or server, so that asking to go on makes sense.
const fn is_a_break(kind: Kind) -> bool {
    match kind {
        Kind::StreamInterrupted
        | Kind::TimeoutIdle
        | Kind::ServerError
        | Kind::Overloaded
        | Kind::InvalidResponse
        | Kind::Connect
        | Kind::Tls => true,
        Kind::TimeoutFirstByte
        | Kind::TimeoutTotal
        | Kind::RateLimited
        | Kind::QuotaExhausted
        | Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::Auth
        | Kind::Permission
        | Kind::NotFound
        | Kind::RequestDeclined
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::UnknownFinishReason
        | Kind::MalformedToolCall
        | Kind::BudgetExceeded
        | Kind::UnpricedModel
        | Kind::Cancelled
        | Kind::Bad(_) => false,
    }
}

enum Timer {
    Hold,
    FirstContent(Duration),
    Idle(Duration),
    Total(Duration),
}

enum TakeError {
    CallerLeft,
    Broke(Box<Failure>),
}

impl From<Failure> for TakeError {
    fn from(failure: Failure) -> Self {
        Self::Broke(Box::new(failure))
    }
}

fn timeout(kind: Kind, what: &str, limit: Duration) -> Failure {
    Failure::new(kind, format!("{what} within {:.1} s", limit.as_secs_f64()))
}

/// Whether a stream was asked for and one JSON document came.
fn is_whole_json(reply: &Reply) -> bool {
    reply
        .headers
        .get("content-type")
        .is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("application/json"))
}

pub(crate) fn served(trip: &Trip, tier: &TierRuntime) -> Served {
    if tier.static_fallback {
        Served::Static
    } else if trip.fell_back() {
        Served::Fallback
    } else if trip.current_tier_attempt() > 1 {
        Served::Retry
    } else {
        Served::First
    }
}
