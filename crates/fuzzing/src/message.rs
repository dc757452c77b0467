//! A reply as a text that can be typed: a status, headers a line each, a blank line, the body.

use mainstay_canon::Headers;

/// A reply as a provider sends it.
pub(crate) struct Message<'a> {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads one; whatever has no status is a 429.
    pub(crate) fn of(data: &'a [u8]) -> Self {
        let (head, body) = halves(data);
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.trim().parse().ok()).unwrap_or(429);
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.trim(), value.trim())).collect();
        Self { status, headers, body }
    }
}

/// What stands before and after the first blank line.
fn halves(data: &[u8]) -> (&[u8], &[u8]) {
    let blank = data.windows(2).position(|pair| pair == b"\n\n");
    blank.and_then(|at| Some((data.get(..at)?, data.get(at + 2..)?))).unwrap_or((data, &[]))
}
