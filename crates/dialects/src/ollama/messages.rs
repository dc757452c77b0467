//! The conversation as Ollama takes it: one text a message, images beside it, arguments as objects.
//!
//! The order of messages stays as it is, except where the model's [`Accepts`](mainstay_canon::Accepts) says
//! otherwise.

use std::borrow::Cow;

use mainstay_canon::{
    ChatMessage, ChatRequest, Content, ContentPart, Failure, Kind, Media, MediaSource, ReasoningReplay, Role,
    ToolCall,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::notes::Notes;
use super::window::Size;
use crate::Call;

/// Between texts that are joined.
const BREAK: &str = "\n\n";

/// One message to be written.
#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<OutCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct OutCall<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    function: OutFunction<'a>,
}

#[derive(Debug, Serialize)]
struct OutFunction<'a> {
    name: &'a str,
    arguments: &'a RawValue,
}

/// Plans the messages of a request. `instruction` is one of ours, for the system message.
///
/// # Errors
///
/// `UnsupportedParameter` for what cannot be said here, `InvalidRequest` where nothing is said at all: an empty
/// conversation would only load the model.
pub(super) fn plan<'a>(
    request: &'a ChatRequest,
    call: &Call<'_>,
    instruction: Option<String>,
    notes: &mut Notes,
) -> Result<Vec<Message<'a>>, Failure> {
    if request.messages.is_empty() {
        return Err(Failure::new(Kind::InvalidRequest, "messages: expected at least one").param("messages"));
    }
    let mut messages = Vec::with_capacity(request.messages.len().saturating_add(1));
    let mut tools: Vec<(&str, &str)> = Vec::new();
    for (nth, message) in request.messages.iter().enumerate() {
        if message.is_hollow() {
            note_what_stays_behind(message, notes);
            continue;
        }
        messages.push(written(nth, message, call, &tools, notes)?);
        tools.extend(message.tool_calls.iter().map(|call| (&*call.id, &*call.name)));
    }
    if let Some(instruction) = instruction {
        instruct(&mut messages, instruction);
    }
    if !call.accepts.system_role {
        fold_system(&mut messages);
    }
    if call.accepts.alternate_roles {
        messages = alternate(messages);
    }
    Ok(messages)
}

/// Adds what the messages hold to the size of a prompt.
pub(super) fn measure(messages: &[Message<'_>], size: &mut Size) {
    size.pieces = size.pieces.saturating_add(messages.len());
    for message in messages {
        size.images = size.images.saturating_add(message.images.len());
        let beside = [message.thinking.as_deref(), message.tool_name];
        for text in beside.into_iter().flatten().chain([&*message.content]) {
            size.text(text);
        }
        for call in &message.tool_calls {
            size.text(call.function.name);
            size.text(call.function.arguments.get());
        }
    }
}

fn written<'a>(
    nth: usize,
    message: &'a ChatMessage,
    call: &Call<'_>,
    tools: &[(&'a str, &'a str)],
    notes: &mut Notes,
) -> Result<Message<'a>, Failure> {
    note_what_stays_behind(message, notes);
    let (content, images) = content(nth, message, call.accepts.images)?;
    let is_result = message.role == Role::Tool;
    let answers = message.tool_call_id.as_deref().filter(|_| is_result);
    let called = || tools.iter().rev().find(|(id, _)| Some(*id) == answers).map(|(_, name)| *name);
    Ok(Message {
        role: match message.role {
            Role::System | Role::Developer => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        },
        content,
        thinking: replayed(message, call.accepts.reasoning_replay, notes),
        images,
        tool_calls: calls(nth, &message.tool_calls)?,
        tool_name: if is_result { message.name.as_deref().or_else(called) } else { None },
        tool_call_id: answers,
    })
}

fn note_what_stays_behind(message: &ChatMessage, notes: &mut Notes) {
    if message.name.is_some() && message.role != Role::Tool {
        notes.say("the names of speakers are not passed on");
    }
    if message.tool_error {
        notes.say("the mark of a failed tool is not passed on");
    }
    notes.leave_behind(&message.extra);
    for part in &message.content {
        notes.leave_behind(&part.extra);
    }
    for call in &message.tool_calls {
        notes.leave_behind(&call.extra);
    }
}

/// The reasoning that goes back with a message.
fn replayed<'a>(
    message: &'a ChatMessage,
    replay: ReasoningReplay,
    notes: &mut Notes,
) -> Option<Cow<'a, str>> {
    let wanted = message.role == Role::Assistant
        && match replay {
            ReasoningReplay::All => true,
            ReasoningReplay::ToolLoop => !message.tool_calls.is_empty(),
            ReasoningReplay::Never => false,
        };
    if !wanted {
        return None;
    }
    if !message.reasoning_blocks.is_empty() {
        notes.say("reasoning of another model is not passed on");
    }
    message.reasoning_content.as_deref().filter(|text| !text.is_empty()).map(Cow::Borrowed)
}

/// The text of a message and the images beside it.
fn content(
    nth: usize,
    message: &ChatMessage,
    takes_images: bool,
) -> Result<(Cow<'_, str>, Vec<&str>), Failure> {
    let mut text = Cow::Borrowed("");
    let mut images = Vec::new();
    for (place, part) in message.content.iter().enumerate() {
        let piece = piece(part, message.role, takes_images).map_err(|what| {
            let path = format!("messages[{nth}].content[{place}]");
            Failure::new(Kind::UnsupportedParameter, format!("{path}: {what}")).param(path)
        })?;
        match piece {
            Piece::Text(piece) => join(&mut text, Cow::Borrowed(piece)),
            Piece::Image(data) => images.push(data),
        }
    }
    if let Some(refusal) = message.refusal.as_deref().filter(|_| text.is_empty()) {
        text = Cow::Borrowed(refusal);
    }
    Ok((text, images))
}

enum Piece<'a> {
    Text(&'a str),
    /// In base64.
    Image(&'a str),
}

/// One part, or what keeps it from being said.
fn piece(part: &ContentPart, role: Role, takes_images: bool) -> Result<Piece<'_>, String> {
    match &part.content {
        Content::Text(text) => Ok(Piece::Text(text)),
        Content::Image(_) if !takes_images => Err("the model takes no images".to_owned()),
        Content::Image(_) if role != Role::User => {
            Err("an image can only stand in a user message".to_owned())
        }
        Content::Image(media) => image(media).map(Piece::Image).map_err(str::to_owned),
        Content::Audio(_) => Err("Ollama takes no sound".to_owned()),
        Content::File(_) => Err("Ollama takes no files".to_owned()),
        Content::Native { dialect, kind, .. } => Err(format!("a `{kind}` part of the {dialect} dialect")),
    }
}

fn image(media: &Media) -> Result<&str, &'static str> {
    match &media.source {
        MediaSource::Base64(data) => Ok(data),
        MediaSource::Url(url) => {
            let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
            inline.map(|(_, data)| data).ok_or("Ollama takes no image by URL, only in base64")
        }
        MediaSource::FileId(_) => Err("Ollama takes no image by file id"),
    }
}

fn calls<'a>(nth: usize, calls: &'a [ToolCall]) -> Result<Vec<OutCall<'a>>, Failure> {
    let written = |(place, call): (usize, &'a ToolCall)| {
        let Some(arguments) = object(&call.arguments) else {
            let path = format!("messages[{nth}].tool_calls[{place}].function.arguments");
            let what = "the arguments of an earlier call are not a JSON object, which Ollama needs";
            return Err(Failure::new(Kind::UnsupportedParameter, format!("{path}: {what}")).param(path));
        };
        Ok(OutCall { id: &call.id, function: OutFunction { name: &call.name, arguments } })
    };
    calls.iter().enumerate().map(written).collect()
}

/// Arguments as the object that Ollama wants; none are an empty one.
fn object(arguments: &str) -> Option<&RawValue> {
    let text = arguments.trim();
    let text = if text.is_empty() || text == "null" { "{}" } else { text };
    serde_json::from_str::<&RawValue>(text).ok().filter(|raw| raw.get().starts_with('{'))
}

/// Adds an instruction of ours to the system message.
fn instruct(messages: &mut Vec<Message<'_>>, instruction: String) {
    match messages.first_mut().filter(|first| first.role == "system") {
        Some(first) => join(&mut first.content, Cow::Owned(instruction)),
        None => messages.insert(0, plain("system", Cow::Owned(instruction))),
    }
}

fn plain<'a>(role: &'static str, content: Cow<'a, str>) -> Message<'a> {
    Message {
        role,
        content,
        thinking: None,
        images: Vec::new(),
        tool_calls: Vec::new(),
        tool_name: None,
        tool_call_id: None,
    }
}

/// Puts the text of all system messages before the first user message.
fn fold_system(messages: &mut Vec<Message<'_>>) {
    let mut whole = Cow::Borrowed("");
    messages.retain_mut(|message| {
        if message.role == "system" {
            join(&mut whole, std::mem::take(&mut message.content));
        }
        message.role != "system"
    });
    if whole.is_empty() {
        return;
    }
    match messages.iter_mut().find(|message| message.role == "user") {
        Some(user) => {
            join(&mut whole, std::mem::take(&mut user.content));
            user.content = whole;
        }
        None => messages.insert(0, plain("user", whole)),
    }
}

/// Joins neighbours of one role. Results of tools stay apart: each answers its own call.
fn alternate(messages: Vec<Message<'_>>) -> Vec<Message<'_>> {
    let mut out: Vec<Message<'_>> = Vec::with_capacity(messages.len());
    for message in messages {
        match out.last_mut().filter(|last| last.role == message.role && message.role != "tool") {
            Some(last) => {
                join(&mut last.content, message.content);
                if let Some(thinking) = message.thinking {
                    join(last.thinking.get_or_insert_default(), thinking);
                }
                last.images.extend(message.images);
                last.tool_calls.extend(message.tool_calls);
            }
            None => out.push(message),
        }
    }
    out
}

fn join<'a>(whole: &mut Cow<'a, str>, text: Cow<'a, str>) {
    if whole.is_empty() {
        *whole = text;
    } else if !text.is_empty() {
        let whole = whole.to_mut();
        whole.push_str(BREAK);
        whole.push_str(&text);
    }
}
