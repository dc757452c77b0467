//! From text to configuration: the order in which a file is read. What each part means is said elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::Moment;
use mainstay_cost::Catalogue;
use toml::de::DeTable;

use crate::config::{Config, Loaded, Source as Origin};
use crate::problem::{Problem, Problems, Severity};
use crate::report::{At, Fault, Report};
use crate::resolve::tiers::{self, Shared};
use crate::resolve::{chains, providers};
use crate::secret::quoted;
use crate::sections::{alerts, budget, log, quality, server, streaming};
use crate::source::Source;
use crate::surroundings::Surroundings;
use crate::table::Section;
use crate::typed::chain::TypedChain;
use crate::typed::patience::Patience;
use crate::typed::provider::TypedProvider;

/// Largest file, in bytes.
pub(crate) const LARGEST: usize = 1024 * 1024;
/// Largest catalogue of prices, in bytes.
const LARGEST_CATALOGUE: u64 = 16 * 1024 * 1024;

/// Reads a configuration. `file` is its name in messages, and its folder is where relative paths begin;
/// `env` answers for the environment; `now` decides about retirements.
///
/// # Errors
///
/// Everything that is wrong with it, at once, in the order of the file.
pub fn load(
    text: &str,
    file: &str,
    env: &dyn Fn(&str) -> Option<String>,
    now: Moment,
) -> Result<Loaded, Problems> {
    if text.len() > LARGEST {
        return Err(Problems::one(too_large(file)));
    }
    let mut report = Report::new(Source::new(file, text));
    let around = Surroundings::of(file, env, now);
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        report.syntax_error(error.span().unwrap_or(0..0), error.message());
    }
    let root = Section::new("the file", At::start(), document.get_ref());
    let parts = Parts::read(root, &mut report, &around);
    let config = if report.is_toml() { Some(parts.resolve(&mut report, &around)) } else { None };
    let problems = report.finish();
    match config {
        Some(config) if problems.iter().all(|problem| problem.severity == Severity::Warning) => {
            Ok(Loaded { config, warnings: problems })
        }
        Some(_) | None => Err(Problems { problems }),
    }
}

/// What an empty file would mean, had it a chain.
pub(crate) fn empty() -> Config {
    let mut report = Report::new(Source::new("", ""));
    let around = Surroundings::of("", &|_| None, Moment::EPOCH);
    let nothing = DeTable::new();
    let parts = Parts::read(Section::new("the file", At::start(), &nothing), &mut report, &around);
    parts.resolve(&mut report, &around)
}

/// What is said about a file that is too large to be a configuration.
pub(crate) fn too_large(file: &str) -> Problem {
    Problem::of_file("too_large", file, "larger than 1 MB", "is this the right file?")
}

/// The file as typed.
struct Parts {
    server: server::Server,
    log: log::Log,
    budget: budget::Budget,
    alerts: alerts::Alerts,
    streaming: streaming::Streaming,
    quality: quality::QualityPolicy,
    defaults: Patience,
    deadline: Duration,
    providers: BTreeMap<String, TypedProvider>,
    chains: Vec<TypedChain>,
    /// Whether the file has any, even ones that could not be read.
    has_chains: bool,
    prices_at: Option<At>,
}

impl Parts {
    fn read(mut root: Section<'_, '_>, report: &mut Report<'_>, around: &Surroundings<'_>) -> Self {
        let server = server::read(root.section(report, "server", "[server]"), report, around);
        let log = log::read(root.section(report, "log", "[log]"), report, around);
        let (budget, prices_at) = budget::read(root.section(report, "budget", "[budget]"), report, around);
        let alerts = alerts::read(root.section(report, "alerts", "[alerts]"), report, around);
        let mut shared = root.section(report, "defaults", "[defaults]");
        let defaults = Patience::read(&mut shared, report);
        let deadline = shared.time_limit(report, "deadline").map_or(Duration::from_secs(590), |d| d.value);
        shared.close(report);
        let streaming = streaming::read(root.section(report, "streaming", "[streaming]"), report);
        let quality = quality::read(root.section(report, "quality", "[quality]"), report);
        let providers = root.section(report, "providers", "[providers]");
        let providers = crate::typed::provider::read_all(&providers, report, around);
        let section = root.section(report, "chains", "[chains]");
        let has_chains = section.names().next().is_some();
        let chains = crate::typed::chain::read_all(&section, report);
        root.close(report);
        Self {
            server,
            log,
            budget,
            alerts,
            streaming,
            quality,
            defaults,
            deadline,
            providers,
            chains,
            has_chains,
            prices_at,
        }
    }

    fn resolve(self, report: &mut Report<'_>, around: &Surroundings<'_>) -> Config {
        if !self.has_chains {
            let nothing =
                Fault::error("no_chain", &At::start(), "no chain: nothing could be answered").of_file();
            report.push(
                nothing.fix("add [chains] and under it default = [\"provider/model\", \"provider/model\"]"),
            );
        }
        tiers::check_deadline(&self.defaults, self.deadline, report);
        let catalogue = catalogue(self.budget.prices.as_deref(), self.prices_at.as_ref(), report);
        let providers = providers::resolve(&self.providers, &self.chains, report, around);
        let shared = Shared {
            defaults: &self.defaults,
            catalogue: &catalogue,
            cap: self.budget.cap_name(),
            deadline: self.deadline,
            now: around.now,
        };
        let chains = chains::resolve(&self.chains, &providers, &shared, report);
        let providers =
            providers.into_iter().filter_map(|(name, built)| Some((name, built.complete()?))).collect();
        let nothing = Patience::default();
        Config {
            server: self.server,
            log: self.log,
            budget: self.budget,
            alerts: self.alerts,
            streaming: self.streaming,
            quality: self.quality,
            breaker: tiers::breaker(&nothing, &self.defaults),
            deadline: self.deadline,
            providers,
            chains,
            source: Origin::File(PathBuf::from(report.source.file)),
            defaults: self.defaults,
            catalogue,
        }
    }
}

/// The bundled catalogue, and a newer one over it where the file names one.
fn catalogue(newer: Option<&Path>, at: Option<&At>, report: &mut Report<'_>) -> Arc<Catalogue> {
    let (Some(path), Some(at)) = (newer, at) else { return Catalogue::shared() };
    let read = read_limited(path).map_err(|why| format!("cannot be read: {why}"));
    let parsed =
        read.and_then(|text| Catalogue::parse(&text).map_err(|why| format!("is no catalogue: {why}")));
    match parsed {
        Ok(newer) => Arc::new(newer.over(Catalogue::bundled())),
        Err(why) => {
            let what = format!("budget.prices: {} {why}", quoted(&path.to_string_lossy()));
            report.push(
                Fault::error("unreadable_prices", at, what)
                    .fix("correct the path or the file, or take the line out"),
            );
            Catalogue::shared()
        }
    }
}

fn read_limited(path: &Path) -> std::io::Result<String> {
    use std::io::Read;

    let mut text = String::new();
    std::fs::File::open(path)?.take(LARGEST_CATALOGUE).read_to_string(&mut text)?;
    Ok(text)
}
