//! One request of a simulation: the steps that the client takes over a network, on values.

use std::time::Duration;

use mainstay_canon::{Failure, Kind, Moment, Nanodollars, Usage};
use mainstay_cost::{Reservation, Spender};
use mainstay_fallback::{Step, Try, Walk, WalkAsk};

use super::World;
use super::said::{Call, Coming, Ended, Happening, How, Providers, Reply};

pub(super) struct Request {
    number: u64,
    came: Moment,
    prompt_tokens: u64,
    output_limit: u64,
    leaves: Option<Moment>,
    walk: Walk,
    spender: Spender,
    out: Option<Out>,
    /// When there is something to do next.
    due: Moment,
    cost: Nanodollars,
    calls: u32,
}

/// A call that is under way.
struct Out {
    call: Call,
    reply: Reply,
    reservation: Reservation,
}

impl Request {
    pub(super) fn new(number: u64, world: &World, coming: &Coming) -> Self {
        let ask = WalkAsk { prompt_tokens: coming.prompt_tokens, ..WalkAsk::new(coming.at, coming.deadline) };
        Self {
            number,
            came: coming.at,
            prompt_tokens: coming.prompt_tokens,
            output_limit: coming.output_limit,
            leaves: coming.leaves,
            walk: Walk::new(world.plan.clone(), world.board.clone(), ask),
            spender: Spender { request_id: number.to_string(), ..Spender::default() },
            out: None,
            due: coming.at,
            cost: Nanodollars::ZERO,
            calls: 0,
        }
    }

    /// Does what is due; says when to come back, or nothing when the request has ended.
    pub(super) fn turn(
        &mut self,
        world: &World,
        providers: &mut impl Providers,
        chance: &mut fastrand::Rng,
        now: Moment,
        seen: &mut impl FnMut(Happening<'_>),
    ) -> Option<Moment> {
        let how = if self.leaves.is_some_and(|leaves| leaves <= now) {
            self.hang_up(world, now, seen);
            Some(How::Left)
        } else {
            let answered = self.arrive(world, chance, now, seen);
            answered.or_else(|| self.go_on(world, providers, chance, now, seen))
        };
        self.tell_skips(seen);
        let Some(how) = how else {
            return Some(self.leaves.map_or(self.due, |leaves| leaves.min(self.due)));
        };
        world.ledger.close_request(&self.spender);
        let ended =
            Ended { request: self.number, came: self.came, at: now, calls: self.calls, cost: self.cost, how };
        seen(Happening::Ended(&ended));
        None
    }

    /// The reply of the call that is under way is there.
    fn arrive(
        &mut self,
        world: &World,
        chance: &mut fastrand::Rng,
        now: Moment,
        seen: &mut impl FnMut(Happening<'_>),
    ) -> Option<How> {
        let Out { call, reply, reservation } = self.out.take()?;
        self.pay(world, &call, &reply, reservation, now, seen);
        let Some(failure) = reply.failure else {
            self.walk.succeeded(now);
            return Some(How::Answered { tier: call.tier, tier_attempt: call.tier_attempt });
        };
        self.walk.failed(failure, now, chance.f64());
        None
    }

    fn pay(
        &mut self,
        world: &World,
        call: &Call,
        reply: &Reply,
        reservation: Reservation,
        now: Moment,
        seen: &mut impl FnMut(Happening<'_>),
    ) {
        let price = world.prices.get(call.tier);
        let cost = price.map_or(Nanodollars::ZERO, |price| price.charge(&reply.usage));
        world.ledger.settle(reservation, cost, now);
        self.walk.used_tokens(reply.usage.prompt.saturating_add(reply.usage.completion));
        self.cost = self.cost.saturating_add(cost);
        seen(Happening::Replied { call, at: now, failure: reply.failure.as_ref(), cost });
    }

    /// The caller is gone: what is under way is dropped, and charged as the provider may do.
    fn hang_up(&mut self, world: &World, now: Moment, seen: &mut impl FnMut(Happening<'_>)) {
        if let Some(Out { call, reply, reservation }) = self.out.take() {
            let failure = Some(Failure::new(Kind::Cancelled, "the caller went away"));
            self.pay(world, &call, &Reply { failure, ..reply }, reservation, now, seen);
        }
        self.walk.aborted(now);
    }

    /// Takes steps until a call is under way, a wait begins or the request has ended.
    fn go_on(
        &mut self,
        world: &World,
        providers: &mut impl Providers,
        chance: &mut fastrand::Rng,
        now: Moment,
        seen: &mut impl FnMut(Happening<'_>),
    ) -> Option<How> {
        loop {
            match self.walk.step(now, chance.f64()) {
                Step::End(end) => return Some(How::GaveUp(end)),
                Step::Wait(wait) => {
                    self.due = now.after(wait);
                    return None;
                }
                Step::Try(attempt) => match self.set_aside(world, attempt.tier, now) {
                    Ok(reservation) => {
                        self.depart(&attempt, reservation, providers, chance, now, seen);
                        return None;
                    }
                    Err(failure) => self.walk.over_budget(failure, now),
                },
            }
        }
    }

    fn set_aside(&self, world: &World, tier: usize, now: Moment) -> Result<Reservation, Failure> {
        let price = world.prices.get(tier);
        let worst =
            price.map_or(Nanodollars::ZERO, |price| price.worst(self.prompt_tokens, self.output_limit));
        let reserved = world.ledger.reserve(&self.spender, worst, now);
        reserved.map_err(|abort| Failure::new(Kind::BudgetExceeded, abort.to_string()))
    }

    fn depart(
        &mut self,
        attempt: &Try,
        reservation: Reservation,
        providers: &mut impl Providers,
        chance: &mut fastrand::Rng,
        now: Moment,
        seen: &mut impl FnMut(Happening<'_>),
    ) {
        let call = Call {
            request: self.number,
            tier: attempt.tier,
            number: attempt.number,
            tier_attempt: attempt.tier_attempt,
            at: now,
            time_left: attempt.time_left,
        };
        self.calls += 1;
        seen(Happening::Called(&call));
        let reply = within(attempt.time_left, providers.reply(&call, chance));
        self.due = now.after(reply.takes);
        self.out = Some(Out { call, reply, reservation });
    }

    fn tell_skips(&mut self, seen: &mut impl FnMut(Happening<'_>)) {
        for skip in self.walk.take_skips() {
            seen(Happening::Passed { request: self.number, skip: &skip });
        }
    }
}

/// A reply that takes longer than it may is cut off there and charges nothing.
fn within(time: Duration, reply: Reply) -> Reply {
    if reply.takes <= time {
        return reply;
    }
    let failure = Some(Failure::new(Kind::TimeoutTotal, "no reply in time"));
    Reply { takes: time, usage: Usage::default(), failure }
}
