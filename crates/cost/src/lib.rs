//! Layer 6: prices, reservations and caps, in exact money.
