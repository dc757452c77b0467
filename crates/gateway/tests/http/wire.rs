//! Replies of providers, byte by byte.

use mainstay_testkit::{Reply, Step};
use serde_json::Value;

/// A reply of that content type.
pub(crate) fn with_header(kind: &str, body: &str) -> Reply {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
    Reply::Raw(vec![Step::Bytes(format!("{head}{body}").into()), Step::Close])
}

/// A whole reply.
pub(crate) fn whole(body: &Value) -> Reply {
    with_header("application/json", &body.to_string())
}

/// A stream of events.
pub(crate) fn stream(events: &[String]) -> Reply {
    with_header("text/event-stream", &events.concat())
}
