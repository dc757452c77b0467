//! Function calls of an answer: whole ones, and ones whose arguments come in pieces.
//!
//! Source: Gemini API reference, FunctionCall, 2026-11; recordings of streamed arguments (2026-08). The wire numbers
//! no call and mostly gives none an id: a name begins one, a part without `willContinue` ends it.

use mainstay_canon::{Extra, Failure, Kind, WireEvent};

use super::args::Arguments;
use super::json::Object;
use super::marks::CallRef;

/// The calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    begun: usize,
    /// The name of the latest.
    name: String,
    /// The call that goes on in the next part.
    open: Option<Arguments>,
}

impl Calls {
    /// How many calls began so far.
    pub(super) fn count(&self) -> usize {
        self.begun
    }

    /// Takes one `functionCall`; `extra` are the other members of its part. Gives back which call
    /// it belongs to, if it does to one.
    ///
    /// # Errors
    ///
    /// `InvalidResponse` for arguments that belong to no call or cannot be put together.
    pub(super) fn take(
        &mut self,
        call: &Object<'_>,
        extra: &Extra,
        out: &mut Vec<WireEvent>,
    ) -> Result<Option<CallRef<'_>>, Failure> {
        let goes_on = call.flag("willContinue");
        let name = call.word("name");
        let is_alone = self.open.is_none() && call.get("partialArgs").is_none();
        if name.is_some() || (is_alone && ["id", "args"].iter().any(|member| call.get(member).is_some())) {
            self.end(out);
            self.begin(call.word("id"), name, extra, out);
            if !goes_on && call.get("partialArgs").is_none() {
                self.whole(call, out);
                return Ok(self.latest());
            }
            self.open = Some(Arguments::default());
        }
        let Some(arguments) = self.open.as_mut() else {
            if call.get("partialArgs").is_some() {
                let why = "the stream holds arguments that belong to no call";
                return Err(Failure::new(Kind::InvalidResponse, why));
            }
            // The end of a call that has ended.
            out.push(WireEvent::KeepAlive);
            return Ok(None);
        };
        let index = self.begun.saturating_sub(1);
        let mut delta = String::new();
        if let Some(args) = call.object("args") {
            delta += &arguments.object(&args)?;
        }
        for piece in call.list("partialArgs").into_iter().filter_map(Object::of) {
            delta += &arguments.piece(&piece)?;
        }
        out.push(if delta.is_empty() {
            WireEvent::KeepAlive
        } else {
            WireEvent::ToolArguments { index, delta }
        });
        if !goes_on {
            self.end(out);
        }
        Ok(self.latest())
    }

    fn begin(&mut self, id: Option<String>, name: Option<String>, extra: &Extra, out: &mut Vec<WireEvent>) {
        self.name = name.unwrap_or_default();
        out.push(WireEvent::ToolStart {
            index: self.begun,
            id: id.unwrap_or_default(),
            name: self.name.clone(),
            extra: extra.clone(),
        });
        self.begun = self.begun.saturating_add(1);
    }

    /// Ends the call that is open.
    pub(super) fn end(&mut self, out: &mut Vec<WireEvent>) {
        if let (Some(arguments), Some(index)) = (self.open.take(), self.current()) {
            let delta = arguments.end();
            if !delta.is_empty() {
                out.push(WireEvent::ToolArguments { index, delta });
            }
            out.push(WireEvent::ToolEnd { index });
        }
    }

    /// Ends the call that is open and was cut: its arguments stay as far as they came, so that nobody runs it.
    pub(super) fn cut(&mut self, out: &mut Vec<WireEvent>) {
        if let (Some(_), Some(index)) = (self.open.take(), self.current()) {
            out.push(WireEvent::ToolEnd { index });
        }
    }

    fn latest(&self) -> Option<CallRef<'_>> {
        Some(CallRef { index: self.current()?, name: self.name.as_str().into() })
    }

    fn current(&self) -> Option<usize> {
        self.begun.checked_sub(1)
    }

    /// A call that came in one part. Arguments that are left out stay so: none, or cut off, the finish word tells.
    fn whole(&self, call: &Object<'_>, out: &mut Vec<WireEvent>) {
        let Some(index) = self.current() else { return };
        if let Some(args) = call.get("args") {
            // Some servers send the object inside a string.
            let delta = super::json::text(args).map_or_else(|| args.get().to_owned(), Into::into);
            out.push(WireEvent::ToolArguments { index, delta });
        }
        out.push(WireEvent::ToolEnd { index });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What came out, a line a call, with a full stop where it ended.
    fn read(parts: &[&str], cut: bool) -> Result<Vec<String>, Failure> {
        let (mut calls, mut out) = (Calls::default(), Vec::new());
        for part in parts {
            calls.take(&Object::parse(part).unwrap(), &Extra::new(), &mut out)?;
        }
        if cut {
            calls.cut(&mut out);
        } else {
            calls.end(&mut out);
        }
        let mut seen: Vec<String> = Vec::new();
        for event in out {
            match event {
                WireEvent::ToolStart { index, id, name, .. } => {
                    assert_eq!(index, seen.len(), "numbered from 0 without gaps");
                    seen.push(format!("{id}|{name}|"));
                }
                WireEvent::ToolArguments { index, delta } => seen[index].push_str(&delta),
                WireEvent::ToolEnd { index } => seen[index].push('.'),
                WireEvent::KeepAlive => {}
                other => panic!("{other:?}"),
            }
        }
        Ok(seen)
    }

    fn check(parts: &[&str], expected: &[&str]) {
        assert_eq!(read(parts, false).unwrap(), expected, "{parts:?}");
    }

    #[test]
    fn whole_calls_keep_their_arguments_byte_for_byte() {
        check(
            &[r#"{"name":"f","args":{"n": 1.50}}"#, r#"{"id":"x1","name":"g","args":{}}"#, r#"{"name":"h"}"#],
            &[r#"|f|{"n": 1.50}."#, "x1|g|{}.", "|h|."],
        );
    }

    #[test]
    fn pieces_make_one_call_until_it_is_closed() {
        check(
            &[
                r#"{"name":"f","willContinue":true}"#,
                r#"{"partialArgs":[{"jsonPath":"$.a","stringValue":"x","willContinue":true}],"willContinue":true}"#,
                r#"{"partialArgs":[{"jsonPath":"$.a","stringValue":""},{"jsonPath":"$.b","numberValue":2}],"willContinue":true}"#,
                "{}",
                r#"{"name":"f","willContinue":true}"#,
                r#"{"partialArgs":[{"jsonPath":"$.a","stringValue":"y"}]}"#,
                "{}",
            ],
            &[r#"|f|{"a":"x","b":2}."#, r#"|f|{"a":"y"}."#],
        );
    }

    #[test]
    fn a_call_that_is_never_closed_ends_with_the_next_or_with_the_answer() {
        let piece = r#"{"partialArgs":[{"jsonPath":"$.a[0].b","stringValue":"x","willContinue":true}],"willContinue":true}"#;
        let open = r#"{"name":"f","willContinue":true}"#;
        check(&[open, piece, r#"{"name":"g"}"#], &[r#"|f|{"a":[{"b":"x"}]}."#, "|g|."]);
        check(&[open, piece], &[r#"|f|{"a":[{"b":"x"}]}."#]);
        check(&[open], &["|f|."]);
    }

    #[test]
    fn a_cut_call_is_left_as_far_as_it_came() {
        let open = r#"{"name":"f","willContinue":true,"partialArgs":[{"jsonPath":"$.a","stringValue":"x","willContinue":true}]}"#;
        assert_eq!(read(&[open], true).unwrap(), [r#"|f|{"a":"x."#]);
        assert_eq!(read(&[r#"{"name":"f","args":{}}"#], true).unwrap(), ["|f|{}."]);
    }

    #[test]
    fn other_spellings_are_understood() {
        check(&[r#"{"name":"f","args":"{\"a\":1}"}"#], &[r#"|f|{"a":1}."#]);
        check(&[r#"{"id":"x","args":{"a":1}}"#], &[r#"x||{"a":1}."#]);
        check(
            &[r#"{"name":"f","args":{"a":1},"willContinue":true}"#, r#"{"args":{"a":1}}"#],
            &[r#"|f|{"a":1}."#],
        );
        check(&["{}", r#"{"willContinue":false}"#], &[]);
    }

    #[test]
    fn arguments_that_belong_to_no_call_are_not_lost_in_silence() {
        let failure =
            read(&[r#"{"partialArgs":[{"jsonPath":"$.a","stringValue":"x"}]}"#], false).unwrap_err();
        assert_eq!(failure.kind, Kind::InvalidResponse);
    }
}
