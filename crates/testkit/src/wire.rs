//! The bytes of HTTP/1.1 and of event streams.

use std::fmt::Write as _;

use bytes::Bytes;
use serde_json::Value;

use crate::server::Step;

/// An event without a name.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// An event named after its own `type`.
pub(crate) fn named(value: &Value) -> String {
    let name = value.get("type").and_then(Value::as_str).unwrap_or("message");
    format!("event: {name}\ndata: {value}\n\n")
}

/// A line of JSON.
pub(crate) fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// One piece of a chunked body.
pub(crate) fn chunk(text: &str) -> Step {
    Step::Bytes(format!("{:x}\r\n{text}\r\n", text.len()).into())
}

/// The end of a chunked body.
pub(crate) fn last_chunk() -> Step {
    Step::Bytes(Bytes::from_static(b"0\r\n\r\n"))
}

/// Status line and headers of a chunked answer.
pub(crate) fn chunked_head(content_type: &str, headers: &[(String, String)]) -> Step {
    let mut head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\nx-request-id: req_fake\r\n"
    );
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    Step::Bytes(head.into())
}

/// A whole reply with its length.
pub(crate) fn http(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<Step> {
    let mut head =
        format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\nx-request-id: req_fake\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        head.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    vec![Step::Bytes(bytes.into())]
}
