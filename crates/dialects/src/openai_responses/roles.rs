//! What a model's roles make of the conversation: instructions apart, no system message, no two turns of one role.
//!
//! Knows what a model accepts; the items themselves are put together elsewhere.

use std::borrow::Cow;

use mainstay_canon::{Accepts, Extra};

use super::input_write::{Message, OutItem, Piece};
use super::notes::Notes;

/// Between texts that are joined.
const BREAK: &str = "\n\n";

/// Puts items into the form that a model accepts, with an instruction of ours if there is one. Gives back what
/// stands apart as `instructions`.
pub(super) fn settle<'a>(
    items: &mut Vec<OutItem<'a>>,
    accepts: &Accepts,
    instruction: Option<String>,
    notes: &mut Notes,
) -> Option<Cow<'a, str>> {
    if !accepts.system_role {
        fold_system(items, notes);
    }
    if accepts.alternate_roles {
        *items = alternate(std::mem::take(items), notes);
    }
    let instructions = if accepts.system_role { take_instructions(items) } else { None };
    match instruction {
        None => instructions,
        Some(instruction) if accepts.system_role => {
            let mut whole = instructions.map(Cow::into_owned).unwrap_or_default();
            push_text(&mut whole, &instruction);
            Some(Cow::Owned(whole))
        }
        Some(instruction) => {
            before_the_user(items, instruction);
            None
        }
    }
}

fn is_system(item: &OutItem<'_>) -> bool {
    matches!(item, OutItem::Message(message) if matches!(message.role, "system" | "developer"))
}

/// Takes the first system message out, if it is plain text and not all that there is.
fn take_instructions<'a>(items: &mut Vec<OutItem<'a>>) -> Option<Cow<'a, str>> {
    let OutItem::Message(first) = items.first().filter(|_| items.len() > 1)? else { return None };
    let is_plain = first.role == "system" && first.extra.is_none_or(Extra::is_empty);
    let text = match &first.pieces[..] {
        [Piece::Part(part)] if is_plain && part.extra.is_empty() => Cow::Borrowed(part.as_text()?),
        _ => return None,
    };
    if text.is_empty() {
        return None;
    }
    items.remove(0);
    Some(text)
}

/// Puts the text of all system messages before the first user message.
fn fold_system(items: &mut Vec<OutItem<'_>>, notes: &mut Notes) {
    let mut whole = String::new();
    items.retain(|item| {
        let OutItem::Message(message) = item else { return true };
        if !is_system(item) {
            return true;
        }
        if message.pieces.iter().any(|piece| piece.plain(true).is_none()) {
            notes.say("only the text of system messages is passed on");
        }
        for text in message.pieces.iter().filter_map(Piece::text) {
            push_text(&mut whole, text);
        }
        false
    });
    if !whole.is_empty() {
        before_the_user(items, whole);
    }
}

fn before_the_user(items: &mut Vec<OutItem<'_>>, text: String) {
    let user = items.iter_mut().find_map(|item| match item {
        OutItem::Message(message) if message.role == "user" => Some(message),
        OutItem::Message(_)
        | OutItem::Raw(_)
        | OutItem::Kept(_)
        | OutItem::Bare(_)
        | OutItem::Call { .. }
        | OutItem::Result { .. } => None,
    });
    if let Some(message) = user {
        message.pieces.insert(0, Piece::Text(text));
        join_texts(&mut message.pieces);
        return;
    }
    let pieces = vec![Piece::Text(text)];
    let message = Message { role: "user", pieces, refusal: None, extra: None, is_bare: false };
    items.insert(0, OutItem::Message(message));
}

/// Joins neighbouring messages of one role.
fn alternate<'a>(items: Vec<OutItem<'a>>, notes: &mut Notes) -> Vec<OutItem<'a>> {
    let mut out: Vec<OutItem<'a>> = Vec::with_capacity(items.len());
    for item in items {
        match (out.last_mut(), item) {
            (Some(OutItem::Message(last)), OutItem::Message(next))
                if last.role == next.role && last.refusal.is_none() && next.refusal.is_none() =>
            {
                if next.extra.is_some_and(|extra| !extra.is_empty()) {
                    notes.say("further members of joined messages are not passed on");
                }
                last.pieces.extend(next.pieces);
                join_texts(&mut last.pieces);
            }
            (_, item) => out.push(item),
        }
    }
    out
}

/// Joins plain texts that stand side by side.
fn join_texts(pieces: &mut Vec<Piece<'_>>) {
    let mut out: Vec<Piece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces.drain(..) {
        match (out.last().and_then(|last| last.plain(true)), piece.plain(true)) {
            (Some(before), Some(after)) => {
                let mut whole = before.to_owned();
                push_text(&mut whole, after);
                out.pop();
                out.push(Piece::Text(whole));
            }
            _ => out.push(piece),
        }
    }
    *pieces = out;
}

fn push_text(whole: &mut String, text: &str) {
    if !whole.is_empty() && !text.is_empty() {
        whole.push_str(BREAK);
    }
    whole.push_str(text);
}
