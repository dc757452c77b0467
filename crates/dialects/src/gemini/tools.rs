//! Tools on offer, and whether and which of them must be called.
//!
//! Source: Gemini API reference, Tool and FunctionCallingConfig, 2026-11.

use mainstay_canon::{ChatRequest, Failure, Tool, ToolChoice};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::{Object, raw};
use super::media::unsupported;
use super::parts::{Members, PartWriter};
use crate::{Call, limits};

/// One entry of `tools`.
#[derive(Debug)]
pub(super) enum Entry<'a> {
    /// All functions.
    Functions(Vec<Function<'a>>),
    /// A tool that the provider runs itself, as its caller wrote it.
    Native(&'a RawValue),
}

/// One function.
#[derive(Debug)]
pub(super) struct Function<'a> {
    tool: &'a Tool,
    members: Members<'a>,
}

/// The entries of `tools`.
///
/// # Errors
///
/// `UnsupportedParameter` for tools that cannot be offered.
pub(super) fn entries<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    parts: &mut PartWriter<'_>,
) -> Result<Vec<Entry<'a>>, Failure> {
    let refuse = |message: String| Err(unsupported(message).param("tools"));
    limits::check(request, call.accepts)?;
    let mut functions = Vec::new();
    let mut natives = Vec::new();
    for tool in &request.tools {
        match &tool.native {
            None => functions.push(Function { tool, members: parts.members(&tool.extra, "a tool") }),
            Some(native) if parts.is_own() => natives.extend(raw(native).map(Entry::Native)),
            Some(_) => return refuse(format!("the tool {:?} is known to another dialect only", tool.name)),
        }
    }
    let mut entries = Vec::new();
    if !functions.is_empty() {
        entries.push(Entry::Functions(functions));
    }
    entries.extend(natives);
    Ok(entries)
}

/// `functionCallingConfig`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Calling<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_function_names: Option<[&'a str; 1]>,
}

impl<'a> Calling<'a> {
    /// What `request` says of calling, if it says something.
    pub(super) fn of(request: &'a ChatRequest, parts: &mut PartWriter<'_>) -> Option<Self> {
        if request.parallel_tool_calls == Some(false) && !request.tools.is_empty() {
            parts.notes.add("parallel_tool_calls is left out: this dialect cannot forbid several calls");
        }
        let has_functions = request.tools.iter().any(|tool| tool.native.is_none());
        if !has_functions {
            if matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_))) {
                parts.notes.add("tool_choice is left out: no tools are offered");
            }
            return None;
        }
        // The mode in which calls are held to their schemas although none is demanded.
        let is_strict = request.tools.iter().any(|tool| tool.strict == Some(true));
        let mode = match (&request.tool_choice, is_strict) {
            (None, false) => return None,
            (None | Some(ToolChoice::Auto), true) => "VALIDATED",
            (Some(ToolChoice::Auto), false) => "AUTO",
            (Some(ToolChoice::None), _) => "NONE",
            (Some(ToolChoice::Required | ToolChoice::Named(_)), _) => "ANY",
        };
        let allowed_function_names = match &request.tool_choice {
            Some(ToolChoice::Named(name)) => Some([name.as_str()]),
            Some(ToolChoice::Auto | ToolChoice::None | ToolChoice::Required) | None => None,
        };
        Some(Self { mode, allowed_function_names })
    }
}

/// `toolConfig`: the caller's own, with what the canonical fields say.
#[derive(Debug)]
pub(super) struct ToolConfig<'a> {
    pub(super) stated: Object<'a>,
    pub(super) calling: Option<Calling<'a>>,
}

impl ToolConfig<'_> {
    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.calling.is_none() && self.stated.iter().next().is_none()
    }
}

impl Serialize for ToolConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const CALLING: &str = "functionCallingConfig";
        let mut map = serializer.serialize_map(None)?;
        let says_itself = self.stated.get(CALLING).is_some();
        for (name, value) in self.stated.iter() {
            map.serialize_entry(name, value)?;
        }
        if let Some(calling) = self.calling.as_ref().filter(|_| !says_itself) {
            map.serialize_entry(CALLING, calling)?;
        }
        map.end()
    }
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let functions = match self {
            Self::Native(native) => return native.serialize(serializer),
            Self::Functions(functions) => functions,
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("functionDeclarations", functions)?;
        map.end()
    }
}

impl Serialize for Function<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { tool, members } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &tool.name)?;
        if let Some(description) = &tool.description {
            map.serialize_entry("description", description)?;
        }
        if let Some(schema) = &tool.parameters {
            map.serialize_entry("parametersJsonSchema", schema)?;
        }
        for (name, value) in members {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
