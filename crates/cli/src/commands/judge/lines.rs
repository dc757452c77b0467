//! A file or stdin, packed or not, line by line.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal as _, Read as _};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::Source;
use crate::exit::Exit;

/// The longest line that is read, in bytes.
const LONGEST_LINE: u64 = 32_000_000;

/// Opens what is to be judged; `-` or nothing is stdin.
pub(super) fn open(file: Option<&Path>) -> Result<Source, Exit> {
    let plain: Source = match file.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let file = File::open(path).map_err(|error| unreadable(&path.display(), &error))?;
            Box::new(BufReader::new(file))
        }
        None if std::io::stdin().is_terminal() => {
            return Err(Exit::usage(
                "nothing to judge: name a file of answers or replies, one JSON object a line, or pipe one in\n\
                 for example  echo '{\"prompt\":\"Hi\",\"response\":\".\"}' | mainstay judge",
            ));
        }
        None => Box::new(BufReader::new(std::io::stdin())),
    };
    unpacked(plain)
}

/// What is packed with gzip says so in its first two bytes, whatever its name.
fn unpacked(mut plain: Source) -> Result<Source, Exit> {
    let start = plain.fill_buf().map_err(|error| unreadable(&"the input", &error))?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(plain))));
    }
    Ok(plain)
}

fn unreadable(what: &dyn std::fmt::Display, error: &std::io::Error) -> Exit {
    Exit::usage(format!("{what} cannot be read: {error}"))
}

/// Lines that are not empty, with their numbers from 1.
pub(super) struct Lines {
    source: Source,
    number: u64,
}

impl Lines {
    pub(super) fn new(source: Source) -> Self {
        Self { source, number: 0 }
    }

    /// The next one; bytes that are no UTF-8 are replaced, and the line's own reader will say so if it matters.
    pub(super) fn next(&mut self) -> Result<Option<(u64, String)>, Exit> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.source).take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|error| unreadable(&"the input", &error))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
                return Err(Exit::failed(format!("line {}: longer than {LONGEST_LINE} bytes", self.number)));
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                return Ok(Some((self.number, text.to_owned())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, String)> {
        let mut lines = Lines::new(unpacked(Box::new(std::io::Cursor::new(bytes.to_vec()))).unwrap());
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn packed_lines_read_like_plain_ones_and_empty_ones_are_passed_over() {
        let plain = b"\xef\xbb\xbf{\"a\":1}\r\n\n  \n{\"b\":2}".as_slice();
        let expected = [(1, "{\"a\":1}".to_owned()), (4, "{\"b\":2}".to_owned())];
        assert_eq!(all(plain), expected);
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(plain).unwrap();
        assert_eq!(all(&packer.finish().unwrap()), expected);
    }
}
