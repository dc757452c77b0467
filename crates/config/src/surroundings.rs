//! What surrounds a file: the environment, its folder, the moment. Passed in, so that tests decide.

use std::io::Read;
use std::path::{Path, PathBuf};

use mainstay_canon::Moment;
use secrecy::SecretString;

/// Largest key file that is read, in bytes.
const LARGEST_KEY: u64 = 64 * 1024;

/// What a file is read in.
pub(crate) struct Surroundings<'e> {
    env: &'e dyn Fn(&str) -> Option<String>,
    folder: PathBuf,
    /// When it is read.
    pub(crate) now: Moment,
}

/// What a variable or a file had to say.
pub(crate) enum Found {
    /// A value, its blanks at both ends taken off.
    Value(SecretString),
    /// No such variable.
    Missing,
    /// Nothing but blanks.
    Blank,
    /// Something that no header can carry, such as a line break in the middle.
    Unusable,
}

impl<'e> Surroundings<'e> {
    /// Those of a file of that name.
    pub(crate) fn of(file: &str, env: &'e dyn Fn(&str) -> Option<String>, now: Moment) -> Self {
        let folder = Path::new(file).parent().map(Path::to_path_buf).unwrap_or_default();
        Self { env, folder, now }
    }

    /// A path as the file means it: relative ones begin at the file's own folder.
    pub(crate) fn path(&self, typed: &str) -> PathBuf {
        self.folder.join(typed.trim())
    }

    /// The file's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The secret in a variable.
    pub(crate) fn secret(&self, variable: &str) -> Found {
        (self.env)(variable).map_or(Found::Missing, |value| secret_of(&value))
    }

    /// Whether a variable holds something.
    pub(crate) fn has(&self, variable: &str) -> bool {
        matches!(self.secret(variable), Found::Value(_))
    }
}

/// The secret in a file, or why the file cannot be read.
pub(crate) fn secret_file(path: &Path) -> std::io::Result<Found> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LARGEST_KEY).read_to_string(&mut text)?;
    Ok(secret_of(&text))
}

/// Judges a value; only what a header can carry is a key.
fn secret_of(value: &str) -> Found {
    let value = value.trim();
    if value.is_empty() {
        Found::Blank
    } else if value.bytes().all(|b| b.is_ascii_graphic()) {
        Found::Value(value.into())
    } else {
        Found::Unusable
    }
}

/// Whether a text can be the name of a variable.
pub(crate) fn is_variable_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && text.len() <= 128
}
