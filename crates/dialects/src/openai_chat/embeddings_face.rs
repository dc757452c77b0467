//! Embeddings as OpenAI has them: the caller's side.
//!
//! Source: OpenAI API reference, Create embeddings, 2026-11. `input` is a text, a list of texts, a list of
//! tokens or a list of such lists. Members without a canonical name are kept in `extra` as they came; `user`
//! names the end user to us and still reaches a provider of this dialect.

use mainstay_canon::{
    Dialect, EmbedInputs, EmbedRequest, EmbedResponse, Extra, Failure, Kind, VectorEncoding,
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::json::{Members, Path, invalid, list, object, optional_string, place, string, wrong, wrong_word};
use super::request_read::user;
use crate::embeddings::encode;

/// Reads a caller's request.
///
/// # Errors
///
/// `InvalidRequest` that names the field, says what was expected and what was found.
pub fn read_embeddings(body: &[u8]) -> Result<EmbedRequest, Failure> {
    let text = std::str::from_utf8(body).map_err(|_| invalid(&Path::Root, "expected UTF-8"))?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        Failure::new(Kind::InvalidRequest, format!("the body is not JSON: {}", place(&error)))
    })?;
    let mut members = object(raw, &Path::Root)?;
    let mut request = EmbedRequest {
        origin: Some(Dialect::OpenaiChat),
        model_hint: optional_string(members.take("model"), &Path::Root.member("model"))?,
        inputs: inputs(&mut members)?,
        dimensions: dimensions(&mut members)?,
        encoding: encoding(&mut members)?,
        ..EmbedRequest::default()
    };
    user(&mut request.meta, &members)?;
    let mut extra = Extra::new();
    members.keep_in(&mut extra);
    request.extra = extra;
    Ok(request)
}

fn inputs(members: &mut Members<'_>) -> Result<EmbedInputs, Failure> {
    let path = Path::Root.member("input");
    let expected = "a text, a list of texts, a list of tokens or a list of lists of tokens";
    let Some(raw) = members.take("input") else { return Err(wrong(&path, expected, None)) };
    if raw.get().starts_with('"') {
        return Ok(EmbedInputs::Texts(vec![string(raw, &path)?.into_owned()]));
    }
    if !raw.get().starts_with('[') {
        return Err(wrong(&path, expected, Some(raw)));
    }
    let items = list(raw, &path)?;
    match items.first().and_then(|first| first.get().bytes().next()) {
        None => Err(invalid(&path, "expected at least one text, found none")),
        Some(b'"') => {
            let texts = items.into_iter().enumerate();
            let text = |(index, raw)| string(raw, &path.item(index)).map(std::borrow::Cow::into_owned);
            Ok(EmbedInputs::Texts(texts.map(text).collect::<Result<_, _>>()?))
        }
        Some(b'[') => {
            let lists = items.into_iter().enumerate();
            let tokens = lists.map(|(index, raw)| tokens(list(raw, &path.item(index))?, &path.item(index)));
            Ok(EmbedInputs::Tokens(tokens.collect::<Result<_, _>>()?))
        }
        Some(_) => Ok(EmbedInputs::Tokens(vec![tokens(items, &path)?])),
    }
}

fn tokens(items: Vec<&RawValue>, path: &Path<'_>) -> Result<Vec<u32>, Failure> {
    let token = |(index, raw): (usize, &RawValue)| {
        serde_json::from_str(raw.get())
            .map_err(|_| wrong(&path.item(index), "a token, a whole number from 0", Some(raw)))
    };
    items.into_iter().enumerate().map(token).collect()
}

fn dimensions(members: &mut Members<'_>) -> Result<Option<u32>, Failure> {
    let Some(raw) = members.take("dimensions") else { return Ok(None) };
    serde_json::from_str::<u32>(raw.get())
        .ok()
        .filter(|count| *count > 0)
        .map(Some)
        .ok_or_else(|| wrong(&Path::Root.member("dimensions"), "a whole number above 0", Some(raw)))
}

fn encoding(members: &mut Members<'_>) -> Result<VectorEncoding, Failure> {
    let path = Path::Root.member("encoding_format");
    let Some(raw) = members.take("encoding_format") else { return Ok(VectorEncoding::Float) };
    match &*string(raw, &path)? {
        "float" => Ok(VectorEncoding::Float),
        "base64" => Ok(VectorEncoding::Base64),
        word => Err(wrong_word(&path, "float or base64", word)),
    }
}

/// Writes vectors to a caller, in the encoding that its request asked for.
pub fn write_embeddings(response: &EmbedResponse, encoding: VectorEncoding) -> Vec<u8> {
    let vectors = response.vectors.iter().enumerate();
    let data = vectors.map(|(index, vector)| Entry {
        object: "embedding",
        index,
        embedding: Vector { vector, encoding },
    });
    let body = Body {
        object: "list",
        data: data.collect(),
        model: response.model.as_deref().filter(|model| !model.is_empty()).unwrap_or(&response.target.model),
        usage: Usage { prompt_tokens: response.usage.prompt, total_tokens: response.usage.prompt },
    };
    // Finite numbers and texts: this cannot fail.
    serde_json::to_vec(&body).unwrap_or_default()
}

#[derive(Serialize)]
struct Body<'a> {
    object: &'static str,
    data: Vec<Entry<'a>>,
    model: &'a str,
    usage: Usage,
}

#[derive(Serialize)]
struct Entry<'a> {
    object: &'static str,
    index: usize,
    embedding: Vector<'a>,
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: u64,
    total_tokens: u64,
}

struct Vector<'a> {
    vector: &'a [f32],
    encoding: VectorEncoding,
}

impl Serialize for Vector<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.encoding {
            VectorEncoding::Float => self.vector.serialize(serializer),
            VectorEncoding::Base64 => serializer.serialize_str(&encode(self.vector)),
        }
    }
}
