//! Requests on simulated time: real walks, real health, real reservations; only the providers follow a
//! script.
//!
//! Whatever is due first goes on next, in the order in which it came where two are due at once, so that the
//! same script and the same seed give the same week.

mod request;
mod said;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use mainstay_canon::Moment;
use mainstay_cost::{Ledger, Price};
use mainstay_fallback::{ChainPlan, HealthBoard};

use request::Request;
pub use said::{Call, Coming, Ended, Happening, How, Providers, Reply};

/// What all requests share.
#[derive(Clone, Debug)]
pub struct World {
    /// The chain that they walk.
    pub plan: Arc<ChainPlan>,
    /// What each of its tiers costs, in its order. A tier without a price here is free.
    pub prices: Vec<Price>,
    /// How its tiers fare.
    pub board: HealthBoard,
    /// What is spent and set aside.
    pub ledger: Arc<Ledger>,
}

/// Lets requests come and walk until the last of them has ended; tells `seen` of everything that happens.
///
/// `comings` must be in the order of their moments; one that is not counts as coming at the moment of the
/// one before. All chance comes from `chance`.
pub fn simulate(
    world: &World,
    comings: impl IntoIterator<Item = Coming>,
    providers: &mut impl Providers,
    chance: &mut fastrand::Rng,
    seen: &mut impl FnMut(Happening<'_>),
) {
    let mut comings = comings.into_iter().peekable();
    let mut under_way = UnderWay::default();
    let mut now = Moment::EPOCH;
    let mut number = 0;
    loop {
        let next_due = under_way.next_due();
        let comes = comings.peek().map(|coming| coming.at.max(now));
        let (mut request, place) = match (comes, next_due) {
            (Some(at), due) if due.is_none_or(|due| at < due) => {
                let Some(coming) = comings.next() else { return };
                now = at;
                number += 1;
                (Request::new(number, world, &Coming { at, ..coming }), None)
            }
            (_, Some(due)) => {
                now = due;
                let Some((place, request)) = under_way.take() else { return };
                (request, Some(place))
            }
            (_, None) => return,
        };
        match request.turn(world, providers, chance, now, seen) {
            Some(due) => under_way.put(place, due, request),
            None => under_way.free(place),
        }
    }
}

/// The requests that wait for something, soonest first.
#[derive(Default)]
struct UnderWay {
    /// Moment, turn and place; the turn keeps the order of those that are due at once.
    due: BinaryHeap<Reverse<(Moment, u64, usize)>>,
    places: Vec<Option<Request>>,
    unused: Vec<usize>,
    turns: u64,
}

impl UnderWay {
    fn next_due(&self) -> Option<Moment> {
        self.due.peek().map(|Reverse((due, _, _))| *due)
    }

    fn take(&mut self) -> Option<(usize, Request)> {
        let Reverse((_, _, place)) = self.due.pop()?;
        let request = self.places.get_mut(place)?.take()?;
        Some((place, request))
    }

    fn put(&mut self, place: Option<usize>, due: Moment, request: Request) {
        let place = place.or_else(|| self.unused.pop()).unwrap_or(self.places.len());
        match self.places.get_mut(place) {
            Some(free) => *free = Some(request),
            None => self.places.push(Some(request)),
        }
        self.turns += 1;
        self.due.push(Reverse((due, self.turns, place)));
    }

    fn free(&mut self, place: Option<usize>) {
        self.unused.extend(place);
    }
}
