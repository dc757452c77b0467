//! Writes the bundled catalogue from a file of provider facts.
//!
//! ```text
//! cargo run -p mainstay-cost --example import_catalogue -- PATH/prices.json > crates/cost/data/catalogue.txt
//! ```
//!
//! Knows the JSON form of the facts (schema 1) and the text form of the catalogue. Where the facts leave
//! room, it takes the side on which a bill is never larger than what was said:
//! a price of 0 counts only where two sources agree or the model is free by its id; the price of a long
//! cache write is the dearest of those for an hour and more; a service tier that states no step of its own
//! is never cheaper above the step than the standard one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use mainstay_cost::Catalogue;
use serde::Deserialize;
use serde_json::Value;

const FORM: &str = "\
# The models that Mainstay knows, with their prices. Written by examples/import_catalogue.rs: do not edit by
# hand. See NOTICE for the sources and their licence.
#
# A model is one line under its provider: the name on the wire, then fields.
#   in out read write long think   US dollars per million tokens: input, output, input read from a cache,
#                                  input written to a cache for minutes, for an hour or longer, reasoning.
#                                  Absent: read and write cost as `in`, long as write, think as out.
#   audio image video speech       dollars per million tokens of sound, images, video in, sound out
#   ctx max img                    largest prompt, longest answer, most tokens of one image
#   can=reasoning,images,tools,schema   what a source asserts; absence proves nothing
#   by next gone deprecated        switched off on that day, what replaces it, gone already, discouraged
#   responses embed unpriced       only in OpenAI's Responses API, makes vectors, no price is published
#   clock uplift src               hours that multiply the price, factors for data residency, source
# Indented: `>N` the rates of the whole request once its prompt is larger than N tokens; `NAME` the rates of
# that service tier; `NAME>N` both. What an indented line does not state is as in the line it refines.
";

#[derive(Deserialize)]
struct Facts {
    schema: u32,
    as_of: String,
    sources: BTreeMap<String, Source>,
    schedules: Vec<Rule>,
    holidays: BTreeMap<String, Holidays>,
    models: Vec<Entry>,
}

#[derive(Deserialize)]
struct Source {
    package: String,
    repository: String,
    licence: String,
    as_of: String,
}

#[derive(Deserialize)]
struct Rule {
    provider: String,
    from: String,
    until: Option<String>,
    peak_hours_utc: Option<Vec<[String; 2]>>,
    peak_multiplier: Option<String>,
    #[serde(default)]
    weekdays_only: bool,
    holidays: Option<String>,
    off_peak_hours_utc: Option<Vec<[String; 2]>>,
    #[serde(default)]
    off_peak_multiplier: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Holidays {
    utc_offset_hours: i8,
    covers_through: String,
    dates: Vec<String>,
}

type Prices = BTreeMap<String, String>;

#[derive(Deserialize)]
struct Step {
    above: u64,
    prices: Prices,
}

#[derive(Deserialize)]
struct Service {
    prices: Prices,
    #[serde(default)]
    tiers: Vec<Step>,
}

#[derive(Deserialize)]
struct Entry {
    provider: String,
    model: String,
    mode: String,
    context: Option<u64>,
    max_output: Option<u64>,
    prices: Prices,
    #[serde(default)]
    tiers: Vec<Step>,
    #[serde(default)]
    modes: BTreeMap<String, Service>,
    #[serde(default)]
    caps: Vec<String>,
    #[serde(default)]
    uplift: BTreeMap<String, String>,
    deprecates: Option<String>,
    status: Option<String>,
    successor: Option<String>,
    #[serde(default)]
    time_of_day: bool,
    #[serde(default)]
    unpriced: bool,
    source: String,
    #[serde(default)]
    check: BTreeMap<String, Value>,
}

/// The six rates of a line, in the catalogue's words.
type Rates = BTreeMap<&'static str, String>;

fn main() -> ExitCode {
    match run() {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => fail(&problem.to_string()),
        },
        Err(problem) => fail(&problem),
    }
}

fn fail(problem: &str) -> ExitCode {
    eprintln!("{problem}");
    ExitCode::FAILURE
}

fn run() -> Result<String, String> {
    let path = std::env::args().nth(1).ok_or("usage: import_catalogue PATH/prices.json")?;
    let text = std::fs::read_to_string(&path).map_err(|problem| format!("{path}: {problem}"))?;
    let facts: Facts = serde_json::from_str(&text).map_err(|problem| format!("{path}: {problem}"))?;
    if facts.schema != 1 {
        return Err(format!("{path}: schema {} is not known", facts.schema));
    }
    let catalogue = write(&facts);
    let read = Catalogue::parse(&catalogue)
        .map_err(|problem| format!("what was written does not read: {problem}"))?;
    eprintln!("{} models with a price, {} entries", read.models().len(), facts.models.len());
    Ok(catalogue)
}

fn write(facts: &Facts) -> String {
    let mut out = format!("mainstay-catalogue 1\n{FORM}as-of {}\n", facts.as_of);
    for (id, source) in &facts.sources {
        let Source { package, repository, licence, as_of } = source;
        let _ = writeln!(out, "source {id} {package}; {repository}; {licence}, {as_of}");
    }
    for (name, calendar) in &facts.holidays {
        let Holidays { utc_offset_hours, covers_through, dates } = calendar;
        let _ = writeln!(
            out,
            "calendar {name} utc{utc_offset_hours:+} through={covers_through} {}",
            dates.join(" ")
        );
    }
    let clocks = clocks(facts, &mut out);
    let mut models: Vec<&Entry> = facts.models.iter().collect();
    models.sort_by_key(|entry| (&entry.provider, &entry.model));
    let mut provider = "";
    for entry in models {
        if provider != entry.provider {
            provider = &entry.provider;
            let _ = writeln!(out, "\n[{provider}]");
        }
        out.push_str(&lines_of(entry, &clocks));
    }
    out
}

/// Writes the rules that are still in force; which model follows which.
fn clocks(facts: &Facts, out: &mut String) -> BTreeMap<(String, String), String> {
    let mut follows = BTreeMap::new();
    let in_force = |rule: &&Rule| rule.until.as_ref().is_none_or(|until| *until > facts.as_of);
    for rule in facts.schedules.iter().filter(in_force) {
        let flagged =
            facts.models.iter().filter(|entry| entry.provider == rule.provider && entry.time_of_day);
        if let (Some(hours), Some(times)) = (&rule.peak_hours_utc, &rule.peak_multiplier) {
            let name = format!("{}-peak", rule.provider);
            write_clock(out, &name, times, hours, rule);
            follows.extend(flagged.map(|entry| ((rule.provider.clone(), entry.model.clone()), name.clone())));
        } else if let Some(hours) = &rule.off_peak_hours_utc {
            for (model, times) in &rule.off_peak_multiplier {
                let name = format!("{}-{model}-off-peak", rule.provider);
                write_clock(out, &name, times, hours, rule);
                follows.insert((rule.provider.clone(), model.clone()), name);
            }
        }
    }
    follows
}

fn write_clock(out: &mut String, name: &str, times: &str, hours: &[[String; 2]], rule: &Rule) {
    let hours: Vec<String> = hours.iter().map(|[from, until]| format!("{from}-{until}")).collect();
    let _ = write!(out, "clock {name} times={times} hours={}", hours.join(","));
    if rule.weekdays_only {
        out.push_str(" weekdays");
    }
    if let Some(calendar) = &rule.holidays {
        let _ = write!(out, " holidays={calendar}");
    }
    let _ = write!(out, " from={}", rule.from);
    if let Some(until) = &rule.until {
        let _ = write!(out, " until={until}");
    }
    out.push('\n');
}

fn lines_of(entry: &Entry, clocks: &BTreeMap<(String, String), String>) -> String {
    let base = rates(entry, &entry.prices);
    let embeds = entry.mode == "embedding";
    if entry.unpriced || !base.contains_key("in") || !(embeds || base.contains_key("out")) {
        return format!("{} unpriced\n", entry.model);
    }
    let mut out = entry.model.clone();
    if embeds {
        out.push_str(" embed");
    } else if entry.mode == "responses" {
        out.push_str(" responses");
    }
    put_rates(&mut out, &base);
    facts_of(entry, clocks, &mut out);
    out.push('\n');
    for step in &entry.tiers {
        put_step(&mut out, &format!(">{}", step.above), &rates(entry, &step.prices));
    }
    // Batches are not what a waiting caller uses, and `decisions` is another route.
    let services = entry.modes.iter().filter(|(name, _)| !matches!(name.as_str(), "batch" | "decisions"));
    for (name, service) in services {
        put_service(entry, &base, name, service, &mut out);
    }
    out
}

fn facts_of(entry: &Entry, clocks: &BTreeMap<(String, String), String>, out: &mut String) {
    for (field, word) in [
        ("audio_input", "audio"),
        ("audio_output", "speech"),
        ("image_input", "image"),
        ("video_input", "video"),
    ] {
        if let Some(price) = entry.prices.get(field) {
            let _ = write!(out, " {word}={price}");
        }
    }
    let mut put = |key: &str, value: Option<&dyn std::fmt::Display>| {
        if let Some(value) = value {
            let _ = write!(out, " {key}={value}");
        }
    };
    put("ctx", entry.context.as_ref().map(|tokens| tokens as &dyn std::fmt::Display));
    put("max", entry.max_output.as_ref().map(|tokens| tokens as &dyn std::fmt::Display));
    put("img", image_tokens(entry).as_ref().map(|tokens| tokens as &dyn std::fmt::Display));
    let abilities =
        [("reasoning", "reasoning"), ("vision", "images"), ("tools", "tools"), ("json_schema", "schema")];
    let can: Vec<&str> = abilities
        .into_iter()
        .filter(|(cap, _)| entry.caps.iter().any(|known| known == cap))
        .map(|(_, word)| word)
        .collect();
    put("can", (!can.is_empty()).then(|| can.join(",")).as_ref().map(|text| text as &dyn std::fmt::Display));
    put("by", entry.deprecates.as_ref().map(|day| day as &dyn std::fmt::Display));
    // A title is no name that could be written into a config.
    let successor = entry.successor.as_ref().filter(|model| !model.contains(char::is_whitespace));
    put("next", successor.map(|model| model as &dyn std::fmt::Display));
    let clock = clocks.get(&(entry.provider.clone(), entry.model.clone()));
    put("clock", clock.map(|name| name as &dyn std::fmt::Display));
    let uplift: Vec<String> =
        entry.uplift.iter().map(|(place, factor)| format!("{place}:{factor}")).collect();
    put(
        "uplift",
        (!uplift.is_empty()).then(|| uplift.join(",")).as_ref().map(|text| text as &dyn std::fmt::Display),
    );
    put("src", Some(&entry.source));
    match entry.status.as_deref() {
        Some("removed" | "retired") => out.push_str(" gone"),
        Some("deprecated") => out.push_str(" deprecated"),
        Some(_) | None => {}
    }
}

/// The most tokens of one image, where a vendor's documentation states a bound: Anthropic's guide to vision
/// (4,784 visual tokens at the highest native resolution) and OpenAI's (gpt-4o-mini: 2,833, and 5,667 for
/// each of at most eight tiles), both read in 2026. Others stay without, and the largest known bound is taken.
fn image_tokens(entry: &Entry) -> Option<u64> {
    let sees = entry.caps.iter().any(|cap| cap == "vision");
    if sees && entry.model.contains("claude-") {
        return Some(4_784);
    }
    (sees && entry.model.contains("gpt-4o-mini")).then_some(48_169)
}

/// The six rates that a set of prices states. A zero is one only where it is proven.
fn rates(entry: &Entry, prices: &Prices) -> Rates {
    let proven = entry.model.ends_with(":free") || entry.check.values().any(|verdict| verdict == "agree");
    let stated = |field: &str| {
        let price = prices.get(field)?;
        let zero = price.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let vectors_have_no_output = entry.mode == "embedding" && field == "output";
        (!zero || (proven && !vectors_have_no_output)).then(|| price.clone())
    };
    let mut rates = Rates::new();
    for (field, word) in [
        ("input", "in"),
        ("output", "out"),
        ("cache_read", "read"),
        ("cache_write_5m", "write"),
        ("reasoning", "think"),
    ] {
        if let Some(price) = stated(field) {
            rates.insert(word, price);
        }
    }
    let long = [stated("cache_write_1h"), stated("cache_write_12h")].into_iter().flatten();
    if let Some(price) = long.max_by(|a, b| cmp(a, b)) {
        rates.insert("long", price);
    }
    rates
}

/// Compares two decimals.
fn cmp(a: &str, b: &str) -> std::cmp::Ordering {
    let units = |text: &str| text.parse::<mainstay_canon::PerMillion>().unwrap_or_default();
    units(a).cmp(&units(b))
}

fn put_service(entry: &Entry, base: &Rates, name: &str, service: &Service, out: &mut String) {
    let own = over(&rates(entry, &service.prices), base);
    put_step(out, name, &own);
    let marks = if service.tiers.is_empty() { &entry.tiers } else { &service.tiers };
    for step in marks {
        let standard = entry.tiers.iter().find(|known| known.above == step.above);
        let standard = standard.map(|known| over(&rates(entry, &known.prices), base)).unwrap_or_default();
        let floor = dearer(&own, &standard);
        let stated = if service.tiers.is_empty() { Rates::new() } else { rates(entry, &step.prices) };
        put_step(out, &format!("{name}>{}", step.above), &over(&stated, &floor));
    }
}

/// The rates of `stated`, and those of `parent` where it states none.
fn over(stated: &Rates, parent: &Rates) -> Rates {
    parent.iter().chain(stated).map(|(word, price)| (*word, price.clone())).collect()
}

fn dearer(one: &Rates, other: &Rates) -> Rates {
    let mut both = one.clone();
    for (word, price) in other {
        let kept = both.entry(word).or_insert_with(|| price.clone());
        if cmp(price, kept).is_gt() {
            kept.clone_from(price);
        }
    }
    both
}

fn put_step(out: &mut String, name: &str, rates: &Rates) {
    let _ = write!(out, "  {name}");
    put_rates(out, rates);
    out.push('\n');
}

fn put_rates(out: &mut String, rates: &Rates) {
    for word in ["in", "out", "read", "write", "long", "think"] {
        if let Some(price) = rates.get(word) {
            let _ = write!(out, " {word}={price}");
        }
    }
}
