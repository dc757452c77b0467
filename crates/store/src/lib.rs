//! The journal, and SQLite behind it: call log, ledger and health on disk.
