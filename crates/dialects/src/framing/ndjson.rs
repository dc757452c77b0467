//! Newline-delimited JSON, told apart into lines as its bytes arrive.
//!
//! A line ends with LF or CR LF; the last one may lack its end. Blank lines are passed over. What stands on a
//! line is a dialect's business: nothing here reads JSON.

use mainstay_canon::{Failure, Kind};
use memchr::memchr;

/// An incremental splitter of lines.
///
/// Bytes go in as the socket gave them; what comes out does not depend on where they were cut. A line that
/// lies whole in one push is lent from the pushed bytes, any other from a buffer that is used again. After a
/// failure nothing more comes out.
#[derive(Debug, Default)]
pub struct Ndjson {
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// A first line was read: a byte order mark can no longer come.
    begun: bool,
    /// A failure came or the stream was closed.
    over: bool,
}

impl Ndjson {
    /// Longest line, in bytes without its line feed: 8 MB.
    pub const LINE_LIMIT: usize = 8 * 1024 * 1024;

    /// A splitter at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and hands over each line they complete, without its end.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for a line over the limit and for one that is not UTF-8; whatever `on_line` returns.
    /// Lines before it were handed over.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut on_line: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        let outcome = self.split(bytes, &mut on_line);
        self.over = outcome.is_err();
        outcome
    }

    /// The peer hung up: hands over the line that lacks its end, if there is one.
    ///
    /// # Errors
    ///
    /// As [`Self::push`]; `StreamInterrupted` when the last character is cut.
    pub fn close(&mut self, mut on_line: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        self.over = true;
        let last = std::mem::take(&mut self.line);
        if std::str::from_utf8(&last).is_err_and(|error| error.error_len().is_none()) {
            return Err(Failure::new(Kind::StreamInterrupted, "the stream ends inside a character"));
        }
        deliver(&last, !self.begun, &mut on_line)
    }

    fn split(
        &mut self,
        bytes: &[u8],
        on_line: &mut impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut rest = bytes;
        while let Some((line, after)) = cut(rest) {
            check(self.line.len().saturating_add(line.len()))?;
            let first = !std::mem::replace(&mut self.begun, true);
            if self.line.is_empty() {
                deliver(line, first, on_line)?;
            } else {
                self.line.extend_from_slice(line);
                deliver(&self.line, first, on_line)?;
                self.line.clear();
            }
            rest = after;
        }
        check(self.line.len().saturating_add(rest.len()))?;
        self.line.extend_from_slice(rest);
        Ok(())
    }
}

/// The bytes up to a line feed, and what follows it.
fn cut(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (line, rest) = bytes.split_at_checked(memchr(b'\n', bytes)?)?;
    Some((line, rest.get(1..)?))
}

/// Hands a line over, unless it is blank. The first one may begin with a byte order mark.
fn deliver(
    line: &[u8],
    first: bool,
    on_line: &mut impl FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).filter(|_| first).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(());
    }
    let line = std::str::from_utf8(line)
        .map_err(|error| Failure::new(Kind::InvalidResponse, "the stream is not UTF-8").because(error))?;
    on_line(line)
}

fn check(length: usize) -> Result<(), Failure> {
    if length > Ndjson::LINE_LIMIT {
        return Err(Failure::new(Kind::InvalidResponse, "a line of the stream is longer than 8 MB"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(pieces: &[&[u8]]) -> (Vec<String>, Option<Kind>) {
        let mut seen = Vec::new();
        let mut ndjson = Ndjson::new();
        let mut note = |line: &str| {
            seen.push(line.to_owned());
            Ok(())
        };
        for piece in pieces {
            if let Err(failure) = ndjson.push(piece, &mut note) {
                return (seen, Some(failure.kind));
            }
        }
        let end = ndjson.close(&mut note).err().map(|failure| failure.kind);
        (seen, end)
    }

    fn every_cut(wire: &[u8]) {
        let whole = lines(&[wire]);
        for cut in 0..=wire.len() {
            let (a, b) = wire.split_at(cut);
            assert_eq!(lines(&[a, b]), whole, "cut at byte {cut}");
        }
        let bytes: Vec<&[u8]> = wire.chunks(1).collect();
        assert_eq!(lines(&bytes), whole, "byte by byte");
    }

    fn check(wire: &str, expected: &[&str]) {
        assert_eq!(lines(&[wire.as_bytes()]), (expected.iter().map(ToString::to_string).collect(), None));
        every_cut(wire.as_bytes());
    }

    #[test]
    fn lines_may_end_in_lf_or_crlf() {
        check("{\"a\":1}\n{\"b\":2}\r\n{\"c\":3}\n", &["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
    }

    #[test]
    fn blank_lines_are_passed_over() {
        check("\n\r\n{}\n\n \t\r\n{}\n\n", &["{}", "{}"]);
    }

    #[test]
    fn the_last_line_needs_no_end() {
        check("{}\n{\"done\":true}", &["{}", "{\"done\":true}"]);
        check("{}\r", &["{}"]);
        check("", &[]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once() {
        check("\u{feff}{}\n\u{feff}{}\n", &["{}", "\u{feff}{}"]);
        check("\u{feff}{}", &["{}"]);
        check("\u{feff}\n{}\n", &["{}"]);
    }

    #[test]
    fn characters_may_be_cut() {
        check(
            "{\"a\":\"žluťoučký, 世界 🙂\"}\n{\"b\":\"é\"}",
            &["{\"a\":\"žluťoučký, 世界 🙂\"}", "{\"b\":\"é\"}"],
        );
    }

    #[test]
    fn a_line_that_is_not_utf8_is_an_invalid_response() {
        let wire = b"{}\n{\"a\":\"\xff\"}\n{}\n";
        assert_eq!(lines(&[wire]), (vec!["{}".to_owned()], Some(Kind::InvalidResponse)));
        every_cut(wire);
    }

    #[test]
    fn an_end_inside_a_character_is_an_interruption() {
        let wire = "{}\n{\"a\":\"é".as_bytes();
        let wire = &wire[..wire.len() - 1];
        assert_eq!(lines(&[wire]), (vec!["{}".to_owned()], Some(Kind::StreamInterrupted)));
        every_cut(wire);
    }

    #[test]
    fn a_line_has_a_limit_however_it_comes() {
        let mut long = b"{}\n".to_vec();
        long.resize(long.len() + Ndjson::LINE_LIMIT, b'x');
        long.push(b'\n');
        assert_eq!(lines(&[&long]).0.len(), 2, "a line of exactly the limit is taken");
        long.insert(3, b'x');
        assert_eq!(lines(&[&long]), (vec!["{}".to_owned()], Some(Kind::InvalidResponse)));
        let halves: Vec<&[u8]> = long.chunks(Ndjson::LINE_LIMIT / 2).collect();
        assert_eq!(lines(&halves), (vec!["{}".to_owned()], Some(Kind::InvalidResponse)));
    }

    #[test]
    fn after_a_failure_nothing_more_comes() {
        let mut ndjson = Ndjson::new();
        let refuse = |_: &str| Err(Failure::new(Kind::ServerError, "enough"));
        assert!(ndjson.push(b"{}\n{}\n", refuse).is_err());
        assert!(ndjson.push(b"{}\n", refuse).is_ok());
        assert!(ndjson.close(refuse).is_ok());
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            tokens in prop::collection::vec(
                prop::sample::select(vec!["{", "}", "\n", "\r", "\r\n", "\n\n", "x", "é", "🙂", "\u{feff}", " "]),
                0..40,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let wire = tokens.concat().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
            at.extend([0, wire.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &wire[pair[0]..pair[1]]).collect();
            prop_assert_eq!(lines(&pieces), lines(&[&wire]));
        }

        #[test]
        fn any_bytes_are_survived(wire in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
            let (a, b) = wire.split_at(cut.index(wire.len() + 1));
            prop_assert_eq!(lines(&[a, b]), lines(&[&wire]));
        }
    }
}
