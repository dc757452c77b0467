//! One cell of the table: a fault, in one dialect, whole or streamed, as one kind of caller sees it.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use mainstay::Target;
use mainstay_calllog::CallRecord;
use mainstay_fallback::TierHealth;
use mainstay_testkit::Spelling;

use crate::ask::Face;
use crate::check;
use crate::expect::Expect;
use crate::lab::{Lab, first_provider};
use crate::read::Heard;
use crate::row::Row;

/// Requests of one gateway that are under way at once.
const AT_ONCE: usize = 24;

/// Which cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The row's place.
    pub row: usize,
    /// The provider's dialect.
    pub spelling: Spelling,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// Who asks.
    pub face: Face,
    /// Whether the broken tier is the only one.
    pub alone: bool,
}

/// What came of a cell.
pub struct Outcome {
    /// Which.
    pub cell: Cell,
    /// What was seen; nothing where the fault cannot be.
    pub found: Option<Found>,
    /// What is not as the contract has it.
    pub wrong: Vec<String>,
}

/// What was seen of a cell.
pub struct Found {
    /// What the caller was told.
    pub heard: Heard,
    /// Calls that came to the first tier's provider, where it can count them.
    pub bad_calls: usize,
    /// Calls that came to the second tier's.
    pub good_calls: usize,
    /// How the first tier fares.
    pub health: TierHealth,
    /// The log's rows, in order.
    pub log: Vec<CallRecord>,
}

impl Cell {
    /// All cells of a dialect: with a second tier each kind of caller, alone one after the other.
    pub fn all(spelling: Spelling, rows: usize) -> Vec<Self> {
        let mut cells = Vec::new();
        for row in 0..rows {
            for stream in [false, true] {
                let cell = |face, alone| Self { row, spelling, stream, face, alone };
                cells.extend(Face::ALL.map(|face| cell(face, false)));
                let turn = row + usize::from(stream) + spelling as usize;
                cells.push(cell(Face::ALL[turn % Face::ALL.len()], true));
            }
        }
        cells
    }

    /// The name of its chain and of its models.
    pub fn chain(self) -> String {
        let form = if self.stream { "streamed" } else { "whole" };
        let alone = if self.alone { "-alone" } else { "" };
        format!("r{}-{form}-{}{alone}", self.row, self.face.word())
    }

    /// What must come of it; nothing where the fault cannot be.
    pub fn expect(self, row: &Row) -> Option<Expect> {
        match row.but_in(self.spelling, self.stream, self.face) {
            Some(but) => but.expect.clone(),
            None => Some(row.expect.clone()),
        }
    }
}

/// Runs all cells of a dialect.
pub async fn run(spelling: Spelling, rows: &Arc<Vec<Row>>) -> Vec<Outcome> {
    let cells = Cell::all(spelling, rows.len());
    let lab = Lab::start(spelling, &cells, rows).await;
    let looked: Vec<(Cell, Option<Found>)> = stream::iter(cells)
        .map(|cell| {
            let lab = &lab;
            let row = &rows[cell.row];
            async move {
                let runs = cell.expect(row).is_some() && row.is_possible(spelling, cell.stream);
                (cell, if runs { Some(look(lab, cell, row).await) } else { None })
            }
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let mut log = lab.rows().await;
    looked.into_iter().map(|(cell, found)| outcome(cell, found, &rows[cell.row], &mut log)).collect()
}

async fn look(lab: &Lab, cell: Cell, row: &Row) -> Found {
    let heard = lab.ask(cell, row).await;
    let chain = cell.chain();
    Found {
        heard,
        bad_calls: lab.bad.calls(&chain),
        good_calls: lab.good.calls(&chain),
        health: lab.health(&Target::new(first_provider(row), &*chain)),
        log: Vec::new(),
    }
}

fn outcome(
    cell: Cell,
    found: Option<Found>,
    row: &Row,
    log: &mut HashMap<String, Vec<CallRecord>>,
) -> Outcome {
    let possible = row.is_possible(cell.spelling, cell.stream);
    let (found, wrong) = match (cell.expect(row), found) {
        (Some(expect), Some(mut found)) => {
            let id = found.heard.header("x-mainstay-request-id").unwrap_or_default();
            found.log = log.remove(id).unwrap_or_default();
            let wrong = check::faults(cell, row, &expect, &found);
            (Some(found), wrong)
        }
        (None, found) if possible => {
            (found, vec!["it is said that the fault cannot be here, and it can".into()])
        }
        (Some(_), found) => (found, vec!["the fault cannot be here, and no reason is said".into()]),
        (None, found) => (found, Vec::new()),
    };
    Outcome { cell, found, wrong }
}
