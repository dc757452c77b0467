//! What waits in the journal for a database: read in batches, from where the database left off.

use std::io;
use std::path::PathBuf;

use crate::entry::Entry;
use crate::journal::{Next, Position, SegmentReader, list, path_of};

/// Most entries of one batch.
const BATCH: usize = 1000;
/// Most bytes of one batch; the last line may go beyond.
const BATCH_BYTES: u64 = 4 << 20;

/// What was read and waits to be taken.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The entries, in order.
    pub(crate) entries: Vec<Entry>,
    /// The place after them.
    pub(crate) upto: Position,
    /// How many bytes of the journal this is, with all that could not be read.
    pub(crate) bytes: u64,
    /// How many lines.
    pub(crate) lines: u64,
    /// Lines whose end was never written: nobody was told that they were.
    pub(crate) torn: u64,
    /// Whole lines that cannot be understood.
    pub(crate) unreadable: u64,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.entries.len() >= BATCH || self.bytes >= BATCH_BYTES
    }
}

/// Reads the journal from where a database left off.
#[derive(Debug)]
pub(crate) struct Tail {
    folder: PathBuf,
    at: Position,
    reader: Option<SegmentReader>,
    /// Segments with lines that cannot be understood: somebody may want to look.
    odd: Vec<u64>,
}

impl Tail {
    /// A reader that starts at this place.
    pub(crate) const fn new(folder: PathBuf, at: Position) -> Self {
        Self { folder, at, reader: None, odd: Vec::new() }
    }

    /// Segments with lines that cannot be understood, of those from this one on.
    pub(crate) fn odd(&mut self, from: u64) -> &[u64] {
        self.odd.retain(|segment| *segment >= from);
        &self.odd
    }

    /// Reads the next batch, up to `end`, where the writer is at work. A batch that reaches no
    /// further than the one before is the last for now.
    pub(crate) fn read(&mut self, end: Position) -> io::Result<Batch> {
        let mut batch = Batch { upto: self.at, ..Batch::default() };
        while !batch.is_full() && self.at < end {
            let Some(mut reader) = self.open(end)? else { break };
            let ended = self.read_line(&mut reader, end, &mut batch)?;
            match ended {
                None => self.reader = Some(reader),
                Some(_) if self.at.segment == end.segment => {
                    self.reader = Some(reader);
                    break;
                }
                Some(rest) => {
                    batch.torn = batch.torn.saturating_add(u64::from(rest > 0));
                    batch.bytes = batch.bytes.saturating_add(rest);
                    self.step_over(end)?;
                }
            }
        }
        batch.upto = self.at;
        Ok(batch)
    }

    /// Reads one line; at the end of the segment, how many bytes of a torn line stand there.
    fn read_line(
        &mut self,
        reader: &mut SegmentReader,
        end: Position,
        batch: &mut Batch,
    ) -> io::Result<Option<u64>> {
        let limit = if self.at.segment == end.segment { end.offset } else { u64::MAX };
        match reader.next(limit)? {
            Next::Line(json) => match serde_json::from_slice(json) {
                Ok(entry) => batch.entries.push(entry),
                // Its words are not shown: they may be a user's.
                Err(error) => self.odd_line(batch, &format!("not understood at column {}", error.column())),
            },
            Next::Broken => self.odd_line(batch, "broken"),
            Next::End { rest } => return Ok(Some(u64::try_from(rest).unwrap_or(0))),
        }
        batch.lines = batch.lines.saturating_add(1);
        batch.bytes = batch.bytes.saturating_add(reader.offset().saturating_sub(self.at.offset));
        self.at.offset = reader.offset();
        Ok(None)
    }

    fn odd_line(&mut self, batch: &mut Batch, what: &str) {
        batch.unreadable = batch.unreadable.saturating_add(1);
        tracing::warn!(segment = self.at.segment, byte = self.at.offset, "a line of the journal is {what}");
        if self.odd.last() != Some(&self.at.segment) {
            self.odd.push(self.at.segment);
        }
    }

    /// The reader of the current segment; `None` when there is nothing to read yet.
    fn open(&mut self, end: Position) -> io::Result<Option<SegmentReader>> {
        if let Some(reader) = self.reader.take() {
            return Ok(Some(reader));
        }
        while self.at < end {
            match SegmentReader::open(&path_of(&self.folder, self.at.segment), self.at.offset) {
                Ok(reader) => return Ok(Some(reader)),
                // A segment that was taken and removed, or that somebody deleted.
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.at.segment < end.segment => {
                    self.step_over(end)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Goes to the start of the next segment that is there.
    fn step_over(&mut self, end: Position) -> io::Result<()> {
        let next = list(&self.folder)?.into_iter().find(|segment| *segment > self.at.segment);
        self.at = Position { segment: next.unwrap_or(end.segment).min(end.segment), offset: 0 };
        self.reader = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Journal, JournalOptions};
    use mainstay_fallback::StaticSwitch;

    const OPTIONS: JournalOptions = JournalOptions { max: 1 << 20, fsync: false };

    fn journal(folder: &std::path::Path) -> Journal {
        Journal::open(folder, Position::default(), OPTIONS).unwrap()
    }

    fn append(journal: &Journal, switch: StaticSwitch) {
        journal.append(&Entry::StaticSwitch(switch), |_| {}).unwrap();
    }

    #[test]
    fn batches_follow_each_other_over_segments_until_the_writer_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        append(&journal(folder.path()), StaticSwitch::On);
        let writer = journal(folder.path());
        append(&writer, StaticSwitch::Off);
        let mut tail = Tail::new(folder.path().to_owned(), Position::default());
        let batch = tail.read(writer.end()).unwrap();
        assert_eq!(batch.entries, [StaticSwitch::On, StaticSwitch::Off].map(Entry::StaticSwitch));
        assert_eq!((batch.upto, batch.lines, batch.torn), (writer.end(), 2, 0));
        assert_eq!(batch.bytes, writer.waiting(), "all bytes are accounted for");
        assert_eq!(tail.read(writer.end()).unwrap().upto, writer.end());
        append(&writer, StaticSwitch::Auto);
        assert_eq!(tail.read(writer.end()).unwrap().entries.len(), 1);
    }

    #[test]
    fn a_torn_end_at_any_byte_loses_only_the_torn_line_and_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let first = journal(folder.path());
        append(&first, StaticSwitch::On);
        let line = first.end().offset;
        append(&first, StaticSwitch::On);
        let whole = std::fs::read(path_of(folder.path(), 1)).unwrap();
        let second = journal(folder.path());
        append(&second, StaticSwitch::Off);
        for cut in 0..=whole.len() {
            std::fs::write(path_of(folder.path(), 1), &whole[..cut]).unwrap();
            let mut tail = Tail::new(folder.path().to_owned(), Position::default());
            let batch = tail.read(second.end()).unwrap();
            let lines = cut as u64 / line;
            assert_eq!(batch.entries.len() as u64, lines + 1, "cut at byte {cut}");
            assert_eq!(batch.torn, u64::from(!(cut as u64).is_multiple_of(line)), "cut at byte {cut}");
            assert_eq!((batch.unreadable, batch.upto), (0, second.end()), "cut at byte {cut}");
        }
    }

    #[test]
    fn a_line_of_no_known_kind_is_stepped_over_and_its_segment_named() {
        let folder = tempfile::tempdir().unwrap();
        let writer = journal(folder.path());
        writer.append(&serde_json::json!({"from_the_future": 1}), |_| {}).unwrap();
        append(&writer, StaticSwitch::On);
        let mut tail = Tail::new(folder.path().to_owned(), Position::default());
        let batch = tail.read(writer.end()).unwrap();
        assert_eq!((batch.entries.len(), batch.unreadable, batch.lines), (1, 1, 2));
        assert_eq!(tail.odd(1), [1]);
        assert!(tail.odd(2).is_empty());
    }

    #[test]
    fn a_segment_that_somebody_deleted_is_stepped_over() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..3 {
            append(&journal(folder.path()), StaticSwitch::On);
        }
        std::fs::remove_file(path_of(folder.path(), 2)).unwrap();
        let end = journal(folder.path()).end();
        let mut tail = Tail::new(folder.path().to_owned(), Position::default());
        assert_eq!(tail.read(end).unwrap().entries.len(), 2);
    }

    #[test]
    fn a_batch_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let writer = journal(folder.path());
        for _ in 0..BATCH + 5 {
            append(&writer, StaticSwitch::On);
        }
        let mut tail = Tail::new(folder.path().to_owned(), Position::default());
        let sizes = [(); 3].map(|()| tail.read(writer.end()).unwrap().entries.len());
        assert_eq!(sizes, [BATCH, 5, 0]);
    }
}
