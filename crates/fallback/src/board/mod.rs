//! The health of every target, shared by all requests: one handle, one short lock a call.
//!
//! Knows nothing of requests or chains; it keeps what walks and operators tell it.

mod record;
mod report;
mod state;

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Moment, Target};
use parking_lot::{Mutex, MutexGuard};

pub use record::{CoolingRecord, HealthRecord, OperatorRecord, PauseRecord};
pub use report::{Change, DisabledBy, HealthChange, TierHealth, TierState};
pub(crate) use state::{HealthKey, State, cause_line};

use crate::health::ReportedQuota;

/// What holds for all targets of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardOptions {
    /// Targets remembered at most; beyond that the longest unused is forgotten. Default 4,096.
    pub max_targets: usize,
    /// Changes kept at most until someone takes them; beyond that the oldest is lost. Default 1,024.
    pub max_changes: usize,
    /// How long a probe keeps its place without an outcome. Default 30 s.
    pub probe_lease: Duration,
    /// How often a target that is disabled for its key is probed. Default 5 min.
    pub probe_every: Duration,
    /// Requests a second above which a target is busy and gets its traffic back in steps. Default 10.
    pub busy_above: u32,
}

impl Default for BoardOptions {
    fn default() -> Self {
        Self {
            max_targets: 4096,
            max_changes: 1024,
            probe_lease: Duration::from_secs(30),
            probe_every: Duration::from_mins(5),
            busy_above: 10,
        }
    }
}

/// Whether the static tier answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StaticSwitch {
    /// Before all others.
    On,
    /// Never.
    Off,
    /// When every other tier is unavailable.
    #[default]
    Auto,
}

impl StaticSwitch {
    /// The word for commands and records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Auto => "auto",
        }
    }

    /// The switch of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::On, Self::Off, Self::Auto].into_iter().find(|switch| switch.word() == word)
    }
}

/// The health of every target. Cheap to clone; all clones are one board.
#[derive(Clone)]
pub struct HealthBoard {
    state: Arc<Mutex<State>>,
}

impl Default for HealthBoard {
    fn default() -> Self {
        Self::new(BoardOptions::default())
    }
}

impl std::fmt::Debug for HealthBoard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HealthBoard").finish_non_exhaustive()
    }
}

impl HealthBoard {
    /// A board on which everything is well.
    pub fn new(options: BoardOptions) -> Self {
        Self { state: Arc::new(Mutex::new(State::new(options))) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// How every target fares that the board has heard of, by name.
    pub fn snapshot(&self, now: Moment) -> Vec<TierHealth> {
        self.lock().snapshot(now)
    }

    /// How one target fares; available where the board has not heard of it.
    pub fn health_of(&self, target: &Target, key_name: Option<&str>, now: Moment) -> TierHealth {
        self.lock().health_of(&HealthKey::new(target, key_name), now)
    }

    /// Keeps a target out of every chain: for that long, or until it is enabled again.
    pub fn disable(&self, target: &Target, for_: Option<Duration>, why: &str, now: Moment) {
        let record = OperatorRecord { until: for_.map(|time| now.after(time)), why: why.into(), since: now };
        self.lock().disable(target, record, now);
    }

    /// Lets a target in again: ends what an operator, its key, its bill, its breaker or its own cooldown
    /// had closed. Only the provider's own wish to be left alone stands (behaviour 5.2). Whether anything
    /// was closed.
    pub fn enable(&self, target: &Target, now: Moment) -> bool {
        self.lock().enable(target, now)
    }

    /// The configuration was read anew: ends every disablement by key, permission or unknown model (6.3).
    pub fn reloaded(&self, now: Moment) {
        self.lock().reloaded(now);
    }

    /// Sets whether the static tier answers.
    pub fn set_static(&self, switch: StaticSwitch) {
        self.lock().set_static(switch);
    }

    /// Whether the static tier answers.
    pub fn static_switch(&self) -> StaticSwitch {
        self.lock().static_switch()
    }

    /// What a provider says is left of its rate limits. What does not fit goes elsewhere without a call.
    pub fn report_quota(&self, target: &Target, key_name: Option<&str>, report: ReportedQuota, now: Moment) {
        let key = HealthKey::new(target, key_name);
        self.lock().entry(&key, now).load().report(report, now);
    }

    /// What outlives the process and is shared by instances: cooldowns, breakers, pauses for an empty
    /// purse, the operator's hand. Disablements by key, permission or unknown model are not among them.
    pub fn records(&self, now: Moment) -> Vec<HealthRecord> {
        self.lock().records(now)
    }

    /// Takes over what an earlier run or another instance knew. Nothing becomes shorter by it; what is
    /// over is ignored.
    pub fn restore(&self, records: Vec<HealthRecord>, now: Moment) {
        self.lock().restore(records, now);
    }

    /// What changed since this was last asked, oldest first: for alerts and for whoever keeps records.
    pub fn take_changes(&self) -> Vec<HealthChange> {
        self.lock().take_changes()
    }

    /// How many changes were lost because nobody took them.
    pub fn lost_changes(&self) -> u64 {
        self.lock().lost_changes()
    }

    /// Rises whenever [`Self::records`] or the static switch may have changed.
    pub fn generation(&self) -> u64 {
        self.lock().generation()
    }
}
