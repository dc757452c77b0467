//! Error bodies, and error lines inside a stream.
//!
//! Mostly `{"error":"text"}` without a code, so the words decide first and the status after. Other shapes come
//! from proxies and from the servers behind Ollama. The words are those of the server's source, of ollama.com
//! and of the llama.cpp server inside, as of 2026-11.

use std::borrow::Cow;

use mainstay_canon::{Failure, Kind};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::openai_chat::excerpt::{excerpt, without_keys};
use crate::openai_chat::lenient::{Count, Text, read, read_object, says_something};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    detail: Text<'a>,
    status_code: Count,
    /// The server's own struct, written without names for JSON.
    #[serde(rename = "StatusCode")]
    status_code_plain: Count,
    #[serde(borrow, rename = "error parsing tool call")]
    unread_call: Option<&'a RawValue>,
}

/// What an error says.
#[derive(Debug, Default)]
struct Stated<'a> {
    message: Cow<'a, str>,
    status: Option<u16>,
}

/// Reads the body of a reply that is not 2xx.
pub(super) fn of_body(status: u16, body: &[u8]) -> Failure {
    let text = std::str::from_utf8(body).unwrap_or_default();
    match serde_json::from_str::<&RawValue>(text.trim()) {
        Ok(raw) => build(&stated(raw), Some(status)),
        Err(_) => Failure::new(of_status(status), excerpt(body)).status(status),
    }
}

/// Reads an error object inside a 200.
pub(super) fn of_json(json: &str) -> Failure {
    let stated = serde_json::from_str::<&RawValue>(json).map(stated).unwrap_or_default();
    build(&stated, None)
}

fn stated(raw: &RawValue) -> Stated<'_> {
    if raw.get().starts_with('"') {
        return Stated { message: text(raw), status: None };
    }
    let wire: Wire<'_> = read_object(Some(raw));
    let numbers = [wire.status_code, wire.status_code_plain].into_iter().find_map(|count| count.0);
    let status = numbers.and_then(|number| u16::try_from(number).ok()).filter(|status| *status >= 400);
    let message = match wire.error.filter(|error| says_something(error)) {
        Some(error) if error.get().starts_with('{') => {
            let inner: Wire<'_> = read_object(Some(error));
            inner.message.given().or(inner.detail.given()).unwrap_or_default()
        }
        Some(error) => text(error),
        None if wire.unread_call.is_some() => Cow::Borrowed(UNREAD_CALL),
        None => wire.message.given().or(wire.detail.given()).unwrap_or_default(),
    };
    Stated { message, status }
}

fn text(raw: &RawValue) -> Cow<'_, str> {
    read::<Text<'_>>(Some(raw)).given().unwrap_or_default()
}

fn build(stated: &Stated<'_>, status: Option<u16>) -> Failure {
    let status = status.or(stated.status);
    let small = stated.message.to_ascii_lowercase();
    let word = WORDS.iter().find(|word| word.fits(&small, status));
    let kind = word.map_or_else(|| of_status(status.unwrap_or(500)), |word| word.kind);
    let mut failure =
        Failure::new(kind, shown(&stated.message, kind)).status(status.unwrap_or_else(|| usual_status(kind)));
    failure.param = word.filter(|word| !word.param.is_empty()).map(|word| word.param.to_owned());
    failure
}

/// The message as it goes into a record.
fn shown(message: &str, kind: Kind) -> String {
    // What follows is the model's own words.
    let said = message.split(": raw=").next().unwrap_or(message);
    let said = without_keys(if said.trim().is_empty() { "an error without a message" } else { said });
    let missing = kind == Kind::NotFound && said.contains("not found") && !said.contains("pull");
    if missing { format!("{said}; `ollama pull` fetches a model") } else { said.into_owned() }
}

/// The model wrote a tool call that the server could not read.
const UNREAD_CALL: &str = "error parsing tool call";

/// One line of the table of words.
struct Word {
    /// A part of the message, in small letters.
    says: &'static str,
    /// The statuses on which it decides; any where empty. An error inside a 200 has none and always fits.
    status: &'static [u16],
    kind: Kind,
    /// The request's field at fault; empty where it is none.
    param: &'static str,
}

impl Word {
    fn fits(&self, message: &str, status: Option<u16>) -> bool {
        let open = self.status.is_empty() || status.is_none_or(|status| self.status.contains(&status));
        open && message.contains(self.says)
    }
}

const fn says(says: &'static str, status: &'static [u16], kind: Kind) -> Word {
    Word { says, status, kind, param: "" }
}

const fn unsupported(says: &'static str, param: &'static str) -> Word {
    Word { says, status: &[400, 422, 500, 501], kind: Kind::UnsupportedParameter, param }
}

/// The first that fits decides.
static WORDS: &[Word] = &[
    // The prompt, which the server was told not to cut.
    says("exceeds the context length", &[400, 413, 500], Kind::ContextLength),
    says("exceeds maximum context length", &[400, 413, 500], Kind::ContextLength),
    says("exceeded max context length", &[400, 413, 500], Kind::ContextLength),
    says("available context size", &[400, 413, 500], Kind::ContextLength),
    says("context length exceeded", &[400, 413, 500], Kind::ContextLength),
    says("prompt too long", &[400, 413, 500], Kind::ContextLength),
    says("prompt is too long", &[400, 413, 500], Kind::ContextLength),
    says("maximum context length", &[400, 413, 500], Kind::ContextLength),
    says(UNREAD_CALL, &[], Kind::MalformedToolCall),
    says("tool call parsing failed", &[], Kind::MalformedToolCall),
    // ollama.com: limits of hours and weeks, which no minute of waiting mends.
    says("usage limit", &[402, 403, 429], Kind::QuotaExhausted),
    says("maximum pending requests exceeded", &[], Kind::Overloaded),
    says("server busy", &[], Kind::Overloaded),
    // A model that only embeds.
    says("does not support chat", &[400], Kind::NotFound),
    says("does not support completion", &[400], Kind::NotFound),
    says("does not support generate", &[400], Kind::NotFound),
    // What this model or this version of the server does not take, and another tier may.
    unsupported("does not support tools", "tools"),
    unsupported("does not support thinking", "reasoning_effort"),
    unsupported("think value", "reasoning_effort"),
    unsupported("does not support", ""),
    unsupported("missing data required for image input", "messages"),
    unsupported("json schema in format", "response_format"),
    unsupported("failed to parse grammar", "response_format"),
    unsupported("failed to load model vocabulary required for format", "response_format"),
    says("not found, try pulling it first", &[], Kind::NotFound),
    says("unauthorized", &[400, 401], Kind::Auth),
];

/// The meaning of a status alone.
fn of_status(status: u16) -> Kind {
    match status {
        401 => Kind::Auth,
        402 => Kind::QuotaExhausted,
        403 => Kind::Permission,
        // 405: something else listens at that address.
        404 | 405 => Kind::NotFound,
        413 => Kind::TooLarge,
        429 => Kind::RateLimited,
        503 | 524 | 529 => Kind::Overloaded,
        408 | 409 | 424 | 499 | 500..=599 => Kind::ServerError,
        400..=498 => Kind::InvalidRequest,
        _ => Kind::InvalidResponse,
    }
}

/// The status that usually carries an error of that kind, for errors inside a 200.
fn usual_status(kind: Kind) -> u16 {
    match kind {
        Kind::ContextLength | Kind::UnsupportedParameter | Kind::InvalidRequest => 400,
        Kind::Auth => 401,
        Kind::NotFound => 404,
        Kind::QuotaExhausted | Kind::RateLimited => 429,
        Kind::Overloaded => 503,
        Kind::Connect
        | Kind::Tls
        | Kind::TimeoutFirstByte
        | Kind::TimeoutIdle
        | Kind::TimeoutTotal
        | Kind::ServerError
        | Kind::TooLarge
        | Kind::Permission
        | Kind::RequestDeclined
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::StreamInterrupted
        | Kind::InvalidResponse
        | Kind::UnknownFinishReason
        | Kind::MalformedToolCall
        | Kind::BudgetExceeded
        | Kind::UnpricedModel
        | Kind::Cancelled
        | Kind::Bad(_) => 500,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, message: &str, kind: Kind) -> Failure {
        let body = serde_json::json!({ "error": message }).to_string();
        let failure = of_body(status, body.as_bytes());
        assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{status} {message}");
        failure
    }

    #[test]
    fn every_error_of_the_server_has_its_kind() {
        check(400, "invalid options: temperature", Kind::InvalidRequest);
        check(400, "the input length exceeds the context length", Kind::ContextLength);
        check(500, "the input length exceeds the context length", Kind::ContextLength);
        check(413, "the input length exceeds the context length", Kind::ContextLength);
        check(
            400,
            "request (40213 tokens) exceeds the available context size (8192 tokens), try increasing it",
            Kind::ContextLength,
        );
        check(400, "prompt too long; exceeded max context length by 12 tokens", Kind::ContextLength);
        check(500, "model requires more system memory (44.0 GiB) than is available", Kind::ServerError);
        check(500, "llama runner process has terminated: exit status 2", Kind::ServerError);
        check(502, "dial tcp: lookup ollama.com: no such host", Kind::ServerError);
        check(503, "server busy, please try again.  maximum pending requests exceeded", Kind::Overloaded);
        check(499, "request canceled", Kind::ServerError);
    }

    #[test]
    fn every_error_of_the_cloud_has_its_kind() {
        check(401, "unauthorized", Kind::Auth);
        check(403, "this model requires a subscription, upgrade for access", Kind::Permission);
        check(429, "too many concurrent requests", Kind::RateLimited);
        for window in ["hourly", "session", "weekly"] {
            let message = format!("you have reached your {window} usage limit, please wait or upgrade");
            check(429, &message, Kind::QuotaExhausted);
        }
    }

    #[test]
    fn a_model_that_is_missing_can_be_pulled() {
        let failure = check(404, "model 'qwen3:4b' not found", Kind::NotFound);
        assert_eq!(failure.message, "model 'qwen3:4b' not found; `ollama pull` fetches a model");
        let older = "model \"qwen3\" not found, try pulling it first";
        assert_eq!(check(404, older, Kind::NotFound).message, older);
        assert_eq!(of_body(404, b"404 page not found").kind, Kind::NotFound);
    }

    #[test]
    fn what_another_model_may_take_is_unsupported_and_names_its_field() {
        for (message, param) in [
            ("registry.ollama.ai/library/gemma3:4b does not support tools", Some("tools")),
            ("\"llama3.2\" does not support thinking", Some("reasoning_effort")),
            ("think value \"medium\" is not supported for this model", Some("reasoning_effort")),
            ("invalid JSON schema in format", Some("response_format")),
            ("\"x\" does not support insert", None),
        ] {
            let failure = check(400, message, Kind::UnsupportedParameter);
            assert_eq!(failure.param.as_deref(), param, "{message}");
        }
        check(500, "this model is missing data required for image input", Kind::UnsupportedParameter);
        check(400, "\"nomic-embed-text\" does not support chat", Kind::NotFound);
    }

    #[test]
    fn a_call_that_the_server_cannot_read_is_the_models_fault_and_its_words_stay_out() {
        let message = "error parsing tool call: raw='{\"secret\": tru', err=unexpected end of JSON input";
        let failure = check(500, message, Kind::MalformedToolCall);
        assert_eq!(failure.message, "error parsing tool call");
        let misplaced = of_json(r#"{"error parsing tool call":"invalid character 'c'"}"#);
        assert_eq!(misplaced.kind, Kind::MalformedToolCall);
    }

    #[test]
    fn other_shapes_and_no_shape_at_all_are_read() {
        for (status, body, kind, message) in [
            (400, r#"{"error":{"message":"bad","type":"api_error"}}"#, Kind::InvalidRequest, "bad"),
            (401, r#"{"detail":"who"}"#, Kind::Auth, "who"),
            (500, r#"{"message":"down"}"#, Kind::ServerError, "down"),
            (500, r#""down""#, Kind::ServerError, "down"),
            (500, "{}", Kind::ServerError, "an error without a message"),
            (502, "<html>Bad gateway", Kind::ServerError, "not JSON: <html>Bad gateway"),
            (503, "", Kind::Overloaded, "an empty body"),
            (302, "moved", Kind::InvalidResponse, "not JSON: moved"),
        ] {
            let failure = of_body(status, body.as_bytes());
            assert_eq!((failure.kind, failure.message.as_str()), (kind, message), "{body}");
        }
        assert_eq!(of_body(500, b"\xff").kind, Kind::ServerError);
    }

    #[test]
    fn an_error_inside_a_200_has_the_status_it_stands_for() {
        let of = |json: &str| {
            let failure = of_json(json);
            (failure.kind, failure.status.unwrap())
        };
        assert_eq!(of(r#"{"error":"CUDA error"}"#), (Kind::ServerError, 500));
        assert_eq!(
            of(r#"{"error":"the input length exceeds the context length"}"#),
            (Kind::ContextLength, 400)
        );
        assert_eq!(of(r#"{"error":"upstream","status_code":429}"#), (Kind::RateLimited, 429));
        assert_eq!(
            of(r#"{"error":"you have reached your weekly usage limit","StatusCode":429}"#),
            (Kind::QuotaExhausted, 429)
        );
        assert_eq!(of(r#"{"error":"model 'x' not found, try pulling it first"}"#), (Kind::NotFound, 404));
        assert_eq!(of("not even JSON"), (Kind::ServerError, 500));
    }
}
