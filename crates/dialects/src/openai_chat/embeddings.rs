//! Embeddings as OpenAI has them, and everybody who speaks so: the provider's side.
//!
//! Sources: OpenAI API reference, Create embeddings, 2026-11; Mistral API reference, Embeddings, 2026-11; and
//! recordings of nine hosts. Vectors come in the order of the inputs and say so by their `index`; another
//! order, or one place twice, is no reply to be trusted.

use mainstay_canon::{Dialect, EmbedInputs, EmbedRequest, Failure, RawJson, Target, WireVectors};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::errors;
use super::lenient::{Text, says_something};
use super::usage::usage;
use crate::Outbound;
use crate::embeddings::{Embeddings, Wanted, bad, cannot, checked, extras, floats, numbers, unreadable};

/// What a host's embeddings do their own way.
///
/// ```
/// use mainstay_dialects::openai_chat::OpenAiEmbeddings;
///
/// assert_eq!(OpenAiEmbeddings::STANDARD.dimensions, "dimensions");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAiEmbeddings {
    /// What is added to the host's base URL.
    pub path: &'static str,
    /// The name of the wanted number of dimensions.
    pub dimensions: &'static str,
    /// Whether the host takes lists of tokens in place of texts.
    pub tokens: bool,
    /// Whether vectors are asked for as base64: exact, and a third of the size. A host that was not asked for
    /// it and sends texts all the same means something else by them (Perplexity's are bytes), so that is a
    /// failure.
    pub base64: bool,
    /// The members of a body beyond those of the dialect's core that the host takes, where it refuses all
    /// others.
    pub only_members: Option<&'static [&'static str]>,
}

impl OpenAiEmbeddings {
    /// What nearly every compatible server understands.
    pub const STANDARD: Self = Self {
        path: "/embeddings",
        dimensions: "dimensions",
        tokens: true,
        base64: false,
        only_members: None,
    };
}

impl Default for OpenAiEmbeddings {
    fn default() -> Self {
        Self::STANDARD
    }
}

/// Members that are never taken from a caller's extras: a canonical field says it.
const WRITTEN: [&str; 5] = ["model", "input", "dimensions", "output_dimension", "encoding_format"];

impl Embeddings for OpenAiEmbeddings {
    fn write_request(&self, request: &EmbedRequest, target: &Target) -> Result<Outbound, Failure> {
        if !self.tokens && matches!(request.inputs, EmbedInputs::Tokens(_)) {
            return Err(cannot("input", "this provider takes texts, not lists of tokens"));
        }
        let taken = |name: &str| {
            !WRITTEN.contains(&name) && self.only_members.is_none_or(|members| members.contains(&name))
        };
        let (extra, notes) = extras(request, &[Dialect::OpenaiChat, Dialect::OpenaiResponses], taken);
        let body = Body { style: self, request, target, extra };
        // Texts, numbers and JSON that was read before: this cannot fail.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        Ok(Outbound { path: self.path.to_owned(), headers: Vec::new(), body, notes })
    }

    fn read_reply(&self, wanted: Wanted, body: &[u8]) -> Result<WireVectors, Failure> {
        let text = std::str::from_utf8(body).map_err(|_| bad("the body is not UTF-8"))?;
        let raw: &RawValue = serde_json::from_str(text.trim()).map_err(|error| unreadable(&error))?;
        let reply: Reply<'_> =
            serde_json::from_str(raw.get()).map_err(|_| bad("the body is not the object of a reply"))?;
        let Some(data) = reply.data else {
            let states_error = [reply.error, reply.detail, reply.message].into_iter().flatten();
            return Err(if states_error.into_iter().any(says_something) {
                errors::of_json(raw)
            } else {
                bad("the reply holds no vectors")
            });
        };
        let items: Vec<Item<'_>> =
            serde_json::from_str(data.get()).map_err(|_| bad("the vectors are not a list of objects"))?;
        let vectors = items.iter().enumerate().map(|(place, item)| self.vector(item, place));
        let vectors = checked(vectors.collect::<Result<_, _>>()?, wanted)?;
        let usage = reply.usage.map(usage).unwrap_or_default();
        Ok(WireVectors { vectors, model: reply.model.owned(), usage })
    }
}

impl OpenAiEmbeddings {
    fn vector(&self, item: &Item<'_>, place: usize) -> Result<Vec<f32>, Failure> {
        // Hosts that leave the index out answer in order; there is nothing else it could mean.
        if let Some(index) = item.index.filter(|index| index.get() != place.to_string()) {
            let found: String = index.get().chars().take(20).collect();
            return Err(bad(format!("the vector at place {place} says that it belongs to input {found}")));
        }
        let Some(raw) = item.embedding else { return Err(bad(format!("vector {place} is missing"))) };
        if !raw.get().starts_with('"') {
            return numbers(raw, place);
        }
        if !self.base64 {
            return Err(bad(format!("vector {place} is a text, and nobody asked for texts")));
        }
        let text: Text<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
        floats(text.0.as_deref().unwrap_or_default())
            .ok_or_else(|| bad(format!("vector {place} is not the base64 of 32-bit floats")))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reply<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Text<'a>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    detail: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item<'a> {
    #[serde(borrow)]
    embedding: Option<&'a RawValue>,
    #[serde(borrow)]
    index: Option<&'a RawValue>,
}

struct Body<'a> {
    style: &'a OpenAiEmbeddings,
    request: &'a EmbedRequest,
    target: &'a Target,
    extra: Vec<(&'a str, &'a RawJson)>,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("model", &*self.target.model)?;
        match &self.request.inputs {
            EmbedInputs::Texts(texts) => body.serialize_entry("input", texts)?,
            EmbedInputs::Tokens(lists) => body.serialize_entry("input", lists)?,
        }
        if let Some(dimensions) = self.request.dimensions {
            body.serialize_entry(self.style.dimensions, &dimensions)?;
        }
        if self.style.base64 {
            body.serialize_entry("encoding_format", "base64")?;
        }
        for (name, value) in &self.extra {
            body.serialize_entry(name, value)?;
        }
        body.end()
    }
}
