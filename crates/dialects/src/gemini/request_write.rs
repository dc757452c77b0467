//! A request to a provider: its path, and the members of the body.
//!
//! Source: Gemini API reference, generateContent and streamGenerateContent, 2026-11. The model stands in the path. The
//! key never does, though the API would take it there: it would end in logs.

use std::fmt::Write;

use mainstay_canon::{ChatRequest, Extra, Failure, RawJson};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::GeminiContent;
use super::config::GenerationConfig;
use super::json::{Object, raw, written};
use super::parts::{OutPart, PartWriter};
use super::tools::{Calling, Entry, ToolConfig, entries};
use super::turns::{Conversation, conversation};
use crate::{Call, Outbound};

/// Writes a request.
pub(super) fn write(
    quirks: GeminiContent,
    request: &ChatRequest,
    call: &Call<'_>,
) -> Result<Outbound, Failure> {
    let generation = (quirks.generation)(&call.target.model);
    let mut parts = PartWriter::new(call.accepts, request.origin);
    let conversation = conversation(request, call, generation, &mut parts)?;
    let own = parts.is_own().then_some(&request.extra);
    if own.is_none() {
        parts.notes.leave_behind("the request", &request.extra);
    }
    let stated = |name: &str| own.and_then(|own| own.get(name)).and_then(raw).and_then(Object::of);
    let config =
        GenerationConfig::of(request, call, generation, stated("generationConfig"), &mut parts.notes)?;
    let tools = entries(request, call, &mut parts)?;
    let calling = Calling::of(request, &mut parts);
    let tool_config = ToolConfig { stated: stated("toolConfig").unwrap_or_default(), calling };
    let body = written(&Body { conversation, tools, tool_config, config, own });
    let path = path(&call.target.model, call.stream);
    Ok(Outbound { path, headers: Vec::new(), body, notes: parts.notes.into_vec() })
}

/// The path of a chat with a model.
fn path(model: &str, stream: bool) -> String {
    method_path(model, if stream { "streamGenerateContent?alt=sse" } else { "generateContent" })
}

/// The path of a model's method. `models/` before its name is how lists of models spell it.
pub(super) fn method_path(model: &str, method: &str) -> String {
    let mut path = String::from("/models/");
    for byte in model.strip_prefix("models/").unwrap_or(model).bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            path.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path.push(':');
    path.push_str(method);
    path
}

/// Members that are never taken from a caller's extras as they are: a canonical field says it.
const WRITTEN: [&str; 7] =
    ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "model", "stream"];

struct Body<'a> {
    conversation: Conversation<'a>,
    tools: Vec<Entry<'a>>,
    tool_config: ToolConfig<'a>,
    config: GenerationConfig<'a>,
    /// The caller's members, where they are of this dialect.
    own: Option<&'a Extra>,
}

impl Body<'_> {
    fn others(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.own.into_iter().flat_map(Extra::iter).filter(|(name, _)| !WRITTEN.contains(name))
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Instruction<'b, 'a> {
            parts: &'b [OutPart<'a>],
        }
        let mut map = serializer.serialize_map(None)?;
        if !self.conversation.system.is_empty() {
            map.serialize_entry("systemInstruction", &Instruction { parts: &self.conversation.system })?;
        }
        map.serialize_entry("contents", &self.conversation.turns)?;
        if !self.tools.is_empty() {
            map.serialize_entry("tools", &self.tools)?;
        }
        if !self.tool_config.is_empty() {
            map.serialize_entry("toolConfig", &self.tool_config)?;
        }
        if !self.config.is_empty() {
            map.serialize_entry("generationConfig", &self.config)?;
        }
        for (name, value) in self.others() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_stands_in_the_path_whatever_its_name_holds() {
        for (model, stream, expected) in [
            ("gemini-3.8-flash", false, "/models/gemini-3.8-flash:generateContent"),
            ("gemini-3.8-flash", true, "/models/gemini-3.8-flash:streamGenerateContent?alt=sse"),
            ("models/gemini-pro-latest", false, "/models/gemini-pro-latest:generateContent"),
            ("a/b?key=c#d é", false, "/models/a%2Fb%3Fkey%3Dc%23d%20%C3%A9:generateContent"),
            ("../x", false, "/models/..%2Fx:generateContent"),
        ] {
            assert_eq!(path(model, stream), expected);
        }
    }
}
