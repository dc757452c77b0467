//! Many accounts in bounded memory, none of which is ever forgotten while it counts.
//!
//! Up to a limit every account is kept exactly. Past it, those that nobody has used for longest make room;
//! what they spent lives on in a table of buckets, each with the largest sum that any of its accounts had
//! spent. An account that comes back, or a new one that shares its bucket, begins with that sum: never too
//! little, seldom too much. An account with money set aside never makes room.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use mainstay_canon::{Moment, Nanodollars};

/// How many accounts of one kind and window are kept exactly, beside those with money set aside.
pub(crate) const MAX_ACCOUNTS: usize = 131_072;
/// Buckets for those that had to make room; half a megabyte a generation.
const BUCKETS: usize = 65_536;

/// What one scope has spent and set aside in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) spent: Nanodollars,
    pub(crate) reserved: Nanodollars,
    touched: Moment,
}

impl Account {
    /// Whether so much more stays within a limit.
    pub(crate) fn fits(&self, more: Nanodollars, limit: Nanodollars) -> bool {
        let used = self.spent.checked_add(self.reserved).and_then(|used| used.checked_add(more));
        used.is_some_and(|used| used <= limit)
    }

    /// What a limit leaves, never less than nothing.
    pub(crate) fn left(&self, limit: Nanodollars) -> Nanodollars {
        limit.saturating_sub(self.spent).saturating_sub(self.reserved).max(Nanodollars::ZERO)
    }

    pub(crate) fn set_aside(&mut self, amount: Nanodollars) {
        self.reserved = self.reserved.saturating_add(amount);
    }

    pub(crate) fn give_back(&mut self, amount: Nanodollars) {
        self.reserved = self.reserved.saturating_sub(amount).max(Nanodollars::ZERO);
    }

    pub(crate) fn spend(&mut self, amount: Nanodollars) {
        self.spent = self.spent.saturating_add(amount);
    }
}

/// Accounts by name.
pub(crate) struct Accounts {
    live: HashMap<Box<str>, Account>,
    faded: Option<Faded>,
    /// How long at least a faded sum is remembered; for ever where absent.
    memory: Option<Duration>,
    limit: usize,
}

impl Accounts {
    /// Accounts whose sums must not be forgotten before `memory` has passed; never where it is `None`.
    pub(crate) fn new(memory: Option<Duration>) -> Self {
        Self { live: HashMap::new(), faded: None, memory, limit: MAX_ACCOUNTS }
    }

    /// The account of that name, opened if need be: always there.
    pub(crate) fn open(&mut self, name: &str, now: Moment) -> Option<&mut Account> {
        if !self.live.contains_key(name) {
            self.make_room(now);
            let spent = self.remembered(name);
            self.live.insert(name.into(), Account { spent, ..Account::default() });
        }
        let account = self.live.get_mut(name)?;
        account.touched = account.touched.max(now);
        Some(account)
    }

    /// How the account of that name stands or would begin.
    pub(crate) fn peek(&self, name: &str) -> Account {
        let begin = || Account { spent: self.remembered(name), ..Account::default() };
        self.live.get(name).copied().unwrap_or_else(begin)
    }

    /// Drops an account that will never be asked for again, unless it has money set aside.
    pub(crate) fn close(&mut self, name: &str) {
        if self.live.get(name).is_some_and(|account| account.reserved == Nanodollars::ZERO) {
            self.live.remove(name);
        }
    }

    /// The accounts that are kept exactly.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Account)> {
        self.live.iter().map(|(name, account)| (&**name, account))
    }

    /// At the limit, an eighth of the accounts makes room, so that the work is spread over many openings.
    fn make_room(&mut self, now: Moment) {
        if self.live.len() < self.limit {
            return;
        }
        let idle = |account: &Account| account.reserved == Nanodollars::ZERO;
        let mut touched: Vec<Moment> = self.live.values().filter(|a| idle(a)).map(|a| a.touched).collect();
        let mut leaving = (self.limit / 8).max(1).min(touched.len());
        let Some(last) = leaving.checked_sub(1) else { return };
        let (_, &mut newest_to_leave, _) = touched.select_nth_unstable(last);
        let memory = self.memory;
        let faded = self.faded.get_or_insert_with(|| Faded::new(now));
        faded.age(now, memory);
        self.live.retain(|name, account| {
            let leaves = leaving > 0 && idle(account) && account.touched <= newest_to_leave;
            if leaves {
                leaving = leaving.saturating_sub(1);
                faded.remember(name, account.spent);
            }
            !leaves
        });
    }

    fn remembered(&self, name: &str) -> Nanodollars {
        self.faded.as_ref().map_or(Nanodollars::ZERO, |faded| faded.recall(name))
    }
}

/// The largest sums of those that made room, by bucket, in two generations.
struct Faded {
    hasher: RandomState,
    newer: Vec<Nanodollars>,
    older: Vec<Nanodollars>,
    since: Moment,
}

impl Faded {
    fn new(now: Moment) -> Self {
        let empty = || vec![Nanodollars::ZERO; BUCKETS];
        Self { hasher: RandomState::new(), newer: empty(), older: empty(), since: now }
    }

    /// Forgets what is older than one generation, once a generation is `memory` old.
    fn age(&mut self, now: Moment, memory: Option<Duration>) {
        if memory.is_some_and(|memory| now.since(self.since) >= memory) {
            std::mem::swap(&mut self.newer, &mut self.older);
            self.newer.fill(Nanodollars::ZERO);
            self.since = now;
        }
    }

    fn remember(&mut self, name: &str, spent: Nanodollars) {
        let bucket = self.bucket(name);
        if let Some(sum) = self.newer.get_mut(bucket) {
            *sum = (*sum).max(spent);
        }
    }

    fn recall(&self, name: &str) -> Nanodollars {
        let bucket = self.bucket(name);
        let sums = [self.newer.get(bucket), self.older.get(bucket)];
        sums.into_iter().flatten().copied().max().unwrap_or(Nanodollars::ZERO)
    }

    fn bucket(&self, name: &str) -> usize {
        // As many as a u16 can name.
        let [low, high, ..] = self.hasher.hash_one(name).to_le_bytes();
        usize::from(u16::from_le_bytes([low, high]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small(memory: Option<Duration>) -> Accounts {
        Accounts { limit: 16, ..Accounts::new(memory) }
    }

    fn dollars(amount: i64) -> Nanodollars {
        Nanodollars::from_nanos(amount * 1_000_000_000)
    }

    #[test]
    fn who_makes_room_is_still_remembered() {
        let mut accounts = small(None);
        for number in 0..1_000_i64 {
            accounts
                .open(&format!("user {number}"), Moment::from_secs(number))
                .unwrap()
                .spend(dollars(number));
        }
        assert!(accounts.live.len() <= 16);
        for number in 0..1_000 {
            assert!(accounts.peek(&format!("user {number}")).spent >= dollars(number), "user {number}");
        }
    }

    #[test]
    fn an_account_with_money_set_aside_stays() {
        let mut accounts = small(None);
        for number in 0..40 {
            accounts.open(&format!("busy {number}"), Moment::EPOCH).unwrap().set_aside(dollars(1));
        }
        for number in 0..200 {
            accounts.open(&format!("idle {number}"), Moment::from_secs(number));
        }
        for number in 0..40 {
            assert_eq!(accounts.peek(&format!("busy {number}")).reserved, dollars(1));
        }
    }

    #[test]
    fn who_was_used_last_leaves_last() {
        let mut accounts = small(None);
        for number in 0..16 {
            accounts.open(&format!("{number}"), Moment::from_secs(number));
        }
        accounts.open("0", Moment::from_secs(100));
        accounts.open("new", Moment::from_secs(101));
        assert!(accounts.live.contains_key("0") && !accounts.live.contains_key("1"));
    }

    #[test]
    fn faded_sums_are_kept_for_their_time_and_then_forgotten() {
        let day = 86_400;
        let mut accounts = small(Some(Duration::from_hours(7 * 24)));
        accounts.open("old", Moment::from_secs(0)).unwrap().spend(dollars(5));
        let mut churn = |from: i64| {
            for number in 0..40 {
                accounts.open(&format!("{from} {number}"), Moment::from_secs(from + number));
            }
            accounts.peek("old").spent
        };
        assert_eq!(churn(day), dollars(5));
        assert_eq!(churn(9 * day), dollars(5), "one generation back");
        assert_eq!(churn(18 * day), Nanodollars::ZERO);
    }

    proptest! {
        #[test]
        fn no_account_ever_begins_with_less_than_it_had_spent(steps in prop::collection::vec((0_u8..60, 0_i64..50), 0..400)) {
            let mut accounts = small(None);
            let mut truth: HashMap<u8, i64> = HashMap::new();
            for (second, (who, amount)) in (0..).zip(steps) {
                accounts.open(&who.to_string(), Moment::from_secs(second)).unwrap().spend(dollars(amount));
                *truth.entry(who).or_default() += amount;
            }
            for (who, spent) in truth {
                prop_assert!(accounts.peek(&who.to_string()).spent >= dollars(spent));
            }
        }
    }
}
