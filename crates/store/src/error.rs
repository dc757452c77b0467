//! What can go wrong with the store. No message holds a prompt, an answer or a key.

use std::io;
use std::path::PathBuf;

/// Why a store cannot be opened or closed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address is of no kind that is known.
    #[error("{0:?} is not the address of a store; write \"sqlite:PATH\"")]
    Address(String),
    /// The address needs a feature that this build does not have.
    #[error("{url:?} needs the feature `{feature}`, which this build does not have")]
    Feature {
        /// What was asked for, without a password.
        url: String,
        /// What is missing.
        feature: &'static str,
    },
    /// Another process owns the store for writing.
    #[error(
        "{path} is in use by process {pid}; one process at a time writes to a SQLite store (reading always works)",
        path = path.display()
    )]
    InUse {
        /// The database.
        path: PathBuf,
        /// The process's id, or `unknown`.
        pid: String,
    },
    /// The database was written by a newer version of this program.
    #[error(
        "{path} has schema {found}, this version knows up to {known}: it was written by a newer version; \
         use that one, or another file",
        path = path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The newest migration that the database has.
        found: i64,
        /// The newest migration that is known.
        known: i64,
    },
    /// A migration that was applied is not the one that is known by its number.
    #[error("{path} was made with another migration {number} than this version has", path = path.display())]
    Changed {
        /// The database.
        path: PathBuf,
        /// The migration's number.
        number: i64,
    },
    /// The file is a database of something else.
    #[error("{path} is a database of another program", path = path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// There is no database.
    #[error("there is no call log at {path} yet", path = path.display())]
    Missing {
        /// The database.
        path: PathBuf,
    },
    /// The database was never finished, or by an older version that did not finish.
    #[error("{path} is not ready yet: its schema is {found}, and {known} is needed", path = path.display())]
    Older {
        /// The database.
        path: PathBuf,
        /// The newest migration that the database has.
        found: i64,
        /// The newest migration that is known.
        known: i64,
    },
    /// Files cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// SQLite failed.
    #[error("{path}: {source}", path = path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Entries are still in the journal; they are taken at the next start.
    #[error("{entries} entries are still in the journal and will be taken over at the next start")]
    Behind {
        /// How many.
        entries: u64,
    },
}

/// Why an entry was not written. The caller decides by [`crate::OnFailure`] what follows.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The store has not kept up, and the journal has reached its limit.
    #[error("the journal is full: {waiting} of {max} bytes wait for the store")]
    Full {
        /// Bytes that wait.
        waiting: u64,
        /// The limit, in bytes.
        max: u64,
    },
    /// The entry is longer than any that is kept.
    #[error("an entry of {bytes} bytes is longer than {longest}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        longest: usize,
    },
    /// The system refused the write.
    #[error("the journal cannot be written: {0}")]
    Io(#[source] io::Error),
    /// The entry cannot be put into words.
    #[error("the entry cannot be written as JSON: {0}")]
    Encode(#[source] serde_json::Error),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

/// Why the log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The log cannot be opened.
    #[error(transparent)]
    Open(#[from] StoreError),
    /// The journal's files cannot be read.
    #[error("the journal cannot be read: {0}")]
    Journal(#[from] io::Error),
    /// SQLite refused or failed; the statement's own fault where one was typed.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The statement would change something, or look where it may not.
    #[error("only one SELECT statement is allowed here: {0}")]
    NotReadOnly(String),
    /// The statement took too long.
    #[error("the statement was stopped after {seconds} s; ask for less, such as a shorter time")]
    TooSlow {
        /// The limit.
        seconds: u64,
    },
}
