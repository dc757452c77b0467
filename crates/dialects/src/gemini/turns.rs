//! The conversation as turns that the API takes.
//!
//! What holds for every request (Gemini API reference, Content; Function calling; Thought signatures, 2026-11):
//! instructions stand apart, user and model take turns, all results of one turn's calls come first in the next user
//! turn and in the order of the calls, no result without its call, nothing empty. From Gemini 3 on the first call of
//! each step of the current turn must carry a signature.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use mainstay_canon::{ChatMessage, ChatRequest, Content, Dialect, Failure, Kind, Role, ToolCall};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use super::Generation;
use super::json::{JsonKind, items, kind, raw};
use super::media::{source, unsupported};
use super::parts::{Members, OutCall, OutPart, OutResult, PartWriter, Place, Response};
use super::replay::{Returned, plain};
use crate::Call;

/// The conversation, ready to be written.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    /// The instructions. Empty where there are none.
    pub(super) system: Vec<OutPart<'a>>,
    pub(super) turns: Vec<Turn<'a>>,
}

/// One content on the wire.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    role: &'static str,
    /// Results of tools with the place of their call. They come first.
    results: Vec<(usize, OutPart<'a>)>,
    parts: Vec<OutPart<'a>>,
    members: Members<'a>,
}

/// Puts the turns of `request` together.
///
/// # Errors
///
/// `UnsupportedParameter` for something in a message that cannot be said here, `InvalidRequest` when nothing is
/// said at all.
pub(super) fn conversation<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    generation: Generation,
    parts: &mut PartWriter<'_>,
) -> Result<Conversation<'a>, Failure> {
    let mut builder = Builder {
        call,
        generation,
        parts,
        system: Vec::new(),
        turns: Vec::new(),
        awaited: BTreeMap::new(),
        calls: 0,
    };
    for (nth, message) in request.messages.iter().enumerate() {
        builder.message(nth, message)?;
    }
    builder.finish()
}

struct Builder<'a, 'c, 'p> {
    call: &'c Call<'c>,
    generation: Generation,
    parts: &'c mut PartWriter<'p>,
    system: Vec<OutPart<'a>>,
    turns: Vec<Turn<'a>>,
    /// Calls of the latest model turn that have no result yet: place and name, by id.
    awaited: BTreeMap<&'a str, VecDeque<(usize, &'a str)>>,
    /// How many calls the latest model turn made.
    calls: usize,
}

impl<'a> Builder<'a, '_, '_> {
    fn message(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        if message.name.is_some() && message.role != Role::Tool {
            self.parts.notes.add("the names of speakers are left out: this dialect has none");
        }
        match message.role {
            Role::System | Role::Developer => self.instruction(nth, message),
            Role::User => {
                let parts = match as_it_came(message) {
                    Some(parts) => parts,
                    None => self.parts.parts(&message.content, Place::User, nth)?,
                };
                self.add("user", parts, message);
                Ok(())
            }
            Role::Assistant => self.model(nth, message),
            Role::Tool => self.result(nth, message),
        }
    }

    /// An instruction goes to the front: there is no other place for it.
    fn instruction(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        let parts = match as_it_came(message) {
            Some(parts) => parts,
            None => self.parts.parts(&message.content, Place::System, nth)?,
        };
        if !self.turns.is_empty() && !parts.is_empty() {
            self.parts.notes.add("an instruction between messages was moved to the front");
        }
        self.system.extend(parts);
        Ok(())
    }

    fn model(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        if self.turns.last().is_none_or(|turn| turn.role != "model") {
            self.awaited.clear();
            self.calls = 0;
        }
        for call in &message.tool_calls {
            self.awaited.entry(&call.id).or_default().push_back((self.calls, &call.name));
            self.calls += 1;
        }
        let parts = match as_it_came(message) {
            Some(parts) => parts,
            None => self.model_parts(nth, message)?,
        };
        self.add("model", parts, message);
        Ok(())
    }

    fn model_parts(&mut self, nth: usize, message: &'a ChatMessage) -> Result<Vec<OutPart<'a>>, Failure> {
        let returned = Returned::of(message, self.call, &mut self.parts.notes);
        let mut calls = Vec::with_capacity(message.tool_calls.len());
        for (index, call) in message.tool_calls.iter().enumerate() {
            let path = || format!("messages.{nth}.tool_calls.{index}.arguments");
            let args = args(call).map_err(|failure| failure.param(path()))?;
            let members = returned.members(call, index, self.parts);
            calls.push(OutCall { id: &call.id, name: &call.name, args, members, stands_in: false });
        }
        let refusal = message.refusal.as_deref().filter(|_| message.content.is_empty());
        let text = refusal.map(Cow::Borrowed).or_else(|| plain(&message.content));
        if let Some(text) = text {
            return Ok(returned.weave(text, calls, &mut self.parts.notes));
        }
        let content = self.parts.parts(&message.content, Place::Model, nth)?;
        Ok(returned.stack(content, calls, &mut self.parts.notes))
    }

    fn result(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let Some((place, name)) = self.awaited.get_mut(id).and_then(VecDeque::pop_front) else {
            // The API refuses a result without its call, as histories cut at the front hold them.
            self.parts.notes.add("a tool result without its call is sent as the user's words");
            let parts = self.parts.parts(&message.content, Place::User, nth)?;
            self.add("user", parts, message);
            return Ok(());
        };
        let mut beside = Vec::new();
        let mut media = Vec::new();
        for (at, part) in message.content.iter().enumerate() {
            match &part.content {
                Content::Text(_) => {}
                Content::Image(held) | Content::Audio(held) | Content::File(held)
                    if self.generation.media_in_results =>
                {
                    let path = |failure: Failure| failure.param(format!("messages.{nth}.content.{at}"));
                    self.parts.note_name(held);
                    media.push(source(held, self.parts.may_be_own()).map_err(path)?);
                }
                Content::Image(_) | Content::Audio(_) | Content::File(_) | Content::Native { .. } => {
                    beside.extend(self.parts.parts(std::slice::from_ref(part), Place::Result, nth)?);
                }
            }
        }
        let members = self.parts.members(&message.extra, "a tool result");
        let response = response(message);
        let result = OutPart::Result(OutResult { id, name, response, media, members });
        self.in_turn("user", |turn| {
            turn.results.push((place, result));
            turn.parts.extend(beside);
        });
        Ok(())
    }

    fn add(&mut self, role: &'static str, parts: Vec<OutPart<'a>>, message: &'a ChatMessage) {
        let members = self.parts.members(&message.extra, "a message");
        if !parts.is_empty() {
            self.in_turn(role, |turn| {
                turn.parts.extend(parts);
                turn.members.extend(members);
            });
        }
    }

    /// Goes on with the last turn if that role has the word, else begins one.
    fn in_turn(&mut self, role: &'static str, go_on: impl FnOnce(&mut Turn<'a>)) {
        let mut turn = self.turns.pop_if(|turn| turn.role == role).unwrap_or_else(|| Turn::new(role));
        go_on(&mut turn);
        self.turns.push(turn);
    }

    fn finish(mut self) -> Result<Conversation<'a>, Failure> {
        if self.turns.is_empty() && !self.system.is_empty() {
            self.parts.notes.add("the instructions are sent as the user's words: there is nothing else");
            let system = std::mem::take(&mut self.system);
            self.in_turn("user", |turn| turn.parts = system);
        }
        if !self.call.accepts.system_role && !self.system.is_empty() {
            self.instructions_to_user();
        }
        if self.turns.is_empty() {
            return Err(Failure::new(Kind::InvalidRequest, "no message says anything").param("messages"));
        }
        for turn in &mut self.turns {
            turn.results.sort_by_key(|&(place, _)| place);
        }
        if self.generation.signed_calls {
            self.stand_in();
        }
        Ok(Conversation { system: self.system, turns: self.turns })
    }

    /// Puts the instructions before the first words of the user.
    fn instructions_to_user(&mut self) {
        self.parts
            .notes
            .add("the instructions stand before the user's words: the model takes no system instruction");
        let mut parts = std::mem::take(&mut self.system);
        if self.turns.first().is_none_or(|turn| turn.role != "user") {
            self.turns.insert(0, Turn::new("user"));
        }
        if let Some(turn) = self.turns.first_mut() {
            parts.append(&mut turn.parts);
            turn.parts = parts;
        }
    }

    /// Puts the documented stand-in on the first call of each step of the current turn that has no signature: it was
    /// another model's, or it was lost on the way through a caller.
    fn stand_in(&mut self) {
        let current = self.turns.iter().rposition(|turn| turn.role == "user" && !turn.parts.is_empty());
        let mut stood_in = false;
        for turn in self.turns.iter_mut().skip(current.unwrap_or_default()) {
            let first = turn.parts.iter_mut().find_map(|part| match part {
                OutPart::Call(call) => Some(call),
                OutPart::Raw(_) | OutPart::Text { .. } | OutPart::Media { .. } | OutPart::Result(_) => None,
            });
            if let Some(call) = first.filter(|call| !call.is_signed()) {
                call.stands_in = true;
                stood_in = true;
            }
        }
        if stood_in {
            self.parts
                .notes
                .add("calls without this model's signature carry the documented stand-in for one");
        }
    }
}

/// Content that came in this dialect: its parts as they stood.
fn as_it_came(message: &ChatMessage) -> Option<Vec<OutPart<'_>>> {
    let verbatim = message.verbatim.as_ref().filter(|verbatim| verbatim.dialect == Dialect::Gemini)?;
    Some(items(raw(&verbatim.content)?)?.into_iter().map(OutPart::Raw).collect())
}

/// A call's arguments as the object that the API wants; nothing for none.
fn args(call: &ToolCall) -> Result<Option<&RawValue>, Failure> {
    if call.arguments.trim().is_empty() {
        return Ok(None);
    }
    let raw = serde_json::from_str::<&RawValue>(&call.arguments).ok();
    match raw.map(|raw| (kind(raw), raw)) {
        Some((JsonKind::Object, raw)) => Ok(Some(raw)),
        Some((JsonKind::Null, _)) => Ok(None),
        Some((JsonKind::Boolean | JsonKind::Number | JsonKind::String | JsonKind::Array, _)) | None => {
            Err(unsupported(
                "the arguments of an earlier tool call are not a JSON object, which this dialect needs",
            ))
        }
    }
}

/// A tool's result as an object: what is one already goes as it is.
fn response(message: &ChatMessage) -> Response<'_> {
    let text = match message.content.as_slice() {
        [only] => only.as_text().map_or(Cow::Borrowed(""), Cow::Borrowed),
        _ => Cow::Owned(message.text()),
    };
    if message.tool_error {
        return Response::Error(text);
    }
    let object = match &text {
        Cow::Borrowed(text) => serde_json::from_str::<&RawValue>(text).ok(),
        Cow::Owned(_) => None,
    };
    match object.filter(|raw| kind(raw) == JsonKind::Object) {
        Some(object) => Response::Object(object),
        None => Response::Output(text),
    }
}

impl Turn<'_> {
    fn new(role: &'static str) -> Self {
        Self { role, results: Vec::new(), parts: Vec::new(), members: Vec::new() }
    }
}

impl Serialize for Turn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", self.role)?;
        map.serialize_entry("parts", &TurnParts(self))?;
        for (name, value) in self.members.iter().filter(|(name, _)| name != "role" && name != "parts") {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct TurnParts<'t>(&'t Turn<'t>);

impl Serialize for TurnParts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Turn { results, parts, .. } = self.0;
        let mut seq = serializer.serialize_seq(Some(results.len() + parts.len()))?;
        results.iter().try_for_each(|(_, result)| seq.serialize_element(result))?;
        parts.iter().try_for_each(|part| seq.serialize_element(part))?;
        seq.end()
    }
}
