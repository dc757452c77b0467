//! What is wrong with a file, told the way a compiler tells it: where, what, the line, what to do.
//!
//! Knows nothing of the file's keys. Whatever it shows has been through [`crate::secret`] first.

use std::error::Error;
use std::fmt;

use serde::Serialize;

/// Whether a problem stops the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nothing starts with it.
    Error,
    /// It is worth a look.
    Warning,
}

/// One mistake or one warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Whether it stops the start.
    pub severity: Severity,
    /// A stable word for its kind, such as `unknown_key`.
    pub code: &'static str,
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1; `None` where the whole file is meant.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// The thing named, such as `chains.support.tiers[1].price`; empty for the file itself.
    pub key: String,
    /// What is wrong.
    pub what: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// What to do.
    pub fix: Option<String>,
    /// The line as typed, with anything that looks like a secret blotted out.
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

/// The line a problem stands on, with the place to point at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text of the line, at most [`Excerpt::WIDTH`] characters of it.
    pub text: String,
    /// Where the caret stands, in characters from 0.
    pub caret: usize,
    /// How many characters it underlines; at least one.
    pub width: usize,
}

impl Excerpt {
    /// Longest piece of a line that is shown, in characters.
    pub const WIDTH: usize = 120;
}

impl Problem {
    /// A problem of a file as a whole.
    pub fn of_file(code: &'static str, file: &str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            file: file.to_owned(),
            line: None,
            column: None,
            key: String::new(),
            what: what.into(),
            expected: None,
            fix: Some(fix.into()),
            excerpt: None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if self.severity == Severity::Warning {
            f.write_str("warning: ")?;
        }
        f.write_str(&self.what)?;
        let number = self.line.map_or_else(String::new, |line| line.to_string());
        let margin = number.len().max(2);
        if let Some(excerpt) = &self.excerpt {
            write!(f, "\n {number:>margin$} | {}", excerpt.text)?;
            write!(
                f,
                "\n {:margin$} | {:indent$}{}",
                "",
                "",
                "^".repeat(excerpt.width),
                indent = excerpt.caret
            )?;
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n {:margin$} = expected {expected}", "")?;
        }
        if let Some(fix) = &self.fix {
            write!(f, "\n {:margin$} = {fix}", "")?;
        }
        Ok(())
    }
}

/// Everything that is wrong with a configuration, in the order of the file; at least one error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problems {
    /// Errors and warnings together.
    pub problems: Vec<Problem>,
}

impl Problems {
    /// A single one.
    pub fn one(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }

    /// Those that stop the start.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error)
    }

    /// All of them as one JSON object on one line: `{"problems":[…]}`.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| r#"{"problems":[]}"#.to_owned())
    }
}

impl fmt::Display for Problems {
    /// Each in compiler style with a blank line between, and a count at the end where it is not one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{problem}")?;
        }
        let errors = self.errors().count();
        if errors > 1 {
            write!(f, "\n\n{errors} errors")?;
        }
        Ok(())
    }
}

impl Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Problem {
        Problem {
            severity: Severity::Error,
            code: "unknown_key",
            file: "mainstay.toml".to_owned(),
            line: Some(12),
            column: Some(1),
            key: "budget.dayly".to_owned(),
            what: "unknown key \"dayly\"".to_owned(),
            expected: Some("one of daily, monthly".to_owned()),
            fix: Some("did you mean \"daily\"?".to_owned()),
            excerpt: Some(Excerpt { text: "dayly = \"5\"".to_owned(), caret: 0, width: 5 }),
        }
    }

    #[test]
    fn a_problem_reads_like_a_compilers() {
        assert_eq!(
            problem().to_string(),
            "mainstay.toml:12:1: unknown key \"dayly\"\n 12 | dayly = \"5\"\n    | ^^^^^\n    = expected one of daily, monthly\n    = did you mean \"daily\"?"
        );
    }

    #[test]
    fn a_problem_of_the_whole_file_has_no_line() {
        let problem = Problem::of_file("missing_file", "a.toml", "no such file", "create it");
        assert_eq!(problem.to_string(), "a.toml: no such file\n    = create it");
    }

    #[test]
    fn json_is_one_line_with_the_stable_words() {
        let json = Problems::one(problem()).to_json();
        assert!(
            json.starts_with(
                r#"{"problems":[{"severity":"error","code":"unknown_key","file":"mainstay.toml","line":12"#
            ),
            "{json}"
        );
        assert!(!json.contains('\n'));
    }
}
