//! The trained part of the judgement on refusals: what each signal of an answer is worth.
//!
//! A model is a sum of small whole numbers, so it comes to the same on every machine. `mainstay-training` makes
//! it from labelled answers; `data/refusal.model` is what it made, and is built in.

use std::borrow::Cow;

use thiserror::Error;

use crate::grams;
use crate::plain::{self, Plain};
use crate::refusal::{self, Evidence, HEAD, PIECES, TAIL};
use crate::visible::{self, Visible};

/// How many numbers a gram is folded to.
pub const GRAMS: usize = 1 << 17;
/// How many signals there are: the named pieces of evidence, then the grams.
pub const SIGNALS: usize = PIECES + GRAMS;
/// How many signals have a name.
pub const NAMED: usize = PIECES;
/// Units of a weight in one unit of log-odds.
pub const UNIT: i32 = 256;

const MAGIC: &[u8; 4] = b"MSRJ";
/// Of the form below, and of the way signals are taken: a model of another version is refused.
const VERSION: u32 = 1;
const HEADER: usize = 4 + 4 + 4 * 4;

static EMBEDDED: &[u8] = include_bytes!("../data/refusal.model");

/// The model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ModelError {
    /// The bytes are no model, or are cut.
    #[error("not a refusal model")]
    Form,
    /// It was made for another version of the judge.
    #[error("a refusal model of version {0}, where {VERSION} is needed")]
    Version(u32),
}

/// What each signal is worth, and from which sum on an answer is a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// A sum from here on is a refusal.
    pub refusal: i32,
    /// A sum from here on is noted as a possible refusal.
    pub possible: i32,
    /// What every answer starts with.
    pub bias: i32,
    /// What one step of a gram's weight is worth, in [`UNIT`]s of which there are 256 to one of these.
    pub gram_step: i32,
    /// Of the named pieces, in [`UNIT`]s.
    pub pieces: Vec<i16>,
    /// Of the grams, one signed byte each.
    pub grams: Cow<'static, [u8]>,
}

impl Model {
    /// The model that is built in.
    ///
    /// # Errors
    ///
    /// [`ModelError`] if the file and the code do not belong together, which a test rules out.
    pub fn embedded() -> Result<Self, ModelError> {
        let (mut model, grams) = Self::header(EMBEDDED)?;
        model.grams = Cow::Borrowed(grams);
        Ok(model)
    }

    /// A model from its bytes.
    ///
    /// # Errors
    ///
    /// [`ModelError`] where the bytes are none, or none of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let (mut model, grams) = Self::header(bytes)?;
        model.grams = Cow::Owned(grams.to_vec());
        Ok(model)
    }

    /// A model that calls nothing a refusal.
    pub fn blank() -> Self {
        Self {
            refusal: i32::MAX,
            possible: i32::MAX,
            bias: 0,
            gram_step: 0,
            pieces: vec![0; PIECES],
            grams: Cow::Owned(vec![0; GRAMS]),
        }
    }

    /// The bytes of the model: magic, version, four numbers, the pieces, the grams; little end first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        for number in [self.refusal, self.possible, self.bias, self.gram_step] {
            bytes.extend(number.to_le_bytes());
        }
        for weight in &self.pieces {
            bytes.extend(weight.to_le_bytes());
        }
        bytes.extend_from_slice(&self.grams);
        bytes
    }

    fn header(bytes: &[u8]) -> Result<(Self, &[u8]), ModelError> {
        let number = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
            four.map(i32::from_le_bytes).ok_or(ModelError::Form)
        };
        if !bytes.starts_with(MAGIC) {
            return Err(ModelError::Form);
        }
        let version = number(4)?.cast_unsigned();
        if version != VERSION {
            return Err(ModelError::Version(version));
        }
        let (pieces, grams) = bytes
            .get(HEADER..)
            .and_then(|rest| rest.split_at_checked(PIECES * 2))
            .filter(|(_, grams)| grams.len() == GRAMS)
            .ok_or(ModelError::Form)?;
        let (pairs, _) = pieces.as_chunks::<2>();
        let model = Self {
            refusal: number(8)?,
            possible: number(12)?,
            bias: number(16)?,
            gram_step: number(20)?,
            pieces: pairs.iter().map(|pair| i16::from_le_bytes(*pair)).collect(),
            grams: Cow::Borrowed(&[]),
        };
        Ok((model, grams))
    }

    /// What the named pieces add up to.
    pub(crate) fn sum_of_pieces(&self, pieces: u64) -> i32 {
        let mut left = pieces;
        let mut sum = self.bias;
        while left != 0 {
            let weight = self.pieces.get(left.trailing_zeros() as usize).copied().unwrap_or(0);
            sum += i32::from(weight);
            left &= left - 1;
        }
        sum
    }

    /// What the grams of a plain window add up to.
    pub(crate) fn sum_of_grams(&self, plain: &[u8]) -> i32 {
        let mut sum = 0;
        grams::each(plain, &mut |gram| {
            let weight = self.grams.get(place(gram)).copied().unwrap_or(0);
            sum += i32::from(weight.cast_signed());
        });
        sum.saturating_mul(self.gram_step) / 256
    }

    /// A sum as a score between 0 and 1, where one half is the limit of a refusal.
    pub(crate) fn score(&self, sum: i32) -> f32 {
        let odds = sum.saturating_sub(self.refusal).clamp(-20 * UNIT, 20 * UNIT);
        #[allow(clippy::cast_precision_loss, reason = "a few thousand")]
        let odds = odds as f32 / UNIT as f32;
        1.0 / (1.0 + (-odds).exp())
    }
}

fn place(gram: u64) -> usize {
    // The upper bits are spread best.
    usize::try_from(gram >> (64 - GRAMS.trailing_zeros())).unwrap_or(0)
}

/// The numbers of the signals of an answer, some more than once: what a model is trained on. Empty where the
/// answer shows nothing.
pub fn signals(answer: &str, prompt: &str) -> Vec<u32> {
    let Visible::Words(text) = visible::look(answer) else { return Vec::new() };
    let head = Plain::<HEAD>::without_quotes(text);
    let evidence = Evidence::of_window(&head, text, prompt);
    let mut all: Vec<u32> = (0..64).filter(|bit| evidence.pieces & (1 << bit) != 0).collect();
    let offset = u32::try_from(PIECES).unwrap_or(0);
    grams::each(head.bytes(), &mut |gram| {
        all.push(offset + u32::try_from(place(gram)).unwrap_or(0));
    });
    all
}

/// How many steps the reading of an answer takes: the plain bytes that are searched for phrases, and the grams
/// that are looked up. A stand-in for time that is the same on every machine.
pub fn effort(answer: &str) -> usize {
    let Visible::Words(text) = visible::look(answer) else { return 0 };
    let head = Plain::<HEAD>::without_quotes(text);
    let mut steps = head.bytes().len();
    grams::each(head.bytes(), &mut |_| steps += 1);
    if head.whole { steps } else { steps + Plain::<TAIL>::of(plain::tail(text, TAIL)).bytes().len() }
}

/// The names of the pieces, in the order of their weights.
pub fn piece_names() -> &'static [&'static str] {
    &refusal::NAMES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_that_is_built_in_fits_the_code_and_survives_its_bytes() {
        let model = Model::embedded().unwrap();
        assert!(EMBEDDED.len() <= 256 * 1024);
        assert_eq!(model.to_bytes(), EMBEDDED);
        assert_eq!(Model::from_bytes(EMBEDDED).unwrap(), model);
        assert!(model.possible <= model.refusal && model.refusal < i32::MAX, "not trained");
    }

    #[test]
    fn bytes_of_another_version_or_length_are_refused() {
        let mut bytes = Model::blank().to_bytes();
        assert_eq!(Model::from_bytes(bytes.get(..100).unwrap()), Err(ModelError::Form));
        assert_eq!(Model::from_bytes(b"MSRJ"), Err(ModelError::Form));
        *bytes.get_mut(4).unwrap() = 9;
        assert_eq!(Model::from_bytes(&bytes), Err(ModelError::Version(9)));
    }

    #[test]
    fn the_limit_of_a_refusal_scores_one_half() {
        let model = Model::embedded().unwrap();
        assert!((model.score(model.refusal) - 0.5).abs() < 1e-6);
        assert!(model.score(model.refusal + UNIT) > 0.7);
    }
}
