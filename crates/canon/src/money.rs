//! Money, exactly.

use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An amount of US dollars in whole nano-dollars (10^-9 USD). Never a float.
///
/// Addition and subtraction are checked: an amount that does not fit is an error, never a wrap.
///
/// ```
/// use mainstay_canon::Nanodollars;
///
/// let cap: Nanodollars = "50.00".parse().unwrap();
/// assert_eq!(cap.nanos(), 50_000_000_000);
/// assert_eq!(cap.to_string(), "50.00");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanodollars(i64);

impl Nanodollars {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The largest amount, about 9.2 billion dollars.
    pub const MAX: Self = Self(i64::MAX);

    /// From whole nano-dollars.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Whole nano-dollars.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// The sum, unless it does not fit.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// The difference, unless it does not fit.
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(rest) => Some(Self(rest)),
            None => None,
        }
    }

    /// The sum, at most [`Self::MAX`]: for adding up what was spent, where too much is still too much.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, at least the smallest amount.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Nanodollars {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::saturating_add)
    }
}

/// Writes dollars without a sign for the currency: at least two decimals, no needless zeros after.
impl fmt::Display for Nanodollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let mut decimals = format!("{:09}", nanos % 1_000_000_000);
        while decimals.len() > 2 && decimals.ends_with('0') {
            decimals.pop();
        }
        write!(f, "{sign}{}.{decimals}", nanos / 1_000_000_000)
    }
}

/// Why a text is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Something other than digits and one point.
    #[error("not an amount: write digits with at most one point, such as \"50.00\"")]
    NotDecimal,
    /// More decimals than can be kept exactly.
    #[error("more than {0} decimals cannot be kept exactly")]
    TooManyDecimals(u32),
    /// Larger than can be kept.
    #[error("too large an amount")]
    TooLarge,
}

impl FromStr for Nanodollars {
    type Err = MoneyError;

    /// Reads `"50"`, `"50.00"`, `"0.000001"`: no sign, no exponent, at most nine decimals.
    fn from_str(text: &str) -> Result<Self, MoneyError> {
        let nanos = decimal(text, 9)?;
        i64::try_from(nanos).map(Self).map_err(|_| MoneyError::TooLarge)
    }
}

/// A price in US dollars per million tokens, in whole 10^-12 dollars.
///
/// ```
/// use mainstay_canon::{Nanodollars, PerMillion};
///
/// let price: PerMillion = "2.50".parse().unwrap();
/// assert_eq!(price.times_rounded_up(1_000_000), Nanodollars::from_nanos(2_500_000_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PerMillion(u64);

impl PerMillion {
    /// Free of charge.
    pub const ZERO: Self = Self(0);
    /// How many of [`Self::exact`]'s units make a nano-dollar.
    pub const UNITS_PER_NANODOLLAR: u128 = 1_000_000_000;

    /// From whole 10^-12 dollars per million tokens.
    pub const fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// Whole 10^-12 dollars per million tokens.
    pub const fn units(self) -> u64 {
        self.0
    }

    /// The exact price of so many tokens, in 10^-18 dollars: add these up first, round once.
    pub const fn exact(self, tokens: u64) -> u128 {
        // Two u64 factors always fit a u128.
        (self.0 as u128) * (tokens as u128)
    }

    /// The price of so many tokens, rounded up to a nano-dollar.
    pub fn times_rounded_up(self, tokens: u64) -> Nanodollars {
        let nanos = self.exact(tokens).div_ceil(Self::UNITS_PER_NANODOLLAR);
        i64::try_from(nanos).map_or(Nanodollars::MAX, Nanodollars)
    }
}

impl FromStr for PerMillion {
    type Err = MoneyError;

    /// Reads `"2.50"`: no sign, no exponent, at most twelve decimals.
    fn from_str(text: &str) -> Result<Self, MoneyError> {
        u64::try_from(decimal(text, 12)?).map(Self).map_err(|_| MoneyError::TooLarge)
    }
}

impl fmt::Display for PerMillion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut decimals = format!("{:012}", self.0 % 1_000_000_000_000);
        while decimals.len() > 2 && decimals.ends_with('0') {
            decimals.pop();
        }
        write!(f, "{}.{decimals}", self.0 / 1_000_000_000_000)
    }
}

/// A decimal as a whole number of `10^-places`.
fn decimal(text: &str, places: u32) -> Result<u128, MoneyError> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(decimals) || (text.contains('.') && decimals.is_empty())
    {
        return Err(MoneyError::NotDecimal);
    }
    let decimals = decimals.trim_end_matches('0');
    let given = u32::try_from(decimals.len()).map_err(|_| MoneyError::TooManyDecimals(places))?;
    let missing = places.checked_sub(given).ok_or(MoneyError::TooManyDecimals(places))?;
    let number: u128 = format!("{whole}{decimals}").parse().map_err(|_| MoneyError::TooLarge)?;
    number.checked_mul(10_u128.pow(missing)).ok_or(MoneyError::TooLarge)
}

/// What an attempt or a request cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// This much.
    Known(Nanodollars),
    /// The model has no price; never counted as zero.
    Unknown,
}

impl Cost {
    /// No cost.
    pub const ZERO: Self = Self::Known(Nanodollars::ZERO);

    /// The amount, if it is known.
    pub const fn known(self) -> Option<Nanodollars> {
        match self {
            Self::Known(amount) => Some(amount),
            Self::Unknown => None,
        }
    }

    /// Both together; unknown as soon as one is.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(one), Self::Known(two)) => Self::Known(one.saturating_add(two)),
            (Self::Unknown, Self::Known(_) | Self::Unknown) | (Self::Known(_), Self::Unknown) => {
                Self::Unknown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_read_and_print_exactly() {
        for (text, nanos, printed) in [
            ("50.00", 50_000_000_000, "50.00"),
            ("0.000081", 81_000, "0.000081"),
            ("7", 7_000_000_000, "7.00"),
            ("0.1", 100_000_000, "0.10"),
        ] {
            let amount: Nanodollars = text.parse().unwrap();
            assert_eq!((amount.nanos(), amount.to_string().as_str()), (nanos, printed));
        }
    }

    #[test]
    fn what_is_not_a_plain_decimal_is_refused() {
        for bad in ["", ".5", "5.", "-1", "+1", "1e3", "1,5", "1.2.3", " 1", "inf", "NaN", "٣"] {
            assert_eq!(bad.parse::<Nanodollars>(), Err(MoneyError::NotDecimal), "{bad:?}");
        }
        assert_eq!("0.0000000001".parse::<Nanodollars>(), Err(MoneyError::TooManyDecimals(9)));
        assert_eq!("99999999999".parse::<Nanodollars>(), Err(MoneyError::TooLarge));
        assert_eq!("9".repeat(60).parse::<PerMillion>(), Err(MoneyError::TooLarge));
    }

    #[test]
    fn a_price_of_eleven_decimals_is_kept() {
        let price: PerMillion = "0.08333333333".parse().unwrap();
        assert_eq!(price.units(), 83_333_333_330);
        assert_eq!(price.to_string(), "0.08333333333");
    }

    #[test]
    fn unknown_cost_spreads() {
        assert_eq!(Cost::ZERO.plus(Cost::Unknown), Cost::Unknown);
    }

    proptest! {
        #[test]
        fn every_amount_survives_printing(nanos in 0_i64..=i64::MAX) {
            let amount = Nanodollars::from_nanos(nanos);
            prop_assert_eq!(amount.to_string().parse::<Nanodollars>(), Ok(amount));
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _ = text.parse::<Nanodollars>();
            let _ = text.parse::<PerMillion>();
        }
    }
}
