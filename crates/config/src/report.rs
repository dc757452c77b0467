//! Collects every mistake while the file is read, and lays them out at the end. Knows no key by name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use secrecy::SecretString;

use crate::problem::{Problem, Severity};
use crate::secret::{mask, printable, quoted, redact};
use crate::source::Source;
use crate::suggest::nearest;

/// Most mistakes that are listed; a file with more is not a configuration.
const MOST: usize = 200;

/// A place in the file and what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At {
    /// The dotted name, such as `chains.support.tiers[1].price`.
    pub(crate) path: String,
    /// The bytes.
    pub(crate) span: Range<usize>,
}

impl At {
    pub(crate) fn new(path: impl Into<String>, span: Range<usize>) -> Self {
        Self { path: path.into(), span }
    }

    /// The beginning of the file.
    pub(crate) fn start() -> Self {
        Self::new("", 0..0)
    }
}

/// A value as typed, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Typed<T> {
    pub(crate) value: T,
    pub(crate) at: At,
}

/// A mistake being described.
pub(crate) struct Fault {
    severity: Severity,
    code: &'static str,
    at: Option<At>,
    what: String,
    expected: Option<String>,
    fix: Option<String>,
}

impl Fault {
    /// Something that stops the start.
    pub(crate) fn error(code: &'static str, at: &At, what: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            at: Some(at.clone()),
            what: what.into(),
            expected: None,
            fix: None,
        }
    }

    /// Something worth a look.
    pub(crate) fn warning(code: &'static str, at: &At, what: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, at, what) }
    }

    /// Says what would have been right.
    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Says what to do.
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Takes the place away: the file as a whole is meant.
    pub(crate) fn of_file(mut self) -> Self {
        self.at = None;
        self
    }
}

/// A key that nobody asked for.
struct Unknown {
    key: String,
    at: At,
    is_table: bool,
    section: String,
    known: Vec<&'static str>,
}

impl Unknown {
    /// Whether it is a whole section of the file.
    fn is_section(&self) -> bool {
        self.is_table && self.section == "the file"
    }
}

/// All that has been found so far.
pub(crate) struct Report<'t> {
    pub(crate) source: Source<'t>,
    faults: Vec<Fault>,
    unknown: Vec<Unknown>,
    /// Every key that is known anywhere, with the section it belongs in.
    keys: BTreeMap<&'static str, BTreeSet<String>>,
    broken_lines: BTreeSet<usize>,
    secrets: Vec<SecretString>,
}

impl<'t> Report<'t> {
    pub(crate) fn new(source: Source<'t>) -> Self {
        Self {
            source,
            faults: Vec::new(),
            unknown: Vec::new(),
            keys: BTreeMap::new(),
            broken_lines: BTreeSet::new(),
            secrets: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Remembers a secret, so that no message shows it.
    pub(crate) fn keep_secret(&mut self, secret: &SecretString) {
        self.secrets.push(secret.clone());
    }

    /// Notes that the file is not TOML at a place. What is read from that line means nothing.
    pub(crate) fn syntax_error(&mut self, span: Range<usize>, message: &str) {
        let line = self.source.line_of(span.start);
        self.broken_lines.insert(line);
        self.push(Fault::error("syntax", &At::new("", span), format!("this is not TOML: {message}")));
    }

    /// Whether a whole section could not be read, so that what stands below it landed elsewhere.
    fn lost_a_section(&self) -> bool {
        self.broken_lines.iter().any(|line| self.source.line(*line).trim_start().starts_with('['))
    }

    /// Whether the file is TOML.
    pub(crate) fn is_toml(&self) -> bool {
        self.broken_lines.is_empty()
    }

    /// Notes which keys a section knows.
    pub(crate) fn known_keys(&mut self, section: &str, keys: &[&'static str]) {
        for key in keys {
            self.keys.entry(key).or_default().insert(section.to_owned());
        }
    }

    /// Notes a key that its section does not know.
    pub(crate) fn unknown_key(
        &mut self,
        section: &str,
        key: &str,
        at: At,
        is_table: bool,
        known: Vec<&'static str>,
    ) {
        self.unknown.push(Unknown { key: key.to_owned(), at, is_table, section: section.to_owned(), known });
    }

    /// Errors and warnings, in the order of the file, without a secret in them.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        let unknown = std::mem::take(&mut self.unknown);
        for found in &unknown {
            let fault = self.describe(found);
            self.push(fault);
        }
        let mut faults = std::mem::take(&mut self.faults);
        let lost = self.lost_a_section();
        faults.retain(|fault| fault.code == "syntax" || !(lost || self.follows_from_syntax(fault)));
        faults.sort_by_key(|fault| (fault.at.as_ref().map(|at| at.span.start), fault.severity));
        // What is not listed still counts: an error past the limit must not let the file through.
        let unlisted = faults.split_off(faults.len().min(MOST));
        let mut problems: Vec<Problem> = faults.into_iter().map(|fault| self.lay_out(fault)).collect();
        problems.dedup();
        if let Some(severity) = unlisted.iter().map(|fault| fault.severity).min() {
            let what = format!("{} more are not listed", unlisted.len());
            let mut rest = Problem::of_file("too_many", self.source.file, what, "correct these first");
            rest.severity = severity;
            problems.push(rest);
        }
        problems
    }

    /// Whether a fault is probably only there because the file is not TOML.
    fn follows_from_syntax(&self, fault: &Fault) -> bool {
        if fault.code == "missing_key" && !self.is_toml() {
            return true;
        }
        let line = fault.at.as_ref().map(|at| self.source.line_of(at.span.start));
        line.is_some_and(|line| self.broken_lines.contains(&line))
    }

    /// Says what was probably meant by an unknown key.
    fn describe(&self, found: &Unknown) -> Fault {
        let name = if found.is_section() {
            format!("unknown section [{}]", found.key)
        } else {
            format!("unknown key {} in {}", quoted(&found.key), found.section)
        };
        let fault = |what: String| Fault::error("unknown_key", &found.at, what);
        let elsewhere =
            self.keys.get(found.key.as_str()).filter(|_| !found.known.contains(&found.key.as_str()));
        if let Some(home) = elsewhere.and_then(|homes| homes.first()) {
            return fault(format!("{name}; it belongs in {home}")).fix(format!("move the line to {home}"));
        }
        if let Some(special) = special_advice(&found.key) {
            return fault(name).fix(special);
        }
        let known = found.known.join(", ");
        match nearest(&found.key, found.known.iter().copied()) {
            Some(meant) => {
                let meant = if found.is_section() { format!("[{meant}]") } else { quoted(meant) };
                fault(format!("{name}; did you mean {meant}?")).fix(format!("write {meant}, or take it out"))
            }
            None => fault(name).fix("take it out; nothing reads it"),
        }
        .expected(format!("one of {known}"))
    }

    fn lay_out(&self, fault: Fault) -> Problem {
        let position = fault.at.as_ref().map(|at| self.source.position(at.span.start));
        let clean = |text: String| {
            let mut text: String = text.chars().map(printable).collect();
            redact(&mut text, &self.secrets);
            text
        };
        let excerpt = fault.at.as_ref().map(|at| {
            let mut excerpt = self.source.excerpt(&at.span);
            redact(&mut excerpt.text, &self.secrets);
            excerpt
        });
        Problem {
            severity: fault.severity,
            code: fault.code,
            file: self.source.file.to_owned(),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            key: clean(fault.at.map(|at| mask_path(&at.path)).unwrap_or_default()),
            what: clean(fault.what),
            expected: fault.expected.map(clean),
            fix: fault.fix.map(clean),
            excerpt,
        }
    }
}

/// A dotted name with asterisks for a part that looks like a secret.
fn mask_path(path: &str) -> String {
    path.split('.').map(mask).collect::<Vec<_>>().join(".")
}

/// Advice for keys that people expect, and that stand here under another name or not at all.
fn special_advice(key: &str) -> Option<&'static str> {
    Some(match key {
        "api_key" | "key" | "apikey" | "token" | "password" => {
            "a key never stands in this file: name the variable that holds it, api_key_env = \"…\", or a file, api_key_file = \"…\""
        }
        "admin_token" => {
            "a token never stands in this file: name the variable that holds it, admin_token_env = \"…\""
        }
        "webhook" | "webhook_url" => "name the variable that holds the address: webhook_env = \"…\"",
        "timeout" => {
            "say which: connect_timeout, first_byte_timeout, first_content_timeout, idle_timeout (streams), answer_timeout (whole answers)"
        }
        "max_retries" | "retries" | "num_retries" => {
            "retry_budget counts the attempts on a tier, the first included: 2 retries are retry_budget = 3"
        }
        "fallbacks" | "fallback" => "the tiers of a chain are its fallbacks: list them in order, cheap first",
        _ => return None,
    })
}
