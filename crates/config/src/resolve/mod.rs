//! From typed to meant: providers with their keys, tiers with their prices, chains as a whole.

pub(crate) mod chains;
pub(crate) mod keys;
pub(crate) mod order;
pub(crate) mod providers;
pub(crate) mod tiers;
