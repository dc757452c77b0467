//! Error replies, provider by provider: what they are, and how long to stay away. Bodies in the shapes of
//! the providers' documentation as of 2026-11.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod anthropic;
mod everyone;
mod hosts;
mod openai;
mod openrouter;

use mainstay_canon::{Failure, Headers, Kind, Moment};
use mainstay_providers::{by_id, for_dialect};

/// 2026-03-01T12:00:00Z.
const NOW: Moment = Moment::from_secs(1_772_366_400);

fn read(provider: &str, status: u16, fields: &[(&str, &str)], body: &str) -> Failure {
    let headers: Headers = fields.iter().copied().collect();
    let provider =
        by_id(provider).unwrap_or_else(|| for_dialect(mainstay_canon::Dialect::Anthropic).unwrap());
    provider.read_error(status, &headers, body.as_bytes(), NOW)
}

fn openai(message: &str, kind: &str, code: &str) -> String {
    format!(r#"{{"error":{{"message":"{message}","type":"{kind}","param":null,"code":"{code}"}}}}"#)
}

fn anthropic(kind: &str, message: &str) -> String {
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
}

fn openrouter(code: u16, message: &str, metadata: &str) -> String {
    format!(r#"{{"error":{{"code":{code},"message":"{message}","metadata":{metadata}}}}}"#)
}

fn check(provider: &str, status: u16, body: &str, kind: Kind) -> Failure {
    let failure = read(provider, status, &[], body);
    assert_eq!(failure.kind, kind, "{provider} {status} {body}");
    assert_eq!(failure.status, Some(status));
    failure
}
