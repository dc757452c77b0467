//! Embeddings: texts in, vectors out.

use crate::{Attempt, Cost, Dialect, Extra, Failure, Kind, Metadata, Target, Usage, WireUsage};

/// Texts, or lists of tokens, of which vectors are wanted: one vector each.
///
/// ```
/// use mainstay_canon::EmbedRequest;
///
/// let request = EmbedRequest::texts(["a mast", "a stay"]).dimensions(256).for_user("ann");
/// assert_eq!(request.inputs.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmbedRequest {
    /// The `model` that a caller named; how it is resolved is the engine's business.
    pub model_hint: Option<String>,
    /// What the vectors are wanted of.
    pub inputs: EmbedInputs,
    /// How many numbers a vector shall have; the model's own number where absent.
    pub dimensions: Option<u32>,
    /// How the caller wants the numbers written.
    pub encoding: VectorEncoding,
    /// What follows the request through every layer.
    pub meta: Metadata,
    /// Whose dialect the extras are.
    pub origin: Option<Dialect>,
    /// Members of the caller's body that this type has no name for.
    pub extra: Extra,
}

/// What vectors are wanted of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmbedInputs {
    /// Texts.
    Texts(Vec<String>),
    /// Texts that the caller has cut into the model's own tokens.
    Tokens(Vec<Vec<u32>>),
}

/// How the numbers of a vector are written to a caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VectorEncoding {
    /// As JSON numbers.
    #[default]
    Float,
    /// As the base64 of their bytes: four each, IEEE 754, the lowest first.
    Base64,
}

/// Vectors, in the order of the inputs, with how they came about.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbedResponse {
    /// One vector for each input, all of one length, every number finite.
    pub vectors: Vec<Vec<f32>>,
    /// The model, as the provider reports it.
    pub model: Option<String>,
    /// Tokens used.
    pub usage: Usage,
    /// Our id of the request.
    pub request_id: String,
    /// Who made them.
    pub target: Target,
    /// What all attempts together cost.
    pub cost: Cost,
    /// From the call to the vectors, in ms, every attempt and wait included.
    pub latency_ms: u64,
    /// The trail that led here, the answering attempt last.
    pub attempts: Vec<Attempt>,
}

/// Vectors as a dialect's reader finds them. It has checked their number and their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WireVectors {
    /// One for each input, in their order.
    pub vectors: Vec<Vec<f32>>,
    /// The model, as reported.
    pub model: Option<String>,
    /// Token counts.
    pub usage: WireUsage,
}

impl Default for EmbedInputs {
    fn default() -> Self {
        Self::Texts(Vec::new())
    }
}

impl EmbedInputs {
    /// How many vectors are wanted.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Tokens(lists) => lists.len(),
        }
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all texts, or four for each token.
    fn bytes(&self) -> usize {
        let sizes: &mut dyn Iterator<Item = usize> = match self {
            Self::Texts(texts) => &mut texts.iter().map(String::len),
            Self::Tokens(lists) => &mut lists.iter().map(|list| list.len().saturating_mul(4)),
        };
        sizes.fold(0, usize::saturating_add)
    }

    /// The place of the first input in which there is nothing.
    fn first_empty(&self) -> Option<usize> {
        match self {
            Self::Texts(texts) => texts.iter().position(String::is_empty),
            Self::Tokens(lists) => lists.iter().position(Vec::is_empty),
        }
    }
}

impl EmbedRequest {
    /// Most inputs of one request (OpenAI API reference, Create embeddings, 2026-11).
    pub const MOST_INPUTS: usize = 2048;
    /// Most bytes of all its texts together; a token counts four.
    pub const MOST_BYTES: usize = 32_000_000;

    /// Vectors of these texts.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts = texts.into_iter().map(Into::into).collect();
        Self { inputs: EmbedInputs::Texts(texts), ..Self::default() }
    }

    /// Vectors of texts that are cut into tokens already.
    pub fn tokens(lists: impl IntoIterator<Item = Vec<u32>>) -> Self {
        Self { inputs: EmbedInputs::Tokens(lists.into_iter().collect()), ..Self::default() }
    }

    /// Asks that model, or that chain.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model_hint = Some(name.into());
        self
    }

    /// Wants vectors of that many numbers.
    pub fn dimensions(mut self, count: u32) -> Self {
        self.dimensions = Some(count);
        self
    }

    /// Counts the call against this session.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.meta.session_id = Some(id.into());
        self
    }

    /// Counts the call against this user.
    pub fn for_user(mut self, id: impl Into<String>) -> Self {
        self.meta.user_id = Some(id.into());
        self
    }

    /// Whether anybody could answer it.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` that names the field: no input, an input with nothing in it, more than
    /// [`Self::MOST_INPUTS`], vectors of no numbers. `TooLarge` for more than [`Self::MOST_BYTES`].
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |param: &str, why: String| {
            Err(Failure::new(Kind::InvalidRequest, format!("{param}: {why}")).param(param))
        };
        let count = self.inputs.len();
        if count == 0 {
            return wrong("input", "expected at least one text, found none".into());
        }
        if count > Self::MOST_INPUTS {
            return wrong("input", format!("expected at most {} texts, found {count}", Self::MOST_INPUTS));
        }
        if let Some(place) = self.inputs.first_empty() {
            return wrong("input", format!("number {} is empty, and nothing has no vector", place + 1));
        }
        if self.dimensions == Some(0) {
            return wrong("dimensions", "expected a whole number above 0".into());
        }
        let bytes = self.inputs.bytes();
        if bytes > Self::MOST_BYTES {
            let why = format!("input: {bytes} bytes of text, more than {} in one request", Self::MOST_BYTES);
            return Err(Failure::new(Kind::TooLarge, why).param("input"));
        }
        Ok(())
    }
}

impl EmbedResponse {
    /// How many calls reached a provider.
    pub fn upstream_calls(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.number.is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(request: &EmbedRequest) -> (Kind, String) {
        let failure = request.check().unwrap_err();
        (failure.kind, failure.param.unwrap())
    }

    #[test]
    fn what_nobody_could_answer_is_refused_by_its_field() {
        let invalid = |param: &str| (Kind::InvalidRequest, param.to_owned());
        let many = vec!["a"; EmbedRequest::MOST_INPUTS + 1];
        assert_eq!(refused(&EmbedRequest::default()), invalid("input"));
        assert_eq!(refused(&EmbedRequest::texts(["a", ""])), invalid("input"));
        assert_eq!(refused(&EmbedRequest::tokens([vec![1], vec![]])), invalid("input"));
        assert_eq!(refused(&EmbedRequest::texts(many.clone())), invalid("input"));
        assert_eq!(refused(&EmbedRequest::texts(["a"]).dimensions(0)), invalid("dimensions"));
        let large = "a".repeat(EmbedRequest::MOST_BYTES);
        assert_eq!(refused(&EmbedRequest::texts([large.as_str(), "b"])), (Kind::TooLarge, "input".into()));
        assert!(EmbedRequest::texts([large]).check().is_ok());
        assert!(EmbedRequest::texts(many.into_iter().skip(1)).dimensions(1).check().is_ok());
    }
}
