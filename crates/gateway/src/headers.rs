//! Request headers that steer one call, and response headers that tell its story.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use mainstay::{
    CallOptions, ChatResponse, Dialect, EmbedResponse, Expect, GaveUp, Metadata, Nanodollars, Opening,
    Quality, Served, Target,
};
use mainstay_config::OnInterrupt;

/// Longest value taken from a header for a user, session or label, in bytes.
const ID_LIMIT: usize = 200;
/// What the client's own timeout is shortened by, so that we answer before it gives up.
const BEFORE_CLIENT_TIMEOUT: Duration = Duration::from_secs(2);

/// A header that says something we cannot use.
#[derive(Debug)]
pub(crate) struct BadHeader {
    pub(crate) name: &'static str,
    pub(crate) expected: &'static str,
}

/// What a request's headers say about it.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    pub(crate) meta: Metadata,
    pub(crate) expect: Option<Expect>,
    pub(crate) options: CallOptions,
}

impl Steering {
    /// Reads the headers of behaviour 11 and of the SDKs.
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, BadHeader> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let id = |name: &str| text(name).filter(|value| !value.is_empty()).map(cut);
        let expect = match text("x-mainstay-expect") {
            None => None,
            Some("short") => Some(Expect::Short),
            Some("any") => Some(Expect::Any),
            Some("long") => Some(Expect::Long),
            Some(_) => return Err(BadHeader { name: "x-mainstay-expect", expected: "short, any or long" }),
        };
        let on_interrupt = match text("x-mainstay-on-interrupt") {
            None => None,
            Some("error") => Some(OnInterrupt::Error),
            Some(_) => return Err(BadHeader { name: "x-mainstay-on-interrupt", expected: "error" }),
        };
        let grow_max_tokens = match text("x-mainstay-grow") {
            None => false,
            Some("2x") => true,
            Some(_) => return Err(BadHeader { name: "x-mainstay-grow", expected: "2x" }),
        };
        let own = match text("x-mainstay-deadline-ms") {
            None => None,
            Some(value) => {
                Some(value.parse::<u64>().ok().filter(|ms| *ms > 0).map(Duration::from_millis).ok_or(
                    BadHeader {
                        name: "x-mainstay-deadline-ms",
                        expected: "a whole number of milliseconds above 0",
                    },
                )?)
            }
        };
        Ok(Self {
            meta: Metadata {
                request_id: None,
                client_request_id: id("x-request-id"),
                session_id: id("x-mainstay-session"),
                user_id: id("x-mainstay-user"),
                label: id("x-mainstay-label"),
                key_name: None,
                trace_id: text("traceparent").and_then(trace_id),
            },
            expect,
            options: CallOptions {
                deadline: [own, client_timeout(headers)].into_iter().flatten().min(),
                on_interrupt,
                grow_max_tokens,
                key_caps: None,
            },
        })
    }
}

/// The SDK's own read timeout, less a margin (behaviour 5.3a: never later than the client's own timeout).
fn client_timeout(headers: &HeaderMap) -> Option<Duration> {
    ["x-stainless-timeout", "x-stainless-read-timeout"]
        .into_iter()
        .filter_map(|name| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok())
        .filter(|seconds| seconds.is_finite() && *seconds > 0.0 && *seconds < 1e6)
        .map(Duration::from_secs_f64)
        .min()
        .map(|timeout| timeout.saturating_sub(BEFORE_CLIENT_TIMEOUT).max(timeout / 2))
}

/// The trace id of a W3C `traceparent`.
fn trace_id(value: &str) -> Option<String> {
    let id = value.split('-').nth(1)?;
    (id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && id.bytes().any(|byte| byte != b'0'))
        .then(|| id.to_ascii_lowercase())
}

fn cut(value: &str) -> String {
    let mut end = value.len().min(ID_LIMIT);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default().to_owned()
}

/// The ids that stand on every answer and every error: ours, and the caller's own where it sent one.
pub(crate) fn ids(request_id: &str, fields: &HeaderMap, dialect: Dialect) -> HeaderMap {
    let theirs = fields.get("x-request-id").and_then(|value| value.to_str().ok());
    let theirs = theirs.map(str::trim).filter(|id| !id.is_empty() && id.len() <= ID_LIMIT);
    let mut headers = HeaderMap::new();
    set(&mut headers, "x-mainstay-request-id", request_id);
    set(&mut headers, "x-request-id", theirs.unwrap_or(request_id));
    if dialect == Dialect::Anthropic {
        set(&mut headers, "request-id", request_id);
    }
    headers
}

/// The story of a request that ended before anybody was asked.
pub(crate) fn nobody_asked(headers: &mut HeaderMap) {
    set(headers, "x-mainstay-attempts", "0");
    set(headers, "x-mainstay-cost-usd", &Nanodollars::ZERO.to_string());
}

/// The story of a whole answer.
pub(crate) fn story(headers: &mut HeaderMap, response: &ChatResponse) {
    set(headers, "x-mainstay-tier", &response.target.to_string());
    set(headers, "x-mainstay-served", Served::of(response).word());
    set(headers, "x-mainstay-attempts", &response.upstream_calls().to_string());
    set(headers, "x-mainstay-quality", response.quality.quality.word());
    if let Some(cost) = response.cost.known() {
        set(headers, "x-mainstay-cost-usd", &cost.to_string());
    }
}

/// The story of vectors: they were checked, or they would not be here.
pub(crate) fn vectors_story(headers: &mut HeaderMap, response: &EmbedResponse) {
    set(headers, "x-mainstay-tier", &response.target.to_string());
    set(headers, "x-mainstay-served", Served::by_trail(&response.attempts, &response.target, false).word());
    set(headers, "x-mainstay-attempts", &response.upstream_calls().to_string());
    set(headers, "x-mainstay-quality", Quality::Ok.word());
    if let Some(cost) = response.cost.known() {
        set(headers, "x-mainstay-cost-usd", &cost.to_string());
    }
}

/// What is known of a stream when its headers leave. Its verdict and cost come in the closing comment.
pub(crate) fn opening(headers: &mut HeaderMap, opening: Option<&Opening>) {
    set(headers, "x-mainstay-quality", "pending");
    if let Some(opening) = opening {
        set(headers, "x-mainstay-tier", &opening.target.to_string());
        set(headers, "x-mainstay-served", opening.served.word());
        set(headers, "x-mainstay-attempts", &opening.upstream_calls.to_string());
    }
}

/// What an error can still tell: whom we asked last and how far down that was, how often, at what cost.
pub(crate) fn gave_up(headers: &mut HeaderMap, gave_up: &GaveUp, is_static: impl Fn(&Target) -> bool) {
    set(headers, "x-mainstay-attempts", &gave_up.upstream_calls().to_string());
    if let Some(last) = gave_up.attempts.iter().rev().find(|attempt| attempt.number.is_some()) {
        let served = Served::by_trail(&gave_up.attempts, &last.target, is_static(&last.target));
        set(headers, "x-mainstay-tier", &last.target.to_string());
        set(headers, "x-mainstay-served", served.word());
    }
    if let Some(cost) = gave_up.cost.known() {
        set(headers, "x-mainstay-cost-usd", &cost.to_string());
    }
}

/// Sets a header, unless its value holds what no header can carry.
pub(crate) fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[(&'static str, &'static str)]) -> Result<Steering, BadHeader> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        Steering::read(&headers)
    }

    #[test]
    fn the_clients_own_timeout_only_shortens_the_deadline() {
        let steering = read(&[("x-stainless-timeout", "600"), ("x-mainstay-deadline-ms", "1500")]).unwrap();
        assert_eq!(steering.options.deadline, Some(Duration::from_millis(1500)));
        let steering = read(&[("x-stainless-read-timeout", "10.5")]).unwrap();
        assert_eq!(steering.options.deadline, Some(Duration::from_millis(8500)));
        for odd in ["NaN", "-1", "0", "inf", "soon"] {
            assert_eq!(read(&[("x-stainless-timeout", odd)]).unwrap().options.deadline, None, "{odd}");
        }
    }

    #[test]
    fn a_header_that_says_something_else_is_named() {
        assert_eq!(read(&[("x-mainstay-expect", "huge")]).unwrap_err().name, "x-mainstay-expect");
        assert_eq!(read(&[("x-mainstay-deadline-ms", "0")]).unwrap_err().name, "x-mainstay-deadline-ms");
    }

    /// Where a fuzzer cannot come: these readers are private to a crate that opens sockets.
    #[test]
    fn whatever_a_header_holds_it_is_taken_within_bounds_or_named() {
        const NAMES: [&str; 10] = [
            "x-mainstay-expect",
            "x-mainstay-on-interrupt",
            "x-mainstay-grow",
            "x-mainstay-deadline-ms",
            "x-request-id",
            "x-mainstay-session",
            "x-mainstay-user",
            "x-mainstay-label",
            "traceparent",
            "x-stainless-timeout",
        ];
        let long = "世".repeat(ID_LIMIT);
        let odd: [&[u8]; 12] = [
            b"",
            b" \t",
            b"-",
            b"---",
            b"18446744073709551615",
            b"18446744073709551616",
            b"1e308",
            b"0.0000000001",
            b"00-4BF92F3577B34DA6A3CE929D0E0E4736-1-1",
            "00-\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}-1".as_bytes(),
            b"\xff\xfe\x80",
            long.as_bytes(),
        ];
        for (name, value) in NAMES.into_iter().flat_map(|name| odd.map(|value| (name, value))) {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_bytes(value).unwrap());
            let steering = match Steering::read(&headers) {
                Ok(steering) => steering,
                Err(bad) => {
                    assert_eq!(bad.name, name);
                    continue;
                }
            };
            let meta = steering.meta;
            for id in [meta.client_request_id, meta.session_id, meta.user_id, meta.label, meta.trace_id] {
                assert!(id.is_none_or(|id| (1..=ID_LIMIT).contains(&id.len())), "{name}: {value:?}");
            }
            let is_own = name == "x-mainstay-deadline-ms";
            assert!(!is_own || steering.options.deadline.is_none_or(|deadline| deadline > Duration::ZERO));
            for dialect in Dialect::ALL {
                assert!(!ids("req_1", &headers, dialect)["x-request-id"].is_empty());
            }
        }
    }

    #[test]
    fn a_trace_id_is_taken_from_a_well_formed_traceparent() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(trace_id(good).as_deref(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        assert_eq!(trace_id("00-zz-1-1"), None);
    }
}
