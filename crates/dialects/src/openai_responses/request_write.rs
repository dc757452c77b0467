//! A request, written for one model of one host.
//!
//! Nothing is stored: `store` is false, and what a model thought comes back encrypted where it thinks at all.

use std::borrow::Cow;

use mainstay_canon::{ChatRequest, Dialect, Failure, Kind, RawJson, ToolChoice};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::OpenAiResponses;
use super::input_write::{self, Input};
use super::item_write::WrittenItem;
use super::notes::Notes;
use super::settings::{self, Settings};
use super::tools::{Extras, WrittenChoice, WrittenTool};
use crate::paths::spelled;
use crate::{Call, Outbound, limits};

/// What a model that reasons is asked to send with its answer.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// Sampling parameters that the canon has no name for; they go where `temperature` goes.
const SAMPLING_KIN: [&str; 4] = ["top_logprobs", "presence_penalty", "frequency_penalty", "top_k"];

/// Members that are written from canonical fields or are the writer's own business.
const OURS: [&str; 14] = [
    "model",
    "input",
    "instructions",
    "temperature",
    "top_p",
    "max_output_tokens",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "include",
    "store",
    "background",
];

/// Members that mean the same in OpenAI's two dialects. `service_tier` is left out: it has a price, which is
/// reckoned by the dialect of the caller.
const IN_COMMON: [&str; 6] = [
    "metadata",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "user",
];

/// Writes a request.
pub(super) fn write(
    style: &OpenAiResponses,
    request: &ChatRequest,
    call: &Call<'_>,
) -> Result<Outbound, Failure> {
    let mut notes = Notes::new(request.origin);
    check(request, call)?;
    let body = Body::plan(style, request, call, &mut notes)?;
    let body = serde_json::to_vec(&body).map_err(|error| {
        Failure::new(Kind::InvalidRequest, "the request cannot be written as JSON").because(error)
    })?;
    Ok(Outbound { path: style.path.to_owned(), headers: Vec::new(), body, notes: notes.into_list() })
}

/// What nobody can write, and what this dialect or model does not take at all.
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
    if !request.stop.is_empty() {
        return unsupported("stop".to_owned(), "the Responses API has no stop texts");
    }
    limits::check(request, call.accepts)?;
    let foreign = request.origin.filter(|dialect| *dialect != Dialect::OpenaiResponses);
    let native = request.tools.iter().enumerate().find(|(_, tool)| tool.native.is_some());
    if let (Some(whose), Some((at, tool))) = (foreign, native) {
        return unsupported(
            format!("tools[{at}]"),
            &format!("`{}` is a tool of the {whose} dialect", tool.name),
        );
    }
    Ok(())
}

/// The body to be written.
struct Body<'a> {
    request: &'a ChatRequest,
    call: &'a Call<'a>,
    input: Input<'a>,
    settings: Settings<'a>,
    temperature: Option<f64>,
    include: Include<'a>,
    with_extra: bool,
    /// The extras that are written.
    extra: Vec<(&'a str, &'a RawJson)>,
}

/// What is asked for beside the answer.
enum Include<'a> {
    Nothing,
    List(Vec<Cow<'a, str>>),
    AsItCame(&'a RawJson),
}

impl<'a> Body<'a> {
    fn plan(
        style: &OpenAiResponses,
        request: &'a ChatRequest,
        call: &'a Call<'a>,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut settings = Settings::plan(request, call, notes);
        let input = input_write::plan(request, call, settings.instruction.take(), notes)?;
        let wants_reasoning = style.encrypted_reasoning && call.accepts.effort;
        let mut body = Self {
            request,
            call,
            input,
            settings,
            temperature: None,
            include: include(request, wants_reasoning, notes),
            with_extra: notes.extras_are_ours(),
            extra: Vec::new(),
        };
        body.note_what_is_left_out(notes);
        body.choose_extra(notes);
        body.temperature = request.temperature.filter(|_| body.samples()).map(|wanted| {
            let (sent, note) = limits::temperature(call.accepts.temperature, wanted);
            if let Some(note) = note {
                notes.say(note);
            }
            sent
        });
        Ok(body)
    }

    /// Whether sampling parameters are written.
    fn samples(&self) -> bool {
        self.call.accepts.samples(self.settings.effort)
    }

    fn offers_tools(&self) -> bool {
        !self.request.tools.is_empty()
    }

    fn note_what_is_left_out(&self, notes: &mut Notes) {
        let request = self.request;
        let sampling = [("temperature", request.temperature.is_some()), ("top_p", request.top_p.is_some())];
        for (name, _) in sampling.iter().filter(|(_, given)| *given && !self.samples()) {
            notes.dropped(name);
        }
        if request.seed.is_some() {
            notes.dropped("seed");
        }
        if self.offers_tools() && !self.call.accepts.parallel_choice && request.parallel_tool_calls.is_some()
        {
            notes.dropped("parallel_tool_calls");
        }
        if !self.offers_tools() {
            // "auto" and "none" lose nothing.
            if matches!(request.tool_choice, Some(ToolChoice::Required | ToolChoice::Named(_))) {
                notes.dropped("tool_choice");
            }
            if request.parallel_tool_calls.is_some() {
                notes.dropped("parallel_tool_calls");
            }
        }
        for tool in &request.tools {
            notes.leave_behind(&tool.extra);
        }
        let extras = Extras::of(request.origin);
        let calls = request.messages.iter().flat_map(|message| &message.tool_calls);
        for name in
            calls.flat_map(|call| call.extra.names()).filter(|name| *name != "type" && !extras.take(name))
        {
            notes.leave_member(name);
        }
    }

    fn choose_extra(&mut self, notes: &mut Notes) {
        let is_from_chat = notes.is_from_chat();
        for (name, raw) in self.request.extra.iter() {
            let is_taken = self.with_extra || (is_from_chat && IN_COMMON.contains(&name));
            let is_said = is_from_chat && name == "verbosity";
            if is_taken && self.writes(name) {
                self.extra.push((name, raw));
            } else if !self.with_extra && !is_taken && !is_said {
                notes.leave_member(name);
            } else if self.with_extra && !settings::is_ours(name) && !self.is_heeded(name, raw) {
                notes.dropped(name);
            }
        }
    }

    /// Whether an extra of that name is written here: not if a canonical field says it, nor if the model does
    /// not take it.
    fn writes(&self, name: &str) -> bool {
        match name {
            "presence_penalty" | "frequency_penalty" if !self.call.accepts.penalties => false,
            name if SAMPLING_KIN.contains(&name) => self.samples(),
            "tool_choice" => self.offers_tools(),
            "stream_options" => self.call.stream,
            name => !OURS.contains(&name) && !settings::is_ours(name),
        }
    }

    /// Whether what an extra says is done although it is not written as it stands.
    fn is_heeded(&self, name: &str, raw: &RawJson) -> bool {
        match name {
            "include" => !matches!(self.include, Include::Nothing),
            "store" | "background" => raw.text() == "false",
            _ => false,
        }
    }
}

/// What is asked for beside the answer: what the caller wants, and the reasoning.
fn include<'a>(request: &'a ChatRequest, wants_reasoning: bool, notes: &Notes) -> Include<'a> {
    let stated = request.extra.get("include").filter(|_| notes.extras_are_ours());
    let mut list: Vec<Cow<'a, str>> = match stated.map(RawJson::read::<Vec<Cow<'a, str>>>) {
        Some(Ok(list)) => list,
        Some(Err(_)) => return stated.map_or(Include::Nothing, Include::AsItCame),
        None => Vec::new(),
    };
    if wants_reasoning && !list.iter().any(|known| known == ENCRYPTED) {
        list.push(Cow::Borrowed(ENCRYPTED));
    }
    if list.is_empty() && stated.is_none() { Include::Nothing } else { Include::List(list) }
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("model", &*self.call.target.model)?;
        if let Some(instructions) = &self.input.instructions {
            map.serialize_entry("instructions", instructions)?;
        }
        map.serialize_entry("input", &Items(self))?;
        self.write_numbers(&mut map)?;
        self.write_tools(&mut map)?;
        self.settings.write(&mut map)?;
        map.serialize_entry("store", &false)?;
        match &self.include {
            Include::Nothing => {}
            Include::List(list) => map.serialize_entry("include", list)?,
            Include::AsItCame(raw) => map.serialize_entry("include", raw)?,
        }
        if self.call.stream {
            map.serialize_entry("stream", &true)?;
        }
        for (name, raw) in &self.extra {
            map.serialize_entry(spelled(name), raw)?;
        }
        map.end()
    }
}

impl Body<'_> {
    fn write_numbers<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if let Some(tokens) = self.call.max_tokens {
            map.serialize_entry("max_output_tokens", &tokens)?;
        }
        if self.samples() {
            for (name, value) in [("temperature", self.temperature), ("top_p", self.request.top_p)] {
                if let Some(value) = value {
                    map.serialize_entry(name, &value)?;
                }
            }
        }
        Ok(())
    }

    fn write_tools<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if !self.offers_tools() {
            return Ok(());
        }
        let request = self.request;
        let with_extra = self.with_extra;
        let says_strict = request.origin != Some(Dialect::OpenaiResponses);
        let tools: Vec<_> =
            request.tools.iter().map(|tool| WrittenTool { tool, with_extra, says_strict }).collect();
        map.serialize_entry("tools", &tools)?;
        let said = self.extra.iter().any(|(name, _)| *name == "tool_choice");
        if let Some(choice) = request.tool_choice.as_ref().filter(|_| !said) {
            map.serialize_entry("tool_choice", &WrittenChoice(choice))?;
        }
        if let Some(parallel) = request.parallel_tool_calls.filter(|_| self.call.accepts.parallel_choice) {
            map.serialize_entry("parallel_tool_calls", &parallel)?;
        }
        Ok(())
    }
}

/// The list of items.
struct Items<'a>(&'a Body<'a>);

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.0;
        let extras = Extras::of(body.request.origin);
        let with_extra = body.with_extra;
        serializer.collect_seq(body.input.items.iter().map(|item| WrittenItem { item, with_extra, extras }))
    }
}
