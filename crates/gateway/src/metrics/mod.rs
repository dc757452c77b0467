//! What is counted as it happens, for `/metrics` (behaviour 9.5).
//!
//! Labels come from the configuration's names and from closed enums only: a name that a caller made up is
//! `other`, so that nobody outside can make the list of series grow.

mod dollars;
mod scrape;

use std::collections::BTreeSet;

use arc_swap::ArcSwap;
use mainstay::{Alert, Nanodollars, Observer, Outcome};
use mainstay_calllog::CallRecord;
use mainstay_config::Config;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use dollars::Dollars;
pub(crate) use scrape::{CONTENT_TYPE, Live};

/// Upper ends of the duration buckets, in seconds: those of the OpenTelemetry GenAI conventions, and three
/// more for answers that take minutes.
const DURATIONS: [f64; 17] = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68,
    655.36,
];
/// Stands for a tier that is not in the configuration.
const OTHER: &str = "other";
/// Stands for no tier, no verdict, no error.
const NONE: &str = "none";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tier: String,
    outcome: &'static str,
    quality: &'static str,
    error: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TierLabels {
    tier: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    tier: String,
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AlertLabels {
    kind: &'static str,
    tier: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    status: u16,
}

type Durations = Family<TierLabels, Histogram, fn() -> Histogram>;

/// Everything that is counted since the start.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    tiers: ArcSwap<BTreeSet<String>>,
    calls: Family<CallLabels, Counter>,
    rescued: Family<TierLabels, Counter>,
    cost: Family<TierLabels, Dollars>,
    wasted: Family<TierLabels, Dollars>,
    unpriced: Family<TierLabels, Counter>,
    tokens: Family<TokenLabels, Counter>,
    durations: Durations,
    first_tokens: Durations,
    alerts: Family<AlertLabels, Counter>,
    requests: Family<RequestLabels, Counter>,
}

impl Metrics {
    /// Nothing counted yet.
    pub(crate) fn new(config: &Config) -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(DURATIONS);
        let mut metrics = Self {
            registry: Registry::default(),
            tiers: ArcSwap::default(),
            calls: Family::default(),
            rescued: Family::default(),
            cost: Family::default(),
            wasted: Family::default(),
            unpriced: Family::default(),
            tokens: Family::default(),
            durations: Family::new_with_constructor(histogram),
            first_tokens: Family::new_with_constructor(histogram),
            alerts: Family::default(),
            requests: Family::default(),
        };
        metrics.register();
        metrics.set_config(config);
        metrics
    }

    fn register(&mut self) {
        let r = &mut self.registry;
        r.register("mainstay_calls", "Attempts, and tiers passed over", self.calls.clone());
        r.register(
            "mainstay_rescued",
            "Answers that came after a failure or a passed-over tier",
            self.rescued.clone(),
        );
        r.register("mainstay_cost_usd", "Dollars paid", self.cost.clone());
        r.register(
            "mainstay_wasted_usd",
            "Dollars paid for which the caller got nothing",
            self.wasted.clone(),
        );
        r.register("mainstay_unpriced_calls", "Calls whose cost is unknown", self.unpriced.clone());
        r.register(
            "mainstay_tokens",
            "Tokens; prompt includes cached, completion includes reasoning",
            self.tokens.clone(),
        );
        let help = "From sending an attempt to its end";
        r.register("mainstay_call_duration_seconds", help, self.durations.clone());
        let help = "From sending an attempt to its first content; streams only";
        r.register("mainstay_time_to_first_token_seconds", help, self.first_tokens.clone());
        r.register("mainstay_alerts", "Alerts told", self.alerts.clone());
        r.register("mainstay_requests", "HTTP requests by route and status", self.requests.clone());
    }

    /// Takes the tiers' names from a configuration.
    pub(crate) fn set_config(&self, config: &Config) {
        let tiers = config.chains.iter().flat_map(|chain| &chain.tiers);
        self.tiers.store(std::sync::Arc::new(tiers.map(|tier| tier.target.to_string()).collect()));
    }

    /// An HTTP request was answered.
    pub(crate) fn answered(&self, route: &'static str, status: u16) {
        self.requests.get_or_create(&RequestLabels { route, status }).inc();
    }

    /// An alert was told.
    pub(crate) fn alerted(&self, kind: &'static str, tier: Option<&str>) {
        self.alerts.get_or_create(&AlertLabels { kind, tier: self.label(tier) }).inc();
    }

    fn label(&self, tier: Option<&str>) -> String {
        match tier {
            None => NONE.to_owned(),
            Some(tier) if self.tiers.load().contains(tier) => tier.to_owned(),
            Some(_) => OTHER.to_owned(),
        }
    }

    fn paid(&self, row: &CallRecord, labels: &TierLabels) {
        match row.cost.known() {
            None => {
                self.unpriced.get_or_create(labels).inc();
            }
            Some(cost) if cost > Nanodollars::ZERO => {
                self.cost.get_or_create(labels).add(cost);
                if !row.is_handed_over() {
                    self.wasted.get_or_create(labels).add(cost);
                }
            }
            Some(_) => {}
        }
    }

    fn used(&self, row: &CallRecord, tier: &str) {
        let counts = [
            ("prompt", row.prompt_tokens),
            ("completion", row.completion_tokens),
            ("cached", row.cached_tokens),
            ("cache_write", row.cache_write_tokens),
            ("reasoning", row.reasoning_tokens),
        ];
        for (kind, count) in counts {
            if let Some(count) = count.filter(|count| *count > 0) {
                self.tokens.get_or_create(&TokenLabels { tier: tier.to_owned(), kind }).inc_by(count);
            }
        }
    }
}

impl Observer for Metrics {
    fn row(&self, row: &CallRecord) {
        let tier = self.label(row.tier.as_deref());
        let labels = CallLabels {
            tier: tier.clone(),
            outcome: row.outcome.word(),
            quality: row.quality.map_or(NONE, |quality| quality.word()),
            error: row.error_kind.clone().unwrap_or_else(|| NONE.to_owned()),
        };
        self.calls.get_or_create(&labels).inc();
        if row.outcome == Outcome::Skipped {
            return;
        }
        self.used(row, &tier);
        let labels = TierLabels { tier };
        self.paid(row, &labels);
        if row.rescued {
            self.rescued.get_or_create(&labels).inc();
        }
        self.durations.get_or_create(&labels).observe(seconds(row.latency_ms));
        if let Some(ttft) = row.ttft_ms {
            self.first_tokens.get_or_create(&labels).observe(seconds(ttft));
        }
    }

    /// Alerts are counted when they are told, which is not every time that they are raised.
    fn alert(&self, _alert: &Alert) {}
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use mainstay::{Cost, Moment, Quality, Target};
    use mainstay_calllog::IdSource;
    use prometheus_client::encoding::text::encode;

    use super::*;

    fn row(tier: &str) -> CallRecord {
        let now = Moment::from_secs(1_796_000_000);
        let mut row = CallRecord::new(IdSource::new(1).next(now), now, "req_1", "default")
            .at(&Target::parse(tier).unwrap());
        row.outcome = Outcome::Ok;
        row.quality = Some(Quality::Ok);
        row.attempt = Some(1);
        row.cost = Cost::Known(Nanodollars::from_nanos(1_500_000));
        row.prompt_tokens = Some(12);
        row.latency_ms = 700;
        row
    }

    fn metrics() -> Metrics {
        let metrics = Metrics::new(&Config::default());
        metrics.tiers.store(std::sync::Arc::new(["fake/good".to_owned()].into()));
        metrics
    }

    fn text(metrics: &Metrics) -> String {
        let mut text = String::new();
        encode(&mut text, &metrics.registry).unwrap();
        text
    }

    #[test]
    fn a_call_is_counted_with_its_money_tokens_and_time() {
        let metrics = metrics();
        metrics.row(&row("fake/good"));
        let text = text(&metrics);
        for line in [
            r#"mainstay_calls_total{tier="fake/good",outcome="ok",quality="ok",error="none"} 1"#,
            r#"mainstay_cost_usd_total{tier="fake/good"} 0.0015"#,
            r#"mainstay_tokens_total{tier="fake/good",kind="prompt"} 12"#,
            r#"mainstay_call_duration_seconds_bucket{le="0.64",tier="fake/good"} 0"#,
            r#"mainstay_call_duration_seconds_bucket{le="1.28",tier="fake/good"} 1"#,
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("mainstay_wasted_usd_total{"), "an answer that was handed over is not wasted");
    }

    #[test]
    fn names_that_callers_make_up_make_no_series() {
        let metrics = metrics();
        for model in 0..50 {
            metrics.row(&row(&format!("fake/made-up-{model}")));
        }
        let text = text(&metrics);
        assert!(
            text.contains(r#"mainstay_calls_total{tier="other",outcome="ok",quality="ok",error="none"} 50"#)
        );
        assert!(!text.contains("made-up"));
    }

    #[test]
    fn what_is_passed_over_costs_no_time_and_what_is_unpriced_no_money() {
        let metrics = metrics();
        let mut skipped = row("fake/good");
        skipped.outcome = Outcome::Skipped;
        metrics.row(&skipped);
        let mut unpriced = row("fake/good");
        unpriced.cost = Cost::Unknown;
        metrics.row(&unpriced);
        let text = text(&metrics);
        assert!(text.contains(r#"mainstay_unpriced_calls_total{tier="fake/good"} 1"#), "{text}");
        assert!(text.contains(r#"mainstay_call_duration_seconds_count{tier="fake/good"} 1"#), "{text}");
        assert!(!text.contains("mainstay_cost_usd_total{"), "{text}");
    }
}
