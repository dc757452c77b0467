//! Tool calls put together from the pieces of a stream.
//!
//! The wire numbers calls as it likes: from 1, not at all, all of them 0, in any order; it repeats names and
//! ids, or sends the id late. What comes out is numbered from 0 without gaps, each call begun before its
//! arguments. Whether arguments are any good is the judge's business.

use std::borrow::Cow;

use mainstay_canon::{Extra, Failure, Kind, WireEvent};

use super::lenient::{Text, read};
use super::whole_calls::keep_extras;
use super::wire::{CallPiece, FunctionPiece, Said};

/// Most calls in one answer.
const CALL_LIMIT: usize = 1024;
/// Most arguments held back because their call cannot begin yet, in bytes: 16 MB.
const HELD_LIMIT: usize = 16 * 1024 * 1024;

/// The calls of one streamed answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// In the order of arrival.
    all: Vec<Call>,
    started: usize,
    /// The place on the wire that may come next; a call further on waits for those before it.
    next_slot: u64,
    held: usize,
}

#[derive(Debug, Default)]
struct Call {
    /// Its index on the wire, if it has one.
    index: Option<u64>,
    /// Its place in the order of the wire.
    slot: u64,
    id: String,
    name: String,
    /// Arguments that came before the call could begin.
    held: String,
    /// Members without a canonical name that came by then.
    extra: Extra,
    shape: Shape,
    /// Its number, once begun.
    number: Option<usize>,
    ended: bool,
}

/// How far a JSON object has come, without keeping it.
#[derive(Debug, Default)]
struct Shape {
    depth: usize,
    in_string: bool,
    escaped: bool,
    opened: bool,
}

impl Shape {
    fn take(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.opened = true;
                    self.depth = self.depth.saturating_add(1);
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn is_whole(&self) -> bool {
        self.opened && self.depth == 0 && !self.in_string
    }
}

/// A piece of a call, whatever member of the wire it stood in.
pub(super) struct Piece<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: Cow<'a, str>,
}

impl Calls {
    /// Takes the call pieces of one chunk.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for too many calls, too much held back, or arguments after the end of their call.
    pub(super) fn take(&mut self, said: &Said<'_>, out: &mut Vec<WireEvent>) -> Result<(), Failure> {
        for piece in &said.tool_calls.0 {
            self.piece(Piece::of(piece), Some(piece), out)?;
        }
        // Snowflake sends an empty one beside every tool call; who sends both forms means one call.
        let legacy = said.function_call.as_ref().filter(|_| said.tool_calls.0.is_empty());
        if let Some(function) = legacy.filter(|function| !is_hollow(function)) {
            let name = function.name.filled();
            let piece = Piece { index: None, id: None, name, arguments: arguments(function) };
            self.piece(piece, None, out)?;
        }
        Ok(())
    }

    /// Begins what was held back and ends every call.
    pub(super) fn end(&mut self, out: &mut Vec<WireEvent>) {
        while let Some(at) = self.first_waiting() {
            self.begin(at, out);
        }
        let mut running: Vec<&mut Call> = self.all.iter_mut().filter(|call| !call.ended).collect();
        running.sort_by_key(|call| call.number);
        for call in running {
            call.ended = true;
            out.extend(call.number.map(|index| WireEvent::ToolEnd { index }));
        }
    }

    fn piece(
        &mut self,
        piece: Piece<'_>,
        whole: Option<&CallPiece<'_>>,
        out: &mut Vec<WireEvent>,
    ) -> Result<(), Failure> {
        let at = match self.find(&piece) {
            Some(at) => at,
            None => self.open(&piece)?,
        };
        let Some(call) = self.all.get_mut(at) else { return Ok(()) };
        if call.id.is_empty() {
            call.id.push_str(piece.id.unwrap_or_default());
        }
        if call.name.is_empty() {
            call.name.push_str(piece.name.unwrap_or_default());
        }
        if let Some(whole) = whole.filter(|_| call.number.is_none()) {
            keep_extras(whole, &mut call.extra);
        }
        if !piece.arguments.is_empty() {
            if call.ended {
                return Err(Failure::new(
                    Kind::InvalidResponse,
                    "arguments came after the end of their tool call",
                ));
            }
            call.shape.take(&piece.arguments);
            if let Some(index) = call.number {
                out.push(WireEvent::ToolArguments { index, delta: piece.arguments.into_owned() });
            } else {
                self.held = self.held.saturating_add(piece.arguments.len());
                if self.held > HELD_LIMIT {
                    return Err(Failure::new(
                        Kind::InvalidResponse,
                        "tool arguments of more than 16 MB cannot begin",
                    ));
                }
                call.held.push_str(&piece.arguments);
            }
        }
        self.begin_ready(out);
        Ok(())
    }

    /// The call that a piece continues.
    fn find(&self, piece: &Piece<'_>) -> Option<usize> {
        let Some(index) = piece.index else { return self.find_unnumbered(piece) };
        let at = self.all.iter().rposition(|call| call.index == Some(index))?;
        let call = self.all.get(at)?;
        let opens = match piece.id {
            Some(id) if !call.id.is_empty() => id != call.id,
            Some(_) | None => call.gives_way_to(piece),
        };
        (!opens).then_some(at)
    }

    fn find_unnumbered(&self, piece: &Piece<'_>) -> Option<usize> {
        let last = self.all.len().checked_sub(1)?;
        let call = self.all.get(last)?;
        match (piece.id, piece.name) {
            (None, None) => Some(last),
            // The id comes late.
            (Some(_), None) if call.id.is_empty() => Some(last),
            (Some(id), _) => self.all.iter().rposition(|call| call.id == id),
            (None, Some(name)) => {
                let other = !call.name.is_empty() && call.name != name;
                (!other && !call.gives_way_to(piece)).then_some(last)
            }
        }
    }

    fn open(&mut self, piece: &Piece<'_>) -> Result<usize, Failure> {
        if self.all.len() >= CALL_LIMIT {
            return Err(Failure::new(Kind::InvalidResponse, "more than 1024 tool calls in one answer"));
        }
        let last = self.all.last().map_or(0, |call| call.slot);
        self.all.push(Call { index: piece.index, slot: piece.index.unwrap_or(last), ..Call::default() });
        Ok(self.all.len().saturating_sub(1))
    }

    /// Begins the calls whose name and id have come and that no earlier call can come before.
    fn begin_ready(&mut self, out: &mut Vec<WireEvent>) {
        while let Some(at) = self.first_waiting() {
            let ready = self.all.get(at).is_some_and(|call| {
                call.slot <= self.next_slot && !call.name.is_empty() && !call.id.is_empty()
            });
            if !ready {
                return;
            }
            self.begin(at, out);
        }
    }

    /// Of the calls that have not begun, the first in the order of the wire. Those with nothing in them are
    /// passed over: they may yet fill, or they are dummies.
    fn first_waiting(&self) -> Option<usize> {
        let waiting =
            self.all.iter().enumerate().filter(|(_, call)| call.number.is_none() && !call.is_hollow());
        waiting.min_by_key(|(arrival, call)| (call.slot, *arrival)).map(|(at, _)| at)
    }

    fn begin(&mut self, at: usize, out: &mut Vec<WireEvent>) {
        let Some(call) = self.all.get_mut(at) else { return };
        let index = self.started;
        self.started = index.saturating_add(1);
        self.next_slot = self.next_slot.max(call.slot.saturating_add(1));
        call.number = Some(index);
        out.push(WireEvent::ToolStart {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            extra: std::mem::take(&mut call.extra),
        });
        if !call.held.is_empty() {
            self.held = self.held.saturating_sub(call.held.len());
            out.push(WireEvent::ToolArguments { index, delta: std::mem::take(&mut call.held) });
        }
    }
}

impl Call {
    fn is_hollow(&self) -> bool {
        self.name.is_empty() && self.id.is_empty() && self.held.is_empty()
    }

    /// Whether a piece without an id of its own begins another call: its name says so once these arguments
    /// are whole. Hosts that repeat the name on every piece repeat it while they are not.
    fn gives_way_to(&self, piece: &Piece<'_>) -> bool {
        let Some(name) = piece.name else { return false };
        self.shape.is_whole() && (name != self.name || !piece.arguments.is_empty())
    }
}

impl<'a> Piece<'a> {
    /// What a member of `tool_calls` says.
    pub(super) fn of(piece: &'a CallPiece<'_>) -> Self {
        let (index, id) = (piece.index.0, piece.id.filled());
        let custom =
            piece.custom.as_ref().filter(|custom| custom.name.filled().is_some() || piece.function.is_none());
        match (&piece.function, custom) {
            (Some(function), None) => {
                Self { index, id, name: function.name.filled(), arguments: arguments(function) }
            }
            (_, Some(custom)) => {
                let input = custom.input.filled().unwrap_or_default();
                Self { index, id, name: custom.name.filled(), arguments: Cow::Borrowed(input) }
            }
            (None, None) => Self { index, id, name: None, arguments: Cow::Borrowed("") },
        }
    }
}

/// Neither a name nor arguments.
pub(super) fn is_hollow(function: &FunctionPiece<'_>) -> bool {
    function.name.filled().is_none() && arguments(function).is_empty()
}

/// Arguments as the model wrote them; null is nothing, and JSON that is not in a string is its text.
pub(super) fn arguments<'a>(function: &FunctionPiece<'a>) -> Cow<'a, str> {
    match function.arguments {
        Some(raw) if raw.get().starts_with('"') => read::<Text<'a>>(Some(raw)).given().unwrap_or_default(),
        Some(raw) if raw.get() != "null" => Cow::Borrowed(raw.get()),
        Some(_) | None => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the `tool_calls` lists of deltas and writes what comes out on one line a call.
    fn put_together(deltas: &[&str]) -> Vec<String> {
        let mut calls = Calls::default();
        let mut out = Vec::new();
        for delta in deltas {
            let json = format!("{{\"tool_calls\":[{delta}]}}");
            calls.take(&serde_json::from_str(&json).unwrap(), &mut out).unwrap();
        }
        calls.end(&mut out);
        let mut seen: Vec<String> = Vec::new();
        for event in out {
            match event {
                WireEvent::ToolStart { index, id, name, extra: _ } => {
                    assert_eq!(index, seen.len(), "numbered from 0 without gaps");
                    seen.push(format!("{id} {name} "));
                }
                WireEvent::ToolArguments { index, delta } => seen[index].push_str(&delta),
                WireEvent::ToolEnd { index } => seen[index].push('.'),
                other => panic!("{other:?}"),
            }
        }
        seen
    }

    #[test]
    fn interleaved_pieces_go_to_their_call() {
        assert_eq!(
            put_together(&[
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x"}}"#,
                r#"{"index":1,"id":"b","function":{"name":"f","arguments":"{"}}"#,
                r#"{"index":0,"function":{"arguments":"\":1}"}},{"index":1,"function":{"arguments":"}"}}"#,
            ]),
            [r#"a f {"x":1}."#, "b f {}."]
        );
    }

    #[test]
    fn the_order_is_that_of_the_index() {
        assert_eq!(
            put_together(&[
                r#"{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}"#,
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":"[]"}}"#,
                r#"{"index":2,"id":"c","function":{"name":"f","arguments":"{}"}}"#,
            ]),
            ["a f [].", "b f {}.", "c f {}."]
        );
    }

    #[test]
    fn an_index_that_starts_at_1_is_renumbered() {
        assert_eq!(
            put_together(&[
                r#"{"index":1,"id":"a","function":{"name":"f","arguments":""}}"#,
                r#"{"index":1,"function":{"arguments":"{}"}}"#,
                r#"{"index":2,"id":"b","function":{"name":"g","arguments":"{}"}}"#,
            ]),
            ["a f {}.", "b g {}."]
        );
    }

    #[test]
    fn without_an_index_a_new_id_opens_a_call() {
        assert_eq!(
            put_together(&[
                r#"{"id":"a","function":{"name":"f","arguments":"{"}}"#,
                r#"{"function":{"arguments":"}"}}"#,
                r#"{"id":"b","function":{"name":"f","arguments":"{}"}},{"id":"c","function":{"name":"f","arguments":"{}"}}"#,
            ]),
            ["a f {}.", "b f {}.", "c f {}."]
        );
    }

    #[test]
    fn another_id_at_the_same_index_opens_a_call() {
        assert_eq!(
            put_together(&[
                r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}"#,
            ]),
            ["a f {}.", "b g {}."]
        );
    }

    #[test]
    fn whole_calls_without_id_and_index_are_told_apart() {
        assert_eq!(
            put_together(&[
                r#"{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"[]"}}"#,
                r#"{"function":{"name":"g"}}"#,
                r#"{"function":{"name":"h"}}"#,
            ]),
            [" f {}.", " f [].", " g .", " h ."]
        );
    }

    #[test]
    fn repeated_names_and_ids_change_nothing_and_empty_ones_are_absent() {
        assert_eq!(
            put_together(&[
                r#"{"index":0,"id":"a","function":{"name":"run","arguments":""}}"#,
                r#"{"index":0,"id":"a","function":{"name":"run","arguments":"{\"c\":"}}"#,
                r#"{"index":0,"id":"","function":{"name":"","arguments":"1}"}}"#,
                r#"{"index":0,"id":null,"function":{"name":null,"arguments":null}}"#,
            ]),
            [r#"a run {"c":1}."#]
        );
    }

    #[test]
    fn a_late_id_is_waited_for_and_may_be_a_number() {
        assert_eq!(
            put_together(&[
                r#"{"index":0,"function":{"name":"run","arguments":"{\"c\""}}"#,
                r#"{"index":0,"id":77,"function":{"arguments":":1}"}}"#,
            ]),
            [r#"77 run {"c":1}."#]
        );
    }

    #[test]
    fn dummies_are_left_out_and_free_text_tools_are_not() {
        assert_eq!(
            put_together(&[
                r#"{"index":0,"id":"a","custom":{"name":"","input":""},"function":{"name":"f","arguments":{"x":1}}}"#,
                r#"{"index":1,"id":"b","type":"custom","custom":{"name":"sum","input":"4 + 4"}}"#,
                r#"{"index":2,"id":"","function":{"name":"","arguments":""}}"#,
            ]),
            [r#"a f {"x":1}."#, "b sum 4 + 4."]
        );
    }

    #[test]
    fn the_form_before_tools_is_one_call_without_an_id() {
        let mut calls = Calls::default();
        let mut out = Vec::new();
        for delta in [
            r#"{"function_call":{"name":"f","arguments":""}}"#,
            r#"{"function_call":{"arguments":"{}"}}"#,
            r#"{"function_call":{"name":"","arguments":""}}"#,
        ] {
            calls.take(&serde_json::from_str(delta).unwrap(), &mut out).unwrap();
        }
        calls.end(&mut out);
        assert_eq!(
            out,
            [
                WireEvent::ToolStart { index: 0, id: String::new(), name: "f".into(), extra: Extra::new() },
                WireEvent::ToolArguments { index: 0, delta: "{}".into() },
                WireEvent::ToolEnd { index: 0 },
            ]
        );
    }

    #[test]
    fn arguments_after_the_end_are_not_lost_in_silence() {
        let mut calls = Calls::default();
        let mut out = Vec::new();
        let piece = |json| serde_json::from_str::<Said<'_>>(json).unwrap();
        let call = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}"#;
        calls.take(&piece(call), &mut out).unwrap();
        calls.end(&mut out);
        assert_eq!(calls.take(&piece(call), &mut out).unwrap_err().kind, Kind::InvalidResponse);
    }
}
