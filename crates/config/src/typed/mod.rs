//! Providers and chains as typed: checked one value at a time, not yet against each other.

pub(crate) mod chain;
pub(crate) mod patience;
pub(crate) mod provider;

use crate::report::{Fault, Report, Typed};
use crate::secret::quoted;

/// Longest name of a chain or provider, in bytes.
const LONGEST_NAME: usize = 64;

/// Checks the name of a chain or provider: they stand in headers, metrics and commands.
pub(crate) fn check_name(report: &mut Report<'_>, noun: &str, name: &Typed<String>) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || b"-_.+".contains(&b);
    let is_good = !name.value.is_empty() && name.value.len() <= LONGEST_NAME && name.value.bytes().all(good);
    if !is_good {
        report.push(
            Fault::error(
                "bad_name",
                &name.at,
                format!("{} cannot be the name of a {noun}", quoted(&name.value)),
            )
            .expected(format!("letters, digits and -_.+, at most {LONGEST_NAME} of them")),
        );
    }
    is_good
}
