//! One process owns a SQLite store for writing. The system's own lock says who: it ends with the
//! process, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::error::StoreError;
use crate::options::lock_of;

/// Ownership of a store, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Ownership {
    file: File,
}

impl Ownership {
    /// Takes the store at this path, and leaves this process's id for others to read.
    pub(crate) fn take(database: &Path) -> Result<Self, StoreError> {
        let path = lock_of(database);
        let io = |source| StoreError::Io { path: path.clone(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                // Another process's note; short, and only shown.
                let _ = (&file).take(20).read_to_string(&mut pid);
                let pid = pid.trim();
                let known = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
                let pid = if known { pid } else { "unknown" }.to_owned();
                return Err(StoreError::InUse { path: database.to_owned(), pid });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        write!(file, "{}", std::process::id()).map_err(io)?;
        Ok(Self { file })
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        // Closing is not enough: a child that is being started just now holds the file open, too.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_owner_is_refused_by_name_until_the_first_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("calls.db");
        let first = Ownership::take(&database).unwrap();
        let error = Ownership::take(&database).unwrap_err().to_string();
        assert!(error.contains("calls.db") && error.contains(&std::process::id().to_string()), "{error}");
        drop(first);
        Ownership::take(&database).unwrap();
    }
}
