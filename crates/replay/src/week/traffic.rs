//! When requests come, how large they are, and what the providers of the week do with them.

use std::time::Duration;

use mainstay_canon::{Answer, Failure, HintSource, Kind, Moment, Quality, RetryHint, Usage, Verdict};

use super::inputs::{
    DAYS, HARD, HOURS, LIMITED_FOR, MONDAY, OUTAGE, OUTAGE_SILENT, OUTPUT_LIMIT, PASSING, REQUESTS, SILENCE,
    SIZES, Size, TURNED_AWAY, Tier,
};
use crate::simulation::{Call, Coming, Providers, Reply};

/// The share of the week's requests that come in that hour of the week.
pub(super) fn share_of_hour(hour: usize) -> f64 {
    let parts = |hour: usize| {
        let day = DAYS.get(hour / 24).copied().unwrap_or(0);
        f64::from(day * HOURS.get(hour % 24).copied().unwrap_or(0))
    };
    parts(hour) / (0..7 * 24).map(parts).sum::<f64>()
}

/// The week's requests. Which of them is hard and how large each is depends on its number alone, so that
/// another chain gets the very same ones.
pub(super) fn comings(seed: u64) -> Vec<Coming> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut moments = Vec::new();
    for hour in 0..7 * 24 {
        let expected = share_of_hour(hour) * f64::from(REQUESTS);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let count = (expected + chance.f64()) as u32;
        let begins = Moment::from_secs(MONDAY).after(Duration::from_hours(hour as u64));
        moments.extend((0..count).map(|_| begins.after(Duration::from_secs_f64(chance.f64() * 3_600.0))));
    }
    moments.sort_unstable();
    let numbered = moments.into_iter().zip(1_u64..);
    numbered.map(|(at, number)| Coming::new(at, size_of(seed, number).prompt, OUTPUT_LIMIT)).collect()
}

fn own_chance(seed: u64, number: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn is_hard(seed: u64, number: u64) -> bool {
    own_chance(seed, number).f64() < HARD
}

fn size_of(seed: u64, number: u64) -> &'static Size {
    let mut chance = own_chance(seed, number);
    // The first throw says whether it is hard.
    chance.f64();
    let mut left = chance.u32(0..100);
    let [small, ..] = &SIZES;
    SIZES
        .iter()
        .find(|size| {
            let found = left < size.percent;
            left = left.saturating_sub(size.percent);
            found
        })
        .unwrap_or(small)
}

/// What the week's providers do, in the order of a chain.
pub(super) struct Scripted {
    pub(super) tiers: Vec<&'static Tier>,
    pub(super) seed: u64,
    pub(super) with_outage: bool,
}

/// What becomes of one attempt.
enum Fate {
    Good,
    Useless,
    Server,
    Limited,
    Silent,
}

impl Providers for Scripted {
    fn reply(&mut self, call: &Call, chance: &mut fastrand::Rng) -> Reply {
        // The last resort stands behind all others and never fails.
        let Some(tier) = self.tiers.get(call.tier) else {
            return good(&super::inputs::LAST_RESORT, &self.usage(call), chance);
        };
        if self.with_outage && is_out(call.at) {
            return turned_away(chance);
        }
        let hard = is_hard(self.seed, call.request);
        let fate = fate(if hard { tier.fails_at_hard } else { PASSING.useless }, chance.f64());
        let usage = self.usage(call);
        match fate {
            Fate::Good => good(tier, &usage, chance),
            Fate::Useless => Reply { failure: Some(useless()), ..good(tier, &usage, chance) },
            Fate::Server => fails(Failure::new(Kind::ServerError, "scripted").status(500), 300),
            Fate::Limited => fails(limited(), 100),
            Fate::Silent => fails(Failure::new(Kind::TimeoutFirstByte, "scripted"), SILENCE * 1_000),
        }
    }
}

impl Scripted {
    fn usage(&self, call: &Call) -> Usage {
        let size = size_of(self.seed, call.request);
        let cached = if call.tier == 0 { size.cached } else { 0 };
        Usage { prompt: size.prompt, cached, completion: size.completion, ..Usage::default() }
    }
}

fn fate(useless: f64, throw: f64) -> Fate {
    let mut below = PASSING.server;
    if throw < below {
        return Fate::Server;
    }
    below += PASSING.limited;
    if throw < below {
        return Fate::Limited;
    }
    below += PASSING.silent;
    if throw < below {
        return Fate::Silent;
    }
    if throw < below + useless { Fate::Useless } else { Fate::Good }
}

/// Whether the outage is on.
fn is_out(at: Moment) -> bool {
    let hour = at.since(Moment::from_secs(MONDAY)).as_secs() / 3_600;
    (u64::from(OUTAGE.start)..u64::from(OUTAGE.end)).contains(&hour)
}

fn turned_away(chance: &mut fastrand::Rng) -> Reply {
    if chance.f64() < OUTAGE_SILENT {
        fails(Failure::new(Kind::TimeoutFirstByte, "scripted"), SILENCE * 1_000)
    } else {
        fails(Failure::new(Kind::ServerError, "scripted").status(503), TURNED_AWAY)
    }
}

/// Half to twice the tier's median.
fn good(tier: &Tier, usage: &Usage, chance: &mut fastrand::Rng) -> Reply {
    let factor = chance.f64().mul_add(2.0, -1.0).exp2();
    Reply { takes: Duration::from_millis(tier.takes).mul_f64(factor), usage: *usage, failure: None }
}

fn useless() -> Failure {
    Failure::bad(Verdict::of(Quality::Empty, "scripted", "scripted"), Answer::default())
}

fn limited() -> Failure {
    let after = Duration::from_secs(LIMITED_FOR);
    let hint = RetryHint { after, source: HintSource::RetryAfter, clamped: false };
    Failure::new(Kind::RateLimited, "scripted").status(429).hint(hint)
}

fn fails(failure: Failure, takes: u64) -> Reply {
    Reply { takes: Duration::from_millis(takes), usage: Usage::default(), failure: Some(failure) }
}
