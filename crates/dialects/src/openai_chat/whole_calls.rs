//! Tool calls of a whole message.

use super::calls::{Piece, arguments, is_hollow};
use super::json::{Members, keep};
use super::wire::{CallPiece, Said};
use crate::paths::beneath;
use mainstay_canon::{Extra, RawJson, ToolCall};

/// The calls of a whole message. Dummies are left out; members without a canonical name are kept, those of
/// the function after `function.`.
pub(super) fn whole_calls(said: &Said<'_>, message: &mut Members<'_>) -> Vec<ToolCall> {
    message.take("tool_calls");
    let mut calls: Vec<ToolCall> = said.tool_calls.0.iter().filter_map(whole_call).collect();
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

fn whole_call(piece: &CallPiece<'_>) -> Option<ToolCall> {
    let Piece { id, name, arguments, .. } = Piece::of(piece);
    if id.is_none() && name.is_none() && arguments.is_empty() {
        return None;
    }
    let mut extra = Extra::new();
    keep_extras(piece, &mut extra);
    let (id, name) = (id.unwrap_or_default().to_owned(), name.unwrap_or_default().to_owned());
    Some(ToolCall { id, name, arguments: arguments.into_owned(), extra })
}

/// Keeps what a call, or a piece of one, says under names without a canonical one.
pub(super) fn keep_extras(piece: &CallPiece<'_>, extra: &mut Extra) {
    for (name, raw) in piece.rest.iter() {
        keep(extra, beneath("", name), raw);
    }
    if let Some(custom) = piece.custom.as_ref().filter(|custom| custom.name.filled().is_some()) {
        // Free text, not JSON: whoever judges or writes the call must know.
        if let Ok(kind) = RawJson::of("custom") {
            extra.insert("type", kind);
        }
        for (name, raw) in custom.rest.iter() {
            keep(extra, beneath("custom.", name), raw);
        }
    } else if let Some(function) = &piece.function {
        for (name, raw) in function.rest.iter() {
            keep(extra, beneath("function.", name), raw);
        }
    }
}
