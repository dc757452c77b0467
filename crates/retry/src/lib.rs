//! Layer 4: again, next tier or stop; budgets, backoff, waits.
