//! A request, written for one model of one server.

use mainstay_canon::{
    ChatRequest, Extra, Failure, Kind, RawJson, ReasoningEffort, ResponseFormat, Tool, ToolChoice,
};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Ollama;
use super::messages::{self, Message};
use super::notes::Notes;
use super::options::{Options, Own};
use super::window::{self, Size};
use crate::{Call, Outbound, limits};

/// Writes a request.
pub(super) fn write(style: &Ollama, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
    check(request, call)?;
    let mut notes = Notes::default();
    let body = Body::plan(style, request, call, &mut notes)?;
    let body = serde_json::to_vec(&body).map_err(|error| {
        Failure::new(Kind::InvalidRequest, "the request cannot be written as JSON").because(error)
    })?;
    let notes = notes.into_list(request.origin);
    Ok(Outbound { path: "/api/chat".to_owned(), headers: Vec::new(), body, notes })
}

/// What nobody can write, and what this model does not take at all.
fn check(request: &ChatRequest, call: &Call<'_>) -> Result<(), Failure> {
    for (name, value) in [("temperature", request.temperature), ("top_p", request.top_p)] {
        if value.is_some_and(|number| !number.is_finite()) {
            return Err(
                Failure::new(Kind::InvalidRequest, format!("{name}: not a finite number")).param(name)
            );
        }
    }
    let unsupported = |param: String, what: &str| {
        Err(Failure::new(Kind::UnsupportedParameter, format!("{param}: {what}")).param(param))
    };
    limits::check(request, call.accepts)?;
    match request.tools.iter().position(|tool| tool.native.is_some()) {
        Some(at) => unsupported(format!("tools[{at}]"), "Ollama takes functions only"),
        None => Ok(()),
    }
}

/// The body to be written.
struct Body<'a> {
    model: &'a str,
    stream: bool,
    messages: Vec<Message<'a>>,
    tools: Vec<OutTool<'a>>,
    format: Option<Format<'a>>,
    think: Option<Think>,
    options: Options<'a>,
    /// Members that only a caller who knows Ollama sends.
    beside: Vec<(&'a str, &'a RawJson)>,
}

impl<'a> Body<'a> {
    fn plan(
        style: &Ollama,
        request: &'a ChatRequest,
        call: &'a Call<'a>,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut own = Own::of(request, notes);
        let (format, instruction) = format(request, call, notes);
        let messages = messages::plan(request, call, instruction, notes)?;
        let tools = tools(request, notes);
        let think = request.reasoning_effort.and_then(|effort| think(effort, style, call, notes));
        for (name, said) in [("format", format.is_some()), ("think", think.is_some())] {
            if said {
                own.overrule(name, notes);
            }
        }
        let size = size(&messages, &tools, format.as_ref());
        let window = || window::window(style, size, call.max_tokens);
        let options = Options::plan(request, call, &mut own, notes, window);
        if let Some(tokens) = options.window().filter(|tokens| *tokens > style.least_window) {
            notes.say(format!("num_ctx={tokens}, for the size of the prompt"));
        }
        Ok(Self {
            model: &call.target.model,
            stream: call.stream,
            messages,
            tools,
            format,
            think,
            options,
            beside: own.beside,
        })
    }

    /// Whether the caller says it itself.
    fn says(&self, name: &str) -> bool {
        self.beside.iter().any(|(known, _)| *known == name)
    }
}

/// What the prompt is made of.
fn size(messages: &[Message<'_>], tools: &[OutTool<'_>], format: Option<&Format<'_>>) -> Size {
    let mut size = Size::default();
    messages::measure(messages, &mut size);
    size.pieces = size.pieces.saturating_add(tools.len());
    for OutTool(tool) in tools {
        let texts = [tool.description.as_deref(), tool.parameters.as_ref().map(RawJson::text)];
        for text in texts.into_iter().flatten().chain([&*tool.name]) {
            size.text(text);
        }
    }
    if let Some(Format::Schema(schema)) = format {
        size.text(schema.text());
    }
    size
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("messages", &self.messages)?;
        // The server streams unless it is told not to.
        map.serialize_entry("stream", &self.stream)?;
        if !self.tools.is_empty() {
            map.serialize_entry("tools", &self.tools)?;
        }
        if let Some(format) = &self.format {
            map.serialize_entry("format", format)?;
        }
        if let Some(think) = self.think {
            map.serialize_entry("think", &think)?;
        }
        // By default the server cuts what does not fit, and says nothing.
        for name in ["truncate", "shift"] {
            if !self.says(name) {
                map.serialize_entry(name, &false)?;
            }
        }
        map.serialize_entry("options", &self.options)?;
        for (name, raw) in &self.beside {
            map.serialize_entry(name, raw)?;
        }
        map.end()
    }
}

/// The form of the answer.
enum Format<'a> {
    Json,
    Schema(&'a RawJson),
}

impl Serialize for Format<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json => serializer.serialize_str("json"),
            Self::Schema(schema) => schema.serialize(serializer),
        }
    }
}

/// The form of the answer, and what the model must be told where it cannot be given a schema.
fn format<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    notes: &mut Notes,
) -> (Option<Format<'a>>, Option<String>) {
    match &request.response_format {
        ResponseFormat::Text => (None, None),
        ResponseFormat::Json => (Some(Format::Json), None),
        ResponseFormat::JsonSchema { schema, .. } if call.accepts.json_schema => {
            (Some(Format::Schema(schema)), None)
        }
        ResponseFormat::JsonSchema { schema, .. } => {
            notes.say("json_schema sent as JSON mode, with the schema in the system message");
            let schema = schema.text();
            let told = format!("Answer with one JSON object that satisfies this JSON Schema:\n{schema}");
            (Some(Format::Json), Some(told))
        }
    }
}

/// How much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Think {
    Flag(bool),
    Level(&'static str),
}

fn think(effort: ReasoningEffort, style: &Ollama, call: &Call<'_>, notes: &mut Notes) -> Option<Think> {
    if (style.thinks_by_levels)(&call.target.model) {
        let level = match effort {
            ReasoningEffort::None | ReasoningEffort::Minimal | ReasoningEffort::Low => "low",
            ReasoningEffort::Medium => "medium",
            ReasoningEffort::High | ReasoningEffort::Xhigh | ReasoningEffort::Max => "high",
        };
        if effort.word() != level {
            notes.say(format!("reasoning_effort {effort} is sent as {level}", effort = effort.word()));
        }
        return Some(Think::Level(level));
    }
    match effort {
        // A model that does not think takes this, too.
        ReasoningEffort::None => Some(Think::Flag(false)),
        ReasoningEffort::Minimal
        | ReasoningEffort::Low
        | ReasoningEffort::Medium
        | ReasoningEffort::High
        | ReasoningEffort::Xhigh
        | ReasoningEffort::Max => {
            if !call.accepts.effort {
                notes.dropped("reasoning_effort");
                return None;
            }
            notes.say(format!("reasoning_effort {} is sent as think: true", effort.word()));
            Some(Think::Flag(true))
        }
    }
}

/// The tools on offer. The dialect knows no choice among them, so a choice narrows the offer; whether a call
/// came where one was wanted is for the judge.
fn tools<'a>(request: &'a ChatRequest, notes: &mut Notes) -> Vec<OutTool<'a>> {
    let named = match &request.tool_choice {
        Some(ToolChoice::None) => return Vec::new(),
        Some(ToolChoice::Named(name)) => Some(name),
        Some(ToolChoice::Required | ToolChoice::Auto) | None => None,
    };
    match &request.tool_choice {
        Some(ToolChoice::Required) => notes.dropped("tool_choice"),
        Some(ToolChoice::Named(_)) => notes.say("tool_choice: only the named tool is offered"),
        Some(ToolChoice::None | ToolChoice::Auto) | None => {}
    }
    if request.parallel_tool_calls == Some(false) {
        notes.dropped("parallel_tool_calls");
    }
    let offered = request.tools.iter().filter(|tool| named.is_none_or(|name| *name == tool.name));
    offered
        .map(|tool| {
            if tool.strict == Some(true) {
                notes.dropped("tools.function.strict");
            }
            notes.leave_behind(&tool.extra);
            OutTool(tool)
        })
        .collect()
}

/// A tool as it is written.
struct OutTool<'a>(&'a Tool);

impl Serialize for OutTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            description: Option<&'a str>,
            parameters: Parameters<'a>,
        }
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Parameters<'a> {
            Stated(&'a RawJson),
            None { r#type: &'static str, properties: Extra },
        }
        let Tool { name, description, parameters, .. } = self.0;
        let parameters = parameters
            .as_ref()
            .map_or(Parameters::None { r#type: "object", properties: Extra::new() }, Parameters::Stated);
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "function")?;
        map.serialize_entry("function", &Function { name, description: description.as_deref(), parameters })?;
        map.end()
    }
}
