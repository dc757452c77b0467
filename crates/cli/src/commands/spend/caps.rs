//! How the caps stand: as the running gateway counts, else as the configuration and the log say.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use mainstay::{Moment, Nanodollars};
use mainstay_config::Config;
use mainstay_store::LogReader;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::percent;
use crate::exit::Exit;
use crate::out::{self, Dollars};
use crate::running::Running;
use crate::settings::now;

/// How one cap stands.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CapNow {
    cap: String,
    limit_usd: Dollars,
    /// `None` for a cap that counts for each user or session by itself.
    spent_usd: Option<Dollars>,
    /// What is set aside for calls under way; known to a running gateway alone.
    reserved_usd: Option<Dollars>,
    /// RFC 3339.
    resets_at: Option<String>,
}

/// The answer of `GET /admin/caps`.
#[derive(Deserialize)]
struct Told {
    caps: Vec<CapTold>,
}

/// One cap of it. Money is a number with exact decimals, which a parsed tree would lose.
#[derive(Deserialize)]
struct CapTold {
    cap: String,
    limit_usd: Box<RawValue>,
    spent_usd: Box<RawValue>,
    reserved_usd: Box<RawValue>,
    resets_at: Option<String>,
}

impl CapTold {
    /// `None` where an amount is none.
    fn read(self) -> Option<CapNow> {
        let amount = |raw: &RawValue| raw.get().parse().ok().map(Dollars);
        Some(CapNow {
            limit_usd: amount(&self.limit_usd)?,
            spent_usd: Some(amount(&self.spent_usd)?),
            reserved_usd: Some(amount(&self.reserved_usd)?),
            resets_at: self.resets_at,
            cap: self.cap,
        })
    }
}

/// The caps and who says so.
pub(super) struct CapsNow {
    pub(super) caps: Vec<CapNow>,
    pub(super) from: &'static str,
}

impl CapsNow {
    /// Asks the gateway; where none answers, reads what is configured and logged.
    pub(super) async fn find(
        running: &Running,
        config: Option<&Config>,
        log: &LogReader,
    ) -> Result<Self, Exit> {
        match running.get::<Told>("/admin/caps").await {
            Ok(Some(told)) => {
                let caps = told.caps.into_iter().filter_map(CapTold::read).chain(each(config)).collect();
                Ok(Self { caps, from: "gateway" })
            }
            Ok(None) => of_config(config, log),
            Err(refused) => {
                // The log itself needs no gateway, so this is no reason to show nothing.
                refused.report();
                of_config(config, log)
            }
        }
    }

    /// On stderr, below the rows.
    pub(super) fn print(&self) {
        if self.caps.is_empty() {
            anstream::eprintln!("caps: none; set [budget] daily");
            return;
        }
        anstream::eprintln!(
            "caps, {}:",
            match self.from {
                "gateway" => "as the running gateway counts",
                _ => "as the configuration says; no gateway answers, so what was spent is taken from the log",
            }
        );
        for cap in &self.caps {
            anstream::eprintln!("  {}", words(cap));
        }
    }
}

fn words(cap: &CapNow) -> String {
    let CapNow { cap, limit_usd: Dollars(limit), spent_usd, reserved_usd, resets_at } = cap;
    let Some(Dollars(spent)) = spent_usd else { return format!("{cap} ${limit} each") };
    let mut words = format!("{cap} ${limit}: ${spent} spent ({} %)", percent(*spent, *limit));
    if let Some(Dollars(reserved)) = reserved_usd.filter(|reserved| reserved.0 > Nanodollars::ZERO) {
        // Writing to a string cannot fail, here and below.
        let _ = write!(words, ", ${reserved} set aside for calls under way");
    }
    if let Some(at) = resets_at.as_deref().and_then(|at| at.parse::<Timestamp>().ok()) {
        let left = now().until(Moment::from_micros(at.as_microsecond()));
        let _ = write!(words, ", starts anew in {}", out::wait(left));
    }
    words
}

/// The start of today in a zone.
pub(super) fn start_of_day(zone: &TimeZone) -> Option<Moment> {
    Some(moment(&today(zone)?.start_of_day().ok()?))
}

fn start_of_month(zone: &TimeZone) -> Option<Moment> {
    Some(moment(&today(zone)?.first_of_month().ok()?.start_of_day().ok()?))
}

fn today(zone: &TimeZone) -> Option<ZonedDateTime> {
    Some(Timestamp::from_microsecond(now().micros()).ok()?.to_zoned_datetime(zone.clone()))
}

fn moment(zoned: &ZonedDateTime) -> Moment {
    Moment::from_micros(zoned.timestamp().as_microsecond())
}

fn of_config(config: Option<&Config>, log: &LogReader) -> Result<CapsNow, Exit> {
    let mut caps = Vec::new();
    if let Some(budget) = config.map(|config| &config.budget) {
        let day = start_of_day(&budget.timezone);
        let month = start_of_month(&budget.timezone);
        for (name, limit, since) in [("daily", budget.daily, day), ("monthly", budget.monthly, month)] {
            let Some(limit) = limit else { continue };
            let spent = Some(Dollars(log.totals(since)?.cost));
            caps.push(CapNow { spent_usd: spent, ..cap(name, limit) });
        }
    }
    caps.extend(each(config));
    Ok(CapsNow { caps, from: "config" })
}

/// The caps that count for each user or session by itself.
fn each(config: Option<&Config>) -> Vec<CapNow> {
    let Some(budget) = config.map(|config| &config.budget) else { return Vec::new() };
    let each = [("per_user_daily", budget.per_user_daily), ("per_session", budget.per_session)];
    each.into_iter().filter_map(|(name, limit)| Some(cap(name, limit?))).collect()
}

fn cap(name: &str, limit: Nanodollars) -> CapNow {
    CapNow {
        cap: name.to_owned(),
        limit_usd: Dollars(limit),
        spent_usd: None,
        reserved_usd: None,
        resets_at: None,
    }
}
