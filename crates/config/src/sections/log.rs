//! `[log]`: where calls are recorded, and for how long (behaviour 9).

use std::time::Duration;

use crate::address::{BaseUrl, StoreUrl};
use crate::report::{Fault, Report};
use crate::secret::quoted;
use crate::surroundings::Surroundings;
use crate::table::Section;
use crate::units;
use crate::variables::{self, Expanded};

/// The call log.
#[derive(Clone, Debug)]
pub struct Log {
    /// Where it lives.
    pub url: StoreUrl,
    /// How much of prompts and answers is kept.
    pub capture: Capture,
    /// How long rows are kept that were not ok at the first try.
    pub retention: Duration,
    /// How long rows are kept that were.
    pub retention_ok: Duration,
    /// Largest size of the store, in bytes.
    pub max_size: u64,
    /// What happens when the journal cannot be written.
    pub on_failure: OnLogFailure,
    /// Largest size of the journal, in bytes.
    pub journal_max: u64,
    /// Where traces go, if anywhere.
    pub otlp_endpoint: Option<String>,
    /// How rare a false alarm about drift is: one in this many.
    pub drift_false_alarms_one_in: u64,
}

/// How much of prompts and answers is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// Nothing.
    Off,
    /// The beginning.
    Preview,
    /// All of it, redacted.
    Full,
}

/// What happens when the journal cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLogFailure {
    /// The answer goes out, with an alert.
    Warn,
    /// The call is refused.
    Refuse,
}

const DAY: Duration = Duration::from_hours(24);

/// Reads the section.
pub(crate) fn read(mut section: Section<'_, '_>, report: &mut Report<'_>, around: &Surroundings<'_>) -> Log {
    let s = &mut section;
    let log = Log {
        url: read_url(s, report, around),
        capture: s
            .choice(
                report,
                "capture",
                &[("off", Capture::Off), ("preview", Capture::Preview), ("full", Capture::Full)],
            )
            .map_or(Capture::Off, |word| word.value),
        retention: s.time_limit(report, "retention").map_or(DAY * 90, |d| d.value),
        retention_ok: s.time_limit(report, "retention_ok").map_or(DAY * 14, |d| d.value),
        max_size: s.size(report, "max_size").map_or(10_000_000_000, |size| size.value),
        on_failure: s
            .choice(report, "on_failure", &[("warn", OnLogFailure::Warn), ("refuse", OnLogFailure::Refuse)])
            .map_or(OnLogFailure::Warn, |word| word.value),
        journal_max: s.size(report, "journal_max").map_or(1_000_000_000, |size| size.value),
        otlp_endpoint: read_endpoint(s, report),
        drift_false_alarms_one_in: s
            .quantity(report, "drift_false_alarms", "a rate", "1/100000", "of one in so many", units::one_in)
            .map_or(100_000, |rate| rate.value),
    };
    section.close(report);
    log
}

/// The store; `env:NAME` takes the whole address from a variable.
fn read_url(section: &mut Section<'_, '_>, report: &mut Report<'_>, around: &Surroundings<'_>) -> StoreUrl {
    let default = || StoreUrl::Sqlite(around.folder().join("mainstay.db"));
    let Some(typed) = section.text(report, "url") else { return default() };
    let Some(Expanded { text, from }) = variables::expand(report, around, &typed) else { return default() };
    let Some(url) = StoreUrl::parse(&text, around.folder()) else {
        let shown = from.map_or_else(|| quoted(&text), |name| format!("the content of {name}"));
        report.push(
            Fault::error("bad_address", &typed.at, format!("log.url = {shown} is not the address of a log"))
                .expected("\"sqlite:mainstay.db\" or \"postgres://user@host/db\""),
        );
        return default();
    };
    if let Some(password) = url.password() {
        report.keep_secret(&password.into());
        if from.is_none() {
            report.push(Fault::warning("password_in_file", &typed.at, "a password stands in the file").fix(
                "put the address into a variable and write url = \"env:DATABASE_URL\", or use PGPASSWORD",
            ));
        }
    }
    url
}

fn read_endpoint(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Option<String> {
    let typed = section.optional_text(report, "otlp_endpoint")?;
    match BaseUrl::parse(&typed.value) {
        Ok(endpoint) => Some(endpoint.url),
        Err(why) => {
            let what = format!("log.otlp_endpoint = {} {why}", quoted(&typed.value));
            report.push(
                Fault::error("bad_address", &typed.at, what)
                    .expected("an address such as \"http://127.0.0.1:4318\""),
            );
            None
        }
    }
}
