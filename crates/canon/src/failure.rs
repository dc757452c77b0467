//! What went wrong: one type for every layer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Answer, Quality, RawJson, Target, Verdict};

/// What kind of thing went wrong. Exhaustive: what follows from each is decided in one place, the
/// retry layer's `consequence`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// No connection: refused, unreachable, name not found, or not within the connect timeout.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// No first byte, or no first content, in time.
    TimeoutFirstByte,
    /// Too long between contents.
    TimeoutIdle,
    /// The attempt's or the request's time was up.
    TimeoutTotal,
    /// Too many requests for now.
    RateLimited,
    /// Money or quota is used up; waiting a minute does not help.
    QuotaExhausted,
    /// The provider is overloaded.
    Overloaded,
    /// The provider failed.
    ServerError,
    /// The request is wrong, for this provider and any other.
    InvalidRequest,
    /// This model does not take a parameter that another may.
    UnsupportedParameter,
    /// The prompt does not fit this model's window.
    ContextLength,
    /// The request is too large in bytes or for a per-minute limit.
    TooLarge,
    /// The key is wrong.
    Auth,
    /// The key or account may not do this.
    Permission,
    /// The model or address does not exist there.
    NotFound,
    /// A 403 or 404 about this one request: its region, content, context or file.
    RequestDeclined,
    /// A filter blocked the prompt or the answer.
    ContentFiltered,
    /// A filter blocked the prompt as prohibited; nobody else is asked.
    ContentProhibited,
    /// The stream or body broke off.
    StreamInterrupted,
    /// The body cannot be read as what it should be.
    InvalidResponse,
    /// A finish word that no table knows.
    UnknownFinishReason,
    /// The provider says that the model broke the tool format.
    MalformedToolCall,
    /// A cap does not leave room.
    BudgetExceeded,
    /// The model has no price and a cap is set.
    UnpricedModel,
    /// The caller went away.
    Cancelled,
    /// An answer came and the judge found it useless.
    Bad(Quality),
}

impl Kind {
    /// The word for records: one of the error kinds of the call log.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::TimeoutFirstByte => "timeout_first_byte",
            Self::TimeoutIdle => "timeout_idle",
            Self::TimeoutTotal => "timeout_total",
            Self::RateLimited => "rate_limited",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::InvalidRequest => "invalid_request",
            Self::UnsupportedParameter => "unsupported_parameter",
            Self::ContextLength => "context_length",
            Self::TooLarge => "too_large",
            Self::Auth => "auth",
            Self::Permission | Self::RequestDeclined => "permission",
            Self::NotFound => "not_found",
            Self::ContentFiltered | Self::ContentProhibited => "content_filtered",
            Self::StreamInterrupted => "stream_interrupted",
            Self::InvalidResponse => "invalid_response",
            Self::UnknownFinishReason => "unknown_finish_reason",
            Self::MalformedToolCall => "malformed_tool_call",
            Self::BudgetExceeded => "budget_exceeded",
            Self::UnpricedModel => "unpriced_model",
            Self::Cancelled => "cancelled",
            Self::Bad(quality) => quality.word(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How long a provider asks us to stay away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryHint {
    /// From the moment the answer came.
    pub after: Duration,
    /// Where it was said.
    pub source: HintSource,
    /// Whether it was above 24 h and is kept as 24 h (behaviour 5.2).
    pub clamped: bool,
}

/// Where a retry hint was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintSource {
    /// `retry-after-ms`.
    RetryAfterMs,
    /// `retry-after`, in seconds or as a date.
    RetryAfter,
    /// Inside the error body.
    Body,
    /// A rate-limit reset header of a bucket with nothing left.
    ResetHeader,
}

/// Something that went wrong on the way to an answer.
///
/// `Display` prints one level and names the target; what lies below is `source()`. A message never
/// holds a key, a header or a prompt.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What kind of thing.
    pub kind: Kind,
    /// Who was asked, once the client knows.
    pub target: Option<Target>,
    /// HTTP status of the provider's reply.
    pub status: Option<u16>,
    /// The provider's own words, or ours; at most a few hundred characters.
    pub message: String,
    /// The provider's own code or type for it.
    pub code: Option<String>,
    /// The request's field that is at fault.
    pub param: Option<String>,
    /// The finish word that no table knows, or that hides this failure.
    pub finish_reason_raw: Option<String>,
    /// How long the provider asks us to stay away.
    pub hint: Option<RetryHint>,
    /// Whether the provider says that asking it again is useless (`x-should-retry: false`). The next tier is
    /// asked as ever.
    pub says_final: bool,
    /// The provider's id of the call.
    pub provider_request_id: Option<String>,
    /// The provider's own error object, for the tables of that provider, which take it out once they have read
    /// it: it may hold parts of the prompt.
    pub object: Option<RawJson>,
    /// The judge's finding, for [`Kind::Bad`].
    pub verdict: Option<Verdict>,
    /// What had arrived: a refusal's text is worth showing, and its tokens were paid for.
    pub answer: Option<Box<Answer>>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl Failure {
    /// Longest message kept, in characters.
    pub const MESSAGE_LIMIT: usize = 500;

    /// A failure of that kind, with a message for people.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((cut, _)) = message.char_indices().nth(Self::MESSAGE_LIMIT) {
            message.truncate(cut);
            message.push('…');
        }
        Self {
            kind,
            target: None,
            status: None,
            message,
            code: None,
            param: None,
            finish_reason_raw: None,
            hint: None,
            says_final: false,
            provider_request_id: None,
            object: None,
            verdict: None,
            answer: None,
            source: None,
        }
    }

    /// The failure that an unusable answer is.
    pub fn bad(verdict: Verdict, answer: Answer) -> Self {
        let mut failure = Self::new(Kind::Bad(verdict.quality), verdict.detail.to_string());
        failure.finish_reason_raw.clone_from(&answer.finish_reason_raw);
        failure.verdict = Some(verdict);
        failure.answer = Some(Box::new(answer));
        failure
    }

    /// Says who was asked.
    pub fn at(mut self, target: &Target) -> Self {
        self.target = Some(target.clone());
        self
    }

    /// Says the HTTP status.
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Says the provider's own code.
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Names the request's field that is at fault.
    pub fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Keeps the provider's wish to be left alone.
    pub fn hint(mut self, hint: RetryHint) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Keeps what had arrived.
    pub fn with_answer(mut self, answer: Answer) -> Self {
        self.answer = Some(Box::new(answer));
        self
    }

    /// Keeps what lies below.
    pub fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Whether an answer came and was judged useless.
    pub const fn is_about_quality(&self) -> bool {
        matches!(self.kind, Kind::Bad(_))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(target) = &self.target {
            write!(f, "{target}: ")?;
        }
        f.write_str(self.kind.word())?;
        if let Some(status) = self.status {
            write!(f, " (HTTP {status})")?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_cut_between_characters() {
        let failure = Failure::new(Kind::ServerError, "é".repeat(2000));
        assert_eq!(failure.message.chars().count(), Failure::MESSAGE_LIMIT + 1);
    }

    #[test]
    fn a_failure_names_its_target_and_status() {
        let failure =
            Failure::new(Kind::Overloaded, "try later").status(529).at(&Target::new("anthropic", "claude"));
        assert_eq!(failure.to_string(), "anthropic/claude: overloaded (HTTP 529): try later");
    }
}
