//! Errors: bodies, error events, and answers that failed.
//!
//! The shapes and most codes are those of Chat Completions; here stand the codes that only a response has (OpenAI
//! API reference, "The response object", `error.code`, 2026-11).

use mainstay_canon::{Failure, Kind};
use serde_json::value::RawValue;

use super::wire::Response;
use crate::openai_chat::errors;
use crate::openai_chat::lenient::says_something;

/// The finish word of an answer that failed.
pub(super) const FAILED: &str = "failed";

/// Reads the body of a reply that is not 2xx.
pub(super) fn of_body(status: u16, body: &[u8]) -> Failure {
    let mut failure = errors::of_body(status, body);
    if let Some((kind, _)) = of_code(&failure) {
        failure.kind = kind;
    }
    failure
}

/// Reads an error object inside a 200, or an error event.
pub(super) fn of_json(raw: &RawValue) -> Failure {
    finished(errors::of_json(raw))
}

/// An error event whose data are no JSON.
pub(super) fn of_text(text: &str) -> Failure {
    finished(errors::of_text(text))
}

/// The failure that a response hides, if it hides one. `whole` is the body or the response of an event.
pub(super) fn inside(response: &Response<'_>, whole: &RawValue) -> Option<Failure> {
    let status = response.status.filled();
    let is_answer = matches!(status, Some("completed" | "incomplete"));
    if let Some(error) = response.error.filter(|error| says_something(error) && !is_answer) {
        // A flat error has its code beside it (xAI).
        let object = if error.get().starts_with('{') { error } else { whole };
        return Some(of_json(object));
    }
    if status == Some(FAILED) {
        return Some(unexplained());
    }
    let says_more = response.message.is_some_and(|text| text.get().starts_with('"'))
        || response.detail.is_some_and(says_something)
        || response.object.filled() == Some("error");
    (says_more && status.is_none() && response.output.is_none()).then(|| of_json(whole))
}

/// An answer that failed without a word.
pub(super) fn unexplained() -> Failure {
    finished(Failure::new(Kind::ServerError, "the answer failed, and nothing says why").status(500))
}

/// An error that ended an answer, with the status it would have had.
fn finished(mut failure: Failure) -> Failure {
    if let Some((kind, status)) = of_code(&failure) {
        failure.kind = kind;
        failure.status = Some(status);
    }
    // The `type` of the event itself is no code.
    failure.code = failure.code.filter(|code| code != "error");
    failure.finish_reason_raw = Some(FAILED.to_owned());
    failure
}

/// The meaning of the codes that Chat Completions does not have, with the status they would come under.
fn of_code(failure: &Failure) -> Option<(Kind, u16)> {
    Some(match failure.code.as_deref()? {
        // Worth another try.
        "vector_store_timeout" | "failed_to_download_image" => (Kind::ServerError, 500),
        // About what this one request names: another provider may well take it.
        "data_residency_mismatch" | "invalid_encrypted_content" | "previous_response_not_found" => {
            (Kind::RequestDeclined, 403)
        }
        "unsupported_image_media_type" | "invalid_image_mode" => (Kind::UnsupportedParameter, 400),
        "invalid_image"
        | "invalid_image_format"
        | "invalid_base64_image"
        | "invalid_image_url"
        | "image_too_small"
        | "image_parse_error"
        | "empty_image_file" => (Kind::InvalidRequest, 400),
        // A prompt that was flagged is told by its message.
        "invalid_prompt" if failure.kind != Kind::ContentFiltered => (Kind::InvalidRequest, 400),
        "cyber_policy" | "prompt_blocked" => (Kind::ContentFiltered, 400),
        // xAI's, for a model that it does not have.
        "invalid-argument" if failure.message.starts_with("Model not found") => (Kind::NotFound, 404),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code of the reference, and what follows from it.
    const CODES: [(&str, Kind, u16); 21] = [
        ("server_error", Kind::ServerError, 500),
        ("rate_limit_exceeded", Kind::RateLimited, 429),
        ("invalid_prompt", Kind::InvalidRequest, 400),
        ("data_residency_mismatch", Kind::RequestDeclined, 403),
        ("bio_policy", Kind::ContentFiltered, 400),
        ("misalignment_policy_violation", Kind::ContentFiltered, 400),
        ("vector_store_timeout", Kind::ServerError, 500),
        ("invalid_image", Kind::InvalidRequest, 400),
        ("invalid_image_format", Kind::InvalidRequest, 400),
        ("invalid_base64_image", Kind::InvalidRequest, 400),
        ("invalid_image_url", Kind::InvalidRequest, 400),
        ("image_too_large", Kind::TooLarge, 413),
        ("image_too_small", Kind::InvalidRequest, 400),
        ("image_parse_error", Kind::InvalidRequest, 400),
        ("image_content_policy_violation", Kind::ContentFiltered, 400),
        ("invalid_image_mode", Kind::UnsupportedParameter, 400),
        ("image_file_too_large", Kind::TooLarge, 413),
        ("unsupported_image_media_type", Kind::UnsupportedParameter, 400),
        ("empty_image_file", Kind::InvalidRequest, 400),
        ("failed_to_download_image", Kind::ServerError, 500),
        ("image_file_not_found", Kind::RequestDeclined, 403),
    ];

    fn hidden(json: &str) -> Option<Failure> {
        let whole = RawValue::from_string(json.to_owned()).unwrap();
        inside(&serde_json::from_str(json).unwrap(), &whole)
    }

    #[test]
    fn every_code_of_a_failed_answer_has_its_kind_and_status() {
        for (code, kind, status) in CODES {
            let json =
                format!(r#"{{"status":"failed","error":{{"code":"{code}","message":"It went wrong."}}}}"#);
            let failure = hidden(&json).unwrap();
            assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{code}");
            assert_eq!((failure.code.as_deref(), failure.message.as_str()), (Some(code), "It went wrong."));
            assert_eq!(failure.finish_reason_raw.as_deref(), Some(FAILED));
        }
    }

    #[test]
    fn a_flagged_prompt_is_filtered() {
        let failure = hidden(
            r#"{"status":"failed","error":{"code":"invalid_prompt","message":"Your prompt was flagged as violating our usage policy."}}"#,
        );
        assert_eq!(failure.unwrap().kind, Kind::ContentFiltered);
    }

    #[test]
    fn an_answer_that_came_is_no_failure() {
        for json in [
            r#"{"status":"completed","output":[],"error":null}"#,
            r#"{"status":"incomplete","error":{"message":"cut"}}"#,
            r#"{"status":"queued","error":null}"#,
            r#"{"message":"hi","output":[]}"#,
            "{}",
        ] {
            assert!(hidden(json).is_none(), "{json}");
        }
    }

    #[test]
    fn an_error_in_any_dress_is_found() {
        for (json, kind, status) in [
            (r#"{"status":"failed","error":null}"#, Kind::ServerError, 500),
            (r#"{"error":{"message":"x","code":"insufficient_quota"}}"#, Kind::QuotaExhausted, 429),
            (r#"{"code":"invalid-argument","error":"Model not found: g"}"#, Kind::NotFound, 404),
            (r#"{"detail":"x"}"#, Kind::ServerError, 500),
            (r#"{"object":"error","message":"x","code":400}"#, Kind::InvalidRequest, 400),
        ] {
            let failure = hidden(json).unwrap();
            assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{json}");
        }
    }

    #[test]
    fn an_error_event_is_flat_or_nested() {
        for json in [
            r#"{"type":"error","code":"rate_limit_exceeded","message":"slow","param":null,"sequence_number":1}"#,
            r#"{"type":"error","sequence_number":2,"error":{"type":"requests","code":"rate_limit_exceeded","message":"slow","param":null}}"#,
        ] {
            let failure = of_json(&RawValue::from_string(json.to_owned()).unwrap());
            assert_eq!(
                (failure.kind, failure.status, &*failure.message),
                (Kind::RateLimited, Some(429), "slow")
            );
        }
        let bare =
            of_json(&RawValue::from_string(r#"{"type":"error","code":null,"message":"x"}"#.into()).unwrap());
        assert_eq!((bare.kind, bare.code), (Kind::ServerError, None));
    }

    #[test]
    fn reasoning_of_another_model_is_about_this_request() {
        let body = br#"{"error":{"message":"The encrypted content could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}"#;
        let failure = of_body(400, body);
        assert_eq!((failure.kind, failure.status), (Kind::RequestDeclined, Some(400)));
    }
}
