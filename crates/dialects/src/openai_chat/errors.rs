//! Error bodies and error objects, in every shape that speakers of this dialect send.
//!
//! `{"error": {…}}`, `{"error": "text"}` with a `code` beside it (xAI), a flat object (Mistral, older vLLM),
//! `{"detail": …}` (FastAPI), `{"message": …}`, a list around one of these (Gemini's compatible route), an
//! error inside a choice, `x_groq.error`, `base_resp` (MiniMax), or no JSON at all. Shapes are read here;
//! what the words mean stands in `kinds`.

use std::borrow::Cow;

use mainstay_canon::{Failure, Headers, Kind, RawJson};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::delay;
use super::excerpt::{excerpt, without_keys};
use super::json::Members;
use super::kinds::{self, Words};
use super::lenient::{Count, Many, Text, read, read_object, says_something};
use super::wire::Reply;

/// How deep an error may be wrapped in another.
const DEPTH: u8 = 6;

/// Largest error object that stays with its failure, in bytes.
const OBJECT_LIMIT: usize = 1 << 16;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    detail: Option<&'a RawValue>,
    #[serde(borrow)]
    code: Text<'a>,
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    param: Text<'a>,
    /// A number at Azure, a word at Google.
    #[serde(borrow)]
    status: Text<'a>,
    status_code: Count,
    #[serde(rename = "statusCode")]
    status_code_camel: Count,
    raw_status_code: Count,
    #[serde(borrow)]
    innererror: Option<&'a RawValue>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Inner<'a> {
    #[serde(borrow)]
    code: Text<'a>,
}

/// OpenRouter's own.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow)]
    error_type: Text<'a>,
    /// What the host behind it said: a text, or JSON in a text.
    #[serde(borrow)]
    raw: Text<'a>,
    #[serde(borrow)]
    headers: Option<&'a RawValue>,
}

/// One entry of a FastAPI `detail` list. Its `input` is the caller's own text and is not read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Complaint<'a> {
    #[serde(borrow)]
    loc: Many<Text<'a>>,
    #[serde(borrow)]
    msg: Text<'a>,
}

/// An error with its wrapping taken off.
#[derive(Debug, Default)]
struct Found<'a> {
    message: Cow<'a, str>,
    code: Option<String>,
    kind: Option<String>,
    param: Option<String>,
    inner: Option<String>,
    error_type: Option<String>,
    status: Option<u16>,
    /// The object that may state a delay.
    object: Option<&'a RawValue>,
}

/// Reads the body of a reply that is not 2xx.
pub(crate) fn of_body(status: u16, body: &[u8]) -> Failure {
    let raw =
        std::str::from_utf8(body).ok().and_then(|text| serde_json::from_str::<&RawValue>(text.trim()).ok());
    match raw {
        Some(raw) => build(&found(raw), Some(status)),
        None => Failure::new(kinds::of_status(status), excerpt(body)).status(status),
    }
}

/// Reads an error event or an error object inside a 200. The object stays with the failure: whoever has the
/// provider's tables and a clock finds more in it, and in a stream there is no body to look into.
pub(crate) fn of_json(raw: &RawValue) -> Failure {
    let mut failure = build(&found(raw), None);
    failure.object =
        Some(raw).filter(|raw| raw.get().len() <= OBJECT_LIMIT).and_then(|raw| RawJson::of(raw).ok());
    failure
}

/// An error event whose data are not JSON.
pub(crate) fn of_text(text: &str) -> Failure {
    build(&Found { message: Cow::Borrowed(text), ..Found::default() }, None)
}

/// The failure that a 200 body or a chunk hides, if it hides one. `raw` is the whole of it.
pub(super) fn inside(reply: &Reply<'_>, raw: &str) -> Option<Failure> {
    let whole = || serde_json::from_str::<&RawValue>(raw).ok().map(of_json);
    if reply.error.is_some_and(says_something) {
        return whole();
    }
    let choice = reply.choices.first.as_ref().and_then(|choice| choice.error);
    if let Some(error) = choice.filter(|error| says_something(error)) {
        return Some(of_json(error));
    }
    if let Some(error) = groq_error(reply.x_groq) {
        return Some(of_json(error));
    }
    if let Some(failure) = super::base_resp::failure(reply) {
        return Some(failure);
    }
    let flat = reply.object.filled() == Some("error")
        || reply.detail.is_some_and(says_something)
        || (reply.message.is_some_and(|text| text.get().starts_with('"')) && reply.model.filled().is_none());
    if flat && !reply.choices.listed { whole() } else { None }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Groq<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn groq_error(x_groq: Option<&RawValue>) -> Option<&RawValue> {
    read_object::<Groq<'_>>(x_groq).error.filter(|error| says_something(error))
}

/// The headers that OpenRouter repeats inside an error body (`error.metadata.headers`), such as
/// `X-RateLimit-Reset` of the host behind it. They state moments, so whoever has a clock reads them.
pub fn metadata_headers(body: &[u8]) -> Headers {
    let mut headers = Headers::new();
    let Some(wire) =
        std::str::from_utf8(body).ok().and_then(|text| serde_json::from_str::<Wire<'_>>(text).ok())
    else {
        return headers;
    };
    // Inside a choice the error stands alone.
    let metadata = wire.metadata.or_else(|| read_object::<Wire<'_>>(wire.error).metadata);
    let metadata: Metadata<'_> = read_object(metadata);
    let members: Members<'_> = read_object(metadata.headers);
    for (name, raw) in members.iter() {
        if let Some(value) = read::<Text<'_>>(Some(raw)).filled() {
            headers.push(name, value);
        }
    }
    headers
}

fn build(found: &Found<'_>, status: Option<u16>) -> Failure {
    // A lone word in place of a message is a code.
    let word = Some(&*found.message).filter(|message| !message.contains(char::is_whitespace));
    let words = Words {
        code: found.code.as_deref().or(word),
        finer: [found.inner.as_deref(), found.error_type.as_deref()],
        kind: found.kind.as_deref(),
        message: &found.message,
    };
    let stated = status.or(found.status);
    let kind = kinds::kind(&words, stated.unwrap_or(200));
    let message = if found.message.is_empty() { "an error without a message" } else { &*found.message };
    let mut failure =
        Failure::new(kind, without_keys(message)).status(stated.unwrap_or_else(|| kinds::usual_status(kind)));
    failure.code = found.code.clone().or_else(|| found.error_type.clone()).or_else(|| found.kind.clone());
    failure.param.clone_from(&found.param);
    // Behaviour 5.2: hints count where a server asks to be left alone.
    if matches!(kind, Kind::RateLimited | Kind::Overloaded | Kind::QuotaExhausted) {
        failure.hint = delay::hint(found.object, &found.message);
    }
    failure
}

fn found(raw: &RawValue) -> Found<'_> {
    unwrap(raw, DEPTH)
}

/// Takes the wrapping off. What only the wrapping says is kept.
fn unwrap(raw: &RawValue, depth: u8) -> Found<'_> {
    let Some(depth) = depth.checked_sub(1) else { return Found::default() };
    match raw.get().as_bytes().first() {
        Some(b'[') => {
            read::<Many<&RawValue>>(Some(raw)).0.first().map(|first| unwrap(first, depth)).unwrap_or_default()
        }
        Some(b'{') => {
            let wire: Wire<'_> = read_object(Some(raw));
            let nested = wire.error.filter(|error| says_something(error));
            let mut found = nested.map(|error| unwrap(error, depth)).unwrap_or_default();
            fill(&mut found, &wire, raw, depth);
            found
        }
        Some(_) => {
            Found { message: read::<Text<'_>>(Some(raw)).given().unwrap_or_default(), ..Found::default() }
        }
        None => Found::default(),
    }
}

/// Adds what an object says to what was found inside it.
fn fill<'a>(found: &mut Found<'a>, wire: &Wire<'a>, raw: &'a RawValue, depth: u8) {
    let numbers = [wire.status_code, wire.status_code_camel, wire.raw_status_code]
        .into_iter()
        .find_map(|count| count.0);
    let in_words =
        [&wire.status, &wire.code].into_iter().find_map(|text| text.filled().and_then(http_status));
    found.status =
        found.status.or_else(|| numbers.and_then(|number| u16::try_from(number).ok())).or(in_words);
    let code = wire.code.owned().filter(|code| http_status(code).is_none());
    // Google's word, such as RESOURCE_EXHAUSTED.
    let status_word = || wire.status.owned().filter(|word| http_status(word).is_none());
    found.code = found.code.take().or(code).or_else(status_word);
    found.kind = found.kind.take().or_else(|| wire.kind.owned());
    found.param = found.param.take().or_else(|| wire.param.owned());
    found.inner = found.inner.take().or_else(|| read_object::<Inner<'_>>(wire.innererror).code.owned());
    if found.message.is_empty() {
        let (message, param) = message(wire.message.or(wire.detail), depth);
        found.message = message;
        found.param = found.param.take().or(param);
    }
    if let Some(metadata) = wire.metadata {
        fill_from_host(found, &read_object(Some(metadata)), depth);
    }
    found.object.get_or_insert(raw);
}

/// OpenRouter's own message is mostly "Provider returned error"; what the host said stands beside it.
fn fill_from_host(found: &mut Found<'_>, metadata: &Metadata<'_>, depth: u8) {
    found.error_type = found.error_type.take().or_else(|| metadata.error_type.owned());
    let Some(said) = metadata.raw.filled() else { return };
    let inner =
        serde_json::from_str::<&RawValue>(said).ok().map(|raw| unwrap(raw, depth).message.into_owned());
    let said = inner.filter(|message| !message.is_empty()).unwrap_or_else(|| said.to_owned());
    found.message = Cow::Owned(format!("{}: {said}", found.message));
}

/// The text of a `message` or `detail`, and the field it names.
fn message(raw: Option<&RawValue>, depth: u8) -> (Cow<'_, str>, Option<String>) {
    let Some(raw) = raw else { return (Cow::Borrowed(""), None) };
    match raw.get().as_bytes().first() {
        Some(b'[') => complaints(raw),
        Some(b'{') => {
            let found = unwrap(raw, depth);
            (found.message, found.param)
        }
        Some(_) | None => told(read::<Text<'_>>(Some(raw)).given().unwrap_or_default(), depth),
    }
}

/// A message in words. One that is itself the JSON of an error (Mistral's proxy, seen 2024) is read, for it
/// repeats the caller's input.
fn told(text: Cow<'_, str>, depth: u8) -> (Cow<'_, str>, Option<String>) {
    let json = text.starts_with(['{', '[']).then(|| serde_json::from_str::<&RawValue>(&text).ok()).flatten();
    match json.map(|raw| unwrap(raw, depth)).filter(|found| !found.message.is_empty()) {
        Some(found) => (Cow::Owned(found.message.into_owned()), found.param),
        None => (text, None),
    }
}

fn complaints(raw: &RawValue) -> (Cow<'_, str>, Option<String>) {
    let mut param = None;
    let mut whole = String::new();
    for complaint in read::<Many<Complaint<'_>>>(Some(raw)).0 {
        let steps = complaint.loc.0.iter().filter_map(Text::filled).filter(|step| *step != "body");
        let place = steps.collect::<Vec<_>>().join(".");
        if !whole.is_empty() {
            whole.push_str("; ");
        }
        if !place.is_empty() {
            whole.push_str(&place);
            whole.push_str(": ");
            param.get_or_insert(place);
        }
        whole.push_str(complaint.msg.filled().unwrap_or("invalid"));
    }
    (Cow::Owned(whole), param)
}

/// A code that is an HTTP status.
fn http_status(text: &str) -> Option<u16> {
    text.parse().ok().filter(|status| (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn check(status: u16, body: &str, kind: Kind, message: &str) -> Failure {
        let failure = of_body(status, body.as_bytes());
        assert_eq!((failure.kind, failure.message.as_str()), (kind, message), "{body}");
        assert_eq!(failure.status, Some(status));
        failure
    }

    #[test]
    fn every_shape_is_read() {
        let openai = check(
            400,
            r#"{"error":{"message":"Missing","type":"invalid_request_error","param":"messages[1]","code":"missing_required_parameter"}}"#,
            Kind::InvalidRequest,
            "Missing",
        );
        assert_eq!(openai.param.as_deref(), Some("messages[1]"));
        assert_eq!(openai.code.as_deref(), Some("missing_required_parameter"));
        check(
            400,
            r#"{"code":"invalid-argument","error":"Incorrect API key provided: x"}"#,
            Kind::Auth,
            "Incorrect API key provided: x",
        );
        check(404, r#"{"error":"model \"x\" not found"}"#, Kind::NotFound, "model \"x\" not found");
        check(
            400,
            r#"{"object":"error","message":"bad","type":"invalid_model","code":"1500","raw_status_code":400}"#,
            Kind::NotFound,
            "bad",
        );
        check(401, r#"{"detail":"Invalid API Key"}"#, Kind::Auth, "Invalid API Key");
        check(
            429,
            r#"[{"error":{"code":429,"message":"busy","status":"RESOURCE_EXHAUSTED"}}]"#,
            Kind::RateLimited,
            "busy",
        );
        check(401, r#"{"statusCode":401,"message":"Unauthorized"}"#, Kind::Auth, "Unauthorized");
        check(500, r#""down""#, Kind::ServerError, "down");
        check(502, "<html>\n <body>Bad gateway", Kind::ServerError, "not JSON: <html> <body>Bad gateway");
        check(503, "", Kind::Overloaded, "an empty body");
        check(500, "{}", Kind::ServerError, "an error without a message");
    }

    #[test]
    fn a_complaint_names_its_field_but_not_its_input() {
        let body = r#"{"detail":[{"loc":["body","messages",0,"role"],"msg":"field required","input":"my secret"},{"msg":"also"}]}"#;
        let failure = check(422, body, Kind::InvalidRequest, "messages.0.role: field required; also");
        assert_eq!(failure.param.as_deref(), Some("messages.0.role"));
        let mistral = r#"{"object":"error","message":{"detail":[{"loc":["body","top_p"],"msg":"too big"}]},"type":"invalid_request_error"}"#;
        check(422, mistral, Kind::InvalidRequest, "top_p: too big");
        let listed = r#"{"object":"Error","message":[{"loc":["body","tools"],"msg":"too many","input":["my secret"]}],"code":3001}"#;
        check(422, listed, Kind::InvalidRequest, "tools: too many");
        let quoted = r#"{"object":"error","message":"{\"detail\":[{\"loc\":[\"body\",\"n\"],\"msg\":\"Extra inputs are not permitted\",\"input\":\"my secret\"}]}"}"#;
        let failure = check(422, quoted, Kind::UnsupportedParameter, "n: Extra inputs are not permitted");
        assert_eq!(failure.param.as_deref(), Some("n"));
        check(400, r#"{"message":"{not JSON"}"#, Kind::InvalidRequest, "{not JSON");
    }

    #[test]
    fn a_filter_is_known_by_its_inner_code() {
        let body =
            r#"{"error":{"message":"no","code":null,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
        check(400, body, Kind::ContentFiltered, "no");
    }

    #[test]
    fn what_the_host_behind_said_decides_too() {
        let body = r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"maximum context length is 8\"}}"}}}"#;
        check(400, body, Kind::ContextLength, "Provider returned error: maximum context length is 8");
        let typed =
            r#"{"error":{"code":400,"message":"no","metadata":{"error_type":"content_policy_violation"}}}"#;
        check(400, typed, Kind::ContentFiltered, "no");
    }

    #[test]
    fn a_delay_in_the_body_is_a_hint_where_hints_count() {
        let limited = of_body(
            429,
            br#"{"error":{"message":"Please try again in 6m0s.","code":"rate_limit_exceeded"}}"#,
        );
        assert_eq!(limited.hint.unwrap().after, Duration::from_mins(6));
        assert_eq!(of_body(400, br#"{"error":{"message":"try again in 6m0s"}}"#).hint, None);
    }

    #[test]
    fn an_error_inside_a_200_gets_the_status_it_would_have_had() {
        let of = |json: &str| {
            let failure = inside(&serde_json::from_str(json).unwrap(), json).unwrap();
            (failure.kind, failure.status.unwrap())
        };
        assert_eq!(of(r#"{"error":{"message":"x","code":502}}"#), (Kind::ServerError, 502));
        assert_eq!(
            of(r#"{"error":{"message":"x","code":"content_filter","status":400}}"#),
            (Kind::ContentFiltered, 400)
        );
        assert_eq!(of(r#"{"error":{"type":"insufficient_quota"}}"#), (Kind::QuotaExhausted, 429));
        assert_eq!(of(r#"{"error":"boom"}"#), (Kind::ServerError, 500));
        assert_eq!(of(r#"{"choices":[{"error":{"code":429,"message":"slow"}}]}"#), (Kind::RateLimited, 429));
        assert_eq!(of(r#"{"choices":[],"x_groq":{"error":"over capacity"}}"#), (Kind::ServerError, 500));
        assert_eq!(
            of(r#"{"object":"error","message":"x","type":"rate_limit_error"}"#),
            (Kind::RateLimited, 429)
        );
        assert_eq!(of(r#"{"detail":"x"}"#), (Kind::ServerError, 500));
        assert_eq!(of(r#"{"message":"x","statusCode":401}"#), (Kind::Auth, 401));
    }

    #[test]
    fn a_lone_word_is_a_code() {
        assert_eq!(of_text("overloaded").kind, Kind::Overloaded);
        assert_eq!(of_body(400, br#"{"error":"model_not_found"}"#).kind, Kind::NotFound);
    }

    #[test]
    fn an_empty_error_member_is_no_error() {
        for json in [
            r#"{"error":null,"choices":[]}"#,
            r#"{"error":{},"choices":[]}"#,
            r#"{"error":"","choices":[]}"#,
            r#"{"error":false}"#,
            r#"{"choices":[{"error":null}],"x_groq":{"id":"r","error":""},"base_resp":{"status_code":0}}"#,
            "{}",
        ] {
            assert!(inside(&serde_json::from_str(json).unwrap(), json).is_none(), "{json}");
        }
    }

    #[test]
    fn a_key_in_a_message_is_taken_out() {
        let body = r#"{"error":{"message":"Incorrect API key provided: sk-abcdefgh1234. See 'gsk_abcdefgh'","code":"invalid_api_key"}}"#;
        check(401, body, Kind::Auth, "Incorrect API key provided: [key] See '[key]'");
    }

    #[test]
    fn the_headers_inside_a_body_are_found() {
        let body = br#"{"error":{"code":429,"metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":1772366415000}}}}"#;
        let headers = metadata_headers(body);
        assert_eq!(headers.get("x-ratelimit-reset"), Some("1772366415000"));
        assert_eq!(metadata_headers(b"<html>"), Headers::new());
    }
}
