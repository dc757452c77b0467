//! Our reader of server-sent events beside two public ones: `sse-parse` and `eventsource-stream`.
//!
//! [`DIFFERENCES`] is the one place that says where ours differs on purpose; everywhere else all three must
//! yield the same events.

use std::convert::Infallible;

use eventsource_stream::Eventsource;
use futures_util::{FutureExt, StreamExt, stream};
use mainstay_dialects::framing::Sse;
use sse_parse::SseParser;

use crate::cut::ways;

/// An event, by its name and its data. Without a name it is a `message`.
type Event = (String, String);

/// Where ours differs from the WHATWG standard ("Server-sent events", Living Standard), and why.
pub const DIFFERENCES: [(&str, &str); 5] = [
    (
        "an event that still lacks its blank line at the end of the stream is delivered",
        "many hosts close right after their last line, and its finish word must not be lost",
    ),
    (
        "an event with a name and no data is delivered",
        "providers send pings that way, and a ping is a sign of life",
    ),
    (
        "a line that is not UTF-8 ends the stream with an error",
        "a replacement character in an answer is a silent bad answer",
    ),
    (
        "a line above 8 MB or an event above 16 MB ends the stream with an error",
        "memory is bounded whatever a host sends",
    ),
    (
        "ids and reconnection times are not kept",
        "a streamed answer cannot be taken up again: no provider sends the rest of one",
    ),
];

/// Our events are those of the public readers, but for [`DIFFERENCES`].
pub fn sse_differential(data: &[u8]) {
    let (ours, failed) = ours(&[data]);
    for way in ways(data) {
        assert_eq!(self::ours(&way), (ours.clone(), failed), "cut into {way:?}");
    }
    let ours: Vec<Event> = ours.into_iter().filter(has_data).collect();
    // The first difference: an end is put where the standard wants one.
    let ended = [data, b"\n\n"].concat();
    let standard = standard(&ended);
    if failed {
        // The third and fourth: what came before the bad line is the same.
        assert!(standard.starts_with(&ours), "{ours:?} and by the standard {standard:?}");
        return;
    }
    assert_eq!(ours, standard, "ours and sse-parse");
    if let Some(popular) = popular(&ended) {
        assert_eq!(ours, popular, "ours and eventsource-stream");
    }
}

fn ours(pieces: &[&[u8]]) -> (Vec<Event>, bool) {
    let mut events = Vec::new();
    let mut reader = Sse::new();
    let mut note = |event: mainstay_dialects::framing::SseEvent<'_>| {
        events.push(named(event.name, event.data));
        Ok(())
    };
    let pushed = pieces.iter().try_for_each(|piece| reader.push(piece, &mut note));
    let failed = pushed.and_then(|()| reader.close(&mut note)).is_err();
    (events, failed)
}

fn standard(data: &[u8]) -> Vec<Event> {
    let mut parser = SseParser::new();
    parser.feed(data);
    parser.finish();
    let events = std::iter::from_fn(|| parser.next_event());
    events.map(|event| named(&event.event, &event.data)).filter(has_data).collect()
}

/// `eventsource-stream` 0.2.3 panics on a byte order mark: the first, which does not count, is taken off before;
/// with a second it is not asked.
fn popular(data: &[u8]) -> Option<Vec<Event>> {
    let mark = "\u{feff}".as_bytes();
    let data = data.strip_prefix(mark).unwrap_or(data);
    if data.starts_with(mark) {
        return None;
    }
    let bytes = stream::iter([Ok::<_, Infallible>(data)]);
    let events = bytes.eventsource().map(|event| event.map(|event| named(&event.event, &event.data)));
    let events = events.collect::<Vec<_>>().now_or_never().unwrap_or_default();
    Some(events.into_iter().flatten().filter(has_data).collect())
}

fn named(name: &str, data: &str) -> Event {
    (if name.is_empty() { "message" } else { name }.to_owned(), data.to_owned())
}

/// The second difference: an event without data is compared by nobody.
fn has_data(event: &Event) -> bool {
    !event.1.is_empty()
}
