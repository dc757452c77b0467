//! How much dearer than the worst case a model has turned out to be (behaviour 8.2d).

use std::collections::HashMap;

use mainstay_canon::{Nanodollars, Target};
use serde::{Deserialize, Serialize};

/// The most that a margin grows to: ten times the worst case.
const MOST: u32 = 9_000;
/// What is added beyond the worst that was seen, in thousandths.
const CUSHION: u32 = 100;
/// How many models have a margin of their own; past it a new one gets none. A config names far fewer.
const MAX_MARGINS: usize = 4_096;

/// What a model's worst case is raised by, in thousandths of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Margin(u32);

impl Margin {
    /// None: the model has kept to its worst case.
    pub const NONE: Self = Self(0);

    /// Thousandths of the worst case.
    pub const fn thousandths(self) -> u32 {
        self.0
    }

    /// A worst case with the margin on it, rounded up.
    pub fn on(self, worst: Nanodollars) -> Nanodollars {
        let raised = i128::from(worst.nanos()).saturating_mul(self.factor());
        nanodollars(raised.saturating_add(999).div_euclid(1_000))
    }

    /// What may be planned for within some room, so that the margin on it still fits; rounded down.
    pub fn within(self, room: Nanodollars) -> Nanodollars {
        let scaled = i128::from(room.nanos()).saturating_mul(1_000);
        nanodollars(scaled.checked_div_euclid(self.factor()).unwrap_or(0))
    }

    fn factor(self) -> i128 {
        i128::from(self.0).saturating_add(1_000)
    }
}

fn nanodollars(nanos: i128) -> Nanodollars {
    i64::try_from(nanos).map_or(Nanodollars::MAX, Nanodollars::from_nanos)
}

/// The margins of all models.
#[derive(Default)]
pub(crate) struct Margins(HashMap<Target, Margin>);

impl Margins {
    pub(crate) fn of(&self, target: &Target) -> Margin {
        self.0.get(target).copied().unwrap_or_default()
    }

    /// Raises a model's margin so that a call with this worst case (its margin included) would have covered
    /// what it cost. Margins never fall by themselves.
    pub(crate) fn raise(&mut self, target: &Target, worst: Nanodollars, actual: Nanodollars) -> Margin {
        let old = self.of(target);
        if actual <= worst || (self.0.len() >= MAX_MARGINS && !self.0.contains_key(target)) {
            return old;
        }
        let paid = i128::from(actual.nanos()).saturating_mul(old.factor());
        let needed = paid.checked_div(i128::from(worst.nanos())).unwrap_or(i128::MAX);
        let needed = needed.saturating_sub(1_000).saturating_add(i128::from(CUSHION));
        let raised = Margin(u32::try_from(needed).unwrap_or(MOST).min(MOST)).max(old);
        self.0.insert(target.clone(), raised);
        raised
    }

    pub(crate) fn set(&mut self, target: Target, margin: Margin) {
        if self.0.len() < MAX_MARGINS || self.0.contains_key(&target) {
            let margin = Margin(margin.0.min(MOST)).max(self.of(&target));
            self.0.insert(target, margin);
        }
    }

    pub(crate) fn all(&self) -> Vec<(Target, Margin)> {
        let mut all: Vec<_> = self.0.iter().map(|(target, margin)| (target.clone(), *margin)).collect();
        all.sort();
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nanos(amount: i64) -> Nanodollars {
        Nanodollars::from_nanos(amount)
    }

    #[test]
    fn an_overrun_raises_the_margin_to_what_was_needed_and_a_little_more() {
        let target = Target::new("p", "m");
        let mut margins = Margins::default();
        assert_eq!(margins.raise(&target, nanos(1_000), nanos(1_000)), Margin::NONE);
        assert_eq!(margins.raise(&target, nanos(1_000), nanos(1_500)).thousandths(), 600);
        assert_eq!(margins.of(&target).on(nanos(1_000)), nanos(1_600));
        assert_eq!(margins.raise(&target, nanos(1_600), nanos(1_000)).thousandths(), 600, "it never falls");
        assert_eq!(margins.raise(&target, nanos(1_600), nanos(3_200)).thousandths(), 2_300);
        assert_eq!(margins.raise(&target, nanos(1), Nanodollars::MAX).thousandths(), 9_000);
        assert_eq!(margins.of(&Target::new("p", "other")), Margin::NONE);
    }

    #[test]
    fn a_free_model_that_billed_gets_the_largest_margin() {
        let mut margins = Margins::default();
        assert_eq!(margins.raise(&Target::new("p", "m"), Nanodollars::ZERO, nanos(1)).thousandths(), 9_000);
    }

    proptest! {
        #[test]
        fn what_is_planned_within_a_room_fits_it_with_its_margin(margin in 0_u32..9_000, room in 0..i64::MAX) {
            let margin = Margin(margin);
            prop_assert!(margin.on(margin.within(nanos(room))) <= nanos(room));
        }

        #[test]
        fn the_same_call_would_have_been_covered(worst in 1_i64..1_000_000_000_000, over in 1_i64..5_000) {
            let actual = nanos(worst + worst.saturating_mul(over) / 1_000);
            let mut margins = Margins::default();
            let margin = margins.raise(&Target::new("p", "m"), nanos(worst), actual);
            prop_assert!(margin.on(nanos(worst)) >= actual);
        }
    }
}
