//! An operator's own refusal patterns.
//!
//! They run on what a model wrote, so they run in linear time (no look-around, no back-references), and
//! their length, number and compiled size are limited.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use crate::plain::{clip, tail};

/// Most patterns.
pub(crate) const MOST: usize = 200;
/// Bytes of the longest pattern.
pub(crate) const LONGEST: usize = 1000;
/// Bytes that one compiled pattern may take.
const SIZE: usize = 256 * 1024;
/// Levels of groups that a pattern may nest.
const NEST: u32 = 32;
/// Bytes of an answer that are searched: this much of its beginning …
const HEAD: usize = 16 * 1024;
/// … and this much of its end.
const TAIL: usize = 4 * 1024;

/// A refusal pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("refusal_patterns[{index}] \"{pattern}\": {problem}")]
pub struct PatternError {
    /// Its place in the list, from 0.
    pub index: usize,
    /// Its first hundred bytes.
    pub pattern: String,
    /// What is wrong with it.
    pub problem: PatternProblem,
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternProblem {
    /// It is not a regular expression, or one that linear time does not allow.
    #[error("not a pattern: {0}")]
    Syntax(String),
    /// It has more bytes than the limit.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// Compiled it takes more bytes than the limit.
    #[error("takes more than {limit} bytes when compiled")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// It matches every answer.
    #[error("matches an empty text, and so every answer")]
    MatchesAll,
    /// There are more patterns than the limit.
    #[error("more than {limit} patterns")]
    TooMany {
        /// The limit.
        limit: usize,
    },
}

/// The patterns, ready to search.
#[derive(Debug, Default)]
pub(crate) struct Patterns(Vec<Regex>);

impl Patterns {
    /// Compiles the operator's patterns; letters match in either case.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, PatternError> {
        let compiled = patterns.iter().enumerate().map(|(index, pattern)| {
            compile(index, pattern).map_err(|problem| PatternError {
                index,
                pattern: clip(pattern, 100).to_owned(),
                problem,
            })
        });
        compiled.collect::<Result<_, _>>().map(Self)
    }

    /// Which pattern matches, and at which byte.
    pub(crate) fn find(&self, text: &str) -> Option<(usize, usize)> {
        if self.0.is_empty() {
            return None;
        }
        let head = clip(text, HEAD);
        let end = if head.len() == text.len() { "" } else { tail(text, TAIL) };
        let offset = text.len() - end.len();
        self.0.iter().enumerate().find_map(|(index, pattern)| {
            let in_head = pattern.find(head).map(|found| found.start());
            let at = in_head.or_else(|| pattern.find(end).map(|found| offset + found.start()))?;
            Some((index, at))
        })
    }
}

fn compile(index: usize, pattern: &str) -> Result<Regex, PatternProblem> {
    if index >= MOST {
        return Err(PatternProblem::TooMany { limit: MOST });
    }
    if pattern.len() > LONGEST {
        return Err(PatternProblem::TooLong { limit: LONGEST });
    }
    let built = RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(SIZE)
        .dfa_size_limit(SIZE)
        .nest_limit(NEST)
        .build();
    match built {
        Ok(regex) if regex.is_match("") => Err(PatternProblem::MatchesAll),
        Ok(regex) => Ok(regex),
        Err(regex::Error::CompiledTooBig(limit)) => Err(PatternProblem::TooLarge { limit }),
        Err(error) => {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or_default();
            Err(PatternProblem::Syntax(last.trim_start_matches("error: ").to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(pattern: &str) -> PatternError {
        Patterns::new(&["fine".to_owned(), pattern.to_owned()]).unwrap_err()
    }

    #[test]
    fn a_bad_pattern_is_named_with_its_place_and_the_limit() {
        let error = problem("(unclosed");
        assert_eq!((error.index, error.pattern.as_str()), (1, "(unclosed"));
        assert!(error.to_string().starts_with("refusal_patterns[1] \"(unclosed\": not a pattern"), "{error}");
        assert!(matches!(problem("(?=look)").problem, PatternProblem::Syntax(_)));
        assert!(matches!(
            problem(&"a".repeat(LONGEST + 1)).problem,
            PatternProblem::TooLong { limit: LONGEST }
        ));
        assert!(matches!(problem("(a{500}){500}").problem, PatternProblem::TooLarge { .. }));
        assert_eq!(problem("x*").problem, PatternProblem::MatchesAll);
        let many = vec!["x".to_owned(); MOST + 1];
        assert!(matches!(Patterns::new(&many).unwrap_err().problem, PatternProblem::TooMany { limit: MOST }));
    }

    #[test]
    fn patterns_are_found_in_either_case_at_both_ends() {
        let patterns = Patterns::new(&["ask your manager".to_owned(), "verboten".to_owned()]).unwrap();
        assert_eq!(patterns.find("Please ASK your manager."), Some((0, 7)));
        let long = format!("{} das ist Verboten", "x ".repeat(40_000));
        assert_eq!(patterns.find(&long), Some((1, long.len() - 8)));
        assert_eq!(patterns.find("an answer"), None);
        assert_eq!(Patterns::default().find("an answer"), None);
    }
}
