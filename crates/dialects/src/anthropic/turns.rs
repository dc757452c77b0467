//! The conversation as turns that the API takes.
//!
//! What holds for every request (Anthropic API reference, Messages and Tool use, 2026-11): instructions stand
//! apart, user and assistant take turns, thinking comes first and unchanged, all results of one turn's calls come
//! first in the next user message and in the order of the calls, no result without its call, nothing empty.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use mainstay_canon::{ChatMessage, ChatRequest, Dialect, Extra, Failure, Kind, Role, ToolCall};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::ids::WireIds;
use super::json::{JsonKind, kind, raw};
use super::parts::{OutBlock, OutContent, PartWriter, Place, elements, raw_type, serialize_blocks};
use super::replay::{Replay, UNRETURNED};
use crate::Call;

/// The conversation, ready to be written.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    /// The instructions. Empty where there are none.
    pub(super) system: Vec<OutBlock<'a>>,
    pub(super) turns: Vec<Turn<'a>>,
}

/// One message on the wire.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    role: &'static str,
    /// Results of tools with the place of their call. They come first.
    results: Vec<(usize, OutBlock<'a>)>,
    blocks: Vec<OutBlock<'a>>,
    /// The one message that makes up the turn, as it came.
    whole: Option<&'a RawValue>,
    /// Members that a caller of this dialect gave the message.
    extra: Option<&'a Extra>,
}

/// What is said of a message without content that has members.
const SAYS_NOTHING: &str = "a message that says nothing is left out, its members with it";

/// Puts the turns of `request` together.
///
/// # Errors
///
/// `UnsupportedParameter` for something in a message that cannot be said here, `InvalidRequest` when nothing is
/// said at all.
pub(super) fn conversation<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    takes_unsigned: bool,
    parts: &mut PartWriter<'_>,
) -> Result<Conversation<'a>, Failure> {
    let mut builder = Builder {
        replay: Replay { call, takes_unsigned },
        system_role: call.accepts.system_role,
        parts,
        system: Vec::new(),
        turns: Vec::new(),
        ids: WireIds::default(),
        awaited: BTreeMap::new(),
        calls: 0,
    };
    for (nth, message) in request.messages.iter().enumerate() {
        builder.message(nth, message)?;
    }
    builder.finish()
}

struct Builder<'a, 'c, 'p> {
    replay: Replay<'c>,
    /// Whether the model takes instructions apart.
    system_role: bool,
    parts: &'c mut PartWriter<'p>,
    system: Vec<OutBlock<'a>>,
    turns: Vec<Turn<'a>>,
    ids: WireIds,
    /// Calls of the latest assistant turn that have no result yet: place and id on the wire, by canonical id.
    awaited: BTreeMap<&'a str, VecDeque<(usize, Cow<'a, str>)>>,
    /// How many calls the latest assistant turn made.
    calls: usize,
}

impl<'a> Builder<'a, '_, '_> {
    fn message(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        if message.name.is_some() && message.role != Role::Tool {
            self.parts.notes.add("the names of speakers are left out: this dialect has none");
        }
        match message.role {
            Role::System | Role::Developer => self.instruction(nth, message),
            Role::User => self.said(nth, message, "user", Place::User),
            Role::Assistant => self.assistant(nth, message),
            Role::Tool => self.result(nth, message),
        }
    }

    /// A message that is nothing but its content.
    fn said(
        &mut self,
        nth: usize,
        message: &'a ChatMessage,
        role: &'static str,
        place: Place,
    ) -> Result<(), Failure> {
        let (whole, blocks) = match as_it_came(message) {
            Some((content, blocks)) => (Some(content), blocks),
            None => (None, self.parts.blocks(&message.content, place, nth)?),
        };
        self.add(role, blocks, whole, message);
        Ok(())
    }

    /// An instruction goes to the front. One that a caller of this dialect put between messages stays there:
    /// newer models take it.
    fn instruction(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        if !self.turns.is_empty() && self.parts.is_own() {
            return self.said(nth, message, "system", Place::System);
        }
        let blocks = match as_it_came(message) {
            Some((_, blocks)) => blocks,
            None => self.parts.blocks(&message.content, Place::System, nth)?,
        };
        if !self.turns.is_empty() && !blocks.is_empty() {
            self.parts.notes.add("an instruction between messages was moved to the front");
        }
        self.system.extend(blocks);
        Ok(())
    }

    fn assistant(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        if self.turns.last().is_none_or(|turn| turn.role != "assistant") {
            self.awaited.clear();
            self.calls = 0;
        }
        if let Some((content, mut blocks)) = as_it_came(message) {
            let before = blocks.len();
            self.keep_returnable(message, &mut blocks);
            let whole = (blocks.len() == before).then_some(content);
            self.add("assistant", blocks, whole, message);
            for call in &message.tool_calls {
                self.ids.take(&call.id);
                self.await_result(&call.id, Cow::Borrowed(&call.id));
            }
            return Ok(());
        }
        let mut blocks = self.reasoning(message);
        blocks.extend(self.parts.blocks(&message.content, Place::Assistant, nth)?);
        if let Some(refusal) = message.refusal.as_deref().filter(|text| !text.trim().is_empty())
            && message.content.is_empty()
        {
            blocks.push(OutBlock::Text { text: refusal.into(), extra: None });
        }
        for (place, call) in message.tool_calls.iter().enumerate() {
            let path = || format!("messages.{nth}.tool_calls.{place}.arguments");
            blocks.push(self.tool_use(call).map_err(|failure| failure.param(path()))?);
        }
        self.add("assistant", blocks, None, message);
        Ok(())
    }

    /// Takes out of content of this dialect the thinking that this model must not be given.
    fn keep_returnable(&mut self, message: &ChatMessage, blocks: &mut Vec<OutBlock<'a>>) {
        let before = blocks.len();
        let may_return = self.replay.allows(message) && self.replay.is_all_of(message);
        blocks.retain(|block| match block {
            OutBlock::Raw(raw) => self.replay.takes_element(raw, may_return),
            OutBlock::Text { .. }
            | OutBlock::Media { .. }
            | OutBlock::ToolUse { .. }
            | OutBlock::ToolResult { .. } => true,
        });
        if blocks.len() < before {
            self.parts.notes.add(UNRETURNED);
        }
        // 2026-10-21 refuses documents in the model's turns.
        self.parts.needs_older_version |= blocks
            .iter()
            .any(|block| matches!(block, OutBlock::Raw(raw) if raw_type(raw).as_deref() == Some("document")));
    }

    /// The reasoning blocks that go back to this model.
    fn reasoning(&mut self, message: &'a ChatMessage) -> Vec<OutBlock<'a>> {
        let mut blocks = Vec::new();
        for block in &message.reasoning_blocks {
            match self.replay.block(message, block) {
                Some(raw) => blocks.push(OutBlock::Raw(raw)),
                None => self.parts.notes.add(UNRETURNED),
            }
        }
        if message.reasoning_blocks.is_empty() && message.reasoning_content.is_some() {
            self.parts.notes.add(UNRETURNED);
        }
        blocks
    }

    fn tool_use(&mut self, call: &'a ToolCall) -> Result<OutBlock<'a>, Failure> {
        let id = self.ids.wire_id(&call.id);
        self.await_result(&call.id, id.clone());
        let extra = self.parts.extra(&call.extra, "a tool call");
        Ok(OutBlock::ToolUse { id, name: &call.name, input: input(&call.arguments)?, extra })
    }

    fn await_result(&mut self, id: &'a str, wire: Cow<'a, str>) {
        self.awaited.entry(id).or_default().push_back((self.calls, wire));
        self.calls += 1;
    }

    fn result(&mut self, nth: usize, message: &'a ChatMessage) -> Result<(), Failure> {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let Some((place, wire)) = self.awaited.get_mut(id).and_then(VecDeque::pop_front) else {
            // The API refuses a result without its call, as histories cut at the front hold them.
            self.parts.notes.add("a tool result without its call is sent as the user's words");
            let blocks = self.parts.blocks(&message.content, Place::User, nth)?;
            self.add("user", blocks, None, message);
            return Ok(());
        };
        let content = match as_it_came(message) {
            Some((content, _)) => OutContent::Raw(content),
            None => OutContent::Blocks(self.parts.blocks(&message.content, Place::Result, nth)?),
        };
        let extra = self.parts.extra(&message.extra, "a tool result");
        let block = OutBlock::ToolResult { id: wire, content, is_error: message.tool_error, extra };
        // The API looks for results in the first message behind the calls.
        let behind = self.turns.iter().rposition(|turn| turn.role == "assistant").map_or(0, |at| at + 1);
        match self.turns.iter_mut().skip(behind).find(|turn| turn.role == "user") {
            Some(turn) => turn.results.push((place, block)),
            None => self.in_turn("user", false, |turn| turn.results.push((place, block))),
        }
        Ok(())
    }

    /// Adds blocks to the turn of that role. `whole` is the content as it came, if the blocks are all of it.
    fn add(
        &mut self,
        role: &'static str,
        blocks: Vec<OutBlock<'a>>,
        whole: Option<&'a RawValue>,
        message: &'a ChatMessage,
    ) {
        let extra = self.parts.extra(&message.extra, "a message");
        if blocks.is_empty() {
            match (self.turns.last_mut().filter(|turn| turn.role == role && turn.is_results()), extra) {
                // Members of a message whose results became a turn of their own.
                (Some(turn), extra) => turn.extra = extra,
                (None, Some(_)) => self.parts.notes.add(SAYS_NOTHING),
                (None, None) => {}
            }
            return;
        }
        // A caller of this dialect may part a turn into messages: the API joins them.
        let apart = self.parts.is_own() && (extra.is_some() || role == "assistant");
        self.in_turn(role, apart, |turn| {
            let is_fresh = turn.results.is_empty() && turn.blocks.is_empty();
            turn.whole = whole.filter(|_| is_fresh);
            turn.blocks.extend(blocks);
            turn.extra = turn.extra.or(extra);
        });
    }

    /// Goes on with the last turn if that role has the word, else begins one. What stands apart joins only the
    /// results that came with it.
    fn in_turn(&mut self, role: &'static str, apart: bool, go_on: impl FnOnce(&mut Turn<'a>)) {
        let joins = |turn: &mut Turn<'_>| {
            turn.role == role && (turn.is_results() || !(apart || turn.extra.is_some()))
        };
        let mut turn = self.turns.pop_if(joins).unwrap_or_else(|| Turn::new(role));
        go_on(&mut turn);
        self.turns.push(turn);
    }

    fn finish(mut self) -> Result<Conversation<'a>, Failure> {
        if self.turns.is_empty() && !self.system.is_empty() {
            self.parts.notes.add("the instructions are sent as the user's words: there is nothing else");
            let system = std::mem::take(&mut self.system);
            self.in_turn("user", false, |turn| turn.blocks = system);
        }
        if !self.system_role && !self.system.is_empty() {
            self.instructions_to_user();
        }
        let Some(last) = self.turns.last_mut() else {
            return Err(Failure::new(Kind::InvalidRequest, "no message says anything").param("messages"));
        };
        if last.role == "assistant"
            && let Some(OutBlock::Text { text, .. }) = last.blocks.last_mut()
            && text.ends_with(char::is_whitespace)
        {
            self.parts.notes.add("white space at the end of the answer to be continued is left out");
            *text = Cow::Owned(text.trim_end().to_owned());
        }
        for turn in &mut self.turns {
            turn.results.sort_by_key(|&(place, _)| place);
        }
        Ok(Conversation { system: self.system, turns: self.turns })
    }

    /// Puts the instructions before the first user message.
    fn instructions_to_user(&mut self) {
        self.parts
            .notes
            .add("the instructions stand before the user's words: the model takes no system message");
        let mut blocks = std::mem::take(&mut self.system);
        if self.turns.iter().all(|turn| turn.role != "user") {
            self.turns.insert(0, Turn::new("user"));
        }
        if let Some(turn) = self.turns.iter_mut().find(|turn| turn.role == "user") {
            blocks.append(&mut turn.blocks);
            turn.blocks = blocks;
            turn.whole = None;
        }
    }
}

/// Content that came in this dialect: as it stood, and its blocks.
fn as_it_came(message: &ChatMessage) -> Option<(&RawValue, Vec<OutBlock<'_>>)> {
    let verbatim = message.verbatim.as_ref().filter(|verbatim| verbatim.dialect == Dialect::Anthropic)?;
    let content = raw(&verbatim.content)?;
    Some((content, elements(content)?))
}

/// A call's arguments as the object that the API wants; nothing for none.
fn input(arguments: &str) -> Result<Option<&RawValue>, Failure> {
    if arguments.trim().is_empty() {
        return Ok(None);
    }
    let raw = serde_json::from_str::<&RawValue>(arguments).ok();
    match raw.map(|raw| (kind(raw), raw)) {
        Some((JsonKind::Object, raw)) => Ok(Some(raw)),
        Some((JsonKind::Null, _)) => Ok(None),
        _ => Err(Failure::new(
            Kind::UnsupportedParameter,
            "the arguments of an earlier tool call are not a JSON object, which this dialect needs",
        )),
    }
}

impl Turn<'_> {
    /// Whether it holds nothing but results of tools.
    fn is_results(&self) -> bool {
        self.blocks.is_empty() && self.extra.is_none()
    }

    fn new(role: &'static str) -> Self {
        Self { role, results: Vec::new(), blocks: Vec::new(), whole: None, extra: None }
    }
}

impl Serialize for Turn<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", self.role)?;
        match self.whole {
            Some(whole) => map.serialize_entry("content", whole)?,
            None => map.serialize_entry("content", &TurnContent(self))?,
        }
        for (name, value) in self.extra.into_iter().flat_map(Extra::iter) {
            if name != "role" && name != "content" {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

struct TurnContent<'t>(&'t Turn<'t>);

impl Serialize for TurnContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let turn = self.0;
        if turn.results.is_empty() {
            return serialize_blocks(&turn.blocks, serializer);
        }
        serializer.collect_seq(turn.results.iter().map(|(_, block)| block).chain(&turn.blocks))
    }
}
