//! The members `text` and `reasoning`, both ways: the form of the answer, how much to think, and what else stands
//! in them, which travels under its path (`text.verbosity`, `reasoning.summary`).

use mainstay_canon::{ChatRequest, Extra, Failure, RawJson, ReasoningEffort, ResponseFormat, Thinking};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::notes::Notes;
use super::tools::schema;
use crate::openai_chat::json::{
    Members, Path, boolean, keep, object, optional_string, required_string, string, wrong,
};
use crate::paths::spelled;
use crate::{Call, limits};

const TEXT: &str = "text.";
const FORMAT: &str = "text.format";
const REASONING: &str = "reasoning.";
const EFFORT: &str = "reasoning.effort";

/// Reads `text`.
pub(super) fn read_text(raw: &RawValue, request: &mut ChatRequest, extra: &mut Extra) -> Result<(), Failure> {
    let path = Path::Root.member("text");
    let mut members = object(raw, &path)?;
    if let Some(raw) = members.take("format") {
        read_format(raw, &path.member("format"), request, extra)?;
    }
    members.keep_beneath(TEXT, extra);
    Ok(())
}

fn read_format(
    raw: &RawValue,
    path: &Path<'_>,
    request: &mut ChatRequest,
    extra: &mut Extra,
) -> Result<(), Failure> {
    let mut form = object(raw, path)?;
    match required_string(form.take("type"), &path.member("type"))?.as_str() {
        "text" => {}
        "json_object" => request.response_format = ResponseFormat::Json,
        "json_schema" => request.response_format = json_schema(&mut form, path)?,
        // A grammar or the like.
        _ => {
            keep(extra, FORMAT, raw);
            return Ok(());
        }
    }
    form.keep_beneath("text.format.", extra);
    Ok(())
}

fn json_schema(form: &mut Members<'_>, path: &Path<'_>) -> Result<ResponseFormat, Failure> {
    let name =
        optional_string(form.take("name"), &path.member("name"))?.unwrap_or_else(|| "answer".to_owned());
    let strict = form.take("strict").map(|raw| boolean(raw, &path.member("strict"))).transpose()?;
    let path = path.member("schema");
    let Some(raw) = form.take("schema") else { return Err(wrong(&path, "a JSON schema", None)) };
    Ok(ResponseFormat::JsonSchema { name, schema: schema(raw, &path)?, strict })
}

/// Reads `reasoning`. A level that only one host knows is kept for that host.
pub(super) fn read_reasoning(
    raw: &RawValue,
    request: &mut ChatRequest,
    extra: &mut Extra,
) -> Result<(), Failure> {
    let path = Path::Root.member("reasoning");
    let mut members = object(raw, &path)?;
    if let Some(raw) = members.take("effort") {
        request.reasoning_effort = ReasoningEffort::from_word(&string(raw, &path.member("effort"))?);
        if request.reasoning_effort.is_none() {
            keep(extra, EFFORT, raw);
        }
    }
    members.keep_beneath(REASONING, extra);
    Ok(())
}

/// Whether an extra of that name is written here.
pub(super) fn is_ours(name: &str) -> bool {
    matches!(name, "text" | "reasoning") || name.starts_with(TEXT) || name.starts_with(REASONING)
}

/// How the form of the answer is asked for.
#[derive(Debug)]
enum Form<'a> {
    Unsaid,
    Json,
    Schema { name: &'a str, schema: &'a RawJson, strict: Option<bool> },
    AsItCame(&'a RawJson),
}

/// Both members, to be written.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    form: Form<'a>,
    /// The effort that is sent.
    pub(super) effort: Option<ReasoningEffort>,
    /// Further members of `text`, of its `format`, and of `reasoning`.
    text: Vec<(String, &'a RawValue)>,
    format: Vec<(String, &'a RawValue)>,
    reasoning: Vec<(String, &'a RawValue)>,
    /// What the model must be told where it cannot be given a schema.
    pub(super) instruction: Option<String>,
}

impl<'a> Settings<'a> {
    /// What is written for one model.
    pub(super) fn plan(request: &'a ChatRequest, call: &Call<'_>, notes: &mut Notes) -> Self {
        let mut settings = Self {
            form: Form::Unsaid,
            effort: None,
            text: Vec::new(),
            format: Vec::new(),
            reasoning: Vec::new(),
            instruction: None,
        };
        settings.choose_effort(request, call, notes);
        settings.choose_form(request, call, notes);
        if notes.extras_are_ours() {
            settings.choose_more(&request.extra, call, notes);
        } else if let Some(raw) = request.extra.get("verbosity").filter(|_| notes.is_from_chat()) {
            // The one setting that Chat Completions has beside the form.
            add(&mut settings.text, "verbosity", raw);
        }
        settings
    }

    fn choose_effort(&mut self, request: &ChatRequest, call: &Call<'_>, notes: &mut Notes) {
        let Some(wanted) = request.reasoning_effort else { return };
        match limits::effort(call.accepts, wanted) {
            Some((sent, note)) => {
                self.effort = Some(sent);
                if let Some(note) = note {
                    notes.say(note);
                }
            }
            // Nothing is lost where a model that never thinks is told not to.
            None if wanted == ReasoningEffort::None && call.accepts.thinking == Thinking::Never => {}
            None => notes.dropped("reasoning_effort"),
        }
    }

    fn choose_form(&mut self, request: &'a ChatRequest, call: &Call<'_>, notes: &mut Notes) {
        let as_it_came = request.extra.get(FORMAT).filter(|_| notes.extras_are_ours());
        self.form = match (&request.response_format, as_it_came) {
            (ResponseFormat::JsonSchema { schema, .. }, _) if !call.accepts.json_schema => {
                notes.say("json_schema sent as JSON mode, with the schema in the instructions");
                let schema = schema.text();
                self.instruction =
                    Some(format!("Answer with one JSON object that satisfies this JSON Schema:\n{schema}"));
                Form::Json
            }
            (ResponseFormat::JsonSchema { name, schema, strict }, _) => {
                Form::Schema { name, schema, strict: *strict }
            }
            (ResponseFormat::Json, _) => Form::Json,
            (ResponseFormat::Text, Some(raw)) => Form::AsItCame(raw),
            (ResponseFormat::Text, None) => Form::Unsaid,
        };
    }

    /// The further members, under their paths or in objects that a caller in code put there whole.
    fn choose_more(&mut self, extra: &'a Extra, call: &Call<'_>, notes: &mut Notes) {
        for (name, raw) in extra.iter() {
            if let Some(name) = name.strip_prefix("text.format.") {
                add(&mut self.format, name, raw);
            } else if let Some(name) = name.strip_prefix(TEXT).filter(|name| *name != "format") {
                add(&mut self.text, name, raw);
            } else if let Some(name) = name.strip_prefix(REASONING) {
                add(&mut self.reasoning, name, raw);
            } else if name == "text" || name == "reasoning" {
                let members = raw.read::<Members<'_>>().unwrap_or_default();
                let into = if name == "text" { &mut self.text } else { &mut self.reasoning };
                let ours = |name: &str| name == "format" && !matches!(self.form, Form::Unsaid);
                into.extend(
                    members.iter().filter(|(name, _)| !ours(name)).map(|(name, raw)| (name.to_owned(), raw)),
                );
            }
        }
        if !call.accepts.effort && !self.reasoning.is_empty() {
            self.reasoning.clear();
            notes.dropped("reasoning");
        } else if self.effort.is_some() {
            self.reasoning.retain(|(name, _)| name != "effort");
        }
    }

    /// Writes both members where they say something.
    pub(super) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if !matches!(self.form, Form::Unsaid) || !self.text.is_empty() || !self.format.is_empty() {
            map.serialize_entry("text", &WrittenText(self))?;
        }
        if self.effort.is_some() || !self.reasoning.is_empty() {
            map.serialize_entry("reasoning", &WrittenReasoning(self))?;
        }
        Ok(())
    }
}

fn add<'a>(into: &mut Vec<(String, &'a RawValue)>, name: &str, raw: &'a RawJson) {
    if let Ok(raw) = raw.read::<&RawValue>() {
        into.push((spelled(name).to_owned(), raw));
    }
}

struct WrittenText<'a>(&'a Settings<'a>);

impl Serialize for WrittenText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings = self.0;
        let mut map = serializer.serialize_map(None)?;
        match &settings.form {
            Form::AsItCame(raw) => map.serialize_entry("format", raw)?,
            Form::Unsaid if settings.format.is_empty() => {}
            Form::Unsaid | Form::Json | Form::Schema { .. } => {
                map.serialize_entry("format", &WrittenFormat(settings))?;
            }
        }
        for (name, raw) in &settings.text {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}

struct WrittenFormat<'a>(&'a Settings<'a>);

impl Serialize for WrittenFormat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let settings = self.0;
        let mut map = serializer.serialize_map(None)?;
        match &settings.form {
            Form::Schema { name, schema, strict } => {
                map.serialize_entry("type", "json_schema")?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("schema", schema)?;
                if let Some(strict) = strict {
                    map.serialize_entry("strict", strict)?;
                }
            }
            Form::Json => map.serialize_entry("type", "json_object")?,
            Form::Unsaid | Form::AsItCame(_) => map.serialize_entry("type", "text")?,
        }
        for (name, raw) in &settings.format {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}

struct WrittenReasoning<'a>(&'a Settings<'a>);

impl Serialize for WrittenReasoning<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(effort) = self.0.effort {
            map.serialize_entry("effort", effort.word())?;
        }
        for (name, raw) in &self.0.reasoning {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}
