//! Embeddings of Gemini, the provider's side: one `batchEmbedContents` for any number of texts.
//!
//! Sources: Gemini API reference, Embeddings (`batchEmbedContents`, `embedContent`, `ContentEmbedding`), 2026-11,
//! and a recording of 2026. Vectors come in the order of the requests and have no index.

use mainstay_canon::{Dialect, EmbedInputs, EmbedRequest, Failure, RawJson, Target, WireUsage, WireVectors};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::error;
use super::json::Object;
use super::request_write::method_path;
use crate::Outbound;
use crate::embeddings::{Embeddings, Wanted, bad, cannot, checked, extras, numbers, unreadable};

/// The most requests of one batch. Not on the page; the service refuses more (`at most 100 requests can be in
/// one batch`, reported 2024 to 2026 in langchain-ai/langchainjs#4491 and weaviate/weaviate#11277).
const MOST: usize = 100;

/// Members of a caller's that are never taken as they are: a canonical field says it.
const WRITTEN: [&str; 4] = ["model", "content", "outputDimensionality", "requests"];

/// Gemini's way to write and read embeddings.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchEmbed;

impl Embeddings for BatchEmbed {
    fn write_request(&self, request: &EmbedRequest, target: &Target) -> Result<Outbound, Failure> {
        let EmbedInputs::Texts(texts) = &request.inputs else {
            return Err(cannot("input", "this provider takes texts, not lists of tokens"));
        };
        if texts.len() > MOST {
            return Err(cannot("input", &format!("this provider takes at most {MOST} texts in one request")));
        }
        let (extra, notes) = extras(request, &[Dialect::Gemini], |name| !WRITTEN.contains(&name));
        let model = format!("models/{}", target.model.strip_prefix("models/").unwrap_or(&target.model));
        let one = |text| Content { model: &model, text, dimensions: request.dimensions, extra: &extra };
        let body = Batch { requests: texts.iter().map(|text| one(text)).collect() };
        // Texts, numbers and JSON that was read before: this cannot fail.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        Ok(Outbound {
            path: method_path(&target.model, "batchEmbedContents"),
            headers: Vec::new(),
            body,
            notes,
        })
    }

    fn read_reply(&self, wanted: Wanted, body: &[u8]) -> Result<WireVectors, Failure> {
        let text = std::str::from_utf8(body).map_err(|_| bad("the body is not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        let raw = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
        let reply = Object::of(raw).ok_or_else(|| bad("the body is not the object of a reply"))?;
        if let Some(failure) = error::inside(&reply) {
            return Err(failure);
        }
        // `embedContent` answers with one in place of a list; a compatible server may do so, too.
        let found = match reply.get("embedding") {
            Some(one) => vec![one],
            None => reply.list("embeddings"),
        };
        let vectors = found.into_iter().enumerate().map(|(place, raw)| {
            let values = Object::of(raw).and_then(|vector| vector.get("values"));
            numbers(values.ok_or_else(|| bad(format!("vector {place} is missing")))?, place)
        });
        let vectors = checked(vectors.collect::<Result<_, _>>()?, wanted)?;
        let prompt = reply.object("usageMetadata").and_then(|usage| usage.count("promptTokenCount"));
        let usage = WireUsage { prompt, ..WireUsage::default() };
        Ok(WireVectors { vectors, model: None, usage })
    }
}

#[derive(Serialize)]
struct Batch<'a> {
    requests: Vec<Content<'a>>,
}

struct Content<'a> {
    model: &'a str,
    text: &'a str,
    dimensions: Option<u32>,
    extra: &'a [(&'a str, &'a RawJson)],
}

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut request = serializer.serialize_map(None)?;
        request.serialize_entry("model", self.model)?;
        request.serialize_entry("content", &json!({"parts": [{"text": self.text}]}))?;
        if let Some(dimensions) = self.dimensions {
            request.serialize_entry("outputDimensionality", &dimensions)?;
        }
        for (name, value) in self.extra {
            request.serialize_entry(name, value)?;
        }
        request.end()
    }
}
