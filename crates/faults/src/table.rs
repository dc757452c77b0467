//! The table as it is printed: a line a fault, a mark a cell.

use std::fmt::Write as _;

use mainstay_testkit::Spelling;

use crate::ask::Face;
use crate::cell::Outcome;
use crate::expect::Sees;
use crate::row::Row;
use crate::words::{done, told};

/// The mark of a cell that is not as it should be.
const WRONG: char = 'X';
/// How wide a dialect's column is.
const WIDTH: usize = 8;
/// The mark of a cell that cannot be.
const NEVER: char = '-';

/// What came of every cell, by row.
pub struct Table<'a> {
    /// The rows in their groups.
    pub groups: &'a [(&'static str, std::ops::Range<usize>)],
    /// All rows.
    pub rows: &'a [Row],
    /// All outcomes.
    pub outcomes: &'a [Outcome],
}

/// How many cells are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cells that are as they should be.
    pub right: usize,
    /// Cells that are not.
    pub wrong: usize,
    /// Cells that cannot be, for a declared reason.
    pub never: usize,
}

impl Table<'_> {
    /// The two matrices, as text.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "Two tiers, the first broken, the second healthy. A mark a cell: Chat, Responses and Anthropic callers,\n\
             whole, then streamed. 2 the second tier's whole answer, 1 the first's, e typed error, ~ cut with an error\n\
             event, - cannot be, X wrong. The `cooldown` is 1800 s, hints are at 900 s.\n\n",
        );
        self.matrix(&mut text, false);
        text.push_str(
            "\nThe broken tier alone: whole, streamed. e typed error, r f the refusal, what a filter left, as an answer, 1 ~ - X as above.\n\n",
        );
        self.matrix(&mut text, true);
        text
    }

    /// How many cells are what.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for outcome in self.outcomes {
            match (outcome.wrong.is_empty(), &outcome.found) {
                (false, _) => counts.wrong += 1,
                (true, Some(_)) => counts.right += 1,
                (true, None) => counts.never += 1,
            }
        }
        counts
    }

    fn matrix(&self, text: &mut String, alone: bool) {
        write!(text, "{:32}", "").unwrap();
        for spelling in Spelling::ALL {
            write!(text, "{:WIDTH$}", column(spelling)).unwrap();
        }
        text.push_str(if alone { "told\n" } else { "calls log, then the first tier's health\n" });
        for (heading, range) in self.groups {
            writeln!(text, "{heading}").unwrap();
            for place in range.clone() {
                let row = &self.rows[place];
                write!(text, "  {:30}", row.name).unwrap();
                for spelling in Spelling::ALL {
                    write!(text, "{:WIDTH$}", self.marks(place, spelling, alone)).unwrap();
                }
                let end = if alone { told(&row.expect) } else { done(&row.expect) };
                writeln!(text, "{end}").unwrap();
            }
        }
    }

    /// The marks of a fault in a dialect.
    pub fn marks(&self, row: usize, spelling: Spelling, alone: bool) -> String {
        let form = |stream: bool| -> String {
            let faces = Face::ALL.iter().filter_map(|face| self.outcome(row, spelling, stream, *face, alone));
            faces.map(|outcome| mark(outcome, &self.rows[row])).collect()
        };
        format!("{} {}", form(false), form(true))
    }

    fn outcome(
        &self,
        row: usize,
        spelling: Spelling,
        stream: bool,
        face: Face,
        alone: bool,
    ) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| {
            let cell = outcome.cell;
            (cell.row, cell.spelling, cell.stream, cell.face, cell.alone)
                == (row, spelling, stream, face, alone)
        })
    }
}

const fn column(spelling: Spelling) -> &'static str {
    match spelling {
        Spelling::OpenaiChat => "Chat",
        Spelling::OpenaiResponses => "Resp.",
        Spelling::Anthropic => "Anthr.",
        Spelling::Gemini => "Gemini",
        Spelling::Ollama => "Ollama",
    }
}

fn mark(outcome: &Outcome, row: &Row) -> char {
    if !outcome.wrong.is_empty() {
        return WRONG;
    }
    let Some(expect) = outcome.cell.expect(row) else { return NEVER };
    match if outcome.cell.alone { expect.alone } else { expect.sees } {
        Sees::Second => '2',
        Sees::First(_) => '1',
        Sees::Error(_) => 'e',
        Sees::Cut => '~',
        Sees::Refusal => 'r',
        Sees::Filtered => 'f',
    }
}
