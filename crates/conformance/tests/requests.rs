//! What each dialect makes of everything that may be asked for: said, refused by name, or left out with a note.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::fmt::Write as _;

use mainstay_canon::{Accepts, Dialect, ReasoningReplay};
use mainstay_conformance::heard::{MODEL, Speaker};
use mainstay_conformance::requests::{Asked, Fate, everything, fate};
use mainstay_providers::for_dialect;

/// What is known to become of everything.
const FATES: &str = include_str!("fates.txt");

/// A model that takes everything.
fn takes_all() -> Accepts {
    Accepts { developer_role: true, reasoning_replay: ReasoningReplay::All, ..Accepts::default() }
}

fn name(asked: &Asked) -> String {
    let effort = asked.request.reasoning_effort.map(|effort| effort.word().to_owned());
    let detail = effort.or_else(|| asked.request.origin.map(|origin| origin.name().to_owned()));
    detail.map_or_else(|| asked.what.to_owned(), |detail| format!("{} ({detail})", asked.what))
}

#[test]
fn what_becomes_of_a_request_is_known_for_every_dialect() {
    let speakers: Vec<Speaker> =
        Dialect::ALL.into_iter().filter_map(for_dialect).map(Speaker::usual).collect();
    let mut table = format!("{:44}", "");
    for speaker in &speakers {
        write!(table, " {:16}", speaker.upstream.dialect().name()).unwrap();
    }
    table = table.trim_end().to_owned() + "\n";
    for asked in everything() {
        write!(table, "{:44}", name(&asked)).unwrap();
        for speaker in &speakers {
            let word = match fate(*speaker, MODEL, &takes_all(), &asked) {
                Fate::Said => "said",
                Fate::Refused => "refused",
                Fate::Noted => "noted",
                Fate::Lost => "LOST",
            };
            write!(table, " {word:16}").unwrap();
        }
        table = table.trim_end().to_owned() + "\n";
    }
    println!("{table}");
    // Whoever changes what becomes of something changes the line that says so.
    for (found, known) in table.lines().zip(FATES.lines()) {
        assert_eq!(found, known);
    }
    assert_eq!(table.lines().count(), FATES.lines().count());
}
