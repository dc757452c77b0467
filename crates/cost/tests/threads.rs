//! Thousands of callers at once against one cap: not a cent over.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "the helpers of a test are a test")]

use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::thread;

use mainstay_canon::{Moment, Nanodollars};
use mainstay_cost::{CapKind, Caps, Ledger, Spender};

const NOW: Moment = Moment::from_secs(1_796_040_000);

fn usd(text: &str) -> Nanodollars {
    text.parse().unwrap()
}

fn spender(number: usize) -> Spender {
    Spender {
        user: Some(format!("user {}", number % 7)),
        session: (!number.is_multiple_of(3)).then(|| format!("session {}", number % 50)),
        request_id: format!("req {number}"),
    }
}

/// Runs `work` in that many threads, all of which start together.
fn together(threads: usize, work: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        for number in 0..threads {
            let (barrier, work) = (&barrier, &work);
            thread::Builder::new()
                .stack_size(128 << 10)
                .spawn_scoped(scope, move || {
                    barrier.wait();
                    work(number);
                })
                .unwrap();
        }
    });
}

#[test]
fn two_hundred_callers_against_one_dollar_spend_exactly_what_fits() {
    let ledger = Ledger::new(Caps { daily: Some(usd("1.00")), ..Caps::default() });
    let admitted = AtomicUsize::new(0);
    together(200, |number| {
        if let Ok(reservation) = ledger.reserve(&spender(number), usd("0.03"), NOW) {
            admitted.fetch_add(1, Ordering::Relaxed);
            ledger.settle(reservation, usd("0.03"), NOW);
        }
    });
    assert_eq!(admitted.load(Ordering::Relaxed), 33);
    assert_eq!(ledger.status(NOW)[0].spent, usd("0.99"));
}

#[test]
fn two_thousand_threads_never_pass_any_cap() {
    let caps = Caps {
        daily: Some(usd("5.00")),
        monthly: Some(usd("4.50")),
        per_user_daily: Some(usd("0.80")),
        per_session: Some(usd("0.20")),
        ..Caps::default()
    };
    let ledger = Ledger::new(caps);
    let charged = AtomicI64::new(0);
    together(2_048, |number| {
        let who = spender(number);
        for round in 0..4_i64 {
            let worst =
                Nanodollars::from_nanos(1_000_000 * (1 + (i64::try_from(number).unwrap() + round) % 9));
            let Ok(reservation) = ledger.reserve(&who, worst, NOW) else { continue };
            for cap in ledger.status_of(&who, None, NOW) {
                let used = cap.spent.checked_add(cap.reserved).unwrap();
                assert!(used <= cap.limit, "{cap:?}");
            }
            if (number + usize::try_from(round).unwrap()).is_multiple_of(5) {
                ledger.release(reservation);
            } else {
                let actual = Nanodollars::from_nanos(worst.nanos() - round);
                charged.fetch_add(actual.nanos(), Ordering::Relaxed);
                assert_eq!(ledger.settle(reservation, actual, NOW).overrun, None);
            }
        }
    });
    let status = ledger.status(NOW);
    assert!(status.iter().all(|cap| cap.reserved == Nanodollars::ZERO && cap.spent <= cap.limit));
    let month = status.iter().find(|cap| cap.cap == CapKind::Monthly).unwrap();
    assert_eq!(month.spent.nanos(), charged.load(Ordering::Relaxed), "every charge is in the books");
    assert!(month.spent > usd("4.40"), "the cap was really met: {}", month.spent);
}
