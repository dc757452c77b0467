//! A request, written for one model of one host.

use mainstay_canon::{
    ChatRequest, Dialect, Failure, Kind, MaxTokensParam, RawJson, ResponseFormat, Route, ToolChoice,
};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::OpenAiChat;
use super::effort;
use super::message_write::WrittenTurn;
use super::notes::Notes;
use super::request_read::STREAM_OPTIONS;
use super::tools::{Extras, WrittenChoice, WrittenTool};
use super::turns::{self, Turn};
use crate::paths::spelled;
use crate::{Call, Outbound, limits};

/// Sampling parameters that the canon has no name for; they go where `temperature` goes.
const SAMPLING_KIN: [&str; 10] = [
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "top_k",
    "top_a",
    "min_p",
    "typical_p",
];

/// Members that are written from canonical fields or are the writer's own business.
const OURS: [&str; 17] = [
    "model",
    "messages",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "reasoning_effort",
    "stream",
    "stream_options",
    "n",
    "functions",
    "function_call",
];

/// Writes a request.
pub(super) fn write(style: &OpenAiChat, request: &ChatRequest, call: &Call<'_>) -> Result<Outbound, Failure> {
    let mut notes = Notes::new(request.origin);
    check(request, call)?;
    let body = Body::plan(style, request, call, &mut notes)?;
    let body = serde_json::to_vec(&body).map_err(|error| {
        Failure::new(Kind::InvalidRequest, "the request cannot be written as JSON").because(error)
    })?;
    Ok(Outbound { path: style.path.to_owned(), headers: Vec::new(), body, notes: notes.into_list() })
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
    if call.accepts.route == Route::Responses {
        return unsupported("model".to_owned(), "only Responses serves it");
    }
    let foreign = request.origin.filter(|dialect| *dialect != Dialect::OpenaiChat);
    let native = request.tools.iter().position(|tool| tool.native.is_some());
    if let (Some(whose), Some(at)) = (foreign, native) {
        let name = request.tools.get(at).map_or("", |tool| &*tool.name);
        return unsupported(format!("tools[{at}]"), &format!("`{name}` is a tool of the {whose} dialect"));
    }
    Ok(())
}

/// The body to be written.
struct Body<'a> {
    style: &'a OpenAiChat,
    request: &'a ChatRequest,
    call: &'a Call<'a>,
    turns: Vec<Turn<'a>>,
    with_extra: bool,
    /// The extras that are written.
    extra: Vec<(&'a str, &'a RawJson)>,
    /// What a caller of this dialect says of the stream, beside what is asked for anyway.
    stream_options: Vec<(&'a str, &'a RawJson)>,
    form: Form<'a>,
    sampling: bool,
    temperature: Option<f64>,
    effort: effort::Plan<'a>,
    offers_tools: bool,
}

/// How the form of the answer is asked for.
enum Form<'a> {
    Unsaid,
    Json,
    Schema { name: &'a str, schema: &'a RawJson, strict: Option<bool> },
    AsItCame(&'a RawJson),
}

impl<'a> Body<'a> {
    fn plan(
        style: &'a OpenAiChat,
        request: &'a ChatRequest,
        call: &'a Call<'a>,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let (form, instruction) = form(request, call, notes);
        let turns = turns::plan(style, request, call, instruction, notes)?;
        let effort = effort::plan(style, request, call, notes)?;
        let mut body = Self {
            style,
            request,
            call,
            turns,
            with_extra: notes.extras_are_ours(),
            extra: Vec::new(),
            stream_options: Vec::new(),
            form,
            sampling: call.accepts.samples(effort.level),
            temperature: None,
            effort,
            offers_tools: !request.tools.is_empty(),
        };
        body.note_what_is_left_out(notes);
        body.choose_extra(notes);
        body.temperature = request.temperature.filter(|_| body.sampling).map(|wanted| {
            let (sent, note) = limits::temperature(call.accepts.temperature, wanted);
            if let Some(note) = note {
                notes.say(note);
            }
            sent
        });
        Ok(body)
    }

    fn note_what_is_left_out(&self, notes: &mut Notes) {
        let request = self.request;
        if !self.sampling {
            for (name, given) in
                [("temperature", request.temperature.is_some()), ("top_p", request.top_p.is_some())]
            {
                if given {
                    notes.dropped(name);
                }
            }
        }
        if self.offers_tools && !self.call.accepts.parallel_choice && request.parallel_tool_calls.is_some() {
            notes.dropped("parallel_tool_calls");
        }
        if !self.offers_tools {
            // OpenAI refuses both where no tools are offered; "auto" and "none" lose nothing.
            if matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_))) {
                notes.dropped("tool_choice");
            }
            if request.parallel_tool_calls.is_some() {
                notes.dropped("parallel_tool_calls");
            }
        }
        for tool in &request.tools {
            notes.leave_behind(&tool.extra);
            if self.is_strict() && notes.extras_are_ours() {
                tool.extra.names().for_each(|name| notes.dropped(&format!("tools.{name}")));
            }
        }
        let extras = self.call_extras();
        let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
        for name in
            calls.flat_map(|call| call.extra.names()).filter(|name| *name != "type" && !extras.take(name))
        {
            notes.leave_member(name);
        }
    }

    /// Whether the host refuses members that it does not know.
    fn is_strict(&self) -> bool {
        self.style.only_members.is_some()
    }

    fn takes_stream_options(&self) -> bool {
        self.call.stream && !self.is_strict()
    }

    fn call_extras(&self) -> Extras {
        match self.request.origin {
            _ if self.is_strict() => Extras::Foreign,
            None => Extras::Unsaid,
            Some(Dialect::OpenaiChat) => Extras::Ours,
            Some(
                Dialect::OpenaiResponses
                | Dialect::Anthropic
                | Dialect::Gemini
                | Dialect::Ollama
                | Dialect::Bedrock,
            ) => Extras::Foreign,
        }
    }

    fn choose_extra(&mut self, notes: &mut Notes) {
        notes.leave_behind(&self.request.extra);
        if !self.with_extra {
            return;
        }
        for (name, raw) in self.request.extra.iter() {
            if let Some(option) = name.strip_prefix(STREAM_OPTIONS).filter(|_| self.takes_stream_options()) {
                self.stream_options.push((option, raw));
            } else if self.writes(name) {
                self.extra.push((name, raw));
            } else if !self.is_heeded(name) {
                notes.dropped(name);
            }
        }
    }

    /// Whether what an extra says is written although not as an extra.
    fn is_heeded(&self, name: &str) -> bool {
        matches!((name, &self.form), ("response_format", Form::AsItCame(_)))
            || self.effort.owns(self.style, name)
    }

    /// Whether an extra of that name is written: not if a canonical field says it, nor if the model does not
    /// take it.
    fn writes(&self, name: &str) -> bool {
        let is_core = matches!(name, "tool_choice" | "reasoning_effort") || name == self.style.seed;
        if !is_core && self.style.only_members.is_some_and(|known| !known.contains(&name)) {
            return false;
        }
        match name {
            name if self.style.refused_members.contains(&name) => false,
            name if self.effort.owns(self.style, name) => false,
            "presence_penalty" | "frequency_penalty" if !self.call.accepts.penalties => false,
            name if SAMPLING_KIN.contains(&name) => self.sampling,
            "tool_choice" => self.offers_tools && (self.request.tool_choice.is_none() || !self.is_strict()),
            "reasoning_effort" => self.request.reasoning_effort.is_none() && self.call.accepts.effort,
            name if name == self.style.seed => self.request.seed.is_none(),
            name => !OURS.contains(&name) && !name.starts_with(STREAM_OPTIONS),
        }
    }
}

/// The form of the answer, and what the model must be told where it cannot be given a schema.
fn form<'a>(request: &'a ChatRequest, call: &Call<'_>, notes: &mut Notes) -> (Form<'a>, Option<String>) {
    let as_it_came = request.extra.get("response_format").filter(|_| notes.extras_are_ours());
    let is_said = request.response_format != ResponseFormat::Text || as_it_came.is_some();
    if is_said && !request.tools.is_empty() && !call.accepts.form_with_tools {
        notes.say("response_format is left out: the model takes no tools together with it".to_owned());
        return (Form::Unsaid, None);
    }
    match (&request.response_format, as_it_came) {
        (ResponseFormat::JsonSchema { schema, .. }, _) if !call.accepts.json_schema => {
            notes.say("json_schema sent as JSON mode, with the schema in the system message".to_owned());
            let schema = schema.text();
            (
                Form::Json,
                Some(format!("Answer with one JSON object that satisfies this JSON Schema:\n{schema}")),
            )
        }
        (_, Some(raw)) => (Form::AsItCame(raw), None),
        (ResponseFormat::Text, None) => (Form::Unsaid, None),
        (ResponseFormat::Json, None) => (Form::Json, None),
        (ResponseFormat::JsonSchema { name, schema, strict }, None) => {
            (Form::Schema { name, schema, strict: *strict }, None)
        }
    }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &*self.call.target.model)?;
        map.serialize_entry("messages", &Messages(self))?;
        self.write_numbers(&mut map)?;
        self.write_tools(&mut map)?;
        self.write_form(&mut map)?;
        effort::write(self.style, &self.call.target.model, &self.effort, &mut map)?;
        if self.call.stream {
            map.serialize_entry("stream", &true)?;
            if self.style.include_usage || !self.stream_options.is_empty() {
                map.serialize_entry("stream_options", &StreamOptions(self))?;
            }
        }
        for (name, raw) in &self.extra {
            map.serialize_entry(spelled(name), raw)?;
        }
        map.end()
    }
}

impl Body<'_> {
    fn write_numbers<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let request = self.request;
        if let Some(tokens) = self.call.max_tokens {
            let name = match self.call.accepts.max_tokens_param {
                MaxTokensParam::MaxTokens => "max_tokens",
                MaxTokensParam::MaxCompletionTokens => "max_completion_tokens",
            };
            map.serialize_entry(name, &tokens)?;
        }
        if let Some(temperature) = self.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if let Some(top_p) = request.top_p.filter(|_| self.sampling) {
            map.serialize_entry("top_p", &top_p)?;
        }
        if !request.stop.is_empty() {
            map.serialize_entry("stop", &request.stop)?;
        }
        if let Some(seed) = request.seed {
            map.serialize_entry(self.style.seed, &seed)?;
        }
        Ok(())
    }

    fn write_tools<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if !self.offers_tools {
            return Ok(());
        }
        let request = self.request;
        let (with_extra, with_schema) = (self.with_extra && !self.is_strict(), self.is_strict());
        let written = |tool| WrittenTool { tool, with_extra, with_schema };
        let tools: Vec<_> = request.tools.iter().map(written).collect();
        map.serialize_entry("tools", &tools)?;
        let said = self.extra.iter().any(|(name, _)| *name == "tool_choice");
        if let Some(choice) = request.tool_choice.as_ref().filter(|_| !said) {
            map.serialize_entry(
                "tool_choice",
                &WrittenChoice { choice, required: self.style.tool_required },
            )?;
        }
        if let Some(parallel) = request.parallel_tool_calls.filter(|_| self.call.accepts.parallel_choice) {
            map.serialize_entry("parallel_tool_calls", &parallel)?;
        }
        Ok(())
    }

    fn write_form<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match &self.form {
            Form::Unsaid => Ok(()),
            Form::Json => {
                map.serialize_entry("response_format", &FormType { r#type: "json_object", json_schema: None })
            }
            Form::AsItCame(raw) => map.serialize_entry("response_format", raw),
            Form::Schema { name, schema, strict } => {
                let json_schema = Some(NamedSchema { name, schema, strict: *strict });
                map.serialize_entry("response_format", &FormType { r#type: "json_schema", json_schema })
            }
        }
    }
}

struct StreamOptions<'a>(&'a Body<'a>);

impl Serialize for StreamOptions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.0.style.include_usage {
            map.serialize_entry("include_usage", &true)?;
        }
        for (name, raw) in &self.0.stream_options {
            map.serialize_entry(spelled(name), raw)?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct FormType<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_schema: Option<NamedSchema<'a>>,
}

#[derive(serde::Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    schema: &'a RawJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// The list of messages.
struct Messages<'a>(&'a Body<'a>);

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.0;
        let extras = body.call_extras();
        serializer.collect_seq(body.turns.iter().map(|turn| WrittenTurn {
            turn,
            with_extra: body.with_extra && !body.is_strict(),
            extras,
            short_ids: body.style.short_tool_ids,
        }))
    }
}
