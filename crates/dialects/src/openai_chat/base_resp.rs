//! MiniMax's status inside a 200: `base_resp` and the marks of its filter.
//!
//! Codes 0 to 1008 stand on MiniMax's page of error codes; the others were seen in clients (2026-11).

use mainstay_canon::{Failure, Kind};
use serde::Deserialize;

use super::delay;
use super::lenient::{Text, read_object};
use super::wire::Reply;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BaseResp<'a> {
    #[serde(borrow)]
    status_code: Text<'a>,
    #[serde(borrow)]
    status_msg: Text<'a>,
}

/// The failure that a reply of MiniMax hides, if it hides one.
pub(super) fn failure(reply: &Reply<'_>) -> Option<Failure> {
    let base: BaseResp<'_> = read_object(reply.base_resp);
    let message = base.status_msg.filled().unwrap_or("an error without a message");
    if let Some(code) = base.status_code.filled().filter(|code| *code != "0") {
        let (kind, status) = meaning(code);
        let mut failure = Failure::new(kind, message).status(status).code(code);
        if matches!(kind, Kind::RateLimited | Kind::Overloaded | Kind::QuotaExhausted) {
            failure.hint = delay::hint(reply.base_resp, message);
        }
        return Some(failure);
    }
    let marked = |flag: Option<&serde_json::value::RawValue>| flag.is_some_and(|raw| raw.get() == "true");
    let what = match (marked(reply.input_sensitive), marked(reply.output_sensitive)) {
        (true, _) => "the provider's filter marked the prompt",
        (false, true) => "the provider's filter marked the answer",
        (false, false) => return None,
    };
    Some(Failure::new(Kind::ContentFiltered, what).status(400))
}

/// The kind of a code, and the status it would have had as an HTTP error.
fn meaning(code: &str) -> (Kind, u16) {
    match code {
        "1001" => (Kind::ServerError, 504),
        "1002" | "1039" | "2045" => (Kind::RateLimited, 429),
        "1004" | "2049" => (Kind::Auth, 401),
        "1008" => (Kind::QuotaExhausted, 402),
        "1026" | "1027" => (Kind::ContentFiltered, 400),
        "1041" => (Kind::Overloaded, 503),
        "1042" | "2013" => (Kind::InvalidRequest, 400),
        "2056" => (Kind::QuotaExhausted, 429),
        "2061" => (Kind::Permission, 403),
        // 1000, 1024, 1033 and whatever else they invent: theirs, and worth another try.
        _ => (Kind::ServerError, 500),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Option<(Kind, Option<u16>)> {
        failure(&serde_json::from_str(json).unwrap()).map(|failure| (failure.kind, failure.status))
    }

    #[test]
    fn a_status_other_than_0_is_an_error() {
        assert_eq!(of(r#"{"base_resp":{"status_code":0,"status_msg":""},"choices":null}"#), None);
        assert_eq!(
            of(r#"{"base_resp":{"status_code":1002,"status_msg":"slow"}}"#),
            Some((Kind::RateLimited, Some(429)))
        );
        assert_eq!(of(r#"{"base_resp":{"status_code":"1008"}}"#), Some((Kind::QuotaExhausted, Some(402))));
        assert_eq!(of(r#"{"base_resp":{"status_code":4711}}"#), Some((Kind::ServerError, Some(500))));
    }

    #[test]
    fn the_marks_of_the_filter_count() {
        assert_eq!(of(r#"{"input_sensitive":true}"#), Some((Kind::ContentFiltered, Some(400))));
        assert_eq!(of(r#"{"input_sensitive":false,"output_sensitive":false}"#), None);
    }
}
