//! Who answered how many.

use super::inputs::TIERS;

/// Requests by who answered them: counts, or shares of all from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// By the first tier at once.
    pub first_try: f64,
    /// By the first tier after one or more retries.
    pub retried: f64,
    /// By the second, third and fourth tier.
    pub further: [f64; TIERS.len() - 1],
    /// By the tier of last resort.
    pub last_resort: f64,
    /// By nobody.
    pub nobody: f64,
}

impl Shares {
    /// Counts answers of the tier in that place of the chain: at its first attempt, and later.
    pub(super) fn answered(&mut self, place: usize, first: f64, retried: f64) {
        match place.checked_sub(1) {
            None => {
                self.first_try += first;
                self.retried += retried;
            }
            Some(further) => match self.further.get_mut(further) {
                Some(tier) => *tier += first + retried,
                None => self.last_resort += first + retried,
            },
        }
    }

    /// Adds others, each times `weight`.
    pub(super) fn add(&mut self, other: &Self, weight: f64) {
        self.first_try += other.first_try * weight;
        self.retried += other.retried * weight;
        for (mine, its) in self.further.iter_mut().zip(other.further) {
            *mine += its * weight;
        }
        self.last_resort += other.last_resort * weight;
        self.nobody += other.nobody * weight;
    }

    /// The five that are published: first try, retried, second, third and fourth tier.
    pub fn published(&self) -> [f64; 5] {
        let [second, third, fourth] = self.further;
        [self.first_try, self.retried, second, third, fourth]
    }
}
