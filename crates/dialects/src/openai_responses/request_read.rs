//! A caller's request, read.
//!
//! Every member of a response's creation that the canon has a name for goes there (OpenAI API reference, "Create a
//! model response", 2026-11); all others are kept in `extra` as they came. Whatever would rest on something stored
//! is refused by name: an answer may come from any provider, and none of them holds the others' state. `store`
//! itself asks for nothing that the answer shows, so it is read and not heeded; the reply says `store: false`.

use mainstay_canon::{ChatMessage, ChatRequest, Dialect, Extra, Failure, Kind, Role};
use serde_json::value::RawValue;

use super::settings::{read_reasoning, read_text};
use super::tools::{read_choice, read_tool};
use super::{echo, input_read};
use crate::Received;
use crate::openai_chat::json::{
    Members, Path, boolean, integer, invalid, keep, list, number, object, optional_string, place, string,
    wrong,
};
use crate::openai_chat::lenient::says_something;

/// Longest name of an end user, in bytes: it goes into every record.
const USER_LIMIT: usize = 512;

/// Members that rest on something stored, and what to do instead.
const STORED: [(&str, &str); 4] = [
    (
        "previous_response_id",
        "answers are not stored here; send the earlier items, those of the answer included, in `input`",
    ),
    ("conversation", "conversations are not stored here; send their items in `input`"),
    ("prompt", "stored prompts are one provider's own; send their text in `instructions` and `input`"),
    ("background", "answers are not kept for later; leave it out, and set `stream` for a long answer"),
];

/// Reads a body.
pub(super) fn read_request(body: &[u8]) -> Result<Received, Failure> {
    let text = std::str::from_utf8(body).map_err(|_| invalid(&Path::Root, "expected UTF-8"))?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        Failure::new(Kind::InvalidRequest, format!("the body is not JSON: {}", place(&error)))
    })?;
    let mut members = object(raw, &Path::Root)?;
    refuse_stored(&mut members)?;
    let echo = echo::of_request(&members);
    let mut request = ChatRequest { origin: Some(Dialect::OpenaiResponses), ..ChatRequest::default() };
    let mut extra = Extra::new();
    request.model_hint = optional_string(members.take("model"), &Path::Root.member("model"))?;
    conversation(&mut request, &mut members)?;
    numbers(&mut request, &mut members)?;
    tools(&mut request, &mut members, &mut extra)?;
    if let Some(raw) = members.take("text") {
        read_text(raw, &mut request, &mut extra)?;
    }
    if let Some(raw) = members.take("reasoning") {
        read_reasoning(raw, &mut request, &mut extra)?;
    }
    streaming(&mut request, &mut members, &mut extra)?;
    user(&mut request, &members)?;
    members.keep_beneath("", &mut extra);
    request.extra = extra;
    Ok(Received { request, include_usage: true, echo })
}

/// Members that we cannot honour, named plainly.
fn refuse_stored(members: &mut Members<'_>) -> Result<(), Failure> {
    for (name, instead) in STORED {
        if members.take(name).is_some_and(says_something) {
            return Err(invalid(&Path::Root.member(name), instead));
        }
    }
    let store = Path::Root.member("store");
    members.take("store").map_or(Ok(false), |raw| boolean(raw, &store))?;
    if members.look("messages").is_some() && members.look("input").is_none() {
        return Err(invalid(&Path::Root.member("messages"), "this is Chat Completions; send `input`"));
    }
    Ok(())
}

fn conversation(request: &mut ChatRequest, members: &mut Members<'_>) -> Result<(), Failure> {
    let path = Path::Root.member("instructions");
    let instructions = optional_string(members.take("instructions"), &path)?;
    let instructions = instructions.filter(|text| !text.is_empty());
    request.messages.extend(instructions.map(|text| ChatMessage::new(Role::System, text)));
    let path = Path::Root.member("input");
    let Some(raw) = members.take("input") else {
        return Err(wrong(&path, "a string or a list of items", None));
    };
    if raw.get().starts_with('"') {
        request.messages.push(ChatMessage::new(Role::User, string(raw, &path)?));
        return Ok(());
    }
    let items = list(raw, &path).map_err(|_| wrong(&path, "a string or a list of items", Some(raw)))?;
    if items.is_empty() {
        return Err(invalid(&path, "expected at least one item, found none"));
    }
    request.messages.extend(input_read::read(&items, &path)?);
    Ok(())
}

fn numbers(request: &mut ChatRequest, members: &mut Members<'_>) -> Result<(), Failure> {
    let mut float =
        |name: &str| members.take(name).map(|raw| number(raw, &Path::Root.member(name))).transpose();
    request.temperature = float("temperature")?;
    request.top_p = float("top_p")?;
    let path = Path::Root.member("max_output_tokens");
    let Some(raw) = members.take("max_output_tokens") else { return Ok(()) };
    let tokens = integer(raw, &path)?;
    let limit = u32::try_from(tokens).ok().filter(|tokens| *tokens > 0);
    if limit.is_none() {
        return Err(invalid(&path, &format!("expected a whole number of at least 1, found {tokens}")));
    }
    request.max_tokens = limit;
    Ok(())
}

fn tools(request: &mut ChatRequest, members: &mut Members<'_>, extra: &mut Extra) -> Result<(), Failure> {
    let path = Path::Root.member("tools");
    if let Some(raw) = members.take("tools") {
        for (index, tool) in list(raw, &path)?.into_iter().enumerate() {
            request.tools.push(read_tool(tool, &path.item(index))?);
        }
    }
    if let Some(raw) = members.take("tool_choice") {
        let (choice, is_all) = read_choice(raw, &Path::Root.member("tool_choice"))?;
        request.tool_choice = choice;
        if !is_all {
            keep(extra, "tool_choice", raw);
        }
    }
    let path = Path::Root.member("parallel_tool_calls");
    request.parallel_tool_calls =
        members.take("parallel_tool_calls").map(|raw| boolean(raw, &path)).transpose()?;
    Ok(())
}

/// Whether the caller wants a stream. How its events are padded is for a provider of this dialect.
fn streaming(request: &mut ChatRequest, members: &mut Members<'_>, extra: &mut Extra) -> Result<(), Failure> {
    let path = Path::Root.member("stream");
    request.stream = members.take("stream").map(|raw| boolean(raw, &path)).transpose()?.unwrap_or(false);
    let path = Path::Root.member("stream_options");
    let Some(raw) = members.take("stream_options") else { return Ok(()) };
    keep(extra, "stream_options", raw);
    object(raw, &path).map(|_| ())
}

/// The end user, without taking the member away: a provider of this dialect is told, too.
fn user(request: &mut ChatRequest, members: &Members<'_>) -> Result<(), Failure> {
    for name in ["user", "safety_identifier"] {
        let path = Path::Root.member(name);
        let Some(raw) = members.look(name) else { continue };
        let user = string(raw, &path)?;
        if user.len() > USER_LIMIT {
            return Err(invalid(&path, "expected at most 512 bytes"));
        }
        if request.meta.user_id.is_none() && !user.trim().is_empty() {
            request.meta.user_id = Some(user.into_owned());
        }
    }
    Ok(())
}
