//! Reads the keys of one table: each getter says what it wants and notes what it got instead.
//!
//! A key that no getter asked for is unknown, so there is no list of keys to keep beside the code.

use toml::de::{DeTable, DeValue};

use crate::report::{At, Fault, Report, Typed};
use crate::secret::quoted;
use crate::suggest::nearest;

/// One table of the file, or one that is absent and says nothing.
pub(crate) struct Section<'a, 't> {
    /// How people call it, such as `[budget]` or `a tier`.
    title: &'static str,
    /// Where it stands.
    pub(crate) at: At,
    table: Option<&'a DeTable<'t>>,
    asked: Vec<&'static str>,
}

/// One value of a table.
pub(crate) struct Entry<'a, 't> {
    pub(crate) at: At,
    pub(crate) value: &'a DeValue<'t>,
}

impl<'a, 't> Section<'a, 't> {
    pub(crate) fn new(title: &'static str, at: At, table: &'a DeTable<'t>) -> Self {
        Self { title, at, table: Some(table), asked: Vec::new() }
    }

    /// The sub-table of that name; an empty one where it is absent or not a table.
    pub(crate) fn section(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
        title: &'static str,
    ) -> Section<'a, 't> {
        let absent = At::new(self.path(key), self.at.span.clone());
        let (at, table) = match self.entry(key) {
            Some(Entry { at, value: DeValue::Table(table) }) => (at, Some(table)),
            Some(entry) => {
                entry.wrong_type(
                    report,
                    "a table",
                    &format!("write [{}] on a line of its own", entry.at.path),
                );
                (absent, None)
            }
            None => (absent, None),
        };
        Section { title, at, table, asked: Vec::new() }
    }

    /// Whether the file has this table.
    pub(crate) fn is_present(&self) -> bool {
        self.table.is_some()
    }

    /// The value of that key, and a note that the key is known.
    pub(crate) fn entry(&mut self, key: &'static str) -> Option<Entry<'a, 't>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let value = self.table?.get(key)?;
        Some(Entry { at: At::new(self.path(key), value.span()), value: value.get_ref() })
    }

    /// All keys with their places and values: for tables whose keys are names.
    pub(crate) fn names(&self) -> impl Iterator<Item = (Typed<String>, Entry<'a, 't>)> {
        let path = self.at.path.clone();
        self.table.into_iter().flatten().map(move |(key, value)| {
            let at = join(&path, key.get_ref());
            let name = Typed { value: key.get_ref().to_string(), at: At::new(at.clone(), key.span()) };
            (name, Entry { at: At::new(at, value.span()), value: value.get_ref() })
        })
    }

    /// Notes every key that was not asked for.
    pub(crate) fn close(self, report: &mut Report<'_>) {
        report.known_keys(self.title, &self.asked);
        let shown = self.title.replace("NAME", self.at.path.rsplit('.').next().unwrap_or_default());
        for (key, value) in self.table.into_iter().flatten() {
            let name: &str = key.get_ref();
            if !self.asked.contains(&name) {
                let at = At::new(join(&self.at.path, name), key.span());
                report.unknown_key(&shown, name, at, value.get_ref().is_table(), self.asked.clone());
            }
        }
    }

    fn path(&self, key: &str) -> String {
        join(&self.at.path, key)
    }

    /// A string that is not blank.
    pub(crate) fn text(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<String>> {
        let entry = self.entry(key)?;
        let text = entry.string(report)?;
        if text.value.trim().is_empty() {
            report.push(
                Fault::error("blank", &text.at, format!("{} is blank", text.at.path))
                    .fix("write a value, or take the line out"),
            );
            return None;
        }
        Some(text)
    }

    /// A string, where the empty one means that nothing is set.
    pub(crate) fn optional_text(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
    ) -> Option<Typed<String>> {
        self.entry(key)?.string(report).filter(|text| !text.value.trim().is_empty())
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Typed<bool>> {
        let entry = self.entry(key)?;
        match entry.value {
            DeValue::Boolean(value) => Some(Typed { value: *value, at: entry.at }),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)
            | DeValue::Table(_) => {
                entry.wrong_type(report, "true or false", "write true or false, without quotes");
                None
            }
        }
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        report: &mut Report<'_>,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<Typed<T>> {
        let entry = self.entry(key)?;
        entry.choice(report, words).map(|value| Typed { value, at: entry.at })
    }

    /// A list of strings, none of them blank.
    pub(crate) fn texts(&mut self, report: &mut Report<'_>, key: &'static str) -> Option<Vec<Typed<String>>> {
        let entry = self.entry(key)?;
        let DeValue::Array(items) = entry.value else {
            let fix = match entry.value {
                DeValue::String(text) => format!("write [{}]", quoted(text)),
                DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => "write [\"one\", \"two\"]".to_owned(),
            };
            entry.wrong_type(report, "a list of strings", &fix);
            return None;
        };
        let mut texts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let at = At::new(format!("{}[{index}]", entry.at.path), item.span());
            let item = Entry { at, value: item.get_ref() };
            let Some(text) = item.string(report) else { continue };
            if text.value.trim().is_empty() {
                report.push(Fault::error("blank", &text.at, format!("{} is blank", text.at.path)));
            } else {
                texts.push(text);
            }
        }
        Some(texts)
    }
}

impl Entry<'_, '_> {
    /// The string that stands here.
    pub(crate) fn string(&self, report: &mut Report<'_>) -> Option<Typed<String>> {
        let DeValue::String(text) = self.value else {
            let typed = report.source.slice(&self.at.span);
            let plain =
                typed.len() < 40 && typed.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
            let fix = if plain && !typed.is_empty() {
                format!("write it in quotes: \"{typed}\"")
            } else {
                "write it in quotes".to_owned()
            };
            self.wrong_type(report, "a string", &fix);
            return None;
        };
        Some(Typed { value: text.to_string(), at: self.at.clone() })
    }

    /// The word that stands here.
    pub(crate) fn choice<T: Copy>(&self, report: &mut Report<'_>, words: &[(&'static str, T)]) -> Option<T> {
        let all = either(words.iter().map(|(word, _)| quoted(word)));
        let DeValue::String(text) = self.value else {
            self.wrong_type(report, &all, &format!("write {all}"));
            return None;
        };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.as_ref()) {
            return Some(*value);
        }
        let what = format!("{} cannot be {}", self.at.path, quoted(text));
        let meant = nearest(text, words.iter().map(|(word, _)| *word));
        let what = meant.map_or(what.clone(), |meant| format!("{what}; did you mean {}?", quoted(meant)));
        report.push(Fault::error("unknown_word", &self.at, what).expected(all));
        None
    }

    /// Notes that something of another type stands here.
    pub(crate) fn wrong_type(&self, report: &mut Report<'_>, wanted: &str, fix: &str) {
        let found = type_word(self.value);
        report.push(
            Fault::error("wrong_type", &self.at, format!("{} must be {wanted}, not {found}", self.at.path))
                .fix(fix),
        );
    }
}

/// `a, b or c`.
pub(crate) fn either(words: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// What a value is, in words.
fn type_word(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
