//! The append-only journal: what was said to have been written is there after `kill -9`.
//!
//! An entry is one line, written with one `write(2)`. Once that returns, the line is the operating
//! system's to keep: it survives the death of this process, not a power cut, unless `fsync` is on.
//! A journal that is opened again starts a new segment and never touches an old one. This module
//! does not know what an entry means, nor who reads it.

mod line;
mod segment;

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::Serialize;

pub(crate) use line::{crc32, decode, encode};
pub(crate) use segment::{Next, Position, SegmentReader, list, path_of};

use crate::error::JournalError;

/// Largest segment, in bytes; the last line may go beyond.
const LARGEST_SEGMENT: u64 = 8 << 20;

/// How the journal behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JournalOptions {
    /// Most bytes that may wait for the store.
    pub(crate) max: u64,
    /// Whether each line is forced to disk before it counts as written.
    pub(crate) fsync: bool,
}

/// The writing end.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    options: JournalOptions,
    writer: Mutex<Writer>,
}

#[derive(Debug)]
struct Writer {
    file: File,
    at: Position,
    /// Bytes of all lines that the store has not taken yet.
    waiting: u64,
    closed: bool,
}

impl Journal {
    /// Opens the journal for writing in a new segment, above all that are there and above `taken`,
    /// the place up to which the store has taken everything.
    pub(crate) fn open(folder: &Path, taken: Position, options: JournalOptions) -> io::Result<Self> {
        create_folder(folder)?;
        let newest = list(folder)?.last().copied().unwrap_or(0).max(taken.segment);
        let at = Position { segment: newest.saturating_add(1), offset: 0 };
        let file = create(folder, at.segment, options.fsync)?;
        let writer = Writer { file, at, waiting: waiting(folder, taken)?, closed: false };
        Ok(Self { folder: folder.to_owned(), options, writer: Mutex::new(writer) })
    }

    /// The folder of the segments.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes one entry; once this returns, it outlives the process. `written` is called, still in
    /// order, with where it ended.
    pub(crate) fn append<T: Serialize>(
        &self,
        entry: &T,
        written: impl FnOnce(Position),
    ) -> Result<(), JournalError> {
        let line = line::encode(entry).map_err(JournalError::Encode)?;
        if line.len() > line::LONGEST {
            return Err(JournalError::TooLong { bytes: line.len(), longest: line::LONGEST });
        }
        let size = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let mut writer = self.writer.lock();
        if writer.closed {
            return Err(JournalError::Closed);
        }
        if writer.waiting.saturating_add(size) > self.options.max {
            return Err(JournalError::Full { waiting: writer.waiting, max: self.options.max });
        }
        if writer.at.offset > 0 && writer.at.offset.saturating_add(size) > self.largest_segment() {
            self.rotate(&mut writer)?;
        }
        self.write(&mut writer, &line)?;
        writer.at.offset = writer.at.offset.saturating_add(size);
        writer.waiting = writer.waiting.saturating_add(size);
        written(writer.at);
        Ok(())
    }

    /// Small limits make small segments, so that taken lines are given back soon.
    fn largest_segment(&self) -> u64 {
        LARGEST_SEGMENT.min(self.options.max / 8)
    }

    /// One write. What was written of a line that did not fit is taken back.
    fn write(&self, writer: &mut Writer, line: &[u8]) -> Result<(), JournalError> {
        let result = loop {
            match writer.file.write(line) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(written) if written < line.len() => break Err(io::ErrorKind::StorageFull.into()),
                result => break result,
            }
        };
        let result = match result {
            Ok(_) if self.options.fsync => writer.file.sync_data(),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        result.map_err(|error| {
            // A line that was not acknowledged must not come back to life, nor spoil the one after it.
            if writer.file.set_len(writer.at.offset).is_err() {
                // Nothing can be done about a second failure here; the reader skips what is broken.
                let _ = self.rotate(writer);
            }
            JournalError::Io(error)
        })
    }

    fn rotate(&self, writer: &mut Writer) -> Result<(), JournalError> {
        let next = writer.at.segment.saturating_add(1);
        writer.file = create(&self.folder, next, self.options.fsync).map_err(JournalError::Io)?;
        writer.at = Position { segment: next, offset: 0 };
        Ok(())
    }

    /// Says that the store has taken so many bytes more; segments below `taken` are removed, those of
    /// `kept` only set aside under another name.
    pub(crate) fn taken(&self, bytes: u64, taken: Position, kept: &[u64]) {
        let mut writer = self.writer.lock();
        writer.waiting = writer.waiting.saturating_sub(bytes);
        drop(writer);
        // A segment that cannot be removed now is removed the next time.
        for segment in
            list(&self.folder).unwrap_or_default().into_iter().take_while(|old| *old < taken.segment)
        {
            self.remove(segment, kept.contains(&segment));
        }
    }

    fn remove(&self, segment: u64, keep: bool) {
        let path = path_of(&self.folder, segment);
        let result = if keep {
            std::fs::rename(&path, path.with_extension("kept"))
        } else {
            std::fs::remove_file(&path)
        };
        if let Err(error) = result {
            tracing::debug!(%error, path = %path.display(), "a journal segment could not be removed");
        }
    }

    /// Bytes that wait for the store.
    pub(crate) fn waiting(&self) -> u64 {
        self.writer.lock().waiting
    }

    /// Where the next line will stand.
    pub(crate) fn end(&self) -> Position {
        self.writer.lock().at
    }

    /// Refuses all further entries, and removes the current segment if the store has taken it whole.
    pub(crate) fn close(&self, taken: Position) {
        let mut writer = self.writer.lock();
        writer.closed = true;
        if taken >= writer.at {
            self.remove(writer.at.segment, false);
        }
    }
}

/// Bytes of all lines from `taken` on.
pub(crate) fn waiting(folder: &Path, taken: Position) -> io::Result<u64> {
    let mut sum = 0_u64;
    for segment in list(folder)?.into_iter().filter(|segment| *segment >= taken.segment) {
        let size = path_of(folder, segment).metadata()?.len();
        let before = if segment == taken.segment { taken.offset } else { 0 };
        sum = sum.saturating_add(size.saturating_sub(before));
    }
    Ok(sum)
}

/// Only the owner may look: rows name users, and captured text is the users' own.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn create(folder: &Path, segment: u64, fsync: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path_of(folder, segment))?;
    if fsync {
        // The name must outlive a power cut, too.
        File::open(folder)?.sync_all()?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: JournalOptions = JournalOptions { max: 1 << 20, fsync: false };

    fn read_all(folder: &Path) -> Vec<String> {
        let mut words = Vec::new();
        for segment in list(folder).unwrap() {
            let mut reader = SegmentReader::open(&path_of(folder, segment), 0).unwrap();
            while let Next::Line(json) = reader.next(u64::MAX).unwrap() {
                words.push(serde_json::from_slice(json).unwrap());
            }
        }
        words
    }

    #[test]
    fn a_reopened_journal_starts_a_new_segment() {
        let folder = tempfile::tempdir().unwrap();
        for word in ["one", "two"] {
            let journal = Journal::open(folder.path(), Position::default(), OPTIONS).unwrap();
            journal.append(&word, |_| {}).unwrap();
        }
        assert_eq!(list(folder.path()).unwrap(), [1, 2]);
        assert_eq!(read_all(folder.path()), ["one", "two"]);
        let later = Journal::open(folder.path(), Position { segment: 9, offset: 4 }, OPTIONS).unwrap();
        assert_eq!(later.end().segment, 10, "never below what the store has taken");
    }

    #[test]
    fn a_full_journal_refuses_and_takes_again_once_the_store_has_caught_up() {
        let folder = tempfile::tempdir().unwrap();
        let options = JournalOptions { max: 400, fsync: true };
        let journal = Journal::open(folder.path(), Position::default(), options).unwrap();
        let word = "x".repeat(80);
        let mut end = Position::default();
        let error = loop {
            match journal.append(&word, |written| end = written) {
                Ok(()) => {}
                Err(error) => break error,
            }
        };
        assert!(matches!(error, JournalError::Full { waiting: 303, max: 400 }), "{error}");
        assert_eq!(list(folder.path()).unwrap().len(), 3, "small limits make small segments");
        journal.taken(303, end, &[]);
        assert_eq!((journal.waiting(), list(folder.path()).unwrap().len()), (0, 1));
        journal.append(&word, |_| {}).unwrap();
    }

    #[test]
    fn a_segment_worth_a_look_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let options = JournalOptions { max: 400, fsync: false };
        let journal = Journal::open(folder.path(), Position::default(), options).unwrap();
        for _ in 0..3 {
            journal.append(&"x".repeat(80), |_| {}).unwrap();
        }
        journal.taken(303, journal.end(), &[1]);
        assert!(folder.path().join("000000000001.kept").exists());
        assert!(!folder.path().join("000000000002.kept").exists());
    }

    #[test]
    fn a_closed_journal_takes_nothing_and_leaves_nothing_that_was_taken() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), Position::default(), OPTIONS).unwrap();
        journal.append(&"one", |_| {}).unwrap();
        journal.close(journal.end());
        assert!(matches!(journal.append(&"two", |_| {}), Err(JournalError::Closed)));
        assert_eq!(list(folder.path()).unwrap(), Vec::<u64>::new());
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused_before_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let options = JournalOptions { max: u64::MAX, fsync: false };
        let journal = Journal::open(folder.path(), Position::default(), options).unwrap();
        let result = journal.append(&"x".repeat(line::LONGEST), |_| {});
        assert!(matches!(result, Err(JournalError::TooLong { .. })));
        assert_eq!(journal.end().offset, 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_look() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("calls.journal");
        let journal = Journal::open(&folder, Position::default(), OPTIONS).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path_of(&folder, journal.end().segment))), (0o700, 0o600));
    }
}
