//! What holds for the whole engine under any script: ten thousand random ones, each with its own chain.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{
    Answer, Failure, HintSource, Kind, Moment, Nanodollars, Quality, RetryHint, Usage, Verdict,
};
use mainstay_cost::{Caps, Ledger, Price};
use mainstay_fallback::{ChainPlan, HealthBoard, TierPlan};
use mainstay_replay::{Call, Coming, Ended, Happening, How, Reply, World, simulate};

const SEEDS: u64 = 10_000;
const BEGIN: i64 = 1_796_000_000;

const KINDS: [Kind; 16] = [
    Kind::Connect,
    Kind::Tls,
    Kind::TimeoutFirstByte,
    Kind::TimeoutIdle,
    Kind::RateLimited,
    Kind::QuotaExhausted,
    Kind::Overloaded,
    Kind::ServerError,
    Kind::InvalidRequest,
    Kind::UnsupportedParameter,
    Kind::ContextLength,
    Kind::Auth,
    Kind::NotFound,
    Kind::StreamInterrupted,
    Kind::InvalidResponse,
    Kind::MalformedToolCall,
];

fn world(chance: &mut fastrand::Rng) -> World {
    let tiers = chance.usize(1..5);
    let last_resort = chance.bool().then_some("local/m");
    let names = ["a/m", "b/m", "c/m", "d/m"].into_iter().take(tiers);
    let plans = names.map(|name| (name, false)).chain(last_resort.map(|name| (name, true)));
    let plans: Vec<TierPlan> = plans
        .map(|(name, static_fallback)| {
            let target = mainstay_canon::Target::parse(name).unwrap();
            let mut plan = TierPlan { static_fallback, ..TierPlan::new(target) };
            plan.retry.retry_budget = chance.u32(1..4);
            plan.limits.rpm = (chance.u32(0..6) == 0).then(|| chance.u64(1..6));
            plan.limits.in_flight = (chance.u32(0..6) == 0).then(|| chance.u64(1..3));
            plan
        })
        .collect();
    let price = || Price::flat("1".parse().unwrap(), "5".parse().unwrap());
    let prices = (0..tiers).map(|_| price()).collect();
    let daily = (chance.u32(0..3) == 0).then(|| "0.05".parse().unwrap());
    World {
        plan: Arc::new(ChainPlan::new("c", plans).unwrap()),
        prices,
        board: HealthBoard::default(),
        ledger: Arc::new(Ledger::new(Caps { daily, ..Caps::default() })),
    }
}

fn comings(chance: &mut fastrand::Rng) -> Vec<Coming> {
    let spread = [1.0, 30.0, 600.0][chance.usize(0..3)];
    let mut moments: Vec<f64> = (0..chance.usize(1..16)).map(|_| chance.f64() * spread).collect();
    moments.sort_by(f64::total_cmp);
    let begin = Moment::from_secs(BEGIN);
    let coming = |after| {
        let at = begin.after(Duration::from_secs_f64(after));
        let deadline = Duration::from_secs_f64(chance.f64() * 120.0);
        let leaves = (chance.u32(0..12) == 0).then(|| at.after(Duration::from_secs_f64(chance.f64() * 20.0)));
        Coming { deadline, leaves, ..Coming::new(at, chance.u64(1..2_000), 500) }
    };
    moments.into_iter().map(coming).collect()
}

fn reply(trouble: u32, chance: &mut fastrand::Rng) -> Reply {
    let usage = Usage { prompt: 1, completion: chance.u64(0..500), ..Usage::default() };
    let takes = Duration::from_secs_f64(chance.f64() * [0.1, 8.0, 100.0][chance.usize(0..3)]);
    if chance.u32(0..100) >= trouble {
        return Reply { takes, usage, failure: None };
    }
    let failure = match chance.u32(0..3) {
        0 => {
            let quality = Quality::ALL[chance.usize(0..Quality::ALL.len())];
            Failure::bad(Verdict::of(quality, "scripted", "scripted"), Answer::default())
        }
        1 => Failure::new(KINDS[chance.usize(0..KINDS.len())], "scripted"),
        _ => {
            let after = Duration::from_secs_f64(chance.f64() * 90.0);
            let kind = [Kind::RateLimited, Kind::Overloaded, Kind::ServerError][chance.usize(0..3)];
            let hint = RetryHint { after, source: HintSource::RetryAfter, clamped: false };
            Failure::new(kind, "scripted").hint(hint)
        }
    };
    Reply { takes, usage, failure: Some(failure) }
}

/// Everything that happened to one script.
#[derive(Default)]
struct Story {
    calls: Vec<Call>,
    replies: Vec<(Call, Moment, Option<Failure>)>,
    spent: Nanodollars,
    ended: HashMap<u64, Vec<Ended>>,
    /// What happened to a request after its end.
    after_the_end: u32,
}

impl Story {
    fn hear(&mut self, happening: Happening<'_>) {
        let whose = match happening {
            Happening::Called(call) => {
                self.calls.push(*call);
                call.request
            }
            Happening::Replied { call, at, failure, cost } => {
                self.replies.push((*call, at, failure.cloned()));
                self.spent = self.spent.saturating_add(cost);
                call.request
            }
            Happening::Passed { request, .. } => request,
            Happening::Ended(ended) => {
                self.ended.entry(ended.request).or_default().push(ended.clone());
                return;
            }
        };
        self.after_the_end += u32::from(self.ended.contains_key(&whose));
    }

    fn of(&self, request: u64) -> impl Iterator<Item = &(Call, Moment, Option<Failure>)> {
        self.replies.iter().filter(move |(call, _, _)| call.request == request)
    }
}

fn is_refusal(failure: Option<&Failure>) -> bool {
    failure.is_some_and(|failure| matches!(failure.kind, Kind::Bad(Quality::Refusal)))
}

fn check(world: &World, comings: &[Coming], story: &Story) {
    // None is lost, none is answered twice, nothing happens after the end.
    assert_eq!(story.ended.len(), comings.len());
    assert!(story.ended.values().all(|ends| ends.len() == 1));
    assert_eq!(story.after_the_end, 0);
    // Every attempt is recorded, with what became of it.
    assert_eq!(story.calls.len(), story.replies.len());
    // No tier is asked before its hint has passed, by any request (5.2).
    let tiers = &world.plan.tiers;
    for (hinted, ended, failure) in &story.replies {
        let Some(hint) = failure.as_ref().and_then(|failure| failure.hint.as_ref()) else { continue };
        let until = ended.after(hint.after);
        let early = |call: &&Call| call.tier == hinted.tier && call.at > *ended && call.at < until;
        assert!(!story.calls.iter().any(|call| early(&call)), "{hinted:?} said {hint:?} at {ended:?}");
    }
    for (request, coming) in (1..).zip(comings) {
        let ended = &story.ended[&request][0];
        let deadline = coming.at.after(coming.deadline);
        let attempts: Vec<_> = story.of(request).collect();
        assert_eq!(attempts.len(), ended.calls as usize);
        // None goes on beyond its deadline (5.3a).
        assert!(ended.at <= deadline.after(Duration::from_millis(1)), "{ended:?} by {deadline:?}");
        assert!(attempts.iter().all(|(call, at, _)| call.at < deadline && *at <= deadline));
        let good: Vec<_> = attempts.iter().filter(|(_, _, failure)| failure.is_none()).collect();
        match &ended.how {
            How::Answered { tier, .. } => {
                assert_eq!(good.len(), 1);
                assert_eq!(good[0].0.tier, *tier);
                // No static answer to what another tier refused (6.4).
                let refused = attempts.iter().any(|(_, _, failure)| is_refusal(failure.as_ref()));
                assert!(!(tiers[*tier].static_fallback && refused));
            }
            How::GaveUp(_) | How::Left => assert!(good.is_empty()),
        }
        // No tier is asked more often than its budget allows, nor again after it refused (5.1).
        for (place, tier) in tiers.iter().enumerate() {
            let here: Vec<_> = attempts.iter().filter(|(call, _, _)| call.tier == place).collect();
            assert!(here.len() <= tier.retry.retry_budget as usize);
            let refusals = here.iter().rev().skip(1).filter(|(_, _, failure)| is_refusal(failure.as_ref()));
            assert_eq!(refusals.count(), 0);
        }
    }
    // What was set aside is settled, and what was spent is what the calls cost.
    for status in world.ledger.status(Moment::from_secs(BEGIN)) {
        assert_eq!(status.reserved, Nanodollars::ZERO);
        assert_eq!(status.spent, story.spent);
        assert!(status.spent <= status.limit);
    }
    for health in world.board.snapshot(Moment::from_secs(BEGIN + 10_000)) {
        assert_eq!(health.in_flight, 0);
    }
}

#[test]
fn no_script_breaks_the_engines_laws() {
    let (mut requests, mut calls, mut answered) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut chance = fastrand::Rng::with_seed(seed);
        let (world, comings) = (world(&mut chance), comings(&mut chance));
        let trouble = [10, 50, 90, 100][chance.usize(0..4)];
        let mut story = Story::default();
        let mut providers = |_: &Call, chance: &mut fastrand::Rng| reply(trouble, chance);
        simulate(&world, comings.clone(), &mut providers, &mut chance, &mut |it| story.hear(it));
        let checked =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&world, &comings, &story)));
        assert!(checked.is_ok(), "the script of seed {seed} breaks a law, see above");
        requests += comings.len();
        calls += story.calls.len();
        let ends = story.ended.values().flatten();
        answered += ends.filter(|ended| matches!(ended.how, How::Answered { .. })).count();
    }
    println!("{SEEDS} scripts, {requests} requests, {calls} calls, {answered} answered");
    assert!(calls > requests && answered > requests / 4, "scripts that try nothing show nothing");
}
