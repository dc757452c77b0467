//! The ledger: sets money aside before a call and charges what the call cost (behaviour 8.2).
//!
//! What is spent and what is set aside never pass a cap together, however many callers there are: all caps
//! are looked at and all are booked under one short lock, or none. It knows no price, no clock and no disk;
//! what must survive the process is handed out as values and taken in again.

mod accounts;
mod book;
mod entry;
mod kept;
mod margin;

use std::sync::Arc;

use mainstay_canon::{Moment, Nanodollars, Target};
use parking_lot::Mutex;

use self::book::Book;
pub use self::entry::{LedgerEntry, Released, Reserved, Scope, SettledEntry, Snapshot, Spent};
pub use self::margin::Margin;
use self::margin::Margins;
use crate::caps::{CapKind, CapStatus, CapWarning, Caps, HardAbort, KeyCaps, Spender};

/// Keeps every cap. Cheap to share behind an `Arc`.
///
/// Memory is bounded: of users a day, of sessions, of requests without a session and of keys the 131,072
/// used last are kept exactly each, beside those with a call under way. Who is pushed out is remembered in
/// a table of fixed size that never remembers too little: a user until the day is over, a session for at
/// least seven days after it was pushed out. Four days and three months are kept. At most 262,144
/// reservations are open; past that the oldest is counted as spent in full.
///
/// A day or a month is charged for the calls that began in it.
///
/// ```
/// use mainstay_canon::{Moment, Nanodollars};
/// use mainstay_cost::{Caps, Ledger, Spender};
///
/// let ledger = Ledger::new(Caps { daily: "1.00".parse().ok(), ..Caps::default() });
/// let who = Spender { request_id: "req_1".into(), ..Spender::default() };
/// let now = Moment::from_secs(1_796_000_000);
/// let reservation = ledger.reserve(&who, "0.60".parse()?, now).unwrap();
/// assert!(ledger.reserve(&who, "0.60".parse()?, now).is_err());
/// ledger.settle(reservation, "0.10".parse()?, now);
/// assert_eq!(ledger.room(&who, now), "0.90".parse().ok());
/// # Ok::<(), mainstay_canon::MoneyError>(())
/// ```
pub struct Ledger {
    state: Mutex<State>,
}

struct State {
    caps: Caps,
    book: Book,
    margins: Margins,
}

/// Money set aside for one call. Settle it or release it: one that is dropped stays counted in full until
/// its windows are over, and is restored as open after a restart. That is the safe side.
#[must_use = "a reservation that is neither settled nor released stays counted in full"]
#[derive(Debug)]
pub struct Reservation {
    /// Rises with every reservation of a ledger, also over its restarts.
    pub id: u64,
    /// What is set aside.
    pub worst: Nanodollars,
    entry: Arc<Reserved>,
    key: Option<KeyCaps>,
}

impl Reservation {
    /// What the journal stores before the call is made.
    pub fn entry(&self) -> &Reserved {
        &self.entry
    }
}

/// What came of settling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// By how much the call cost more than was set aside: the one way past a cap. It is charged all the
    /// same; raise the model's margin ([`Ledger::raise_margin`]) and alert.
    pub overrun: Option<Nanodollars>,
    /// Caps that have passed the share at which a warning is due with this very charge.
    pub warnings: Vec<CapWarning>,
    /// What the journal stores.
    pub entry: SettledEntry,
}

impl Ledger {
    /// An empty ledger.
    pub fn new(caps: Caps) -> Self {
        Self { state: Mutex::new(State { caps, book: Book::new(), margins: Margins::default() }) }
    }

    /// Puts new caps in force. What is spent and set aside stays.
    pub fn set_caps(&self, caps: Caps) {
        self.state.lock().caps = caps;
    }

    /// The caps in force.
    pub fn caps(&self) -> Caps {
        self.state.lock().caps.clone()
    }

    /// Sets `worst` aside under every cap, or refuses and sets aside nothing.
    ///
    /// # Errors
    ///
    /// [`HardAbort`] when spent, set aside and `worst` together would pass a cap; it says which.
    pub fn reserve(&self, who: &Spender, worst: Nanodollars, now: Moment) -> Result<Reservation, HardAbort> {
        self.reserve_for(who, None, worst, now)
    }

    /// The same for a call that comes with a virtual key, whose own caps count as well.
    ///
    /// # Errors
    ///
    /// [`HardAbort`] when spent, set aside and `worst` together would pass a cap; it says which.
    pub fn reserve_for(
        &self,
        who: &Spender,
        key: Option<&KeyCaps>,
        worst: Nanodollars,
        now: Moment,
    ) -> Result<Reservation, HardAbort> {
        self.state.lock().reserve(who, key, worst, now)
    }

    /// Sets aside what `plan` makes of the room that is left, in one step: nobody else can take that room in
    /// between. `plan` is given what the tightest cap leaves (`None` when no cap is set) and gives back the
    /// worst case, with whatever else it decided. It must be quick and must not ask this ledger anything.
    ///
    /// # Errors
    ///
    /// [`HardAbort`] when the worst case that was planned does not fit all the same; it says which cap.
    pub fn reserve_planned<T>(
        &self,
        who: &Spender,
        key: Option<&KeyCaps>,
        now: Moment,
        plan: impl FnOnce(Option<Nanodollars>) -> (Nanodollars, T),
    ) -> Result<(Reservation, T), HardAbort> {
        let mut state = self.state.lock();
        let (worst, decided) = plan(state.room(who, key, now));
        state.reserve(who, key, worst, now).map(|reservation| (reservation, decided))
    }

    /// Charges what a call cost and gives back the rest, in the windows in which it was reserved.
    pub fn settle(&self, reservation: Reservation, actual: Nanodollars, now: Moment) -> Settled {
        let Reservation { id, worst, entry, key } = reservation;
        let actual = actual.max(Nanodollars::ZERO);
        let over = actual.saturating_sub(worst).max(Nanodollars::ZERO);
        let mut warnings = Vec::new();
        let mut state = self.state.lock();
        let State { caps, book, .. } = &mut *state;
        let (back, charge) = if book.end(&entry) { (worst, actual) } else { (Nanodollars::ZERO, over) };
        book.visit(&entry, |cap, account| {
            let before = account.spent;
            account.give_back(back);
            account.spend(charge);
            let Some(limit) = limit(caps, key.as_ref(), cap) else { return };
            if passes(before, account.spent, limit, caps.warn_at_percent) {
                warnings.push(CapWarning { cap, whose: whose(&entry, cap), limit, spent: account.spent });
            }
        });
        let overrun = (over > Nanodollars::ZERO).then_some(over);
        Settled { overrun, warnings, entry: SettledEntry { id, actual, at: now } }
    }

    /// Gives everything back: no provider was called. Returns what the journal stores.
    pub fn release(&self, reservation: Reservation) -> Released {
        let Reservation { id, worst, entry, .. } = reservation;
        let mut state = self.state.lock();
        if state.book.end(&entry) {
            state.book.visit(&entry, |_, account| account.give_back(worst));
        }
        Released { id }
    }

    /// Charges something that nothing was set aside for. It may pass a cap.
    pub fn add_spent(&self, who: &Spender, amount: Nanodollars, now: Moment) {
        let amount = amount.max(Nanodollars::ZERO);
        let mut state = self.state.lock();
        let State { caps, book, .. } = &mut *state;
        let draft = book.draft(who, None, amount, now, &caps.timezone);
        book.visit(&draft, |_, account| account.spend(amount));
    }

    /// What the tightest cap leaves this caller; `None` when no cap is set.
    pub fn room(&self, who: &Spender, now: Moment) -> Option<Nanodollars> {
        self.room_for(who, None, now)
    }

    /// The same for a call that comes with a virtual key.
    pub fn room_for(&self, who: &Spender, key: Option<&KeyCaps>, now: Moment) -> Option<Nanodollars> {
        self.state.lock().room(who, key, now)
    }

    /// How the caps that count for everybody stand.
    pub fn status(&self, now: Moment) -> Vec<CapStatus> {
        let everybody = [CapKind::Daily, CapKind::Monthly];
        self.status_over(&everybody, &Spender::default(), None, now)
    }

    /// How all the caps that count for this caller stand.
    pub fn status_of(&self, who: &Spender, key: Option<&KeyCaps>, now: Moment) -> Vec<CapStatus> {
        self.status_over(&CapKind::ALL, who, key, now)
    }

    fn status_over(
        &self,
        kinds: &[CapKind],
        who: &Spender,
        key: Option<&KeyCaps>,
        now: Moment,
    ) -> Vec<CapStatus> {
        let state = self.state.lock();
        let zone = &state.caps.timezone;
        let status = |cap: &CapKind| {
            let limit = limit(&state.caps, key, *cap)?;
            let (account, window) = state.book.peek(*cap, who, key.map(|key| key.name.as_str()), now, zone);
            let (spent, reserved) = (account.spent, account.reserved);
            Some(CapStatus { cap: *cap, limit, spent, reserved, resets_at: window.ends(zone) })
        };
        kinds.iter().filter_map(status).collect()
    }

    /// Says that a request will make no further call, so that one without a session need not be kept.
    pub fn close_request(&self, who: &Spender) {
        if who.session.is_none() {
            self.state.lock().book.close_request(&who.request_id);
        }
    }

    /// What the next calls of a model are set aside with beyond their worst case.
    pub fn margin(&self, target: &Target) -> Margin {
        self.state.lock().margins.of(target)
    }

    /// Raises a model's margin after an overrun, so that the same call would have been covered. `worst` is
    /// what was set aside, `actual` what the call cost.
    pub fn raise_margin(&self, target: &Target, worst: Nanodollars, actual: Nanodollars) -> Margin {
        self.state.lock().margins.raise(target, worst, actual)
    }

    /// The margins that differ from none, to be stored.
    pub fn margins(&self) -> Vec<(Target, Margin)> {
        self.state.lock().margins.all()
    }

    /// Takes stored margins in again.
    pub fn restore_margins(&self, margins: impl IntoIterator<Item = (Target, Margin)>) {
        let mut state = self.state.lock();
        margins.into_iter().for_each(|(target, margin)| state.margins.set(target, margin));
    }

    /// Takes in what was spent and what was set aside before a restart; for a ledger that is still empty.
    /// Open reservations count in full, whatever the caps say. They are returned so that they can be
    /// settled or released if it becomes known what came of them; dropped, they stay counted.
    pub fn restore(
        &self,
        spent: impl IntoIterator<Item = Spent>,
        open: impl IntoIterator<Item = Reserved>,
        now: Moment,
    ) -> Vec<Reservation> {
        let mut state = self.state.lock();
        let book = &mut state.book;
        for row in spent {
            book.take_in(&row, now);
        }
        let mut reservations = Vec::new();
        for entry in open {
            book.enter(&entry);
            let entry = Arc::new(Reserved { worst: entry.worst.max(Nanodollars::ZERO), ..entry });
            if book.keep(&entry) {
                book.visit(&entry, |_, account| account.set_aside(entry.worst));
                reservations.push(Reservation { id: entry.id, worst: entry.worst, entry, key: None });
            }
        }
        book.close_the_past();
        reservations
    }

    /// What is spent, as rows to be stored. They are to be put over the stored ones, not in their place: a
    /// session that was pushed out of memory has no row here.
    pub fn spent_rows(&self) -> Vec<Spent> {
        self.state.lock().book.rows()
    }

    /// What is spent and what is open, taken at one moment. Every caller waits while it is copied, which is
    /// felt only with a hundred thousand users: once a minute is plenty.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.state.lock();
        Snapshot { spent: state.book.rows(), open: state.book.open_entries() }
    }
}

impl State {
    fn reserve(
        &mut self,
        who: &Spender,
        key: Option<&KeyCaps>,
        worst: Nanodollars,
        now: Moment,
    ) -> Result<Reservation, HardAbort> {
        let worst = worst.max(Nanodollars::ZERO);
        let Self { caps, book, .. } = self;
        let draft = book.draft(who, key.map(|key| key.name.as_str()), worst, now, &caps.timezone);
        let mut refusal: Option<HardAbort> = None;
        book.visit(&draft, |cap, account| {
            let Some(limit) = limit(caps, key, cap) else { return };
            if account.fits(worst, limit) {
                return;
            }
            let (spent, reserved) = (account.spent, account.reserved);
            let abort = HardAbort { cap, limit, spent, reserved, needed: worst, resets_at: None };
            if refusal.as_ref().is_none_or(|tightest| abort.left() < tightest.left()) {
                refusal = Some(abort);
            }
        });
        if let Some(mut abort) = refusal {
            abort.resets_at = resets_at(&draft, abort.cap, caps);
            return Err(abort);
        }
        let entry = Arc::new(draft);
        book.keep(&entry);
        book.visit(&entry, |_, account| account.set_aside(worst));
        Ok(Reservation { id: entry.id, worst, entry, key: key.cloned() })
    }

    fn room(&self, who: &Spender, key: Option<&KeyCaps>, now: Moment) -> Option<Nanodollars> {
        let left = |cap| {
            let limit = limit(&self.caps, key, cap)?;
            let name = key.map(|key| key.name.as_str());
            Some(self.book.peek(cap, who, name, now, &self.caps.timezone).0.left(limit))
        };
        CapKind::ALL.into_iter().filter_map(left).min()
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}

fn limit(caps: &Caps, key: Option<&KeyCaps>, cap: CapKind) -> Option<Nanodollars> {
    match cap {
        CapKind::Daily => caps.daily,
        CapKind::Monthly => caps.monthly,
        CapKind::PerUserDaily => caps.per_user_daily,
        CapKind::PerSession => caps.per_session,
        CapKind::KeyDaily => key?.daily,
        CapKind::KeyMonthly => key?.monthly,
        CapKind::KeyTotal => key?.total,
    }
}

fn resets_at(entry: &Reserved, cap: CapKind, caps: &Caps) -> Option<Moment> {
    match cap {
        CapKind::Daily | CapKind::PerUserDaily | CapKind::KeyDaily => entry.day.ends(&caps.timezone),
        CapKind::Monthly | CapKind::KeyMonthly => entry.month.ends(&caps.timezone),
        CapKind::PerSession | CapKind::KeyTotal => None,
    }
}

fn whose(entry: &Reserved, cap: CapKind) -> Option<String> {
    match cap {
        CapKind::Daily | CapKind::Monthly => None,
        CapKind::PerUserDaily => Some(entry.user.clone()),
        CapKind::PerSession => Some(entry.session.clone().unwrap_or_else(|| entry.request_id.clone())),
        CapKind::KeyDaily | CapKind::KeyMonthly | CapKind::KeyTotal => entry.key.clone(),
    }
}

/// Whether spending has just reached so many percent of a limit.
fn passes(before: Nanodollars, after: Nanodollars, limit: Nanodollars, percent: u8) -> bool {
    let mark = i128::from(limit.nanos()).saturating_mul(i128::from(percent));
    let scaled = |amount: Nanodollars| i128::from(amount.nanos()).saturating_mul(100);
    percent > 0 && scaled(before) < mark && scaled(after) >= mark
}

#[cfg(test)]
mod tests;
