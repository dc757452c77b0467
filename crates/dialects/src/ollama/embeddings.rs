//! Embeddings of Ollama, the provider's side: `/api/embed`.
//!
//! Source: Ollama API reference, Generate embeddings, 2026-11. A text that does not fit is cut in silence unless
//! `truncate` is false, and the vector of half a text is not the text's; so false is sent, unless the caller
//! says otherwise. Vectors come in the order of the texts and have no index.

use mainstay_canon::{Dialect, EmbedInputs, EmbedRequest, Failure, RawJson, Target, WireUsage, WireVectors};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::errors;
use crate::Outbound;
use crate::embeddings::{Embeddings, Wanted, bad, cannot, checked, extras, numbers, unreadable};
use crate::openai_chat::lenient::{Count, Text, says_something};

/// Members of a caller's that are never taken as they are: a canonical field says it.
const WRITTEN: [&str; 3] = ["model", "input", "dimensions"];

/// Ollama's way to write and read embeddings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Embed;

impl Embeddings for Embed {
    fn write_request(&self, request: &EmbedRequest, target: &Target) -> Result<Outbound, Failure> {
        let EmbedInputs::Texts(texts) = &request.inputs else {
            return Err(cannot("input", "this provider takes texts, not lists of tokens"));
        };
        let (extra, notes) = extras(request, &[Dialect::Ollama], |name| !WRITTEN.contains(&name));
        let body = Body { model: &target.model, texts, dimensions: request.dimensions, extra };
        // Texts, numbers and JSON that was read before: this cannot fail.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        Ok(Outbound { path: "/api/embed".to_owned(), headers: Vec::new(), body, notes })
    }

    fn read_reply(&self, wanted: Wanted, body: &[u8]) -> Result<WireVectors, Failure> {
        let text = std::str::from_utf8(body).map_err(|_| bad("the body is not UTF-8"))?.trim();
        let reply: Reply<'_> = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
        if reply.error.is_some_and(says_something) {
            return Err(errors::of_json(text));
        }
        let Some(found) = reply.embeddings else { return Err(bad("the reply holds no vectors")) };
        let found: Vec<&RawValue> =
            serde_json::from_str(found.get()).map_err(|_| bad("the vectors are not a list"))?;
        let vectors = found.into_iter().enumerate().map(|(place, raw)| numbers(raw, place));
        let vectors = checked(vectors.collect::<Result<_, _>>()?, wanted)?;
        let usage = WireUsage { prompt: reply.prompt_eval_count.0, ..WireUsage::default() };
        Ok(WireVectors { vectors, model: reply.model.owned(), usage })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reply<'a> {
    #[serde(borrow)]
    embeddings: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Text<'a>,
    prompt_eval_count: Count,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

struct Body<'a> {
    model: &'a str,
    texts: &'a [String],
    dimensions: Option<u32>,
    extra: Vec<(&'a str, &'a RawJson)>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("model", self.model)?;
        body.serialize_entry("input", self.texts)?;
        if let Some(dimensions) = self.dimensions {
            body.serialize_entry("dimensions", &dimensions)?;
        }
        if !self.extra.iter().any(|(name, _)| *name == "truncate") {
            body.serialize_entry("truncate", &false)?;
        }
        for (name, value) in &self.extra {
            body.serialize_entry(name, value)?;
        }
        body.end()
    }
}
