//! A streamed answer: the same line, with a hold in front of the caller.
//!
//! A task walks the chain and feeds a bounded channel. Until the hold releases, every failure is invisible:
//! the upstream is dropped and the next attempt begins. After it, the caller is told the truth. `leg` is one
//! attempt's stream; here is what follows from each.

mod caller;
mod carried;
mod circles;
mod held;
mod judged;
mod leg;
mod limits;
mod meter;
mod reading;
pub(super) mod splice;
mod told;

use std::sync::Arc;

use mainstay_canon::{Attempt, ChatRequest, ChatResponse, ReplyEvent, Target};
use tokio::sync::mpsc;

use self::caller::{Caller, Item};
use self::carried::Carried;
use self::leg::{Leg, LegEnd};
use super::trip::Trip;
use super::{CallOptions, Engine, Route};

/// Pieces that may wait for a slow caller before the upstream is made to wait, too.
const QUEUE: usize = 64;

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

    /// How an answer came to be served.
    pub fn of(response: &ChatResponse) -> Self {
        Self::by_trail(&response.attempts, &response.target, response.from_static_tier)
    }

    /// How a tier came to be asked, by the trail that led to it.
    pub fn by_trail(trail: &[Attempt], target: &Target, is_static: bool) -> Self {
        if is_static {
            return Self::Static;
        }
        let is_first = trail.first().is_none_or(|attempt| attempt.target == *target);
        let calls =
            trail.iter().filter(|attempt| attempt.target == *target && attempt.number.is_some()).count();
        match (is_first, calls) {
            (true, 0 | 1) => Self::First,
            (true, _) => Self::Retry,
            (false, _) => Self::Fallback,
        }
    }
}

/// Starts the task that feeds one stream.
pub(crate) fn start(
    engine: Arc<Engine>,
    route: Route,
    request: ChatRequest,
    options: CallOptions,
) -> mpsc::Receiver<Item> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let trip = Trip::start(engine, route, request, options, true);
    tokio::spawn(run(trip, Caller::new(sender)));
    receiver
}

/// Walks the chain until an answer is handed over, nothing is left, or nobody listens any more.
async fn run(mut trip: Trip, mut caller: Caller) {
    let mut carried: Option<Carried> = None;
    let last = loop {
        let next = tokio::select! {
            biased;
            () = caller.gone() => return trip.abort(None),
            next = trip.next() => next,
        };
        let prepared = match (next, carried.take()) {
            (Ok(prepared), still) => {
                carried = still;
                prepared
            }
            (Err(_), Some(carried)) => break Err(trip.interrupted(carried.into_failure())),
            (Err(none), None) => break tell_whole(trip.finish(none), &mut caller).await,
        };
        let mut leg = Leg::new(&trip, &prepared, carried.as_ref());
        let end = tokio::select! {
            biased;
            () = caller.gone() => return trip.abort(Some(leg.abandoned())),
            end = leg.run(&mut trip, prepared.outbound, &mut caller, carried.as_ref()) => end,
        };
        match end {
            LegEnd::Last(last) => break *last,
            LegEnd::Failed(failure) => trip.failed(*failure, leg.take_came()),
            LegEnd::Broke(failure) => match leg.carry_on(*failure, &mut trip, carried.take()) {
                Ok(go_on) => carried = Some(go_on),
                Err(gave_up) => break Err(*gave_up),
            },
        }
    };
    caller.end(last).await;
}

/// Hands over an ending that came without a stream of its own: a refusal as an answer, or the error.
async fn tell_whole(given: Result<ChatResponse, crate::gave_up::GaveUp>, caller: &mut Caller) -> Item {
    let response = given?;
    let tell = async {
        let opening = || Opening {
            target: response.target.clone(),
            upstream_calls: response.upstream_calls(),
            served: Served::of(&response),
        };
        let gone = caller.gone();
        let give = async {
            caller.open(opening).await;
            for event in told::events_of(&response.answer) {
                caller.give(event).await;
            }
        };
        tokio::select! {
            biased;
            () = gone => {}
            () = give => {}
        }
    };
    tell.await;
    Ok(StreamItem::Done(Box::new(response)))
}
