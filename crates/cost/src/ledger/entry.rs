//! What the ledger hands out to be written down, and how it is read back after a crash.
//!
//! The journal holds what happened to reservations, a snapshot what was spent by then. Both are values
//! here; where they are kept is the store's business.

use std::collections::BTreeMap;

use jiff::civil::Date;
use mainstay_canon::{Moment, Nanodollars};
use serde::{Deserialize, Serialize};

use crate::window::Window;

/// Who is counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "scope", content = "name")]
pub enum Scope {
    /// Everybody.
    Everyone,
    /// One user.
    User(String),
    /// One session.
    Session(String),
    /// One request that belongs to no session.
    Request(String),
    /// One virtual key, by name.
    Key(String),
}

impl Scope {
    /// The kind of scope in one word, for a column.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Everyone => "everyone",
            Self::User(_) => "user",
            Self::Session(_) => "session",
            Self::Request(_) => "request",
            Self::Key(_) => "key",
        }
    }

    /// The name within its kind; empty for everybody.
    pub fn name(&self) -> &str {
        match self {
            Self::Everyone => "",
            Self::User(name) | Self::Session(name) | Self::Request(name) | Self::Key(name) => name,
        }
    }

    /// The scope of that kind and name.
    pub fn from_parts(kind: &str, name: &str) -> Option<Self> {
        let name = name.to_owned();
        Some(match kind {
            "everyone" => Self::Everyone,
            "user" => Self::User(name),
            "session" => Self::Session(name),
            "request" => Self::Request(name),
            "key" => Self::Key(name),
            _ => return None,
        })
    }
}

/// What a scope has spent in a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Who.
    #[serde(flatten)]
    pub scope: Scope,
    /// When.
    pub window: Window,
    /// How much, in nano-dollars.
    pub nanos: Nanodollars,
}

/// Money that was set aside for a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// Rises with every reservation of a ledger, also over its restarts.
    pub id: u64,
    /// When.
    pub at: Moment,
    /// How much, in nano-dollars.
    pub worst: Nanodollars,
    /// The day it is counted in.
    pub day: Window,
    /// The month it is counted in.
    pub month: Window,
    /// The user.
    pub user: String,
    /// The session, where the call has one.
    pub session: Option<String>,
    /// The request.
    pub request_id: String,
    /// The virtual key, by name.
    pub key: Option<String>,
}

impl Reserved {
    /// Every scope and window that the money counts in.
    pub fn places(&self) -> impl Iterator<Item = (Scope, Window)> {
        let own = match &self.session {
            Some(session) => Scope::Session(session.clone()),
            None => Scope::Request(self.request_id.clone()),
        };
        let key = self.key.clone().map(Scope::Key);
        let keyed =
            key.into_iter().flat_map(|key| [self.day, self.month, Window::Ever].map(|w| (key.clone(), w)));
        [
            (Scope::Everyone, self.day),
            (Scope::Everyone, self.month),
            (Scope::User(self.user.clone()), self.day),
            (own, Window::Ever),
        ]
        .into_iter()
        .chain(keyed)
    }

    pub(crate) fn date(&self) -> Option<Date> {
        match self.day {
            Window::Day(day) => Some(day),
            Window::Month(_) | Window::Ever => None,
        }
    }

    pub(crate) fn first_of_month(&self) -> Option<Date> {
        match self.month {
            Window::Month(first) => Some(first),
            Window::Day(_) | Window::Ever => None,
        }
    }
}

/// A reservation that was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledEntry {
    /// Which.
    pub id: u64,
    /// What the call cost, in nano-dollars.
    pub actual: Nanodollars,
    /// When.
    pub at: Moment,
}

/// A reservation that was given back unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Which.
    pub id: u64,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ledger")]
pub enum LedgerEntry {
    /// Written before a provider is called.
    Reserved(Reserved),
    /// Written when a call's cost is known.
    Settled(SettledEntry),
    /// Written when no provider was called after all.
    Released(Released),
}

/// Everything that a ledger needs to go on after a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What was spent.
    pub spent: Vec<Spent>,
    /// What was set aside for calls of which no end is known.
    pub open: Vec<Reserved>,
}

impl Snapshot {
    /// Brings a snapshot up to date with the journal lines that were written after it.
    ///
    /// A line that the snapshot has taken in already does no harm: an end without a beginning is passed
    /// over, and a beginning that comes late is counted once more rather than not at all. The one thing
    /// that must not happen is that a line is written between the taking of a snapshot and its writing.
    pub fn replay(self, journal: impl IntoIterator<Item = LedgerEntry>) -> Self {
        let mut open: BTreeMap<u64, Reserved> =
            self.open.into_iter().map(|entry| (entry.id, entry)).collect();
        let mut spent: BTreeMap<(Scope, Window), Nanodollars> = BTreeMap::new();
        let mut add = |place, amount: Nanodollars| {
            let sum = spent.entry(place).or_default();
            *sum = sum.saturating_add(amount);
        };
        for row in self.spent {
            add((row.scope, row.window), row.nanos);
        }
        for entry in journal {
            match entry {
                LedgerEntry::Reserved(reserved) => {
                    open.entry(reserved.id).or_insert(reserved);
                }
                LedgerEntry::Settled(settled) => {
                    if let Some(reserved) = open.remove(&settled.id) {
                        let places =
                            reserved.places().filter(|(scope, _)| !matches!(scope, Scope::Request(_)));
                        places.for_each(|place| add(place, settled.actual.max(Nanodollars::ZERO)));
                    }
                }
                LedgerEntry::Released(released) => {
                    open.remove(&released.id);
                }
            }
        }
        let spent =
            spent.into_iter().map(|((scope, window), nanos)| Spent { scope, window, nanos }).collect();
        Self { spent, open: open.into_values().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserved(id: u64) -> Reserved {
        Reserved {
            id,
            at: Moment::from_secs(1),
            worst: Nanodollars::from_nanos(100),
            day: "2026-11-30".parse().unwrap(),
            month: "2026-11".parse().unwrap(),
            user: "ann".into(),
            session: None,
            request_id: "r".into(),
            key: Some("team".into()),
        }
    }

    fn settled(id: u64, nanos: i64) -> LedgerEntry {
        LedgerEntry::Settled(SettledEntry {
            id,
            actual: Nanodollars::from_nanos(nanos),
            at: Moment::from_secs(2),
        })
    }

    #[test]
    fn a_journal_is_added_up_and_what_has_no_end_stays_open() {
        let lines = vec![
            LedgerEntry::Reserved(reserved(1)),
            LedgerEntry::Reserved(reserved(2)),
            LedgerEntry::Reserved(reserved(3)),
            settled(1, 70),
            LedgerEntry::Released(Released { id: 2 }),
        ];
        let state = Snapshot::default().replay(lines);
        assert_eq!(state.open, vec![reserved(3)]);
        assert_eq!(state.spent.len(), 6, "day and month, user's day, key's day, month and total");
        assert!(state.spent.iter().all(|row| row.nanos.nanos() == 70));
    }

    #[test]
    fn a_line_that_is_read_twice_does_not_free_money() {
        let lines = || vec![LedgerEntry::Reserved(reserved(1)), settled(1, 70), settled(1, 70)];
        let once = Snapshot::default().replay(lines());
        assert!(once.spent.iter().all(|row| row.nanos.nanos() == 70));
        let twice = once.clone().replay(lines());
        assert!(twice.spent.iter().all(|row| row.nanos.nanos() >= 70));
    }

    #[test]
    fn lines_survive_being_written() {
        for entry in
            [LedgerEntry::Reserved(reserved(1)), settled(1, 70), LedgerEntry::Released(Released { id: 2 })]
        {
            let text = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<LedgerEntry>(&text).unwrap(), entry, "{text}");
        }
        for scope in [Scope::Everyone, Scope::User("ann".into()), Scope::Key("k".into())] {
            assert_eq!(Scope::from_parts(scope.kind(), scope.name()), Some(scope.clone()));
            let row = Spent { scope, window: Window::Ever, nanos: Nanodollars::from_nanos(5) };
            let text = serde_json::to_string(&row).unwrap();
            assert_eq!(serde_json::from_str::<Spent>(&text).unwrap(), row, "{text}");
        }
        assert_eq!(Scope::from_parts("galaxy", "x"), None);
    }
}
