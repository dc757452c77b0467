//! All rows.

mod answers;
mod cuts;
mod hints;
mod line;
mod shape;
mod statuses;

use crate::row::Row;

/// The rows in the order of the table, in groups with their headings.
pub fn groups() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("The line", line::rows()),
        ("Cut answers", cuts::rows()),
        ("The shape of a reply", shape::rows()),
        ("Useless answers", answers::rows()),
        ("Statuses", statuses::rows()),
        ("Too many requests", hints::rows()),
    ]
}

/// All rows.
pub fn all() -> Vec<Row> {
    groups().into_iter().flat_map(|(_, rows)| rows).collect()
}
