//! Tools, the choice among them, and calls in a conversation, both ways.

use std::borrow::Cow;

use mainstay_canon::{Extra, Failure, RawJson, Tool, ToolCall, ToolChoice};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::{
    Members, Path, boolean, object, optional_string, required_string, string, wrong, wrong_word,
};
use crate::paths::spelled;

/// Reads one tool. A tool of another type than `function` travels whole.
pub(super) fn read_tool(raw: &RawValue, path: &Path<'_>) -> Result<Tool, Failure> {
    let mut members = object(raw, path)?;
    let kind = required_string(members.take("type"), &path.member("type"))?;
    if kind != "function" {
        return native(kind, members, raw, path);
    }
    let path = path.member("function");
    let Some(function) = members.take("function") else {
        return Err(wrong(&path, "an object with a name", None));
    };
    let mut inner = object(function, &path)?;
    let name = required_string(inner.take("name"), &path.member("name"))?;
    let description = optional_string(inner.take("description"), &path.member("description"))?;
    let parameters =
        inner.take("parameters").map(|raw| schema(raw, &path.member("parameters"))).transpose()?;
    let strict = inner.take("strict").map(|raw| boolean(raw, &path.member("strict"))).transpose()?;
    let mut extra = Extra::new();
    members.keep_beneath("", &mut extra);
    inner.keep_beneath("function.", &mut extra);
    Ok(Tool { name, description, parameters, strict, extra, native: None })
}

fn native(kind: String, mut members: Members<'_>, raw: &RawValue, path: &Path<'_>) -> Result<Tool, Failure> {
    let named = members.take(&kind).and_then(|inner| serde_json::from_str::<Members<'_>>(inner.get()).ok());
    let name = named.and_then(|mut inner| inner.take("name")).and_then(|raw| string(raw, path).ok());
    let name = name.map_or(kind, Cow::into_owned);
    let native = RawJson::of(raw).map_err(|_| wrong(path, "a tool", Some(raw)))?;
    Ok(Tool {
        name,
        description: None,
        parameters: None,
        strict: None,
        extra: Extra::new(),
        native: Some(native),
    })
}

/// A JSON schema, kept as it is.
pub(super) fn schema(raw: &RawValue, path: &Path<'_>) -> Result<RawJson, Failure> {
    if !raw.get().starts_with(['{', 't', 'f']) {
        return Err(wrong(path, "a JSON schema", Some(raw)));
    }
    RawJson::of(raw).map_err(|_| wrong(path, "a JSON schema", Some(raw)))
}

/// Reads a choice, and whether that is all that it says. No choice for forms that only this dialect has, such as
/// `allowed_tools`.
pub(super) fn read_choice(raw: &RawValue, path: &Path<'_>) -> Result<(Option<ToolChoice>, bool), Failure> {
    if raw.get().starts_with('"') {
        let word = string(raw, path)?;
        return match &*word {
            "auto" => Ok((Some(ToolChoice::Auto), true)),
            "none" => Ok((Some(ToolChoice::None), true)),
            // `any` is Mistral's word for it.
            "required" | "any" => Ok((Some(ToolChoice::Required), true)),
            other => Err(wrong_word(path, "\"none\", \"auto\", \"required\" or an object", other)),
        };
    }
    let mut members = object(raw, path)?;
    let kind = required_string(members.take("type"), &path.member("type"))?;
    if kind != "function" {
        return Ok((None, false));
    }
    let path = path.member("function");
    let Some(function) = members.take("function") else {
        return Err(wrong(&path, "an object with a name", None));
    };
    let mut function = object(function, &path)?;
    let name = required_string(function.take("name"), &path.member("name"))?;
    Ok((Some(ToolChoice::Named(name)), members.is_empty() && function.is_empty()))
}

/// Reads one call of an assistant message.
pub(super) fn read_call(raw: &RawValue, path: &Path<'_>) -> Result<ToolCall, Failure> {
    let mut members = object(raw, path)?;
    let id = required_string(members.take("id"), &path.member("id"))?;
    let kind = optional_string(members.take("type"), &path.member("type"))?;
    let mut extra = Extra::new();
    let (member, body) =
        if kind.as_deref() == Some("custom") { ("custom", "input") } else { ("function", "arguments") };
    if member == "custom" {
        extra.insert("type", RawJson::of("custom").map_err(|_| wrong(path, "a tool call", Some(raw)))?);
    } else if let Some(other) = kind.filter(|kind| kind != "function") {
        return Err(wrong_word(&path.member("type"), "\"function\" or \"custom\"", &other));
    }
    // The index of a streamed call, which some clients leave in.
    members.take("index");
    let path = path.member(member);
    let Some(inner) = members.take(member) else { return Err(wrong(&path, "an object with a name", None)) };
    let mut inner = object(inner, &path)?;
    let name = required_string(inner.take("name"), &path.member("name"))?;
    let arguments = match inner.take(body) {
        Some(raw) if raw.get().starts_with('{') => raw.get().to_owned(),
        Some(raw) => string(raw, &path.member(body))?.into_owned(),
        None => String::new(),
    };
    members.keep_beneath("", &mut extra);
    inner.keep_beneath(spelling(member == "custom").2, &mut extra);
    Ok(ToolCall { id, name, arguments, extra })
}

/// A tool as it is written.
pub(super) struct WrittenTool<'a> {
    pub(super) tool: &'a Tool,
    pub(super) with_extra: bool,
    /// Whether a tool without a schema is given one: that of no arguments.
    pub(super) with_schema: bool,
}

impl Serialize for WrittenTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tool { name, description, parameters, strict, extra, native } = self.tool;
        if let Some(raw) = native {
            return raw.serialize(serializer);
        }
        let extra = self.with_extra.then_some(extra);
        let no_schema = self.with_schema.then_some(Value::NoSchema);
        let function = Named {
            fields: &[
                ("name", Some(Value::Text(name))),
                ("description", description.as_deref().map(Value::Text)),
                ("parameters", parameters.as_ref().map(Value::Raw).or(no_schema)),
                ("strict", strict.map(Value::Flag)),
            ],
            extra,
            prefix: "function.",
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &function)?;
        write_beside(&mut map, extra, "function.")?;
        map.end()
    }
}

/// A choice as it is written, with the host's word for "some tool".
pub(super) struct WrittenChoice<'a> {
    pub(super) choice: &'a ToolChoice,
    pub(super) required: &'static str,
}

impl Serialize for WrittenChoice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.choice {
            ToolChoice::Auto => serializer.serialize_str("auto"),
            ToolChoice::None => serializer.serialize_str("none"),
            ToolChoice::Required => serializer.serialize_str(self.required),
            ToolChoice::Named(name) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "function")?;
                let function =
                    Named { fields: &[("name", Some(Value::Text(name)))], extra: None, prefix: "" };
                map.serialize_entry("function", &function)?;
                map.end()
            }
        }
    }
}

/// A call as it is written, in a request or in an answer.
pub(super) struct WrittenCall<'a> {
    pub(super) call: &'a ToolCall,
    /// The id to write.
    pub(super) id: &'a str,
    /// Which of its extras to write.
    pub(super) extras: Extras,
}

/// How far a call's extras are known to be this dialect's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extras {
    /// They are.
    Ours,
    /// Nobody said whose they are: only names that this dialect uses.
    Unsaid,
    /// They are another dialect's.
    Foreign,
}

impl Extras {
    /// Whether a member of that name is written.
    pub(super) fn take(self, name: &str) -> bool {
        match self {
            Self::Ours => true,
            // Gemini's compatible route keeps its thought signatures in `extra_content`.
            Self::Unsaid => {
                name == "extra_content" || name.starts_with("function.") || name.starts_with("custom.")
            }
            Self::Foreign => false,
        }
    }
}

impl Extras {
    /// Those that are written.
    fn of(self, extra: &Extra) -> Extra {
        let written = extra.iter().filter(|(name, _)| *name != "type" && self.take(name));
        written.map(|(name, raw)| (name.to_owned(), raw.clone())).collect()
    }
}

impl Serialize for WrittenCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ToolCall { name, arguments, extra, .. } = self.call;
        let is_custom = self.extras != Extras::Foreign && is_custom(extra);
        let (member, body, prefix) = spelling(is_custom);
        // Templates of local servers parse the arguments; nothing is no JSON.
        let arguments = if arguments.is_empty() && !is_custom { "{}" } else { arguments };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        map.serialize_entry("type", member)?;
        let extra = self.extras.of(extra);
        let fields = [("name", Some(Value::Text(name))), (body, Some(Value::Text(arguments)))];
        map.serialize_entry(member, &Named { fields: &fields, extra: Some(&extra), prefix })?;
        write_beside(&mut map, Some(&extra), prefix)?;
        map.end()
    }
}

/// A call as it begins in a stream. Nobody says whose its extras are.
pub(super) struct StartedCall<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) extra: &'a Extra,
}

impl StartedCall<'_> {
    /// Whether it is of a tool that takes free text.
    pub(super) fn is_custom(&self) -> bool {
        is_custom(self.extra)
    }
}

impl Serialize for StartedCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (member, body, prefix) = spelling(self.is_custom());
        let fields = [("name", Some(Value::Text(self.name))), (body, Some(Value::Text("")))];
        let extra = Extras::Unsaid.of(self.extra);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        map.serialize_entry("type", member)?;
        map.serialize_entry(member, &Named { fields: &fields, extra: Some(&extra), prefix })?;
        write_beside(&mut map, Some(&extra), prefix)?;
        map.end()
    }
}

fn is_custom(extra: &Extra) -> bool {
    extra.get("type").is_some_and(|kind| kind.text() == "\"custom\"")
}

/// The member that a call's name stands in, the member of its arguments, and the prefix of extras in there.
const fn spelling(is_custom: bool) -> (&'static str, &'static str, &'static str) {
    if is_custom { ("custom", "input", "custom.") } else { ("function", "arguments", "function.") }
}

/// The extras that stand beside the inner object.
fn write_beside<M: SerializeMap>(map: &mut M, extra: Option<&Extra>, prefix: &str) -> Result<(), M::Error> {
    for (name, raw) in extra.into_iter().flat_map(Extra::iter).filter(|(name, _)| !name.starts_with(prefix)) {
        map.serialize_entry(spelled(name), raw)?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Text(&'a str),
    Raw(&'a RawJson),
    Flag(bool),
    /// The schema of no arguments.
    NoSchema,
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Raw(raw) => raw.serialize(serializer),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::NoSchema => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "object")?;
                map.serialize_entry("properties", &Extra::new())?;
                map.end()
            }
        }
    }
}

/// An inner object: its fields, then the extras whose names begin with `prefix`.
struct Named<'a> {
    fields: &'a [(&'static str, Option<Value<'a>>)],
    extra: Option<&'a Extra>,
    prefix: &'static str,
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.fields {
            if let Some(value) = value {
                map.serialize_entry(name, value)?;
            }
        }
        for (path, raw) in self.extra.into_iter().flat_map(Extra::iter) {
            if let Some(name) = path.strip_prefix(self.prefix).filter(|_| !self.prefix.is_empty()) {
                map.serialize_entry(spelled(name), raw)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn tools_come_back_byte_for_byte() {
        for json in [
            r#"{"type":"function","function":{"name":"f","description":"d","parameters":{"type": "object"},"strict":true,"x":1.0},"cache_control":{"a":1}}"#,
            r#"{"type":"function","function":{"name":"f"}}"#,
            r#"{"type":"custom","custom":{"name":"sum", "format":{"type":"text"}}}"#,
            r#"{"type":"web_search"}"#,
        ] {
            let tool = read_tool(&raw(json), &Path::Root).unwrap();
            assert_eq!(
                serde_json::to_string(&WrittenTool { tool: &tool, with_extra: true, with_schema: false })
                    .unwrap(),
                json
            );
        }
        assert_eq!(
            read_tool(&raw(r#"{"type":"custom","custom":{"name":"sum"}}"#), &Path::Root).unwrap().name,
            "sum"
        );
    }

    #[test]
    fn calls_come_back_byte_for_byte() {
        for json in [
            r#"{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}","y":[1.0]},"extra_content":{"s":"c2ln"}}"#,
            r#"{"id":"a","type":"custom","custom":{"name":"sum","input":"4 + 4"}}"#,
        ] {
            let call = read_call(&raw(json), &Path::Root).unwrap();
            for extras in [Extras::Ours, Extras::Unsaid] {
                assert_eq!(
                    serde_json::to_string(&WrittenCall { call: &call, id: &call.id, extras }).unwrap(),
                    json
                );
            }
        }
    }

    #[test]
    fn extras_of_nobody_known_are_not_written_into_a_call() {
        let mut call = read_call(&raw(r#"{"id":"a","function":{"name":"f"}}"#), &Path::Root).unwrap();
        call.extra.insert("thoughtSignature", RawJson::parse("\"c2ln\"").unwrap());
        let written =
            serde_json::to_string(&WrittenCall { call: &call, id: "b", extras: Extras::Unsaid }).unwrap();
        assert_eq!(written, r#"{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}"#);
    }

    #[test]
    fn a_choice_is_a_word_or_a_tool() {
        let of = |json: &str| read_choice(&raw(json), &Path::Root.member("tool_choice"));
        assert_eq!(of("\"any\"").unwrap(), (Some(ToolChoice::Required), true));
        let named = Some(ToolChoice::Named("f".into()));
        for (json, is_all) in [
            (r#"{"type":"function","function":{"name":"f"}}"#, true),
            (r#"{"type":"function","function":{"name":"f","more":1}}"#, false),
            (r#"{"type":"function","function":{"name":"f"},"more":1}"#, false),
        ] {
            assert_eq!(of(json).unwrap(), (named.clone(), is_all), "{json}");
        }
        assert_eq!(of(r#"{"type":"allowed_tools","allowed_tools":{}}"#).unwrap(), (None, false));
        assert!(of("\"maybe\"").unwrap_err().message.starts_with("tool_choice: expected \"none\", \"auto\""));
    }
}
