//! The items of a caller's input, read into messages.
//!
//! What the model did between two words of the caller is one turn: its reasoning, what it said, its calls. Where the
//! items say more than the canonical fields, or in another order, the turn is kept as it came beside them.

use std::collections::BTreeSet;

use mainstay_canon::{ChatMessage, Content, ContentPart, Dialect, Extra, Failure, RawJson, Role, Verbatim};
use serde_json::value::RawValue;

use super::items::{self, CUSTOM, ItemKind, TYPE, kind_of_call, word};
use super::parts::{Read, Side, read_content};
use crate::envelope::{Opened, open};
use crate::openai_chat::json::{
    Members, Path, invalid, object, optional_string, required_string, string, wrong, wrong_word,
};

/// Reads items.
pub(super) fn read(raws: &[&RawValue], path: &Path<'_>) -> Result<Vec<ChatMessage>, Failure> {
    let mut reader = Reader::default();
    for (index, raw) in raws.iter().enumerate() {
        reader.item(raw, &path.item(index))?;
    }
    reader.end_turn();
    Ok(reader.messages)
}

#[derive(Default)]
struct Reader<'a> {
    messages: Vec<ChatMessage>,
    /// The model's turn that may go on.
    turn: Option<Turn<'a>>,
    /// Calls of tools that take free text.
    customs: BTreeSet<String>,
    /// Calls that are no functions but that the caller runs.
    by_caller: BTreeSet<String>,
}

/// Where an item stands in the order in which canonical fields are written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Reasoning,
    Said,
    Called,
}

/// One turn of the model.
struct Turn<'a> {
    message: ChatMessage,
    items: Vec<&'a RawValue>,
    last: Place,
    /// Whether the canonical fields say all of it, in its order.
    is_plain: bool,
}

impl<'a> Reader<'a> {
    fn item(&mut self, raw: &'a RawValue, path: &Path<'_>) -> Result<(), Failure> {
        let mut members = object(raw, path)?;
        let kind = optional_string(members.look(TYPE), &path.member(TYPE))?;
        let kind = match kind {
            Some(kind) => kind,
            None if members.look("role").is_some() => "message".to_owned(),
            None if members.look("id").is_some() => "item_reference".to_owned(),
            None => return Err(wrong(&path.member(TYPE), "a string", None)),
        };
        if kind == "item_reference" {
            return Err(invalid(
                path,
                "items are not stored here; send the item itself, not a reference to it",
            ));
        }
        members.take(TYPE);
        let is_ours = items::has_made_up_id(members.look("id"));
        if is_ours {
            members.take("id");
        }
        match ItemKind::of(&kind, &members) {
            ItemKind::Message => self.message(raw, members, path),
            ItemKind::Reasoning => self.reasoning(raw, &members, is_ours, path),
            ItemKind::Function | ItemKind::Custom => self.call(raw, &members, path),
            ItemKind::ByCaller(_) => {
                self.by_caller.insert(items::call_id(&members));
                self.add_call(raw);
                Ok(())
            }
            ItemKind::Hosted => {
                self.hosted(raw);
                Ok(())
            }
            ItemKind::Output => self.output(&kind, raw, members, path),
            ItemKind::Unknown => {
                self.native(Role::User, kind, raw, None);
                Ok(())
            }
        }
    }

    fn message(
        &mut self,
        raw: &'a RawValue,
        mut members: Members<'_>,
        path: &Path<'_>,
    ) -> Result<(), Failure> {
        let role_path = path.member("role");
        let role = match required_string(members.take("role"), &role_path)?.as_str() {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => return self.assistant(raw, members, path),
            other => {
                return Err(wrong_word(
                    &role_path,
                    "\"system\", \"developer\", \"user\" or \"assistant\"",
                    other,
                ));
            }
        };
        let mut message = ChatMessage::empty(role);
        read_content(members.take("content"), &path.member("content"), Side::Input, |read| match read {
            Read::Part(part) => message.content.push(part),
            Read::Refusal(text, _) => message.content.push(ContentPart::text(text)),
        })?;
        members.keep_in(&mut message.extra);
        self.end_turn();
        self.messages.push(message);
        Ok(())
    }

    fn assistant(
        &mut self,
        raw: &'a RawValue,
        mut members: Members<'_>,
        path: &Path<'_>,
    ) -> Result<(), Failure> {
        let (mut content, mut refusal, mut says_all) = (Vec::new(), None::<String>, true);
        read_content(members.take("content"), &path.member("content"), Side::Output, |read| match read {
            Read::Part(part) => content.push(part),
            Read::Refusal(text, is_all) => {
                refusal.get_or_insert_default().push_str(&text);
                says_all &= is_all;
            }
        })?;
        let turn = self.turn(raw, Place::Said);
        // Two messages in one turn are written back as the two that they were.
        turn.is_plain &= says_all && turn.message.content.is_empty() && turn.message.refusal.is_none();
        turn.message.content.append(&mut content);
        if let Some(refusal) = refusal {
            turn.message.refusal.get_or_insert_default().push_str(&refusal);
        }
        members.keep_in(&mut turn.message.extra);
        Ok(())
    }

    fn reasoning(
        &mut self,
        raw: &'a RawValue,
        members: &Members<'_>,
        is_ours: bool,
        path: &Path<'_>,
    ) -> Result<(), Failure> {
        let encrypted = members
            .look("encrypted_content")
            .map(|raw| string(raw, &path.member("encrypted_content")))
            .transpose()?;
        let opened = encrypted.map_or(Opened::Foreign, |text| open(&text));
        let text = items::thought(members);
        let turn = self.turn(raw, Place::Reasoning);
        if !text.is_empty() {
            turn.message.reasoning_content.get_or_insert_default().push_str(&text);
        }
        match opened {
            Opened::Block(block) => turn.message.reasoning_blocks.push(block),
            Opened::Foreign if !is_ours => turn.message.reasoning_blocks.extend(items::block(raw)),
            // Ours, and nothing that anybody could be given back.
            Opened::Foreign | Opened::Empty => {}
        }
        Ok(())
    }

    fn call(&mut self, raw: &'a RawValue, members: &Members<'_>, path: &Path<'_>) -> Result<(), Failure> {
        for name in ["call_id", "name"] {
            required_string(members.look(name), &path.member(name))?;
        }
        self.add_call(raw);
        Ok(())
    }

    fn add_call(&mut self, raw: &'a RawValue) {
        let Some(mut call) = items::call(raw) else { return };
        let id = call.extra.get("id").and_then(|id| id.read().ok());
        if items::has_made_up_id(id) {
            call.extra.remove("id");
        }
        if kind_of_call(&call.extra).as_deref() == Some(CUSTOM) {
            self.customs.insert(call.id.clone());
        }
        self.turn(raw, Place::Called).message.tool_calls.push(call);
    }

    /// What the provider did itself travels like reasoning.
    fn hosted(&mut self, raw: &'a RawValue) {
        self.turn(raw, Place::Reasoning).message.reasoning_blocks.extend(items::block(raw));
    }

    fn output(
        &mut self,
        kind: &str,
        raw: &'a RawValue,
        mut members: Members<'_>,
        path: &Path<'_>,
    ) -> Result<(), Failure> {
        let is_custom = match kind {
            "function_call_output" => false,
            "custom_tool_call_output" => true,
            _ => {
                self.native_output(kind, raw, &members);
                return Ok(());
            }
        };
        let id = required_string(members.take("call_id"), &path.member("call_id"))?;
        let mut message = ChatMessage::empty(Role::Tool);
        read_content(members.take("output"), &path.member("output"), Side::Input, |read| match read {
            Read::Part(part) => message.content.push(part),
            Read::Refusal(text, _) => message.content.push(ContentPart::text(text)),
        })?;
        members.keep_in(&mut message.extra);
        if is_custom && !self.customs.contains(&id) {
            // Its call is not there to tell what kind of result this is.
            message.extra.insert(TYPE, RawJson::of(kind).map_err(|_| wrong(path, "an item", Some(raw)))?);
        }
        message.tool_call_id = Some(id);
        self.end_turn();
        self.messages.push(message);
        Ok(())
    }

    /// The result of a tool that is no function: the caller's, if the caller ran it.
    fn native_output(&mut self, kind: &str, raw: &'a RawValue, members: &Members<'_>) {
        let id = word(members, "approval_request_id").map_or_else(|| items::call_id(members), Into::into);
        let is_hosted = matches!(kind, "shell_call_output" | "tool_search_output" | "program_output");
        if is_hosted && !self.by_caller.contains(&id) {
            self.hosted(raw);
        } else {
            self.native(Role::Tool, kind.to_owned(), raw, Some(id));
        }
    }

    /// An item that only this dialect knows, as a message of its own that other dialects refuse.
    fn native(&mut self, role: Role, kind: String, raw: &'a RawValue, tool_call_id: Option<String>) {
        self.end_turn();
        let (Ok(item), Ok(list)) = (RawJson::of(raw), RawJson::of(&[raw])) else { return };
        let content = Content::Native { dialect: Dialect::OpenaiResponses, kind, raw: item };
        self.messages.push(ChatMessage {
            content: vec![ContentPart { content, extra: Extra::new() }],
            tool_call_id,
            verbatim: Some(Verbatim { dialect: Dialect::OpenaiResponses, content: list }),
            ..ChatMessage::empty(role)
        });
    }

    /// The model's turn, with one more item.
    fn turn(&mut self, raw: &'a RawValue, place: Place) -> &mut Turn<'a> {
        let turn = self.turn.get_or_insert_with(|| Turn {
            message: ChatMessage::empty(Role::Assistant),
            items: Vec::new(),
            last: Place::Reasoning,
            is_plain: true,
        });
        turn.is_plain &= turn.last <= place;
        turn.last = place;
        turn.items.push(raw);
        turn
    }

    fn end_turn(&mut self) {
        let Some(Turn { mut message, items, is_plain, .. }) = self.turn.take() else { return };
        if !is_plain && let Ok(content) = RawJson::of(&items) {
            message.verbatim = Some(Verbatim { dialect: Dialect::OpenaiResponses, content });
            message.extra = Extra::new();
        }
        self.messages.push(message);
    }
}
