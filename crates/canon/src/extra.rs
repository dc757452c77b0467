//! What only a reply's own dialect says, as it comes in pieces and as the pieces join.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::{Dialect, Extra, RawJson};

/// Most bytes of one streamed reply's extras that are handed on and kept, names included: 16 MB.
pub const EXTRA_LIMIT: usize = 16 << 20;

/// How many objects within one another grow by their members.
const DEPTH: usize = 4;

/// How what a piece says joins what was said under the same name before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// It takes the place of what was said before.
    Replace,
    /// Lists grow by it and objects member by member; anything else is replaced.
    Append,
    /// The same, and texts grow, too.
    Concat,
    /// Not at all: it belongs to its place in the stream, and another piece says it for the whole reply.
    Pass,
}

/// Members of a streamed reply that only its own dialect understands, at their place among its other events.
///
/// Names are those under which a whole reply keeps the same thing, except for what [`Joins::Pass`].
#[derive(Clone, Debug, PartialEq)]
pub struct ExtraPiece {
    /// Whose words these are: only a caller of this dialect is given them.
    pub dialect: Dialect,
    /// The members.
    pub members: Extra,
    /// How they join earlier ones.
    pub joins: Joins,
}

impl ExtraPiece {
    /// Bytes of the names and the values.
    pub fn weight(&self) -> usize {
        self.members.iter().map(|(name, raw)| name.len().saturating_add(raw.text().len())).sum()
    }
}

/// The extras of one reply, joined from their pieces.
#[derive(Clone, Debug, Default)]
pub struct JoinedExtra {
    members: BTreeMap<String, Node>,
    bytes: usize,
    is_full: bool,
}

/// A value that may grow. What it holds stays the text it came in.
#[derive(Clone, Debug)]
enum Node {
    Value(RawJson),
    /// A text that grows.
    Text(String),
    List(Vec<RawJson>),
    Object(BTreeMap<String, Node>),
}

impl JoinedExtra {
    /// Takes a piece in, unless the reply has had [`EXTRA_LIMIT`] bytes of them. Whether it was taken: one that
    /// was not is not to be handed on either, and no half of what it would have joined is kept.
    pub fn add(&mut self, piece: &ExtraPiece) -> bool {
        self.bytes = self.bytes.saturating_add(piece.weight());
        if self.is_full || self.bytes > EXTRA_LIMIT {
            self.is_full = true;
            match piece.joins {
                Joins::Append | Joins::Concat => {
                    for name in piece.members.names() {
                        self.members.remove(name);
                    }
                }
                Joins::Replace | Joins::Pass => {}
            }
            return false;
        }
        for (name, raw) in piece.members.iter() {
            match piece.joins {
                Joins::Replace => {
                    self.members.insert(name.to_owned(), Node::Value(raw.clone()));
                }
                Joins::Append | Joins::Concat => {
                    let more = Node::grown_from(raw, DEPTH, piece.joins == Joins::Concat);
                    match self.members.get_mut(name) {
                        Some(known) => known.join(more),
                        None => {
                            self.members.insert(name.to_owned(), more);
                        }
                    }
                }
                Joins::Pass => {}
            }
        }
        true
    }

    /// Whether nothing was joined yet.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether something had to be left out.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// What was joined so far.
    pub fn extra(&self) -> Extra {
        self.members
            .iter()
            .filter_map(|(name, node)| Some((name.clone(), RawJson::parse(node.written()).ok()?)))
            .collect()
    }
}

impl Node {
    fn grown_from(raw: &RawJson, depth: usize, grow_texts: bool) -> Self {
        match raw.text().as_bytes().first() {
            Some(b'"') if grow_texts => {
                raw.read::<String>().map_or_else(|_| Self::Value(raw.clone()), Self::Text)
            }
            Some(b'[') => raw.read::<Vec<RawJson>>().map_or_else(|_| Self::Value(raw.clone()), Self::List),
            Some(b'{') if depth > 0 => match raw.read::<BTreeMap<String, &RawValue>>() {
                Ok(members) => Self::Object(
                    members
                        .into_iter()
                        .filter_map(|(name, raw)| {
                            Some((name, Self::grown_from(&RawJson::of(raw).ok()?, depth - 1, grow_texts)))
                        })
                        .collect(),
                ),
                Err(_) => Self::Value(raw.clone()),
            },
            Some(_) | None => Self::Value(raw.clone()),
        }
    }

    fn join(&mut self, more: Self) {
        match (self, more) {
            (Self::List(known), Self::List(more)) => known.extend(more),
            (Self::Text(known), Self::Text(more)) => known.push_str(&more),
            (Self::Object(known), Self::Object(more)) => {
                for (name, node) in more {
                    match known.get_mut(&name) {
                        Some(known) => known.join(node),
                        None => {
                            known.insert(name, node);
                        }
                    }
                }
            }
            // A null says nothing of its own.
            (_, Self::Value(raw)) if raw.text() == "null" => {}
            (known, more) => *known = more,
        }
    }

    fn written(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Value(raw) => out.push_str(raw.text()),
            // A string can always be written.
            Self::Text(text) => out.push_str(&serde_json::to_string(text).unwrap_or_default()),
            Self::List(items) => {
                out.push('[');
                for (nth, item) in items.iter().enumerate() {
                    out.push_str(if nth == 0 { "" } else { "," });
                    out.push_str(item.text());
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (nth, (name, node)) in members.iter().enumerate() {
                    out.push_str(if nth == 0 { "" } else { "," });
                    // A string can always be written.
                    out.push_str(&serde_json::to_string(name).unwrap_or_default());
                    out.push(':');
                    node.write(out);
                }
                out.push('}');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(joins: Joins, name: &str, json: &str) -> ExtraPiece {
        let members = [(name.to_owned(), RawJson::parse(json).unwrap())].into_iter().collect();
        ExtraPiece { dialect: Dialect::OpenaiChat, members, joins }
    }

    fn joined(pieces: &[ExtraPiece]) -> Vec<String> {
        let mut all = JoinedExtra::default();
        for piece in pieces {
            assert!(all.add(piece));
        }
        all.extra().iter().map(|(name, raw)| format!("{name}={}", raw.text())).collect()
    }

    #[test]
    fn lists_grow_objects_by_member_and_all_else_is_replaced() {
        let grown = joined(&[
            piece(Joins::Append, "a", r#"{"content":[{"n":1.0}],"refusal":null,"id":"x"}"#),
            piece(Joins::Append, "a", r#"{"content":[{"n":2.50}],"id":"y","more":[]}"#),
            piece(Joins::Append, "a", "null"),
            piece(Joins::Replace, "b", "[1]"),
            piece(Joins::Replace, "b", "[2]"),
            piece(Joins::Pass, "c", "3"),
        ]);
        assert_eq!(
            grown,
            [r#"a={"content":[{"n":1.0},{"n":2.50}],"id":"y","more":[],"refusal":null}"#, "b=[2]"]
        );
    }

    #[test]
    fn texts_grow_where_the_piece_says_so() {
        let grown = joined(&[
            piece(Joins::Append, "audio", r#"{"id":"a1"}"#),
            piece(Joins::Concat, "audio", r#"{"data":"QUJD","transcript":"Hel"}"#),
            piece(Joins::Concat, "audio", r#"{"transcript":"lo \"you\""}"#),
            piece(Joins::Append, "audio", r#"{"id":"a2"}"#),
        ]);
        assert_eq!(grown, [r#"audio={"data":"QUJD","id":"a2","transcript":"Hello \"you\""}"#]);
    }

    #[test]
    fn beyond_the_limit_nothing_is_taken_and_no_half_of_a_list_is_kept() {
        let mut all = JoinedExtra::default();
        assert!(all.add(&piece(Joins::Append, "list", "[1]")));
        assert!(all.add(&piece(Joins::Replace, "tier", "\"x\"")));
        let large = format!("[\"{}\"]", "x".repeat(EXTRA_LIMIT));
        assert!(!all.add(&piece(Joins::Append, "list", &large)));
        assert!(!all.add(&piece(Joins::Pass, "late", "1")) && all.is_full());
        assert_eq!(all.extra().names().collect::<Vec<_>>(), ["tier"]);
    }
}
