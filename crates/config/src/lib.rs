//! The configuration file: as typed, then as meant; every mistake with its line.
