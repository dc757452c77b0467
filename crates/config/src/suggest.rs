//! "Did you mean": the nearest known word to a mistyped one. Knows no list of its own.

/// Longest word that is compared, in bytes: the comparison takes time in the square of it.
const LONGEST: usize = 80;

/// The known word that `typed` most likely stands for, if one is near enough.
pub(crate) fn nearest<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if typed.is_empty() || typed.len() > LONGEST {
        return None;
    }
    let wanted = plain(typed);
    known
        .into_iter()
        .filter(|word| word.len() <= LONGEST)
        .filter_map(|word| distance(&wanted, &plain(word)).map(|distance| (distance, word)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// How far apart two plain words are, where that is near enough to be a slip of the finger.
fn distance(typed: &str, word: &str) -> Option<usize> {
    let distance = strsim::damerau_levenshtein(typed, word);
    let allowed = typed.chars().count().max(word.chars().count()).div_ceil(4).min(3);
    if distance <= allowed {
        return Some(distance);
    }
    // A word that was not finished, or said too much: `key_env` for `api_key_env`.
    let part = typed.len() >= 3 && word.len() >= 3 && (word.contains(typed) || typed.contains(word));
    part.then(|| allowed + distance)
}

/// Case and the kind of dash are what people get wrong first.
fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["daily", "monthly", "per_user_daily", "api_key_env", "listen"];
        for (typed, meant) in [
            ("dayly", Some("daily")),
            ("Daily", Some("daily")),
            ("per-user-daily", Some("per_user_daily")),
            ("key_env", Some("api_key_env")),
            ("lisetn", Some("listen")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
        assert_eq!(nearest(&"x".repeat(5000), known), None);
    }
}
