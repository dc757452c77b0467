//! One message of a caller's request, read.

use mainstay_canon::{ChatMessage, ContentPart, Extra, Failure, Role};
use serde_json::value::RawValue;

use super::json::{
    Members, Path, invalid, list, object, optional_string, required_string, string, wrong, wrong_word,
};
use super::parts::{self, Read};
use super::{reasoning, tools};

/// Reads a message.
pub(super) fn read(raw: &RawValue, path: &Path<'_>) -> Result<ChatMessage, Failure> {
    let mut members = object(raw, path)?;
    let mut message = ChatMessage::empty(role(&mut members, path)?);
    content(&mut message, &mut members, path)?;
    message.name = optional_string(members.take("name"), &path.member("name"))?;
    match message.role {
        Role::Assistant => assistant(&mut message, &mut members, path)?,
        Role::Tool => {
            let path = path.member("tool_call_id");
            message.tool_call_id = Some(required_string(members.take("tool_call_id"), &path)?);
        }
        Role::System | Role::Developer | Role::User => {}
    }
    let mut extra = Extra::new();
    members.keep_in(&mut extra);
    message.extra = extra;
    Ok(message)
}

fn role(members: &mut Members<'_>, path: &Path<'_>) -> Result<Role, Failure> {
    let path = path.member("role");
    match required_string(members.take("role"), &path)?.as_str() {
        "system" => Ok(Role::System),
        "developer" => Ok(Role::Developer),
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        "tool" => Ok(Role::Tool),
        "function" => Err(invalid(
            &path,
            "`function` messages are the form before tools; send role \"tool\" with tool_call_id",
        )),
        other => {
            Err(wrong_word(&path, "\"system\", \"developer\", \"user\", \"assistant\" or \"tool\"", other))
        }
    }
}

fn content(message: &mut ChatMessage, members: &mut Members<'_>, path: &Path<'_>) -> Result<(), Failure> {
    let path = path.member("content");
    let Some(raw) = members.take("content") else {
        if message.role == Role::Assistant {
            return Ok(());
        }
        return Err(wrong(&path, "a string or a list of parts", None));
    };
    if raw.get().starts_with('"') {
        message.content.push(ContentPart::text(string(raw, &path)?));
        return Ok(());
    }
    if !raw.get().starts_with('[') {
        return Err(wrong(&path, "a string or a list of parts", Some(raw)));
    }
    for (index, part) in list(raw, &path)?.into_iter().enumerate() {
        match parts::read(part, &path.item(index))? {
            Read::Part(part) => message.content.push(part),
            Read::Refusal(text) => message.refusal.get_or_insert_default().push_str(&text),
        }
    }
    Ok(())
}

fn assistant(message: &mut ChatMessage, members: &mut Members<'_>, path: &Path<'_>) -> Result<(), Failure> {
    if members.take("function_call").is_some() {
        return Err(invalid(&path.member("function_call"), "this is the form before tools; send tool_calls"));
    }
    // SDKs that dump a whole answer send `audio: null`; strict hosts refuse the name.
    if members.look("audio").is_none() {
        members.take("audio");
    }
    if let Some(refusal) = optional_string(members.take("refusal"), &path.member("refusal"))? {
        message.refusal.get_or_insert_default().push_str(&refusal);
    }
    let reasoning_path = path.member("reasoning_content");
    let plain_path = path.member("reasoning");
    let named = optional_string(members.take("reasoning_content"), &reasoning_path)?;
    // Under `reasoning` an object would be a request option of OpenRouter; only a text is reasoning.
    let plain = members.look("reasoning").filter(|raw| raw.get().starts_with('"'));
    let plain = plain.map(|raw| string(raw, &plain_path)).transpose()?;
    if plain.is_some() {
        members.take("reasoning");
    }
    message.reasoning_content = named.or_else(|| plain.map(std::borrow::Cow::into_owned));
    if let Some(raw) = members.take("reasoning_details") {
        let items = list(raw, &path.member("reasoning_details"))?;
        message.reasoning_blocks = items.into_iter().filter_map(reasoning::block).collect();
    }
    if let Some(raw) = members.take("tool_calls") {
        let path = path.member("tool_calls");
        for (index, call) in list(raw, &path)?.into_iter().enumerate() {
            message.tool_calls.push(tools::read_call(call, &path.item(index))?);
        }
    }
    Ok(())
}
