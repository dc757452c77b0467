//! The conversation as one model takes it: which roles, in which order, with which reasoning.
//!
//! A plan of borrowed turns, made before anything is written. The order of messages and the ids of calls stay
//! as they are, except where the model's [`Accepts`](mainstay_canon::Accepts) or the host's quirks say otherwise.

use std::borrow::Cow;

use mainstay_canon::{
    ChatMessage, ChatRequest, Content, ContentPart, Dialect, Failure, Kind, RawJson, ReasoningBlock,
    ReasoningReplay, Role, ToolCall,
};

use super::json::Path;
use super::notes::Notes;
use super::reasoning::is_thinking_part;
use super::{OpenAiChat, ReasoningStyle, parts, strict};
use crate::Call;

/// Between texts that are joined.
const BREAK: &str = "\n\n";

/// One message to be written.
#[derive(Debug, Default)]
pub(super) struct Turn<'a> {
    pub(super) role: &'static str,
    pub(super) pieces: Vec<Piece<'a>>,
    /// Written instead of the pieces.
    pub(super) verbatim: Option<&'a RawJson>,
    pub(super) name: Option<&'a str>,
    pub(super) refusal: Option<Cow<'a, str>>,
    pub(super) calls: Vec<&'a ToolCall>,
    pub(super) answers: Option<&'a str>,
    /// Reasoning text and the member it goes into.
    pub(super) reasoning: Option<(&'static str, Cow<'a, str>)>,
    pub(super) details: Vec<&'a ReasoningBlock>,
    pub(super) extra: Vec<(&'a str, &'a RawJson)>,
    /// Whether the model goes on from here, for hosts that want to be told.
    pub(super) begins_answer: bool,
}

/// One piece of a turn's content.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// A part of the message, untouched.
    Part(&'a ContentPart),
    /// Text that was put together.
    Text(String),
    /// A thinking part, as its provider spelled it.
    Raw(&'a RawJson),
    /// Thinking of which only the text is known.
    Thinking(&'a str),
}

impl Piece<'_> {
    /// The text, if this is a text with nothing beside it.
    fn plain(&self) -> Option<&str> {
        match self {
            Self::Part(part) if part.extra.is_empty() => part.as_text(),
            Self::Text(text) => Some(text),
            Self::Part(_) | Self::Raw(_) | Self::Thinking(_) => None,
        }
    }
}

/// The note on reasoning that does not go back.
const UNRETURNED: &str =
    "earlier reasoning is not sent back: it is another model's, or this one does not take it";

/// Plans the turns of a request.
pub(super) fn plan<'a>(
    style: &OpenAiChat,
    request: &'a ChatRequest,
    call: &Call<'_>,
    instruction: Option<String>,
    notes: &mut Notes,
) -> Result<Vec<Turn<'a>>, Failure> {
    let messages = Path::Root.member("messages");
    let mut turns = Vec::with_capacity(request.messages.len().saturating_add(1));
    for (index, message) in request.messages.iter().enumerate() {
        if message.is_hollow() && !notes.extras_are_ours() {
            notes.leave_behind(&message.extra);
            continue;
        }
        check(message, &messages.item(index), call, style, notes.extras_are_ours())?;
        turns.push(turn(style, message, call, notes));
    }
    if let Some(instruction) = instruction {
        instruct(&mut turns, instruction);
    }
    if !call.accepts.system_role {
        fold_system(&mut turns, notes);
    }
    if call.accepts.alternate_roles {
        turns = alternate(turns, notes);
    }
    if style.tool_names {
        name_results(&mut turns);
    }
    if !style.speaker_names {
        strict::unname(&mut turns, notes);
    }
    if style.only_members.is_some() {
        strict::strip(&mut turns, notes);
    }
    if style.strict_order {
        turns = strict::in_order(turns, notes);
    }
    Ok(turns)
}

/// Whether a message can be said at all.
fn check(
    message: &ChatMessage,
    path: &Path<'_>,
    call: &Call<'_>,
    style: &OpenAiChat,
    ours: bool,
) -> Result<(), Failure> {
    if message.verbatim.as_ref().is_some_and(|verbatim| verbatim.dialect == Dialect::OpenaiChat) {
        return Ok(());
    }
    let content = path.member("content");
    for (index, part) in message.content.iter().enumerate() {
        let path = content.item(index);
        parts::check(part, &path, style.file_urls, ours)?;
        let Some(what) = unsayable(&part.content, message.role, call.accepts.images) else { continue };
        let path = path.to_string();
        return Err(Failure::new(Kind::UnsupportedParameter, format!("{path}: {what}")).param(path));
    }
    Ok(())
}

/// What keeps a part from being said by that role.
fn unsayable(content: &Content, role: Role, images: bool) -> Option<&'static str> {
    match (content, role) {
        (Content::Image(_), _) if !images => Some("the model takes no images"),
        (Content::Image(_) | Content::Audio(_) | Content::File(_), Role::Tool) => {
            Some("a tool's result can only be text")
        }
        (Content::Image(_) | Content::Audio(_) | Content::File(_), Role::Assistant) => {
            Some("an assistant message can only be text")
        }
        (Content::Text(_) | Content::Native { .. }, _)
        | (
            Content::Image(_) | Content::Audio(_) | Content::File(_),
            Role::System | Role::Developer | Role::User,
        ) => None,
    }
}

fn turn<'a>(style: &OpenAiChat, message: &'a ChatMessage, call: &Call<'_>, notes: &mut Notes) -> Turn<'a> {
    let role = match message.role {
        Role::Developer if call.accepts.developer_role => "developer",
        Role::System | Role::Developer => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    if message.tool_error {
        notes.say("the mark of a failed tool is not passed on".to_owned());
    }
    notes.leave_behind(&message.extra);
    for part in &message.content {
        notes.leave_behind(&part.extra);
    }
    let ours = notes.extras_are_ours();
    let mut turn = Turn {
        role,
        pieces: message.content.iter().map(Piece::Part).collect(),
        verbatim: message.verbatim.as_ref().filter(|v| v.dialect == Dialect::OpenaiChat).map(|v| &v.content),
        name: message.name.as_deref(),
        refusal: message.refusal.as_deref().map(Cow::Borrowed),
        calls: message.tool_calls.iter().collect(),
        answers: message.tool_call_id.as_deref(),
        extra: if ours { message.extra.iter().collect() } else { Vec::new() },
        ..Turn::default()
    };
    if message.role == Role::Assistant {
        replay(style, message, call, notes, &mut turn);
    }
    turn
}

/// Adds the reasoning that the model wants back.
fn replay<'a>(
    style: &OpenAiChat,
    message: &'a ChatMessage,
    call: &Call<'_>,
    notes: &mut Notes,
    turn: &mut Turn<'a>,
) {
    let wanted = match call.accepts.reasoning_replay {
        ReasoningReplay::All => true,
        ReasoningReplay::ToolLoop => !message.tool_calls.is_empty(),
        ReasoningReplay::Never => false,
    };
    if !wanted {
        if message.reasoning_content.is_some() || !message.reasoning_blocks.is_empty() {
            notes.say(UNRETURNED.to_owned());
        }
        return;
    }
    let mut thinking = Vec::new();
    for block in &message.reasoning_blocks {
        match (belongs(style, block, call), is_thinking_part(block)) {
            (true, true) => thinking.push(Piece::Raw(&block.raw)),
            (true, false) => turn.details.push(block),
            (false, _) => notes.say(UNRETURNED.to_owned()),
        }
    }
    let text = message.reasoning_content.as_deref();
    match (style.reasoning, text) {
        (ReasoningStyle::Field(name), Some(text)) => turn.reasoning = Some((name, Cow::Borrowed(text))),
        (ReasoningStyle::Details, Some(text)) if turn.details.is_empty() => {
            turn.reasoning = Some(("reasoning", Cow::Borrowed(text)));
        }
        (ReasoningStyle::Parts, Some(text)) if thinking.is_empty() && !text.is_empty() => {
            thinking.push(Piece::Thinking(text));
        }
        (ReasoningStyle::Tags, Some(text)) if !text.is_empty() => {
            prefix(turn, &format!("<think>\n{text}\n</think>"));
        }
        (ReasoningStyle::Nowhere, Some(_)) => notes.say(UNRETURNED.to_owned()),
        (ReasoningStyle::Details | ReasoningStyle::Parts | ReasoningStyle::Tags, Some(_)) | (_, None) => {}
    }
    turn.pieces.splice(0..0, thinking);
}

/// Whether a block may be given to this model. Where nobody says whose it is, it came back from a caller in
/// the form in which some host of this dialect had sent it; only hosts that use that form are given it.
fn belongs(style: &OpenAiChat, block: &ReasoningBlock, call: &Call<'_>) -> bool {
    if block.dialect != Dialect::OpenaiChat {
        return false;
    }
    match &block.origin {
        Some(origin) => origin == call.target,
        None if is_thinking_part(block) => style.reasoning == ReasoningStyle::Parts,
        None => style.reasoning == ReasoningStyle::Details,
    }
}

/// Adds an instruction of ours to the system message.
fn instruct(turns: &mut Vec<Turn<'_>>, instruction: String) {
    match turns.first_mut().filter(|turn| is_system(turn)) {
        Some(first) => first.pieces.push(Piece::Text(instruction)),
        None => turns
            .insert(0, Turn { role: "system", pieces: vec![Piece::Text(instruction)], ..Turn::default() }),
    }
    if let Some(first) = turns.first_mut() {
        first.verbatim = None;
        first.pieces = joined(std::mem::take(&mut first.pieces));
    }
}

fn is_system(turn: &Turn<'_>) -> bool {
    matches!(turn.role, "system" | "developer")
}

/// Puts the text of all system messages before the first user message.
fn fold_system(turns: &mut Vec<Turn<'_>>, notes: &mut Notes) {
    let mut whole = String::new();
    turns.retain(|turn| {
        if is_system(turn) {
            let more = turn.name.is_some() || !turn.extra.is_empty();
            if more || turn.pieces.iter().any(|piece| piece.plain().is_none()) {
                notes.say("only the text of system messages is passed on".to_owned());
            }
            for text in turn.pieces.iter().filter_map(text_of) {
                push_text(&mut whole, text);
            }
        }
        !is_system(turn)
    });
    if whole.is_empty() {
        return;
    }
    match turns.iter_mut().find(|turn| turn.role == "user") {
        Some(user) => prefix(user, &whole),
        None => turns.insert(0, Turn { role: "user", pieces: vec![Piece::Text(whole)], ..Turn::default() }),
    }
}

fn text_of<'p>(piece: &'p Piece<'_>) -> Option<&'p str> {
    match piece {
        Piece::Part(part) => part.as_text(),
        Piece::Text(text) => Some(text),
        Piece::Raw(_) | Piece::Thinking(_) => None,
    }
}

/// Puts a text before a turn's content.
fn prefix(turn: &mut Turn<'_>, text: &str) {
    turn.verbatim = None;
    turn.pieces.insert(0, Piece::Text(text.to_owned()));
    turn.pieces = joined(std::mem::take(&mut turn.pieces));
}

/// Joins plain texts that stand side by side.
fn joined(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let texts = (out.last().and_then(Piece::plain), piece.plain());
        if let (Some(before), Some(after)) = texts {
            let mut whole = before.to_owned();
            push_text(&mut whole, after);
            out.pop();
            out.push(Piece::Text(whole));
        } else {
            out.push(piece);
        }
    }
    out
}

fn push_text(whole: &mut String, text: &str) {
    if !whole.is_empty() && !text.is_empty() {
        whole.push_str(BREAK);
    }
    whole.push_str(text);
}

/// Joins neighbours of one role. Results of tools stay apart: each answers its own call.
fn alternate<'a>(turns: Vec<Turn<'a>>, notes: &mut Notes) -> Vec<Turn<'a>> {
    let mut out: Vec<Turn<'a>> = Vec::with_capacity(turns.len());
    for turn in turns {
        match out.last_mut().filter(|last| last.role == turn.role && turn.role != "tool") {
            Some(last) => join(last, turn, notes),
            None => out.push(turn),
        }
    }
    out
}

fn join<'a>(into: &mut Turn<'a>, from: Turn<'a>, notes: &mut Notes) {
    into.verbatim = None;
    into.pieces.extend(from.pieces);
    into.pieces = joined(std::mem::take(&mut into.pieces));
    into.calls.extend(from.calls);
    into.details.extend(from.details);
    if into.name != from.name {
        into.name = None;
        notes.say("names of joined messages are not passed on".to_owned());
    }
    into.refusal = join_texts(into.refusal.take(), from.refusal);
    into.reasoning = match (into.reasoning.take(), from.reasoning) {
        (Some((name, before)), Some((_, after))) => {
            join_texts(Some(before), Some(after)).map(|whole| (name, whole))
        }
        (before, after) => before.or(after),
    };
    for (name, raw) in from.extra {
        if !into.extra.iter().any(|(known, _)| *known == name) {
            into.extra.push((name, raw));
        }
    }
}

fn join_texts<'a>(before: Option<Cow<'a, str>>, after: Option<Cow<'a, str>>) -> Option<Cow<'a, str>> {
    match (before, after) {
        (Some(before), Some(after)) => {
            let mut whole = before.into_owned();
            push_text(&mut whole, &after);
            Some(Cow::Owned(whole))
        }
        (before, after) => before.or(after),
    }
}

/// Gives each tool result the name of the tool, where the host wants it.
fn name_results(turns: &mut [Turn<'_>]) {
    let names: Vec<(&str, &str)> = turns
        .iter()
        .flat_map(|turn| &turn.calls)
        .map(|call| (call.id.as_str(), call.name.as_str()))
        .collect();
    for turn in turns.iter_mut().filter(|turn| turn.role == "tool" && turn.name.is_none()) {
        let known = names.iter().rev().find(|(id, _)| Some(*id) == turn.answers);
        turn.name = known.map(|(_, name)| *name);
    }
}
