//! The simulated week comes out as published, and its Friday loses nobody.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use mainstay_replay::week::inputs::PUBLISHED;
use mainstay_replay::week::{Order, friday, friday_table, week, week_table};

const SEEDS: [u64; 2] = [17, 18];

/// Within a tenth of itself, or within what chance does to that many requests.
fn close(simulated: f64, expected: f64, requests: u32) -> bool {
    let error = (expected * (1.0 - expected) / f64::from(requests)).sqrt();
    (simulated - expected).abs() <= (expected * 0.1).max(3.0 * error)
}

#[test]
fn each_share_of_the_week_is_what_the_inputs_come_to_and_what_is_published() {
    for seed in SEEDS {
        for order in [Order::CheapFirst, Order::ExpensiveFirst] {
            let week = week(order, seed).unwrap();
            assert!((99_800..=100_200).contains(&week.requests));
            let pairs = week.shares.published().into_iter().zip(week.computed.published());
            for (simulated, computed) in pairs.chain([(week.shares.nobody, week.computed.nobody)]) {
                assert!(close(simulated, computed, week.requests), "{order:?} {seed}: {week:?}");
            }
            assert!(week.shares.last_resort < 0.000_1, "no outage, no last resort: {week:?}");
            if order == Order::CheapFirst {
                for (simulated, published) in week.shares.published().into_iter().zip(PUBLISHED) {
                    assert!(close(simulated, published / 100.0, week.requests), "{seed}: {week:?}");
                }
            }
        }
    }
}

#[test]
fn both_orders_answer_alike_and_cheap_first_costs_a_fraction() {
    let [cheap, dear] =
        [Order::CheapFirst, Order::ExpensiveFirst].map(|order| week(order, SEEDS[0]).unwrap());
    assert_eq!(cheap.requests, dear.requests, "the very same requests");
    assert!((cheap.shares.nobody - dear.shares.nobody).abs() < 0.000_1);
    assert!(dear.cost.nanos() > 5 * cheap.cost.nanos());
    println!("{}", week_table(&cheap, &dear));
}

/// `docs/week.md` holds what `just week` prints; `UPDATE_DOCS=1` writes it anew.
#[test]
fn the_documentation_shows_the_tables_of_a_run() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/week.md");
    let page = std::fs::read_to_string(path).unwrap();
    let [cheap, dear] =
        [Order::CheapFirst, Order::ExpensiveFirst].map(|order| week(order, SEEDS[0]).unwrap());
    let (before, _) = page.split_once("```text\n").unwrap();
    let (_, after) = page.rsplit_once("```\n").unwrap();
    let tables = format!("{}\n{}", week_table(&cheap, &dear), friday_table(&friday(SEEDS[0]).unwrap()));
    let now = format!("{before}```text\n{tables}```\n{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert!(
        page == now || std::env::var_os("UPDATE_DOCS").is_some(),
        "run UPDATE_DOCS=1 just week-docs:\n{now}"
    );
}

#[test]
fn the_same_seed_gives_the_same_week() {
    let [one, two] = [(); 2].map(|()| week(Order::CheapFirst, 5).unwrap());
    assert_eq!((one.shares, one.cost, one.calls), (two.shares, two.cost, two.calls));
}

#[test]
fn on_friday_the_last_resort_carries_on_and_nobody_is_lost() {
    let rows = friday(SEEDS[0]).unwrap();
    println!("{}", friday_table(&rows));
    let [before, first_minute, first_hour, second_hour, _, after] = rows.as_slice() else {
        panic!("{rows:?}")
    };
    assert!(rows.iter().all(|row| row.requests > 0 && row.by_nobody == 0), "{rows:?}");
    assert_eq!((before.by_last_resort, before.by_provider), (0, before.requests));
    for row in [first_minute, first_hour, second_hour] {
        assert_eq!(row.by_last_resort, row.requests);
    }
    // A dead chain costs its first requests their timeouts, and then a probe now and again.
    for row in [first_hour, second_hour] {
        assert!(row.calls - row.requests < row.requests / 10, "{row:?}");
        assert!(row.median().as_secs() < 7, "{row:?}");
    }
    assert!(after.by_provider > after.requests / 2, "{after:?}");
}
