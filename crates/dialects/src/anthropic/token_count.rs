//! Counts of a prompt's tokens: `POST /v1/messages/count_tokens`.
//!
//! Source: Anthropic API reference, Token counting, 2026-11. The body is that of a message without what only an
//! answer needs.

use mainstay_canon::{ChatRequest, Failure, Kind};
use serde::Serialize;

use super::json::{Object, put};
use super::request_write::{Purpose, write};
use super::{AnthropicMessages, Face, error};
use crate::{Call, Outbound};

impl AnthropicMessages {
    /// Writes a request that counts the prompt's tokens.
    ///
    /// # Errors
    ///
    /// As [`Upstream::write_request`](crate::Upstream::write_request).
    pub fn write_token_count(&self, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
        write(self, request, call, Purpose::Count)
    }

    /// Reads the count, in tokens, out of a reply of a 2xx status.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` when there is none; the kind that an error object inside the body states.
    pub fn read_token_count(&self, body: &[u8]) -> Result<u64, Failure> {
        let invalid = || Failure::new(Kind::InvalidResponse, "the body holds no input_tokens");
        let text = std::str::from_utf8(body).map_err(|error| invalid().because(error))?;
        let object = Object::parse(text).map_err(|error| invalid().because(error))?;
        if let Some(failure) = error::inside(&object) {
            return Err(failure);
        }
        object.count("input_tokens").ok_or_else(invalid)
    }
}

impl Face {
    /// Writes a count, in tokens. The request is read as a message is; it needs no `max_tokens`.
    pub fn write_token_count(&self, tokens: u64) -> Vec<u8> {
        #[derive(Serialize)]
        struct Count {
            input_tokens: u64,
        }
        let mut out = Vec::new();
        put(&mut out, &Count { input_tokens: tokens });
        out
    }
}

#[cfg(test)]
mod tests {
    use mainstay_canon::{Accepts, Dialect, RawJson, Target};

    use super::*;
    use crate::Inbound;

    #[test]
    fn a_count_asks_for_what_makes_up_the_prompt_only() {
        let sent = br#"{"model":"m","system":"s","messages":[{"role":"user","content":"hi"}],"temperature":0.5,
            "top_k":3,"max_tokens":9,"stop_sequences":["x"],"metadata":{"user_id":"u"},"service_tier":"auto",
            "stream":true,"thinking":{"type":"enabled","budget_tokens":2000},"cache_control":{"type":"ephemeral"}}"#;
        let request = Face.read_request(sent).unwrap().request;
        let (target, accepts) = (Target::new("anthropic", "m"), Accepts::default());
        let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: None };
        let out = AnthropicMessages::STANDARD.write_token_count(&request, &call).unwrap();
        assert_eq!(out.path, "/v1/messages/count_tokens");
        assert_eq!(out.headers, [("anthropic-version", "2026-10-21".to_owned())]);
        let body: serde_json::Value = serde_json::from_slice(&out.body).unwrap();
        let names: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["cache_control", "messages", "model", "system", "thinking"]);
    }

    #[test]
    fn a_count_is_read_and_written() {
        let upstream = AnthropicMessages::STANDARD;
        assert_eq!(upstream.read_token_count(&Face.write_token_count(14)).unwrap(), 14);
        assert_eq!(upstream.read_token_count(b"{}").unwrap_err().kind, Kind::InvalidResponse);
        let error = br#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#;
        assert_eq!(upstream.read_token_count(error).unwrap_err().kind, Kind::Overloaded);
    }

    #[test]
    fn a_beta_feature_is_named_in_a_count_too() {
        let mut request = ChatRequest::user("hi");
        request.origin = Some(Dialect::Anthropic);
        request.extra.insert(super::super::BETA_HEADER, RawJson::parse("\"a\"").unwrap());
        let (target, accepts) = (Target::new("anthropic", "m"), Accepts::default());
        let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: None };
        let out = AnthropicMessages::STANDARD.write_token_count(&request, &call).unwrap();
        assert_eq!(out.headers[1], ("anthropic-beta", "a".to_owned()));
    }
}
