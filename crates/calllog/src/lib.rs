//! Layer 7: the record of one attempt, and how to ask about many.
