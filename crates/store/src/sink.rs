//! The seam between the journal's follower and a database. SQLite is behind it; another database is
//! another implementation, and the follower does not change.

use mainstay_canon::Moment;

use crate::entry::Entry;
use crate::journal::Position;

/// Why a database did not take something. What it says is shown to people.
#[derive(Debug)]
pub(crate) struct SinkError(pub(crate) String);

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Entries that the database refuses for good, which no waiting changes.
    pub(crate) rejected: u64,
}

/// What is to go from the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sweep {
    /// First-try ok rows that began before this moment.
    pub(crate) ok_before: Moment,
    /// All rows that began before this moment.
    pub(crate) all_before: Moment,
    /// What users and sessions spent in windows that nothing was added to since this moment.
    pub(crate) ledger_before: Moment,
    /// The oldest rows while the log is larger than this, in bytes; ok rows first.
    pub(crate) max_size: u64,
}

/// What one step of a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Rows that were removed because of their age.
    pub by_age: u64,
    /// Rows that were removed because the log was too large.
    pub by_size: u64,
}

impl Swept {
    /// Both together.
    #[must_use]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            by_age: self.by_age.saturating_add(other.by_age),
            by_size: self.by_size.saturating_add(other.by_size),
        }
    }

    /// Whether nothing was removed.
    pub(crate) const fn is_nothing(self) -> bool {
        self.by_age == 0 && self.by_size == 0
    }
}

/// A database that follows the journal.
pub(crate) trait Sink: Send {
    /// Takes these entries and the place up to which they reach, both or neither. An entry that was
    /// taken before is taken once.
    fn take(&mut self, entries: &[Entry], upto: Position) -> Result<Taken, SinkError>;

    /// Removes a small batch of what is to go; nothing removed means that the sweep is done.
    fn sweep(&mut self, sweep: &Sweep) -> Result<Swept, SinkError>;

    /// Makes the next start quick. Best effort.
    fn finish(&mut self);
}
