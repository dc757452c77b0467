//! Alerts that are on: for the page, the metrics and the webhook (behaviour 9.4a).
//!
//! The engine decides what is told and when: at most once in ten minutes for a kind and tier, and once when
//! it is over. This remembers what was told and passes it on.

mod webhook;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mainstay::{Alert, Clock, Moment, Observer, SystemClock, Target};
use mainstay_calllog::CallRecord;
use mainstay_config::Config;
use parking_lot::Mutex;

use crate::metrics::Metrics;
use webhook::Webhook;

/// Most alerts that are remembered; beyond, the one that was told longest ago is forgotten.
const LIMIT: usize = 512;
/// Longest message kept, in characters.
const MESSAGE_LIMIT: usize = 500;

/// An alert that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Active {
    /// A fixed word for its kind.
    pub(crate) kind: &'static str,
    /// The tier it is about.
    pub(crate) tier: Option<Target>,
    /// What is wrong, as it was told last.
    pub(crate) message: String,
    /// When it was told first.
    pub(crate) since: Moment,
    /// When it was told last.
    pub(crate) told: Moment,
}

/// Everything that is wrong now, and whoever is told of it.
pub(crate) struct Alerts {
    active: Mutex<BTreeMap<(&'static str, Option<Target>), Active>>,
    metrics: Arc<Metrics>,
    webhook: Option<Webhook>,
    clock: SystemClock,
}

impl Alerts {
    /// Nothing wrong yet. Posts to the webhook that the configuration names; must be called within a runtime.
    ///
    /// # Errors
    ///
    /// When the webhook's HTTP client cannot be built.
    pub(crate) fn new(config: &Config, metrics: Arc<Metrics>) -> Result<Self, reqwest::Error> {
        let webhook = config.alerts.webhook.as_ref().map(Webhook::start).transpose()?;
        Ok(Self { active: Mutex::default(), metrics, webhook, clock: SystemClock::new() })
    }

    /// What is wrong now, the oldest first.
    pub(crate) fn active(&self) -> Vec<Active> {
        let mut active: Vec<Active> = self.active.lock().values().cloned().collect();
        active.sort_by_key(|alert| alert.since);
        active
    }

    /// Alerts that could not be posted.
    pub(crate) fn lost_webhooks(&self) -> u64 {
        self.webhook.as_ref().map_or(0, Webhook::lost)
    }

    /// Waits until everything is posted, at most so long.
    pub(crate) async fn settle(&self, patience: Duration) {
        if let Some(webhook) = &self.webhook {
            webhook.settle(patience).await;
        }
    }

    fn keep(&self, alert: &Alert, now: Moment) {
        let mut active = self.active.lock();
        let key = (alert.kind, alert.tier.clone());
        if active.len() >= LIMIT && !active.contains_key(&key) {
            let oldest = active.iter().min_by_key(|(_, one)| one.told).map(|(key, _)| key.clone());
            oldest.and_then(|key| active.remove(&key));
        }
        let message: String = alert.message.chars().take(MESSAGE_LIMIT).collect();
        let since = active.get(&key).map_or(now, |one| one.since);
        let one = Active { kind: alert.kind, tier: alert.tier.clone(), message, since, told: now };
        active.insert(key, one);
    }
}

impl Observer for Alerts {
    fn row(&self, _row: &CallRecord) {}

    fn alert(&self, alert: &Alert) {
        if alert.over {
            self.active.lock().remove(&(alert.kind, alert.tier.clone()));
        } else {
            self.keep(alert, self.clock.now());
            let tier = alert.tier.as_ref().map(ToString::to_string);
            self.metrics.alerted(alert.kind, tier.as_deref());
        }
        if let Some(webhook) = &self.webhook {
            webhook.post(alert);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alerts() -> Alerts {
        let config = Config::default();
        Alerts::new(&config, Arc::new(Metrics::new(&config))).unwrap()
    }

    fn alert(tier: &str, over: bool) -> Alert {
        Alert { kind: "tier_disabled", tier: Target::parse(tier), message: format!("{tier} is out"), over }
    }

    #[test]
    fn an_alert_is_on_until_it_is_over() {
        let alerts = alerts();
        alerts.alert(&alert("p/one", false));
        alerts.alert(&alert("p/two", false));
        alerts.alert(&alert("p/one", false));
        let messages: Vec<String> = alerts.active().into_iter().map(|one| one.message).collect();
        assert_eq!(messages, ["p/one is out", "p/two is out"], "told again is no other alert");
        alerts.alert(&alert("p/one", true));
        alerts.alert(&alert("p/never", true));
        assert_eq!(alerts.active().len(), 1);
        assert_eq!(alerts.active()[0].tier, Target::parse("p/two"));
    }

    #[test]
    fn there_is_a_limit() {
        let alerts = alerts();
        for number in 0..2 * LIMIT {
            alerts.alert(&alert(&format!("p/{number}"), false));
        }
        assert_eq!(alerts.active().len(), LIMIT);
    }
}
