//! What one item says: a message, reasoning, a call, or something that the provider did itself.
//!
//! Items stand in the output of a reply and in the input of the next request. Read leniently here; who must
//! complain about a caller's item does so itself.

use std::borrow::Cow;

use mainstay_canon::{Dialect, Extra, RawJson, ReasoningBlock, ToolCall};
use serde_json::value::RawValue;

use super::wire::{filled, text};
use crate::openai_chat::json::Members;
use crate::openai_chat::lenient::{Many, Text, read, read_object};

/// The member of a call's `extra` that says which kind of call it is, where it is not of a function.
pub(super) const TYPE: &str = "type";
/// The `type` of a call of a tool that takes free text. The same word marks it in Chat Completions.
pub(super) const CUSTOM: &str = "custom";

/// What stands in an id that we made, after the word that says what it is of.
pub(super) const MADE_UP: &str = "_mainstay_";

/// Whether we made an item's id: a provider has no use for it.
pub(super) fn has_made_up_id(raw: Option<&RawValue>) -> bool {
    let rest =
        |id: &str| id.find('_').and_then(|at| id.get(at..)).is_some_and(|rest| rest.starts_with(MADE_UP));
    text(raw).is_some_and(|id| rest(&id))
}

/// What kind of item a `type` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// Something said.
    Message,
    /// Reasoning.
    Reasoning,
    /// A call of a function.
    Function,
    /// A call of a tool that takes free text.
    Custom,
    /// A call that is no function but that the caller must run, with the tool's name.
    ByCaller(&'static str),
    /// What the provider did itself: it is for the provider to be shown again, and for nobody else to miss.
    Hosted,
    /// The result of a call that is no function.
    Output,
    /// Anything else.
    Unknown,
}

/// Items of tools that the provider runs (OpenAI API reference, 2026-11; `x_search_call` is xAI's).
const HOSTED: [&str; 12] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "shell_call",
    "tool_search_call",
    "program",
    "program_output",
    "x_search_call",
    "collections_search_call",
];

impl ItemKind {
    /// The kind of an item; `members` are asked where the type alone does not tell who runs a tool.
    pub(super) fn of(kind: &str, members: &Members<'_>) -> Self {
        match kind {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" => Self::Function,
            "custom_tool_call" => Self::Custom,
            "computer_call" => Self::ByCaller("computer"),
            "local_shell_call" => Self::ByCaller("local_shell"),
            "apply_patch_call" => Self::ByCaller("apply_patch"),
            "mcp_approval_request" => Self::ByCaller("mcp_approval_request"),
            "shell_call" if is_local(members) => Self::ByCaller("shell"),
            "tool_search_call" if word(members, "execution").as_deref() == Some("client") => {
                Self::ByCaller("tool_search")
            }
            known if HOSTED.contains(&known) => Self::Hosted,
            "mcp_approval_response" => Self::Output,
            other if other.ends_with("_output") => Self::Output,
            _ => Self::Unknown,
        }
    }
}

/// Whether a shell runs at the caller's: without an environment there was no other.
fn is_local(members: &Members<'_>) -> bool {
    let Some(environment) = members.look("environment") else { return true };
    word(&read_object(Some(environment)), TYPE).is_none_or(|kind| kind == "local")
}

/// A text member, where it holds something.
pub(super) fn word<'a>(members: &Members<'a>, name: &str) -> Option<Cow<'a, str>> {
    filled(members.look(name))
}

/// One item of an output.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// Something said, in parts.
    Message(Vec<Part<'a>>),
    /// Reasoning: what of it can be read.
    Reasoning(String),
    /// A call.
    Call(ToolCall),
    /// Anything else.
    Other,
}

/// One part of a message.
#[derive(Debug)]
pub(super) enum Part<'a> {
    /// Visible text.
    Text(Cow<'a, str>),
    /// The text of a refusal.
    Refusal(Cow<'a, str>),
    /// A part without a place in an answer.
    Other,
}

/// Reads an item of an output.
pub(super) fn item(raw: &RawValue) -> Item<'_> {
    let members: Members<'_> = read_object(Some(raw));
    let kind = word(&members, TYPE).unwrap_or_default();
    match ItemKind::of(&kind, &members) {
        ItemKind::Message => Item::Message(parts(members.look("content"))),
        ItemKind::Reasoning => Item::Reasoning(thought(&members)),
        ItemKind::Function | ItemKind::Custom | ItemKind::ByCaller(_) => {
            call(raw).map_or(Item::Other, Item::Call)
        }
        ItemKind::Hosted | ItemKind::Output | ItemKind::Unknown => Item::Other,
    }
}

/// The parts of a message's content; a server may send the text itself.
fn parts(content: Option<&RawValue>) -> Vec<Part<'_>> {
    if let Some(text) = text(content) {
        return vec![Part::Text(text)];
    }
    read::<Many<&RawValue>>(content).0.into_iter().map(part).collect()
}

fn part(raw: &RawValue) -> Part<'_> {
    let members: Members<'_> = read_object(Some(raw));
    let said = |name: &str| text(members.look(name));
    match word(&members, TYPE).as_deref() {
        Some("output_text" | "text") | None => said("text").map_or(Part::Other, Part::Text),
        Some("refusal") => said("refusal").map_or(Part::Other, Part::Refusal),
        Some(_) => Part::Other,
    }
}

/// What of a reasoning item can be read: its summary, or the reasoning itself where open models show it.
pub(super) fn thought(members: &Members<'_>) -> String {
    let texts = |name: &str| {
        let parts = read::<Many<&RawValue>>(members.look(name)).0;
        parts
            .into_iter()
            .filter_map(|part| text(read_object::<Members<'_>>(Some(part)).look("text")))
            .collect()
    };
    let summary: String = texts("summary");
    if summary.is_empty() { texts("content") } else { summary }
}

/// Reads a call. `None` where the item is none.
pub(super) fn call(raw: &RawValue) -> Option<ToolCall> {
    let mut members: Members<'_> = read_object(Some(raw));
    let kind = word(&members, TYPE)?;
    let named = ItemKind::of(&kind, &members);
    let id = call_id(&members);
    let mut extra = Extra::new();
    let (name, arguments) = match named {
        ItemKind::Function => (word(&members, "name"), arguments(members.take("arguments"))),
        ItemKind::Custom => {
            extra.insert(TYPE, RawJson::of(CUSTOM).ok()?);
            (word(&members, "name"), text(members.take("input")).map(Cow::into_owned))
        }
        ItemKind::ByCaller(tool) => {
            extra.insert(TYPE, RawJson::of(&*kind).ok()?);
            return Some(ToolCall { id, name: tool.to_owned(), arguments: raw.get().to_owned(), extra });
        }
        ItemKind::Message | ItemKind::Reasoning | ItemKind::Hosted | ItemKind::Output | ItemKind::Unknown => {
            return None;
        }
    };
    for known in [TYPE, "call_id", "name"] {
        members.take(known);
    }
    members.keep_in(&mut extra);
    let name = name.map(Cow::into_owned).unwrap_or_default();
    Some(ToolCall { id, name, arguments: arguments.unwrap_or_default(), extra })
}

/// The id by which a result names its call.
pub(super) fn call_id(members: &Members<'_>) -> String {
    let id = word(members, "call_id").or_else(|| word(members, "id"));
    id.map(Cow::into_owned).unwrap_or_default()
}

/// Arguments are JSON in a string; some servers send the JSON itself.
fn arguments(raw: Option<&RawValue>) -> Option<String> {
    match text(raw) {
        Some(text) => Some(text.into_owned()),
        None => raw.map(|raw| raw.get().to_owned()),
    }
}

/// Whether a call's extra says that it is of that kind.
pub(super) fn kind_of_call(extra: &Extra) -> Option<Cow<'_, str>> {
    extra.get(TYPE)?.read::<Text<'_>>().ok()?.given()
}

/// An item as it goes back to its provider.
pub(super) fn block(raw: &RawValue) -> Option<ReasoningBlock> {
    Some(ReasoningBlock { dialect: Dialect::OpenaiResponses, origin: None, raw: RawJson::of(raw).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(json: &str, check: impl FnOnce(Item<'_>) -> T) -> T {
        check(item(&RawValue::from_string(json.to_owned()).unwrap()))
    }

    fn called(json: &str) -> ToolCall {
        with(json, |item| match item {
            Item::Call(call) => call,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_message_is_told_in_parts() {
        with(
            r#"{"type":"message","content":[{"type":"output_text","text":"a","annotations":[]},{"type":"refusal","refusal":"no"},{"type":"x"}]}"#,
            |item| {
                let Item::Message(parts) = item else { panic!("{item:?}") };
                assert!(
                    matches!(&parts[..], [Part::Text(text), Part::Refusal(no), Part::Other] if text == "a" && no == "no")
                );
            },
        );
        with(r#"{"type":"message","content":"plain"}"#, |item| {
            assert!(
                matches!(item, Item::Message(parts) if matches!(&parts[..], [Part::Text(text)] if text == "plain"))
            );
        });
    }

    #[test]
    fn reasoning_is_its_summary_or_what_an_open_model_shows() {
        for (json, expected) in [
            (r#"{"type":"reasoning","summary":[{"text":"a"},{"text":"b"}],"content":[{"text":"c"}]}"#, "ab"),
            (r#"{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"c"}]}"#, "c"),
            (r#"{"type":"reasoning","encrypted_content":"x"}"#, ""),
        ] {
            assert!(with(json, |item| matches!(item, Item::Reasoning(text) if text == expected)), "{json}");
        }
    }

    #[test]
    fn a_call_keeps_what_has_no_name() {
        let call = called(
            r#"{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}","status":"completed","namespace":"n"}"#,
        );
        assert_eq!((&*call.id, &*call.name, &*call.arguments), ("c1", "f", "{}"));
        assert_eq!(call.extra.names().collect::<Vec<_>>(), ["id", "namespace", "status"]);
        let odd = called(r#"{"type":"function_call","id":"fc_1","name":"f","arguments":{"a":1}}"#);
        assert_eq!((&*odd.id, &*odd.arguments), ("fc_1", r#"{"a":1}"#));
        let free = called(r#"{"type":"custom_tool_call","call_id":"c","name":"sum","input":"4 + 4"}"#);
        assert_eq!((&*free.arguments, kind_of_call(&free.extra).as_deref()), ("4 + 4", Some("custom")));
    }

    #[test]
    fn who_runs_a_tool_is_told_by_its_members() {
        let kind = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            let members: Members<'_> = read_object(Some(&raw));
            ItemKind::of(&word(&members, TYPE).unwrap(), &members)
        };
        assert_eq!(
            kind(r#"{"type":"shell_call","environment":{"type":"container_reference"}}"#),
            ItemKind::Hosted
        );
        assert_eq!(kind(r#"{"type":"shell_call","environment":null}"#), ItemKind::ByCaller("shell"));
        assert_eq!(
            kind(r#"{"type":"shell_call","environment":{"type":"local"}}"#),
            ItemKind::ByCaller("shell")
        );
        assert_eq!(kind(r#"{"type":"tool_search_call","execution":"server"}"#), ItemKind::Hosted);
        assert_eq!(
            kind(r#"{"type":"tool_search_call","execution":"client"}"#),
            ItemKind::ByCaller("tool_search")
        );
        assert_eq!(kind(r#"{"type":"shell_call_output"}"#), ItemKind::Output);
        assert_eq!(kind(r#"{"type":"compaction"}"#), ItemKind::Unknown);
        let raw = r#"{"type":"computer_call", "call_id":"c","actions":[{"type":"screenshot"}],"n":1.0}"#;
        let call = called(raw);
        assert_eq!((&*call.id, &*call.name, &*call.arguments), ("c", "computer", raw));
    }
}
