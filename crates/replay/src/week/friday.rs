//! Friday from 16:50 to 19:10, with every provider out from 17:00 to 19:00.

use std::time::Duration;

use mainstay_canon::Moment;

use super::inputs::{MONDAY, OUTAGE, TIERS};
use super::{Order, WeekError, run};
use crate::simulation::{Ended, How};

/// What the caller of one stretch of time saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FridayRow {
    /// From when to when, in minutes after 16:50.
    pub minutes: std::ops::Range<u64>,
    /// Requests that came.
    pub requests: u32,
    /// Answered by a provider.
    pub by_provider: u32,
    /// Answered by the tier of last resort.
    pub by_last_resort: u32,
    /// Answered by nobody.
    pub by_nobody: u32,
    /// Calls that were made for them.
    pub calls: u32,
    /// How long each took, ascending.
    pub took: Vec<Duration>,
}

impl FridayRow {
    /// How long the middle one took.
    pub fn median(&self) -> Duration {
        self.took.get(self.took.len() / 2).copied().unwrap_or_default()
    }

    /// How long the slowest took.
    pub fn slowest(&self) -> Duration {
        self.took.last().copied().unwrap_or_default()
    }

    fn count(&mut self, ended: &Ended, last_resort: usize) {
        self.requests += 1;
        self.calls += ended.calls;
        self.took.push(ended.at.since(ended.came));
        match ended.how {
            How::Answered { tier, .. } if tier == last_resort => self.by_last_resort += 1,
            How::Answered { .. } => self.by_provider += 1,
            How::GaveUp(_) | How::Left => self.by_nobody += 1,
        }
    }
}

/// The stretches that are told apart, in minutes after 16:50.
const STRETCHES: [std::ops::Range<u64>; 6] = [0..10, 10..11, 11..70, 70..130, 130..131, 131..140];

/// Friday of the same week with the outage, cheap first.
///
/// # Errors
///
/// [`WeekError`] when the inputs do not fit the catalogue.
pub fn friday(seed: u64) -> Result<Vec<FridayRow>, WeekError> {
    let begins = Moment::from_secs(MONDAY)
        .after(Duration::from_hours(u64::from(OUTAGE.start)).saturating_sub(Duration::from_mins(10)));
    let mut rows = STRETCHES.map(|minutes| FridayRow { minutes, ..FridayRow::default() });
    run(Order::CheapFirst, seed, true, &mut |ended| {
        if ended.came < begins {
            return;
        }
        let minute = ended.came.since(begins).as_secs() / 60;
        if let Some(row) = rows.iter_mut().find(|row| row.minutes.contains(&minute)) {
            row.count(ended, TIERS.len());
        }
    })?;
    for row in &mut rows {
        row.took.sort_unstable();
    }
    Ok(rows.to_vec())
}
