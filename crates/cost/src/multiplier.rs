//! A factor on a price: exact, in thousandths.

use std::fmt;
use std::str::FromStr;

use mainstay_canon::{MoneyError, PerMillion};

/// A factor in whole thousandths, such as a peak-hour surcharge of 2 or a regional uplift of 1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Multiplier(u32);

impl Multiplier {
    /// Unchanged.
    pub const ONE: Self = Self(1_000);

    /// From whole thousandths: 1000 changes nothing.
    pub const fn from_thousandths(thousandths: u32) -> Self {
        Self(thousandths)
    }

    /// Whole thousandths.
    pub const fn thousandths(self) -> u32 {
        self.0
    }

    /// The rate times this, rounded up to the smallest unit of a price.
    pub fn of(self, rate: PerMillion) -> PerMillion {
        let exact = u128::from(rate.units()).saturating_mul(u128::from(self.0)).div_ceil(1_000);
        PerMillion::from_units(u64::try_from(exact).unwrap_or(u64::MAX))
    }
}

impl FromStr for Multiplier {
    type Err = MoneyError;

    /// Reads `"2"`, `"1.1"`, `"0.25"`: no sign, at most three decimals.
    fn from_str(text: &str) -> Result<Self, MoneyError> {
        // A price has twelve decimals; what is left of its last nine must be nothing.
        let units = text.parse::<PerMillion>()?.units();
        if !units.is_multiple_of(1_000_000_000) {
            return Err(MoneyError::TooManyDecimals(3));
        }
        u32::try_from(units / 1_000_000_000).map(Self).map_err(|_| MoneyError::TooLarge)
    }
}

impl fmt::Display for Multiplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:03}", self.0 / 1_000, self.0 % 1_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_read_and_print_exactly() {
        for (text, thousandths) in [("2", 2_000), ("1.1", 1_100), ("0.25", 250), ("10", 10_000), ("0", 0)] {
            let factor: Multiplier = text.parse().unwrap();
            assert_eq!((factor.thousandths(), factor.to_string().as_str()), (thousandths, text));
        }
        assert_eq!("1.0001".parse::<Multiplier>(), Err(MoneyError::TooManyDecimals(3)));
        assert_eq!("x2".parse::<Multiplier>(), Err(MoneyError::NotDecimal));
        assert_eq!("99999999".parse::<Multiplier>(), Err(MoneyError::TooLarge));
    }

    #[test]
    fn a_scaled_rate_is_rounded_up() {
        let third = Multiplier::from_thousandths(333);
        assert_eq!(third.of(PerMillion::from_units(1)), PerMillion::from_units(1));
        assert_eq!(Multiplier::ONE.of(PerMillion::from_units(7)), PerMillion::from_units(7));
        assert_eq!(
            Multiplier::from_thousandths(2_000).of(PerMillion::from_units(u64::MAX)).units(),
            u64::MAX
        );
    }
}
