//! Every scenario in every dialect.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fmt::Write as _;

use mainstay_canon::Dialect;
use mainstay_conformance::heard::Speaker;
use mainstay_conformance::scenario::{Form, Scenario};
use mainstay_conformance::spelling::{Spelling, spelling};
use mainstay_conformance::suite::{Depth, faults};
use mainstay_providers::for_dialect;

/// The dialects that are spoken, with their spellings.
fn spoken() -> Vec<(Speaker, &'static Spelling)> {
    let speaker = |dialect| for_dialect(dialect).map(Speaker::usual);
    Dialect::ALL.into_iter().filter_map(|dialect| Some((speaker(dialect)?, spelling(dialect)?))).collect()
}

#[test]
fn every_dialect_that_is_spoken_is_spelled() {
    for dialect in Dialect::ALL {
        let provider = for_dialect(dialect);
        assert_eq!(provider.is_some(), spelling(dialect).is_some(), "{dialect}");
        let named = provider.map(|provider| provider.upstream.dialect());
        assert_eq!(named, spelling(dialect).map(|spelling| spelling.dialect), "{dialect}");
    }
}

#[test]
fn every_scenario_is_spelled_or_skipped_for_a_reason_and_never_both() {
    for (_, spelling) in spoken() {
        let dialect = spelling.dialect;
        let mut used = Vec::new();
        for (scenario, forms) in Scenario::ALL {
            for form in *forms {
                let is_spelled = (spelling.spell)(*scenario, *form).is_some();
                match spelling.skip(*scenario, *form) {
                    Some(why) => {
                        assert!(
                            !is_spelled,
                            "{dialect}: {scenario:?} {form:?} is skipped ({why}) and yet spelled"
                        );
                        used.push(why);
                    }
                    None => {
                        assert!(
                            is_spelled,
                            "{dialect}: {scenario:?} {form:?} is neither spelled nor skipped"
                        );
                    }
                }
            }
        }
        for (scenario, _, why) in spelling.skips {
            assert!(used.contains(why), "{dialect}: the skip of {scenario:?} is about nothing");
        }
    }
}

#[test]
fn every_scenario_comes_out_the_same_in_every_dialect() {
    let spoken = spoken();
    let mut table = format!("{:24}", "scenario");
    for (_, spelling) in &spoken {
        write!(table, " {:>16}", spelling.dialect.name()).unwrap();
    }
    // The dialects side by side: the cuts of a stream take their time.
    let found: Vec<Vec<Row>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            spoken.iter().map(|(speaker, spelling)| scope.spawn(|| column(*speaker, spelling))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (at, (scenario, forms)) in Scenario::ALL.iter().enumerate() {
        write!(table, "\n{:24}", format!("{scenario:?}")).unwrap();
        for column in &found {
            let cell: Vec<&str> = column[at].iter().map(Cell::word).collect();
            write!(table, " {:>16}", said(&cell, forms)).unwrap();
        }
    }
    let all = || found.iter().flatten().flatten();
    let skipped = all().filter(|one| one.0.is_none()).count();
    let run = all().count() - skipped;
    let wrong: Vec<&str> = all().filter_map(|one| one.0.as_ref()).flatten().map(String::as_str).collect();
    println!("{table}\n{run} run, {skipped} skipped for a declared reason");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// What became of one form of a scenario: what is wrong, or nothing at all where it is skipped.
struct Cell(Option<Vec<String>>);

impl Cell {
    fn word(&self) -> &'static str {
        match &self.0 {
            None => "skip",
            Some(faults) if faults.is_empty() => "ok",
            Some(_) => "WRONG",
        }
    }
}

/// One scenario, form by form.
type Row = Vec<Cell>;

/// All scenarios in one dialect.
fn column(speaker: Speaker, spelling: &Spelling) -> Vec<Row> {
    let cell = |scenario: Scenario, form: Form| {
        let told = |fault| format!("{} {scenario:?} {form:?}: {fault}", spelling.dialect);
        let wire = (spelling.spell)(scenario, form);
        Cell(wire.map(|wire| {
            faults(speaker, scenario, form, &wire, Depth::EveryCut).into_iter().map(told).collect()
        }))
    };
    let row =
        |(scenario, forms): &(Scenario, &[Form])| forms.iter().map(|form| cell(*scenario, *form)).collect();
    Scenario::ALL.iter().map(row).collect()
}

/// One word where all forms agree.
fn said(cell: &[&str], forms: &[Form]) -> String {
    match cell {
        [one] => (*one).to_owned(),
        [one, rest @ ..] if rest.iter().all(|word| word == one) => (*one).to_owned(),
        _ => forms
            .iter()
            .zip(cell)
            .map(|(form, word)| format!("{word} {form:?}"))
            .collect::<Vec<_>>()
            .join(" "),
    }
}
