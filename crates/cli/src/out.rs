//! What reaches stdout: tables on a terminal, tab-separated rows in a pipe, JSON by line.
//!
//! Texts come from providers and callers: what would steer a terminal is taken out of them. A reader that
//! goes away (`mainstay calls | head`) ends the command without a word.

use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};

use comfy_table::{Attribute, CellAlignment, Color, ContentArrangement, Table, presets};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use mainstay::{Moment, Nanodollars};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::exit::Exit;

/// Whether people read stdout.
pub(crate) fn to_people() -> bool {
    std::io::stdout().is_terminal()
}

/// Writes one line.
pub(crate) fn line(text: impl std::fmt::Display) -> Result<(), Exit> {
    writeln!(anstream::stdout().lock(), "{text}").map_err(|error| Exit::unwritable(&error))
}

/// Writes a piece of text as it stands, at once.
pub(crate) fn piece(text: &str) -> Result<(), Exit> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| Exit::unwritable(&error))
}

/// Writes one JSON object on a line of its own.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Exit> {
    line(serde_json::to_string(value).map_err(Exit::failed)?)
}

/// An amount as a JSON number with its exact decimals; a float would print `8.1e-5`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dollars(pub(crate) Nanodollars);

impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// How a cell is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// All is well.
    Good,
    /// Worth a look.
    Warn,
    /// Something is wrong.
    Bad,
}

/// One cell of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), tone: Tone::Plain }
    }
}

/// What stands where nothing is known.
pub(crate) fn or_dash(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

/// One column: its name, and whether it holds numbers, which stand at its right edge.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    name: Cow<'static, str>,
    numbers: bool,
}

impl Column {
    pub(crate) fn named(name: String, numbers: bool) -> Self {
        Self { name: Cow::Owned(name), numbers }
    }
}

/// A column of words.
pub(crate) const fn words(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), numbers: false }
}

/// A column of numbers.
pub(crate) const fn numbers(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), numbers: true }
}

/// Rows under a heading: a table on a terminal, tab-separated lines in a pipe.
pub(crate) fn table(columns: &[Column], rows: Vec<Vec<Cell>>) -> Result<(), Exit> {
    if rows.is_empty() {
        return Ok(());
    }
    if to_people() {
        return line(laid_out(columns, rows));
    }
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    for row in rows {
        let cells: Vec<String> = row.into_iter().map(|cell| one_line(&cell.text)).collect();
        writeln!(stdout, "{}", cells.join("\t")).map_err(|error| Exit::unwritable(&error))?;
    }
    stdout.flush().map_err(|error| Exit::unwritable(&error))
}

fn laid_out(columns: &[Column], rows: Vec<Vec<Cell>>) -> String {
    let coloured = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    let heading = columns.iter().map(|column| comfy_table::Cell::new(clean(&column.name)));
    let faint = |cell: comfy_table::Cell| if coloured { cell.add_attribute(Attribute::Dim) } else { cell };
    table.set_header(heading.map(faint).collect::<Vec<_>>());
    for row in rows {
        let cells: Vec<comfy_table::Cell> = row.iter().map(|cell| drawn(cell, coloured)).collect();
        table.add_row(cells);
    }
    for (column, drawn) in columns.iter().zip(table.column_iter_mut()) {
        drawn.set_padding((0, 2));
        if column.numbers {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

fn drawn(cell: &Cell, coloured: bool) -> comfy_table::Cell {
    let drawn = comfy_table::Cell::new(clean(&cell.text));
    let colour = match cell.tone {
        Tone::Plain => None,
        Tone::Good => Some(Color::Green),
        Tone::Warn => Some(Color::Yellow),
        Tone::Bad => Some(Color::Red),
    };
    colour.filter(|_| coloured).map_or(drawn.clone(), |colour| drawn.fg(colour))
}

/// A text without what would steer a terminal; its lines stay.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|letter| if steers(letter) { '\u{fffd}' } else { letter }).collect()
}

fn steers(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (letter.is_control() && letter != '\n' && letter != '\t')
}

/// A text as one cell of a tab-separated line.
fn one_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}

/// A moment as a date and time of that zone.
pub(crate) fn clock(moment: Moment, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(moment.micros()).map_or_else(
        |_| moment.micros().to_string(),
        |stamp| stamp.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// So many of something: `1 call`, `2 calls`.
pub(crate) fn many(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// A wait for people: `45 s`, `12 min`, `3 h 20 min`, `2 d`.
pub(crate) fn wait(wait: std::time::Duration) -> String {
    let seconds = wait.as_millis().div_ceil(1000);
    let (minutes, hours, days) = (seconds.div_ceil(60), seconds / 3600, seconds / 86_400);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{minutes} min"),
        7200..=172_799 => format!("{hours} h {} min", (seconds % 3600) / 60),
        _ => format!("{days} d {} h", (seconds % 86_400) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_log_cannot_steer_the_terminal_it_is_shown_on() {
        assert_eq!(clean("a\u{1b}[31mb\u{202e}c\nd"), "a\u{fffd}[31mb\u{fffd}c\nd");
        assert_eq!(one_line("a\tb\nc"), "a b c");
    }

    #[test]
    fn waits_are_told_in_the_unit_that_people_would_choose() {
        for (seconds, words) in [
            (0, "0 s"),
            (1, "1 s"),
            (119, "119 s"),
            (300, "5 min"),
            (7_200, "2 h 0 min"),
            (200_000, "2 d 7 h"),
        ] {
            assert_eq!(wait(Duration::from_secs(seconds)), words);
        }
        assert_eq!(wait(Duration::from_millis(1)), "1 s");
    }
}
