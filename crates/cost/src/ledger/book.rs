//! What is spent and set aside, by scope and window. Plain state: whoever holds the lock may change it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use mainstay_canon::{Moment, Nanodollars};

use super::accounts::{Account, Accounts};
use super::entry::{Reserved, Scope, Spent};
use super::kept::Kept;
use crate::caps::{ANONYMOUS, CapKind, Spender};
use crate::window::{self, Window};

/// How many days are kept.
const KEPT_DAYS: usize = 4;
/// How many months are kept.
const KEPT_MONTHS: usize = 3;
/// How many reservations may be open. Past it the oldest is counted as spent in full.
pub(crate) const MAX_OPEN: usize = 262_144;
/// How long at least a session that had to make room is remembered.
const SESSION_MEMORY: Duration = Duration::from_hours(7 * 24);
/// The same for a request without a session, which lives for minutes.
const REQUEST_MEMORY: Duration = Duration::from_hours(1);

struct Day {
    everyone: Account,
    users: Accounts,
    keys: Accounts,
}

struct Month {
    everyone: Account,
    keys: Accounts,
}

pub(crate) struct Book {
    days: Kept<Day>,
    months: Kept<Month>,
    sessions: Accounts,
    requests: Accounts,
    keys: Accounts,
    open: BTreeMap<u64, Arc<Reserved>>,
    last_id: u64,
}

impl Book {
    pub(crate) fn new() -> Self {
        Self {
            days: Kept::new(KEPT_DAYS),
            months: Kept::new(KEPT_MONTHS),
            sessions: Accounts::new(Some(SESSION_MEMORY)),
            requests: Accounts::new(Some(REQUEST_MEMORY)),
            keys: Accounts::new(None),
            open: BTreeMap::new(),
            last_id: 0,
        }
    }

    /// What a reservation would look like now. Its windows exist afterwards.
    pub(crate) fn draft(
        &mut self,
        who: &Spender,
        key: Option<&str>,
        worst: Nanodollars,
        now: Moment,
        zone: &TimeZone,
    ) -> Reserved {
        let (day, month) = self.dates(now, zone);
        self.enter_day(day);
        self.enter_month(month);
        // A clock that runs makes ids that never come again, also after a restart.
        let id = u64::try_from(now.micros()).unwrap_or(0).max(self.last_id.saturating_add(1));
        Reserved {
            id,
            at: now,
            worst,
            day: Window::Day(day),
            month: Window::Month(month),
            user: who.user.clone().unwrap_or_else(|| ANONYMOUS.to_owned()),
            session: who.session.clone(),
            request_id: who.request_id.clone(),
            key: key.map(str::to_owned),
        }
    }

    /// Keeps a reservation; `false` when one of that id is open already. The caller sets its money aside.
    pub(crate) fn keep(&mut self, entry: &Arc<Reserved>) -> bool {
        if self.open.contains_key(&entry.id) {
            return false;
        }
        self.last_id = self.last_id.max(entry.id);
        self.open.insert(entry.id, Arc::clone(entry));
        if self.open.len() > MAX_OPEN
            && let Some((_, oldest)) = self.open.pop_first()
        {
            self.visit(&oldest, |_, account| {
                account.give_back(oldest.worst);
                account.spend(oldest.worst);
            });
        }
        true
    }

    /// Ends a reservation; `false` when it has been counted as spent in full already.
    pub(crate) fn end(&mut self, entry: &Reserved) -> bool {
        self.open.remove(&entry.id).is_some()
    }

    /// Shows every account that a reservation counts in, opening those that do not exist. A day or month
    /// that is no longer kept is passed over.
    pub(crate) fn visit(&mut self, entry: &Reserved, mut show: impl FnMut(CapKind, &mut Account)) {
        let now = entry.at;
        let mut show = |cap, account: Option<&mut Account>| {
            if let Some(account) = account {
                show(cap, account);
            }
        };
        let key = entry.key.as_deref();
        if let Some(day) = entry.date().and_then(|day| self.days.get_mut(day)) {
            show(CapKind::Daily, Some(&mut day.everyone));
            show(CapKind::PerUserDaily, day.users.open(&entry.user, now));
            show(CapKind::KeyDaily, key.and_then(|key| day.keys.open(key, now)));
        }
        if let Some(month) = entry.first_of_month().and_then(|first| self.months.get_mut(first)) {
            show(CapKind::Monthly, Some(&mut month.everyone));
            show(CapKind::KeyMonthly, key.and_then(|key| month.keys.open(key, now)));
        }
        let own = match &entry.session {
            Some(session) => self.sessions.open(session, now),
            None => self.requests.open(&entry.request_id, now),
        };
        show(CapKind::PerSession, own);
        show(CapKind::KeyTotal, key.and_then(|key| self.keys.open(key, now)));
    }

    /// How the account behind a cap stands now, and its window. Opens nothing.
    pub(crate) fn peek(
        &self,
        cap: CapKind,
        who: &Spender,
        key: Option<&str>,
        now: Moment,
        zone: &TimeZone,
    ) -> (Account, Window) {
        let (day, month) = self.dates(now, zone);
        let on_day = self.days.get(day);
        let in_month = self.months.get(month);
        let user = who.user.as_deref().unwrap_or(ANONYMOUS);
        let key = key.unwrap_or_default();
        let (account, window) = match cap {
            CapKind::Daily => (on_day.map(|day| day.everyone), Window::Day(day)),
            CapKind::PerUserDaily => (on_day.map(|day| day.users.peek(user)), Window::Day(day)),
            CapKind::KeyDaily => (on_day.map(|day| day.keys.peek(key)), Window::Day(day)),
            CapKind::Monthly => (in_month.map(|month| month.everyone), Window::Month(month)),
            CapKind::KeyMonthly => (in_month.map(|month| month.keys.peek(key)), Window::Month(month)),
            CapKind::PerSession => {
                let own = who.session.as_deref().map(|session| self.sessions.peek(session));
                (own.or_else(|| Some(self.requests.peek(&who.request_id))), Window::Ever)
            }
            CapKind::KeyTotal => (Some(self.keys.peek(key)), Window::Ever),
        };
        (account.unwrap_or_default(), window)
    }

    /// Forgets a request without a session that will make no further call.
    pub(crate) fn close_request(&mut self, request_id: &str) {
        self.requests.close(request_id);
    }

    /// Takes in a row of a snapshot. Returns at once what it has no place for: requests are over by then.
    pub(crate) fn take_in(&mut self, row: &Spent, now: Moment) {
        let amount = row.nanos.max(Nanodollars::ZERO);
        let spend = |account: Option<&mut Account>| {
            if let Some(account) = account {
                account.spend(amount);
            }
        };
        match (&row.scope, row.window) {
            (Scope::Everyone, Window::Day(day)) => spend(self.enter_day(day).map(|day| &mut day.everyone)),
            (Scope::User(user), Window::Day(day)) => {
                spend(self.enter_day(day).and_then(|d| d.users.open(user, now)));
            }
            (Scope::Key(key), Window::Day(day)) => {
                spend(self.enter_day(day).and_then(|d| d.keys.open(key, now)));
            }
            (Scope::Everyone, Window::Month(month)) => {
                spend(self.enter_month(month).map(|month| &mut month.everyone));
            }
            (Scope::Key(key), Window::Month(month)) => {
                spend(self.enter_month(month).and_then(|month| month.keys.open(key, now)));
            }
            (Scope::Session(session), Window::Ever) => spend(self.sessions.open(session, now)),
            (Scope::Key(key), Window::Ever) => spend(self.keys.open(key, now)),
            (Scope::Request(_), _)
            | (Scope::User(_), Window::Month(_) | Window::Ever)
            | (Scope::Everyone, Window::Ever)
            | (Scope::Session(_), Window::Day(_) | Window::Month(_)) => {}
        }
    }

    /// Lets nothing be entered before the oldest windows that are known.
    pub(crate) fn close_the_past(&mut self) {
        self.days.close_the_past();
        self.months.close_the_past();
    }

    /// The windows of a reservation that is taken in.
    pub(crate) fn enter(&mut self, entry: &Reserved) {
        if let Some(day) = entry.date() {
            self.enter_day(day);
        }
        if let Some(month) = entry.first_of_month() {
            self.enter_month(month);
        }
    }

    /// What is spent, as rows. Nothing of requests: they end with the process. Every window that is kept has
    /// a row, also one in which nothing was spent: the oldest row says how far back the books go.
    pub(crate) fn rows(&self) -> Vec<Spent> {
        let mut rows = Vec::new();
        let mut put = |scope, window, account: &Account| {
            if account.spent > Nanodollars::ZERO || scope == Scope::Everyone {
                rows.push(Spent { scope, window, nanos: account.spent });
            }
        };
        for (date, day) in self.days.iter() {
            let window = Window::Day(date);
            put(Scope::Everyone, window, &day.everyone);
            day.users.iter().for_each(|(name, account)| put(Scope::User(name.to_owned()), window, account));
            day.keys.iter().for_each(|(name, account)| put(Scope::Key(name.to_owned()), window, account));
        }
        for (first, month) in self.months.iter() {
            let window = Window::Month(first);
            put(Scope::Everyone, window, &month.everyone);
            month.keys.iter().for_each(|(name, account)| put(Scope::Key(name.to_owned()), window, account));
        }
        self.sessions
            .iter()
            .for_each(|(name, account)| put(Scope::Session(name.to_owned()), Window::Ever, account));
        self.keys.iter().for_each(|(name, account)| put(Scope::Key(name.to_owned()), Window::Ever, account));
        rows
    }

    pub(crate) fn open_entries(&self) -> Vec<Reserved> {
        self.open.values().map(|entry| Reserved::clone(entry)).collect()
    }

    fn dates(&self, now: Moment, zone: &TimeZone) -> (Date, Date) {
        let today = window::date(now, zone);
        (self.days.place(today), self.months.place(today.first_of_month()))
    }

    fn enter_day(&mut self, date: Date) -> Option<&mut Day> {
        self.days.enter(date, || Day {
            everyone: Account::default(),
            users: Accounts::new(None),
            keys: Accounts::new(None),
        })
    }

    fn enter_month(&mut self, first: Date) -> Option<&mut Month> {
        self.months.enter(first, || Month { everyone: Account::default(), keys: Accounts::new(None) })
    }
}
