//! What became of one feature at one upstream.

use std::collections::BTreeSet;

use mainstay_canon::{Failure, Kind, RawJson};
use mainstay_dialects::anthropic::BETA_HEADER;
use mainstay_dialects::{Inbound, Outbound, Received};
use serde_json::Value;

use super::columns::Column;
use super::feature::Feature;
use super::leaves::Leaves;

/// What became of one feature at one upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// On the wire as the caller wrote it.
    Carried,
    /// On the wire in the upstream's own form; how, and what the note says.
    Otherwise {
        /// What is other in the body or the headers.
        changed: Vec<String>,
        /// What a row of the call log says.
        notes: Vec<String>,
    },
    /// Not on the wire, and a row of the call log says so.
    Noted(Vec<String>),
    /// The upstream is not asked, the next tier is; the field at fault and why.
    Refused(String),
    /// No upstream is asked: the caller is told.
    NotServed(String),
    /// Heeded without being told to this upstream.
    Heeded(&'static str),
    /// Gone without a word, with what is gone.
    Lost(Vec<String>),
}

/// What stands in a request and need not be told to anybody, by its path and the beginning of its value.
const HEEDED: [(&str, &str, &str); 9] = [
    (
        "stream_options.include_usage",
        "",
        "every upstream is asked for token counts, and they are handed on where they are wanted",
    ),
    ("store", "", "nothing is stored, and the reply says so"),
    ("n", "1", "one answer is what is served"),
    ("tool_choice", "\"auto\"", "so it is where nothing is said"),
    ("tool_choice.type", "\"auto\"", "so it is where nothing is said"),
    ("response_format.type", "\"text\"", "so it is where nothing is said"),
    ("text.format.type", "\"text\"", "so it is where nothing is said"),
    ("include[]", "\"reasoning.encrypted_content\"", "asked for whenever a model reasons"),
    (
        "strict",
        "true",
        "the upstream holds to every schema, or the row says already that it is given none; the answer is checked here",
    ),
];

/// Finds it out.
pub(crate) fn of_request(face: &dyn Inbound, feature: &Feature, column: &Column) -> Cell {
    let without =
        read(face, &feature.without).unwrap_or_else(|failure| panic!("{}: {failure}", feature.name));
    let with = match read(face, &feature.with) {
        Ok(with) => with,
        Err(failure) => return Cell::NotServed(failure.message),
    };
    let before = column
        .write(&without)
        .unwrap_or_else(|failure| panic!("{} at {}: {failure}", feature.name, column.title));
    let after = match column.write(&with) {
        Ok(after) => after,
        Err(failure) => {
            assert_eq!(failure.kind, Kind::UnsupportedParameter, "{}: {failure}", feature.name);
            let param = failure.param.unwrap_or_default();
            assert!(!param.is_empty(), "{} at {}: no field is named", feature.name, column.title);
            let said = failure.message.strip_prefix(&format!("{param}: ")).unwrap_or(&failure.message);
            return Cell::Refused(format!("`{param}`: {said}"));
        }
    };
    let asked = Leaves::of(&feature.with).without(&Leaves::of(&feature.without));
    let (before_wire, after_wire) = (wire(&before), wire(&after));
    let told = after_wire.without(&before_wire);
    let gone = before_wire.without(&after_wire);
    let notes: Vec<String> =
        after.notes.iter().filter(|note| !before.notes.contains(note)).cloned().collect();
    judge(&asked, &told, &gone, notes)
}

/// A request as the gateway reads it. What stands in parentheses is a header.
fn read(face: &dyn Inbound, request: &Value) -> Result<Received, Failure> {
    let mut body = request.clone();
    let betas = body.as_object_mut().and_then(|members| members.remove(&format!("({BETA_HEADER})")));
    let mut received = face.read_request(&bytes(&body))?;
    if let Some(betas) = betas {
        received.request.extra.insert(BETA_HEADER, RawJson::of(&betas).unwrap());
    }
    Ok(received)
}

/// The leaves of body, headers and path.
fn wire(outbound: &Outbound) -> Leaves {
    let mut all: Value = serde_json::from_slice(&outbound.body).unwrap();
    all["(path)"] = outbound.path.as_str().into();
    for (name, value) in &outbound.headers {
        all[format!("({name})")] = value.as_str().into();
    }
    Leaves::of(&all)
}

fn judge(asked: &Leaves, told: &Leaves, gone: &Leaves, notes: Vec<String>) -> Cell {
    if asked.without(told).is_empty() && notes.is_empty() {
        return Cell::Carried;
    }
    let is_silent = told.is_empty() && gone.is_empty() && notes.is_empty();
    if let Some(why) = heeded(asked).filter(|_| is_silent) {
        return Cell::Heeded(why);
    }
    let missing: Vec<String> = missing(asked, told).into_iter().collect();
    if is_silent {
        return Cell::Lost(asked.iter().map(|(path, value)| format!("{path}: {value}")).collect());
    }
    if !missing.is_empty() && notes.is_empty() {
        return Cell::Lost(missing);
    }
    if told.is_empty() && gone.is_empty() {
        return Cell::Noted(notes);
    }
    Cell::Otherwise { changed: changed(told, gone), notes }
}

fn heeded(asked: &Leaves) -> Option<&'static str> {
    let fits = |(path, value): (&str, &str), (known, start, _): &(&str, &str, &str)| {
        (path == *known || path.ends_with(&format!(".{known}"))) && value.starts_with(start)
    };
    HEEDED.iter().find(|entry| asked.iter().all(|leaf| fits(leaf, entry))).map(|(_, _, why)| *why)
}

/// What a reader must see of what changed: not the roles and types that every message and part has.
pub(crate) fn changed(told: &Leaves, gone: &Leaves) -> Vec<String> {
    let is_form = |(path, value): &(&str, &str)| {
        let member = path.rsplit('.').next();
        (path.contains("[]") && matches!(member, Some("type" | "role"))) || *value == "\"Hi\""
    };
    let kept: Vec<(&str, &str)> = told.iter().filter(|leaf| !is_form(leaf)).collect();
    if kept.is_empty() && told.is_empty() {
        return gone.iter().map(|leaf| format!("without {}", spelled(leaf))).collect();
    }
    if kept.is_empty() { told.iter().map(spelled).collect() } else { kept.into_iter().map(spelled).collect() }
}

/// The probes that are nowhere on the wire.
pub(crate) fn missing(asked: &Leaves, told: &Leaves) -> BTreeSet<String> {
    let words = |leaves: &Leaves| -> Vec<String> {
        leaves
            .iter()
            .flat_map(|(path, value)| {
                probes(path).chain(probes(value)).map(str::to_owned).collect::<Vec<_>>()
            })
            .collect()
    };
    let told = words(told);
    words(asked).into_iter().filter(|word| !told.contains(word)).collect()
}

/// The words of a text that begin with `probe`.
fn probes(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    text.split(move |letter| !is_part(letter))
        .filter_map(|word| word.find("probe").and_then(|at| word.get(at..)))
}

/// A leaf as a reader of the documentation sees it.
pub(crate) fn spelled((path, value): (&str, &str)) -> String {
    const SHOWN: usize = 48;
    let value = if value.chars().count() > SHOWN {
        value.chars().take(SHOWN).chain("…".chars()).collect()
    } else {
        value.to_owned()
    };
    format!("`{path}: {value}`")
}

fn bytes(body: &Value) -> Vec<u8> {
    body.to_string().into_bytes()
}
