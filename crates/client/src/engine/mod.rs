//! The straight line down the seven layers, and what it stands on.
//!
//! [`Engine`] is one validated configuration brought to life. It is swapped whole on a reload; what must
//! outlive a reload (health, ledger, log, alerts) is handed from the old one to the new.

mod alerts;
mod build;
mod capture;
pub(crate) mod embed;
mod look;
mod money;
mod record;
pub(crate) mod redact;
mod resolve;
pub(crate) mod stream;
mod tier;
mod trip;
pub(crate) mod whole;
mod wiring;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mainstay_calllog::{CallRecord, IdSource};
use mainstay_canon::{Outcome, Target, Verdict};
use mainstay_config::{Config, OnInterrupt, OnLogFailure};
use mainstay_cost::{KeyCaps, Ledger};
use mainstay_fallback::{Change, DisabledBy, HealthBoard, HealthChange};
use mainstay_quality::{Action, Judge, JudgeOptions};
use mainstay_store::{Entry, Store};

pub use alerts::Alert;
pub use build::Setup;
pub use resolve::{Resolved, UnknownModel};
pub use stream::{Opening, Served, StreamItem};
pub use tier::{ChainRuntime, TierRuntime};

use crate::clock::Clock;
use alerts::{Alarms, Ends};

/// A configuration brought to life.
pub struct Engine {
    pub(crate) chains: BTreeMap<String, Arc<ChainRuntime>>,
    pub(crate) config: Config,
    /// Chains made for a name that stands in none, by the name they were made for. Bounded.
    pub(crate) made: parking_lot::Mutex<BTreeMap<String, Arc<ChainRuntime>>>,
    endpoints: wiring::Endpoints,
    pub(crate) judge: Judge,
    /// The judge's settings as they would be if it did not only observe.
    enforcing: JudgeOptions,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) board: HealthBoard,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) has_caps: bool,
    pub(crate) store: Option<Store>,
    pub(crate) ids: Arc<IdSource>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    alarms: Arc<Alarms>,
    /// Whether the last write to the journal failed.
    journal_broken: Arc<AtomicBool>,
}

/// Someone who watches what happens: metrics, a tracer, a live page. Called while a request waits, so it
/// must be quick.
pub trait Observer: Send + Sync {
    /// A row of the call log is being written.
    fn row(&self, row: &CallRecord);

    /// Something that a person should look at, or the end of it (behaviour 9.4a): at most one of a kind and
    /// tier in ten minutes.
    fn alert(&self, alert: &Alert);
}

/// Which chain a request walks, and where it starts.
#[derive(Clone)]
pub struct Route {
    /// The chain.
    pub chain: Arc<ChainRuntime>,
    /// One tier alone, by its place.
    pub only: Option<usize>,
    /// Another order of the tiers.
    pub order: Option<Vec<usize>>,
}

/// What one call may set for itself.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// A shorter deadline than the config's; a longer one has no effect.
    pub deadline: Option<Duration>,
    /// Another way to handle an answer that breaks off after its release.
    pub on_interrupt: Option<OnInterrupt>,
    /// Allows a larger output limit for an answer that was cut before it was whole.
    pub grow_max_tokens: bool,
    /// The caps of the virtual key that the call came with.
    pub key_caps: Option<Arc<KeyCaps>>,
}

impl Engine {
    /// Writes a row and shows it to whoever watches.
    ///
    /// # Errors
    ///
    /// In words, when the log cannot be written and the config says that calls are then refused.
    pub(crate) fn write_row(&self, row: CallRecord) -> Result<(), String> {
        for observer in &self.observers {
            observer.row(&row);
        }
        self.write(&Entry::Call(row))
    }

    /// Writes an entry to the journal.
    ///
    /// # Errors
    ///
    /// As [`Self::write_row`].
    fn write(&self, entry: &Entry) -> Result<(), String> {
        let Some(store) = &self.store else { return Ok(()) };
        let written = store.append(entry).map_err(|error| error.to_string());
        self.heed_journal(written.as_ref().err());
        match self.config.log.on_failure {
            OnLogFailure::Refuse => written,
            OnLogFailure::Warn => Ok(()),
        }
    }

    /// Whether a call may be made that has to be written down. Where the journal could not be written when that
    /// was last tried, it is tried again.
    ///
    /// # Errors
    ///
    /// As [`Self::write_row`].
    fn can_write(&self) -> Result<(), String> {
        if self.journal_broken.load(Ordering::Relaxed) {
            self.write(&Entry::StaticSwitch(self.board.static_switch()))
        } else {
            Ok(())
        }
    }

    /// Raises the alert about a journal that cannot be written, and tells when it can be again.
    fn heed_journal(&self, trouble: Option<&String>) {
        let was_broken = self.journal_broken.swap(trouble.is_some(), Ordering::Relaxed);
        match trouble {
            Some(why) => {
                let message = format!("the call log's journal cannot be written: {why}");
                self.raise(Alert::new(LOG_UNWRITABLE, None, message), Ends::WhenCleared);
            }
            None if was_broken => self.over(LOG_UNWRITABLE, None, "the journal can be written again"),
            None => {}
        }
    }

    /// Passes on what changed in the tiers' health: to disk, and to people where they should look. Requests do
    /// so by themselves; whoever lays a hand on the board calls it afterwards.
    pub fn publish_health(&self) {
        let now = self.clock.now();
        let changes = self.board.take_changes();
        for change in &changes {
            self.heed_change(change);
        }
        if !changes.is_empty()
            && let Some(store) = &self.store
        {
            store.save_health(self.board.records(now));
        }
        for alert in self.alarms.due(now) {
            self.tell(&alert);
        }
    }

    /// What a person should hear of a change of health, if anything (behaviour 5.5).
    fn heed_change(&self, change: &HealthChange) {
        let tier = Some(&change.target);
        match change.change {
            Change::Disabled { by, .. } if change.alert => {
                let kind = match by {
                    DisabledBy::Quota => QUOTA_EXHAUSTED,
                    DisabledBy::Credential | DisabledBy::Operator => TIER_DISABLED,
                };
                self.raise(Alert::new(kind, tier, change.why.clone()), Ends::WhenCleared);
            }
            Change::Recovered => {
                self.over(QUOTA_EXHAUSTED, tier, &change.why);
                self.over(TIER_DISABLED, tier, &change.why);
            }
            Change::Disabled { .. } | Change::Cooling { .. } | Change::Opened { .. } => {}
        }
    }

    /// Something is wrong: tells it, unless the same was told a short while ago.
    fn raise(&self, alert: Alert, ends: Ends) {
        if let Some(alert) = self.alarms.raise(alert, ends, self.clock.now()) {
            self.tell(&alert);
        }
    }

    /// It is over: tells so, if it was told at all.
    fn over(&self, kind: &'static str, tier: Option<&Target>, message: &str) {
        if let Some(alert) = self.alarms.clear(kind, tier, message) {
            self.tell(&alert);
        }
    }

    fn tell(&self, alert: &Alert) {
        let tier = alert.tier.as_ref().map(ToString::to_string).unwrap_or_default();
        if alert.over {
            tracing::info!(kind = alert.kind, tier, "over: {}", alert.message);
        } else {
            tracing::warn!(kind = alert.kind, tier, "{}", alert.message);
        }
        for observer in &self.observers {
            observer.alert(alert);
        }
    }

    /// Whether an answer that is handed over was accepted, or is handed over although it is useless.
    fn outcome_of(&self, verdict: &Verdict) -> Outcome {
        if verdict.is_failure || self.enforcing.is_failure(verdict.quality) {
            Outcome::Quality
        } else {
            Outcome::Ok
        }
    }

    /// Whether the judge only looks on: then nothing it finds or repairs changes what is handed over.
    fn only_observes(&self) -> bool {
        match self.judge.options().action {
            Action::Observe => true,
            Action::Enforce => false,
        }
    }
}

/// The kind of alert when the journal cannot be written.
const LOG_UNWRITABLE: &str = "log_unwritable";
/// The kind of alert when a tier is out because its money or quota is used up.
const QUOTA_EXHAUSTED: &str = "quota_exhausted";
/// The kind of alert when a tier is out because of its key, its account or its model's name.
const TIER_DISABLED: &str = "tier_disabled";
/// The kind of alert when a finish word came that no table knows.
const UNKNOWN_FINISH_REASON: &str = "unknown_finish_reason";
