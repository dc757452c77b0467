//! One attempt's stream: what has arrived, what the caller has of it, and how it ends.

use std::sync::Arc;

use mainstay_canon::{Answer, Failure, Quality, ReplyEvent, Verdict};
use mainstay_config::OnInterrupt;
use mainstay_dialects::{Outbound, Upstream};
use mainstay_fallback::Continue;
use mainstay_normalize::Assembler;

use super::caller::{Caller, Item};
use super::carried::{Carried, may_follow};
use super::circles::Circles;
use super::held::{Go, Held};
use super::judged::{self, Final};
use super::limits::Limits;
use super::meter::Meter;
use super::splice::Seam;
use super::{Opening, Served, StreamItem};
use crate::engine::TierRuntime;
use crate::engine::record::Came;
use crate::engine::trip::{Abandoned, Arrived, Prepared, Trip};
use crate::gave_up::GaveUp;

/// How one attempt's stream ended.
pub(super) enum LegEnd {
    /// It is the last: the stream's own last item.
    Last(Box<Item>),
    /// It failed, and the caller has nothing of it.
    Failed(Box<Failure>),
    /// It failed, and the caller has a part of it.
    Broke(Box<Failure>),
}

/// One attempt's stream.
pub(super) struct Leg {
    pub(super) tier: Arc<TierRuntime>,
    /// The dialect in which it is asked.
    pub(super) upstream: &'static dyn Upstream,
    /// Puts the answer together, until it is whole.
    pub(super) assembler: Option<Assembler>,
    /// The whole answer, once it is.
    whole: Option<Answer>,
    pub(super) held: Held,
    /// Holds the events of one piece while they are taken in.
    pub(super) scratch: Vec<ReplyEvent>,
    pub(super) limits: Limits,
    pub(super) meter: Meter,
    pub(super) circles: Circles,
    pub(super) came: Came,
    pub(super) progressed: bool,
    /// Where this attempt goes on from a broken answer, until it is known how much of that it repeats.
    pub(super) seam: Option<Seam>,
    /// Whether this attempt goes on from a broken answer at all.
    goes_on: bool,
    /// Bytes at the beginning of this attempt's text that the caller had already.
    repeated: usize,
    /// Bytes of text behind them that the caller was given.
    given: usize,
    /// Whether the caller has any of its text or calls; reasoning alone does not count (behaviour 7.1).
    is_out: bool,
}

impl Leg {
    pub(super) fn new(trip: &Trip, prepared: &Prepared, carried: Option<&Carried>) -> Self {
        let engine = &trip.engine;
        let streaming = &engine.config.streaming;
        let tier = Arc::clone(&prepared.tier);
        let now = engine.clock.now();
        Self {
            assembler: Some(tier.assembler(prepared.upstream.dialect(), trip.prompt_estimate())),
            whole: None,
            held: Held::new(&engine.judge, &trip.ask(), streaming.hold_options()),
            scratch: Vec::new(),
            limits: Limits::new(&tier.timeouts, now, prepared.time_left, streaming.hold_time),
            meter: Meter::new(prepared.set_aside),
            circles: Circles::new(engine),
            came: Came::default(),
            progressed: false,
            seam: carried.map(|carried| Seam::behind(&carried.answer.text)),
            goes_on: carried.is_some(),
            repeated: 0,
            given: 0,
            is_out: false,
            upstream: prepared.upstream,
            tier,
        }
    }

    /// Asks, reads to the end and hands over what is good.
    pub(super) async fn run(
        &mut self,
        trip: &mut Trip,
        outbound: Outbound,
        caller: &mut Caller,
        carried: Option<&Carried>,
    ) -> LegEnd {
        match self.read(trip, outbound, caller).await {
            Ok(answer) => {
                self.whole = Some(answer);
                self.hand_over(trip, caller, carried).await
            }
            Err(failure) => self.failed(failure),
        }
    }

    /// The attempt failed; what had come of it goes with the failure.
    fn failed(&self, mut failure: Failure) -> LegEnd {
        if failure.answer.is_none() && self.progressed {
            failure.answer = Some(Box::new(self.arrived()));
        }
        let failure = Box::new(failure);
        if self.is_out { LegEnd::Broke(failure) } else { LegEnd::Failed(failure) }
    }

    /// The stream came to its end: judged as a whole and handed over, unless it is no use.
    async fn hand_over(&mut self, trip: &mut Trip, caller: &mut Caller, carried: Option<&Carried>) -> LegEnd {
        let Final { mut verdict, text, calls } = self.judged(trip, carried);
        if verdict.is_failure && (!self.is_out || self.held.calls_wait()) {
            let failure = Failure::bad(verdict, self.whole.take().unwrap_or_default());
            return self.failed(failure);
        }
        let mut repaired = false;
        if let Some(text) = text {
            if self.given == 0 {
                self.put_text(text);
                repaired = true;
            } else {
                verdict = judged::too_late();
            }
        }
        if let Some(calls) = calls.filter(|_| !self.held.calls_are_out()) {
            self.held.replace_calls(&calls);
            repaired = true;
            if let Some(whole) = &mut self.whole {
                whole.tool_calls = calls;
            }
        }
        self.release(trip, caller).await;
        let answer = self.whole.take().unwrap_or_default();
        let arrived = Arrived { answer, verdict, came: self.take_came(), repaired };
        let last = trip.answered(arrived).map(|mut response| {
            if let Some(carried) = carried {
                let last = std::mem::take(&mut response.answer);
                let new = last.text.get(self.repeated..).unwrap_or_default().to_owned();
                response.answer = carried.completed_by(last, &new);
            }
            StreamItem::Done(Box::new(response))
        });
        LegEnd::Last(Box::new(last))
    }

    /// The final finding on the whole answer.
    fn judged(&mut self, trip: &Trip, carried: Option<&Carried>) -> Final {
        // Nothing more comes: what is repeated is known now at the latest.
        self.splice();
        let nothing = Answer::default();
        let answer = self.whole.as_ref().unwrap_or(&nothing);
        match carried {
            Some(carried) => {
                let new = answer.text.get(self.repeated..).unwrap_or_default();
                judged::rest(trip, answer, new, carried)
            }
            None => judged::whole(trip, answer),
        }
    }

    /// Puts another text in place of one that nobody was given yet.
    fn put_text(&mut self, text: String) {
        self.held.replace_text(text.clone());
        if let Some(whole) = &mut self.whole {
            whole.text = text;
        }
    }

    /// Takes one event in, and lets go what may go.
    pub(super) async fn one(&mut self, event: ReplyEvent, trip: &Trip, caller: &mut Caller) {
        if self.goes_on && matches!(event, ReplyEvent::Extra(_)) {
            // Its places count from the beginning of the continuation, which is not the caller's.
            return;
        }
        if let Some(seam) = &mut self.seam {
            match &event {
                ReplyEvent::Text(text) => seam.push(text),
                // The thoughts about how to go on are not part of the answer.
                ReplyEvent::Reasoning(_) | ReplyEvent::ReasoningBlock(_) => return,
                ReplyEvent::Start { .. }
                | ReplyEvent::Shown(_)
                | ReplyEvent::Refusal(_)
                | ReplyEvent::ToolStart { .. }
                | ReplyEvent::ToolArguments { .. }
                | ReplyEvent::ToolEnd { .. }
                | ReplyEvent::Extra(_)
                | ReplyEvent::Finish { .. } => {}
            }
        }
        let go = self.held.push(event);
        self.let_go(go, trip, caller).await;
    }

    /// Lets go what may go.
    pub(super) async fn let_go(&mut self, go: Go, trip: &Trip, caller: &mut Caller) {
        match go {
            Go::Reasoning => {
                caller.open(|| opening(trip, &self.tier)).await;
                for event in self.held.pop_aside().into_iter().flatten() {
                    caller.give(event).await;
                }
            }
            Go::All if self.seam.as_ref().is_none_or(Seam::is_known) => self.release(trip, caller).await,
            Go::All | Go::Nothing => {}
        }
    }

    /// Gives the caller everything that is held.
    async fn release(&mut self, trip: &Trip, caller: &mut Caller) {
        caller.open(|| opening(trip, &self.tier)).await;
        self.splice();
        self.limits.end_hold();
        let was_out = self.is_out;
        while let Some(event) = self.held.pop() {
            match &event {
                ReplyEvent::Text(text) => {
                    self.given += text.len();
                    self.is_out = true;
                }
                ReplyEvent::Shown(_) | ReplyEvent::Refusal(_) | ReplyEvent::ToolStart { .. } => {
                    self.is_out = true;
                }
                ReplyEvent::Start { .. }
                | ReplyEvent::Reasoning(_)
                | ReplyEvent::ReasoningBlock(_)
                | ReplyEvent::ToolArguments { .. }
                | ReplyEvent::ToolEnd { .. }
                | ReplyEvent::Extra(_)
                | ReplyEvent::Finish { .. } => {}
            }
            caller.give(event).await;
        }
        if self.is_out && !was_out && wish(trip) != OnInterrupt::ContinueAny {
            self.limits.all_the_time(trip.engine.clock.now(), trip.time_left());
        }
    }

    /// Takes out of what is held what the caller has already.
    fn splice(&mut self) {
        let Some(seam) = self.seam.take() else { return };
        self.repeated = seam.repeated();
        self.held.replace_text(seam.into_rest(self.repeated));
    }

    /// The answer broke off after a part of it went out: what may be continued from, or the error.
    pub(super) fn carry_on(
        &mut self,
        mut failure: Failure,
        trip: &mut Trip,
        before: Option<Carried>,
    ) -> Result<Carried, Box<GaveUp>> {
        let has_text = before.is_some() || self.given > 0;
        let then = if has_text && !self.held.calls_are_out() {
            may_follow(failure.kind, wish(trip))
        } else {
            Continue::No
        };
        let mut part = failure.answer.as_deref().cloned().unwrap_or_else(|| self.arrived());
        failure.answer = Some(Box::new(part.clone()));
        let verdict = failure.verdict.clone().unwrap_or_else(broke_off);
        let arrived = Arrived { answer: part.clone(), verdict, came: self.take_came(), repaired: false };
        trip.broke_off(&mut failure, arrived, then);
        if !self.held.calls_are_out() {
            // What was held back is nothing that the caller has, and half a call is nothing to run.
            part.tool_calls.clear();
        }
        let given = part.text.get(self.repeated..self.repeated + self.given).unwrap_or_default().to_owned();
        let carried = Carried::with(before, part, &given, failure);
        if then == Continue::No {
            return Err(Box::new(trip.interrupted(carried.into_failure())));
        }
        trip.continue_from(&carried.answer.text);
        Ok(carried)
    }

    /// What has arrived so far.
    fn arrived(&self) -> Answer {
        let partial = || self.assembler.as_ref().map(Assembler::partial).unwrap_or_default();
        self.whole.clone().unwrap_or_else(partial)
    }

    /// What is known when the caller goes away.
    pub(super) fn abandoned(&mut self) -> Abandoned {
        Abandoned { answer: self.arrived(), came: self.take_came(), released: self.is_out }
    }

    /// What is known of the reply beside its answer.
    pub(super) fn take_came(&mut self) -> Came {
        std::mem::take(&mut self.came)
    }
}

/// What the operator, or this very call, wants to follow a break.
fn wish(trip: &Trip) -> OnInterrupt {
    trip.options.on_interrupt.unwrap_or(trip.engine.config.streaming.on_interrupt)
}

/// The finding on an answer that broke off.
fn broke_off() -> Verdict {
    Verdict::of(Quality::Interrupted, "interrupted.transport", "the stream broke off")
}

/// What is known when the first piece of an attempt's answer is released.
fn opening(trip: &Trip, tier: &TierRuntime) -> Opening {
    let served = if tier.static_fallback {
        Served::Static
    } else if trip.fell_back() {
        Served::Fallback
    } else if trip.current_tier_attempt() > 1 {
        Served::Retry
    } else {
        Served::First
    };
    Opening { target: tier.target.clone(), upstream_calls: trip.upstream_calls(), served }
}
