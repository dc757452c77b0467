//! The admin token's file: made once, readable by its owner only, used by every command of that user.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};

use crate::secret::{self, NoRandomness};

/// How an admin token that we made begins.
const OPENING: &str = "madm_";
/// Shortest token that is taken from a file, in bytes.
const SHORTEST: usize = 16;
/// Longest, in bytes.
const LONGEST: usize = 512;

/// Why there is no admin token.
#[derive(Debug, thiserror::Error)]
pub enum AdminTokenError {
    /// Its file cannot be read or written.
    #[error("the admin token's file {path} cannot be used: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A new one cannot be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// The token in that file; `None` where there is no file, or what is in it is no token.
///
/// # Errors
///
/// [`AdminTokenError::File`] when there is a file that cannot be read.
pub fn read_admin_token(path: &Path) -> Result<Option<SecretString>, AdminTokenError> {
    let fail = |source| AdminTokenError::File { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    let mut text = String::new();
    let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(2);
    match file.take(limit).read_to_string(&mut text) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
        Err(error) => return Err(fail(error)),
    }
    let token = text.trim();
    let is_token = (SHORTEST..=LONGEST).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_graphic());
    Ok(is_token.then(|| token.into()))
}

/// A token for this process alone.
pub(crate) fn for_this_process() -> Result<SecretString, AdminTokenError> {
    Ok(secret::token(OPENING)?)
}

/// The token in that file, or a new one that is kept there. A file that others can read is no secret any
/// more: its token is replaced.
pub(crate) fn load_or_make(path: &Path) -> Result<SecretString, AdminTokenError> {
    let fail = |source| AdminTokenError::File { path: path.to_owned(), source };
    if let Some(token) = read_admin_token(path)? {
        if is_private(path).map_err(fail)? {
            return Ok(token);
        }
        tracing::warn!(path = %path.display(), "others could read the admin token; a new one is made");
        fs::remove_file(path).map_err(fail)?;
    } else if path.symlink_metadata().is_ok() {
        tracing::warn!(path = %path.display(), "what stood there is no admin token; a new one is made");
        fs::remove_file(path).map_err(fail)?;
    }
    let token = secret::token(OPENING)?;
    if put(path, &token).map_err(fail)? {
        return Ok(token);
    }
    // Another gateway of the same user was quicker; theirs is as good as ours.
    read_admin_token(path)?.ok_or_else(|| fail(io::Error::other("another process is changing it")))
}

/// Puts the token there, whole or not at all; `false` when something stands there already.
fn put(path: &Path, token: &SecretString) -> io::Result<bool> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        make_folder(folder)?;
    }
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = create_private(&draft)?;
    let written =
        file.write_all(format!("{}\n", token.expose_secret()).as_bytes()).and_then(|()| file.sync_all());
    let put = written.and_then(|()| match fs::hard_link(&draft, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        // A file system without hard links.
        Err(_) => fs::rename(&draft, path).map(|()| true),
    });
    // Gone already where it was renamed.
    let _ = fs::remove_file(&draft);
    put
}

#[cfg(unix)]
fn is_private(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    let about = fs::symlink_metadata(path)?;
    Ok(about.is_file() && about.permissions().mode().trailing_zeros() >= 6)
}

#[cfg(not(unix))]
fn is_private(_path: &Path) -> io::Result<bool> {
    // The user's own folders are private there by the system's own rules.
    Ok(true)
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // Left behind by a process of the same number that died in between.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            options.open(path)
        }
        opened => opened,
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/mainstay/admin-token");
        assert!(read_admin_token(&path).unwrap().is_none());
        let first = load_or_make(&path).unwrap();
        let second = load_or_make(&path).unwrap();
        assert_eq!(first.expose_secret(), second.expose_secret());
        assert_eq!(read_admin_token(&path).unwrap().unwrap().expose_secret(), first.expose_secret());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mainstay/admin-token");
        let first = load_or_make(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let second = load_or_make(&path).unwrap();
        assert_ne!(
            first.expose_secret(),
            second.expose_secret(),
            "what others could read is a secret no more"
        );
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn what_is_no_token_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("admin-token");
        for bad in
            ["", "short", "a token with spaces in it", &"x".repeat(600), "a-token-of-\u{e9}t\u{e9}-and-more"]
        {
            fs::write(&path, bad).unwrap();
            assert!(read_admin_token(&path).unwrap().is_none(), "{bad:?}");
            assert!(load_or_make(&path).unwrap().expose_secret().starts_with(OPENING));
        }
    }
}
