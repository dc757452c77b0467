//! Errors told to a caller in this dialect.
//!
//! Source: Anthropic API reference, Errors, 2026-11. Our own word stands in `error.details.error_code`.

use serde::Serialize;

use super::json::put;
use crate::{Problem, ProblemKind};

/// `{"type":"error","error":{…},"request_id":…}`.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ErrorBody<'a> {
    r#type: &'static str,
    error: ErrorObject<'a>,
    request_id: &'a str,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct ErrorObject<'a> {
    r#type: &'static str,
    message: &'a str,
    details: Details<'a>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Details<'a> {
    error_code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a str>,
}

impl<'a> ErrorBody<'a> {
    /// The body that says `problem`.
    pub(super) fn of(problem: &'a Problem) -> Self {
        let (word, code) = words(problem.kind);
        let details =
            Details { error_code: problem.code.as_deref().unwrap_or(code), param: problem.param.as_deref() };
        let error = ErrorObject { r#type: word, message: &problem.message, details };
        Self { r#type: "error", error, request_id: &problem.request_id }
    }
}

/// Writes an error body.
pub(super) fn write(problem: &Problem) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 + problem.message.len());
    put(&mut out, &ErrorBody::of(problem));
    out
}

/// The status of an overload here (Anthropic API reference, Errors, 2026-11).
const OVERLOADED: u16 = 529;

/// The status under which this dialect says so: its SDKs raise what is overloaded by the number, not by the word.
pub(super) const fn status(problem: &Problem) -> u16 {
    match problem.kind {
        ProblemKind::AllProvidersFailed | ProblemKind::Unavailable if problem.status == 503 => OVERLOADED,
        ProblemKind::InvalidRequest
        | ProblemKind::Authentication
        | ProblemKind::Permission
        | ProblemKind::NotFound
        | ProblemKind::TooLarge
        | ProblemKind::RateLimited
        | ProblemKind::BudgetExceeded
        | ProblemKind::AllProvidersFailed
        | ProblemKind::Timeout
        | ProblemKind::Unavailable => problem.status,
    }
}

/// The dialect's word for a kind of problem, and ours.
const fn words(kind: ProblemKind) -> (&'static str, &'static str) {
    match kind {
        ProblemKind::InvalidRequest => ("invalid_request_error", "invalid_request_error"),
        ProblemKind::Authentication => ("authentication_error", "authentication_error"),
        ProblemKind::Permission => ("permission_error", "permission_error"),
        ProblemKind::NotFound => ("not_found_error", "not_found_error"),
        ProblemKind::TooLarge => ("request_too_large", "invalid_request_error"),
        ProblemKind::RateLimited => ("rate_limit_error", "all_providers_failed"),
        ProblemKind::BudgetExceeded => ("billing_error", "budget_exceeded"),
        ProblemKind::AllProvidersFailed => ("overloaded_error", "all_providers_failed"),
        ProblemKind::Timeout => ("timeout_error", "timeout"),
        ProblemKind::Unavailable => ("overloaded_error", "unavailable"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_word_and_ours() {
        for (kind, word, code) in [
            (ProblemKind::InvalidRequest, "invalid_request_error", "invalid_request_error"),
            (ProblemKind::BudgetExceeded, "billing_error", "budget_exceeded"),
            (ProblemKind::AllProvidersFailed, "overloaded_error", "all_providers_failed"),
            (ProblemKind::RateLimited, "rate_limit_error", "all_providers_failed"),
            (ProblemKind::Timeout, "timeout_error", "timeout"),
        ] {
            let problem = Problem {
                kind,
                status: 500,
                message: "say \"so\"".to_owned(),
                param: None,
                code: None,
                request_id: "req_1".to_owned(),
            };
            let body: serde_json::Value = serde_json::from_slice(&write(&problem)).unwrap();
            let expected = serde_json::json!({
                "type": "error",
                "error": {"type": word, "message": "say \"so\"", "details": {"error_code": code}},
                "request_id": "req_1",
            });
            assert_eq!(body, expected);
        }
    }

    #[test]
    fn a_finer_code_and_the_field_are_told() {
        let problem = Problem {
            kind: ProblemKind::InvalidRequest,
            status: 400,
            message: "messages.2.role: expected user".to_owned(),
            param: Some("messages.2.role".to_owned()),
            code: Some("context_length_exceeded".to_owned()),
            request_id: String::new(),
        };
        let body: serde_json::Value = serde_json::from_slice(&write(&problem)).unwrap();
        assert_eq!(body["error"]["details"]["error_code"], "context_length_exceeded");
        assert_eq!(body["error"]["details"]["param"], "messages.2.role");
    }
}
