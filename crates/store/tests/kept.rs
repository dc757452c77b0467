//! Money, health, text and old rows: what is kept, and for how long.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod support;

use std::time::Duration;

use mainstay_canon::{Cost, Nanodollars, Target};
use mainstay_cost::{Caps, Ledger, Margin, Scope, Spender};
use mainstay_fallback::{HealthBoard, StaticSwitch};
use mainstay_store::{Entry, Store, Swept};
use support::{NOW, PATIENCE, Place, append, count};

const DAY: i64 = 24 * 60 * 60;

fn dollars(text: &str) -> Nanodollars {
    text.parse().unwrap()
}

#[test]
fn the_ledger_survives_a_restart_with_what_was_spent_and_what_is_open() {
    let place = Place::new();
    let (store, empty) = place.open();
    assert!(empty.spent.is_empty() && empty.open.is_empty());
    let caps = Caps { daily: Some(dollars("1.00")), per_session: Some(dollars("0.90")), ..Caps::default() };
    let ledger = Ledger::new(caps.clone());
    let who = Spender { user: Some("ann".into()), session: Some("s-1".into()), request_id: "r".into() };
    let reserve = |worst| {
        let reservation = ledger.reserve(&who, dollars(worst), NOW).unwrap();
        store.append(&Entry::Reserved(reservation.entry().clone())).unwrap();
        reservation
    };
    let (done, lost, unused) = (reserve("0.20"), reserve("0.30"), reserve("0.10"));
    let settled = ledger.settle(done, dollars("0.15"), NOW);
    store.append(&Entry::Settled(settled.entry)).unwrap();
    store.append(&Entry::Released(ledger.release(unused))).unwrap();
    let lost = lost.entry().clone();
    store.close().unwrap();

    let (_store, recovered) = place.open();
    assert_eq!(recovered.open, [lost]);
    let sum = recovered.spent.iter().find(|row| row.scope == Scope::Session("s-1".into())).unwrap();
    assert_eq!(sum.nanos, dollars("0.15"));
    let again = Ledger::new(caps);
    let _open = again.restore(recovered.spent, recovered.open, NOW);
    assert_eq!(again.room(&who, NOW), ledger.room(&who, NOW));
    assert_eq!(again.room(&who, NOW), Some(dollars("0.45")), "0.90 less 0.15 spent and 0.30 of unknown end");
}

#[test]
fn margins_health_and_the_switch_survive_a_restart() {
    let place = Place::new();
    let (store, fresh) = place.open();
    assert_eq!((fresh.static_switch, fresh.health.len(), fresh.margins.len()), (StaticSwitch::Auto, 0, 0));
    let target = Target::new("openai", "gpt-6-luna");
    let margin = Ledger::new(Caps::default()).raise_margin(&target, dollars("1.00"), dollars("1.20"));
    assert_ne!(margin, Margin::NONE);
    store.append(&Entry::Margin { target: target.clone(), margin }).unwrap();
    let board = HealthBoard::default();
    board.disable(&target, Some(PATIENCE), "maintenance", NOW);
    store.save_health(Vec::new());
    store.save_health(board.records(NOW));
    store.save_static_switch(StaticSwitch::Off).unwrap();
    drop(store);
    let (_store, recovered) = place.open();
    assert_eq!(recovered.margins, [(target, margin)]);
    assert_eq!((recovered.health.len(), &recovered.health), (1, &board.records(NOW)));
    assert_eq!(recovered.static_switch, StaticSwitch::Off);
}

#[test]
fn old_rows_go_ok_ones_sooner_and_their_text_with_them() {
    let place = Place::new();
    let (store, _) = place.open();
    let days_ago = |days: i64| -days * DAY;
    for (number, days) in [1, 13, 15, 89, 91].into_iter().enumerate() {
        let ok = place.ok(&format!("ok_{days}"), days_ago(days));
        append(&store, &ok);
        append(&store, &place.empty(&format!("empty_{days}"), days_ago(days)));
        if number % 2 == 0 {
            let (prompt, answer) = ("asked".to_owned(), "answered".to_owned());
            store.append(&Entry::Text { id: ok.id, prompt, answer }).unwrap();
        }
    }
    assert!(store.flush(PATIENCE));
    // The store looks by itself, too; whoever came first.
    store.sweep(NOW, PATIENCE).unwrap();
    assert_eq!(store.status().swept, Swept { by_age: 4, by_size: 0 });
    let reader = store.reader().unwrap();
    for (request, there) in
        [("ok_13", true), ("ok_15", false), ("empty_15", true), ("empty_89", true), ("empty_91", false)]
    {
        assert_eq!(!reader.request(request).unwrap().is_empty(), there, "{request}");
    }
    assert_eq!(count(&place.database(), "llm_texts"), 1);
    assert_eq!(reader.totals(None).unwrap().attempts, 10, "hourly totals are kept for good");
}

#[test]
fn a_log_that_is_too_large_loses_its_oldest_ok_rows() {
    let place = Place::new();
    let mut options = place.options();
    options.max_size = 400_000;
    let (store, _) = Store::open(options, NOW).unwrap();
    for number in 0..2000 {
        append(&store, &place.ok(&format!("ok_{number}"), number));
    }
    append(&store, &place.empty("empty", -1));
    assert!(store.flush(PATIENCE));
    // The store looks by itself, too; whoever came first.
    store.sweep(NOW, PATIENCE).unwrap();
    let swept = store.status().swept;
    assert!(swept.by_size > 0 && swept.by_age == 0, "{swept:?}");
    let reader = store.reader().unwrap();
    assert!(reader.request("ok_0").unwrap().is_empty() && !reader.request("ok_1999").unwrap().is_empty());
    assert!(!reader.request("empty").unwrap().is_empty(), "a row with a story outlives ok rows");
    store.close().unwrap();
    let after = place.database().metadata().unwrap().len();
    assert!(after < 480_000, "{after} bytes after");
}

#[test]
fn what_was_set_aside_and_never_heard_of_again_ends_as_spent() {
    let place = Place::new();
    let (store, _) = place.open();
    let ledger = Ledger::new(Caps::default());
    let who = Spender { request_id: "r".into(), session: Some("s-1".into()), ..Spender::default() };
    let reservation = ledger.reserve(&who, dollars("0.30"), NOW).unwrap();
    store.append(&Entry::Reserved(reservation.entry().clone())).unwrap();
    assert!(store.flush(PATIENCE));
    let later = NOW.after(Duration::from_hours(91 * 24));
    store.sweep(later, PATIENCE).unwrap();
    store.close().unwrap();
    let (_store, recovered) = place.open();
    assert!(recovered.open.is_empty());
    let everyone = recovered.spent.iter().filter(|row| row.scope == Scope::Everyone).map(|row| row.nanos);
    assert_eq!(everyone.collect::<Vec<_>>(), [dollars("0.30"); 2], "its day and its month");
    let session = recovered.spent.iter().any(|row| row.scope == Scope::Session("s-1".into()));
    assert!(!session, "nobody goes on with a session after so long");
}

#[test]
fn a_cost_that_is_unknown_stays_unknown() {
    let place = Place::new();
    let (store, _) = place.open();
    let mut row = place.ok("req_1", 0);
    row.cost = Cost::Unknown;
    append(&store, &row);
    assert!(store.flush(PATIENCE));
    let reader = store.reader().unwrap();
    assert_eq!(reader.request("req_1").unwrap(), [row]);
    assert_eq!(reader.totals(None).unwrap().unpriced, 1);
}
