//! What a failure leads to within one request (behaviour 4.1, 5.1 to 5.5, 6.5, 6.5a).

// Simulated time is exact, so seconds may be compared.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::float_cmp)]

mod common;

use common::{
    Finished, Sim, at, bad, bad_with, fails, fine, hangs, hinted, one, one_within, plan, script, secs,
    secs_of, target, too_dear, unwritable,
};
use mainstay_canon::{Answer, FinishReason, Kind, Quality};
use mainstay_fallback::{ChainPlan, Continue, End, SkipReason, TierState, WalkAsk};

const A: &str = "a/m";
const B: &str = "b/m";
const C: &str = "c/m";

fn state(sim: &Sim, name: &str, now: f64) -> TierState {
    sim.board.health_of(&target(name), None, at(now)).state
}

fn skipped(finished: &Finished) -> Vec<(usize, SkipReason)> {
    finished.skips.iter().map(|skip| (skip.tier, skip.reason)).collect()
}

fn with_budget(names: &[&str], budget: u32) -> ChainPlan {
    let mut plan = plan(names);
    for tier in &mut plan.tiers {
        tier.retry.retry_budget = budget;
    }
    plan
}

#[test]
fn refusals_are_never_retried_on_the_same_tier() {
    let (sim, finished) = one(&with_budget(&[A, B], 5), script([(A, vec![bad(Quality::Refusal)])]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert_eq!(finished.served_by.as_deref(), Some(B));
    assert_eq!(state(&sim, A, 1.0), TierState::Available);
}

#[test]
fn a_useless_answer_is_asked_again_within_a_quarter_second_and_then_passed_on() {
    let (sim, _) = one(&plan(&[A, B]), script([(A, vec![bad(Quality::Empty), bad(Quality::Empty)])]));
    assert_eq!(sim.asked("r"), [A, A, B]);
    let waited = sim.calls[1].attempt.waited;
    assert_eq!(waited, secs(0.125));
    assert_eq!(sim.calls[2].attempt.waited, secs(0.0));
    let numbers: Vec<(u32, u32)> =
        sim.calls.iter().map(|call| (call.attempt.number, call.attempt.tier_attempt)).collect();
    assert_eq!(numbers, [(1, 1), (2, 2), (3, 1)]);
}

#[test]
fn no_useless_answer_cools_or_breaks() {
    for quality in Quality::ALL {
        let answers = vec![bad(quality), bad(quality)];
        let mut sim = Sim::default();
        for round in 0..10 {
            let ask = WalkAsk::new(at(f64::from(round)), secs(590.0));
            sim.request(&round.to_string(), &plan(&[A, B]), ask, script([(A, answers.clone())]));
        }
        sim.run();
        assert_eq!(state(&sim, A, 20.0), TierState::Available, "{quality}");
        assert!(sim.board.take_changes().is_empty(), "{quality}");
    }
}

#[test]
fn a_server_error_is_retried_with_backoff_and_cools_its_tier_when_left() {
    let (sim, finished) =
        one(&plan(&[A, B]), script([(A, vec![fails(Kind::ServerError), fails(Kind::ServerError)])]));
    assert_eq!(sim.asked("r"), [A, A, B]);
    assert_eq!(sim.calls[1].attempt.waited, secs(1.5));
    let TierState::Cooling { until } = state(&sim, A, secs_of(finished.at)) else { panic!("not cooling") };
    assert_eq!(secs_of(until).round(), 22.0, "left after two seconds, for a third of a minute");
}

#[test]
fn a_server_error_that_the_retry_mends_leaves_no_cooldown() {
    let (sim, finished) = one(&plan(&[A, B]), script([(A, vec![fails(Kind::ServerError)])]));
    assert_eq!(finished.served_by.as_deref(), Some(A));
    assert_eq!(state(&sim, A, 3.0), TierState::Available);
}

#[test]
fn a_timeout_goes_to_the_next_tier_at_once_and_cools_with_budget_to_spare() {
    for kind in [Kind::TimeoutFirstByte, Kind::TimeoutIdle, Kind::TimeoutTotal] {
        let (sim, _) = one(&with_budget(&[A, B], 5), script([(A, vec![fails(kind)])]));
        assert_eq!(sim.asked("r"), [A, B], "{kind}");
        assert!(matches!(state(&sim, A, 1.0), TierState::Cooling { .. }), "{kind}");
    }
}

#[test]
fn a_rate_limit_goes_to_the_next_tier_at_once_and_cools_for_a_minute() {
    let (sim, _) = one(&with_budget(&[A, B], 5), script([(A, vec![fails(Kind::RateLimited)])]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert!(matches!(state(&sim, A, 59.9), TierState::Cooling { .. }));
    assert_eq!(state(&sim, A, 60.1), TierState::Available);
}

#[test]
fn a_rate_limited_tier_is_asked_again_when_no_other_is_available() {
    let (sim, finished) = one(
        &plan(&[A, B]),
        script([
            (A, vec![hinted(Kind::RateLimited, 5.0)]),
            (B, vec![fails(Kind::Connect), fails(Kind::Connect)]),
        ]),
    );
    assert_eq!(sim.asked("r"), [A, B, B, A]);
    assert_eq!(finished.served_by.as_deref(), Some(A));
    assert!(secs_of(sim.calls[3].at) >= 5.01);
}

#[test]
fn a_rate_limited_tier_is_not_asked_beyond_its_budget() {
    let (sim, finished) = one(
        &plan(&[A]),
        script([(A, vec![hinted(Kind::RateLimited, 5.0), hinted(Kind::RateLimited, 7.0), fine()])]),
    );
    assert_eq!(sim.count("r", A), 2);
    let Some(End::AllFailed { retry_after, only_rate_limits, about_availability, timed_out }) = finished.end
    else {
        panic!("{finished:?}")
    };
    assert_eq!(retry_after, Some(secs(7.0)));
    assert!(only_rate_limits && about_availability && !timed_out);
}

#[test]
fn a_hinted_wait_of_a_second_is_not_sat_out_while_a_tier_below_is_ready() {
    let (sim, _) = one(&with_budget(&[A, B], 5), script([(A, vec![hinted(Kind::Overloaded, 1.0)])]));
    assert_eq!(sim.asked("r"), [A, B]);
    let (sim, _) = one(&with_budget(&[A, B], 5), script([(A, vec![hinted(Kind::Overloaded, 0.9)])]));
    assert_eq!(sim.asked("r"), [A, A]);
    assert_eq!(sim.calls[1].attempt.waited, secs(1.15));
}

#[test]
fn a_hinted_wait_is_sat_out_when_nobody_else_could_answer() {
    let (sim, finished) = one(&plan(&[A]), script([(A, vec![hinted(Kind::Overloaded, 30.0)])]));
    assert_eq!(finished.served_by.as_deref(), Some(A));
    assert_eq!(sim.calls[1].attempt.waited, secs(30.25));
}

#[test]
fn a_wait_past_the_deadline_is_not_begun() {
    let (sim, finished) = one_within(&plan(&[A]), 3.0, script([(A, vec![hinted(Kind::RateLimited, 40.0)])]));
    assert_eq!(sim.count("r", A), 1);
    assert!(secs_of(finished.at) < 0.1, "it fails at once");
    let Some(End::AllFailed { retry_after: Some(wait), timed_out: false, .. }) = finished.end else {
        panic!("{finished:?}")
    };
    assert_eq!(wait, secs(40.0));
    // A backoff that does not fit cools the tier like any leaving.
    let (sim, finished) = one_within(&plan(&[A, B]), 1.0, script([(A, vec![fails(Kind::ServerError)])]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert!(matches!(state(&sim, A, 0.5), TierState::Cooling { .. }));
    assert_eq!(finished.served_by.as_deref(), Some(B));
}

#[test]
fn what_is_wrong_with_the_request_comes_back_at_once() {
    let (sim, finished) = one(&plan(&[A, B]), script([(A, vec![fails(Kind::InvalidRequest)])]));
    assert_eq!(sim.asked("r"), [A]);
    assert!(matches!(finished.end, Some(End::CallerError(failure)) if failure.kind == Kind::InvalidRequest));
    assert_eq!(state(&sim, A, 1.0), TierState::Available);
}

#[test]
fn a_prompt_that_is_too_long_goes_only_to_larger_windows() {
    let mut plan = plan(&[A, B, C, "d/m"]);
    plan.tiers[0].context_window = Some(8_000);
    plan.tiers[1].context_window = Some(8_000);
    plan.tiers[2].context_window = Some(200_000);
    let long = || vec![fails(Kind::ContextLength)];
    let (sim, finished) = one(&plan, script([(A, long()), (C, long()), ("d/m", long())]));
    assert_eq!(sim.asked("r"), [A, C, "d/m"], "an unknown window may be larger");
    assert_eq!(skipped(&finished), [(1, SkipReason::WindowTooSmall)]);
    assert!(matches!(finished.end, Some(End::CallerError(failure)) if failure.kind == Kind::ContextLength));
}

#[test]
fn what_one_model_does_not_take_another_may() {
    let (sim, finished) = one(&plan(&[A, B]), script([(A, vec![unwritable(Kind::UnsupportedParameter)])]));
    assert_eq!(sim.asked("r"), [B]);
    assert_eq!(sim.calls[0].attempt.number, 1, "what was not sent is not counted");
    assert_eq!(skipped(&finished), [(0, SkipReason::Unsupported)]);
    let nobody = || vec![unwritable(Kind::UnsupportedParameter)];
    let (sim, finished) = one(&plan(&[A, B]), script([(A, nobody()), (B, nobody())]));
    assert!(sim.calls.is_empty());
    assert!(matches!(finished.end, Some(End::CallerError(_))));
}

#[test]
fn an_unknown_finish_word_is_passed_on_and_touches_no_health() {
    let (sim, _) = one(&with_budget(&[A, B], 5), script([(A, vec![fails(Kind::UnknownFinishReason)])]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert_eq!(state(&sim, A, 1.0), TierState::Available);
}

#[test]
fn an_answer_cut_before_it_began_goes_back_once_with_more_room_if_allowed() {
    let cut = || {
        bad_with(Quality::TruncatedEmpty, Answer { finish_reason: FinishReason::Length, ..Answer::default() })
    };
    let script = || script([(A, vec![cut(), cut(), cut()])]);
    let plan = with_budget(&[A, B], 5);
    let (sim, _) = one(&plan, script());
    assert_eq!(sim.asked("r"), [A, B], "not without leave");

    let mut sim = Sim::default();
    sim.request(
        "r",
        &plan,
        WalkAsk { can_grow_max_tokens: true, ..WalkAsk::new(at(0.0), secs(590.0)) },
        script(),
    );
    sim.run();
    assert_eq!(sim.asked("r"), [A, A, B]);
    let grown: Vec<bool> = sim.calls.iter().map(|call| call.attempt.grow_max_tokens).collect();
    assert_eq!(grown, [false, true, false]);
}

#[test]
fn a_filtered_answer_goes_on_only_if_allowed_and_a_prohibited_prompt_never() {
    let (sim, _) = one(&plan(&[A, B]), script([(A, vec![bad(Quality::Filtered)])]));
    assert_eq!(sim.asked("r"), [A, B]);

    let strict = ChainPlan { fallback_on_filter: false, ..plan(&[A, B]) };
    let (sim, finished) = one(&strict, script([(A, vec![fails(Kind::ContentFiltered)])]));
    assert_eq!(sim.asked("r"), [A]);
    assert!(matches!(finished.end, Some(End::Filtered(_))));

    let prohibited = bad_with(Quality::Filtered, Answer { prompt_prohibited: true, ..Answer::default() });
    for reply in [prohibited, fails(Kind::ContentProhibited)] {
        let (sim, finished) = one(&plan(&[A, B]), script([(A, vec![reply])]));
        assert_eq!(sim.asked("r"), [A]);
        assert!(matches!(finished.end, Some(End::Filtered(_))));
    }
}

#[test]
fn a_refusal_goes_on_only_if_allowed() {
    let strict = ChainPlan { fallback_on_refusal: false, ..plan(&[A, B]) };
    let (sim, finished) = one(&strict, script([(A, vec![bad(Quality::Refusal)])]));
    assert_eq!(sim.asked("r"), [A]);
    assert!(matches!(finished.end, Some(End::Refusal(_))));
}

#[test]
fn when_two_different_providers_refuse_the_refusal_is_the_answer() {
    let no = || vec![bad(Quality::Refusal)];
    let (sim, finished) = one(&plan(&[A, B, C]), script([(A, no()), (B, no())]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert!(matches!(&finished.end, Some(End::Refusal(failure)) if failure.target == Some(target(B))));

    let (sim, _) =
        one(&plan(&["a/one", "a/two", B, C]), script([("a/one", no()), ("a/two", no()), (B, no())]));
    assert_eq!(sim.asked("r"), ["a/one", "a/two", B], "two models of one provider are one voice");
}

#[test]
fn mixed_endings_return_a_refusal_else_a_last_filter_else_the_failure() {
    let twice = |reply: common::Reply| vec![reply.clone(), reply];
    let end = |first: Vec<common::Reply>, second: Vec<common::Reply>| {
        one_within(&plan(&[A, B]), 20.0, script([(A, first), (B, second)])).1.end.unwrap()
    };
    let refusal = || vec![bad(Quality::Refusal)];
    let filtered = || vec![bad(Quality::Filtered)];
    assert!(matches!(end(refusal(), twice(fails(Kind::ServerError))), End::Refusal(_)));
    assert!(matches!(end(refusal(), filtered()), End::Refusal(_)));
    assert!(matches!(end(refusal(), vec![fails(Kind::InvalidRequest)]), End::Refusal(_)));
    assert!(matches!(end(filtered(), twice(fails(Kind::ServerError))), End::Filtered(_)));
    assert!(matches!(
        end(filtered(), twice(bad(Quality::Empty))),
        End::AllFailed { about_availability: false, retry_after: None, .. }
    ));
    assert!(matches!(
        end(twice(bad(Quality::Empty)), twice(fails(Kind::ServerError))),
        End::AllFailed { about_availability: true, only_rate_limits: false, .. }
    ));
}

#[test]
fn only_rate_limits_means_every_tier() {
    let end = |first, second| {
        one_within(&plan(&[A, B]), 3.0, script([(A, vec![first]), (B, vec![second])])).1.end.unwrap()
    };
    let limited = |after| hinted(Kind::RateLimited, after);
    let End::AllFailed { retry_after, only_rate_limits: true, .. } = end(limited(40.0), limited(20.0)) else {
        panic!("both are limited")
    };
    assert_eq!(retry_after, Some(secs(20.0)), "the soonest of both");
    for other in [Kind::QuotaExhausted, Kind::TimeoutIdle, Kind::Auth] {
        let ended = end(limited(40.0), fails(other));
        assert!(
            matches!(ended, End::AllFailed { only_rate_limits: false, about_availability: true, .. }),
            "{other}"
        );
    }
}

#[test]
fn a_request_whose_time_is_up_says_so() {
    let (sim, finished) = one_within(&plan(&[A, B]), 30.0, script([(A, vec![hangs()]), (B, vec![hangs()])]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert_eq!(secs_of(finished.at), 30.0);
    assert!(matches!(finished.end, Some(End::AllFailed { timed_out: true, about_availability: true, .. })));
}

#[test]
fn an_attempt_leaves_time_for_the_tiers_below() {
    let (sim, _) = one_within(&plan(&[A, B, C]), 100.0, script([(A, vec![hangs()]), (B, vec![hangs()])]));
    let shares: Vec<_> = sim.calls.iter().map(|call| call.attempt.time_left).collect();
    assert_eq!(shares, [secs(60.0), secs(20.0), secs(20.0)]);
    // Too little for twenty seconds each: equal shares. The static tier counts, too.
    let (sim, _) =
        one_within(&plan(&[A, B, "local/s!"]), 30.0, script([(A, vec![hangs()]), (B, vec![hangs()])]));
    let shares: Vec<_> = sim.calls.iter().map(|call| call.attempt.time_left).collect();
    assert_eq!(shares, [secs(10.0), secs(10.0), secs(10.0)]);
}

#[test]
fn a_tier_that_cannot_be_asked_gets_no_time_kept() {
    let mut sim = Sim::default();
    let ask = |start| WalkAsk::new(at(start), secs(100.0));
    sim.request("first", &plan(&[B, C]), ask(0.0), script([(B, vec![fails(Kind::RateLimited)])]));
    sim.request("second", &plan(&[A, B]), ask(1.0), script([]));
    sim.run();
    assert_eq!(sim.calls.last().unwrap().attempt.time_left, secs(100.0));
}

#[test]
fn an_impatient_caller_does_not_cool_a_tier_for_others() {
    let mut sim = Sim::default();
    for round in 0..20 {
        let ask = WalkAsk::new(at(f64::from(round)), secs(0.5));
        sim.request(&round.to_string(), &plan(&[A]), ask, script([(A, vec![hangs()])]));
    }
    sim.run();
    assert_eq!(state(&sim, A, 25.0), TierState::Available);
}

#[test]
fn a_tier_that_does_not_fit_the_budget_is_passed_over_for_one_that_does() {
    let (sim, finished) = one(&plan(&[A, B]), script([(A, vec![too_dear()])]));
    assert_eq!(sim.asked("r"), [B]);
    assert_eq!((sim.calls[0].attempt.number, sim.calls[0].attempt.tier_attempt), (1, 1));
    assert_eq!(skipped(&finished), [(0, SkipReason::OverBudget)]);
}

#[test]
fn when_no_tier_fits_the_budget_no_call_was_made_and_the_cap_is_named() {
    let (sim, finished) = one(&plan(&[A, B]), script([(A, vec![too_dear()]), (B, vec![too_dear()])]));
    assert!(sim.calls.is_empty());
    assert!(
        matches!(finished.end, Some(End::BudgetExceeded(failure)) if failure.kind == Kind::BudgetExceeded)
    );
    // With a tier that failed for its own sake the budget is not the reason.
    let (_, finished) = one_within(
        &plan(&[A, B]),
        9.0,
        script([(A, vec![fails(Kind::Connect), fails(Kind::Connect)]), (B, vec![too_dear()])]),
    );
    assert!(matches!(finished.end, Some(End::AllFailed { about_availability: true, .. })));
}

#[test]
fn a_call_that_was_not_made_does_not_take_up_a_limit() {
    let mut plan = plan(&[A, B]);
    plan.tiers[0].limits.rpm = Some(1);
    let mut sim = Sim::default();
    let ask = |start| WalkAsk::new(at(start), secs(100.0));
    sim.request("first", &plan, ask(0.0), script([(A, vec![too_dear()])]));
    sim.request("second", &plan, ask(1.0), script([]));
    sim.run();
    assert_eq!(sim.served("second"), Some(A));
    assert_eq!(sim.board.health_of(&target(A), None, at(2.0)).in_flight, 0);
}

#[test]
fn one_tier_alone_is_asked_alone() {
    let mut sim = Sim::default();
    let only = |start, only| WalkAsk { only: Some(only), ..WalkAsk::new(at(start), secs(590.0)) };
    let down = || vec![fails(Kind::ServerError), fails(Kind::ServerError)];
    sim.request("down", &plan(&[A, B]), only(0.0, 1), script([(B, down())]));
    sim.request(
        "limited",
        &plan(&[C, A]),
        only(100.0, 0),
        script([(C, vec![hinted(Kind::RateLimited, 3.0)])]),
    );
    sim.request("static", &plan(&[A, "local/s!"]), only(200.0, 1), script([]));
    sim.request("nobody", &plan(&[A, B]), only(300.0, 9), script([]));
    sim.run();
    assert_eq!(sim.asked("down"), [B, B]);
    assert_eq!(sim.asked("limited"), [C, C]);
    assert_eq!(sim.served("static"), Some("local/s"));
    assert!(matches!(sim.finished["nobody"].end, Some(End::AllFailed { .. })));
}

#[test]
fn an_order_of_ones_own_is_kept() {
    let mut sim = Sim::default();
    let order =
        |order: &[usize]| WalkAsk { order: Some(order.to_vec()), ..WalkAsk::new(at(0.0), secs(590.0)) };
    let no = || vec![fails(Kind::RateLimited)];
    sim.request("r", &plan(&[A, B, C]), order(&[2, 0, 2, 7, 1]), script([(C, no()), (A, no())]));
    sim.request("named", &plan(&["x/m", "local/s!"]), order(&[1, 0]), script([]));
    sim.run();
    assert_eq!(sim.asked("r"), [C, A, B]);
    assert_eq!(sim.served("named"), Some("local/s"), "a static tier that was asked for by name");
    sim.request("empty", &plan(&["y/m", "z/m"]), order(&[]), script([]));
    sim.run();
    assert_eq!(sim.served("empty"), Some("y/m"));
}

#[test]
fn another_key_of_the_same_model_helps_against_its_limits_but_not_against_its_answers() {
    let mut keyed = plan(&[A, "tmp/m", B]);
    keyed.tiers[1].target = target(A);
    keyed.tiers[0].key_name = Some("one".into());
    keyed.tiers[1].key_name = Some("two".into());
    let keyed = ChainPlan::new("keyed", keyed.tiers).unwrap();
    for kind in [Kind::RateLimited, Kind::QuotaExhausted, Kind::Auth] {
        let (sim, finished) = one(&keyed, script([(A, vec![fails(kind)])]));
        assert_eq!(sim.asked("r"), [A, A], "{kind}");
        assert_eq!(sim.calls[1].attempt.tier, 1);
        assert_eq!(finished.served_by.as_deref(), Some(A));
    }
    let (sim, finished) = one(&keyed, script([(A, vec![bad(Quality::Refusal)])]));
    assert_eq!(sim.asked("r"), [A, B]);
    assert_eq!(skipped(&finished), [(1, SkipReason::SameModel)]);
}

#[test]
fn an_answer_that_broke_off_after_release_goes_on_where_it_is_allowed_to() {
    let broken = || vec![fails(Kind::StreamInterrupted).after_release()];
    let stalled = || vec![fails(Kind::TimeoutIdle).after_release()];
    for reply in [broken, stalled] {
        let asked = |then| {
            let mut sim = Sim::default();
            let ask = WalkAsk::new(at(0.0), secs(590.0));
            sim.request_that("r", &plan(&[A, B]), ask, script([(A, reply())]), None, then);
            sim.run();
            (sim.asked("r").join(" "), sim.finished["r"].clone())
        };
        assert_eq!(asked(Continue::No).0, A);
        assert!(matches!(asked(Continue::No).1.end, Some(End::AllFailed { .. })));
        assert_eq!(asked(Continue::SameTarget).0, format!("{A} {A}"));
        assert_eq!(asked(Continue::AnyTier).0, format!("{A} {A}"), "the same one first");
    }
}

#[test]
fn a_tier_whose_answer_broke_off_for_good_is_left_and_cools() {
    let mut sim = Sim::default();
    let ask = WalkAsk::new(at(0.0), secs(590.0));
    let broken = script([(A, vec![fails(Kind::StreamInterrupted).after_release()])]);
    sim.request_that("r", &plan(&[A, B]), ask, broken, None, Continue::No);
    sim.run();
    assert!(matches!(state(&sim, A, 1.0), TierState::Cooling { .. }));
}

#[test]
fn an_answer_is_continued_elsewhere_only_where_any_tier_may() {
    let broken = || {
        let reply = fails(Kind::StreamInterrupted).after_release();
        vec![reply.clone(), reply]
    };
    for (then, asked) in [(Continue::SameTarget, vec![A, A]), (Continue::AnyTier, vec![A, A, B])] {
        let mut sim = Sim::default();
        let ask = WalkAsk::new(at(0.0), secs(590.0));
        sim.request_that("r", &plan(&[A, B]), ask, script([(A, broken())]), None, then);
        sim.run();
        assert_eq!(sim.asked("r"), asked, "{then:?}");
    }
}

#[test]
fn a_caller_who_leaves_is_asked_about_no_further_tier() {
    let mut sim = Sim::default();
    let ask = WalkAsk::new(at(0.0), secs(590.0));
    sim.request_that("r", &plan(&[A, B]), ask, script([(A, vec![hangs()])]), Some(at(1.0)), Continue::No);
    sim.run();
    assert_eq!(sim.asked("r"), [A]);
    let health = sim.board.health_of(&target(A), None, at(2.0));
    assert_eq!((health.state, health.in_flight), (TierState::Available, 0));
}
