//! What a reply's vectors must be.

use mainstay_canon::{Failure, Kind};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::Wanted;

/// The failure of a reply whose vectors are not what was wanted.
pub(crate) fn bad(why: impl Into<String>) -> Failure {
    Failure::new(Kind::InvalidResponse, why)
}

/// The failure of a body that is not the JSON of a reply. Where it ends early, it was cut.
pub(crate) fn unreadable(error: &serde_json::Error) -> Failure {
    if error.classify() == Category::Eof {
        Failure::new(Kind::StreamInterrupted, "the body ends early")
    } else {
        // Not the words of the parser: they may repeat what it read.
        bad(format!("the body is not the JSON of a reply: it breaks at line {}", error.line()))
    }
}

/// A vector written as a list of numbers; `place` counts from 0.
pub(crate) fn numbers(raw: &RawValue, place: usize) -> Result<Vec<f32>, Failure> {
    serde_json::from_str(raw.get())
        .map_err(|_| bad(format!("vector {place} is not a list of numbers: nothing else can be compared")))
}

/// Lets vectors pass that are as many as the inputs, all of one length, the one asked for if any, and made
/// of finite numbers.
pub(crate) fn checked(vectors: Vec<Vec<f32>>, wanted: Wanted) -> Result<Vec<Vec<f32>>, Failure> {
    let count = vectors.len();
    if count != wanted.count {
        return Err(bad(format!("{count} vectors came for {} inputs", wanted.count)));
    }
    let asked = wanted.dimensions.and_then(|asked| usize::try_from(asked).ok());
    let length = asked.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
    for (place, vector) in vectors.iter().enumerate() {
        if vector.is_empty() {
            return Err(bad(format!("vector {place} is empty")));
        }
        if vector.len() != length {
            let whose = if asked.is_some() { "were asked for" } else { "has the first" };
            return Err(bad(format!("vector {place} has {} dimensions; {length} {whose}", vector.len())));
        }
        if !vector.iter().all(|number| number.is_finite()) {
            return Err(bad(format!("vector {place} holds a number that is none (NaN or infinite)")));
        }
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vectors: &[&[f32]], dimensions: Option<u32>) -> Option<String> {
        let vectors = vectors.iter().map(|vector| vector.to_vec()).collect();
        let failure = checked(vectors, Wanted { count: 2, dimensions }).err()?;
        assert_eq!(failure.kind, Kind::InvalidResponse);
        Some(failure.message)
    }

    #[test]
    fn only_as_many_vectors_of_one_length_and_of_real_numbers_pass() {
        assert_eq!(check(&[&[0.5, 1.0], &[0.0, -1.0]], None), None);
        assert_eq!(check(&[&[0.5, 1.0], &[0.0, -1.0]], Some(2)), None);
        let says = |vectors: &[&[f32]], dimensions, part: &str| {
            let said = check(vectors, dimensions);
            assert!(said.as_ref().is_some_and(|said| said.contains(part)), "{said:?}");
        };
        says(&[&[0.5]], None, "1 vectors came for 2 inputs");
        says(&[&[0.5], &[0.5], &[0.5]], None, "3 vectors came for 2 inputs");
        says(&[&[0.5], &[]], None, "vector 1 is empty");
        says(&[&[], &[]], None, "vector 0 is empty");
        says(&[&[0.5, 1.0], &[0.5]], None, "vector 1 has 1 dimensions; 2 has the first");
        says(&[&[0.5, 1.0], &[0.5, 1.0]], Some(3), "vector 0 has 2 dimensions; 3 were asked for");
        says(&[&[0.5, 1.0], &[f32::NAN, 1.0]], None, "vector 1 holds");
        says(&[&[f32::INFINITY, 1.0], &[0.5, 1.0]], None, "vector 0 holds");
    }

    #[test]
    fn what_is_no_number_makes_no_vector() {
        let read = |text: &str| {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            numbers(&raw, 0).and_then(|vector| checked(vec![vector], Wanted { count: 1, dimensions: None }))
        };
        assert_eq!(read("[0.1, -2, 3e-2]").unwrap(), [[0.1, -2.0, 0.03]]);
        for text in ["[null]", "[\"0.1\"]", "[[0.1]]", "{}", "\"AAAA\"", "[true]", "[1e39]", "null", "[]"] {
            assert_eq!(read(text).unwrap_err().kind, Kind::InvalidResponse, "{text}");
        }
    }
}
