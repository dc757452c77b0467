//! Error bodies: from `{"type":"error","error":{…}}` to a failure.
//!
//! The dialect's own types and codes decide first, the words of the message where one type stands for several
//! things, the HTTP status last. Knows no headers: `retry-after` and `x-should-retry` are read elsewhere.
//! Source: Anthropic API reference, Errors, 2026-11.

use mainstay_canon::{Failure, Kind};

use super::json::Object;

/// Longest part of an unreadable body that is quoted, in characters.
const QUOTED: usize = 200;

/// Reads the body of a reply that is not 2xx.
pub(super) fn read(status: u16, body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    if let Some(stated) = Object::parse(text.trim()).ok().as_ref().and_then(Stated::of) {
        return stated.failure(Some(status));
    }
    let text = text.trim();
    let message = if text.is_empty() {
        "the error has no body".to_owned()
    } else {
        let begin: String = text.chars().take(QUOTED).collect();
        format!("not the error body of this dialect: {begin}")
    };
    Failure::new(by_status(status), message).status(status)
}

/// The failure that an object inside a 2xx body or a stream states, if it is an error object.
pub(super) fn inside(object: &Object<'_>) -> Option<Failure> {
    let is_error = object.text("type").is_some_and(|kind| kind == "error") || object.get("error").is_some();
    is_error.then(|| stated(object))
}

/// The failure that the object of an error event states.
pub(super) fn stated(object: &Object<'_>) -> Failure {
    Stated::of(object).unwrap_or_default().failure(None)
}

/// What an error body says, in whichever of the shapes that compatible servers use.
#[derive(Debug, Default)]
struct Stated {
    kind: String,
    message: String,
    code: Option<String>,
    request_id: Option<String>,
}

impl Stated {
    fn of(object: &Object<'_>) -> Option<Self> {
        let flat = || object.word("message").or_else(|| object.word("detail"));
        let (kind, message, code) = match object.get("error") {
            Some(raw) => match (Object::of(raw), super::json::text(raw)) {
                (Some(error), _) => {
                    let details = error.object("details");
                    let code = details.and_then(|details| details.word("error_code"));
                    (error.word("type"), error.word("message"), code.or_else(|| error.word("code")))
                }
                (None, Some(text)) => (None, Some(text.into_owned()), None),
                (None, None) => (None, flat(), None),
            },
            None => (None, Some(flat()?), object.word("code")),
        };
        Some(Self {
            kind: kind.unwrap_or_default(),
            message: message.unwrap_or_default(),
            code,
            request_id: object.word("request_id"),
        })
    }

    fn failure(self, status: Option<u16>) -> Failure {
        let kind = self.meaning(status);
        let status = status.unwrap_or_else(|| effective_status(&self.kind, kind));
        let mut failure = Failure::new(kind, self.message.as_str()).status(status);
        if let Some(code) = self.code.or(Some(self.kind).filter(|kind| !kind.is_empty())) {
            failure = failure.code(code);
        }
        if matches!(kind, Kind::InvalidRequest | Kind::UnsupportedParameter) {
            failure.param = param(&self.message).map(str::to_owned);
        }
        failure.provider_request_id = self.request_id;
        failure
    }

    fn meaning(&self, status: Option<u16>) -> Kind {
        if self.code.as_deref().is_some_and(|code| code.ends_with("_spend_limit_reached")) {
            return Kind::QuotaExhausted;
        }
        let message = self.message.to_ascii_lowercase();
        match self.kind.as_str() {
            "invalid_request_error" => about_request(&message).unwrap_or(Kind::InvalidRequest),
            "authentication_error" => Kind::Auth,
            "billing_error" => Kind::QuotaExhausted,
            "permission_error" => Kind::Permission,
            "not_found_error" => not_found(&message),
            "request_too_large" => Kind::TooLarge,
            "rate_limit_error" => about_quota(&message).unwrap_or(Kind::RateLimited),
            "overloaded_error" => Kind::Overloaded,
            // 5.5 treats a conflict and the provider's own time-out as faults of the server.
            "timeout_error" | "conflict_error" => Kind::ServerError,
            // `api_error` is what a server says when it has nothing finer; compatible servers put their own
            // words here (`exceed_context_size_error` of llama.cpp), so the status has its say.
            word => {
                let kind = status.map_or(Kind::ServerError, by_status);
                let said = format!("{word} {message}");
                let finer = if kind == Kind::InvalidRequest {
                    about_request(&said)
                } else if kind == Kind::RateLimited {
                    about_quota(&said)
                } else if kind == Kind::ServerError {
                    context_length(&said)
                } else {
                    None
                };
                finer.unwrap_or(kind)
            }
        }
    }
}

/// What an HTTP status alone means.
fn by_status(status: u16) -> Kind {
    match status {
        401 => Kind::Auth,
        402 => Kind::QuotaExhausted,
        403 => Kind::Permission,
        404 | 405 => Kind::NotFound,
        413 => Kind::TooLarge,
        429 => Kind::RateLimited,
        503 | 524 | 529 => Kind::Overloaded,
        408 | 409 | 424 | 500.. => Kind::ServerError,
        400..=499 => Kind::InvalidRequest,
        0..=399 => Kind::InvalidResponse,
    }
}

/// The status that an error inside a 200 stands for.
fn effective_status(word: &str, kind: Kind) -> u16 {
    match word {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "conflict_error" => 409,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ if kind == Kind::ContextLength => 400,
        _ => 500,
    }
}

/// What an `invalid_request_error` is really about: the type covers five different things.
fn about_request(message: &str) -> Option<Kind> {
    let filtered = message.contains("content filtering policy");
    context_length(message)
        .or_else(|| about_quota(message))
        .or_else(|| filtered.then_some(Kind::ContentFiltered))
        .or_else(|| unsupported(message))
}

fn context_length(message: &str) -> Option<Kind> {
    const WORDS: [&str; 7] = [
        "prompt is too long",
        "exceed context limit",
        "exceeds the context",
        "exceed_context_size",
        "context window",
        "maximum context length",
        "context length",
    ];
    contains_any(message, &WORDS).then_some(Kind::ContextLength)
}

/// Spend limits answer with 400 or 429; waiting for a minute does not help.
fn about_quota(message: &str) -> Option<Kind> {
    const WORDS: [&str; 5] =
        ["credit balance", "spend limit", "spending limit", "usage limits", "plans & billing"];
    contains_any(message, &WORDS).then_some(Kind::QuotaExhausted)
}

/// What one model or API version refuses and another may take.
fn unsupported(message: &str) -> Option<Kind> {
    const WORDS: [&str; 12] = [
        "is not supported",
        "are not supported",
        "not supported by",
        "does not support",
        "is deprecated for this model",
        "cannot both be specified",
        "extra inputs are not permitted",
        "may not be enabled when tool_choice",
        "may only be set to 1 when thinking",
        "forces tool use",
        // Thinking is bound to the model that thought it; another tier is not given it.
        "invalid `signature` in `thinking`",
        "`thinking` or `redacted_thinking` blocks",
    ];
    contains_any(message, &WORDS).then_some(Kind::UnsupportedParameter)
}

/// A 404 is the model or the address, unless it speaks of a file or a container of this one request.
fn not_found(message: &str) -> Kind {
    let about_request =
        ["file", "container", "document", "skill"].iter().any(|word| message.starts_with(word));
    if about_request { Kind::RequestDeclined } else { Kind::NotFound }
}

fn contains_any(message: &str, words: &[&str]) -> bool {
    words.iter().any(|word| message.contains(word))
}

/// The field that a message begins with or quotes first: `messages.1.content: …`, `` `temperature` is … ``,
/// `"thinking.type.enabled" is …`.
fn param(message: &str) -> Option<&str> {
    let is_path = |path: &&str| {
        !path.is_empty()
            && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    };
    let led = message.split_once(": ").map(|(path, _)| path).filter(is_path);
    led.or_else(|| {
        let quote = message.bytes().find(|byte| matches!(byte, b'`' | b'"'))?;
        message.split(char::from(quote)).nth(1).filter(is_path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(kind: &str, message: &str) -> String {
        serde_json::json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
            .to_string()
    }

    #[track_caller]
    fn check(status: u16, kind: &str, message: &str, expected: Kind) -> Failure {
        let failure = read(status, body(kind, message).as_bytes());
        assert_eq!(failure.kind, expected, "{status} {kind}: {message}");
        assert_eq!(failure.status, Some(status));
        assert_eq!(failure.provider_request_id.as_deref(), Some("req_1"));
        failure
    }

    #[test]
    fn every_type_has_its_kind() {
        check(400, "invalid_request_error", "max_tokens: Field required", Kind::InvalidRequest);
        check(401, "authentication_error", "invalid x-api-key", Kind::Auth);
        check(402, "billing_error", "pay", Kind::QuotaExhausted);
        check(403, "permission_error", "no", Kind::Permission);
        check(404, "not_found_error", "model: claude-sonet-4-5", Kind::NotFound);
        check(404, "not_found_error", "File not found: file_1", Kind::RequestDeclined);
        check(409, "conflict_error", "busy", Kind::ServerError);
        check(413, "request_too_large", "Request exceeds the maximum size", Kind::TooLarge);
        check(429, "rate_limit_error", "would exceed your organization's rate limit", Kind::RateLimited);
        check(500, "api_error", "Internal server error", Kind::ServerError);
        check(504, "timeout_error", "timed out", Kind::ServerError);
        check(529, "overloaded_error", "Overloaded", Kind::Overloaded);
    }

    #[test]
    fn the_status_decides_where_the_type_is_no_word_of_the_dialect() {
        check(503, "api_error", "try later", Kind::Overloaded);
        check(429, "whatever", "slow down", Kind::RateLimited);
        check(418, "whatever", "tea", Kind::InvalidRequest);
        check(400, "exceed_context_size_error", "the request is too big", Kind::ContextLength);
    }

    #[test]
    fn a_spend_limit_is_no_rate_limit() {
        let low = "Your credit balance is too low to access the Anthropic API.";
        check(400, "invalid_request_error", low, Kind::QuotaExhausted);
        let limit = "You have reached your specified API usage limits.";
        check(400, "invalid_request_error", limit, Kind::QuotaExhausted);
        check(429, "rate_limit_error", "The workspace's spend limit is reached.", Kind::QuotaExhausted);
        for code in ["enforced_spend_limit_reached", "contract_spend_limit_reached"] {
            let body = format!(
                r#"{{"type":"error","error":{{"type":"rate_limit_error","message":"no","details":{{"error_code":"{code}"}}}}}}"#
            );
            let failure = read(429, body.as_bytes());
            assert_eq!((failure.kind, failure.code.as_deref()), (Kind::QuotaExhausted, Some(code)));
        }
        let ramp = r#"{"error":{"type":"rate_limit_error","message":"","details":{"error_code":"ramp_limit_exceeded"}}}"#;
        assert_eq!(read(429, ramp.as_bytes()).kind, Kind::RateLimited);
    }

    #[test]
    fn a_prompt_that_is_too_long_is_a_matter_of_the_window() {
        for message in [
            "prompt is too long: 212000 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        ] {
            check(400, "invalid_request_error", message, Kind::ContextLength);
        }
    }

    #[test]
    fn what_another_model_may_take_is_unsupported_and_names_its_field() {
        for (message, field) in [
            ("\"thinking.type.enabled\" is not supported for this model.", Some("thinking.type.enabled")),
            ("`temperature` is deprecated for this model.", Some("temperature")),
            ("top_k: Extra inputs are not permitted", Some("top_k")),
            ("This model does not support effort level 'xhigh'. Supported levels: high, low.", None),
            ("messages.1.content.0: Invalid `signature` in `thinking` block", Some("messages.1.content.0")),
        ] {
            let failure = check(400, "invalid_request_error", message, Kind::UnsupportedParameter);
            assert_eq!(failure.param.as_deref(), field, "{message}");
        }
        let failure = check(400, "invalid_request_error", "temperature: range: 0..1", Kind::InvalidRequest);
        assert_eq!(failure.param.as_deref(), Some("temperature"));
    }

    #[test]
    fn a_filter_is_told_from_a_wrong_request() {
        check(
            400,
            "invalid_request_error",
            "Output blocked by content filtering policy",
            Kind::ContentFiltered,
        );
    }

    #[test]
    fn other_shapes_and_no_shape_at_all_are_read() {
        for (status, body, kind, message) in [
            (500, r#"{"error":"model crashed"}"#, Kind::ServerError, "model crashed"),
            (403, r#"{"message":"no access"}"#, Kind::Permission, "no access"),
            (401, r#"{"detail":"who are you"}"#, Kind::Auth, "who are you"),
            (
                400,
                r#"{"error":{"message":"maximum context length is 4096"}}"#,
                Kind::ContextLength,
                "maximum",
            ),
            (502, "<html><body>Bad Gateway</body></html>", Kind::ServerError, "<html>"),
            (529, "", Kind::Overloaded, "no body"),
            (503, "\u{fffd}\u{0}", Kind::Overloaded, "not the error body"),
            (302, "moved", Kind::InvalidResponse, "moved"),
        ] {
            let failure = read(status, body.as_bytes());
            assert_eq!(failure.kind, kind, "{body}");
            assert!(failure.message.contains(message), "{body}: {}", failure.message);
        }
    }

    #[test]
    fn an_error_inside_a_200_has_the_status_it_stands_for() {
        for (kind, status, expected) in [
            ("overloaded_error", 529, Kind::Overloaded),
            ("api_error", 500, Kind::ServerError),
            ("rate_limit_error", 429, Kind::RateLimited),
            ("timeout_error", 504, Kind::ServerError),
            ("invalid_request_error", 400, Kind::InvalidRequest),
            ("never_heard_of", 500, Kind::ServerError),
        ] {
            let body = body(kind, "x");
            let failure = inside(&Object::parse(&body).unwrap()).unwrap();
            assert_eq!((failure.status, failure.kind), (Some(status), expected), "{kind}");
        }
        assert!(inside(&Object::parse(r#"{"type":"message","error":null}"#).unwrap()).is_none());
        assert!(inside(&Object::parse(r#"{"type":"error"}"#).unwrap()).is_some());
    }
}
