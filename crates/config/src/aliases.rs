//! What clients ask for that should mean a chain: patterns with `*`, and which of them wins.

use crate::config::Chain;
use crate::report::{Fault, Report, Typed};
use crate::secret::quoted;
use crate::typed::chain::TypedChain;

/// Longest pattern, in bytes.
const LONGEST: usize = 128;

/// Whether a name fits a pattern, in which `*` stands for any characters. Time grows with the product
/// of the lengths at worst, never more.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let tail = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else { return false };
        name = name.get(at + piece.len()..).unwrap_or_default();
    }
    name.ends_with(tail)
}

/// How exact a pattern is: a name without `*` beats every pattern, more letters beat fewer.
fn exactness(pattern: &str) -> (bool, usize) {
    (!pattern.contains('*'), pattern.len() - pattern.matches('*').count())
}

/// The chain one of whose aliases fits best; among equals the one that stands first in the file.
pub(crate) fn best<'c>(chains: &'c [Chain], name: &str) -> Option<&'c Chain> {
    let mut best: Option<((bool, usize), &Chain)> = None;
    for chain in chains {
        for alias in chain.aliases.iter().filter(|alias| fits(alias, name)) {
            let exactness = exactness(alias);
            if best.is_none_or(|(known, _)| exactness > known) {
                best = Some((exactness, chain));
            }
        }
    }
    best.map(|(_, chain)| chain)
}

/// Notes aliases that can never apply, or would mean two chains.
pub(crate) fn check(chains: &[TypedChain], report: &mut Report<'_>) {
    let mut seen: Vec<(&Typed<String>, &str)> = Vec::new();
    for chain in chains {
        for alias in &chain.aliases {
            let shown = quoted(&alias.value);
            if alias.value.len() > LONGEST || alias.value.chars().any(|c| c.is_whitespace() || c.is_control())
            {
                report.push(
                    Fault::error("bad_alias", &alias.at, format!("{shown} cannot be an alias"))
                        .expected(format!("a model's name, * for any characters, at most {LONGEST} of them")),
                );
            } else if chains.iter().any(|other| other.name.value == alias.value) {
                report.push(
                    Fault::error(
                        "alias_clash",
                        &alias.at,
                        format!("alias {shown} is also the name of a chain"),
                    )
                    .fix("take it out: a chain's own name comes first, so it would never apply"),
                );
            } else if let Some((_, owner)) = seen.iter().find(|(known, _)| known.value == alias.value) {
                let what = if *owner == chain.name.value {
                    format!("alias {shown} stands twice in chain {owner}")
                } else {
                    format!("alias {shown} stands in chain {owner} and in chain {}", chain.name.value)
                };
                report.push(Fault::error("alias_clash", &alias.at, what).fix("keep it in one place"));
            } else {
                seen.push((alias, &chain.name.value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chain(name: &str, aliases: &[&str]) -> Chain {
        Chain {
            name: name.to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            tiers: Vec::new(),
        }
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, fitting) in [
            ("gpt-*", "gpt-6-luna", true),
            ("gpt-*", "gpt-", true),
            ("gpt-*", "claude", false),
            ("*", "anything", true),
            ("*-sonnet-*", "claude-sonnet-5", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*ab*ab", "abab", true),
            ("*ab*ab", "ab", false),
            ("gpt", "gpt", true),
            ("gpt", "gpt2", false),
        ] {
            assert_eq!(fits(pattern, name), fitting, "{pattern} {name}");
        }
    }

    #[test]
    fn the_most_exact_alias_wins() {
        let chains = [chain("all", &["*"]), chain("gpt", &["gpt-*"]), chain("one", &["gpt-6-luna"])];
        for (name, meant) in [("claude", "all"), ("gpt-5", "gpt"), ("gpt-6-luna", "one")] {
            assert_eq!(best(&chains, name).map(|chain| chain.name.as_str()), Some(meant));
        }
        assert!(best(&chains[1..], "claude").is_none());
    }

    proptest! {
        #[test]
        fn any_pattern_and_name_end(pattern in "[a*é]{0,40}", name in "[aé]{0,60}") {
            let _ = fits(&pattern, &name);
        }

        #[test]
        fn a_pattern_made_of_the_name_fits(name in "[a-z]{1,20}", at in 0_usize..20) {
            let at = at.min(name.len());
            let pattern = format!("{}*", &name[..at]);
            prop_assert!(fits(&pattern, &name));
        }
    }
}
