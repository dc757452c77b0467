//! Server-sent events, told apart as their bytes arrive.
//!
//! The framing of the WHATWG "Server-sent events" standard, with two liberties that every LLM client takes:
//! an event that still lacks its blank line when the peer hangs up is delivered, and so is an event that has
//! a name but no data. What the data mean is a dialect's business; `id` and `retry` are nobody's here.

use mainstay_canon::{Failure, Kind};
use memchr::memchr2;

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event` field; empty when there is none.
    pub name: &'a str,
    /// The `data` fields, joined with line feeds; empty when there is none.
    pub data: &'a str,
}

/// One thing found in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SsePart<'a> {
    /// An event.
    Event(SseEvent<'a>),
    /// A comment line, without its colon. A sign of life, nothing more.
    Comment(&'a str),
    /// A line that is no field of the standard, such as a line of JSON where a server answered a streaming
    /// request with a whole body.
    Stray(&'a str),
}

/// An incremental splitter of server-sent events.
///
/// Bytes go in as the socket gave them; what comes out does not depend on where they were cut. An event that
/// lies whole in one push is lent from the pushed bytes (a second `data` line makes a copy, into a buffer
/// that is used again). After a failure nothing more comes out.
#[derive(Debug, Default)]
pub struct Sse {
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// Data of the unfinished event, as far as it could not be lent.
    data: String,
    /// Name of the unfinished event, as far as it could not be lent.
    name: String,
    has_data: bool,
    /// The last byte was a CR, so that a LF right after it belongs to the same line end.
    after_cr: bool,
    /// A first line was read: a byte order mark can no longer come.
    begun: bool,
    /// A failure came or the stream was closed.
    over: bool,
}

/// The unfinished event while one push is worked on: what it may lend, and what it had to copy.
struct Pending<'s, 'b> {
    lent: Option<&'b str>,
    lent_name: Option<&'b str>,
    data: &'s mut String,
    name: &'s mut String,
    has_data: &'s mut bool,
}

impl Sse {
    /// Longest line, in bytes without its end: 8 MB.
    pub const LINE_LIMIT: usize = 8 * 1024 * 1024;
    /// Most data of one event, in bytes: 16 MB.
    pub const EVENT_LIMIT: usize = 16 * 1024 * 1024;

    /// A splitter at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and hands over each event they complete. Comments are passed over.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for a line or event over its limit and for a field that is not UTF-8; whatever
    /// `on_event` returns. Events before it were handed over.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.push_parts(bytes, |part| events_only(part, &mut on_event))
    }

    /// As [`Self::push`], but comments and stray lines are handed over too, in order.
    ///
    /// # Errors
    ///
    /// As [`Self::push`].
    pub fn push_parts(
        &mut self,
        bytes: &[u8],
        mut on_part: impl FnMut(SsePart<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        let outcome = self.split(bytes, &mut on_part);
        self.over = outcome.is_err();
        outcome
    }

    /// The peer hung up: hands over the event that lacks its blank line, if there is one.
    ///
    /// # Errors
    ///
    /// As [`Self::push`]; `StreamInterrupted` when the last character is cut.
    pub fn close(
        &mut self,
        mut on_event: impl FnMut(SseEvent<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.close_parts(|part| events_only(part, &mut on_event))
    }

    /// As [`Self::close`], but comments and stray lines are handed over too.
    ///
    /// # Errors
    ///
    /// As [`Self::close`].
    pub fn close_parts(
        &mut self,
        mut on_part: impl FnMut(SsePart<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.over {
            return Ok(());
        }
        self.over = true;
        let last = std::mem::take(&mut self.line);
        if std::str::from_utf8(&last).is_err_and(|error| error.error_len().is_none()) {
            return Err(Failure::new(Kind::StreamInterrupted, "the stream ends inside a character"));
        }
        let first = !std::mem::replace(&mut self.begun, true);
        let mut pending = Pending::of(&mut self.data, &mut self.name, &mut self.has_data);
        if !last.is_empty() {
            pending.line(unmarked(&last, first), &mut on_part)?;
        }
        pending.line(b"", &mut on_part)
    }

    fn split<F>(&mut self, bytes: &[u8], on_part: &mut F) -> Result<(), Failure>
    where
        F: FnMut(SsePart<'_>) -> Result<(), Failure>,
    {
        let mut rest = bytes;
        let mut pending = Pending::of(&mut self.data, &mut self.name, &mut self.has_data);
        while let Some(&next) = rest.first() {
            if std::mem::replace(&mut self.after_cr, false) && next == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let Some((line, ending, after)) = cut_line(rest) else { break };
            check_line(self.line.len().saturating_add(line.len()))?;
            let first = !std::mem::replace(&mut self.begun, true);
            if self.line.is_empty() {
                pending.line(unmarked(line, first), on_part)?;
            } else {
                self.line.extend_from_slice(line);
                // The carried line is lent only until it is cleared, so the event copies what it keeps.
                pending.carried_line(unmarked(&self.line, first), on_part)?;
                self.line.clear();
            }
            self.after_cr = ending == b'\r';
            rest = after;
        }
        pending.keep();
        check_line(self.line.len().saturating_add(rest.len()))?;
        self.line.extend_from_slice(rest);
        Ok(())
    }
}

impl<'s, 'b> Pending<'s, 'b> {
    fn of(data: &'s mut String, name: &'s mut String, has_data: &'s mut bool) -> Self {
        Self { lent: None, lent_name: None, data, name, has_data }
    }

    /// A line whose bytes live as long as the push.
    fn line<F>(&mut self, line: &'b [u8], on_part: &mut F) -> Result<(), Failure>
    where
        F: FnMut(SsePart<'_>) -> Result<(), Failure>,
    {
        match Line::of(line)? {
            Line::Blank => self.deliver(on_part),
            Line::Data(data) => {
                if *self.has_data {
                    self.append(data)
                } else {
                    check_event(data.len())?;
                    *self.has_data = true;
                    self.lent = Some(data);
                    Ok(())
                }
            }
            Line::Name(name) => {
                self.name.clear();
                self.lent_name = Some(name);
                Ok(())
            }
            Line::Ignored => Ok(()),
            Line::Comment(text) => on_part(SsePart::Comment(text)),
            Line::Stray(text) => on_part(SsePart::Stray(text)),
        }
    }

    /// A line whose bytes are gone after this call.
    fn carried_line<F>(&mut self, line: &[u8], on_part: &mut F) -> Result<(), Failure>
    where
        F: FnMut(SsePart<'_>) -> Result<(), Failure>,
    {
        match Line::of(line)? {
            Line::Blank => self.deliver(on_part),
            Line::Data(data) => self.append(data),
            Line::Name(name) => {
                self.lent_name = None;
                name.clone_into(self.name);
                Ok(())
            }
            Line::Ignored => Ok(()),
            Line::Comment(text) => on_part(SsePart::Comment(text)),
            Line::Stray(text) => on_part(SsePart::Stray(text)),
        }
    }

    /// Adds a data line to what is copied.
    fn append(&mut self, data: &str) -> Result<(), Failure> {
        if let Some(lent) = self.lent.take() {
            self.data.push_str(lent);
        }
        check_event(self.data.len().saturating_add(data.len()).saturating_add(1))?;
        if std::mem::replace(self.has_data, true) {
            self.data.push('\n');
        }
        self.data.push_str(data);
        Ok(())
    }

    /// A blank line: the event is whole. Nothing is handed over where neither name nor data came.
    fn deliver<F>(&mut self, on_part: &mut F) -> Result<(), Failure>
    where
        F: FnMut(SsePart<'_>) -> Result<(), Failure>,
    {
        let name = self.lent_name.take().unwrap_or(self.name);
        let data = self.lent.take().unwrap_or(self.data);
        let outcome = if std::mem::replace(self.has_data, false) || !name.is_empty() {
            on_part(SsePart::Event(SseEvent { name, data }))
        } else {
            Ok(())
        };
        self.name.clear();
        self.data.clear();
        outcome
    }

    /// The push is over: what was lent is copied.
    fn keep(self) {
        if let Some(lent) = self.lent {
            self.data.push_str(lent);
        }
        if let Some(name) = self.lent_name {
            name.clone_into(self.name);
        }
    }
}

/// What one line says.
enum Line<'a> {
    Blank,
    Data(&'a str),
    Name(&'a str),
    Comment(&'a str),
    Stray(&'a str),
    /// `id` and `retry`: an LLM stream cannot be taken up again.
    Ignored,
}

impl<'a> Line<'a> {
    fn of(line: &'a [u8]) -> Result<Self, Failure> {
        if line.is_empty() {
            return Ok(Self::Blank);
        }
        let line = std::str::from_utf8(line)
            .map_err(|error| Failure::new(Kind::InvalidResponse, "the stream is not UTF-8").because(error))?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        Ok(match field {
            "data" => Self::Data(value),
            "event" => Self::Name(value),
            "id" | "retry" => Self::Ignored,
            "" => Self::Comment(value),
            _ => Self::Stray(line),
        })
    }
}

/// The bytes up to a line end, the byte that ends it, and what follows.
fn cut_line(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (line, rest) = bytes.split_at_checked(memchr2(b'\n', b'\r', bytes)?)?;
    let (&ending, after) = rest.split_first()?;
    Some((line, ending, after))
}

/// The first line may begin with a byte order mark.
fn unmarked(line: &[u8], first: bool) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).filter(|_| first).unwrap_or(line)
}

/// Whether a text is the beginning of a field's name, as the first line of a stream that broke off at once.
pub(crate) fn begins_field(text: &str) -> bool {
    ["data", "event", "id", "retry"].iter().any(|name| name.starts_with(text.trim()))
}

fn events_only(
    part: SsePart<'_>,
    on_event: &mut impl FnMut(SseEvent<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match part {
        SsePart::Event(event) => on_event(event),
        SsePart::Comment(_) | SsePart::Stray(_) => Ok(()),
    }
}

fn check_line(length: usize) -> Result<(), Failure> {
    if length > Sse::LINE_LIMIT {
        return Err(Failure::new(Kind::InvalidResponse, "a line of the stream is longer than 8 MB"));
    }
    Ok(())
}

fn check_event(length: usize) -> Result<(), Failure> {
    if length > Sse::EVENT_LIMIT {
        return Err(Failure::new(Kind::InvalidResponse, "an event of the stream is larger than 16 MB"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What came out, written so that it can be compared.
    fn parts(pieces: &[&[u8]]) -> (Vec<String>, Option<Kind>) {
        let mut seen = Vec::new();
        let mut sse = Sse::new();
        let mut note = |part: SsePart<'_>| {
            seen.push(match part {
                SsePart::Event(event) => format!("{}|{}", event.name, event.data),
                SsePart::Comment(text) => format!("# {text}"),
                SsePart::Stray(text) => format!("? {text}"),
            });
            Ok(())
        };
        for piece in pieces {
            if let Err(failure) = sse.push_parts(piece, &mut note) {
                return (seen, Some(failure.kind));
            }
        }
        let end = sse.close_parts(&mut note).err().map(|failure| failure.kind);
        (seen, end)
    }

    fn check(wire: &str, expected: &[&str]) {
        assert_eq!(parts(&[wire.as_bytes()]), (expected.iter().map(ToString::to_string).collect(), None));
        every_cut(wire.as_bytes());
    }

    fn every_cut(wire: &[u8]) {
        let whole = parts(&[wire]);
        for cut in 0..=wire.len() {
            let (a, b) = wire.split_at(cut);
            assert_eq!(parts(&[a, b]), whole, "cut at byte {cut}");
        }
        let bytes: Vec<&[u8]> = wire.chunks(1).collect();
        assert_eq!(parts(&bytes), whole, "byte by byte");
    }

    #[test]
    fn lines_may_end_in_lf_cr_or_both() {
        check("data: a\n\ndata: b\r\rdata: c\r\n\r\ndata: d\r\n\n", &["|a", "|b", "|c", "|d"]);
    }

    #[test]
    fn data_lines_are_joined_and_the_space_is_optional() {
        check("data:a\ndata: b\ndata\ndata:  c\n\n", &["|a\nb\n\n c"]);
    }

    #[test]
    fn the_last_event_name_counts_and_does_not_stay() {
        check("event: x\nevent:y\ndata: 1\n\ndata: 2\n\n", &["y|1", "|2"]);
    }

    #[test]
    fn an_event_with_a_name_alone_is_delivered_and_nothing_at_all_is_not() {
        check("event: ping\n\n\n\nid: 7\nretry: 5\n\ndata\n\n", &["ping|", "|"]);
    }

    #[test]
    fn comments_and_stray_lines_are_told_apart() {
        check(
            ": OPENROUTER PROCESSING\n\n:\n{\"a\": 1}\ndata: x\n\n",
            &["# OPENROUTER PROCESSING", "# ", "? {\"a\": 1}", "|x"],
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once() {
        check("\u{feff}data: a\n\n\u{feff}data: b\n\n", &["|a", "? \u{feff}data: b"]);
    }

    #[test]
    fn a_pending_event_is_delivered_at_the_end() {
        check("data: a\n\ndata: b\ndata: c", &["|a", "|b\nc"]);
        check("event: e\r\ndata: b\r", &["e|b"]);
    }

    #[test]
    fn characters_may_be_cut() {
        check("data: Grüße, 世界 🙂\n\n", &["|Grüße, 世界 🙂"]);
    }

    #[test]
    fn a_field_that_is_not_utf8_is_an_invalid_response() {
        let wire = b"data: a\n\ndata: \xff\n\ndata: b\n\n";
        assert_eq!(parts(&[wire]), (vec!["|a".to_owned()], Some(Kind::InvalidResponse)));
        every_cut(wire);
    }

    #[test]
    fn an_end_inside_a_character_is_an_interruption() {
        let wire = "data: a\n\ndata: é".as_bytes();
        let wire = &wire[..wire.len() - 1];
        assert_eq!(parts(&[wire]), (vec!["|a".to_owned()], Some(Kind::StreamInterrupted)));
        every_cut(wire);
    }

    #[test]
    fn a_line_and_an_event_have_a_limit() {
        let mut long = b"data: ok\n\ndata: ".to_vec();
        long.resize(long.len() + Sse::LINE_LIMIT, b'x');
        let (seen, kind) = parts(&[&long]);
        assert_eq!((seen.len(), kind), (1, Some(Kind::InvalidResponse)));

        let mut line = b"data:".to_vec();
        line.resize(Sse::LINE_LIMIT / 2, b'x');
        line.push(b'\n');
        let (seen, kind) = parts(&[&line, &line, &line, &line, b"data: a few bytes too many\n", b"\n"]);
        assert_eq!((seen.len(), kind), (0, Some(Kind::InvalidResponse)));
        let (seen, kind) = parts(&[&line, &line, &line, &line, b"\n"]);
        assert_eq!((seen.len(), kind), (1, None));
    }

    #[test]
    fn after_a_failure_nothing_more_comes() {
        let mut sse = Sse::new();
        let refuse = |_: SseEvent<'_>| Err(Failure::new(Kind::ServerError, "enough"));
        assert!(sse.push(b"data: a\n\ndata: b\n\n", refuse).is_err());
        assert!(sse.push(b"data: c\n\n", refuse).is_ok());
        assert!(sse.close(refuse).is_ok());
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            tokens in prop::collection::vec(
                prop::sample::select(vec![
                    "data:", "data: ", "event: ", ":", "\n", "\r", "\r\n", "\n\n", "x", "é", "🙂", "\u{feff}", " ", "id: 1",
                ]),
                0..40,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let wire = tokens.concat().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
            at.extend([0, wire.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &wire[pair[0]..pair[1]]).collect();
            prop_assert_eq!(parts(&pieces), parts(&[&wire]));
        }

        #[test]
        fn any_bytes_are_survived(wire in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>()) {
            let (a, b) = wire.split_at(cut.index(wire.len() + 1));
            prop_assert_eq!(parts(&[a, b]), parts(&[&wire]));
        }
    }
}
