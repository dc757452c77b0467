//! What is looked up when somebody asks: health, caps, the journal, who is being served.

use std::fmt;

use mainstay::{Engine, Nanodollars};
use mainstay_store::StoreStatus;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use super::dollars::as_float;
use super::{AlertLabels, Metrics, TierLabels};
use crate::alerts::Active;

/// What the answer is, in the words of its format.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The states that a tier can be in, in words.
const STATES: [&str; 6] = ["available", "returning", "cooling", "open", "half_open", "disabled"];

/// What only the present moment knows.
pub(crate) struct Live<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) alerts: &'a [Active],
    pub(crate) in_flight: usize,
    pub(crate) waiting: usize,
    pub(crate) lost_webhooks: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    tier: String,
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CapLabels {
    cap: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SwitchLabels {
    switch: &'static str,
}

type DollarGauge = Gauge<f64, std::sync::atomic::AtomicU64>;

impl Metrics {
    /// Everything, as text.
    ///
    /// # Errors
    ///
    /// What writing to a text can fail with, which is nothing.
    pub(crate) fn render(&self, live: &Live<'_>) -> Result<String, fmt::Error> {
        let mut text = String::with_capacity(16 * 1024);
        encode_registry(&mut text, &self.registry)?;
        encode_registry(&mut text, &self.now(live))?;
        encode_eof(&mut text)?;
        Ok(text)
    }

    fn now(&self, live: &Live<'_>) -> Registry {
        let mut r = Registry::default();
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        r.register("mainstay_build", "The version that runs", build);
        gauge(&mut r, "mainstay_requests_in_flight", "Requests being answered", live.in_flight);
        gauge(&mut r, "mainstay_requests_waiting", "Requests that wait for a place", live.waiting);
        counter(&mut r, "mainstay_webhook_failures", "Alerts that could not be posted", live.lost_webhooks);
        self.alerts_now(&mut r, live.alerts);
        tiers_now(&mut r, live.engine);
        caps_now(&mut r, live.engine);
        if let Some(store) = live.engine.store() {
            log_now(&mut r, &store.status());
        }
        r
    }

    fn alerts_now(&self, r: &mut Registry, alerts: &[Active]) {
        let active: Family<AlertLabels, Gauge> = Family::default();
        for alert in alerts {
            let tier = alert.tier.as_ref().map(ToString::to_string);
            let labels = AlertLabels { kind: alert.kind, tier: self.label(tier.as_deref()) };
            active.get_or_create(&labels).set(1);
        }
        r.register("mainstay_alert_active", "1 while an alert is not over", active);
    }
}

fn tiers_now(r: &mut Registry, engine: &Engine) {
    let states: Family<StateLabels, Gauge> = Family::default();
    let in_flight: Family<TierLabels, Gauge> = Family::default();
    let faults: Family<TierLabels, Gauge> = Family::default();
    for health in engine.tier_health() {
        let tier = health.target.to_string();
        let now = health.state.word();
        for state in STATES {
            let labels = StateLabels { tier: tier.clone(), state };
            states.get_or_create(&labels).set(i64::from(state == now));
        }
        let labels = TierLabels { tier };
        in_flight.get_or_create(&labels).set(whole(health.in_flight));
        faults.get_or_create(&labels).set(i64::from(health.faults_in_row));
    }
    r.register("mainstay_tier_state", "1 for the state that a tier is in", states);
    r.register("mainstay_tier_in_flight", "Calls under way", in_flight);
    r.register("mainstay_tier_faults_in_row", "Provider faults without a success between them", faults);
    let switch: Family<SwitchLabels, Gauge> = Family::default();
    switch.get_or_create(&SwitchLabels { switch: engine.board().static_switch().word() }).set(1);
    r.register("mainstay_static_switch", "1 for what the static tier's switch is set to", switch);
}

fn caps_now(r: &mut Registry, engine: &Engine) {
    let [limit, spent, reserved]: [Family<CapLabels, DollarGauge>; 3] = Default::default();
    for status in engine.ledger().status(engine.now()) {
        let labels = CapLabels { cap: status.cap.name() };
        let set = |family: &Family<CapLabels, DollarGauge>, amount: Nanodollars| {
            family.get_or_create(&labels).set(as_float(amount.nanos()));
        };
        set(&limit, status.limit);
        set(&spent, status.spent);
        set(&reserved, status.reserved);
    }
    r.register("mainstay_cap_limit_usd", "What a cap allows", limit);
    r.register("mainstay_cap_spent_usd", "What is spent of it", spent);
    r.register("mainstay_cap_reserved_usd", "What is set aside of it for calls under way", reserved);
}

fn log_now(r: &mut Registry, status: &StoreStatus) {
    gauge(r, "mainstay_journal_lag_entries", "Entries that the store has not taken yet", status.lag);
    gauge(r, "mainstay_journal_bytes", "Bytes of journal that wait for the store", status.journal_bytes);
    gauge(r, "mainstay_journal_max_bytes", "The journal's limit", status.journal_max);
    let broken = u64::from(status.last_error.is_some());
    gauge(r, "mainstay_store_failing", "1 while the store takes nothing", broken);
    counter(r, "mainstay_log_dropped", "Entries that could not be written to the journal", status.dropped);
    counter(r, "mainstay_log_rejected", "Entries that the store refused for good", status.rejected);
}

fn gauge(r: &mut Registry, name: &str, help: &str, value: impl TryInto<i64>) {
    let gauge: Gauge = Gauge::default();
    gauge.set(whole(value));
    r.register(name, help, gauge);
}

fn counter(r: &mut Registry, name: &str, help: &str, value: u64) {
    let counter: Counter = Counter::default();
    counter.inc_by(value);
    r.register(name, help, counter);
}

fn whole(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use mainstay::Moment;
    use mainstay_fallback::{DisabledBy, TierState};

    use super::*;

    #[test]
    fn every_state_of_a_tier_is_in_the_list() {
        let until = Moment::EPOCH;
        for state in [
            TierState::Available,
            TierState::Returning { percent: 10 },
            TierState::Cooling { until },
            TierState::Open { until },
            TierState::HalfOpen { probing: true },
            TierState::Disabled { until: None, by: DisabledBy::Operator },
        ] {
            assert!(STATES.contains(&state.word()), "{state:?}");
        }
    }
}
