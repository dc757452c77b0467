//! Errors as a caller of this dialect reads them.

use serde::Serialize;

use crate::{Problem, ProblemKind};

#[derive(Serialize)]
struct Body<'a> {
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    message: &'a str,
    r#type: &'static str,
    param: Option<&'a str>,
    code: &'a str,
}

/// The `type` of an error, and its `code` where nobody has a finer word.
pub(crate) const fn words(kind: ProblemKind) -> (&'static str, &'static str) {
    match kind {
        ProblemKind::InvalidRequest => ("invalid_request_error", "invalid_request_error"),
        ProblemKind::TooLarge => ("invalid_request_error", "request_too_large"),
        ProblemKind::Authentication => ("authentication_error", "authentication_error"),
        ProblemKind::Permission => ("permission_error", "permission_error"),
        ProblemKind::NotFound => ("not_found_error", "not_found_error"),
        // Everything failed, and only for rate limits: the type by which SDKs know them.
        ProblemKind::RateLimited => ("rate_limit_error", "all_providers_failed"),
        ProblemKind::BudgetExceeded => ("budget_exceeded", "budget_exceeded"),
        ProblemKind::AllProvidersFailed => ("all_providers_failed", "all_providers_failed"),
        ProblemKind::Timeout => ("timeout", "timeout"),
        ProblemKind::Unavailable => ("all_providers_failed", "unavailable"),
    }
}

/// Writes an error body.
pub(super) fn write(problem: &Problem) -> Vec<u8> {
    let (r#type, code) = words(problem.kind);
    let error = Error {
        message: &problem.message,
        r#type,
        param: problem.param.as_deref(),
        code: problem.code.as_deref().unwrap_or(code),
    };
    // Plain strings: this cannot fail.
    serde_json::to_vec(&Body { error }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_four_members_that_sdks_read() {
        let mut problem = Problem {
            kind: ProblemKind::InvalidRequest,
            status: 400,
            message: "temperature: expected a number".into(),
            param: Some("temperature".into()),
            code: None,
            request_id: "req_1".into(),
        };
        assert_eq!(
            String::from_utf8(write(&problem)).unwrap(),
            r#"{"error":{"message":"temperature: expected a number","type":"invalid_request_error","param":"temperature","code":"invalid_request_error"}}"#
        );
        problem.kind = ProblemKind::RateLimited;
        problem.param = None;
        let written = String::from_utf8(write(&problem)).unwrap();
        assert!(
            written.ends_with(r#""type":"rate_limit_error","param":null,"code":"all_providers_failed"}}"#)
        );
        problem.code = Some("insufficient_quota".into());
        assert!(String::from_utf8(write(&problem)).unwrap().contains(r#""code":"insufficient_quota""#));
    }
}
