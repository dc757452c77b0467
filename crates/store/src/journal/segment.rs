//! The journal's files: their names, their order, and reading them line by line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::line;

/// What a segment's name ends with.
const SUFFIX: &str = "seg";
/// How much is read at once, in bytes.
const READ: usize = 64 << 10;

/// A place in the journal: everything before it has been dealt with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// Number of the segment.
    pub(crate) segment: u64,
    /// Byte in it.
    pub(crate) offset: u64,
}

/// Where the segment of that number lies.
pub(crate) fn path_of(folder: &Path, segment: u64) -> PathBuf {
    folder.join(format!("{segment:012}.{SUFFIX}"))
}

/// The numbers of all segments, lowest first. A folder that is not there has none.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<u64>> {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(SUFFIX)?.strip_suffix('.'));
        numbers.extend(stem.and_then(|stem| stem.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// What stands next in a segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next<'a> {
    /// The JSON of a whole line.
    Line(&'a [u8]),
    /// A line that is not whole, with more after it.
    Broken,
    /// Nothing more, or so many bytes of a line without its end.
    End {
        /// Bytes after the last break.
        rest: usize,
    },
}

/// Reads one segment line by line.
#[derive(Debug)]
pub(crate) struct SegmentReader {
    file: File,
    /// Where the next line starts, as a byte of the file.
    offset: u64,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were given out.
    used: usize,
    /// Bytes of the buffer that hold no break.
    searched: usize,
    /// Whether the line is longer than any of ours: it is skipped up to its break.
    overlong: bool,
}

impl SegmentReader {
    /// A reader that starts at this byte.
    pub(crate) fn open(path: &Path, offset: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { file, offset, buffer: Vec::new(), used: 0, searched: 0, overlong: false })
    }

    /// Where the next line starts, as a byte of the file.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line. Nothing at or after byte `limit` is read: a writer may be at work there.
    pub(crate) fn next(&mut self, limit: u64) -> io::Result<Next<'_>> {
        loop {
            let fresh = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = fresh.iter().position(|byte| *byte == b'\n') {
                return Ok(self.give(self.searched.saturating_add(at)));
            }
            self.searched = self.buffer.len();
            if self.searched.saturating_sub(self.used) > line::LONGEST {
                self.overlong = true;
                self.forget_unbroken();
            }
            if !self.fill(limit)? {
                let rest = self.buffer.len().saturating_sub(self.used);
                return Ok(Next::End { rest: if self.overlong { rest.max(1) } else { rest } });
            }
        }
    }

    /// Gives out the line that ends before byte `end` of the buffer.
    fn give(&mut self, end: usize) -> Next<'_> {
        let start = self.used;
        self.used = end.saturating_add(1);
        self.searched = self.used;
        self.offset = self.offset.saturating_add(u64::try_from(self.used - start).unwrap_or(0));
        if std::mem::take(&mut self.overlong) {
            return Next::Broken;
        }
        let text = self.buffer.get(start..end).unwrap_or_default();
        line::decode(text).map_or(Next::Broken, Next::Line)
    }

    /// Drops a line that grows without end; its break is still looked for.
    fn forget_unbroken(&mut self) {
        self.offset = self.offset.saturating_add(u64::try_from(self.buffer.len() - self.used).unwrap_or(0));
        self.buffer.clear();
        self.used = 0;
        self.searched = 0;
    }

    /// Reads more, if there is more before `limit`.
    fn fill(&mut self, limit: u64) -> io::Result<bool> {
        self.buffer.drain(..self.used);
        self.searched -= self.used;
        self.used = 0;
        let held = self.buffer.len();
        let at = self.offset.saturating_add(u64::try_from(held).unwrap_or(0));
        let room = usize::try_from(limit.saturating_sub(at)).unwrap_or(READ).min(READ);
        self.buffer.resize(held + room, 0);
        let read = loop {
            match self.file.read(self.buffer.get_mut(held..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read_all(path: &Path) -> (Vec<String>, usize, usize) {
        let mut reader = SegmentReader::open(path, 0).unwrap();
        let (mut lines, mut broken) = (Vec::new(), 0);
        loop {
            match reader.next(u64::MAX).unwrap() {
                Next::Line(json) => lines.push(serde_json::from_slice(json).unwrap()),
                Next::Broken => broken += 1,
                Next::End { rest } => return (lines, broken, rest),
            }
        }
    }

    #[test]
    fn a_segment_that_is_cut_anywhere_gives_the_lines_before_the_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), 1);
        let words = ["one", "two", "drei", "四"];
        let lines: Vec<Vec<u8>> = words.iter().map(|word| line::encode(word).unwrap()).collect();
        let whole = lines.concat();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let ends = lines.iter().scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            });
            let expected = ends.clone().filter(|end| *end <= cut).count();
            let rest = cut - ends.filter(|end| *end <= cut).last().unwrap_or(0);
            assert_eq!(
                read_all(&path),
                (words[..expected].iter().map(ToString::to_string).collect(), 0, rest)
            );
        }
    }

    #[test]
    fn a_broken_line_costs_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), 1);
        let [one, mut two, three] = ["one", "two", "three"].map(|word| line::encode(&word).unwrap());
        two[20] ^= 1;
        std::fs::write(&path, [one, two, three].concat()).unwrap();
        assert_eq!(read_all(&path), (vec!["one".to_owned(), "three".to_owned()], 1, 0));
    }

    #[test]
    fn a_line_without_end_is_skipped_in_bounded_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), 1);
        let mut file = File::create(&path).unwrap();
        file.write_all(&vec![0; line::LONGEST * 2]).unwrap();
        file.write_all(b"\n").unwrap();
        file.write_all(&line::encode(&"after").unwrap()).unwrap();
        assert_eq!(read_all(&path), (vec!["after".to_owned()], 1, 0));
        let mut reader = SegmentReader::open(&path, 0).unwrap();
        assert_eq!(reader.next(u64::MAX).unwrap(), Next::Broken);
        assert!(reader.buffer.capacity() < 4 * line::LONGEST, "{}", reader.buffer.capacity());
        assert_eq!(reader.offset(), 2 * line::LONGEST as u64 + 1);
    }

    #[test]
    fn nothing_is_read_beyond_what_the_writer_has_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_of(folder.path(), 1);
        let one = line::encode(&"one").unwrap();
        std::fs::write(&path, [one.as_slice(), one.as_slice()].concat()).unwrap();
        let mut reader = SegmentReader::open(&path, 0).unwrap();
        let limit = one.len() as u64;
        assert!(matches!(reader.next(limit).unwrap(), Next::Line(_)));
        assert_eq!(reader.next(limit).unwrap(), Next::End { rest: 0 });
        assert!(matches!(reader.next(2 * limit).unwrap(), Next::Line(_)));
    }

    #[test]
    fn segments_are_listed_in_order_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(list(&folder.path().join("missing")).unwrap(), Vec::<u64>::new());
        for name in ["000000000010.seg", "000000000009.seg", "000000000003.kept", "x.seg", "notes"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(list(folder.path()).unwrap(), [9, 10]);
    }
}
