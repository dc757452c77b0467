//! Names that may have been meant.

use std::cmp::Reverse;

use super::Model;

/// How many are offered.
const OFFERED: usize = 3;
/// Names longer than this are compared by their first bytes only, so that an absurd name costs little.
const COMPARED_BYTES: usize = 80;

pub(super) fn suggestions<'a>(models: &'a [Model], provider: &str, model: &str) -> Vec<&'a Model> {
    let asked = shortened(model).to_lowercase();
    let tail = asked.rsplit('/').next().unwrap_or(&asked);
    let mut near: Vec<_> = models
        .iter()
        .filter(|known| !known.gone)
        .filter_map(|known| Some((rank(known, provider, &asked, tail)?, known)))
        .collect();
    near.sort_by_key(|(rank, known)| (*rank, &known.provider, Reverse(&known.model)));
    near.into_iter().take(OFFERED).map(|(_, known)| known).collect()
}

/// How far a model is from what was asked: the edits between the names, and one more for another
/// provider. `None` when it is too far to be meant.
fn rank(known: &Model, provider: &str, asked: &str, tail: &str) -> Option<usize> {
    let name = shortened(&known.model).to_lowercase();
    let short = name.rsplit('/').next().unwrap_or(&name);
    let edits = if short == tail { 0 } else { strsim::osa_distance(&name, asked) };
    let allowed = (asked.len() / 4).max(2);
    let elsewhere = usize::from(&*known.provider != provider);
    (edits <= allowed && (elsewhere == 0 || edits <= 1)).then(|| edits.saturating_add(elsewhere))
}

fn shortened(name: &str) -> &str {
    let mut end = name.len().min(COMPARED_BYTES);
    while !name.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    name.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::Catalogue;

    fn offered(provider: &str, model: &str) -> Vec<String> {
        Catalogue::bundled().suggestions(provider, model).into_iter().map(crate::Model::name).collect()
    }

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        assert_eq!(offered("openai", "gpt-6-lunar").first().map(String::as_str), Some("openai/gpt-6-luna"));
        assert_eq!(
            offered("anthropic", "claude-sonet-5-5").first().map(String::as_str),
            Some("anthropic/claude-sonnet-5-5")
        );
    }

    #[test]
    fn a_model_at_the_wrong_provider_is_found_at_the_right_one() {
        assert!(offered("deepseek", "claude-sonnet-5-5").contains(&"anthropic/claude-sonnet-5-5".to_owned()));
    }

    #[test]
    fn nonsense_suggests_nothing_and_costs_little() {
        assert!(offered("openai", "a-model-that-nobody-ever-heard-of").is_empty());
        assert!(offered("openai", &"é".repeat(100_000)).is_empty());
    }

    #[test]
    fn nothing_retired_is_suggested() {
        for name in ["gpt-3.5-turbo", "gpt-4", "claude-3-opus"] {
            let found = Catalogue::bundled().suggestions("openai", name);
            assert!(found.iter().all(|model| !model.gone));
        }
    }
}
