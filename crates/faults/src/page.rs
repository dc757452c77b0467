//! docs/faults.md: what becomes of each fault, in plain words, as a run has shown it.

use std::fmt::Write as _;
use std::path::PathBuf;

use mainstay_testkit::Spelling;

use crate::row::{But, Row};
use crate::table::Table;
use crate::words::{fares, logged, seen, seen_alone};

/// Where the figures begin that are measured by hand and dated; nothing above it may differ from a run.
pub const FIGURES: &str = "## Figures\n";

const INTRO: &str = "# Faults of providers, and what becomes of them

Made by running the code: a gateway, a provider on a real socket that misbehaves, and clients that read what comes as their
SDKs do. Every fault below is tried in each dialect that a provider can speak (OpenAI Chat and Responses, Anthropic,
Gemini, Ollama), whole and streamed, for callers of Chat, Responses and Anthropic Messages: once with a healthy second tier,
and once where nobody else is left. The providers are simulated. `just faults` runs it and prints the table; a change of
behaviour fails the tests until this page says it.

Settings are the defaults: two attempts a tier (`retry_budget = 2`), `on_interrupt = \"continue\"`. Statuses are those that
OpenAI's clients see; Anthropic's are told 529 `overloaded_error` for a 503, and `overloaded_error` for a 502. Every error says
`x-should-retry: false`, because the gateway has retried. `Retry-After` is told where a tier comes back by itself.
";

/// The part of the page that a run makes.
pub fn made(table: &Table<'_>) -> String {
    let mut page = String::from(INTRO);
    let counts = table.counts();
    writeln!(
        page,
        "\n{} faults, {} cells as they should be, {} that cannot be for a reason that is said, {} wrong.",
        table.rows.len(),
        counts.right,
        counts.never,
        counts.wrong
    )
    .unwrap();
    for (heading, range) in table.groups {
        group(heading, &table.rows[range.clone()], &mut page);
    }
    write!(page, "\n## The table\n\n```text\n{}```\n\n", table.text()).unwrap();
    page
}

fn group(heading: &str, rows: &[Row], page: &mut String) {
    write!(
        page,
        "\n## {heading}\n\n| Fault | What happens | The caller sees | Calls | The log says | The tier | Alone, the caller sees |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    .unwrap();
    for row in rows {
        let Row { name, what, expect, .. } = row;
        let [first, second] = expect.calls;
        writeln!(
            page,
            "| {name} | {what} | {} | {first} + {second} | {} | {} | {} |",
            seen(expect.sees),
            logged(expect),
            fares(expect.health),
            seen_alone(expect)
        )
        .unwrap();
    }
    let mut buts = rows.iter().flat_map(|row| row.buts.iter().map(move |but| (row, but))).peekable();
    if buts.peek().is_some() {
        page.push_str("\nElsewhere:\n\n");
    }
    for (row, but) in buts {
        writeln!(page, "- **{}**, {}: {}; {}.", row.name, place(but), becomes(but), but.why).unwrap();
    }
}

fn place(but: &But) -> String {
    let form = match but.stream {
        Some(true) => "streamed",
        Some(false) => "whole",
        None => "",
    };
    let names: Vec<&str> = but.spellings.iter().map(|spelling| name(*spelling)).collect();
    let dialects = if but.spellings.len() == Spelling::ALL.len() { String::new() } else { names.join(", ") };
    match (dialects.is_empty(), form.is_empty()) {
        (true, _) => form.to_owned(),
        (false, true) => dialects,
        (false, false) => format!("{dialects} {form}"),
    }
}

/// What must follow there instead.
fn becomes(but: &But) -> String {
    let Some(expect) = &but.expect else { return "cannot be".to_owned() };
    let [first, second] = expect.calls;
    format!("{} ({first} + {second} calls, {}, {})", seen(expect.sees), logged(expect), fares(expect.health))
}

const fn name(spelling: Spelling) -> &'static str {
    match spelling {
        Spelling::OpenaiChat => "Chat",
        Spelling::OpenaiResponses => "Responses",
        Spelling::Anthropic => "Anthropic",
        Spelling::Gemini => "Gemini",
        Spelling::Ollama => "Ollama",
    }
}

/// Where the page stands.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/faults.md")
}

/// The committed page: what a run made, and the figures.
pub fn committed() -> (String, String) {
    let page = std::fs::read_to_string(path()).unwrap_or_default();
    let at = page.find(FIGURES).unwrap_or(page.len());
    let (made, figures) = page.split_at(at);
    (made.to_owned(), figures.to_owned())
}

/// Whether the page is to be written anew: `UPDATE_DOCS=1`.
pub fn is_to_be_written() -> bool {
    std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1")
}

/// Writes the page anew.
pub fn write(made: &str, figures: &str) {
    std::fs::write(path(), format!("{made}{figures}")).unwrap();
}
