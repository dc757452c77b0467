//! Getters for numbers, durations, sizes, shares and money: what has a unit is a string that says it.

use std::ops::RangeInclusive;
use std::time::Duration;

use mainstay_canon::{MoneyError, Nanodollars, PerMillion};
use toml::de::DeValue;

use crate::report::{Fault, Report, Typed};
use crate::secret::quoted;
use crate::table::Section;
use crate::units::{self, UnitError};

impl Section<'_, '_> {
    /// A whole number within bounds.
    pub(crate) fn number(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
        bounds: RangeInclusive<u64>,
    ) -> Option<Typed<u64>> {
        let entry = self.entry(key)?;
        let DeValue::Integer(digits) = entry.value else {
            let fix =
                format!("write a whole number without quotes, such as {key} = {}", bounds.start().max(&2));
            entry.wrong_type(report, "a whole number", &fix);
            return None;
        };
        match i128::from_str_radix(digits.as_str(), digits.radix()).ok().and_then(|n| u64::try_from(n).ok()) {
            Some(value) if bounds.contains(&value) => Some(Typed { value, at: entry.at }),
            Some(_) | None => {
                let (least, most) = (bounds.start(), bounds.end());
                report.push(
                    Fault::error("out_of_range", &entry.at, format!("{} is out of range", entry.at.path))
                        .expected(format!("a whole number from {least} to {most}")),
                );
                None
            }
        }
    }

    /// A count that may be written short, such as `"4M"`.
    pub(crate) fn count(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<u64>> {
        let entry = self.entry(key)?;
        let read = match entry.value {
            DeValue::Integer(digits) => {
                u64::from_str_radix(digits.as_str(), digits.radix()).map_err(|_| UnitError::TooLarge)
            }
            DeValue::String(text) => units::count(text),
            DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => Err(UnitError::Unreadable),
        };
        match read {
            Ok(value) if value > 0 => Some(Typed { value, at: entry.at }),
            Ok(_) | Err(_) => {
                report.push(
                    Fault::error("not_a_count", &entry.at, format!("{} is not a count", entry.at.path))
                        .expected("a whole number above zero, such as 5000 or \"4M\""),
                );
                None
            }
        }
    }

    /// A duration, zero allowed.
    pub(crate) fn duration(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<Duration>> {
        self.quantity(report, key, "a duration", "60s", "with its unit (ms, s, m, h or d)", units::duration)
    }

    /// A duration above zero.
    pub(crate) fn time_limit(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
    ) -> Option<Typed<Duration>> {
        let limit = self.duration(report, key)?;
        if limit.value.is_zero() {
            report.push(
                Fault::error(
                    "out_of_range",
                    &limit.at,
                    format!("{} must be longer than nothing", limit.at.path),
                )
                .fix("write the longest wait you would accept; there is no \"forever\""),
            );
            return None;
        }
        Some(limit)
    }

    /// A size in bytes, above zero.
    pub(crate) fn size(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<u64>> {
        let size =
            self.quantity(report, key, "a size", "32MB", "with its unit (KB, MB or GB)", units::size)?;
        if size.value == 0 {
            report.push(
                Fault::error(
                    "out_of_range",
                    &size.at,
                    format!("{} must be larger than nothing", size.at.path),
                )
                .expected("a size such as \"32MB\""),
            );
            return None;
        }
        Some(size)
    }

    /// A share such as `"80%"`.
    pub(crate) fn percent(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<u8>> {
        self.quantity(report, key, "a share", "80%", "from 1% to 100%", units::percent)
    }

    /// A string that `read` understands.
    pub(crate) fn quantity<T>(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
        noun: &str,
        example: &str,
        form: &str,
        read: fn(&str) -> Result<T, UnitError>,
    ) -> Option<Typed<T>> {
        let entry = self.entry(key)?;
        let path = &entry.at.path;
        let DeValue::String(text) = entry.value else {
            let typed = report.source.slice(&entry.at.span);
            let digits = typed.chars().all(|c| c.is_ascii_digit()) && !typed.is_empty();
            let unit = example.trim_start_matches(|c: char| c.is_ascii_digit());
            let example = if digits { format!("{typed}{unit}") } else { example.to_owned() };
            entry.wrong_type(report, noun, &format!("write it with a unit, as a string: \"{example}\""));
            return None;
        };
        match read(text) {
            Ok(value) => Some(Typed { value, at: entry.at }),
            Err(why) => {
                report.push(
                    Fault::error("not_a_quantity", &entry.at, format!("{path} = {} {why}", quoted(text)))
                        .expected(format!("{noun} {form}, such as \"{example}\"")),
                );
                None
            }
        }
    }

    /// An amount of dollars.
    pub(crate) fn dollars(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
    ) -> Option<Typed<Nanodollars>> {
        self.money(report, key, "an amount of dollars", "50.00")
    }

    /// A price in dollars per million tokens.
    pub(crate) fn price(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<PerMillion>> {
        self.money(report, key, "a price in dollars per million tokens", "0.10")
    }

    fn money<T: std::str::FromStr<Err = MoneyError>>(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
        noun: &str,
        example: &str,
    ) -> Option<Typed<T>> {
        let entry = self.entry(key)?;
        let DeValue::String(text) = entry.value else {
            let typed = report.source.slice(&entry.at.span);
            let typed = if typed.parse::<T>().is_ok() { typed } else { example };
            // A float cannot hold every amount of cents; a string says exactly what is meant.
            entry.wrong_type(report, noun, &format!("write it as a string: \"{}\"", two_decimals(typed)));
            return None;
        };
        match text.parse() {
            Ok(value) => Some(Typed { value, at: entry.at }),
            Err(why) => {
                let what = match why {
                    MoneyError::NotDecimal => format!("{} = {} is not {noun}", entry.at.path, quoted(text)),
                    MoneyError::TooManyDecimals(most) => {
                        format!("{} = {} has more than {most} decimals", entry.at.path, quoted(text))
                    }
                    MoneyError::TooLarge => format!("{} = {} is too large", entry.at.path, quoted(text)),
                };
                report.push(
                    Fault::error("not_money", &entry.at, what)
                        .expected(format!("digits with at most one point, such as \"{example}\"")),
                );
                None
            }
        }
    }
}

/// Dollars with cents, where the digits are given without.
fn two_decimals(digits: &str) -> String {
    match digits.split_once('.') {
        None => format!("{digits}.00"),
        Some((_, decimals)) if decimals.len() < 2 => format!("{digits}0"),
        Some(_) => digits.to_owned(),
    }
}
