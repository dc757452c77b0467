//! The table of all clients, for `docs/clients.md`.

use std::fmt::Write as _;
use std::process::Command;

use crate::matrix::{CELLS, Cell, Row};

/// Where the table stands on its page.
const BEGIN: &str = "<!-- made by `just clients`: do not edit by hand -->\n";
const END: &str = "<!-- end of what is made -->\n";

/// One row of the table.
pub fn line(row: &Row) -> String {
    let marks: Vec<&str> = row.cells.iter().map(|(_, cell)| cell.mark()).collect();
    format!("| {} | {} |", row.name(), marks.join(" | "))
}

/// Puts the table of these rows into its page.
pub fn write(rows: &[Row]) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/clients.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    std::fs::write(path, format!("{before}{BEGIN}\n{}\n{END}{after}", table(rows))).unwrap();
}

fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "Run on {}, on commit {}.\n\n| Client | {} |\n|{}\n",
        said_by("date", &["-u", "+%F"]),
        said_by("git", &["rev-parse", "--short", "HEAD"]),
        CELLS.join(" | "),
        " --- |".repeat(CELLS.len() + 1),
    );
    for row in rows {
        text += &(line(row) + "\n");
    }
    text += "\nVersions:\n\n";
    let mut clients: Vec<_> = rows.iter().map(|row| row.client).collect();
    clients.dedup_by_key(|client| client.name);
    for client in clients {
        let _ = writeln!(text, "- {}: {}", client.name, client.packages.join(", "));
    }
    let absent: Vec<String> = rows.iter().flat_map(absent).collect();
    if !absent.is_empty() {
        let _ = write!(
            text,
            "\nWhat a client cannot do, with the provider itself neither:\n\n{}",
            absent.concat()
        );
    }
    text
}

fn absent(row: &Row) -> Vec<String> {
    let why = |(name, cell): &(&str, Cell)| match cell {
        Cell::Absent(why) => Some(format!("- {}, {name}: {why}\n", row.name())),
        Cell::Green | Cell::Red(_) => None,
    };
    row.cells.iter().filter_map(why).collect()
}

fn said_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
