//! What holds for every chain, every script and every chance.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::HashMap;

use common::{
    Reply, Sim, What, at, bad, bad_with, fails, fine, hangs, hinted, plan, secs, too_dear, unwritable,
};
use mainstay_canon::{Answer, FinishReason, Kind, Quality};
use mainstay_fallback::{ChainPlan, Continue, Limits, StaticSwitch, WalkAsk};
use proptest::prelude::*;

const KINDS: [Kind; 25] = [
    Kind::Connect,
    Kind::Tls,
    Kind::TimeoutFirstByte,
    Kind::TimeoutIdle,
    Kind::TimeoutTotal,
    Kind::RateLimited,
    Kind::QuotaExhausted,
    Kind::Overloaded,
    Kind::ServerError,
    Kind::InvalidRequest,
    Kind::UnsupportedParameter,
    Kind::ContextLength,
    Kind::TooLarge,
    Kind::Auth,
    Kind::Permission,
    Kind::NotFound,
    Kind::RequestDeclined,
    Kind::ContentFiltered,
    Kind::ContentProhibited,
    Kind::StreamInterrupted,
    Kind::InvalidResponse,
    Kind::UnknownFinishReason,
    Kind::MalformedToolCall,
    Kind::UnpricedModel,
    Kind::Cancelled,
];

fn reply() -> impl Strategy<Value = Reply> {
    let cut = || Answer { finish_reason: FinishReason::Length, ..Answer::default() };
    let kind = prop::sample::select(KINDS.to_vec());
    let quality = prop::sample::select(Quality::ALL.to_vec());
    let hintable = prop::sample::select(vec![
        Kind::RateLimited,
        Kind::Overloaded,
        Kind::ServerError,
        Kind::QuotaExhausted,
        Kind::Auth,
    ]);
    let what = prop_oneof![
        2 => Just(fine()),
        4 => kind.prop_map(fails),
        3 => quality.clone().prop_map(bad),
        1 => quality.prop_map(move |quality| bad_with(quality, cut())),
        3 => (hintable, 0.0_f64..120.0).prop_map(|(kind, after)| hinted(kind, after)),
        1 => Just(hangs()),
        1 => Just(too_dear()),
        1 => Just(unwritable(Kind::UnsupportedParameter)),
    ];
    (what, 0.0_f64..8.0, prop::bool::weighted(0.1)).prop_map(|(reply, takes, released)| {
        let reply = Reply { released: released && matches!(reply.what, What::Fails(_)), ..reply };
        reply.takes(takes)
    })
}

fn chain() -> impl Strategy<Value = ChainPlan> {
    let names = prop::sample::select(vec![
        vec!["a/m"],
        vec!["a/m", "b/m"],
        vec!["a/m", "a/n", "b/m", "c/m"],
        vec!["local/s!", "a/m", "b/m"],
        vec!["a/m", "local/s!"],
    ]);
    let tier = (1_u32..4, 1.0_f64..90.0, prop::option::of(1_u64..4), prop::option::of(1_u64..3));
    (names, prop::collection::vec(tier, 4), 1_u32..6, any::<(bool, bool, bool)>()).prop_map(
        |(names, tiers, threshold, (refusal, filter, quality))| {
            let mut chain = plan(&names);
            for (tier, (budget, cooldown, rpm, in_flight)) in chain.tiers.iter_mut().zip(tiers) {
                tier.retry.retry_budget = budget;
                tier.retry.cooldown = secs(cooldown);
                tier.limits = Limits { rpm, tpm: None, in_flight };
            }
            chain.breaker.threshold = threshold;
            chain.fallback_on_refusal = refusal;
            chain.fallback_on_filter = filter;
            chain.quality_breaker = quality;
            chain
        },
    )
}

#[derive(Clone, Debug)]
struct Coming {
    at: f64,
    deadline: f64,
    grows: bool,
    leaves: Option<f64>,
    then: Continue,
    replies: Vec<(usize, Reply)>,
}

fn coming() -> impl Strategy<Value = Coming> {
    let then = prop::sample::select(vec![Continue::No, Continue::SameTarget, Continue::AnyTier]);
    (
        0.0_f64..200.0,
        0.0_f64..120.0,
        any::<bool>(),
        prop::option::weighted(0.1, 0.0_f64..20.0),
        then,
        prop::collection::vec((0_usize..5, reply()), 0..14),
    )
        .prop_map(|(at, deadline, grows, leaves, then, replies)| Coming {
            at,
            deadline,
            grows,
            leaves,
            then,
            replies,
        })
}

fn play(chain: &ChainPlan, comings: &[Coming], seed: u64, switch: StaticSwitch) -> Sim {
    let mut seed = seed;
    let mut sim = Sim::with_chance(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[allow(clippy::cast_precision_loss)]
        let chance = (seed >> 40) as f64 / (1_u64 << 24) as f64;
        chance
    });
    sim.board.set_static(switch);
    for (number, coming) in comings.iter().enumerate() {
        let mut script: common::Script = HashMap::new();
        for (tier, reply) in &coming.replies {
            let name = chain.tiers[tier % chain.tiers.len()].target.to_string();
            script.entry(name).or_default().push_back(reply.clone());
        }
        let ask = WalkAsk {
            can_grow_max_tokens: coming.grows,
            ..WalkAsk::new(at(coming.at), secs(coming.deadline))
        };
        let leaves = coming.leaves.map(|after| at(coming.at + after));
        sim.request_that(&number.to_string(), chain, ask, script, leaves, coming.then);
    }
    sim.run();
    sim
}

/// When each target must be left alone, by what its upstream said: from the call's end to the hint's.
fn closed(sim: &Sim) -> Vec<(String, f64, f64)> {
    let failed = sim.calls.iter().filter_map(|call| call.failed.as_ref().map(|failed| (call, failed)));
    failed
        .filter_map(|(call, (ended, failure))| {
            let ended = common::secs_of(*ended);
            failure.hint.map(|hint| (call.target.clone(), ended, ended + hint.after.as_secs_f64()))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_walk_keeps_the_laws(
        chain in chain(),
        comings in prop::collection::vec(coming(), 1..25),
        seed in any::<u64>(),
        switch in prop::sample::select(vec![StaticSwitch::On, StaticSwitch::Off, StaticSwitch::Auto]),
    ) {
        let sim = play(&chain, &comings, seed, switch);
        prop_assert_eq!(sim.finished.len(), comings.len(), "every walk ends");

        // No call to a target from a hint's coming to its end, from any request.
        for (target, from, until) in closed(&sim) {
            for call in sim.calls.iter().filter(|call| call.target == target) {
                let now = common::secs_of(call.at);
                prop_assert!(now < from + 1e-5 || now > until - 1e-5, "{} at {} in {}..{}", target, now, from, until);
            }
        }

        for (number, coming) in comings.iter().enumerate() {
            let name = number.to_string();
            let finished = &sim.finished[&name];
            let calls: Vec<_> = sim.calls.iter().filter(|call| call.request == name).collect();

            // Numbers count calls; no budget is passed; no call outlives the deadline or begins after it.
            let deadline = at(coming.at).after(secs(coming.deadline));
            let mut by_tier: HashMap<usize, u32> = HashMap::new();
            for (place, call) in calls.iter().enumerate() {
                prop_assert_eq!(call.attempt.number as usize, place + 1);
                let count = by_tier.entry(call.attempt.tier).or_default();
                *count += 1;
                prop_assert_eq!(call.attempt.tier_attempt, *count);
                prop_assert!(*count <= chain.tiers[call.attempt.tier].retry.retry_budget);
                prop_assert!(call.at.after(call.attempt.time_left) <= deadline);
            }
            prop_assert!(finished.at <= deadline.after(secs(0.001)) || calls.is_empty());

            // What refused is not asked again; nobody is asked once two providers have refused.
            let mut refusers = Vec::new();
            for (place, call) in calls.iter().enumerate() {
                let refused = |failed: &(_, mainstay_canon::Failure)| failed.1.kind == Kind::Bad(Quality::Refusal);
                if !call.failed.as_ref().is_some_and(refused) {
                    continue;
                }
                let later = &calls[place + 1..];
                prop_assert!(!later.iter().any(|other| other.target == call.target));
                let provider = call.target.split('/').next();
                if !refusers.contains(&provider) {
                    refusers.push(provider);
                }
                prop_assert!(later.is_empty() || (refusers.len() < 2 && chain.fallback_on_refusal));
            }

            // The static tier answers nothing that another tier has answered before.
            if switch == StaticSwitch::Auto {
                let answered_badly = |failure: &mainstay_canon::Failure| {
                    matches!(failure.kind, Kind::Bad(Quality::Refusal | Quality::Filtered))
                        && failure.target != Some(common::target("local/s"))
                };
                if finished.served_by.as_deref() == Some("local/s") {
                    prop_assert!(!finished.failures.iter().any(answered_badly));
                }
            }
            if switch == StaticSwitch::Off {
                prop_assert_ne!(finished.served_by.as_deref(), Some("local/s"));
            }
        }

        // Whatever happened, nothing is under way any more.
        for health in sim.board.snapshot(at(10_000.0)) {
            prop_assert_eq!(health.in_flight, 0);
        }
    }

    #[test]
    fn what_is_written_down_is_read_back_as_it_was(
        chain in chain(),
        comings in prop::collection::vec(coming(), 1..15),
        seed in any::<u64>(),
        later in 0.0_f64..300.0,
    ) {
        let sim = play(&chain, &comings, seed, StaticSwitch::Auto);
        let now = at(later);
        let records = sim.board.records(now);
        let revived = mainstay_fallback::HealthBoard::default();
        revived.restore(records.clone(), now);
        prop_assert_eq!(revived.records(now), records);
    }
}
