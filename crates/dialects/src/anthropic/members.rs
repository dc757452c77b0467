//! Members of a request's body as JSON.
//!
//! Source: Anthropic API reference, Messages, 2026-11. Decides nothing: what is here is written.

use mainstay_canon::{Extra, RawJson, Tool, ToolChoice};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::json::Object;
use super::parts::{OutBlock, serialize_blocks};

/// `system`: a string where one plain text is all.
pub(super) struct System<'a>(pub(super) &'a [OutBlock<'a>]);

impl Serialize for System<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_blocks(self.0, serializer)
    }
}

pub(super) struct OutputConfig<'a> {
    pub(super) stated: Option<Object<'a>>,
    pub(super) effort: Option<&'static str>,
    pub(super) schema: Option<&'a RawJson>,
}

impl Serialize for OutputConfig<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Format<'a> {
            r#type: &'static str,
            schema: &'a RawJson,
        }
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.stated.iter().flat_map(Object::iter) {
            map.serialize_entry(name, value)?;
        }
        if let Some(effort) = self.effort {
            map.serialize_entry("effort", effort)?;
        }
        if let Some(schema) = self.schema {
            map.serialize_entry("format", &Format { r#type: "json_schema", schema })?;
        }
        map.end()
    }
}

pub(super) struct UserMetadata<'a> {
    pub(super) user_id: &'a str,
    pub(super) rest: Option<Object<'a>>,
}

impl Serialize for UserMetadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("user_id", self.user_id)?;
        for (name, value) in self.rest.iter().flat_map(Object::iter).filter(|(name, _)| *name != "user_id") {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

pub(super) struct OutTool<'a> {
    pub(super) tool: &'a Tool,
    pub(super) extra: Option<&'a Extra>,
}

impl Serialize for OutTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct AnyObject {
            r#type: &'static str,
        }
        let tool = self.tool;
        if let Some(native) = &tool.native {
            return native.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &tool.name)?;
        if let Some(description) = &tool.description {
            map.serialize_entry("description", description)?;
        }
        match &tool.parameters {
            Some(schema) => map.serialize_entry("input_schema", schema)?,
            None => map.serialize_entry("input_schema", &AnyObject { r#type: "object" })?,
        }
        if let Some(strict) = tool.strict {
            map.serialize_entry("strict", &strict)?;
        }
        for (name, value) in self.extra.into_iter().flat_map(Extra::iter) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

pub(super) struct OutChoice<'a> {
    pub(super) choice: Option<&'a ToolChoice>,
    /// Whether only one call may come.
    pub(super) alone: Option<bool>,
}

impl Serialize for OutChoice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let word = match self.choice {
            Some(ToolChoice::Auto) | None => "auto",
            Some(ToolChoice::None) => "none",
            Some(ToolChoice::Required) => "any",
            Some(ToolChoice::Named(_)) => "tool",
        };
        map.serialize_entry("type", word)?;
        if let Some(ToolChoice::Named(name)) = self.choice {
            map.serialize_entry("name", name)?;
        }
        if let Some(alone) = self.alone.filter(|_| self.choice != Some(&ToolChoice::None)) {
            map.serialize_entry("disable_parallel_tool_use", &alone)?;
        }
        map.end()
    }
}
