//! The conversation as items.
//!
//! Reasoning stands before what it led to and goes only to the model that thought it; items that go back without
//! their reasoning go without their ids, for the API looks for the reasoning that belongs to an id (OpenAI API
//! reference, Reasoning, 2026-11). Turns of this dialect that came item by item go back item by item.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mainstay_canon::{
    ChatMessage, ChatRequest, ContentPart, Dialect, Extra, Failure, RawJson, ReasoningBlock, ReasoningReplay,
    Role, ToolCall,
};
use serde_json::value::RawValue;

use super::items::{CUSTOM, ItemKind, TYPE, has_made_up_id, kind_of_call, word};
use super::notes::Notes;
use super::parts::{self, Allowed};
use super::roles;
use crate::Call;
use crate::envelope::{Opened, open};
use crate::openai_chat::json::{Members, Path};
use crate::openai_chat::lenient::{Many, read, read_object};

/// What is noted of a picture that we made an item of.
const DRAWN_ELSEWHERE: &str = "a picture that a provider of another dialect drew is not shown to this one";
/// The note on reasoning that does not go back.
const UNRETURNED: &str =
    "earlier reasoning is not sent back: it is another model's, or this one does not take it";

/// The conversation, ready to be written.
#[derive(Debug, Default)]
pub(super) struct Input<'a> {
    /// What stands apart as `instructions`.
    pub(super) instructions: Option<Cow<'a, str>>,
    pub(super) items: Vec<OutItem<'a>>,
}

/// One item.
#[derive(Debug)]
pub(super) enum OutItem<'a> {
    /// As it came.
    Raw(&'a RawValue),
    /// As its provider spelled it, out of an envelope.
    Kept(RawJson),
    /// As it came, but for its id.
    Bare(&'a RawValue),
    Message(Message<'a>),
    Call {
        call: &'a ToolCall,
        is_bare: bool,
    },
    Result {
        message: &'a ChatMessage,
        id: &'a str,
        is_custom: bool,
    },
}

/// Something said.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) role: &'static str,
    pub(super) pieces: Vec<Piece<'a>>,
    pub(super) refusal: Option<&'a str>,
    pub(super) extra: Option<&'a Extra>,
    /// Whether its id is left out.
    pub(super) is_bare: bool,
}

/// One piece of a message.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    Part(&'a ContentPart),
    Text(String),
}

impl Piece<'_> {
    /// The text, if this is a text with nothing beside it, or nothing that is written.
    pub(super) fn plain(&self, with_extra: bool) -> Option<&str> {
        match self {
            Self::Part(part) if part.extra.is_empty() || !with_extra => part.as_text(),
            Self::Part(_) => None,
            Self::Text(text) => Some(text),
        }
    }

    /// The text, if this is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Part(part) => part.as_text(),
            Self::Text(text) => Some(text),
        }
    }
}

/// Puts the items of a request together.
///
/// # Errors
///
/// `UnsupportedParameter` for a part that cannot be said here.
pub(super) fn plan<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    instruction: Option<String>,
    notes: &mut Notes,
) -> Result<Input<'a>, Failure> {
    let mut planner = Planner { call, notes, items: Vec::new(), customs: BTreeSet::new() };
    let messages = Path::Root.member("messages");
    for (index, message) in request.messages.iter().enumerate() {
        if message.is_hollow() && !planner.notes.extras_are_ours() {
            planner.notes.leave_behind(&message.extra);
            continue;
        }
        planner.message(message, &messages.item(index))?;
    }
    let mut items = planner.items;
    let instructions = roles::settle(&mut items, call.accepts, instruction, notes);
    Ok(Input { instructions, items })
}

struct Planner<'a, 'c> {
    call: &'c Call<'c>,
    notes: &'c mut Notes,
    items: Vec<OutItem<'a>>,
    /// Ids of calls of tools that take free text: their results have a type of their own.
    customs: BTreeSet<&'a str>,
}

impl<'a> Planner<'a, '_> {
    fn message(&mut self, message: &'a ChatMessage, path: &Path<'_>) -> Result<(), Failure> {
        if message.name.is_some() && message.role != Role::Tool {
            self.notes.say("the names of speakers are left out: this dialect has none");
        }
        let is_custom = |call: &&ToolCall| kind_of_call(&call.extra).as_deref() == Some(CUSTOM);
        self.customs.extend(message.tool_calls.iter().filter(is_custom).map(|call| call.id.as_str()));
        if let Some(items) = as_it_came(message) {
            self.as_it_came(message, &items);
            return Ok(());
        }
        self.check(message, path)?;
        self.notes.leave_behind(&message.extra);
        for part in &message.content {
            self.notes.leave_behind(&part.extra);
        }
        match message.role {
            Role::Developer if self.call.accepts.developer_role => self.said(message, "developer", false),
            Role::System | Role::Developer => self.said(message, "system", false),
            Role::User => self.said(message, "user", false),
            Role::Assistant => self.assistant(message),
            Role::Tool => self.result(message),
        }
        Ok(())
    }

    fn check(&self, message: &ChatMessage, path: &Path<'_>) -> Result<(), Failure> {
        // Both of OpenAI's dialects share one store of files.
        let files = self.notes.extras_are_ours() || self.notes.is_from_chat();
        let allowed = Allowed { images: self.call.accepts.images, files };
        let content = path.member("content");
        for (index, part) in message.content.iter().enumerate() {
            parts::check(part, message.role, &content.item(index), allowed)?;
        }
        Ok(())
    }

    fn said(&mut self, message: &'a ChatMessage, role: &'static str, is_bare: bool) {
        self.items.push(OutItem::Message(Message {
            role,
            pieces: message.content.iter().map(Piece::Part).collect(),
            refusal: message.refusal.as_deref(),
            extra: self.notes.extras_are_ours().then_some(&message.extra),
            is_bare,
        }));
    }

    fn assistant(&mut self, message: &'a ChatMessage) {
        let speaks = !message.content.is_empty() || message.refusal.is_some();
        let leads_somewhere = speaks || !message.tool_calls.is_empty();
        let is_wanted = leads_somewhere && self.replays(message);
        let mut is_bare = false;
        for block in &message.reasoning_blocks {
            match block.raw.read::<&RawValue>() {
                Ok(raw) if is_wanted && self.is_of_target(block) => self.items.push(OutItem::Raw(raw)),
                Ok(_) | Err(_) => is_bare = true,
            }
        }
        let is_text_alone = message.reasoning_blocks.is_empty()
            && message.reasoning_content.as_deref().is_some_and(|text| !text.is_empty());
        if is_bare || is_text_alone {
            self.notes.say(UNRETURNED);
        }
        if speaks || message.tool_calls.is_empty() {
            self.said(message, "assistant", is_bare);
        }
        let calls = message.tool_calls.iter().map(|call| OutItem::Call { call, is_bare });
        self.items.extend(calls);
    }

    fn result(&mut self, message: &'a ChatMessage) {
        if message.tool_error {
            self.notes.say("the mark of a failed tool is not passed on");
        }
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let stated = message.extra.get(TYPE).filter(|_| self.notes.extras_are_ours());
        let is_custom = self.customs.contains(id)
            || stated.is_some_and(|kind| kind.text() == "\"custom_tool_call_output\"");
        self.items.push(OutItem::Result { message, id, is_custom });
    }

    /// A turn of this dialect, item by item, but for the reasoning that this model must not be given.
    fn as_it_came(&mut self, message: &ChatMessage, items: &[&'a RawValue]) {
        let is_wanted = self.replays(message);
        let mut is_bare = false;
        let mut out = Vec::with_capacity(items.len());
        for raw in items {
            match self.reasoning(raw, is_wanted) {
                Fate::NoReasoning if has_ours(raw) && is_hosted(raw) => self.notes.say(DRAWN_ELSEWHERE),
                Fate::NoReasoning if has_ours(raw) => out.push(OutItem::Bare(raw)),
                Fate::NoReasoning | Fate::Sent => out.push(OutItem::Raw(raw)),
                Fate::Opened(block) => out.push(OutItem::Kept(block)),
                Fate::Withheld => is_bare = true,
                Fate::Nothing => {}
            }
        }
        while out.last().is_some_and(|last| matches!(last, OutItem::Kept(_))) {
            // The API refuses reasoning that leads nowhere.
            out.pop();
        }
        if is_bare {
            self.notes.say(UNRETURNED);
            for item in &mut out {
                if let OutItem::Raw(raw) = item {
                    *item = OutItem::Bare(raw);
                }
            }
        }
        self.items.append(&mut out);
    }

    /// What becomes of an item, should it be reasoning.
    fn reasoning(&self, raw: &RawValue, is_wanted: bool) -> Fate {
        let members: Members<'_> = read_object(Some(raw));
        let kind = word(&members, TYPE).unwrap_or_default();
        if ItemKind::of(&kind, &members) != ItemKind::Reasoning {
            return Fate::NoReasoning;
        }
        match word(&members, "encrypted_content").map_or(Opened::Foreign, |text| open(&text)) {
            Opened::Foreign if has_ours(raw) => Fate::Nothing,
            Opened::Foreign if is_wanted => Fate::Sent,
            Opened::Block(block) if is_wanted && self.is_of_target(&block) => Fate::Opened(block.raw),
            Opened::Foreign | Opened::Block(_) => Fate::Withheld,
            Opened::Empty => Fate::Nothing,
        }
    }

    /// Whether the model takes back what it thought in this message.
    fn replays(&self, message: &ChatMessage) -> bool {
        match self.call.accepts.reasoning_replay {
            ReasoningReplay::All => true,
            ReasoningReplay::ToolLoop => !message.tool_calls.is_empty(),
            ReasoningReplay::Never => false,
        }
    }

    /// Whether a block may be given to this model. Where nobody says whose it is, the caller had it from a
    /// provider of this dialect itself.
    fn is_of_target(&self, block: &ReasoningBlock) -> bool {
        block.dialect == Dialect::OpenaiResponses
            && block.origin.as_ref().is_none_or(|origin| origin == self.call.target)
    }
}

/// Whether an item has an id of ours, which is left out.
fn has_ours(raw: &RawValue) -> bool {
    has_made_up_id(read_object::<Members<'_>>(Some(raw)).look("id"))
}

/// Whether an item tells of what a provider did itself.
fn is_hosted(raw: &RawValue) -> bool {
    let members: Members<'_> = read_object(Some(raw));
    let kind = word(&members, TYPE).unwrap_or_default();
    ItemKind::of(&kind, &members) == ItemKind::Hosted
}

enum Fate {
    NoReasoning,
    Sent,
    Opened(RawJson),
    Withheld,
    Nothing,
}

/// The items of a turn that came in this dialect.
fn as_it_came(message: &ChatMessage) -> Option<Vec<&RawValue>> {
    let verbatim =
        message.verbatim.as_ref().filter(|verbatim| verbatim.dialect == Dialect::OpenaiResponses)?;
    let list = verbatim.content.read::<&RawValue>().ok().filter(|raw| raw.get().starts_with('['))?;
    Some(read::<Many<&RawValue>>(Some(list)).0)
}
