//! Error bodies, as each dialect spells them. Sources: the providers' error references, as of 2026-11.

use serde_json::{Value, json};

use crate::spell::Spelling;

/// An error in every dialect's words.
struct Words {
    openai_type: &'static str,
    openai_code: Option<&'static str>,
    anthropic: &'static str,
    gemini: &'static str,
    message: &'static str,
}

const fn words(
    openai_type: &'static str,
    anthropic: &'static str,
    gemini: &'static str,
    message: &'static str,
) -> Words {
    Words { openai_type, openai_code: None, anthropic, gemini, message }
}

fn of_status(status: u16) -> Words {
    const INVALID: &str = "invalid_request_error";
    match status {
        400 => words(INVALID, INVALID, "INVALID_ARGUMENT", "A field is wrong"),
        401 => Words {
            openai_code: Some("invalid_api_key"),
            ..words(INVALID, "authentication_error", "UNAUTHENTICATED", "Incorrect API key provided")
        },
        402 => {
            words("insufficient_quota", "billing_error", "RESOURCE_EXHAUSTED", "Your credits are depleted")
        }
        403 => words(
            "permission_error",
            "permission_error",
            "PERMISSION_DENIED",
            "Your account may not use this model",
        ),
        404 => words(INVALID, "not_found_error", "NOT_FOUND", "No such thing"),
        413 => words(INVALID, "request_too_large", "INVALID_ARGUMENT", "The request is too large"),
        422 => words(INVALID, INVALID, "INVALID_ARGUMENT", "The request cannot be processed"),
        429 => Words {
            openai_code: Some("rate_limit_exceeded"),
            ..words("rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED", "Too many requests")
        },
        503 => words("service_unavailable_error", "api_error", "UNAVAILABLE", "The server is overloaded"),
        504 => {
            words("server_error", "timeout_error", "DEADLINE_EXCEEDED", "The upstream did not answer in time")
        }
        529 => words("server_error", "overloaded_error", "UNAVAILABLE", "Overloaded"),
        _ => words("server_error", "api_error", "INTERNAL", "Something went wrong on our side"),
    }
}

impl Words {
    fn body(&self, spelling: Spelling, status: u16, message: &str) -> Value {
        match spelling {
            Spelling::OpenaiChat | Spelling::OpenaiResponses => json!({"error": {"message": message,
                "type": self.openai_type, "param": null, "code": self.openai_code}}),
            Spelling::Anthropic => json!({"type": "error", "request_id": "req_fake",
                "error": {"type": self.anthropic, "message": message}}),
            Spelling::Gemini => {
                json!({"error": {"code": status, "message": message, "status": self.gemini}})
            }
            Spelling::Ollama => json!({ "error": message }),
        }
    }
}

/// The ordinary error body of a status.
pub(super) fn status_body(spelling: Spelling, status: u16) -> String {
    let words = of_status(status);
    words.body(spelling, status, words.message).to_string()
}

/// The body of a 429, with the wait in it where one is to stand there.
pub(super) fn rate_limit_body(spelling: Spelling, wait: Option<&str>) -> String {
    let words = of_status(429);
    let Some(wait) = wait else { return words.body(spelling, 429, words.message).to_string() };
    if spelling == Spelling::Gemini {
        let detail = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait});
        return json!({"error": {"code": 429, "message": words.message, "status": words.gemini,
            "details": [detail]}})
        .to_string();
    }
    words.body(spelling, 429, &format!("Rate limit reached. Please try again in {wait}.")).to_string()
}

/// The status and body with which a provider says that the money is gone.
pub(super) fn quota(spelling: Spelling) -> (u16, String) {
    let (status, message) = match spelling {
        Spelling::OpenaiChat | Spelling::OpenaiResponses => (429, "You exceeded your current quota"),
        Spelling::Anthropic => (402, "Your credit balance is too low"),
        Spelling::Gemini => (402, "Your prepayment credits are depleted"),
        Spelling::Ollama => (402, "this model requires a subscription"),
    };
    let words = Words { openai_code: Some("insufficient_quota"), ..of_status(402) };
    (status, words.body(spelling, status, message).to_string())
}

/// The body with which a provider says that it has no such model.
pub(super) fn unknown_model(spelling: Spelling, model: &str) -> String {
    let words = Words { openai_code: Some("model_not_found"), ..of_status(404) };
    let message = match spelling {
        Spelling::OpenaiChat | Spelling::OpenaiResponses => format!("The model `{model}` does not exist"),
        Spelling::Anthropic => format!("model: {model}"),
        Spelling::Gemini => format!(
            "models/{model} is not found for API version v1beta, or is not supported for generateContent."
        ),
        Spelling::Ollama => format!("model '{model}' not found"),
    };
    words.body(spelling, 404, &message).to_string()
}

/// The status and body with which a provider says that it has too much to do.
pub(super) fn overloaded(spelling: Spelling) -> (u16, String) {
    match spelling {
        Spelling::Anthropic => (529, status_body(spelling, 529)),
        Spelling::Ollama => {
            let message = "server busy, please try again.  maximum pending requests exceeded";
            (503, of_status(503).body(spelling, 503, message).to_string())
        }
        Spelling::OpenaiChat | Spelling::OpenaiResponses | Spelling::Gemini => {
            (503, status_body(spelling, 503))
        }
    }
}

/// An error inside a stream, with its framing.
pub(super) fn event(spelling: Spelling) -> String {
    match spelling {
        Spelling::OpenaiChat | Spelling::Gemini => format!("data: {}\n\n", status_body(spelling, 500)),
        Spelling::OpenaiResponses => {
            let words = of_status(500);
            let error = json!({"type": "error", "code": "server_error", "message": words.message,
                "param": null, "sequence_number": 99});
            format!("event: error\ndata: {error}\n\n")
        }
        Spelling::Anthropic => format!("event: error\ndata: {}\n\n", status_body(spelling, 529)),
        Spelling::Ollama => format!("{}\n", status_body(spelling, 500)),
    }
}

/// An error in place of an answer, under a 200.
pub(super) fn inside_200(spelling: Spelling) -> String {
    match spelling {
        Spelling::OpenaiResponses => json!({"id": "resp_fake", "object": "response", "status": "failed",
            "error": {"code": "server_error", "message": of_status(500).message}, "output": []})
        .to_string(),
        Spelling::Anthropic => status_body(spelling, 529),
        Spelling::OpenaiChat | Spelling::Gemini | Spelling::Ollama => status_body(spelling, 500),
    }
}
