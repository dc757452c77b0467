//! MiniMax's status inside a 200: `base_resp` and the marks of its filter.
//!
//! Source: MiniMax API reference, Error codes, 2026-11; 1041 to 1044 and those from 2037 on as clients list them.

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
        // Whatever else they invent is theirs, and worth another try.
        let (kind, status) = meaning(code).unwrap_or((Kind::ServerError, 500));
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

/// The codes, what each is, and the status it would have had as an HTTP error. Those of voices and sounds are
/// here, too: a code is the same on every route.
static CODES: &[(&str, Kind, u16)] = &[
    ("1000", Kind::ServerError, 500),
    ("1001", Kind::ServerError, 504),
    ("1002", Kind::RateLimited, 429),
    ("1004", Kind::Auth, 401),
    ("1008", Kind::QuotaExhausted, 402),
    ("1013", Kind::ServerError, 500),
    ("1024", Kind::ServerError, 500),
    // The filter: the prompt, the answer.
    ("1026", Kind::ContentFiltered, 400),
    ("1027", Kind::ContentFiltered, 400),
    ("1033", Kind::ServerError, 500),
    // Tokens of the minute.
    ("1039", Kind::RateLimited, 429),
    // Too many connections at once.
    ("1041", Kind::Overloaded, 503),
    // Too many characters that nobody sees.
    ("1042", Kind::InvalidRequest, 400),
    ("1043", Kind::InvalidRequest, 400),
    ("1044", Kind::InvalidRequest, 400),
    ("2013", Kind::InvalidRequest, 400),
    ("2037", Kind::InvalidRequest, 400),
    ("2039", Kind::InvalidRequest, 400),
    ("2042", Kind::RequestDeclined, 403),
    // Traffic grew too fast.
    ("2045", Kind::RateLimited, 429),
    ("2048", Kind::InvalidRequest, 400),
    ("2049", Kind::Auth, 401),
    // The plan's window of hours or weeks is used up.
    ("2056", Kind::QuotaExhausted, 429),
    // The plan does not hold this model.
    ("2061", Kind::Permission, 403),
    ("20132", Kind::InvalidRequest, 400),
];

/// What a code of `base_resp` is, and the status it would have had as an HTTP error; `None` for one that is not
/// known, and for 0, which is no error.
pub fn meaning(code: &str) -> Option<(Kind, u16)> {
    CODES.iter().find(|(known, ..)| *known == code).map(|(_, kind, status)| (*kind, *status))
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
        for (code, kind, status) in CODES {
            let json = format!(r#"{{"base_resp":{{"status_code":{code},"status_msg":"x"}}}}"#);
            assert_eq!(of(&json), Some((*kind, Some(*status))), "{code}");
        }
        assert_eq!(meaning("0"), None);
    }

    #[test]
    fn the_marks_of_the_filter_count() {
        assert_eq!(of(r#"{"input_sensitive":true}"#), Some((Kind::ContentFiltered, Some(400))));
        assert_eq!(of(r#"{"input_sensitive":false,"output_sensitive":false}"#), None);
    }
}
