//! Layer 5: tiers in order; cooldowns, breakers, the static tier.
