//! The whole table: every fault in every dialect, as every kind of caller sees it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use mainstay_faults::cell::{self, Cell, Outcome};
use mainstay_faults::row::Row;
use mainstay_faults::table::Table;
use mainstay_faults::{page, rows};
use mainstay_testkit::Spelling;

#[test]
fn every_fault_ends_as_the_contract_has_it_and_as_the_page_says() {
    let (groups, rows) = grouped();
    let rows = Arc::new(rows);
    let began = Instant::now();
    let outcomes = run(&rows);
    let table = Table { groups: &groups, rows: &rows, outcomes: &outcomes };
    let counts = table.counts();
    println!("{}", table.text());
    println!(
        "{} cells as they should be, {} wrong, {} that cannot be, for a declared reason; {:.1} s",
        counts.right,
        counts.wrong,
        counts.never,
        began.elapsed().as_secs_f64()
    );
    let wrong: Vec<String> =
        outcomes.iter().filter(|one| !one.wrong.is_empty()).map(|one| spelled(one, &rows)).collect();
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
    the_page_says(&page::made(&table));
}

fn the_page_says(made: &str) {
    let (mut committed, figures) = page::committed();
    if page::is_to_be_written() {
        page::write(made, &figures);
        committed = page::committed().0;
    }
    let differs = made.lines().zip(committed.lines()).find(|(now, then)| now != then);
    assert!(
        made == committed,
        "docs/faults.md is not what the run says; read why, then `UPDATE_DOCS=1 just faults`. First difference: {differs:?}"
    );
}

#[test]
fn every_row_has_a_name_of_its_own_and_every_difference_a_reason_and_a_cell() {
    let rows = rows::all();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), rows.len(), "a name stands twice");
    let cells: Vec<Cell> =
        Spelling::ALL.iter().flat_map(|spelling| Cell::all(*spelling, rows.len())).collect();
    for (place, row) in rows.iter().enumerate() {
        assert!(row.name.len() < 30 && row.what.ends_with(['.', '"']), "{}", row.name);
        for but in &row.buts {
            let is_used = cells.iter().filter(|cell| cell.row == place).any(|cell| {
                row.but_in(cell.spelling, cell.stream, cell.face)
                    .is_some_and(|found| std::ptr::eq(found, but))
            });
            assert!(is_used && !but.why.is_empty(), "{}: a difference about nothing", row.name);
        }
    }
}

fn grouped() -> (Vec<(&'static str, Range<usize>)>, Vec<Row>) {
    let mut groups = Vec::new();
    let mut all = Vec::new();
    for (heading, rows) in rows::groups() {
        let begin = all.len();
        all.extend(rows);
        groups.push((heading, begin..all.len()));
    }
    (groups, all)
}

fn spelled(outcome: &Outcome, rows: &[Row]) -> String {
    let cell = outcome.cell;
    format!(
        "{} | {:?} {} | {:?} caller{}\n    {}",
        rows[cell.row].name,
        cell.spelling,
        if cell.stream { "streamed" } else { "whole" },
        cell.face,
        if cell.alone { " | alone" } else { "" },
        outcome.wrong.join("\n    ")
    )
}

fn run(rows: &Arc<Vec<Row>>) -> Vec<Outcome> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let labs = Spelling::ALL.map(|spelling| {
            let rows = Arc::clone(rows);
            tokio::spawn(async move { cell::run(spelling, &rows).await })
        });
        join_all(labs).await.into_iter().flat_map(Result::unwrap).collect()
    })
}
