//! Errors inside a 200, whole or streamed: what the provider's own tables and headers make of them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod shared;

use std::time::Duration;

use mainstay_canon::{Failure, Headers, HintSource, Kind, Moment};
use mainstay_providers::by_id;
use shared::Reply;

/// 2026-03-01T12:00:00Z.
const NOW: Moment = Moment::from_secs(1_772_366_400);

/// The failure of a reply of status 200 with that body, as it stands and as an event of a stream.
fn both(provider: &str, fields: &[(&str, &str)], body: &str) -> [Failure; 2] {
    [false, true].map(|stream| {
        let wire = if stream { format!("data: {body}\n\n") } else { body.to_owned() };
        let headers: Headers = fields.iter().copied().collect();
        let reply = Reply { status: 200, headers, chunks: vec![wire.into_bytes()], stream, now: NOW };
        reply.read(by_id(provider).unwrap()).0.unwrap_err()
    })
}

#[test]
fn openrouters_errors_inside_a_200() {
    for (error, kind, status) in [
        // A host's own rate limit, a host that is down, and OpenRouter's finer words.
        (r#"{"code":429,"message":"slow","metadata":{"provider_name":"North"}}"#, Kind::RateLimited, 429),
        (
            r#"{"code":502,"message":"Provider disconnected","metadata":{"error_type":"provider_unavailable"}}"#,
            Kind::Overloaded,
            502,
        ),
        (r#"{"code":500,"message":"oops","metadata":{"error_type":"server"}}"#, Kind::ServerError, 500),
        (r#"{"code":"server_error","message":"Provider disconnected unexpectedly"}"#, Kind::ServerError, 500),
        (
            r#"{"code":400,"message":"no","metadata":{"error_type":"context_length_exceeded"}}"#,
            Kind::ContextLength,
            400,
        ),
        // Which limit it was decides between waiting and paying.
        (
            r#"{"code":402,"message":"x","metadata":{"limit_source":"openrouter_in_flight_budget"}}"#,
            Kind::RateLimited,
            402,
        ),
        (
            r#"{"code":402,"message":"x","metadata":{"limit_source":"openrouter_credits"}}"#,
            Kind::QuotaExhausted,
            402,
        ),
        (
            r#"{"code":402,"message":"x","metadata":{"limit_source":"weight_exceeds_budget"}}"#,
            Kind::QuotaExhausted,
            402,
        ),
        (
            r#"{"code":403,"message":"x","metadata":{"limit_source":"openrouter_key_limit"}}"#,
            Kind::QuotaExhausted,
            403,
        ),
        (
            r#"{"code":403,"message":"x","metadata":{"limit_source":"openrouter_guardrail_budget"}}"#,
            Kind::QuotaExhausted,
            403,
        ),
        (
            r#"{"code":403,"message":"x","metadata":{"reasons":["violence"],"flagged_input":"…"}}"#,
            Kind::ContentFiltered,
            403,
        ),
        (r#"{"code":403,"message":"x","metadata":{}}"#, Kind::Permission, 403),
        (
            r#"{"code":404,"message":"No endpoints found that support tool use"}"#,
            Kind::UnsupportedParameter,
            404,
        ),
    ] {
        let last = r#""choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]"#;
        for body in [
            format!(r#"{{"error":{error}}}"#),
            format!(r#"{{"id":"gen-1","error":{error},{last}}}"#),
            format!(
                r#"{{"id":"gen-1","choices":[{{"index":0,"delta":{{}},"error":{error},"finish_reason":"error"}}]}}"#
            ),
        ] {
            for failure in both("openrouter", &[], &body) {
                assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{body}");
                assert!(failure.object.is_none(), "what a host said stays with the tables: {body}");
            }
        }
    }
}

#[test]
fn openrouters_hosts_say_inside_an_error_until_when_to_stay_away() {
    let error = r#"{"code":429,"message":"slow","metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1772366430000"}}}"#;
    for body in [
        format!(r#"{{"error":{error}}}"#),
        format!(r#"{{"choices":[{{"index":0,"delta":{{}},"error":{error},"finish_reason":"error"}}]}}"#),
    ] {
        for failure in both("openrouter", &[], &body) {
            let hint = failure.hint.unwrap();
            assert_eq!((hint.after, hint.source), (Duration::from_secs(30), HintSource::Body), "{body}");
        }
    }
    let daily = error.replace("slow", "Rate limit exceeded: free-models-per-day");
    for failure in both("openrouter", &[], &format!(r#"{{"error":{daily}}}"#)) {
        assert_eq!(failure.kind, Kind::RateLimited, "with its reset it cools until then");
    }
    let without = r#"{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day"}}"#;
    for failure in both("openrouter", &[], without) {
        assert_eq!(failure.kind, Kind::QuotaExhausted);
    }
}

#[test]
fn minimaxs_codes_inside_a_200() {
    for (code, kind, status) in [
        (1000, Kind::ServerError, 500),
        (1001, Kind::ServerError, 504),
        (1002, Kind::RateLimited, 429),
        (1004, Kind::Auth, 401),
        (1008, Kind::QuotaExhausted, 402),
        (1013, Kind::ServerError, 500),
        (1024, Kind::ServerError, 500),
        (1026, Kind::ContentFiltered, 400),
        (1027, Kind::ContentFiltered, 400),
        (1033, Kind::ServerError, 500),
        (1039, Kind::RateLimited, 429),
        (1041, Kind::Overloaded, 503),
        (1042, Kind::InvalidRequest, 400),
        (2013, Kind::InvalidRequest, 400),
        (2042, Kind::RequestDeclined, 403),
        (2045, Kind::RateLimited, 429),
        (2049, Kind::Auth, 401),
        (2056, Kind::QuotaExhausted, 429),
        (2061, Kind::Permission, 403),
        (4711, Kind::ServerError, 500),
    ] {
        let body = format!(r#"{{"choices":null,"base_resp":{{"status_code":{code},"status_msg":"x"}}}}"#);
        for failure in both("minimax", &[], &body) {
            assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{code}");
            assert_eq!(failure.code, Some(code.to_string()));
        }
    }
}

#[test]
fn the_headers_of_a_200_speak_for_its_error_too() {
    let body = r#"{"error":{"message":"x","type":"server_error"}}"#;
    for failure in both("openai", &[("x-should-retry", "false"), ("x-request-id", "r-1")], body) {
        assert!(failure.says_final);
        assert_eq!(failure.provider_request_id.as_deref(), Some("r-1"));
    }
}
