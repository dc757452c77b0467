//! High traffic (6.3a, 6.3b): 3,000 requests a second against two tiers that allow 2,000 each.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss
)]

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Failure, Kind, Moment, Target, Usage};
use mainstay_cost::{Caps, Ledger};
use mainstay_fallback::{ChainPlan, HealthBoard, Limits, TierPlan};
use mainstay_replay::{Call, Coming, Happening, How, Reply, World, simulate};

const BEGIN: i64 = 1_796_000_000;
const A_SECOND: u64 = 3_000;
const ALLOWED_A_MINUTE: u64 = 2_000 * 60;

fn world(limits: Limits) -> World {
    let plan = |name| TierPlan { limits, ..TierPlan::new(Target::parse(name).unwrap()) };
    World {
        plan: Arc::new(ChainPlan::new("c", vec![plan("a/m"), plan("b/m")]).unwrap()),
        prices: Vec::new(),
        board: HealthBoard::default(),
        ledger: Arc::new(Ledger::new(Caps::default())),
    }
}

fn comings(seconds: u64) -> impl Iterator<Item = Coming> {
    let begin = Moment::from_secs(BEGIN);
    (0..seconds * A_SECOND).map(move |number| {
        let after = Duration::from_micros(number * 1_000_000 / A_SECOND);
        Coming::new(begin.after(after), 1_000, 200)
    })
}

/// Two providers that count the calls of any 60 s and answer the one too many with a 429.
struct Counting {
    calls: [VecDeque<Moment>; 2],
    allowed_a_minute: u64,
    turned_away: u64,
    /// A call that is turned away all the same.
    whim: Option<u64>,
    seen: u64,
}

impl Counting {
    fn new(allowed_a_minute: u64) -> Self {
        Self { calls: Default::default(), allowed_a_minute, turned_away: 0, whim: None, seen: 0 }
    }

    fn reply(&mut self, call: &Call, chance: &mut fastrand::Rng) -> Reply {
        let recent = &mut self.calls[call.tier];
        while recent.front().is_some_and(|first| call.at.since(*first) >= Duration::from_mins(1)) {
            recent.pop_front();
        }
        self.seen += 1;
        let failure = if recent.len() as u64 >= self.allowed_a_minute || self.whim == Some(self.seen) {
            self.turned_away += 1;
            Some(Failure::new(Kind::RateLimited, "scripted").status(429))
        } else {
            recent.push_back(call.at);
            None
        };
        let takes = Duration::from_millis(100 + chance.u64(0..800));
        Reply { takes, usage: Usage { prompt: 1_000, completion: 200, ..Usage::default() }, failure }
    }
}

/// Answers of each tier, each second by its requests' coming; and those that got none.
#[derive(Default)]
struct Count {
    by_second: Vec<[u64; 2]>,
    failed: u64,
}

fn run(limits: Limits, seconds: u64, providers: &mut Counting) -> Count {
    let mut count = Count { by_second: vec![[0; 2]; seconds as usize], ..Count::default() };
    let mut chance = fastrand::Rng::with_seed(3);
    let mut reply = |call: &Call, chance: &mut fastrand::Rng| providers.reply(call, chance);
    simulate(&world(limits), comings(seconds), &mut reply, &mut chance, &mut |happening| {
        let Happening::Ended(ended) = happening else { return };
        let second = ended.came.since(Moment::from_secs(BEGIN)).as_secs() as usize;
        match ended.how {
            How::Answered { tier, .. } => count.by_second[second][tier] += 1,
            How::GaveUp(_) | How::Left => count.failed += 1,
        }
    });
    count
}

#[test]
fn of_two_tiers_that_allow_less_than_comes_the_first_is_used_up_and_nobody_fails() {
    let seconds = 130;
    let mut providers = Counting::new(ALLOWED_A_MINUTE);
    let limits = Limits { rpm: Some(ALLOWED_A_MINUTE), ..Limits::default() };
    let count = run(limits, seconds, &mut providers);
    let first: u64 = count.by_second.iter().map(|tiers| tiers[0]).sum();
    let allowed = ALLOWED_A_MINUTE * seconds / 60;
    println!(
        "{first} of {allowed} by the first tier, {} turned away, {} failed",
        providers.turned_away, count.failed
    );
    assert_eq!(count.failed, 0);
    assert!(first * 100 >= allowed * 95, "{first} of {allowed}");
    assert!(providers.turned_away * 100 <= seconds * A_SECOND, "{}", providers.turned_away);
}

#[test]
fn one_429_without_a_hint_sends_the_stream_elsewhere_for_its_cooldown_and_return_and_no_longer() {
    let seconds = 100;
    let mut providers = Counting { whim: Some(10 * A_SECOND), ..Counting::new(u64::MAX) };
    let count = run(Limits::default(), seconds, &mut providers);
    let share = |second: usize| count.by_second[second][0] as f64 / A_SECOND as f64;
    assert!(share(5) > 0.99, "until then all goes to the first tier");
    // A minute's cooldown without a hint (5.5), then 10, 30, 100 % over 20 s (6.3b).
    assert!((12..69).all(|second| share(second) < 0.01), "{:?}", count.by_second);
    assert!((92..seconds as usize).all(|second| share(second) > 0.99), "{:?}", count.by_second);
    assert_eq!(count.failed, 0);
}
