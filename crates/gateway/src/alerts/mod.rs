//! Alerts: what a person should look at, told once and once more when it is over (behaviour 9.4a).

mod board;
mod watch;
mod webhook;

use std::sync::Arc;

use mainstay::{Alert, Clock, Engine, Moment, Observer, Outcome, SystemClock, Target};
use mainstay_calllog::{CallRecord, note};
use mainstay_config::Config;
use parking_lot::Mutex;

use crate::metrics::Metrics;
pub(crate) use board::Active;
use board::{AlertBoard, Telling};
use webhook::Webhook;

/// The static tier answers because nobody else can.
pub(crate) const STATIC_TIER: &str = "static_tier_answers";
/// A provider ended an answer with a word that no table knows (behaviour 3.1).
pub(crate) const UNKNOWN_FINISH: &str = "unknown_finish_reason";

/// Everything that is wrong now, and whoever is told of it.
pub(crate) struct Alerts {
    board: Mutex<AlertBoard>,
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
        Ok(Self { board: Mutex::default(), metrics, webhook, clock: SystemClock::new() })
    }

    /// What is wrong now, the oldest first.
    pub(crate) fn active(&self) -> Vec<Active> {
        self.board.lock().active()
    }

    /// Alerts that could not be posted.
    pub(crate) fn lost_webhooks(&self) -> u64 {
        self.webhook.as_ref().map_or(0, Webhook::lost)
    }

    /// Looks whether what was wrong still is, and tells what is over.
    pub(crate) fn sweep(&self, engine: &Engine) {
        let now = self.clock.now();
        // Looking may take other locks; ours is not held meanwhile.
        let over: Vec<Active> =
            self.active().into_iter().filter(|alert| !watch::still_on(alert, engine, now)).collect();
        let tellings = self.board.lock().sweep(&over, now);
        for telling in &tellings {
            if telling.over {
                tracing::info!(kind = telling.kind, tier = telling.tier_name(), "over: {}", telling.message);
            }
            self.tell(telling);
        }
    }

    fn raise(&self, alert: &Alert, now: Moment) -> bool {
        let tellings = self.board.lock().raise(alert, now);
        for telling in &tellings {
            self.tell(telling);
        }
        !tellings.is_empty()
    }

    /// Raises an alert that the engine does not know of, with its line in the log.
    fn notice(&self, kind: &'static str, row: &CallRecord, message: &str) {
        let tier = row.tier.as_deref().and_then(Target::parse);
        let name = row.tier.clone().unwrap_or_default();
        let alert = Alert { kind, tier, message: message.to_owned(), over: false };
        if self.raise(&alert, self.clock.now()) {
            tracing::warn!(kind, tier = name, "{message}");
        }
    }

    fn tell(&self, telling: &Telling) {
        if !telling.over {
            self.metrics.alerted(telling.kind, telling.tier.as_ref().map(ToString::to_string).as_deref());
        }
        if let Some(webhook) = &self.webhook {
            webhook.post(telling);
        }
    }
}

impl Observer for Alerts {
    fn row(&self, row: &CallRecord) {
        if row.outcome == Outcome::Ok && row.has_note(note::STATIC_TIER) {
            let message =
                format!("every other tier of chain {} is unavailable; the static tier answers", row.chain);
            self.notice(STATIC_TIER, row, &message);
        }
        if row.error_kind.as_deref() == Some(UNKNOWN_FINISH) {
            let word = row.finish_reason_raw.as_deref().unwrap_or_default();
            let message = format!(
                "an answer ended with the word {word:?}, which no table knows; \
                 say what it means in [providers.{}] finish_reasons",
                row.provider.as_deref().unwrap_or("NAME"),
            );
            self.notice(UNKNOWN_FINISH, row, &message);
        }
    }

    fn alert(&self, alert: &Alert) {
        // Its line in the log is the engine's.
        self.raise(alert, self.clock.now());
    }
}
