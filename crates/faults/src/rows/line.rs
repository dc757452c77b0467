//! Faults of the line: nobody there, nobody trusted, nothing said.

use std::time::Duration;

use mainstay_testkit::{Fault, Reply};

use crate::ask::{WORDS, Wish};
use crate::expect::Expect;
use crate::row::{Place, Row, Trouble, WHOLE};

/// Limits short enough that a silent provider is given up in this run.
const SHORT: &str = "first_byte_timeout = \"2500ms\"\nfirst_content_timeout = \"2500ms\"\nidle_timeout = \"2500ms\"\n\
    answer_timeout = \"15s\"";

pub(super) fn rows() -> Vec<Row> {
    let at = |name, what, place, expect| Row::of(name, what, Trouble::Place(place), expect);
    vec![
        at(
            "connection refused",
            "Nobody listens at the provider's port.",
            Place::Nobody,
            Expect::outage("connect"),
        ),
        at(
            "DNS failure",
            "The provider's name cannot be resolved.",
            Place::NoName,
            Expect::outage("connect"),
        ),
        at(
            "plain HTTP on an https port",
            "The provider is configured as `https`, and its port speaks plain HTTP.",
            Place::PlainForTls,
            Expect::outage("tls"),
        ),
        at(
            "untrusted certificate",
            "The certificate is signed by nobody whom the machine trusts.",
            Place::Untrusted,
            Expect::outage("tls"),
        ),
        Row::new(
            "closed before the headers",
            "The connection is closed in good order before a status line comes.",
            Fault::CloseAtOnce,
            Expect::outage("connect"),
        ),
        Row::new(
            "reset before the headers",
            "The connection is reset before a status line comes.",
            Fault::ResetAtOnce,
            Expect::outage("connect"),
        ),
        Row::new(
            "reset after the headers",
            "`200 OK`, headers, and a reset before a byte of the body.",
            Fault::ResetAfterHeaders,
            Expect::outage("stream_interrupted"),
        ),
        Row::new(
            "silence before the headers",
            "The request is taken and nothing is ever said.",
            Fault::Hang,
            Expect::stall("timeout_first_byte"),
        )
        .limits(SHORT),
        Row::new(
            "headers, then silence",
            "`200 OK`, headers, and then nothing.",
            Fault::HangAfterHeaders,
            Expect::stall("timeout_first_byte"),
        )
        .limits(SHORT)
        .but(
            WHOLE,
            Expect::stall("timeout_idle"),
            "a whole answer has begun with its headers; from there on its idle timeout counts",
        ),
        Row::new(
            "keep-alives only",
            "Comments (SSE) or blank lines that say nothing, for ever.",
            Fault::CommentsOnly(Duration::from_millis(100)),
            Expect::stall("timeout_first_byte"),
        )
        .limits("first_content_timeout = \"2500ms\"\nanswer_timeout = \"2500ms\"")
        .but(
            WHOLE,
            Expect::stall("timeout_total"),
            "blank lines are bytes of a whole body; the limit for the whole answer ends it",
        ),
        Row::new(
            "drip feed under the limit",
            "A good answer in bits of 64 bytes, whatever they cut. Slow is no fault.",
            Fault::Drip(WORDS.into(), 64, Duration::from_millis(1)),
            Expect::answers("ok"),
        ),
        at(
            "upload that is not taken",
            "The provider takes the beginning of a large request and reads no further.",
            Place::StopsReading,
            Expect::stall("timeout_first_byte"),
        )
        .asks(Wish::WordsOnMuch)
        .limits(SHORT),
        at(
            "slow upload",
            "The provider takes a large request in sips, and then answers. Slow is no fault.",
            Place::ReadsSlowly,
            Expect::answers("ok"),
        )
        .asks(Wish::WordsOnMuch),
        Row::of(
            "redirect",
            "`307` to another host, which is not followed: the key would go along.",
            Trouble::Fault(Fault::Redirect),
            Expect::outage("invalid_response"),
        ),
        Row::of(
            "answer with a `retry-after`",
            "A good answer that carries the header all the same. It is no hint.",
            Trouble::Made(std::sync::Arc::new(|| {
                let mut said = mainstay_testkit::Said::text(WORDS);
                said.headers.push(("retry-after".into(), "300".into()));
                Reply::Say(said)
            })),
            Expect::answers("ok").rule("5.2"),
        ),
    ]
}
