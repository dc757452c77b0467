//! Names for rows: unique, and sorted by time as text. Knows no clock; moments are passed in.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use mainstay_canon::Moment;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Digits in the order of their ASCII codes, without those that are misread (`i`, `l`, `o`, `u`).
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Digits that hold the 64 bits of the time.
const TIME_DIGITS: usize = 13;
/// Digits that hold the 40 bits of the process.
const PROCESS_DIGITS: usize = 8;
/// Bits of the process that are kept.
const PROCESS_MASK: u64 = (1 << (5 * PROCESS_DIGITS as u64)) - 1;

/// The name of one row: 21 characters whose order as text is the order of writing.
///
/// Rows of one process are told apart by a time that never repeats, rows of several processes by
/// the number that each drew at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    micros: u64,
    process: u64,
}

impl CallId {
    /// Characters of the text form.
    pub const LEN: usize = TIME_DIGITS + PROCESS_DIGITS;

    /// A name below every name that is made at or after this moment.
    pub fn first_at(moment: Moment) -> Self {
        Self { micros: u64::try_from(moment.micros()).unwrap_or(0), process: 0 }
    }

    /// When it was made; a few microseconds late where several were made at once.
    pub fn moment(self) -> Moment {
        Moment::from_micros(i64::try_from(self.micros).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0_u8; Self::LEN];
        let (time, process) = text.split_at_mut(TIME_DIGITS);
        write_digits(self.micros, time);
        write_digits(self.process, process);
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

/// Writes the number with its lowest digit last.
fn write_digits(mut number: u64, into: &mut [u8]) {
    for place in into.iter_mut().rev() {
        *place =
            usize::try_from(number & 31).ok().and_then(|digit| DIGITS.get(digit)).copied().unwrap_or(b'0');
        number >>= 5;
    }
}

/// Reads what [`write_digits`] wrote; `None` on a foreign digit or a number that does not fit.
fn read_digits(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = DIGITS.iter().position(|known| known == byte)?;
        number.checked_mul(32)?.checked_add(u64::try_from(digit).ok()?)
    })
}

/// The text is not the name of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a row: 21 characters of 0-9 and a-z without i, l, o, u")]
pub struct CallIdError;

impl FromStr for CallId {
    type Err = CallIdError;

    fn from_str(text: &str) -> Result<Self, CallIdError> {
        let (time, process) = text.as_bytes().split_at_checked(TIME_DIGITS).ok_or(CallIdError)?;
        if process.len() != PROCESS_DIGITS {
            return Err(CallIdError);
        }
        let micros = read_digits(time).ok_or(CallIdError)?;
        let process = read_digits(process).ok_or(CallIdError)?;
        Ok(Self { micros, process })
    }
}

impl Serialize for CallId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Makes the names of one process's rows and requests, each above the one before, from any thread.
#[derive(Debug)]
pub struct IdSource {
    process: u64,
    last: AtomicU64,
}

impl IdSource {
    /// A maker of names for a process that drew this random number; its lowest 40 bits are used.
    pub const fn new(random: u64) -> Self {
        Self { process: random & PROCESS_MASK, last: AtomicU64::new(0) }
    }

    /// The next name of a row. Where the clock stands still or runs back, names go on by a microsecond each.
    pub fn next(&self, now: Moment) -> CallId {
        let now = u64::try_from(now.micros()).unwrap_or(0);
        let above = |last: u64| now.max(last.saturating_add(1));
        // Relaxed is enough: only the one number matters, nothing is published through it.
        let last = self.last.update(Ordering::Relaxed, Ordering::Relaxed, above);
        CallId { micros: above(last), process: self.process }
    }

    /// A name for a request that brings none: `req_` and what would be the next name of a row.
    pub fn next_request(&self, now: Moment) -> String {
        format!("req_{}", self.next(now))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_go_up_even_when_the_clock_runs_back() {
        let ids = IdSource::new(7);
        let names: Vec<CallId> =
            [50, 50, 20, 51, 90].map(|micros| ids.next(Moment::from_micros(micros))).into();
        assert!(names.is_sorted_by(|one, two| one < two), "{names:?}");
        assert!(names.iter().map(ToString::to_string).is_sorted());
        assert_eq!(names.last().map(|name| name.moment()), Some(Moment::from_micros(90)));
    }

    #[test]
    fn two_processes_never_share_a_name() {
        let now = Moment::from_secs(1);
        assert_ne!(IdSource::new(1).next(now), IdSource::new(2).next(now));
    }

    #[test]
    fn a_foreign_text_is_no_name() {
        for bad in ["", "0", "req_7f3a", &"u".repeat(21), &"z".repeat(21), &"é".repeat(11)] {
            assert_eq!(bad.parse::<CallId>(), Err(CallIdError), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn a_name_reads_back_and_sorts_as_its_text(a in any::<(u64, u64)>(), b in any::<(u64, u64)>()) {
            let [a, b] = [a, b].map(|(micros, random)| CallId { micros, process: random & PROCESS_MASK });
            prop_assert_eq!(a.to_string().parse(), Ok(a));
            prop_assert_eq!(a.to_string().cmp(&b.to_string()), a.cmp(&b));
        }
    }
}
