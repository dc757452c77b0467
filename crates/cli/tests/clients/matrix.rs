//! What is compared with what, and the table of it.

use crate::client::{Client, Face};
use crate::run::{CANCELLED, Shown};
use crate::setting::{ALL_DONE, MILD, RIVERS, SHAPED, STEPS, Way};

/// What each client is tried on.
pub const CELLS: [&str; 13] = [
    "plain",
    "streamed",
    "tools",
    "streamed tools",
    "parallel tools",
    "structured",
    "bad request",
    "outage",
    "rate limit",
    "refusal",
    "cut",
    "ten steps",
    CANCELLED,
];

/// What became of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Green,
    /// What happened instead, one line for each way on which it did.
    Red(Vec<String>),
    /// Why the client cannot do it.
    Absent(String),
}

impl Cell {
    pub const fn mark(&self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Red(_) => "**red**",
            Self::Absent(_) => "-",
        }
    }
}

/// One client in one dialect.
#[derive(Debug)]
pub struct Row {
    pub client: &'static Client,
    pub face: Face,
    pub cells: Vec<(&'static str, Cell)>,
}

impl Row {
    /// Compares what a client showed its user directly with what it showed through the gateway.
    pub fn of(client: &'static Client, face: Face, runs: &[(Way, Shown)]) -> Self {
        let cells = CELLS.into_iter().map(|cell| (cell, judge(cell, runs))).collect();
        Self { client, face, cells }
    }

    pub fn name(&self) -> String {
        format!("{} ({})", self.client.name, self.face.name())
    }

    /// Everything that was not as it should be.
    pub fn reds(&self) -> Vec<String> {
        let red = |(name, cell): &(&str, Cell)| match cell {
            Cell::Red(why) => why.iter().map(|why| format!("{}, {name}: {why}", self.name())).collect(),
            Cell::Green | Cell::Absent(_) => Vec::new(),
        };
        self.cells.iter().flat_map(red).collect()
    }
}

fn judge(cell: &str, runs: &[(Way, Shown)]) -> Cell {
    let nothing = String::from("nothing was shown");
    let shown = |at: usize| runs[at].1.get(cell).unwrap_or(&nothing);
    let direct = shown(0);
    if let Some(why) = direct.strip_prefix("- ") {
        return Cell::Absent(why.to_owned());
    }
    let mut reds = Vec::new();
    if !plausible(cell, direct) {
        reds.push(format!("the trial is wrong: with the provider itself it shows {direct:?}"));
    }
    for (at, (way, _)) in runs.iter().enumerate().skip(1) {
        if !same(cell, direct, shown(at)) {
            reds.push(format!("{}: {:?} instead of {direct:?}", way.name(), shown(at)));
        }
    }
    if reds.is_empty() { Cell::Green } else { Cell::Red(reds) }
}

/// Whether the provider itself led to what this cell is about: two equal mistakes are not a success.
fn plausible(cell: &str, shown: &str) -> bool {
    let porto = r#"get_weather {"city":"Porto"}"#;
    match cell {
        "plain" | "streamed" => shown == RIVERS,
        "tools" | "streamed tools" => shown == format!("{porto} -> {MILD}"),
        "parallel tools" => shown == format!("{porto} + get_weather {{\"city\":\"Lisbon\"}} -> {MILD}"),
        "structured" => shown == SHAPED,
        "ten steps" => shown == steps(),
        "bad request" => shown.starts_with("raised ") && shown.contains("A field is wrong"),
        "outage" | "rate limit" => shown.starts_with("raised "),
        // One SDK hands the failure of a streamed response on as an event.
        "cut" => shown.starts_with("raised ") || shown.ends_with("[ended with response.failed]"),
        "refusal" => shown.contains("I can't help with that request."),
        CANCELLED => shown == "stopped",
        _ => false,
    }
}

fn steps() -> String {
    let calls: Vec<String> = (1..=STEPS).map(|step| format!("next_step {{\"step\":{step}}}")).collect();
    format!("{} -> {ALL_DONE}", calls.join(" + "))
}

/// Whether a user would see no difference. Errors are the same where the class that is caught for the one catches
/// the other, too; what they say differs, except for the caller's own mistake. A cut is raised in any case, and as the
/// error of an API: an event can be overlooked, and some libraries raise an event of failure as something else.
fn same(cell: &str, direct: &str, through: &str) -> bool {
    let (Some(expected), Some(found)) = (classes(direct), classes(through)) else {
        return match cell {
            "cut" => is_api_error(through),
            "refusal" => direct == through || twice(direct) == through,
            _ => direct == through,
        };
    };
    let caught = expected.first().is_some_and(|class| found.contains(class));
    match cell {
        "cut" => caught || is_api_error(through),
        // How a provider is out has finer classes than that it is.
        "outage" => caught || found.first().is_some_and(|class| expected.contains(class)),
        "bad request" => caught && through.contains("A field is wrong"),
        _ => caught,
    }
}

/// A refusal that another dialect told as text stands in both places of OpenAI's Chat: `content`, for clients that
/// know no other, and `refusal`. Some join the two.
fn twice(shown: &str) -> String {
    shown.split_once(": ").map_or_else(|| shown.repeat(2), |(word, text)| format!("{word}: {text}{text}"))
}

fn is_api_error(shown: &str) -> bool {
    classes(shown).is_some_and(|classes| {
        ["APIError", "ModelAPIError", "AISDKError"].iter().any(|error| classes.contains(error))
    })
}

fn classes(shown: &str) -> Option<Vec<&str>> {
    let (classes, _) = shown.strip_prefix("raised ")?.split_once(": ")?;
    Some(classes.split(" < ").collect())
}
