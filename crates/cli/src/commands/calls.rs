//! `mainstay calls`: rows of the call log.

use jiff::tz::TimeZone;
use mainstay::{Outcome, Quality};
use mainstay_calllog::{CallFilter, CallRecord, CallRow};

use super::moment;
use crate::args::{CallsArgs, Global};
use crate::exit::Exit;
use crate::out::{self, Cell, Column, Tone, numbers, or_dash, words};
use crate::settings;

const COLUMNS: [Column; 9] = [
    words("time"),
    words("request"),
    words("tier"),
    numbers("#"),
    words("verdict"),
    numbers("tokens"),
    numbers("cost"),
    numbers("ms"),
    words("user"),
];

/// Prints the rows that fit, oldest first.
pub(crate) fn run(args: &CallsArgs, global: &Global) -> Result<(), Exit> {
    let zone = TimeZone::system();
    let filter = filter(args, &zone)?;
    let mut rows = settings::open_log(global)?.calls(&filter)?;
    rows.sort_by_key(|row| row.id);
    if global.json {
        return rows.iter().try_for_each(|row| out::json(&CallRow(row)));
    }
    if rows.is_empty() {
        anstream::eprintln!("no call fits");
    } else if rows.len() == args.limit {
        anstream::eprintln!("the newest {}; --limit shows more", args.limit);
    }
    out::table(&COLUMNS, rows.iter().map(|row| cells(row, &zone)).collect())
}

fn cells(row: &CallRecord, zone: &TimeZone) -> Vec<Cell> {
    let tokens = format!("{}/{}", or_dash(row.prompt_tokens), or_dash(row.completion_tokens));
    vec![
        out::clock(row.ts, zone).into(),
        row.request_id.clone().into(),
        or_dash(row.tier.as_deref()).into(),
        or_dash(row.attempt).into(),
        verdict(row),
        tokens.into(),
        row.cost.known().map_or_else(|| "?".to_owned(), |cost| format!("${cost}")).into(),
        row.latency_ms.to_string().into(),
        or_dash(row.user_id.as_deref()).into(),
    ]
}

fn verdict(row: &CallRecord) -> Cell {
    let kind = row.error_kind.as_deref();
    let word = kind.or(row.quality.map(Quality::word)).unwrap_or(row.outcome.word());
    let tone = match row.outcome {
        Outcome::Ok => Tone::Good,
        Outcome::Quality | Outcome::Aborted => Tone::Warn,
        Outcome::Error => Tone::Bad,
        Outcome::Skipped => Tone::Plain,
    };
    let word = if row.outcome == Outcome::Skipped { format!("skipped: {word}") } else { word.to_owned() };
    Cell::toned(word, tone)
}

fn filter(args: &CallsArgs, zone: &TimeZone) -> Result<CallFilter, Exit> {
    let quality = match args.quality.as_deref() {
        None => None,
        Some(word) => Some(Quality::from_word(word).ok_or_else(|| {
            let known: Vec<&str> = Quality::ALL.iter().map(|quality| quality.word()).collect();
            Exit::usage(format!("--quality {word}: there is no such class; there are {}", known.join(", ")))
        })?),
    };
    Ok(CallFilter {
        user: args.user.clone(),
        session: args.session.clone(),
        request: args.request.clone(),
        label: args.label.clone(),
        tier: args.tier.clone(),
        quality,
        since: moment(args.since.as_deref(), zone)?,
        until: moment(args.until.as_deref(), zone)?,
        limit: Some(args.limit),
        ..CallFilter::default()
    })
}
