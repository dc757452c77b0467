//! `mainstay spend`: what was spent, on what, and how much the caps leave.

mod caps;

use std::collections::HashMap;

use jiff::tz::TimeZone;
use mainstay::Nanodollars;
use mainstay_calllog::{SpendBy, SpendRow};
use mainstay_config::{Budget, Config};
use mainstay_store::LogReader;
use serde::Serialize;

use super::moment;
use crate::args::{Global, SpendArgs};
use crate::exit::Exit;
use crate::out::{self, Cell, Column, Tone, numbers, words};
use crate::running::Running;
use crate::settings;
use caps::{CapNow, CapsNow};

/// Adds up and prints.
pub(crate) async fn run(args: &SpendArgs, global: &Global) -> Result<(), Exit> {
    // What was spent is in the log, whatever is wrong with the rest of the file.
    let config: Option<Config> = settings::load_without_keys(global)?.and_then(Result::ok);
    let zone = config.as_ref().map_or(TimeZone::UTC, |config| config.budget.timezone.clone());
    let since = moment(args.since.as_deref(), &TimeZone::system())?;
    let log = settings::open_log(global)?;
    let rows = log.spend(args.by, since, &zone)?;
    let mut total = SpendRow::named("total");
    total.add(&log.totals(since)?);
    let running = Running::of(global, config.as_ref())?;
    let caps = CapsNow::find(&running, config.as_ref(), &log).await?;
    if global.json {
        rows.iter().try_for_each(out::json)?;
        return out::json(&Summary { total: &total, caps: &caps.caps, caps_from: caps.from });
    }
    let shares = Shares::of(args.by, config.as_ref().map(|config| &config.budget), &log, &zone)?;
    out::table(&columns(args.by, &shares), rows.iter().map(|row| cells(row, &shares)).collect())?;
    sum_up(&total);
    caps.print();
    Ok(())
}

/// What follows the rows, for scripts.
#[derive(Serialize)]
struct Summary<'a> {
    total: &'a SpendRow,
    caps: &'a [CapNow],
    caps_from: &'static str,
}

fn columns(by: SpendBy, shares: &Shares) -> Vec<Column> {
    let mut columns = vec![
        words(by.word()),
        numbers("calls"),
        numbers("answers"),
        numbers("rescued"),
        numbers("tokens in"),
        numbers("tokens out"),
        numbers("cost"),
        numbers("bought nothing"),
    ];
    if shares.cap.is_some() {
        columns.push(numbers(shares.heading));
    }
    columns
}

fn cells(row: &SpendRow, shares: &Shares) -> Vec<Cell> {
    let name = if row.name.is_empty() { "(none)" } else { &row.name };
    let cost = if row.unpriced == 0 { format!("${}", row.cost) } else { format!("${} + ?", row.cost) };
    let wasted = if row.wasted == Nanodollars::ZERO { Tone::Plain } else { Tone::Warn };
    let mut cells: Vec<Cell> = vec![
        name.into(),
        row.attempts.to_string().into(),
        row.ok.to_string().into(),
        row.rescued.to_string().into(),
        row.prompt_tokens.to_string().into(),
        row.completion_tokens.to_string().into(),
        cost.into(),
        Cell::toned(format!("${}", row.wasted), wasted),
    ];
    if shares.cap.is_some() {
        cells.push(shares.cell(row));
    }
    cells
}

/// How much of its own cap each row has used.
struct Shares {
    cap: Option<Nanodollars>,
    heading: &'static str,
    /// What counts against the cap, where that is not the row's own cost.
    today: Option<HashMap<String, Nanodollars>>,
}

impl Shares {
    fn of(by: SpendBy, budget: Option<&Budget>, log: &LogReader, zone: &TimeZone) -> Result<Self, Exit> {
        let (cap, heading) = match by {
            SpendBy::Day => (budget.and_then(|budget| budget.daily), "of daily"),
            SpendBy::User => (budget.and_then(|budget| budget.per_user_daily), "today of per_user_daily"),
            SpendBy::Session => (budget.and_then(|budget| budget.per_session), "of per_session"),
            SpendBy::Tier | SpendBy::Key | SpendBy::Label => (None, ""),
        };
        let today = if by == SpendBy::User && cap.is_some() {
            let rows = log.spend(SpendBy::User, caps::start_of_day(zone), zone)?;
            Some(rows.into_iter().map(|row| (row.name, row.cost)).collect())
        } else {
            None
        };
        Ok(Self { cap, heading, today })
    }

    fn cell(&self, row: &SpendRow) -> Cell {
        let cost = match &self.today {
            Some(today) => today.get(&row.name).copied().unwrap_or_default(),
            None => row.cost,
        };
        let percent = self.cap.map_or(0, |cap| percent(cost, cap));
        let tone = if percent >= 100 { Tone::Bad } else { Tone::Plain };
        Cell::toned(format!("{percent} %"), tone)
    }
}

/// A part of a whole, in percent; nothing of nothing is all of it.
fn percent(part: Nanodollars, whole: Nanodollars) -> i64 {
    let (part, whole) = (i128::from(part.nanos()), i128::from(whole.nanos()));
    let share = (part * 100).checked_div(whole).unwrap_or(100);
    i64::try_from(share).unwrap_or(i64::MAX)
}

/// On stderr, so that a pipe gets rows alone.
fn sum_up(total: &SpendRow) {
    let SpendRow { attempts, ok, rescued, cost, wasted, unpriced, .. } = total;
    let (calls, answers) = (out::many(*attempts, "call"), out::many(*ok, "answer"));
    anstream::eprintln!("total: ${cost} for {calls}; {answers}, {rescued} of them rescued");
    if *wasted > Nanodollars::ZERO {
        anstream::eprintln!(
            "${wasted} of it ({} %) bought nothing: answers that nobody could use",
            percent(*wasted, *cost)
        );
    }
    if *unpriced > 0 {
        anstream::eprintln!("not part of it: {} without a known price", out::many(*unpriced, "call"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_told_in_whole_percent() {
        let nanos = Nanodollars::from_nanos;
        assert_eq!(percent(nanos(1), nanos(3)), 33);
        assert_eq!(percent(nanos(6), nanos(3)), 200);
        assert_eq!(percent(nanos(0), nanos(0)), 100);
    }
}
