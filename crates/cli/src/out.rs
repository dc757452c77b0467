//! Tables on a terminal, plain rows in a pipe.

use std::io::IsTerminal as _;

use comfy_table::{ContentArrangement, Table, TableStyle};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use mainstay::Moment;
use mainstay_calllog::CallRecord;

/// The rows of the call log.
pub(crate) fn calls(rows: &[CallRecord], zone: &TimeZone) {
    let heading = ["time", "request", "tier", "#", "verdict", "tokens", "cost", "ms", "user"];
    let cells = rows.iter().map(|row| call_cells(row, zone).to_vec()).collect();
    print(&heading, cells);
}

fn call_cells(row: &CallRecord, zone: &TimeZone) -> [String; 9] {
    let verdict = row
        .error_kind
        .clone()
        .or_else(|| row.quality.map(|quality| quality.word().to_owned()))
        .unwrap_or_else(|| row.outcome.word().to_owned());
    let number = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    [
        clock(row.ts, zone),
        row.request_id.clone(),
        row.tier.clone().unwrap_or_else(|| "-".into()),
        row.attempt.map_or_else(|| "-".to_owned(), |attempt| attempt.to_string()),
        verdict,
        format!("{}/{}", number(row.prompt_tokens), number(row.completion_tokens)),
        row.cost.known().map_or_else(|| "?".to_owned(), |cost| format!("${cost}")),
        row.latency_ms.to_string(),
        row.user_id.clone().unwrap_or_else(|| "-".into()),
    ]
}

/// A moment as a local date and time.
pub(crate) fn clock(moment: Moment, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(moment.micros()).map_or_else(
        |_| moment.micros().to_string(),
        |stamp| stamp.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
    )
}

/// Rows under a heading: a table on a terminal, tab-separated lines in a pipe.
pub(crate) fn print(heading: &[&str], rows: Vec<Vec<String>>) {
    if std::io::stdout().is_terminal() {
        let mut table = Table::new();
        table.load_style(TableStyle::Blank).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(heading.to_vec());
        table.add_rows(rows);
        anstream::println!("{table}");
    } else {
        for row in rows {
            anstream::println!("{}", row.join("\t"));
        }
    }
}
