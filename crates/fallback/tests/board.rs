//! What a board keeps, tells and forgets (behaviour 6.3).

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{at, hinted, plan, secs, target};
use mainstay_canon::{Failure, Kind, Moment};
use mainstay_fallback::{
    BoardOptions, Change, HealthBoard, HealthRecord, StaticSwitch, Step, TierState, Walk, WalkAsk,
};

const A: &str = "a/m";

/// One call to the only tier of a chain, which fails like this.
fn fail(board: &HealthBoard, name: &str, failure: Failure, now: Moment) {
    let ask = WalkAsk::new(now, secs(1.0));
    let mut walk = Walk::new(Arc::new(plan(&[name])), board.clone(), ask);
    let Step::Try(_) = walk.step(now, 0.5) else { panic!("{name} is not available") };
    walk.failed(failure, now, 0.5);
}

fn limited(after: f64) -> Failure {
    let common::What::Fails(failure) = hinted(Kind::RateLimited, after).what else { unreachable!() };
    failure
}

fn state(board: &HealthBoard, name: &str, now: f64) -> TierState {
    board.health_of(&target(name), None, at(now)).state
}

/// As a store would keep them.
fn through_json(records: &[HealthRecord]) -> Vec<HealthRecord> {
    serde_json::from_str(&serde_json::to_string(records).unwrap()).unwrap()
}

#[test]
fn cooldowns_breakers_and_the_operators_hand_survive_a_restart_and_wrong_keys_do_not() {
    let board = HealthBoard::default();
    fail(&board, "limited/m", limited(100.0), at(0.0));
    fail(&board, "broke/m", Failure::new(Kind::QuotaExhausted, ""), at(0.0));
    fail(&board, "locked/m", Failure::new(Kind::Auth, ""), at(0.0));
    let faulty = plan(&["faulty/m"]);
    let mut walks: Vec<Walk> = (0..5)
        .map(|_| Walk::new(Arc::new(faulty.clone()), board.clone(), WalkAsk::new(at(0.0), secs(1.0))))
        .collect();
    for walk in &mut walks {
        assert!(matches!(walk.step(at(0.0), 0.5), Step::Try(_)));
    }
    for walk in &mut walks {
        walk.failed(Failure::new(Kind::ServerError, ""), at(0.0), 0.5);
    }
    board.disable(&target("out/m"), None, "maintenance", at(0.0));

    let revived = HealthBoard::default();
    revived.restore(through_json(&board.records(at(5.0))), at(10.0));
    for name in ["limited/m", "broke/m", "faulty/m", "out/m"] {
        assert_eq!(state(&revived, name, 10.0), state(&board, name, 10.0), "{name}");
        assert!(!state(&revived, name, 10.0).is_available(), "{name}");
    }
    assert_eq!(state(&revived, "faulty/m", 25.0), TierState::Open { until: at(30.0) });
    assert_eq!(state(&revived, "locked/m", 10.0), TierState::Available);
    assert_eq!(state(&revived, "limited/m", 100.0), TierState::Available);
}

#[test]
fn what_is_over_is_neither_kept_nor_taken_over() {
    let board = HealthBoard::default();
    fail(&board, A, limited(10.0), at(0.0));
    let old = board.records(at(1.0));
    assert_eq!(old.len(), 1);
    assert!(board.records(at(10.0)).is_empty());
    let revived = HealthBoard::default();
    revived.restore(old, at(11.0));
    assert!(revived.snapshot(at(11.0)).is_empty());
}

#[test]
fn what_another_instance_knows_makes_a_cooldown_longer_and_never_shorter() {
    let (ours, theirs) = (HealthBoard::default(), HealthBoard::default());
    fail(&ours, A, limited(50.0), at(0.0));
    fail(&theirs, A, limited(20.0), at(0.0));
    ours.restore(theirs.records(at(1.0)), at(1.0));
    assert_eq!(state(&ours, A, 1.0), TierState::Cooling { until: at(50.0) });
    theirs.restore(ours.records(at(1.0)), at(1.0));
    assert_eq!(state(&theirs, A, 1.0), TierState::Cooling { until: at(50.0) });
}

#[test]
fn old_news_from_elsewhere_does_not_undo_a_recovery() {
    let (ours, theirs) = (HealthBoard::default(), HealthBoard::default());
    fail(&theirs, A, Failure::new(Kind::RateLimited, ""), at(0.0));
    let old = theirs.records(at(1.0));
    ours.restore(old.clone(), at(1.0));
    assert!(ours.enable(&target(A), at(2.0)));
    ours.restore(old, at(3.0));
    assert_eq!(state(&ours, A, 3.0), TierState::Available);
}

#[test]
fn a_date_from_a_clock_gone_wild_keeps_nobody_out_for_more_than_a_day() {
    let board = HealthBoard::default();
    fail(&board, A, limited(10.0), at(0.0));
    let mut records = board.records(at(1.0));
    records[0].cooling.as_mut().unwrap().until = Moment::from_micros(i64::MAX);
    let revived = HealthBoard::default();
    revived.restore(records, at(1.0));
    assert_eq!(state(&revived, A, 2.0), TierState::Cooling { until: at(86_401.0) });
}

#[test]
fn the_newest_hand_of_an_operator_counts_on_every_instance() {
    let (ours, theirs) = (HealthBoard::default(), HealthBoard::default());
    ours.disable(&target(A), None, "broken", at(0.0));
    theirs.restore(ours.records(at(1.0)), at(1.0));
    assert!(!state(&theirs, A, 1.0).is_available());
    theirs.enable(&target(A), at(5.0));
    ours.restore(theirs.records(at(6.0)), at(6.0));
    assert!(state(&ours, A, 6.0).is_available());
    // An older word does not win.
    let board = HealthBoard::default();
    board.disable(&target(A), None, "again", at(9.0));
    board.restore(theirs.records(at(10.0)), at(10.0));
    assert!(!state(&board, A, 10.0).is_available());
}

#[test]
fn a_snapshot_lists_what_was_heard_of_by_name() {
    let board = HealthBoard::default();
    fail(&board, "z/m", limited(10.0), at(0.0));
    fail(&board, "b/m", Failure::new(Kind::RequestDeclined, ""), at(0.0));
    board.disable(&target("a/m"), None, "maintenance", at(0.0));
    let seen: Vec<(String, &str, String)> = board
        .snapshot(at(1.0))
        .into_iter()
        .map(|health| (health.target.to_string(), health.state.word(), health.why))
        .collect();
    let expected = [
        ("a/m", "disabled", "maintenance"),
        ("b/m", "available", ""),
        ("z/m", "cooling", "rate_limited: scripted"),
    ];
    assert_eq!(seen, expected.map(|(name, word, why)| (name.to_owned(), word, why.to_owned())));
}

#[test]
fn changes_are_told_once_and_the_oldest_are_lost_when_nobody_listens() {
    let board = HealthBoard::new(BoardOptions { max_changes: 3, ..BoardOptions::default() });
    for number in 0..5 {
        fail(&board, &format!("p{number}/m"), limited(10.0), at(0.0));
    }
    let told: Vec<String> =
        board.take_changes().into_iter().map(|change| change.target.provider.to_string()).collect();
    assert_eq!(told, ["p2", "p3", "p4"]);
    assert_eq!(board.lost_changes(), 2);
    assert!(board.take_changes().is_empty());
}

#[test]
fn a_change_says_what_why_and_whether_to_alert() {
    let board = HealthBoard::default();
    fail(&board, A, Failure::new(Kind::NotFound, "no such model").status(404), at(0.0));
    let change = board.take_changes().remove(0);
    assert!(matches!(change.change, Change::Disabled { until: None, .. }));
    assert_eq!((change.kind, change.alert), (Some(Kind::NotFound), true));
    assert_eq!(change.why, "not_found (HTTP 404): no such model");
}

#[test]
fn the_generation_rises_with_what_is_worth_keeping() {
    let board = HealthBoard::default();
    let before = board.generation();
    fail(&board, A, Failure::new(Kind::RequestDeclined, ""), at(0.0));
    assert_eq!(board.generation(), before);
    fail(&board, A, limited(10.0), at(1.0));
    let cooled = board.generation();
    assert!(cooled > before);
    board.set_static(StaticSwitch::Auto);
    assert_eq!(board.generation(), cooled, "it was auto");
    board.set_static(StaticSwitch::Off);
    assert!(board.generation() > cooled);
}

#[test]
fn a_board_stays_bounded_and_forgets_the_healthy_first() {
    let board = HealthBoard::new(BoardOptions { max_targets: 10, ..BoardOptions::default() });
    fail(&board, "limited/m", limited(100.0), at(0.0));
    for number in 0..1000 {
        fail(&board, &format!("p{number}/m"), Failure::new(Kind::RequestDeclined, ""), at(1.0));
    }
    assert_eq!(board.snapshot(at(2.0)).len(), 10);
    assert!(!state(&board, "limited/m", 2.0).is_available());
}

#[test]
fn keys_of_separate_accounts_fare_apart_and_an_operators_hand_is_on_all() {
    let board = HealthBoard::default();
    let mut chain = plan(&[A, "b/m"]);
    chain.tiers[0].key_name = Some("one".into());
    let chain = Arc::new(chain);
    let mut walk = Walk::new(Arc::clone(&chain), board.clone(), WalkAsk::new(at(0.0), secs(9.0)));
    walk.step(at(0.0), 0.5);
    walk.failed(limited(30.0), at(0.0), 0.5);
    let of = |key, now| board.health_of(&target(A), Some(key), at(now)).state.is_available();
    assert!(!of("one", 1.0) && of("two", 1.0));
    board.disable(&target(A), None, "maintenance", at(2.0));
    assert!(!of("two", 3.0));
    let records = board.records(at(3.0));
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].key_name, None);
    assert_eq!(records[1].key_name.as_deref(), Some("one"));
}
