//! Error bodies: from `{"error": {"code", "message", "status", "details"}}` to a failure.
//!
//! Google's own words decide first (the reasons and quotas in `details`, then the message where one status stands
//! for several things, then `status`), the HTTP status last. Sources: google.rpc error model; Gemini API, Troubleshooting
//! and Rate limits, 2026-11. What single services say in prose stands in their providers' tables.

use mainstay_canon::{Failure, Kind};

use super::delay;
use super::json::{Object, items};
use super::secrets::without_keys;

/// Longest part of an unreadable body that is quoted, in characters.
const QUOTED: usize = 200;

/// Reads the body of a reply that is not 2xx.
pub(super) fn read(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if let Some(stated) = serde_json::from_str(text).ok().and_then(unlisted).and_then(Stated::of) {
        return stated.failure(Some(status));
    }
    let message = if text.is_empty() {
        "the error has no body".to_owned()
    } else {
        let begin: String = text.chars().take(QUOTED).collect();
        without_keys(&format!("not the error body of this dialect: {begin}")).into_owned()
    };
    Failure::new(by_status(status), message).status(status)
}

/// The failure that a response inside a 2xx body or a stream states, if it is an error.
pub(super) fn inside(response: &Object<'_>) -> Option<Failure> {
    response.get("error")?;
    Some(Stated::of(response.clone()).unwrap_or_default().failure(None))
}

/// An error event whose data are not JSON.
pub(super) fn spoken(text: &str) -> Failure {
    Failure::new(Kind::ServerError, without_keys(text)).status(500)
}

/// The object itself, or the first one of a list: streams without `alt=sse` wrap their errors, too.
fn unlisted(raw: &serde_json::value::RawValue) -> Option<Object<'_>> {
    match items(raw) {
        Some(items) => items.into_iter().find_map(Object::of),
        None => Object::of(raw),
    }
}

/// What an error says.
#[derive(Debug, Default)]
struct Stated<'a> {
    /// The canonical status word, such as `RESOURCE_EXHAUSTED`.
    word: Option<String>,
    code: Option<u16>,
    message: String,
    details: Vec<Object<'a>>,
}

impl<'a> Stated<'a> {
    fn of(body: Object<'a>) -> Option<Self> {
        let error = match body.get("error").map(|raw| (Object::of(raw), super::json::text(raw))) {
            Some((Some(error), _)) => error,
            // A gateway's bare word.
            Some((None, message)) => {
                return Some(Self { message: message?.into_owned(), ..Self::default() });
            }
            None => Some(body).filter(|body| body.get("message").is_some())?,
        };
        Some(Self {
            word: error.text("status").map(Into::into).filter(|word: &String| !word.is_empty()),
            code: error.count("code").and_then(|code| u16::try_from(code).ok()),
            message: error.text("message").unwrap_or_default().into_owned(),
            details: error.list("details").into_iter().filter_map(Object::of).collect(),
        })
    }

    fn failure(self, http: Option<u16>) -> Failure {
        let stated = self.code.filter(|code| (400..600).contains(code));
        let word = self.word.as_deref().unwrap_or_default();
        let status = http.or(stated).unwrap_or_else(|| usual_status(word));
        let kind = self.kind(word, status);
        let message = if self.message.is_empty() { "an error without a message" } else { &self.message };
        let mut failure = Failure::new(kind, without_keys(message)).status(status);
        failure.code = self.reason().or_else(|| self.word.clone());
        if matches!(kind, Kind::InvalidRequest | Kind::UnsupportedParameter) {
            failure.param = self.field();
        }
        if matches!(kind, Kind::RateLimited | Kind::Overloaded | Kind::QuotaExhausted) {
            failure.hint = delay::hint(&self.details, &self.message);
        }
        failure.provider_request_id = self.details.iter().find_map(|detail| detail.word("requestId"));
        failure
    }

    fn kind(&self, word: &str, status: u16) -> Kind {
        if let Some(kind) = self.reason().as_deref().and_then(by_reason) {
            return kind;
        }
        let message = self.message.to_ascii_lowercase();
        match word {
            "RESOURCE_EXHAUSTED" if status != 402 => self.exhausted(),
            "INVALID_ARGUMENT" | "OUT_OF_RANGE" => {
                about_request(&message).unwrap_or_else(|| invalid_argument(status))
            }
            // A file that is not ready, a region, a missing bill: which, the provider's table tells.
            "FAILED_PRECONDITION" | "PERMISSION_DENIED" => Kind::Permission,
            "UNAUTHENTICATED" => Kind::Auth,
            "NOT_FOUND" => Kind::NotFound,
            // Another model or address may offer it.
            "UNIMPLEMENTED" => Kind::UnsupportedParameter,
            "UNAVAILABLE" => Kind::Overloaded,
            // Whoever cancelled the call upstream, it was not our caller: we are still reading (5.5, as a 5xx).
            "CANCELLED" | "ABORTED" | "ALREADY_EXISTS" | "DEADLINE_EXCEEDED" | "INTERNAL" | "UNKNOWN"
            | "DATA_LOSS" => Kind::ServerError,
            _ => match by_status(status) {
                Kind::InvalidRequest => about_request(&message).unwrap_or(Kind::InvalidRequest),
                Kind::RateLimited => self.exhausted(),
                kind => kind,
            },
        }
    }

    /// A rate limit unless a quota says that it lasts the day, whatever the prose says. A quota of nothing is not
    /// worth waiting for either.
    fn exhausted(&self) -> Kind {
        let mut violations =
            self.details.iter().flat_map(|detail| detail.list("violations")).filter_map(Object::of);
        let lasts = |violation: Object<'_>| {
            let id = violation.text("quotaId").unwrap_or_default();
            id.contains("PerDay")
                || id.contains("PerMonth")
                || violation.text("quotaValue").as_deref() == Some("0")
        };
        if violations.any(lasts) { Kind::QuotaExhausted } else { Kind::RateLimited }
    }

    /// The `reason` of `ErrorInfo`.
    fn reason(&self) -> Option<String> {
        self.details.iter().find_map(|detail| detail.word("reason"))
    }

    /// The field of `BadRequest` that is at fault.
    fn field(&self) -> Option<String> {
        let violations = self.details.iter().flat_map(|detail| detail.list("fieldViolations"));
        violations.filter_map(Object::of).find_map(|violation| violation.word("field"))
    }
}

/// What a reason says more than the status word does.
fn by_reason(reason: &str) -> Option<Kind> {
    Some(match reason {
        "API_KEY_INVALID"
        | "API_KEY_EXPIRED"
        | "CREDENTIALS_MISSING"
        | "ACCESS_TOKEN_EXPIRED"
        | "ACCESS_TOKEN_TYPE_UNSUPPORTED"
        | "ACCOUNT_STATE_INVALID" => Kind::Auth,
        "SERVICE_DISABLED"
        | "BILLING_DISABLED"
        | "API_KEY_SERVICE_BLOCKED"
        | "API_KEY_HTTP_REFERRER_BLOCKED"
        | "API_KEY_IP_ADDRESS_BLOCKED"
        | "CONSUMER_SUSPENDED"
        | "CONSUMER_INVALID"
        | "USER_PROJECT_DENIED"
        | "ACCESS_TOKEN_SCOPE_INSUFFICIENT" => Kind::Permission,
        "QUOTA_EXHAUSTED" => Kind::QuotaExhausted,
        "RATE_LIMIT_EXCEEDED" => Kind::RateLimited,
        "MODEL_CAPACITY_EXHAUSTED" => Kind::Overloaded,
        _ => return None,
    })
}

/// What an invalid argument is really about: the word covers many different things.
fn about_request(message: &str) -> Option<Kind> {
    const CONTEXT: [&str; 5] = [
        "input token count",
        "exceeds the maximum number of tokens",
        "maximum context length",
        "context window",
        "prompt is too long",
    ];
    const LARGE: [&str; 2] = ["request payload size exceeds", "request size exceeds"];
    const KEY: [&str; 2] = ["api key not valid", "api key expired"];
    const UNSUPPORTED: [&str; 7] = [
        "not supported",
        "unsupported",
        "does not support",
        "is not enabled for",
        "cannot find field",
        "thought_signature",
        "supported range is",
    ];
    let any = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    if any(&KEY) {
        Some(Kind::Auth)
    } else if any(&CONTEXT) {
        Some(Kind::ContextLength)
    } else if any(&LARGE) {
        Some(Kind::TooLarge)
    } else {
        any(&UNSUPPORTED).then_some(Kind::UnsupportedParameter)
    }
}

/// What an HTTP status alone means.
/// What an invalid argument is: the size of the request, where the status says so.
fn invalid_argument(status: u16) -> Kind {
    if status == 413 { Kind::TooLarge } else { Kind::InvalidRequest }
}

fn by_status(status: u16) -> Kind {
    match status {
        401 => Kind::Auth,
        402 => Kind::QuotaExhausted,
        403 => Kind::Permission,
        404 | 405 => Kind::NotFound,
        413 => Kind::TooLarge,
        429 => Kind::RateLimited,
        503 | 524 | 529 => Kind::Overloaded,
        408 | 409 | 424 | 499.. => Kind::ServerError,
        400..=498 => Kind::InvalidRequest,
        0..=399 => Kind::InvalidResponse,
    }
}

/// The HTTP status of a status word, for errors inside a 200 that state no code.
fn usual_status(word: &str) -> u16 {
    match word {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => 400,
        "UNAUTHENTICATED" => 401,
        "PERMISSION_DENIED" => 403,
        "NOT_FOUND" => 404,
        "ABORTED" | "ALREADY_EXISTS" => 409,
        "RESOURCE_EXHAUSTED" => 429,
        "CANCELLED" => 499,
        "UNIMPLEMENTED" => 501,
        "UNAVAILABLE" => 503,
        "DEADLINE_EXCEEDED" => 504,
        _ => 500,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn body(status: u16, word: &str, message: &str, details: &Value) -> Vec<u8> {
        json!({"error": {"code": status, "message": message, "status": word, "details": details}})
            .to_string()
            .into_bytes()
    }

    #[track_caller]
    fn check(status: u16, word: &str, message: &str, details: &Value, expected: Kind) -> Failure {
        let failure = read(status, &body(status, word, message, details));
        assert_eq!(failure.kind, expected, "{status} {word}: {message}");
        assert_eq!(failure.status, Some(status));
        failure
    }

    fn info(reason: &str) -> Value {
        json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "metadata": {}}])
    }

    fn quota(id: &str, value: &str) -> Value {
        json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": id, "quotaValue": value}]}])
    }

    #[test]
    fn every_status_word_has_its_kind() {
        for (status, word, kind) in [
            (400, "INVALID_ARGUMENT", Kind::InvalidRequest),
            (400, "OUT_OF_RANGE", Kind::InvalidRequest),
            (400, "FAILED_PRECONDITION", Kind::Permission),
            (401, "UNAUTHENTICATED", Kind::Auth),
            (402, "RESOURCE_EXHAUSTED", Kind::QuotaExhausted),
            (403, "PERMISSION_DENIED", Kind::Permission),
            (404, "NOT_FOUND", Kind::NotFound),
            (409, "ABORTED", Kind::ServerError),
            (429, "RESOURCE_EXHAUSTED", Kind::RateLimited),
            (499, "CANCELLED", Kind::ServerError),
            (500, "INTERNAL", Kind::ServerError),
            (501, "UNIMPLEMENTED", Kind::UnsupportedParameter),
            (503, "UNAVAILABLE", Kind::Overloaded),
            (504, "DEADLINE_EXCEEDED", Kind::ServerError),
        ] {
            let failure = check(status, word, "no", &json!([]), kind);
            assert_eq!(failure.code.as_deref(), Some(word));
            let bare = json!({"error": {"status": word, "message": "no"}});
            let failure = inside(&Object::parse(&bare.to_string()).unwrap()).unwrap();
            if status != 402 {
                assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{word} inside a 200");
            }
        }
    }

    #[test]
    fn a_reason_says_more_than_the_status() {
        for (status, word, reason, kind) in [
            (400, "INVALID_ARGUMENT", "API_KEY_INVALID", Kind::Auth),
            (403, "PERMISSION_DENIED", "SERVICE_DISABLED", Kind::Permission),
            (429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", Kind::RateLimited),
            (429, "RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", Kind::QuotaExhausted),
            (429, "RESOURCE_EXHAUSTED", "MODEL_CAPACITY_EXHAUSTED", Kind::Overloaded),
            (403, "PERMISSION_DENIED", "SOMETHING_NEW", Kind::Permission),
        ] {
            let failure = check(status, word, "no", &info(reason), kind);
            assert_eq!(failure.code.as_deref(), Some(reason));
        }
    }

    #[test]
    fn a_quota_of_the_day_is_no_rate_limit_whatever_the_prose_says() {
        let prose = "You exceeded your current quota, please check your plan and billing details.";
        for (id, value, kind) in [
            ("GenerateContentPaidTierInputTokensPerModelPerMinute", "4000000", Kind::RateLimited),
            ("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250", Kind::QuotaExhausted),
            ("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "0", Kind::QuotaExhausted),
        ] {
            check(429, "RESOURCE_EXHAUSTED", prose, &quota(id, value), kind);
        }
        check(429, "RESOURCE_EXHAUSTED", prose, &json!(null), Kind::RateLimited);
    }

    #[test]
    fn an_invalid_argument_is_told_by_its_message() {
        for (message, kind) in [
            (
                "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
                Kind::ContextLength,
            ),
            ("API key not valid. Please pass a valid API key.", Kind::Auth),
            ("Request payload size exceeds the limit: 20971520 bytes.", Kind::TooLarge),
            ("Function calling is not enabled for models/gemma-3", Kind::UnsupportedParameter),
            (
                "Function call is missing a thought_signature in functionCall parts.",
                Kind::UnsupportedParameter,
            ),
            ("Request contains an invalid argument.", Kind::InvalidRequest),
        ] {
            check(400, "INVALID_ARGUMENT", message, &json!([]), kind);
        }
        check(413, "INVALID_ARGUMENT", "no", &json!([]), Kind::TooLarge);
        let fields = json!([{"fieldViolations": [{"field": "contents[0].parts", "description": "x"}]}]);
        let failure = check(400, "INVALID_ARGUMENT", "no", &fields, Kind::InvalidRequest);
        assert_eq!(failure.param.as_deref(), Some("contents[0].parts"));
    }

    #[test]
    fn a_delay_is_kept_where_the_server_asks_to_be_left_alone() {
        let details = json!([{"retryDelay": "2s"}, {"requestId": "r1"}]);
        let failure = check(503, "UNAVAILABLE", "overloaded", &details, Kind::Overloaded);
        assert_eq!(failure.hint.unwrap().after, Duration::from_secs(2));
        assert_eq!(failure.provider_request_id.as_deref(), Some("r1"));
        assert!(check(400, "INVALID_ARGUMENT", "no", &details, Kind::InvalidRequest).hint.is_none());
    }

    #[test]
    fn a_list_around_the_error_changes_nothing() {
        let listed = [b"[".as_slice(), &body(429, "RESOURCE_EXHAUSTED", "slow", &json!([])), b"]"].concat();
        let failure = read(429, &listed);
        assert_eq!((failure.kind, failure.message.as_str()), (Kind::RateLimited, "slow"));
    }

    #[test]
    fn other_shapes_and_no_shape_at_all_are_read() {
        for (status, body, kind, message) in [
            (500, r#"{"error":"model crashed"}"#, Kind::ServerError, "model crashed"),
            (403, r#"{"message":"no access"}"#, Kind::Permission, "no access"),
            (429, r#"{"error":{}}"#, Kind::RateLimited, "without a message"),
            (502, "<html><body>Bad Gateway</body></html>", Kind::ServerError, "<html>"),
            (503, "", Kind::Overloaded, "no body"),
            (404, "[]", Kind::NotFound, "not the error body"),
            (404, "\u{fffd}\u{0}", Kind::NotFound, "not the error body"),
            (418, r#"{"error":{"status":"TEAPOT","code":418}}"#, Kind::InvalidRequest, ""),
            (302, "moved", Kind::InvalidResponse, "moved"),
        ] {
            let failure = read(status, body.as_bytes());
            assert_eq!(failure.kind, kind, "{body}");
            assert!(failure.message.contains(message), "{body}: {}", failure.message);
        }
    }

    #[test]
    fn only_an_error_object_is_an_error() {
        let inside = |text: &str| inside(&Object::parse(text).unwrap());
        assert!(inside("{}").is_none());
        assert!(inside(r#"{"error":null,"candidates":[]}"#).is_none());
        assert!(inside(r#"{"message":"x"}"#).is_none());
        assert_eq!(inside(r#"{"error":"boom"}"#).unwrap().status, Some(500));
        assert_eq!(inside(r#"{"error":7}"#).unwrap().kind, Kind::ServerError);
    }

    #[test]
    fn a_key_that_is_repeated_stays_out_of_the_message() {
        let echo = "Permission denied: Consumer 'api_key:AIzaFAKEFAKE0123456789' has been suspended.";
        let failure = check(403, "PERMISSION_DENIED", echo, &json!([]), Kind::Permission);
        assert_eq!(failure.message, "Permission denied: Consumer 'api_key:[key]' has been suspended.");
        let failure = read(403, b"bad key AIzaFAKEFAKE0123456789");
        assert!(!format!("{failure:?}").contains("AIzaFAKE"), "{failure:?}");
        assert!(!format!("{:?}", spoken("key AIzaFAKEFAKE0123456789")).contains("AIzaFAKE"));
    }
}
