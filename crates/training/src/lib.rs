//! Trains the judge's model of refusals from labelled answers, and scores the judge on answers it was not
//! trained on. Runs offline; nothing that is shipped depends on it.
//!
//! Everything is done in a fixed order with additions, multiplications, divisions and square roots alone, so
//! the model comes out the same, byte for byte, on every machine.

pub mod answers;
pub mod held;
pub mod learn;
pub mod measure;
pub mod outcome;
pub mod speed;
