//! Vectors as a simulated model makes them, and as one that misbehaves does.

use serde_json::{Value, json};

use crate::server::{Seen, Step};
use crate::spell::Spelling;
use crate::wire::http;

/// A vector for each input, of as many numbers as the request asks for. The same text always has the same
/// vector, and two texts have different ones.
#[derive(Clone, Debug)]
pub struct Vectors {
    dimensions: usize,
    tokens: Option<u64>,
    spoilt: Option<Spoilt>,
    extra_headers: Vec<(String, String)>,
}

/// What is wrong with the last vector, or with where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoilt {
    /// It is not there.
    Missing,
    /// There is one more.
    OneMore,
    /// It has no numbers.
    Empty,
    /// It has one number less than the others.
    Shorter,
    /// Its first number is NaN.
    NotANumber,
    /// Its `index` is that of the first one; where the dialect has no index, the vector is not there.
    SameIndex,
    /// It stands first, with its own `index`; where the dialect has no index, it is not there.
    Unsorted,
}

impl Spoilt {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Missing,
        Self::OneMore,
        Self::Empty,
        Self::Shorter,
        Self::NotANumber,
        Self::SameIndex,
        Self::Unsorted,
    ];
}

impl Vectors {
    /// Vectors of that many numbers, unless a request asks for another.
    pub fn of(dimensions: usize) -> Self {
        Self { dimensions, tokens: Some(12), spoilt: None, extra_headers: Vec::new() }
    }

    /// States that many input tokens, or none.
    #[must_use]
    pub fn tokens(mut self, tokens: Option<u64>) -> Self {
        self.tokens = tokens;
        self
    }

    /// Spoils the last of them.
    #[must_use]
    pub fn spoilt(mut self, how: Spoilt) -> Self {
        self.spoilt = Some(how);
        self
    }

    /// Adds a response header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.extra_headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The vector of a text, every number exact in 32 bits and between -1 and 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    pub fn vector(text: &str, dimensions: usize) -> Vec<f32> {
        // FNV-1a, then one step of it for each number.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        let mut next = || {
            hash = step(hash, 7);
            (hash >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
        };
        (0..dimensions).map(|_| next()).collect()
    }

    pub(crate) fn steps(&self, spelling: Spelling, seen: &Seen) -> Vec<Step> {
        let headers: Vec<(&str, &str)> =
            self.extra_headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        http(200, &headers, self.body(spelling, seen).as_bytes())
    }

    fn body(&self, spelling: Spelling, seen: &Seen) -> String {
        let dimensions = asked_dimensions(&seen.body).unwrap_or(self.dimensions);
        let mut vectors: Vec<Vec<f32>> =
            inputs(&seen.body).iter().map(|text| Self::vector(text, dimensions)).collect();
        let last = vectors.len().saturating_sub(1);
        match (self.spoilt, vectors.last_mut()) {
            (Some(Spoilt::Empty), Some(vector)) => vector.clear(),
            (Some(Spoilt::Shorter), Some(vector)) => drop(vector.pop()),
            (Some(Spoilt::NotANumber), Some(vector)) => vector.fill(f32::NAN),
            (Some(Spoilt::OneMore), _) => vectors.push(Self::vector("one more", dimensions)),
            (Some(Spoilt::Missing), _) => drop(vectors.pop()),
            (Some(Spoilt::SameIndex | Spoilt::Unsorted), _) if !has_index(spelling) => drop(vectors.pop()),
            (Some(_) | None, _) => {}
        }
        let mut places: Vec<usize> = (0..vectors.len()).collect();
        match self.spoilt.filter(|_| has_index(spelling)) {
            Some(Spoilt::SameIndex) => places.iter_mut().skip(last).for_each(|place| *place = 0),
            Some(Spoilt::Unsorted) => places.rotate_right(1),
            Some(_) | None => {}
        }
        let text = self.spelled(spelling, seen, &vectors, &places).to_string();
        // No JSON library writes what Python's does.
        text.replace("\"NaN\"", "NaN")
    }

    fn spelled(&self, spelling: Spelling, seen: &Seen, vectors: &[Vec<f32>], places: &[usize]) -> Value {
        let model = &seen.model;
        match spelling {
            Spelling::Gemini => {
                let embeddings: Vec<Value> =
                    vectors.iter().map(|vector| json!({"values": numbers(vector)})).collect();
                let mut body = json!({ "embeddings": embeddings });
                if let (Some(tokens), Some(body)) = (self.tokens, body.as_object_mut()) {
                    body.insert("usageMetadata".into(), json!({"promptTokenCount": tokens}));
                }
                body
            }
            Spelling::Ollama => {
                let embeddings: Vec<Value> = vectors.iter().map(|vector| numbers(vector)).collect();
                json!({"model": model, "embeddings": embeddings, "prompt_eval_count": self.tokens})
            }
            Spelling::OpenaiChat | Spelling::OpenaiResponses | Spelling::Anthropic => {
                let is_base64 = seen.body.get("encoding_format").is_some_and(|word| word == "base64");
                let entries = places.iter().filter_map(|place| {
                    // The entry of an index is the vector that belongs there.
                    let vector = vectors.get(*place)?;
                    let written = if is_base64 { json!(base64(vector)) } else { numbers(vector) };
                    Some(json!({"object": "embedding", "index": place, "embedding": written}))
                });
                let data: Vec<Value> = entries.collect();
                let usage =
                    self.tokens.map(|tokens| json!({"prompt_tokens": tokens, "total_tokens": tokens}));
                json!({"object": "list", "data": data, "model": model, "usage": usage})
            }
        }
    }
}

const fn has_index(spelling: Spelling) -> bool {
    match spelling {
        Spelling::OpenaiChat | Spelling::OpenaiResponses | Spelling::Anthropic => true,
        Spelling::Gemini | Spelling::Ollama => false,
    }
}

/// The inputs of a request, tokens as their text.
fn inputs(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(requests) = body.get("requests").and_then(Value::as_array) {
        let content =
            |request: &Value| request.pointer("/content/parts/0/text").map(text).unwrap_or_default();
        return requests.iter().map(content).collect();
    }
    match body.get("input") {
        Some(Value::Array(items)) if items.first().is_none_or(|first| !first.is_number()) => {
            items.iter().map(text).collect()
        }
        Some(one) => vec![text(one)],
        None => Vec::new(),
    }
}

fn asked_dimensions(body: &Value) -> Option<usize> {
    let asked = [
        body.get("dimensions"),
        body.get("output_dimension"),
        body.pointer("/requests/0/outputDimensionality"),
    ];
    usize::try_from(asked.into_iter().flatten().find_map(Value::as_u64)?).ok()
}

/// A list of numbers; what is none as the word that Python writes.
fn numbers(vector: &[f32]) -> Value {
    vector.iter().map(|number| if number.is_nan() { json!("NaN") } else { json!(number) }).collect()
}

fn base64(vector: &[f32]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits =
            (0..3).fold(0_usize, |bits, at| (bits << 8) | group.get(at).copied().map_or(0, usize::from));
        for at in 0..4 {
            let letter = ALPHABET.get((bits >> (18 - 6 * at)) & 0x3f).copied().unwrap_or(b'=');
            text.push(if at <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
