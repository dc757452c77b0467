//! What hosts refuse that others take or pass over: unknown members, and conversations out of their order.
//!
//! Works on planned turns, after everything else about them is decided. The rules are Mistral's (Mistral API
//! reference and client, 2026-11; the order is that of its tokenizer's validator).

use super::notes::Notes;
use super::turns::{Piece, Turn};

/// What is said for an assistant between a tool's result and the next words of the user.
const GO_ON: &str = "Done.";

/// Takes the names of speakers out of the turns.
pub(super) fn unname(turns: &mut [Turn<'_>], notes: &mut Notes) {
    for turn in turns {
        if turn.role != "tool" && turn.name.take().is_some() {
            notes.say("the names of speakers are not passed on".to_owned());
        }
    }
}

/// Takes out of the turns what has no place in the schema of a host that refuses unknown members.
pub(super) fn strip(turns: &mut [Turn<'_>], notes: &mut Notes) {
    unname(turns, notes);
    for turn in turns {
        if let Some(refusal) = turn.refusal.take() {
            if turn.pieces.is_empty() && turn.verbatim.is_none() {
                turn.pieces.push(Piece::Text(refusal.into_owned()));
            } else {
                notes.dropped("messages.refusal");
            }
        }
        turn.extra.retain(|(name, _)| {
            let known = *name == "prefix" && turn.role == "assistant";
            if !known {
                notes.dropped(&format!("messages.{name}"));
            }
            known
        });
        for piece in &turn.pieces {
            if let Piece::Part(part) = piece {
                for name in part.extra.names() {
                    notes.dropped(&format!("messages.content.{name}"));
                }
            }
        }
    }
}

/// Puts turns into the order that the host takes: something in each message of the assistant, after it no
/// instruction, results only after calls, after results an assistant before the user, and an assistant at the
/// end only as the beginning of the answer.
pub(super) fn in_order<'a>(turns: Vec<Turn<'a>>, notes: &mut Notes) -> Vec<Turn<'a>> {
    let mut out: Vec<Turn<'a>> = Vec::with_capacity(turns.len());
    for mut turn in turns {
        if turn.role == "assistant" && says_nothing(&turn) {
            notes.say("an empty message of the assistant is left out".to_owned());
            continue;
        }
        let before = out.last().map(|turn| turn.role);
        match (turn.role, before) {
            ("system", Some("assistant" | "tool")) => {
                notes.say("an instruction after the model's turn is sent as the user's words".to_owned());
                turn.role = "user";
            }
            ("tool", None | Some("system" | "user")) => {
                notes.say("a tool result without its call is sent as the user's words".to_owned());
                turn = Turn { role: "user", pieces: turn.pieces, verbatim: turn.verbatim, ..Turn::default() };
            }
            _ => {}
        }
        if turn.role == "user" && before == Some("tool") {
            notes.say(
                "a word of the assistant stands between a tool's result and the user's words".to_owned(),
            );
            let pieces = vec![Piece::Text(GO_ON.to_owned())];
            out.push(Turn { role: "assistant", pieces, ..Turn::default() });
        }
        out.push(turn);
    }
    if let Some(last) = out.last_mut() {
        let has_prefix = last.extra.iter().any(|(name, _)| *name == "prefix");
        last.begins_answer = last.role == "assistant" && last.calls.is_empty() && !has_prefix;
    }
    out
}

fn says_nothing(turn: &Turn<'_>) -> bool {
    let is_empty = |piece: &Piece<'_>| match piece {
        Piece::Part(part) => part.as_text().is_some_and(str::is_empty),
        Piece::Text(text) => text.is_empty(),
        Piece::Raw(_) | Piece::Thinking(_) => false,
    };
    turn.calls.is_empty() && turn.verbatim.is_none() && turn.pieces.iter().all(is_empty)
}
