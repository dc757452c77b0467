//! Tools, the choice among them, and calls as they are written, both ways.

use std::borrow::Cow;

use mainstay_canon::{Dialect, Extra, Failure, RawJson, Tool, ToolCall, ToolChoice};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::items::{CUSTOM, TYPE, kind_of_call};
use crate::openai_chat::json::{
    Path, boolean, object, optional_string, required_string, string, wrong, wrong_word,
};

/// Reads one tool. A tool of another type than `function` travels whole.
pub(super) fn read_tool(raw: &RawValue, path: &Path<'_>) -> Result<Tool, Failure> {
    let mut members = object(raw, path)?;
    let kind = required_string(members.take("type"), &path.member("type"))?;
    let mut extra = Extra::new();
    if kind != "function" {
        let named = members.look("name").and_then(|raw| string(raw, path).ok());
        let native = RawJson::of(raw).map_err(|_| wrong(path, "a tool", Some(raw)))?;
        let name = named.map_or(kind, Cow::into_owned);
        return Ok(Tool {
            name,
            description: None,
            parameters: None,
            strict: None,
            extra,
            native: Some(native),
        });
    }
    if let Some(nested) = members.look("function") {
        return Err(wrong(
            &path.member("name"),
            "a string beside `type` (not inside `function`)",
            Some(nested),
        ));
    }
    let name = required_string(members.take("name"), &path.member("name"))?;
    let description = optional_string(members.take("description"), &path.member("description"))?;
    let schema = |raw| schema(raw, &path.member("parameters"));
    let parameters = members.take("parameters").map(schema).transpose()?;
    let strict = members.take("strict").map(|raw| boolean(raw, &path.member("strict"))).transpose()?;
    members.keep_in(&mut extra);
    Ok(Tool { name, description, parameters, strict, extra, native: None })
}

/// A JSON schema, kept as it is.
pub(super) fn schema(raw: &RawValue, path: &Path<'_>) -> Result<RawJson, Failure> {
    if !raw.get().starts_with(['{', 't', 'f']) {
        return Err(wrong(path, "a JSON schema", Some(raw)));
    }
    RawJson::of(raw).map_err(|_| wrong(path, "a JSON schema", Some(raw)))
}

/// Reads a choice. `None` for forms that only this dialect has, such as `allowed_tools` or a hosted tool.
pub(super) fn read_choice(raw: &RawValue, path: &Path<'_>) -> Result<(Option<ToolChoice>, bool), Failure> {
    if raw.get().starts_with('"') {
        let word = string(raw, path)?;
        return match &*word {
            "auto" => Ok((Some(ToolChoice::Auto), true)),
            "none" => Ok((Some(ToolChoice::None), true)),
            "required" => Ok((Some(ToolChoice::Required), true)),
            other => Err(wrong_word(path, "\"none\", \"auto\", \"required\" or an object", other)),
        };
    }
    let mut members = object(raw, path)?;
    let kind = required_string(members.take("type"), &path.member("type"))?;
    if kind != "function" {
        return Ok((None, false));
    }
    let name = required_string(members.take("name"), &path.member("name"))?;
    Ok((Some(ToolChoice::Named(name)), members.is_empty()))
}

/// A tool as it is written.
#[derive(Debug)]
pub(super) struct WrittenTool<'a> {
    pub(super) tool: &'a Tool,
    /// Whether its extras are this dialect's.
    pub(super) with_extra: bool,
    /// Whether a missing `strict` is written out. The API holds functions to their schema unless told not to,
    /// which is not what silence means in other dialects.
    pub(super) says_strict: bool,
}

impl Serialize for WrittenTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tool { name, description, parameters, strict, extra, native } = self.tool;
        if let Some(raw) = native {
            return raw.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("name", name)?;
        if let Some(description) = description {
            map.serialize_entry("description", description)?;
        }
        map.serialize_entry("parameters", parameters)?;
        if let Some(strict) = strict.or(self.says_strict.then_some(false)) {
            map.serialize_entry("strict", &strict)?;
        }
        if self.with_extra {
            for (name, raw) in extra.iter() {
                map.serialize_entry(name, raw)?;
            }
        }
        map.end()
    }
}

/// A choice as it is written.
#[derive(Debug)]
pub(super) struct WrittenChoice<'a>(pub(super) &'a ToolChoice);

impl Serialize for WrittenChoice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ToolChoice::Auto => serializer.serialize_str("auto"),
            ToolChoice::None => serializer.serialize_str("none"),
            ToolChoice::Required => serializer.serialize_str("required"),
            ToolChoice::Named(name) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", "function")?;
                map.serialize_entry("name", name)?;
                map.end()
            }
        }
    }
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

/// Members of a call in this dialect (OpenAI API reference, 2026-11).
const OF_CALLS: [&str; 5] = ["id", "status", "namespace", "caller", "async"];

impl Extras {
    /// How far the extras of a request are ours.
    pub(super) fn of(origin: Option<Dialect>) -> Self {
        match origin {
            None => Self::Unsaid,
            Some(Dialect::OpenaiResponses) => Self::Ours,
            Some(
                Dialect::OpenaiChat
                | Dialect::Anthropic
                | Dialect::Gemini
                | Dialect::Ollama
                | Dialect::Bedrock,
            ) => Self::Foreign,
        }
    }

    /// Whether a member of that name is written.
    pub(super) fn take(self, name: &str) -> bool {
        match self {
            Self::Ours => true,
            Self::Unsaid => OF_CALLS.contains(&name),
            Self::Foreign => false,
        }
    }
}

/// A call as it is written, in a request or in an answer.
#[derive(Debug)]
pub(super) struct WrittenCall<'a> {
    pub(super) call: &'a ToolCall,
    /// The id by which its result names it.
    pub(super) id: &'a str,
    /// The item's own id, where it gets one from us.
    pub(super) item_id: Option<&'a str>,
    /// The item's status, where it gets one from us.
    pub(super) status: Option<&'static str>,
    /// Which of its extras to write.
    pub(super) extras: Extras,
    /// Whether the item's id is left out of the extras.
    pub(super) is_bare: bool,
}

/// The item type and the member that holds the arguments.
pub(super) fn spelled(call: &ToolCall) -> (&'static str, &'static str) {
    match kind_of_call(&call.extra).as_deref() {
        Some(CUSTOM) => ("custom_tool_call", "input"),
        Some(_) | None => ("function_call", "arguments"),
    }
}

/// The item of a call that is no function but that the caller runs: it is what stands in the arguments.
pub(super) fn whole_item(call: &ToolCall) -> Option<&RawValue> {
    kind_of_call(&call.extra).filter(|kind| kind != CUSTOM)?;
    serde_json::from_str::<&RawValue>(&call.arguments).ok().filter(|raw| raw.get().starts_with('{'))
}

impl Serialize for WrittenCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(item) = whole_item(self.call) {
            return item.serialize(serializer);
        }
        let ToolCall { name, arguments, extra, .. } = self.call;
        let (kind, member) = spelled(self.call);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", kind)?;
        if let Some(id) = self.item_id {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("call_id", self.id)?;
        map.serialize_entry("name", name)?;
        // Nothing is no JSON, but in an answer it may be what came so far.
        let is_blank = arguments.is_empty() && member == "arguments" && self.status.is_none();
        map.serialize_entry(member, if is_blank { "{}" } else { arguments })?;
        if let Some(status) = self.status {
            map.serialize_entry("status", status)?;
        }
        for (name, raw) in extra.iter().filter(|(name, _)| *name != TYPE && self.extras.take(name)) {
            let is_ours = (name == "id" && (self.is_bare || self.item_id.is_some()))
                || (name == "status" && self.status.is_some());
            if !is_ours {
                map.serialize_entry(name, raw)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai_responses::items;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn written(tool: &Tool, says_strict: bool) -> String {
        serde_json::to_string(&WrittenTool { tool, with_extra: true, says_strict }).unwrap()
    }

    #[test]
    fn tools_come_back_byte_for_byte() {
        for json in [
            r#"{"type":"function","name":"f","description":"d","parameters":{"type": "object"},"strict":true,"defer_loading":true}"#,
            r#"{"type":"function","name":"f","parameters":null}"#,
            r#"{"type":"web_search", "search_context_size":"low"}"#,
            r#"{"type":"custom","name":"sum","format":{"type":"text"}}"#,
        ] {
            assert_eq!(written(&read_tool(&raw(json), &Path::Root).unwrap(), false), json);
        }
        assert_eq!(read_tool(&raw(r#"{"type":"custom","name":"sum"}"#), &Path::Root).unwrap().name, "sum");
        assert_eq!(read_tool(&raw(r#"{"type":"web_search"}"#), &Path::Root).unwrap().name, "web_search");
    }

    #[test]
    fn silence_about_strictness_is_written_out_for_other_dialects() {
        let tool = read_tool(&raw(r#"{"type":"function","name":"f"}"#), &Path::Root).unwrap();
        assert_eq!(
            written(&tool, true),
            r#"{"type":"function","name":"f","parameters":null,"strict":false}"#
        );
    }

    #[test]
    fn the_form_of_chat_completions_is_named() {
        let failure =
            read_tool(&raw(r#"{"type":"function","function":{"name":"f"}}"#), &Path::Root.member("t"))
                .unwrap_err();
        assert_eq!(
            failure.message,
            "t.name: expected a string beside `type` (not inside `function`), found an object"
        );
    }

    #[test]
    fn a_choice_is_a_word_or_a_tool() {
        let of = |json: &str| read_choice(&raw(json), &Path::Root.member("tool_choice"));
        assert_eq!(of("\"required\"").unwrap(), (Some(ToolChoice::Required), true));
        let (named, is_all) = of(r#"{"type":"function","name":"f"}"#).unwrap();
        assert!(is_all && !of(r#"{"type":"function","name":"f","more":1}"#).unwrap().1);
        assert_eq!(
            serde_json::to_string(&WrittenChoice(&named.unwrap())).unwrap(),
            r#"{"type":"function","name":"f"}"#
        );
        assert_eq!(of(r#"{"type":"allowed_tools","mode":"auto","tools":[]}"#).unwrap(), (None, false));
        assert!(of("\"maybe\"").unwrap_err().message.starts_with("tool_choice: expected \"none\", \"auto\""));
    }

    #[test]
    fn calls_come_back_with_what_is_known_to_be_ours() {
        let write = |call: &ToolCall, extras, is_bare| {
            let id = &call.id;
            let call = WrittenCall { call, id, item_id: None, status: None, extras, is_bare };
            serde_json::to_string(&call).unwrap()
        };
        let json = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}","id":"fc_1","status":"completed"}"#;
        let mut call = items::call(&raw(json)).unwrap();
        for extras in [Extras::Ours, Extras::Unsaid] {
            assert_eq!(write(&call, extras, false), json);
        }
        call.extra.insert("thoughtSignature", RawJson::parse("\"c2ln\"").unwrap());
        assert_eq!(write(&call, Extras::Unsaid, false), json);
        let plain = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
        assert_eq!(write(&call, Extras::Foreign, false), plain);
        assert!(!write(&call, Extras::Ours, true).contains("fc_1"));
        let free = r#"{"type":"custom_tool_call","call_id":"c","name":"sum","input":""}"#;
        assert_eq!(write(&items::call(&raw(free)).unwrap(), Extras::Foreign, false), free);
        let computer = r#"{"type":"computer_call", "call_id":"c","action":{"type":"wait"}}"#;
        assert_eq!(write(&items::call(&raw(computer)).unwrap(), Extras::Ours, true), computer);
    }
}
