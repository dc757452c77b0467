//! A call's arguments that come in pieces, each with its place in the whole (`partialArgs`), written as JSON text
//! that grows at its end.
//!
//! Source: Gemini API reference, FunctionCall and PartialArg, 2026-11; recordings of streamed arguments (2026-08).
//! The model writes its arguments from front to back, so no piece ever belongs before what is written already;
//! one that claims to is a failure rather than a guess. Knows nothing of calls.

use std::collections::BTreeSet;
use std::iter::zip;

use mainstay_canon::{Failure, Kind};
use serde_json::value::RawValue;

use super::json::{JsonKind, Object, kind, written};
use super::path::{Step, steps};

/// Deepest nesting of arguments.
const DEPTH: usize = 128;
/// Most elements of one array that may be skipped: empty ones have no pieces.
const HOLES: usize = 4096;
/// Most bytes of one call's arguments: 16 MB.
const LIMIT: usize = 16 * 1024 * 1024;

/// Arguments in the making.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The containers that are open, outermost first. None before the first piece.
    open: Vec<Container>,
    /// The steps that lead from the outermost to the innermost of them.
    steps: Vec<Step>,
    /// Where the string stands that is still being written.
    string: Option<Vec<Step>>,
    bytes: usize,
}

#[derive(Debug)]
enum Container {
    /// With the names it has so far.
    Object(BTreeSet<String>),
    /// With the number of elements it has so far.
    Array(usize),
}

impl Arguments {
    /// Takes arguments that came as an object; gives back the text they add. What came in pieces before says the
    /// same already.
    pub(super) fn object(&mut self, args: &Object<'_>) -> Result<String, Failure> {
        let mut out = String::new();
        if self.open.is_empty() {
            self.begin(&mut out);
            for (name, value) in args.iter() {
                self.enter(&Step::Name(name.to_owned()), &mut out)?;
                out.push_str(value.get());
            }
        }
        self.counted(out)
    }

    /// Takes one piece; gives back the text it adds.
    pub(super) fn piece(&mut self, piece: &Object<'_>) -> Result<String, Failure> {
        let path = piece.text("jsonPath").unwrap_or_default();
        let steps = steps(&path).filter(|steps| !steps.is_empty() && steps.len() < DEPTH);
        let steps = steps.ok_or_else(|| invalid("a piece of a call's arguments has no place"))?;
        let mut out = String::new();
        let goes_on = piece.flag("willContinue");
        let value = piece.text("stringValue");
        if self.string.as_ref() == Some(&steps) {
            out.push_str(&inner(&value.unwrap_or_default()));
            if !goes_on {
                self.end_string(&mut out);
            }
            return self.counted(out);
        }
        self.end_string(&mut out);
        if let Some(text) = value {
            self.go_to(&steps, &mut out)?;
            out.push('"');
            out.push_str(&inner(&text));
            self.string = Some(steps);
            if !goes_on {
                self.end_string(&mut out);
            }
        } else if let Some(literal) = literal(piece) {
            self.go_to(&steps, &mut out)?;
            out.push_str(&literal);
        }
        self.counted(out)
    }

    /// The text that closes whatever is open.
    pub(super) fn end(mut self) -> String {
        let mut out = String::new();
        self.end_string(&mut out);
        self.close_to(0, &mut out);
        out
    }

    fn begin(&mut self, out: &mut String) {
        if self.open.is_empty() {
            self.open.push(Container::Object(BTreeSet::new()));
            out.push('{');
        }
    }

    /// Closes what does not lead to `path`, opens what does, and writes the last step's name.
    fn go_to(&mut self, path: &[Step], out: &mut String) -> Result<(), Failure> {
        self.begin(out);
        let Some((leaf, containers)) = path.split_last() else { return Ok(()) };
        let shared = zip(&self.steps, containers).take_while(|(ours, theirs)| ours == theirs).count();
        self.close_to(shared + 1, out);
        let next = containers.iter().skip(1).chain([leaf]);
        for (step, next) in zip(containers, next).skip(shared) {
            self.enter(step, out)?;
            let (container, mark) = match next {
                Step::Name(_) => (Container::Object(BTreeSet::new()), '{'),
                Step::Index(_) => (Container::Array(0), '['),
            };
            out.push(mark);
            self.open.push(container);
            self.steps.push(step.clone());
        }
        self.enter(leaf, out)
    }

    /// Writes what stands before a value at that step of the innermost container.
    fn enter(&mut self, step: &Step, out: &mut String) -> Result<(), Failure> {
        match (self.open.last_mut(), step) {
            (Some(Container::Object(names)), Step::Name(name)) => {
                if !names.insert(name.clone()) {
                    return Err(overlap());
                }
                if names.len() > 1 {
                    out.push(',');
                }
                out.push('"');
                out.push_str(&inner(name));
                out.push_str("\":");
                Ok(())
            }
            (Some(Container::Array(length)), Step::Index(index)) => {
                let holes = index.checked_sub(*length).ok_or_else(overlap)?;
                if holes > HOLES {
                    return Err(invalid("a piece of a call's arguments skips too many elements"));
                }
                if *length > 0 {
                    out.push(',');
                }
                out.push_str(&"null,".repeat(holes));
                *length = index.saturating_add(1);
                Ok(())
            }
            (Some(_) | None, Step::Name(_) | Step::Index(_)) => Err(overlap()),
        }
    }

    /// Closes the innermost containers until so many are open.
    fn close_to(&mut self, count: usize, out: &mut String) {
        while self.open.len() > count {
            out.push(match self.open.pop() {
                Some(Container::Array(_)) => ']',
                Some(Container::Object(_)) | None => '}',
            });
            self.steps.truncate(self.open.len().saturating_sub(1));
        }
    }

    fn end_string(&mut self, out: &mut String) {
        if self.string.take().is_some() {
            out.push('"');
        }
    }

    fn counted(&mut self, out: String) -> Result<String, Failure> {
        self.bytes = self.bytes.saturating_add(out.len());
        if self.bytes > LIMIT {
            return Err(invalid("the arguments of a call are larger than 16 MB"));
        }
        Ok(out)
    }
}

/// A string's JSON text without its quotes.
fn inner(text: &str) -> String {
    let quoted = String::from_utf8(written(text)).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// The value of a piece that is no string.
fn literal(piece: &Object<'_>) -> Option<String> {
    let text = |raw: &RawValue| raw.get().to_owned();
    if let Some(number) = piece.get("numberValue") {
        // `"NaN"` and its like are strings on the wire.
        return matches!(kind(number), JsonKind::Number | JsonKind::String).then(|| text(number));
    }
    let truth = piece.get("boolValue").filter(|raw| kind(raw) == JsonKind::Boolean).map(text);
    truth.or_else(|| piece.word("nullValue").map(|_| "null".to_owned()))
}

fn overlap() -> Failure {
    invalid("the pieces of a call's arguments do not follow one another")
}

fn invalid(why: &str) -> Failure {
    Failure::new(Kind::InvalidResponse, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn pieces(pieces: &[Value]) -> Result<String, Failure> {
        let mut arguments = Arguments::default();
        let mut out = String::new();
        for piece in pieces {
            let text = piece.to_string();
            out.push_str(&arguments.piece(&Object::parse(&text).unwrap())?);
        }
        out.push_str(&arguments.end());
        Ok(out)
    }

    fn string(path: &str, text: &str, goes_on: bool) -> Value {
        json!({"jsonPath": path, "stringValue": text, "willContinue": goes_on})
    }

    #[test]
    fn pieces_of_a_string_are_joined() {
        let all = [string("$.a", "Bos\"", true), string("$.a", "ton 🙂", true), string("$.a", "", false)];
        assert_eq!(pieces(&all).unwrap(), r#"{"a":"Bos\"ton 🙂"}"#);
    }

    #[test]
    fn values_of_every_kind_find_their_place() {
        let all = [
            string("$.list[0].action", "add", false),
            json!({"jsonPath": "$.list[0].price", "numberValue": 0.5}),
            json!({"jsonPath": "$.list[1].ok", "boolValue": true}),
            json!({"jsonPath": "$.list[1].none", "nullValue": "NULL_VALUE"}),
            string("$.list[1].deep.er", "x", true),
            json!({"jsonPath": "$['odd name']", "numberValue": 3}),
        ];
        assert_eq!(
            pieces(&all).unwrap(),
            r#"{"list":[{"action":"add","price":0.5},{"ok":true,"none":null,"deep":{"er":"x"}}],"odd name":3}"#
        );
    }

    #[test]
    fn empty_elements_leave_no_piece_and_no_gap() {
        assert_eq!(pieces(&[string("$.a[2]", "x", false)]).unwrap(), r#"{"a":[null,null,"x"]}"#);
        assert!(pieces(&[string("$.a[9999999]", "x", false)]).is_err());
    }

    #[test]
    fn a_string_that_never_ends_is_closed_and_one_without_a_value_says_nothing() {
        assert_eq!(pieces(&[string("$.a", "x", true)]).unwrap(), r#"{"a":"x"}"#);
        assert_eq!(pieces(&[json!({"jsonPath": "$.a"})]).unwrap(), "");
        assert_eq!(pieces(&[]).unwrap(), "");
    }

    #[test]
    fn what_belongs_before_the_end_is_a_failure() {
        for all in [
            [string("$.a", "x", false), string("$.a", "y", false)],
            [string("$.a.b", "x", false), string("$.a[0]", "y", false)],
            [string("$.a[1]", "x", false), string("$.a[0]", "y", false)],
            [string("$.a", "x", false), string("a", "y", false)],
            [string("$.a", "x", false), string("$", "y", false)],
        ] {
            assert_eq!(pieces(&all).unwrap_err().kind, Kind::InvalidResponse, "{all:?}");
        }
        let back = [string("$.a.x", "1", false), string("$.b", "2", false), string("$.a.y", "3", false)];
        assert!(pieces(&back).is_err());
        assert!(pieces(&[string(&"$.a".replace('a', &"a.".repeat(200)), "x", false)]).is_err());
    }

    #[test]
    fn an_object_may_come_first_and_is_not_said_twice() {
        let mut arguments = Arguments::default();
        let args = Object::parse(r#"{"a": 1.50, "b": {"c":2}}"#).unwrap();
        let mut out = arguments.object(&args).unwrap();
        out += &arguments.object(&args).unwrap();
        let more = string("$.d", "x", false).to_string();
        out += &arguments.piece(&Object::parse(&more).unwrap()).unwrap();
        out += &arguments.end();
        assert_eq!(out, r#"{"a":1.50,"b":{"c":2},"d":"x"}"#);
    }
}
