//! Laws that the ledger keeps under any sequence of operations, and over a crash at any point.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "the helpers of a test are a test")]

use std::collections::BTreeMap;

use mainstay_canon::{Moment, Nanodollars};
use mainstay_cost::{Caps, KeyCaps, Ledger, LedgerEntry, Reservation, Scope, Snapshot, Spender, Window};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Reserve {
        user: u8,
        session: u8,
        keyed: bool,
        nanos: i64,
    },
    /// Settles the n-th open reservation at so many percent of its worst case.
    Settle {
        which: usize,
        percent: i64,
    },
    Release {
        which: usize,
    },
    /// Forgets the n-th open reservation.
    Drop {
        which: usize,
    },
    /// Moves the clock, backwards as well.
    Clock {
        hours: i64,
    },
    Snapshot,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..4, 0_u8..6, any::<bool>(), 0_i64..400)
            .prop_map(|(user, session, keyed, nanos)| Step::Reserve { user, session, keyed, nanos }),
        3 => (0_usize..8, 0_i64..=100).prop_map(|(which, percent)| Step::Settle { which, percent }),
        1 => (0_usize..8).prop_map(|which| Step::Release { which }),
        1 => (0_usize..8).prop_map(|which| Step::Drop { which }),
        1 => (-60_i64..60).prop_map(|hours| Step::Clock { hours }),
        1 => Just(Step::Snapshot),
    ]
}

fn nanos(amount: i64) -> Nanodollars {
    Nanodollars::from_nanos(amount)
}

fn caps() -> Caps {
    Caps {
        daily: Some(nanos(1_000)),
        monthly: Some(nanos(2_500)),
        per_user_daily: Some(nanos(500)),
        per_session: Some(nanos(700)),
        ..Caps::default()
    }
}

fn key() -> KeyCaps {
    KeyCaps {
        name: "team".into(),
        daily: Some(nanos(600)),
        monthly: Some(nanos(1_500)),
        total: Some(nanos(2_000)),
    }
}

fn spender(user: u8, session: u8, request: usize) -> Spender {
    Spender {
        user: (user > 0).then(|| format!("u{user}")),
        session: (session > 0).then(|| format!("s{session}")),
        request_id: format!("r{request}"),
    }
}

/// A ledger, its journal, and what really happened in each window.
struct World {
    ledger: Ledger,
    now: Moment,
    open: Vec<Reservation>,
    snapshot: Snapshot,
    journal: Vec<LedgerEntry>,
    truth: BTreeMap<(Scope, Window), i64>,
    requests: usize,
}

impl World {
    fn new() -> Self {
        Self {
            ledger: Ledger::new(caps()),
            now: Moment::from_secs(1_796_040_000),
            open: Vec::new(),
            snapshot: Snapshot::default(),
            journal: Vec::new(),
            truth: BTreeMap::new(),
            requests: 0,
        }
    }

    fn take(&mut self, which: usize) -> Option<Reservation> {
        (!self.open.is_empty()).then(|| self.open.remove(which % self.open.len()))
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Reserve { user, session, keyed, nanos: amount } => {
                self.requests += 1;
                let who = spender(user, session, self.requests);
                let key = keyed.then(key);
                if let Ok(held) = self.ledger.reserve_for(&who, key.as_ref(), nanos(amount), self.now) {
                    for place in held.entry().places() {
                        *self.truth.entry(place).or_default() += amount;
                    }
                    self.journal.push(LedgerEntry::Reserved(held.entry().clone()));
                    self.open.push(held);
                }
            }
            Step::Settle { which, percent } => {
                let Some(held) = self.take(which) else { return };
                let actual = held.worst.nanos() * percent / 100;
                for place in held.entry().places() {
                    *self.truth.entry(place).or_default() -= held.worst.nanos() - actual;
                }
                let settled = self.ledger.settle(held, nanos(actual), self.now);
                assert_eq!(settled.overrun, None);
                self.journal.push(LedgerEntry::Settled(settled.entry));
            }
            Step::Release { which } => {
                let Some(held) = self.take(which) else { return };
                for place in held.entry().places() {
                    *self.truth.entry(place).or_default() -= held.worst.nanos();
                }
                self.journal.push(LedgerEntry::Released(self.ledger.release(held)));
            }
            Step::Drop { which } => drop(self.take(which)),
            Step::Clock { hours } => {
                self.now = Moment::from_micros(self.now.micros() + hours * 3_600_000_000);
            }
            Step::Snapshot => {
                self.snapshot = self.ledger.snapshot();
                self.journal.clear();
            }
        }
    }

    /// Kills the process and starts it again from what was written down.
    fn crash(&mut self) {
        let Snapshot { spent, open } =
            std::mem::take(&mut self.snapshot).replay(std::mem::take(&mut self.journal));
        self.ledger = Ledger::new(caps());
        self.open.clear();
        drop(self.ledger.restore(spent, open, self.now));
        self.snapshot = self.ledger.snapshot();
    }

    /// Nothing that really happened in any window is past its cap.
    fn check(&self) {
        let caps = caps();
        let key = key();
        for ((scope, window), used) in &self.truth {
            let limit = match (scope, window) {
                (Scope::Everyone, Window::Day(_)) => caps.daily,
                (Scope::Everyone, _) => caps.monthly,
                (Scope::User(_), _) => caps.per_user_daily,
                (Scope::Session(_) | Scope::Request(_), _) => caps.per_session,
                (Scope::Key(_), Window::Day(_)) => key.daily,
                (Scope::Key(_), Window::Month(_)) => key.monthly,
                (Scope::Key(_), Window::Ever) => key.total,
            };
            assert!(*used <= limit.unwrap().nanos(), "{scope:?} {window}: {used}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn spent_and_reserved_never_pass_a_cap(steps in prop::collection::vec(step(), 0..120)) {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
            world.check();
        }
    }

    #[test]
    fn what_is_under_way_is_counted_exactly(steps in prop::collection::vec(step(), 0..80)) {
        let mut world = World::new();
        // Without a moving clock every window stays in memory, so the books can be compared to the truth.
        for step in steps.iter().filter(|step| !matches!(step, Step::Clock { .. })) {
            world.step(step);
        }
        let used = |scope: Scope, window: &str| world.truth.get(&(scope, window.parse().unwrap())).copied().unwrap_or(0);
        for status in world.ledger.status(world.now) {
            let window = if status.cap.name() == "daily" { "2026-11-30" } else { "2026-11" };
            prop_assert_eq!(status.spent.nanos() + status.reserved.nanos(), used(Scope::Everyone, window));
        }
    }

    #[test]
    fn life_goes_on_after_a_crash_and_no_cap_is_passed(
        before in prop::collection::vec(step(), 0..80),
        back in 0_i64..200,
        after in prop::collection::vec(step(), 0..60),
    ) {
        let mut world = World::new();
        for step in &before {
            world.step(step);
        }
        world.crash();
        // The clock may have stepped back while nobody looked.
        world.step(&Step::Clock { hours: -back });
        for step in &after {
            world.step(step);
            world.check();
        }
        world.crash();
        world.check();
    }

    #[test]
    fn a_crash_leaves_no_more_room_than_there_was(
        steps in prop::collection::vec(step(), 0..80),
        user in 0_u8..4,
        session in 1_u8..6,
    ) {
        let mut world = World::new();
        for step in steps.iter().filter(|step| !matches!(step, Step::Clock { .. })) {
            world.step(step);
        }
        let room = |world: &World, key: Option<&KeyCaps>| world.ledger.room_for(&spender(user, session, 0), key, world.now);
        let before = [room(&world, None), room(&world, Some(&key()))];
        world.crash();
        prop_assert_eq!([room(&world, None), room(&world, Some(&key()))], before);
    }
}
