//! How tiers fare across requests (behaviour 5.2, 5.3b, 6.1, 6.3 to 6.4a).

// Simulated time is exact, so seconds may be compared.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::float_cmp)]

mod common;

use std::sync::Arc;

use common::{Script, Sim, at, bad, fails, fine, hinted, plan, script, secs, secs_of, target, too_dear};
use mainstay_canon::{Failure, Kind, Moment, Quality};
use mainstay_fallback::{
    BreakerSettings, Bucket, ChainPlan, Change, DisabledBy, End, HealthBoard, ReportedQuota, SkipReason,
    StaticSwitch, Step, TierState, Walk, WalkAsk,
};

const A: &str = "a/m";
const B: &str = "b/m";
const S: &str = "local/s";

fn ask(start: f64) -> WalkAsk {
    WalkAsk::new(at(start), secs(590.0))
}

fn within(start: f64, deadline: f64) -> WalkAsk {
    WalkAsk::new(at(start), secs(deadline))
}

fn state(sim: &Sim, name: &str, now: f64) -> TierState {
    sim.board.health_of(&target(name), None, at(now)).state
}

/// Lets one request come at each of these seconds, all with the same script.
fn every(sim: &mut Sim, plan: &ChainPlan, seconds: &[f64], script: &Script) {
    for second in seconds {
        sim.request(&second.to_string(), plan, ask(*second), script.clone());
    }
}

fn down() -> Vec<common::Reply> {
    vec![fails(Kind::ServerError); 2]
}

fn walk(board: &HealthBoard, plan: &ChainPlan, start: Moment) -> Walk {
    Walk::new(Arc::new(plan.clone()), board.clone(), WalkAsk::new(start, secs(590.0)))
}

fn tier_of(step: &Step) -> usize {
    match step {
        Step::Try(attempt) => attempt.tier,
        other => panic!("no attempt: {other:?}"),
    }
}

// 5.2, 5.3b: hints and cooldowns.

#[test]
fn no_request_calls_before_a_hint_has_passed() {
    let mut sim = Sim::default();
    sim.request("limited", &plan(&[A, B]), ask(0.0), script([(A, vec![hinted(Kind::RateLimited, 30.0)])]));
    every(&mut sim, &plan(&[A, B]), &[0.1, 10.0, 29.9, 30.1], &script([]));
    sim.run();
    for (second, by) in [("0.1", B), ("10", B), ("29.9", B), ("30.1", A)] {
        assert_eq!(sim.served(second), Some(by), "at {second} s");
    }
}

#[test]
fn a_later_hint_extends_and_never_shortens() {
    let board = HealthBoard::default();
    let chain = plan(&[A, B]);
    let mut walks: Vec<Walk> = (0..4).map(|_| walk(&board, &chain, at(0.0))).collect();
    for walk in &mut walks {
        assert_eq!(tier_of(&walk.step(at(0.0), 0.5)), 0);
    }
    let until = |board: &HealthBoard| match board.health_of(&target(A), None, at(1.0)).state {
        TierState::Cooling { until } => secs_of(until),
        other => panic!("{other:?}"),
    };
    let hints = [(10.0, 11.0), (5.0, 11.0), (40.0, 41.0)];
    for (walk, (hint, expected)) in walks.iter_mut().zip(hints) {
        let common::What::Fails(failure) = hinted(Kind::RateLimited, hint).what else { unreachable!() };
        walk.failed(failure, at(1.0), 0.5);
        assert_eq!(until(&board), expected, "after a hint of {hint} s");
    }
    // Neither a call without a hint nor one that began before and succeeds takes the hint back.
    walks[3].succeeded(at(2.0));
    assert_eq!(until(&board), 41.0);
}

#[test]
fn calls_that_fail_together_are_one_cooldown() {
    let board = HealthBoard::default();
    let chain = plan(&[A, B]);
    let mut walks: Vec<Walk> = (0..50).map(|_| walk(&board, &chain, at(0.0))).collect();
    for walk in &mut walks {
        walk.step(at(0.0), 0.5);
    }
    for walk in &mut walks {
        walk.failed(Failure::new(Kind::RateLimited, ""), at(1.0), 0.5);
    }
    let health = board.health_of(&target(A), None, at(1.0));
    assert_eq!(health.cooldowns_in_row, 1);
    assert_eq!(health.state, TierState::Cooling { until: at(61.0) });
    assert_eq!(board.take_changes().len(), 1);
}

#[test]
fn slow_calls_that_fail_one_after_another_do_not_make_the_cooldown_double() {
    let board = HealthBoard::default();
    let chain = plan(&[A, B]);
    let mut walks: Vec<Walk> = (0..6).map(|_| walk(&board, &chain, at(0.0))).collect();
    for walk in &mut walks {
        walk.step(at(0.0), 0.5);
    }
    for (walk, second) in walks.iter_mut().zip([30.0, 51.0, 72.0, 93.0]) {
        walk.failed(Failure::new(Kind::TimeoutFirstByte, ""), at(second), 0.5);
        let state = board.health_of(&target(A), None, at(second)).state;
        assert_eq!(state, TierState::Cooling { until: at(second + 20.0) });
    }
}

#[test]
fn cooldowns_without_a_success_between_them_double_up_to_ten_minutes_and_one_success_resets() {
    let mut sim = Sim::default();
    let limited = script([(A, vec![fails(Kind::RateLimited)])]);
    let chain = plan(&[A, B]);
    // Each comes a second after the cooldown before it: 60, 120, 240, 480, 600, 600 s.
    let mut when = 0.0;
    for cooldown in [60.0, 120.0, 240.0, 480.0, 600.0, 600.0] {
        sim.request(&when.to_string(), &chain, ask(when), limited.clone());
        sim.request(&format!("{when} and"), &chain, ask(when + cooldown - 0.5), script([]));
        when += cooldown + 1.0;
    }
    sim.request("well", &chain, ask(when), script([]));
    sim.request("again", &chain, ask(when + 1.0), limited.clone());
    sim.run();
    let served: Vec<&str> =
        sim.calls.iter().filter(|call| call.target == A).map(|call| &*call.request).collect();
    assert_eq!(served, ["0", "61", "182", "423", "904", "1505", "well", "again"]);
    assert_eq!(state(&sim, A, when + 1.1), TierState::Cooling { until: at(when + 61.01) });
}

#[test]
fn the_next_request_starts_at_the_first_tier_again() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&[A, B]), ask(0.0), script([(A, vec![bad(Quality::Refusal)])]));
    sim.request("1", &plan(&[A, B]), ask(1.0), script([]));
    sim.run();
    assert_eq!((sim.served("0"), sim.served("1")), (Some(B), Some(A)));
}

#[test]
fn a_tier_that_is_passed_over_has_one_row_that_says_why() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&[A, B]), ask(0.0), script([(A, vec![hinted(Kind::RateLimited, 30.0)])]));
    sim.request("1", &plan(&[A, B]), ask(10.0), script([(B, vec![bad(Quality::Empty)])]));
    sim.run();
    let skips = &sim.finished["1"].skips;
    assert_eq!(skips.len(), 1);
    assert_eq!((skips[0].target.clone(), skips[0].reason), (target(A), SkipReason::Cooling));
    assert_eq!(skips[0].why, "for another 20.0 s: rate_limited: scripted");
    assert!(sim.finished["0"].skips.is_empty(), "a tier that was asked has its row already");
}

#[test]
fn a_model_that_cools_does_not_block_its_neighbours() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&["a/one", B]), ask(0.0), script([("a/one", vec![fails(Kind::RateLimited)])]));
    sim.request("1", &plan(&["a/two", B]), ask(1.0), script([]));
    sim.run();
    assert_eq!(sim.served("1"), Some("a/two"));
}

#[test]
fn all_chains_that_name_a_target_share_its_health() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&[A, B]), ask(0.0), script([(A, vec![fails(Kind::RateLimited)])]));
    let other = ChainPlan { name: "other".into(), ..plan(&["c/m", A]) };
    sim.request("1", &other, ask(1.0), script([("c/m", vec![fails(Kind::RateLimited)])]));
    sim.run();
    assert_eq!(sim.finished["1"].skips[0].reason, SkipReason::Cooling);
    assert_eq!(sim.calls.last().unwrap().request, "1");
    assert!(secs_of(sim.finished["1"].at) >= 60.0, "it waited for the soonest of both");
}

// 6.3: breaker and probes.

fn open_breaker(sim: &mut Sim, chain: &ChainPlan) {
    // Every other request finds the tier cooling; the doubling stops at the breaker.
    let mut fast = chain.clone();
    for tier in &mut fast.tiers {
        tier.retry.retry_budget = 5;
        tier.retry.backoff = secs(0.0);
    }
    sim.request("breaks", &fast, ask(0.0), script([(A, vec![fails(Kind::ServerError); 5])]));
}

#[test]
fn five_faults_in_a_row_open_the_breaker_and_half_a_minute_later_one_probe_is_let_through() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.request("while open", &chain, ask(10.0), script([]));
    sim.request("probe", &chain, ask(40.0), script([(A, vec![fine().takes(5.0)])]));
    sim.request("beside", &chain, ask(42.0), script([]));
    sim.request("after", &chain, ask(46.0), script([]));
    sim.run();
    assert_eq!(sim.count("breaks", A), 5);
    assert_eq!(sim.served("while open"), Some(B));
    let probe = sim.calls.iter().find(|call| call.request == "probe").unwrap();
    assert!(probe.attempt.probe && probe.target == A);
    assert_eq!(sim.served("beside"), Some(B));
    assert_eq!(sim.finished["beside"].skips[0].reason, SkipReason::HalfOpen);
    assert_eq!(sim.served("after"), Some(A));
    assert!(!sim.calls.last().unwrap().attempt.probe);
    let changes: Vec<Change> = sim.board.take_changes().into_iter().map(|change| change.change).collect();
    assert!(
        matches!(changes[..], [Change::Opened { .. }, Change::Cooling { .. }, Change::Recovered]),
        "{changes:?}"
    );
}

#[test]
fn a_tier_may_have_a_breaker_of_its_own() {
    let mut chain = plan(&[A, B]);
    let settings = BreakerSettings { threshold: 2, open: secs(120.0), ..chain.breaker };
    chain.tiers[0].breaker = Some(settings);
    for tier in &mut chain.tiers {
        tier.retry.cooldown = secs(0.0);
    }
    let mut sim = Sim::default();
    every(&mut sim, &chain, &[0.0], &script([(A, down()), (B, down())]));
    sim.run();
    let open = |name: &str| matches!(state(&sim, name, 60.0), TierState::Open { .. });
    assert_eq!((open(A), open(B)), (true, false));
}

#[test]
fn a_probe_that_fails_opens_the_breaker_again() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.request("probe", &chain, ask(40.0), script([(A, vec![fails(Kind::ServerError)])]));
    sim.run();
    assert_eq!(sim.count("probe", A), 1, "budget or not, an open breaker lets nobody through");
    assert_eq!(sim.served("probe"), Some(B));
    assert!(matches!(sim.board.health_of(&target(A), None, at(69.0)).state, TierState::Cooling { .. }));
}

#[test]
fn a_probe_that_is_dropped_or_hangs_gives_its_place_back() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.run();
    let board = sim.board;
    let mut first = walk(&board, &chain, at(100.0));
    let mut second = walk(&board, &chain, at(100.0));
    assert_eq!(tier_of(&first.step(at(100.0), 0.5)), 0);
    assert_eq!(tier_of(&second.step(at(100.0), 0.5)), 1);
    drop(first);
    let mut third = walk(&board, &chain, at(101.0));
    assert_eq!(tier_of(&third.step(at(101.0), 0.5)), 0);
    third.aborted(at(102.0));
    let mut hangs = walk(&board, &chain, at(103.0));
    assert_eq!(tier_of(&hangs.step(at(103.0), 0.5)), 0);
    let mut early = walk(&board, &chain, at(132.0));
    assert_eq!(tier_of(&early.step(at(132.0), 0.5)), 1);
    let mut late = walk(&board, &chain, at(133.0));
    assert_eq!(tier_of(&late.step(at(133.0), 0.5)), 0);
    // The one that hung may still come through, and then all is well.
    hangs.succeeded(at(134.0));
    assert_eq!(board.health_of(&target(A), None, at(134.0)).state, TierState::Available);
}

#[test]
fn a_probe_that_meets_the_callers_own_error_proves_nothing() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.request("wrong", &chain, ask(100.0), script([(A, vec![fails(Kind::InvalidRequest)])]));
    sim.run();
    assert_eq!(state(&sim, A, 101.0), TierState::HalfOpen { probing: false });
}

#[test]
fn a_probe_that_is_refused_proves_that_its_tier_is_up() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.request("refused", &chain, ask(100.0), script([(A, vec![bad(Quality::Refusal)])]));
    sim.run();
    assert_eq!(state(&sim, A, 101.0), TierState::Available);
}

#[test]
fn a_long_answer_that_has_begun_lets_the_others_in() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.run();
    let mut long = walk(&sim.board, &chain, at(100.0));
    long.step(at(100.0), 0.5);
    assert_eq!(state(&sim, A, 101.0), TierState::HalfOpen { probing: true });
    long.answering(at(101.0));
    assert_eq!(state(&sim, A, 101.0), TierState::Available);
}

#[test]
fn half_of_many_calls_failing_opens_the_breaker_without_a_row() {
    let board = HealthBoard::default();
    let mut chain = plan(&[A, B]);
    chain.tiers[0].retry.retry_budget = 9;
    for call in 0..10 {
        // The retry mends it, so it never cools.
        let now = at(f64::from(call) * 3.0);
        let mut walk = walk(&board, &chain, now);
        assert_eq!(tier_of(&walk.step(now, 0.5)), 0, "call {call}");
        walk.failed(Failure::new(Kind::Overloaded, ""), now, 0.5);
        if call < 9 {
            let later = now.after(secs(1.5));
            assert_eq!(tier_of(&walk.step(later, 0.5)), 0, "call {call}");
            walk.succeeded(later);
        }
    }
    assert_eq!(board.health_of(&target(A), None, at(28.0)).state.word(), "available", "nineteen calls");
    let mut last = walk(&board, &chain, at(28.0));
    last.step(at(28.0), 0.5);
    last.failed(Failure::new(Kind::Overloaded, ""), at(28.0), 0.5);
    assert!(matches!(board.take_changes()[0].change, Change::Opened { .. }));
}

#[test]
fn rate_limits_and_callers_errors_never_open_a_breaker() {
    for kind in [Kind::RateLimited, Kind::InvalidRequest, Kind::ContextLength, Kind::RequestDeclined] {
        let board = HealthBoard::default();
        let chain = plan(&[A, B]);
        let mut walks: Vec<Walk> = (0..30).map(|_| walk(&board, &chain, at(0.0))).collect();
        for walk in &mut walks {
            walk.step(at(0.0), 0.5);
        }
        for walk in &mut walks {
            walk.failed(Failure::new(kind, ""), at(0.0), 0.5);
        }
        assert!(
            !board.take_changes().iter().any(|change| matches!(change.change, Change::Opened { .. })),
            "{kind}"
        );
    }
}

#[test]
fn the_quality_breaker_opens_only_where_it_is_wanted_and_nearly_all_answers_are_bad() {
    for wanted in [false, true] {
        let mut sim = Sim::default();
        let chain = ChainPlan { quality_breaker: wanted, ..plan(&[A, B]) };
        let empty = script([(A, vec![bad(Quality::Empty); 2])]);
        let seconds: Vec<f64> = (0..12).map(f64::from).collect();
        every(&mut sim, &chain, &seconds, &empty);
        sim.run();
        let opened =
            sim.board.take_changes().iter().any(|change| matches!(change.change, Change::Opened { .. }));
        assert_eq!(opened, wanted);
    }
}

// 5.5, 6.3: bills, keys, operators.

#[test]
fn an_empty_purse_disables_for_ten_minutes_and_alerts() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&[A, B]), ask(0.0), script([(A, vec![fails(Kind::QuotaExhausted)])]));
    every(&mut sim, &plan(&[A, B]), &[1.0, 599.0, 601.0], &script([]));
    sim.run();
    assert_eq!((sim.served("1"), sim.served("599"), sim.served("601")), (Some(B), Some(B), Some(A)));
    let changes = sim.board.take_changes();
    assert!(changes[0].alert && matches!(changes[0].change, Change::Disabled { by: DisabledBy::Quota, .. }));
}

#[test]
fn a_hint_on_an_empty_purse_makes_the_pause_longer() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&[A, B]), ask(0.0), script([(A, vec![hinted(Kind::QuotaExhausted, 3600.0)])]));
    every(&mut sim, &plan(&[A, B]), &[700.0, 3590.0, 3601.0], &script([]));
    sim.run();
    assert_eq!((sim.served("700"), sim.served("3590"), sim.served("3601")), (Some(B), Some(B), Some(A)));
}

#[test]
fn a_wrong_key_disables_until_a_probe_succeeds_and_one_request_probes_every_five_minutes() {
    for kind in [Kind::Auth, Kind::Permission, Kind::NotFound] {
        let mut sim = Sim::default();
        let chain = plan(&[A, B]);
        sim.request("0", &chain, ask(0.0), script([(A, vec![fails(kind)])]));
        every(&mut sim, &chain, &[1.0, 299.0], &script([]));
        sim.request("probe", &chain, ask(301.0), script([(A, vec![fails(kind)])]));
        every(&mut sim, &chain, &[302.0, 600.0], &script([]));
        sim.request("mended", &chain, ask(602.0), script([]));
        every(&mut sim, &chain, &[603.0], &script([]));
        sim.run();
        let asked: Vec<&str> =
            sim.calls.iter().filter(|call| call.target == A).map(|call| &*call.request).collect();
        assert_eq!(asked, ["0", "probe", "mended", "603"], "{kind}");
        let told: Vec<(Change, bool)> =
            sim.board.take_changes().into_iter().map(|change| (change.change, change.alert)).collect();
        let disabled = Change::Disabled { until: None, by: DisabledBy::Credential };
        assert_eq!(told, [(disabled, true), (Change::Recovered, false)], "{kind}");
    }
}

#[test]
fn a_caller_who_leaves_during_the_key_probe_lets_another_make_it() {
    let board = HealthBoard::default();
    let chain = plan(&[A, B]);
    let mut first = walk(&board, &chain, at(0.0));
    first.step(at(0.0), 0.5);
    first.failed(Failure::new(Kind::Auth, ""), at(0.0), 0.5);
    let mut probe = walk(&board, &chain, at(301.0));
    assert_eq!(tier_of(&probe.step(at(301.0), 0.5)), 0);
    drop(probe);
    assert_eq!(tier_of(&walk(&board, &chain, at(302.0)).step(at(302.0), 0.5)), 0);
}

#[test]
fn a_reload_or_an_operator_ends_what_a_wrong_key_began() {
    let wrong = || {
        let mut sim = Sim::default();
        sim.request("0", &plan(&[A, B]), ask(0.0), script([(A, vec![fails(Kind::Auth)])]));
        sim.run();
        sim
    };
    let sim = wrong();
    sim.board.reloaded(at(1.0));
    assert_eq!(state(&sim, A, 1.0), TierState::Available);
    let sim = wrong();
    assert!(sim.board.enable(&target(A), at(1.0)));
    assert_eq!(state(&sim, A, 1.0), TierState::Available);
}

#[test]
fn an_operator_keeps_a_target_out_and_lets_it_in_again() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    sim.board.disable(&target(A), Some(secs(30.0)), "maintenance", at(0.0));
    every(&mut sim, &chain, &[1.0, 31.0], &script([]));
    sim.run();
    assert_eq!((sim.served("1"), sim.served("31")), (Some(B), Some(A)));
    let skip = &sim.finished["1"].skips[0];
    assert_eq!((skip.reason, skip.why.as_str()), (SkipReason::Disabled, "for another 29.0 s: maintenance"));

    sim.board.disable(&target(A), None, "maintenance", at(40.0));
    let TierState::Disabled { until: None, by: DisabledBy::Operator } = state(&sim, A, 1000.0) else {
        panic!("still out")
    };
    assert!(sim.board.enable(&target(A), at(1001.0)));
    assert!(!sim.board.enable(&target(A), at(1002.0)), "nothing was closed");
    assert_eq!(state(&sim, A, 1003.0), TierState::Available);
}

#[test]
fn an_operator_ends_everything_but_the_providers_own_wish() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    open_breaker(&mut sim, &chain);
    sim.run();
    sim.board.enable(&target(A), at(5.0));
    assert_eq!(state(&sim, A, 5.0), TierState::Available);

    sim.request("hinted", &chain, ask(10.0), script([(A, vec![hinted(Kind::RateLimited, 30.0)])]));
    sim.run();
    sim.board.enable(&target(A), at(11.0));
    assert!(matches!(state(&sim, A, 39.0), TierState::Cooling { .. }));
    assert_eq!(state(&sim, A, 41.0), TierState::Available);
}

// 6.3a: limits.

#[test]
fn what_does_not_fit_a_tiers_limits_goes_to_the_next_without_a_call() {
    let mut chain = plan(&[A, B]);
    chain.tiers[0].limits.in_flight = Some(1);
    let mut sim = Sim::default();
    sim.request("long", &chain, ask(0.0), script([(A, vec![fine().takes(10.0)])]));
    every(&mut sim, &chain, &[5.0, 11.0], &script([]));
    sim.run();
    assert_eq!((sim.served("5"), sim.served("11")), (Some(B), Some(A)));
    assert_eq!(sim.finished["5"].skips[0].reason, SkipReason::Full);

    let mut chain = plan(&["c/m", B]);
    chain.tiers[0].limits.rpm = Some(2);
    let mut sim = Sim::default();
    every(&mut sim, &chain, &[0.0, 1.0, 2.0, 62.0], &script([]));
    sim.run();
    let served: Vec<_> = ["0", "1", "2", "62"].map(|name| sim.served(name).unwrap()).into();
    assert_eq!(served, ["c/m", "c/m", B, "c/m"]);
}

#[test]
fn a_tier_that_is_only_full_is_awaited_and_counts_as_a_rate_limit() {
    let mut chain = plan(&[A]);
    chain.tiers[0].limits.rpm = Some(1);
    let mut sim = Sim::default();
    sim.request("first", &chain, ask(0.0), script([]));
    sim.request("patient", &chain, ask(1.0), script([]));
    sim.request("hurried", &chain, within(2.0, 5.0), script([]));
    sim.run();
    assert!(secs_of(sim.finished["patient"].at) >= 61.0);
    let Some(End::AllFailed { retry_after: Some(wait), only_rate_limits: true, .. }) =
        sim.finished["hurried"].end
    else {
        panic!("{:?}", sim.finished["hurried"])
    };
    assert_eq!(wait, secs(59.0));
}

#[test]
fn a_prompt_that_can_never_fit_is_not_awaited() {
    let mut chain = plan(&[A]);
    chain.tiers[0].limits.tpm = Some(100);
    let mut sim = Sim::default();
    sim.request("r", &chain, WalkAsk { prompt_tokens: 101, ..ask(0.0) }, script([]));
    sim.run();
    assert_eq!(secs_of(sim.finished["r"].at), 0.0);
    assert!(matches!(sim.finished["r"].end, Some(End::AllFailed { retry_after: None, .. })));
}

#[test]
fn what_a_provider_reports_as_used_up_is_not_asked_for() {
    let mut sim = Sim::default();
    let report = ReportedQuota { requests: Some(Bucket { left: 0, resets: at(20.0) }), tokens: None };
    sim.board.report_quota(&target(A), None, report, at(0.0));
    every(&mut sim, &plan(&[A, B]), &[1.0, 21.0], &script([]));
    sim.run();
    assert_eq!((sim.served("1"), sim.served("21")), (Some(B), Some(A)));
    assert_eq!(sim.finished["1"].skips[0].reason, SkipReason::Full);
}

// 6.3b: the way back.

#[test]
fn a_busy_tier_gets_its_traffic_back_in_steps() {
    let board = HealthBoard::default();
    let chain = plan(&[A, B]);
    let mut limited = walk(&board, &chain, at(0.0));
    limited.step(at(0.0), 0.5);
    let common::What::Fails(failure) = hinted(Kind::RateLimited, 10.0).what else { unreachable!() };
    limited.failed(failure, at(0.0), 0.5);
    // Twenty a second; chance goes evenly through all hundredths. Answers take 0.2 s.
    let mut flying: Vec<(Moment, Walk)> = Vec::new();
    let mut first = Vec::new();
    for tick in 0..1000_i32 {
        let now = at(f64::from(tick) * 0.05);
        flying.retain_mut(|(lands, walk)| {
            let landed = *lands <= now;
            if landed {
                walk.succeeded(*lands);
            }
            !landed
        });
        let mut walk = walk(&board, &chain, now);
        if tier_of(&walk.step(now, f64::from(tick * 37 % 100) / 100.0)) == 0 {
            first.push(secs_of(now));
        }
        flying.push((now.after(secs(0.2)), walk));
    }
    let between = |from: f64, to: f64| first.iter().filter(|then| (from..to).contains(*then)).count();
    assert_eq!(between(0.0, 10.0), 0);
    assert_eq!(between(10.0, 10.2), 1, "one probe");
    assert!((16..=24).contains(&between(10.3, 20.2)), "a tenth of 200: {}", between(10.3, 20.2));
    assert!((50..=70).contains(&between(20.3, 30.2)), "three tenths of 200: {}", between(20.3, 30.2));
    assert_eq!(between(31.0, 49.0), 360, "all of it");
}

#[test]
fn a_quiet_tier_is_simply_back() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    sim.request("0", &chain, ask(0.0), script([(A, vec![hinted(Kind::RateLimited, 10.0)])]));
    every(&mut sim, &chain, &[10.1, 10.2, 10.3], &script([(A, vec![fine().takes(3.0)])]));
    sim.run();
    for name in ["10.1", "10.2", "10.3"] {
        assert_eq!(sim.served(name), Some(A));
    }
}

// 6.4, 6.4a: the static tier.

#[test]
fn the_static_tier_answers_only_when_every_other_is_unavailable() {
    let mut sim = Sim::default();
    let chain = plan(&["local/s!", A, B]);
    sim.request("well", &chain, ask(0.0), script([]));
    sim.request("one down", &chain, ask(1.0), script([(A, vec![fails(Kind::RateLimited)])]));
    sim.request("both down", &chain, ask(2.0), script([(B, down())]));
    sim.request("found so", &chain, ask(10.0), script([]));
    sim.run();
    let served: Vec<_> =
        ["well", "one down", "both down", "found so"].map(|name| sim.served(name).unwrap()).into();
    assert_eq!(served, [A, B, S, S]);
    assert_eq!(sim.finished["found so"].at, at(10.01), "at once");
}

#[test]
fn the_static_tier_never_answers_what_others_refused_or_answered_badly() {
    let no = |quality| vec![bad(quality); 2];
    for quality in [Quality::Refusal, Quality::Filtered, Quality::Empty, Quality::SchemaMismatch] {
        let mut sim = Sim::default();
        sim.request("r", &plan(&[A, B, "local/s!"]), ask(0.0), script([(A, no(quality)), (B, down())]));
        sim.run();
        assert_eq!(sim.count("r", S), 0, "{quality}");
        let held = sim.finished["r"].skips.iter().any(|skip| skip.reason == SkipReason::StaticHeldBack);
        assert!(held || quality == Quality::Refusal || quality == Quality::Filtered, "{quality}");
    }
}

#[test]
fn the_operators_switch_puts_the_static_tier_first_or_takes_it_away() {
    let mut sim = Sim::default();
    let chain = plan(&[A, "local/s!"]);
    sim.board.set_static(StaticSwitch::On);
    sim.request("on", &chain, ask(0.0), script([]));
    sim.request("on but broken", &chain, ask(1.0), script([(S, down())]));
    sim.run();
    assert_eq!((sim.served("on"), sim.served("on but broken")), (Some(S), Some(A)));

    sim.board.set_static(StaticSwitch::Off);
    sim.request("off", &chain, within(100.0, 5.0), script([(A, down())]));
    sim.run();
    assert_eq!(sim.count("off", S), 0);
    assert_eq!(sim.finished["off"].skips[0].reason, SkipReason::StaticHeldBack);
    assert_eq!(sim.board.static_switch(), StaticSwitch::Off);
}

#[test]
fn without_a_static_tier_the_soonest_is_awaited_if_it_is_in_time() {
    let limited = |after| vec![hinted(Kind::RateLimited, after)];
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    sim.request("0", &chain, within(0.0, 3.0), script([(A, limited(60.0)), (B, limited(20.0))]));
    sim.request("patient", &chain, within(1.0, 100.0), script([]));
    sim.request("hurried", &chain, within(1.0, 10.0), script([]));
    sim.run();
    assert_eq!(sim.served("patient"), Some(B));
    assert!((20.0..21.0).contains(&secs_of(sim.finished["patient"].at)));
    assert_eq!(sim.finished["hurried"].at, at(1.0));
    let Some(End::AllFailed { retry_after: Some(wait), only_rate_limits: true, .. }) =
        sim.finished["hurried"].end
    else {
        panic!("{:?}", sim.finished["hurried"])
    };
    assert!((wait.as_secs_f64() - 19.02).abs() < 0.001);
}

#[test]
fn a_disabled_chain_fails_at_once_and_names_no_moment() {
    let mut sim = Sim::default();
    sim.request("0", &plan(&[A]), ask(0.0), script([(A, vec![fails(Kind::Auth)])]));
    sim.request("1", &plan(&[A]), ask(1.0), script([]));
    sim.run();
    for name in ["0", "1"] {
        let Some(End::AllFailed {
            retry_after: None, only_rate_limits: false, about_availability: true, ..
        }) = sim.finished[name].end
        else {
            panic!("{:?}", sim.finished[name])
        };
    }
    assert_eq!(sim.finished["1"].at, at(1.0));
}

#[test]
fn a_refusal_at_hand_is_not_sat_on_while_another_tier_cools() {
    let mut sim = Sim::default();
    let chain = plan(&[A, B]);
    sim.request(
        "0",
        &chain,
        ask(0.0),
        script([(A, vec![bad(Quality::Refusal)]), (B, vec![hinted(Kind::RateLimited, 60.0)])]),
    );
    sim.request("1", &chain, ask(1.0), script([(A, vec![bad(Quality::Refusal)])]));
    sim.run();
    for name in ["0", "1"] {
        assert!(matches!(sim.finished[name].end, Some(End::Refusal(_))));
        assert!(secs_of(sim.finished[name].at) < 2.0);
    }
}

#[test]
fn a_static_tier_may_answer_beyond_a_cap_only_where_it_is_told_to() {
    for allowed in [false, true] {
        let mut sim = Sim::default();
        let chain = ChainPlan { static_at_cap: allowed, ..plan(&[A, "local/s!"]) };
        sim.request("r", &chain, ask(0.0), script([(A, vec![too_dear()])]));
        sim.run();
        assert_eq!(sim.served("r"), allowed.then_some(S));
        assert!(allowed || matches!(sim.finished["r"].end, Some(End::BudgetExceeded(_))));
    }
    // Where the others are down, too, the free tier is the cheaper one that fits (8.2a).
    let mut sim = Sim::default();
    let chain = plan(&[A, B, "local/s!"]);
    sim.request("r", &chain, ask(0.0), script([(A, vec![too_dear()]), (B, down())]));
    sim.run();
    assert_eq!(sim.served("r"), Some(S));
}

#[test]
fn a_static_tier_that_is_down_itself_leaves_the_soonest_to_be_awaited() {
    let mut sim = Sim::default();
    let chain = plan(&[A, "local/s!"]);
    let broken = script([(A, vec![hinted(Kind::RateLimited, 30.0)]), (S, vec![fails(Kind::Connect); 2])]);
    sim.request("r", &chain, ask(0.0), broken);
    sim.run();
    assert_eq!(sim.asked("r"), [A, S, S, A]);
}
