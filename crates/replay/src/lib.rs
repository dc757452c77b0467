//! Another chain over the logged calls, on values only.
