//! Objects told apart in a body of bare JSON: a list that grows, as Gemini streams without `alt=sse`, or a lone
//! object where a server answered without streaming.
//!
//! Knows where an object begins and ends, not what it says.

use mainstay_canon::{Failure, Kind};

/// Largest object: 16 MB.
const LIMIT: usize = 16 * 1024 * 1024;

/// An incremental splitter. What comes out does not depend on where the bytes were cut; an object that lies whole
/// in one push is lent from it.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// The beginning of an object whose end has not come yet.
    begun: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The list's closing bracket came: what follows is ignored.
    closed: bool,
}

impl Splitter {
    /// Whether the list is at its end.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether an object has begun and not ended.
    pub(super) fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// Takes bytes and hands over each object they complete.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for what is no JSON, no UTF-8 or over the limit; whatever `on_object` returns.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut on_object: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut from = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if self.closed {
                return Ok(());
            }
            if self.depth == 0 {
                if !self.between(byte)? {
                    continue;
                }
                from = at;
            }
            if self.ends_with(byte) {
                let last = bytes.get(from..=at).unwrap_or_default();
                self.check(last.len())?;
                if self.begun.is_empty() {
                    on_object(text(last)?)?;
                } else {
                    self.begun.extend_from_slice(last);
                    let whole = std::mem::take(&mut self.begun);
                    on_object(text(&whole)?)?;
                }
                from = at.saturating_add(1);
            }
        }
        if self.depth > 0 {
            let rest = bytes.get(from..).unwrap_or_default();
            self.check(rest.len())?;
            self.begun.extend_from_slice(rest);
        }
        Ok(())
    }

    /// Whether an object begins with this byte; else it must be something that may stand between objects.
    fn between(&mut self, byte: u8) -> Result<bool, Failure> {
        match byte {
            b'{' => return Ok(true),
            b']' => self.closed = true,
            b'[' | b',' => {}
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                return Err(Failure::new(
                    Kind::InvalidResponse,
                    "the body is neither a stream nor JSON objects",
                ));
            }
        }
        Ok(false)
    }

    /// Whether the object ends with this byte of it.
    fn ends_with(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0
    }

    fn check(&self, more: usize) -> Result<(), Failure> {
        if self.begun.len().saturating_add(more) > LIMIT {
            return Err(Failure::new(Kind::InvalidResponse, "an object of the stream is larger than 16 MB"));
        }
        Ok(())
    }
}

fn text(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes)
        .map_err(|error| Failure::new(Kind::InvalidResponse, "the stream is not UTF-8").because(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(pieces: &[&[u8]]) -> (Vec<String>, Option<Kind>) {
        let mut splitter = Splitter::default();
        let mut seen = Vec::new();
        for piece in pieces {
            let outcome = splitter.push(piece, |object| {
                seen.push(object.to_owned());
                Ok(())
            });
            if let Err(failure) = outcome {
                return (seen, Some(failure.kind));
            }
        }
        (seen, None)
    }

    fn check(wire: &str, expected: &[&str]) {
        let whole = objects(&[wire.as_bytes()]);
        assert_eq!(whole, (expected.iter().map(ToString::to_string).collect(), None), "{wire}");
        for cut in 0..=wire.len() {
            let (a, b) = wire.as_bytes().split_at(cut);
            assert_eq!(objects(&[a, b]), whole, "{wire} cut at byte {cut}");
        }
        let bytes: Vec<&[u8]> = wire.as_bytes().chunks(1).collect();
        assert_eq!(objects(&bytes), whole, "{wire} byte by byte");
    }

    #[test]
    fn objects_are_told_apart_wherever_the_bytes_are_cut() {
        check("[{\"a\": \"grün\"}\r\n,\r\n{}]\n", &["{\"a\": \"grün\"}", "{}"]);
        check(r#"{"a":[{"b":"}]{[,\"\\"}]}"#, &[r#"{"a":[{"b":"}]{[,\"\\"}]}"#]);
        check("{}\n{}", &["{}", "{}"]);
        check("[]", &[]);
        check("", &[]);
    }

    #[test]
    fn what_follows_the_list_is_ignored_and_what_has_no_end_does_not_come() {
        check("[{}] rubbish {", &["{}"]);
        check("[{\"a\":1", &[]);
        let mut splitter = Splitter::default();
        splitter.push(b"[{\"a\":", |_| Ok(())).unwrap();
        assert!(splitter.is_inside() && !splitter.is_closed());
        splitter.push(b"1}]", |_| Ok(())).unwrap();
        assert!(!splitter.is_inside() && splitter.is_closed());
    }

    #[test]
    fn what_is_no_json_is_a_failure() {
        assert_eq!(objects(&[b"[{}, oops]"]), (vec!["{}".to_owned()], Some(Kind::InvalidResponse)));
        assert_eq!(objects(&[b"{\"a\":\"\xff\"}"]).1, Some(Kind::InvalidResponse));
        let long = vec![b'x'; LIMIT];
        assert_eq!(objects(&[b"{\"", &long]).1, Some(Kind::InvalidResponse));
    }
}
