//! What a caller is told when no answer came.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mainstay::{Failure, GaveUp, Kind, Reason, UnknownModel};
use mainstay_dialects::{Inbound, Problem, ProblemKind};

use crate::headers::set;

/// The longest wait that the OpenAI SDK sits out; above it, telling it to retry would be a lie.
const SDK_PATIENCE: Duration = Duration::from_mins(2);

/// An error with what goes into headers.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) problem: Problem,
    /// When trying again makes sense.
    pub(crate) retry_after: Option<Duration>,
    /// What SDKs are told about retrying by themselves; `None` leaves it to them.
    pub(crate) should_retry: Option<bool>,
    /// Whether the connection is of no further use: its request was not read to the end.
    closes: bool,
}

impl Told {
    pub(crate) fn new(kind: ProblemKind, status: u16, message: impl Into<String>) -> Self {
        let problem = Problem {
            kind,
            status,
            message: message.into(),
            param: None,
            code: None,
            request_id: String::new(),
        };
        Self { problem, retry_after: None, should_retry: Some(false), closes: false }
    }

    /// A request that the caller's face could not read.
    pub(crate) fn unreadable(failure: &Failure) -> Self {
        let mut told = Self::new(ProblemKind::InvalidRequest, 400, failure.message.clone());
        told.problem.param.clone_from(&failure.param);
        told
    }

    /// A request header that says something we cannot use.
    pub(crate) fn bad_header(name: &str, expected: &str) -> Self {
        let message = format!("the header {name} cannot be used: expected {expected}");
        let mut told = Self::new(ProblemKind::InvalidRequest, 400, message);
        told.problem.param = Some(name.to_owned());
        told
    }

    pub(crate) fn unknown_model(unknown: &UnknownModel) -> Self {
        let mut told = Self::new(ProblemKind::NotFound, 404, unknown.to_string());
        told.problem.param = Some("model".into());
        told.problem.code = Some("model_not_found".into());
        told
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        let message = format!("the body is larger than {limit} bytes ([server] max_body)");
        Self { closes: true, ..Self::new(ProblemKind::TooLarge, 413, message) }
    }

    /// An upload that stalls. Not to be tried again by itself: the same body would be as slow.
    pub(crate) fn too_slow(idle: Duration) -> Self {
        let message =
            format!("the request body did not come: nothing for {} s, or too little", idle.as_secs());
        Self { closes: true, ..Self::new(ProblemKind::Timeout, 408, message) }
    }

    /// Nothing was tried: we are draining or full.
    pub(crate) fn unavailable(message: &str, retry_after: Duration) -> Self {
        let mut told = Self::new(ProblemKind::Unavailable, 503, message);
        told.retry_after = Some(retry_after);
        told.should_retry = Some(true);
        told
    }

    /// What became of a request that nobody answered.
    pub(crate) fn gave_up(gave_up: &GaveUp) -> Self {
        let (kind, status) = kind_and_status(&gave_up.reason);
        let mut told = Self::new(kind, status, message(gave_up));
        told.problem.request_id.clone_from(&gave_up.request_id);
        told.retry_after = gave_up.retry_after;
        if let Reason::InvalidRequest(failure) = &gave_up.reason {
            told.problem.param.clone_from(&failure.param);
            told.problem.code.clone_from(&failure.code);
        }
        // Where no call was made, the wait is all there is, and a patient client may sit it out.
        let patient = gave_up.retry_after.is_some_and(|wait| wait <= SDK_PATIENCE);
        told.should_retry = Some(gave_up.upstream_calls() == 0 && patient);
        told
    }

    pub(crate) fn with_request_id(mut self, id: &str) -> Self {
        id.clone_into(&mut self.problem.request_id);
        self
    }

    /// The error as an HTTP answer in the caller's dialect.
    pub(crate) fn into_response(self, face: &dyn Inbound, mut headers: HeaderMap) -> Response<Body> {
        if let Some(wait) = self.retry_after {
            let whole = wait.as_millis().div_ceil(1000).max(1);
            set(&mut headers, "retry-after", &whole.to_string());
            set(&mut headers, "retry-after-ms", &wait.as_millis().max(1).to_string());
        }
        if let Some(retry) = self.should_retry {
            set(&mut headers, "x-should-retry", if retry { "true" } else { "false" });
        }
        if self.closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut response = Response::new(Body::from(face.write_problem(&self.problem)));
        *response.status_mut() =
            StatusCode::from_u16(face.status(&self.problem)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = headers;
        response
    }
}

fn kind_and_status(reason: &Reason) -> (ProblemKind, u16) {
    match reason {
        Reason::AllProvidersFailed { only_rate_limits: true, .. } => (ProblemKind::RateLimited, 429),
        Reason::AllProvidersFailed { about_availability: false, .. } | Reason::Refused(_) => {
            (ProblemKind::AllProvidersFailed, 502)
        }
        Reason::AllProvidersFailed { .. } | Reason::Interrupted(_) => (ProblemKind::AllProvidersFailed, 503),
        Reason::Timeout => (ProblemKind::Timeout, 504),
        Reason::InvalidRequest(failure) => match (failure.kind, failure.status) {
            (Kind::TooLarge, _) | (_, Some(413)) => (ProblemKind::TooLarge, 413),
            (_, Some(422)) => (ProblemKind::InvalidRequest, 422),
            _ => (ProblemKind::InvalidRequest, 400),
        },
        Reason::BudgetExceeded(_) => (ProblemKind::BudgetExceeded, 402),
        Reason::LogUnavailable(_) => (ProblemKind::Unavailable, 503),
    }
}

/// For the caller's own mistakes the provider's words are the clearest; else the whole story.
fn message(gave_up: &GaveUp) -> String {
    match &gave_up.reason {
        Reason::InvalidRequest(failure) if !failure.message.is_empty() => match &failure.target {
            Some(target) => format!("{} (said by {target})", failure.message),
            None => failure.message.clone(),
        },
        _ => format!("{gave_up}. `mainstay why {}` tells the story.", gave_up.request_id),
    }
}
