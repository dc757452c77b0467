//! Ways in which providers misbehave, each spelled in the dialect of the route that was called.

mod broken;
mod cut;
mod hint;
mod huge;
mod null;
mod possible;
mod told;

use std::time::Duration;

use crate::said::{Said, SaidCall};
use crate::server::{Seen, Step};
use crate::spell::Spelling;
use crate::wire::http;

pub use hint::Hint;

/// An answer that goes back on itself, long after its beginning has been let go.
const LATE_REFUSAL: &str = "The rivers of Portugal have been described many times, and their valleys are well known to \
    everybody who has travelled there. I'm sorry, but I cannot help with that request.";

/// One way to misbehave.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// `200 OK` and an empty answer that says `stop`.
    Empty,
    /// `200 OK` and a single full stop, one token.
    Dot,
    /// `200 OK` and `{"choices": []}`, or what comes closest to it in another dialect.
    NoChoices,
    /// `200 OK` and null where the answer should stand: the choices, the content, the candidates, the message.
    NullAnswer,
    /// `200 OK` and "I cannot help with that."
    Refusal,
    /// Two good sentences, and then a refusal.
    LateRefusal,
    /// The same sentence again and again.
    Loop,
    /// The provider's refusal field or stop reason; its words as text where the dialect has neither.
    RefusalField,
    /// The safety filter. An empty answer where the dialect has none (Ollama).
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
    /// A 429 or 402 because the money is gone.
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
    /// Headers, then the connection is reset.
    ResetAfterHeaders,
    /// Keep-alive comments only, one every so often.
    CommentsOnly(Duration),
    /// The stream is cut before its first content; a whole answer in the middle of its body.
    CutBeforeContent,
    /// The stream is cut after some text.
    CutInText(String),
    /// The answer is cut in the middle of its thinking; an ordinary answer where the dialect shows none.
    CutInReasoning(String),
    /// The answer is cut in the middle of a call's arguments.
    CutInCall(SaidCall),
    /// The stream is cut behind its finish word, before what else ends it.
    CutAfterFinish(String),
    /// The stream stalls after some text.
    StallInText(String),
    /// The body ends in good order, but without a finish word or terminator.
    NoTerminator(String),
    /// Only the first so many bytes of a good answer's body, then the connection closes.
    CutAtByte(String, usize),
    /// A good answer, so many bytes at a time with a pause between.
    Drip(String, usize, Duration),
    /// A line of so many bytes that does not end.
    GiantLine(usize),
    /// An event of so many bytes, in lines of a megabyte.
    GiantEvent(usize),
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
            Self::NullAnswer => null::steps(spelling, seen),
            Self::LateRefusal => say(Said::text(LATE_REFUSAL)),
            Self::Loop => say(Said::text(&"The river is long and wide. ".repeat(60))),
            Self::NoChoices => broken::no_choices(spelling, seen),
            Self::ErrorInside200 => broken::error_inside(spelling, seen, ""),
            Self::ErrorAfterText => broken::error_inside(spelling, seen, "The committee met on"),
            Self::RateLimited(seconds) => {
                let body = told::rate_limit_body(spelling, None);
                http(429, &[("retry-after", &seconds.to_string())], body.as_bytes())
            }
            Self::RateLimitedBy(hint) => {
                let fields = hint.headers();
                let headers: Vec<(&str, &str)> =
                    fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                http(429, &headers, told::rate_limit_body(spelling, hint.in_body()).as_bytes())
            }
            Self::RateLimitedWith(headers, body) => {
                let headers: Vec<(&str, &str)> =
                    headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                http(429, &headers, body.as_bytes())
            }
            Self::Quota => error(told::quota(spelling)),
            Self::Status(status) => error((*status, told::status_body(spelling, *status))),
            Self::UnknownModel => error((404, told::unknown_model(spelling, &seen.model))),
            Self::Overloaded => error(told::overloaded(spelling)),
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
            Self::HangAfterHeaders => vec![broken::head(spelling), Step::Hang],
            Self::ResetAfterHeaders => vec![broken::head(spelling), Step::Wait(broken::READ), Step::Reset],
            Self::CommentsOnly(gap) => broken::comments(spelling, seen, *gap),
            Self::CutBeforeContent => broken::cut_before_content(spelling, seen),
            Self::CutInText(text) => broken::part_of(text, spelling, seen, Step::Reset),
            Self::CutInReasoning(thinking) => cut::in_reasoning(thinking, spelling, seen),
            Self::CutInCall(call) => cut::in_call(call, spelling, seen),
            Self::CutAfterFinish(text) => cut::after_finish(text, spelling, seen),
            Self::StallInText(text) => broken::part_of(text, spelling, seen, Step::Hang),
            Self::NoTerminator(text) => broken::no_terminator(text, spelling, seen),
            Self::CutAtByte(text, at) => broken::cut_at_byte(text, *at, spelling, seen),
            Self::GiantLine(bytes) => huge::line(*bytes, spelling),
            Self::GiantEvent(bytes) => huge::event(*bytes, spelling),
            Self::Drip(text, bytes, gap) => {
                broken::drip(&Said::text(text).steps(spelling, seen), *bytes, *gap)
            }
        }
    }
}

fn error((status, body): (u16, String)) -> Vec<Step> {
    http(status, &[], body.as_bytes())
}
