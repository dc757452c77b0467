//! The sections of the file that stand by themselves: one file each, with its keys, its defaults and
//! its meaning together.

pub(crate) mod alerts;
pub(crate) mod budget;
pub(crate) mod log;
pub(crate) mod quality;
pub(crate) mod server;
pub(crate) mod streaming;
