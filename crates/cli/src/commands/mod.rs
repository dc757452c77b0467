//! One file a command.

pub(crate) mod calls;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod init;
pub(crate) mod judge;
pub(crate) mod prices;
pub(crate) mod serve;
pub(crate) mod spend;
pub(crate) mod sql;
pub(crate) mod tiers;
pub(crate) mod why;

use jiff::tz::TimeZone;
use mainstay::Moment;
use mainstay_calllog::parse_when;

use crate::exit::Exit;
use crate::settings::now;

/// A moment as people type it, in that zone.
pub(crate) fn moment(typed: Option<&str>, zone: &TimeZone) -> Result<Option<Moment>, Exit> {
    typed.map(|text| parse_when(text, now(), zone)).transpose().map_err(Exit::usage)
}
