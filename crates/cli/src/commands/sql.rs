//! `mainstay sql`: one SELECT over the call log.

use mainstay_store::{ReadError, SqlTable, SqlValue};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::args::{Global, SqlArgs};
use crate::exit::Exit;
use crate::out::{self, Cell, Column, Tone};
use crate::settings;

/// Runs it.
pub(crate) fn run(args: &SqlArgs, global: &Global) -> Result<(), Exit> {
    let table =
        settings::open_log(global)?.sql(&args.statement, args.limit).map_err(|error| match error {
            // What SQLite says of a statement is about what was typed.
            ReadError::Sqlite(error) => {
                Exit::usage(format!("{error}\n`mainstay sql --help` lists the tables"))
            }
            other => other.into(),
        })?;
    if table.truncated {
        anstream::eprintln!("the first {} rows; --limit gives more", table.rows.len());
    }
    if global.json { as_json(&table) } else { as_rows(&table) }
}

fn as_rows(table: &SqlTable) -> Result<(), Exit> {
    let columns: Vec<Column> = table
        .columns
        .iter()
        .enumerate()
        .map(|(at, name)| Column::named(name.clone(), holds_numbers(table, at)))
        .collect();
    out::table(&columns, table.rows.iter().map(|row| row.iter().map(cell).collect()).collect())
}

fn holds_numbers(table: &SqlTable, at: usize) -> bool {
    let mut values = table.rows.iter().filter_map(|row| row.get(at));
    values.all(|value| matches!(value, SqlValue::Integer(_) | SqlValue::Real(_) | SqlValue::Null))
}

fn cell(value: &SqlValue) -> Cell {
    match value {
        SqlValue::Null => Cell::toned("NULL", Tone::Plain),
        SqlValue::Integer(number) => number.to_string().into(),
        SqlValue::Real(number) => number.to_string().into(),
        SqlValue::Text(text) => text.clone().into(),
    }
}

fn as_json(table: &SqlTable) -> Result<(), Exit> {
    let names = distinct(&table.columns);
    table.rows.iter().try_for_each(|row| out::json(&Named { names: &names, row }))
}

/// Columns that are called alike would hide each other in an object.
fn distinct(columns: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let mut name = column.clone();
        let mut count = 1;
        while names.contains(&name) {
            count += 1;
            name = format!("{column}_{count}");
        }
        names.push(name);
    }
    names
}

/// A row as an object, in the order of its columns.
struct Named<'a> {
    names: &'a [String],
    row: &'a [SqlValue],
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.row.len()))?;
        for (name, value) in self.names.iter().zip(self.row) {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_do_not_hide_each_other() {
        let names = ["n", "n", "m", "n"].map(str::to_owned);
        assert_eq!(distinct(&names), ["n", "n_2", "m", "n_3"]);
    }

    #[test]
    fn a_row_keeps_the_order_of_its_columns() {
        let names = ["z".to_owned(), "a".to_owned()];
        let row = [SqlValue::Integer(1), SqlValue::Null];
        let text = serde_json::to_string(&Named { names: &names, row: &row }).unwrap();
        assert_eq!(text, r#"{"z":1,"a":null}"#);
    }
}
