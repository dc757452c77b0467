//! How a store behaves, and where it lies.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::StoreError;

/// What to do with calls when the journal cannot be written (behaviour 9.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Go on, with an alert.
    #[default]
    Warn,
    /// Refuse the call.
    Refuse,
}

/// Where a store lies and how it behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// `sqlite:PATH`.
    pub url: String,
    /// Most bytes of journal that may wait for the database.
    pub journal_max: u64,
    /// What the caller of [`crate::Store::append`] is to do when it fails; the store only keeps it.
    pub on_failure: OnFailure,
    /// How long rows are kept that were not first-try ok.
    pub retention: Duration,
    /// How long first-try ok rows are kept.
    pub retention_ok: Duration,
    /// Largest size of the database, in bytes; above it the oldest ok rows go first.
    pub max_size: u64,
    /// Whether each line is forced to disk before it counts as written, so that it outlives a power
    /// cut and not only the process. Slow: a disk does some hundred of these a second.
    pub fsync: bool,
}

impl StoreOptions {
    /// The options of the config file's defaults, for the store at this address.
    pub fn new(url: impl Into<String>) -> Self {
        const DAY: u64 = 24 * 60 * 60;
        Self {
            url: url.into(),
            journal_max: 1_000_000_000,
            on_failure: OnFailure::Warn,
            retention: Duration::from_secs(90 * DAY),
            retention_ok: Duration::from_secs(14 * DAY),
            max_size: 10_000_000_000,
            fsync: false,
        }
    }

    /// The database's file.
    pub(crate) fn path(&self) -> Result<PathBuf, StoreError> {
        sqlite_path(&self.url)
    }
}

/// The file that a `sqlite:` address names.
///
/// # Errors
///
/// [`StoreError::Address`] when it names none, [`StoreError::Feature`] for PostgreSQL.
pub fn sqlite_path(url: &str) -> Result<PathBuf, StoreError> {
    if let Some(rest) = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://")) {
        // What stands before the host may be a password.
        let host = rest.rsplit('@').next().unwrap_or_default();
        return Err(StoreError::Feature { url: format!("postgres://{host}"), feature: "postgres" });
    }
    let path = url.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
    match path {
        Some(path) if !path.trim().is_empty() && !path.starts_with(":memory:") && !path.starts_with('?') => {
            Ok(PathBuf::from(path))
        }
        Some(_) | None => Err(StoreError::Address(url.to_owned())),
    }
}

/// The folder of a database's journal.
pub(crate) fn journal_of(database: &Path) -> PathBuf {
    with_ending(database, "journal")
}

/// The file by whose lock one process owns a database for writing.
pub(crate) fn lock_of(database: &Path) -> PathBuf {
    with_ending(database, "lock")
}

/// `calls.db` becomes `calls.db.ENDING`. SQLite itself uses names with a `-`.
fn with_ending(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_file() {
        for (url, path) in [
            ("sqlite:mainstay.db", "mainstay.db"),
            ("sqlite:/var/lib/m.db", "/var/lib/m.db"),
            ("sqlite:///var/m.db", "/var/m.db"),
        ] {
            assert_eq!(sqlite_path(url).unwrap(), Path::new(path));
        }
        for bad in ["", "mainstay.db", "sqlite:", "sqlite::memory:", "mysql://x", "sqlite:?mode=rw"] {
            assert!(matches!(sqlite_path(bad), Err(StoreError::Address(_))), "{bad:?}");
        }
        assert_eq!(journal_of(Path::new("a/m.db")), Path::new("a/m.db.journal"));
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let error = sqlite_path("postgres://ann:secret@host/db").unwrap_err().to_string();
        assert!(error.contains("host/db") && !error.contains("secret") && !error.contains("ann"), "{error}");
    }
}
