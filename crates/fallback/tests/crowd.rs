//! Many walks at once on one board, from many threads.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use common::{at, plan, secs, target};
use mainstay_canon::{Failure, HintSource, Kind, Moment, RetryHint};
use mainstay_fallback::{HealthBoard, Step, TierState, Walk, WalkAsk};

const THREADS: usize = 8;

fn faults(board: &HealthBoard, count: usize) {
    let chain = Arc::new(plan(&["a/m", "b/m"]));
    let mut walks: Vec<Walk> = (0..count)
        .map(|_| Walk::new(Arc::clone(&chain), board.clone(), WalkAsk::new(at(0.0), secs(9.0))))
        .collect();
    for walk in &mut walks {
        assert!(matches!(walk.step(at(0.0), 0.5), Step::Try(_)));
    }
    for walk in &mut walks {
        walk.failed(Failure::new(Kind::ServerError, ""), at(0.0), 0.5);
    }
}

#[test]
fn a_board_and_a_walk_may_go_anywhere() {
    fn goes_anywhere<T: Send + Sync>() {}
    goes_anywhere::<HealthBoard>();
    goes_anywhere::<Walk>();
}

#[test]
fn of_all_who_race_for_one_probe_exactly_one_wins() {
    let chain = Arc::new(plan(&["a/m", "b/m"]));
    for round in 0..50 {
        let board = HealthBoard::default();
        faults(&board, 5);
        let now = at(100.0 + f64::from(round));
        let (winners, barrier) = (AtomicU32::new(0), Barrier::new(THREADS));
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let mut walk = Walk::new(Arc::clone(&chain), board.clone(), WalkAsk::new(now, secs(9.0)));
                    barrier.wait();
                    let Step::Try(attempt) = walk.step(now, 0.5) else { panic!("the second tier is well") };
                    winners.fetch_add(u32::from(attempt.tier == 0), Ordering::Relaxed);
                    // Nobody leaves before all have knocked.
                    barrier.wait();
                    walk.succeeded(now);
                });
            }
        });
        assert_eq!(winners.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn an_in_flight_limit_holds_against_a_crowd() {
    let board = HealthBoard::default();
    let mut chain = plan(&["a/m", "b/m"]);
    chain.tiers[0].limits.in_flight = Some(3);
    let chain = Arc::new(chain);
    let (flying, most) = (AtomicI64::new(0), AtomicI64::new(0));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let mut walk =
                        Walk::new(Arc::clone(&chain), board.clone(), WalkAsk::new(at(0.0), secs(9.0)));
                    let Step::Try(attempt) = walk.step(at(0.0), 0.5) else { panic!("never full") };
                    if attempt.tier == 0 {
                        most.fetch_max(flying.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        flying.fetch_sub(1, Ordering::SeqCst);
                    }
                    walk.succeeded(at(0.0));
                }
            });
        }
    });
    assert!(most.load(Ordering::SeqCst) <= 3);
    assert_eq!(board.health_of(&target("a/m"), None, at(0.0)).in_flight, 0);
}

/// Thousands of walks on moments that race ahead; whoever is let in after a hint was given and before it
/// has passed would be a broken promise.
#[test]
fn no_thread_calls_before_a_hint_that_was_given_has_passed() {
    let board = HealthBoard::default();
    let chain = Arc::new(plan(&["a/m", "b/m"]));
    let clock = AtomicI64::new(at(0.0).micros());
    let closed_until = AtomicI64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (board, chain, clock, closed_until) = (&board, &chain, &clock, &closed_until);
            scope.spawn(move || {
                for turn in 0..3000 {
                    // What is known to be closed before the knock must still be closed to it.
                    let known = closed_until.load(Ordering::SeqCst);
                    let now = Moment::from_micros(clock.fetch_add(700, Ordering::SeqCst));
                    let mut walk = Walk::new(Arc::clone(chain), board.clone(), WalkAsk::new(now, secs(9.0)));
                    let Step::Try(attempt) = walk.step(now, 0.5) else { panic!("the second tier is well") };
                    if attempt.tier != 0 {
                        walk.succeeded(now);
                        continue;
                    }
                    // A thread may have been held up since it looked at the clock; the call is made now.
                    let called = clock.load(Ordering::SeqCst);
                    assert!(called >= known, "a call came {} µs too soon", known - called);
                    if (turn + thread) % 3 == 0 {
                        let after = secs(0.05);
                        let hint = RetryHint { after, source: HintSource::RetryAfter, clamped: false };
                        walk.failed(Failure::new(Kind::RateLimited, "").hint(hint), now, 0.5);
                        closed_until.fetch_max(now.after(after).micros(), Ordering::SeqCst);
                    } else {
                        walk.succeeded(now);
                    }
                }
            });
        }
    });
    assert_eq!(board.health_of(&target("a/m"), None, at(0.0)).in_flight, 0);
    assert_eq!(board.health_of(&target("b/m"), None, at(0.0)).state, TierState::Available);
}
