//! The forms in which a provider says when to come back.

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
    /// In the error's body, such as `1.5s`: in its message, or in the detail that Gemini has for it.
    InMessage(String),
}

impl Hint {
    pub(super) fn headers(&self) -> Vec<(&'static str, String)> {
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

    /// The wait that stands in the body.
    pub(super) fn in_body(&self) -> Option<&str> {
        match self {
            Self::InMessage(wait) => Some(wait),
            Self::Seconds(_) | Self::Date(_) | Self::Millis(_) | Self::Reset(_) | Self::ResetAt(_) => None,
        }
    }
}
