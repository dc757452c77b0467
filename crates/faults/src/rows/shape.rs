//! Replies that are not of the shape they should be.

use std::sync::Arc;

use mainstay_testkit::{Fault, Reply, Spelling};

use crate::expect::Expect;
use crate::row::{Row, STREAMS, Trouble, WHOLE, Where};

/// One attempt.
const ONCE: &str = "retry_budget = 1";
/// More than any line may hold, in bytes.
const LINE: usize = 9 * 1024 * 1024;
/// More than any event may hold.
const EVENT: usize = 17 * 1024 * 1024;

pub(super) fn rows() -> Vec<Row> {
    let unreadable = Expect::outage("invalid_response");
    // Once is enough of so much.
    let once = || unreadable.clone().calls(1);
    vec![
        Row::of(
            "foreign error inside a 200",
            "`200 OK`, `application/json`, and a proxy's error object.",
            Trouble::Made(Arc::new(|| {
                Reply::http(
                    200,
                    &[],
                    r#"{"error":{"message":"Something broke","type":"server_error","code":500}}"#,
                )
            })),
            Expect::outage("server_error"),
        ),
        Row::of(
            "bad JSON",
            "`200 OK` and what begins like JSON and is none.",
            Trouble::Made(Arc::new(|| Reply::http(200, &[], "{\"id\": oops, it broke}\n"))),
            unreadable.clone(),
        ),
        Row::new(
            "JSON that breaks off",
            "`200 OK`, a right length, and JSON that ends in the middle.",
            Fault::BadJson,
            Expect::outage("stream_interrupted"),
        ),
        Row::new(
            "wrong content type",
            "A good answer that calls itself `text/plain`. The bytes cannot be mistaken.",
            Fault::WrongContentType("text/plain".into()),
            Expect::answers("ok"),
        ),
        Row::new("HTML", "`200 OK` and a proxy's error page.", Fault::Html, unreadable.clone()).but(
            Where::of(&[Spelling::Ollama]).streams(),
            Expect::outage("stream_interrupted"),
            "the page has no line end: a line that was cut",
        ),
        Row::new("empty body", "`200 OK` and no byte.", Fault::NoBody, unreadable.clone()).but(
            STREAMS,
            Expect::outage("stream_interrupted"),
            "a stream of nothing is one that ended before its end",
        ),
        Row::new(
            "compressed garbage",
            "It says `content-encoding: gzip`, and it is not.",
            Fault::GzipGarbage,
            unreadable.clone(),
        ),
        Row::new(
            "wrong content-length",
            "The body ends before the length that its headers state.",
            Fault::WrongLength,
            Expect::outage("stream_interrupted"),
        ),
        Row::new(
            "giant line",
            "A line of 9 MB that does not end; 8 MB is the most that is kept. One attempt only.",
            Fault::GiantLine(LINE),
            once(),
        )
        .limits(ONCE)
        .never(WHOLE, "a whole answer is not read in lines"),
        Row::new(
            "giant event",
            "An event of 17 MB; 16 MB is the most that is kept. One attempt only.",
            Fault::GiantEvent(EVENT),
            once(),
        )
        .limits(ONCE)
        .never(WHOLE, "a whole answer has no events")
        .never(Where::of(&[Spelling::Ollama]).streams(), "a line is an event"),
    ]
}
