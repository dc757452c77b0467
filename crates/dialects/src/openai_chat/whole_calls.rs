//! Tool calls of a whole message.

use mainstay_canon::{Extra, RawJson, ToolCall};
use serde_json::value::RawValue;

use super::calls::{Piece, arguments, is_hollow};
use super::json::{Members, keep};
use super::lenient::{Many, read};
use super::wire::{CallPiece, Said};

/// The calls of a whole message. Dummies are left out; members without a canonical name are kept, those of
/// the function after `function.`.
pub(super) fn whole_calls(said: &Said<'_>, message: &mut Members<'_>) -> Vec<ToolCall> {
    let raw = message.take("tool_calls");
    let raws = read::<Many<&RawValue>>(raw).0;
    let mut calls: Vec<ToolCall> =
        said.tool_calls.0.iter().zip(raws).filter_map(|(piece, raw)| whole_call(piece, raw)).collect();
    message.take("function_call");
    if calls.is_empty() {
        calls.extend(said.function_call.as_ref().filter(|function| !is_hollow(function)).map(|function| {
            ToolCall {
                id: String::new(),
                name: function.name.owned().unwrap_or_default(),
                arguments: arguments(function).into_owned(),
                extra: Extra::new(),
            }
        }));
    }
    calls
}

fn whole_call(piece: &CallPiece<'_>, raw: &RawValue) -> Option<ToolCall> {
    let Piece { id, name, arguments, .. } = Piece::of(piece);
    if id.is_none() && name.is_none() && arguments.is_empty() {
        return None;
    }
    let mut extra = Extra::new();
    let mut members: Members<'_> = read(Some(raw));
    let (function, custom) = (members.take("function"), members.take("custom"));
    for known in ["id", "index", "type"] {
        members.take(known);
    }
    members.keep_in(&mut extra, "");
    let names_custom = piece.custom.as_ref().is_some_and(|custom| custom.name.filled().is_some());
    if names_custom {
        // Free text, not JSON: whoever judges or writes the call must know.
        if let Ok(kind) = RawJson::of("custom") {
            extra.insert("type", kind);
        }
        keep_rest(&mut extra, custom, "custom.", ["name", "input"]);
    } else {
        keep_rest(&mut extra, function, "function.", ["name", "arguments"]);
    }
    let (id, name) = (id.unwrap_or_default().to_owned(), name.unwrap_or_default().to_owned());
    Some(ToolCall { id, name, arguments: arguments.into_owned(), extra })
}

fn keep_rest(extra: &mut Extra, raw: Option<&RawValue>, prefix: &str, known: [&str; 2]) {
    let mut members: Members<'_> = read(raw);
    for name in known {
        members.take(name);
    }
    for (name, value) in members.iter().filter(|(_, value)| value.get() != "null") {
        keep(extra, format!("{prefix}{name}"), value);
    }
}
