//! Layer 3: is this 200 a real answer? Whole replies, and chunk by chunk.
