//! Ways in which providers misbehave, each spelled in the dialect of the route that was called.

use std::time::Duration;

use serde_json::json;

use crate::server::{Seen, Step};
use crate::spell::{Said, Spelling, chunk, data, http, last_chunk};

/// One way to misbehave.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// `200 OK` and an empty answer that says `stop`.
    Empty,
    /// `200 OK` and a single full stop, one token.
    Dot,
    /// `200 OK` and `{"choices": []}` (Anthropic: an empty `content`).
    NoChoices,
    /// `200 OK` and "I cannot help with that."
    Refusal,
    /// The provider's refusal field or stop reason.
    RefusalField,
    /// The safety filter.
    Filtered,
    /// Thinking and no answer.
    ReasoningOnly,
    /// All tokens spent before any visible text.
    TruncatedEmpty,
    /// A finish word that nobody knows.
    UnknownFinish,
    /// An error object inside a 200.
    ErrorInside200,
    /// An error event after some text (streams), else as [`Self::ErrorInside200`].
    ErrorAfterText,
    /// A 429 that says when to come back, in seconds, in the `retry-after` header.
    RateLimited(u64),
    /// A 429 that says so in one of the forms that providers use.
    RateLimitedBy(Hint),
    /// A 429 with further headers and a body of the test's choice.
    RateLimitedWith(Vec<(String, String)>, String),
    /// A 429 because the money is gone.
    Quota,
    /// An HTTP status with the dialect's ordinary error body.
    Status(u16),
    /// The model does not exist here.
    UnknownModel,
    /// A 529 (Anthropic) or 503.
    Overloaded,
    /// 200 and an HTML page.
    Html,
    /// 200 and something that is not JSON.
    BadJson,
    /// 200, a good answer, and a content type that is not its own.
    WrongContentType(String),
    /// 200 and a body that says it is compressed and is not.
    GzipGarbage,
    /// 200 and a body shorter than its stated length.
    WrongLength,
    /// 200 and no body at all.
    NoBody,
    /// A redirect to another host.
    Redirect,
    /// The connection is closed before a status line.
    CloseAtOnce,
    /// The connection is reset before a status line.
    ResetAtOnce,
    /// Nothing is ever said.
    Hang,
    /// Headers, then nothing.
    HangAfterHeaders,
    /// Keep-alive comments only, one every so often.
    CommentsOnly(Duration),
    /// The stream is cut before its first content; a whole answer in the middle of its body.
    CutBeforeContent,
    /// The stream is cut after some text.
    CutInText(String),
    /// The stream stalls after some text.
    StallInText(String),
    /// The body ends in good order, but without a finish word or terminator.
    NoTerminator(String),
    /// Only the first so many bytes of a good answer's body, then the connection closes.
    CutAtByte(String, usize),
    /// A good answer, one byte at a time with a pause between.
    Drip(String, Duration),
}

/// A form in which a provider says when to come back.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint {
    /// `retry-after` in seconds, which may have a fraction.
    Seconds(f64),
    /// `retry-after` as an HTTP date.
    Date(String),
    /// `retry-after-ms`.
    Millis(u64),
    /// `x-ratelimit-reset-requests` of a bucket with nothing left, such as `6m0s`.
    Reset(String),
    /// `anthropic-ratelimit-requests-reset` of a bucket with nothing left, RFC 3339.
    ResetAt(String),
    /// In the error's message, such as `1.5s`.
    InMessage(String),
}

impl Hint {
    fn headers(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Seconds(seconds) => vec![("retry-after", seconds.to_string())],
            Self::Date(date) => vec![("retry-after", date.clone())],
            Self::Millis(ms) => vec![("retry-after-ms", ms.to_string())],
            Self::Reset(wait) => vec![
                ("x-ratelimit-remaining-requests", "0".into()),
                ("x-ratelimit-reset-requests", wait.clone()),
            ],
            Self::ResetAt(moment) => vec![
                ("anthropic-ratelimit-requests-remaining", "0".into()),
                ("anthropic-ratelimit-requests-reset", moment.clone()),
            ],
            Self::InMessage(_) => Vec::new(),
        }
    }

    fn message(&self) -> String {
        match self {
            Self::InMessage(wait) => format!("Rate limit reached. Please try again in {wait}."),
            Self::Seconds(_) | Self::Date(_) | Self::Millis(_) | Self::Reset(_) | Self::ResetAt(_) => {
                "Too many requests".into()
            }
        }
    }
}

impl Fault {
    pub(crate) fn steps(&self, spelling: Spelling, seen: &Seen) -> Vec<Step> {
        let say = |said: Said| said.steps(spelling, seen);
        match self {
            Self::Empty => say(Said::text("").tokens(12, 0)),
            Self::Dot => say(Said::text(".").tokens(12, 1)),
            Self::Refusal => say(Said::text("I cannot help with that.").tokens(12, 7)),
            Self::RefusalField => {
                let mut said = Said::text("").tokens(12, 7);
                said.refusal = Some("I can't help with that request.".into());
                if spelling == Spelling::Anthropic {
                    said.finish = Some("refusal".into());
                }
                say(said)
            }
            Self::Filtered => say(Said::text("").tokens(12, 0).finish("content_filter")),
            Self::ReasoningOnly => say(Said::text("").thinking("Let me think about it.").tokens(12, 6)),
            Self::TruncatedEmpty => {
                say(Said::text("").thinking("Let me think about").tokens(12, 400).finish("length"))
            }
            Self::UnknownFinish => say(Said::text("A fine answer of some length.").finish("zapped")),
            Self::NoChoices => no_choices(spelling, seen),
            Self::ErrorInside200 => error_inside(spelling, seen, ""),
            Self::ErrorAfterText => error_inside(spelling, seen, "The committee met on"),
            Self::RateLimited(seconds) => {
                let body =
                    spelling.error("rate_limit_error", Some("rate_limit_exceeded"), "Too many requests");
                http(429, &[("retry-after", &seconds.to_string())], body.as_bytes())
            }
            Self::RateLimitedBy(hint) => {
                let fields = hint.headers();
                let headers: Vec<(&str, &str)> =
                    fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let body = spelling.error("rate_limit_error", Some("rate_limit_exceeded"), &hint.message());
                http(429, &headers, body.as_bytes())
            }
            Self::RateLimitedWith(headers, body) => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                http(429, &headers, body.as_bytes())
            }
            Self::Quota => quota(spelling),
            Self::Status(status) => http(*status, &[], status_body(spelling, *status).as_bytes()),
            Self::UnknownModel => {
                let (kind, code) = match spelling {
                    Spelling::OpenaiChat => ("invalid_request_error", Some("model_not_found")),
                    Spelling::Anthropic => ("not_found_error", None),
                };
                let message = format!("The model `{}` does not exist", seen.model);
                http(404, &[], spelling.error(kind, code, &message).as_bytes())
            }
            Self::Overloaded => match spelling {
                Spelling::OpenaiChat => http(503, &[], status_body(spelling, 503).as_bytes()),
                Spelling::Anthropic => http(529, &[], status_body(spelling, 529).as_bytes()),
            },
            Self::Html => http(
                200,
                &[("content-type", "text/html")],
                b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            ),
            Self::BadJson => http(200, &[], b"{\"id\": \"chatcmpl-1\", \"choices\": [{"),
            Self::WrongContentType(kind) => {
                let body = Said::text("A fine answer of some length.").body(spelling, &seen.model).to_string();
                http(200, &[("content-type", kind)], body.as_bytes())
            }
            Self::GzipGarbage => http(200, &[("content-encoding", "gzip")], b"this is not gzip"),
            Self::WrongLength => vec![
                Step::Bytes(
                    b"HTTP/1.1 200 Scripted\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{\"id\": 1"
                        .as_slice()
                        .into(),
                ),
                Step::Close,
            ],
            Self::NoBody => http(200, &[], b""),
            Self::Redirect => http(307, &[("location", "http://198.51.100.7/elsewhere")], b""),
            Self::CloseAtOnce => vec![Step::Close],
            Self::ResetAtOnce => vec![Step::Reset],
            Self::Hang => vec![Step::Hang],
            Self::HangAfterHeaders => vec![Said::text("").stream_head(), Step::Hang],
            Self::CommentsOnly(gap) => comments(*gap),
            Self::CutBeforeContent => cut_before_content(spelling, seen),
            Self::CutInText(text) => part_of(text, spelling, seen, Step::Reset),
            Self::StallInText(text) => part_of(text, spelling, seen, Step::Hang),
            Self::NoTerminator(text) => no_terminator(text, spelling, seen),
            Self::CutAtByte(text, at) => cut_at_byte(text, *at, spelling, seen),
            Self::Drip(text, gap) => drip(&Said::text(text).steps(spelling, seen), *gap),
        }
    }
}

fn no_choices(spelling: Spelling, seen: &Seen) -> Vec<Step> {
    match (spelling, seen.stream) {
        (Spelling::OpenaiChat, false) => http(200, &[], b"{\"choices\": []}"),
        (Spelling::OpenaiChat, true) => vec![
            Said::text("").stream_head(),
            chunk(&data(&json!({"choices": []}))),
            chunk("data: [DONE]\n\n"),
            last_chunk(),
        ],
        (Spelling::Anthropic, _) => Said::text("").tokens(12, 0).steps(spelling, seen),
    }
}

fn error_inside(spelling: Spelling, seen: &Seen, text: &str) -> Vec<Step> {
    let body = status_body(spelling, if spelling == Spelling::Anthropic { 529 } else { 500 });
    if !seen.stream {
        return http(200, &[], body.as_bytes());
    }
    let event = match spelling {
        Spelling::OpenaiChat => format!("data: {body}\n\n"),
        Spelling::Anthropic => format!("event: error\ndata: {body}\n\n"),
    };
    let mut steps = opening(text, spelling, seen);
    steps.extend([chunk(&event), last_chunk()]);
    steps
}

fn quota(spelling: Spelling) -> Vec<Step> {
    match spelling {
        Spelling::OpenaiChat => {
            let body = spelling.error(
                "insufficient_quota",
                Some("insufficient_quota"),
                "You exceeded your current quota",
            );
            http(429, &[], body.as_bytes())
        }
        Spelling::Anthropic => {
            let body = spelling.error("billing_error", None, "Your credit balance is too low");
            http(402, &[], body.as_bytes())
        }
    }
}

fn status_body(spelling: Spelling, status: u16) -> String {
    let (openai, anthropic, message) = match status {
        400 => ("invalid_request_error", "invalid_request_error", "A field is wrong"),
        401 => ("invalid_request_error", "authentication_error", "Incorrect API key provided"),
        402 => ("insufficient_quota", "billing_error", "Insufficient balance"),
        403 => ("permission_error", "permission_error", "Your account may not use this model"),
        404 => ("invalid_request_error", "not_found_error", "No such thing"),
        413 => ("invalid_request_error", "request_too_large", "The request is too large"),
        422 => ("invalid_request_error", "invalid_request_error", "The request cannot be processed"),
        429 => ("rate_limit_error", "rate_limit_error", "Too many requests"),
        503 => ("service_unavailable_error", "api_error", "The server is overloaded"),
        504 => ("server_error", "timeout_error", "The upstream did not answer in time"),
        529 => ("server_error", "overloaded_error", "Overloaded"),
        _ => ("server_error", "api_error", "Something went wrong on our side"),
    };
    let code = (status == 401).then_some("invalid_api_key");
    match spelling {
        Spelling::OpenaiChat => spelling.error(openai, code, message),
        Spelling::Anthropic => spelling.error(anthropic, None, message),
    }
}

fn comments(gap: Duration) -> Vec<Step> {
    let mut steps = vec![Said::text("").stream_head()];
    for _ in 0..2_000 {
        steps.extend([chunk(": keep-alive\n\n"), Step::Wait(gap)]);
    }
    steps
}

/// The events before any content.
fn preamble(spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let first = Said::text("x").events(spelling, &seen.model).into_iter().next().unwrap_or_default();
    vec![Said::text("").stream_head(), chunk(&first)]
}

fn cut_before_content(spelling: Spelling, seen: &Seen) -> Vec<Step> {
    if seen.stream {
        let mut steps = preamble(spelling, seen);
        steps.push(Step::Reset);
        steps
    } else {
        cut_at_byte("A fine answer.", 40, spelling, seen)
    }
}

/// A stream up to and including its text, without anything after.
fn opening(text: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let mut said = Said::text(text);
    said.piece = 4;
    let events = said.events(spelling, &seen.model);
    let after = match spelling {
        // finish chunk, usage chunk, [DONE]
        Spelling::OpenaiChat => 3,
        // content_block_stop if there was text, message_delta, message_stop
        Spelling::Anthropic => 2 + usize::from(!text.is_empty()),
    };
    let kept = events.len().saturating_sub(after);
    let mut steps = vec![said.stream_head()];
    steps.extend(events.iter().take(kept).map(|event| chunk(event)));
    steps
}

fn part_of(text: &str, spelling: Spelling, seen: &Seen, then: Step) -> Vec<Step> {
    if seen.stream {
        let mut steps = opening(text, spelling, seen);
        // The pieces must be read before the end is seen: a reset discards what the peer has not read yet.
        steps.extend([Step::Wait(Duration::from_millis(50)), then]);
        steps
    } else {
        let mut steps = cut_at_byte(text, 60, spelling, seen);
        steps.pop();
        steps.push(then);
        steps
    }
}

fn no_terminator(text: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    if seen.stream {
        let mut steps = opening(text, spelling, seen);
        steps.push(last_chunk());
        steps
    } else {
        let mut said = Said::text(text);
        said.finish = None;
        said.steps(spelling, seen)
    }
}

fn cut_at_byte(text: &str, at: usize, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let mut left = at;
    let mut steps = Vec::new();
    let whole = Said::text(text).steps(spelling, seen);
    for step in whole {
        match step {
            Step::Bytes(bytes) => {
                // The head is sent whole: a cut in it is a matter of HTTP, not of a dialect.
                let head =
                    bytes.windows(4).position(|window| window == b"\r\n\r\n").filter(|_| steps.is_empty());
                let free = head.map_or(0, |end| end + 4);
                let take = (free + left).min(bytes.len());
                left = left.saturating_sub(take - free);
                steps.push(Step::Bytes(bytes.slice(..take)));
                if take < bytes.len() {
                    break;
                }
            }
            other @ (Step::Wait(_) | Step::Close | Step::Reset | Step::Hang) => steps.push(other),
        }
    }
    steps.push(Step::Close);
    steps
}

fn drip(steps: &[Step], gap: Duration) -> Vec<Step> {
    let mut slow = Vec::new();
    for step in steps {
        match step {
            Step::Bytes(bytes) => {
                for at in 0..bytes.len() {
                    slow.extend([Step::Bytes(bytes.slice(at..=at)), Step::Wait(gap)]);
                }
            }
            other @ (Step::Wait(_) | Step::Close | Step::Reset | Step::Hang) => slow.push(other.clone()),
        }
    }
    slow
}
