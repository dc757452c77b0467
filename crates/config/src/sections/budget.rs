//! `[budget]`: caps, and what happens at them (behaviour 8.2).

use std::path::PathBuf;

use jiff::tz::TimeZone;
use mainstay_canon::Nanodollars;
use mainstay_cost::Caps;

use crate::report::{At, Fault, Report};
use crate::secret::quoted;
use crate::suggest::nearest;
use crate::surroundings::Surroundings;
use crate::table::Section;

/// The caps and what belongs to them.
#[derive(Clone, Debug)]
pub struct Budget {
    /// For everybody together, per day.
    pub daily: Option<Nanodollars>,
    /// For everybody together, per month.
    pub monthly: Option<Nanodollars>,
    /// For each user, per day.
    pub per_user_daily: Option<Nanodollars>,
    /// For each session.
    pub per_session: Option<Nanodollars>,
    /// Where a day begins.
    pub timezone: TimeZone,
    /// From which share of a cap on there is an alert, in percent.
    pub warn_at_percent: u8,
    /// Whether `max_tokens` is lowered so that a call fits what is left.
    pub lower_output: bool,
    /// A newer catalogue of prices.
    pub prices: Option<PathBuf>,
    /// What happens at a cap.
    pub at_cap: AtCap,
    /// What happens when the ledger's store cannot be reached and the leases are spent.
    pub on_failure: OnLedgerFailure,
}

impl Budget {
    /// Whether any cap is set.
    pub fn has_cap(&self) -> bool {
        self.cap_name().is_some()
    }

    /// The caps as the ledger takes them.
    pub fn caps(&self) -> Caps {
        Caps {
            daily: self.daily,
            monthly: self.monthly,
            per_user_daily: self.per_user_daily,
            per_session: self.per_session,
            timezone: self.timezone.clone(),
            warn_at_percent: self.warn_at_percent,
        }
    }

    /// The first cap that is set, by its name in the file.
    pub(crate) fn cap_name(&self) -> Option<&'static str> {
        [
            (self.daily, "budget.daily"),
            (self.monthly, "budget.monthly"),
            (self.per_user_daily, "budget.per_user_daily"),
            (self.per_session, "budget.per_session"),
        ]
        .into_iter()
        .find_map(|(cap, name)| cap.map(|_| name))
    }
}

/// What happens at a cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtCap {
    /// The call is refused.
    Abort,
    /// A static tier that is free may still answer.
    Static,
}

/// What happens when spending cannot be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLedgerFailure {
    /// No call is made.
    Refuse,
    /// Calls go on, with an alert.
    Warn,
}

/// Reads the section; also says where a newer catalogue is named.
pub(crate) fn read(
    mut section: Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> (Budget, Option<At>) {
    let s = &mut section;
    let budget = Budget {
        daily: s.dollars(report, "daily").map(|cap| cap.value),
        monthly: s.dollars(report, "monthly").map(|cap| cap.value),
        per_user_daily: s.dollars(report, "per_user_daily").map(|cap| cap.value),
        per_session: s.dollars(report, "per_session").map(|cap| cap.value),
        timezone: read_zone(s, report),
        warn_at_percent: s.percent(report, "warn_at").map_or(80, |share| share.value),
        lower_output: s.flag(report, "lower_output").is_some_and(|flag| flag.value),
        prices: s.optional_text(report, "prices").map(|typed| around.path(&typed.value)),
        at_cap: s
            .choice(report, "at_cap", &[("abort", AtCap::Abort), ("static", AtCap::Static)])
            .map_or(AtCap::Abort, |word| word.value),
        on_failure: s
            .choice(
                report,
                "on_failure",
                &[("refuse", OnLedgerFailure::Refuse), ("warn", OnLedgerFailure::Warn)],
            )
            .map_or(OnLedgerFailure::Refuse, |word| word.value),
    };
    let prices_at = section.entry("prices").map(|entry| entry.at);
    section.close(report);
    (budget, prices_at)
}

/// A zone by its name in the IANA database.
fn read_zone(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> TimeZone {
    let Some(typed) = section.text(report, "timezone") else { return TimeZone::UTC };
    let name = typed.value.trim();
    if let Ok(zone) = TimeZone::get(name) {
        return zone;
    }
    let known: Vec<String> = jiff::tz::db().available().map(|zone| zone.to_string()).collect();
    let what = format!("budget.timezone = {} is not a time zone", quoted(name));
    let meant = nearest(name, known.iter().map(String::as_str));
    let what = meant.map_or(what.clone(), |meant| format!("{what}; did you mean {}?", quoted(meant)));
    report.push(
        Fault::error("unknown_timezone", &typed.at, what)
            .expected("a name of the IANA database, such as \"UTC\" or \"Europe/Berlin\""),
    );
    TimeZone::UTC
}
