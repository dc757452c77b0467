//! What the canonical fields do not tell of an answer's parts, and where it stood among them.
//!
//! A signature must go back on the very part it came with (Gemini API, Thought signatures, 2026-11), so each part
//! that says more than its text or its call leaves a mark: a [`ReasoningBlock`] that travels with the message.
//! A mark refers to the message's text and calls instead of repeating them.

use std::borrow::Cow;

use mainstay_canon::{Dialect, Extra, RawJson, ReasoningBlock};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::json::Object;

/// The name under which a signature stands on its part.
pub(super) const SIGNATURE: &str = "thoughtSignature";

/// How much of the message came before a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Bytes of its text.
    pub(super) text: usize,
    /// Calls.
    pub(super) calls: usize,
}

/// A stretch of the message's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    /// Its length in bytes.
    length: usize,
    /// Its fingerprint: a text that was edited since is not what was signed.
    print: u32,
}

impl Span {
    pub(super) fn of(text: &str) -> Self {
        // FNV-1a.
        let print = text
            .bytes()
            .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Self { length: text.len(), print }
    }

    /// This stretch of `text`, which begins after so many bytes; nothing where something else stands there.
    pub(super) fn within(self, text: &str, begin: usize) -> Option<&str> {
        let found = text.get(begin..begin.checked_add(self.length)?)?;
        (Self::of(found) == self).then_some(found)
    }
}

/// A call of the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallRef<'a> {
    /// Its place among the calls.
    pub(super) index: usize,
    /// Its name: another call in that place is not what was signed.
    #[serde(borrow)]
    pub(super) name: Cow<'a, str>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Wire<'a> {
    after: Place,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    call: Option<CallRef<'a>>,
    #[serde(borrow)]
    part: &'a RawValue,
}

/// What a mark is about.
#[derive(Debug)]
pub(super) enum Marked<'a> {
    /// More members of a part that holds this stretch of the text.
    Text(Span, Object<'a>),
    /// More members of the part that holds this call.
    Call(CallRef<'a>, Object<'a>),
    /// A part that the canonical fields do not know at all.
    Whole(&'a RawValue),
}

/// A mark that came back.
#[derive(Debug)]
pub(super) struct Mark<'a> {
    pub(super) after: Place,
    pub(super) marked: Marked<'a>,
}

impl<'a> Mark<'a> {
    /// The mark that a block is; nothing where it is none of ours.
    pub(super) fn read(block: &'a ReasoningBlock) -> Option<Self> {
        if block.dialect != Dialect::Gemini {
            return None;
        }
        let Wire { after, span, call, part } = serde_json::from_str(block.raw.text()).ok()?;
        let marked = match (span, call) {
            (Some(span), _) => Marked::Text(span, Object::of(part)?),
            (None, Some(call)) => Marked::Call(call, Object::of(part)?),
            (None, None) => Marked::Whole(part),
        };
        Some(Self { after, marked })
    }
}

/// The mark of a text part with more members than its text.
pub(super) fn on_text(after: Place, text: &str, members: &Extra) -> Option<ReasoningBlock> {
    let part = RawJson::of(members).ok()?;
    block(&Wire { after, span: Some(Span::of(text)), call: None, part: part.read().ok()? })
}

/// The mark of a call's part with more members than the call.
pub(super) fn on_call(after: Place, call: CallRef<'_>, members: &Extra) -> Option<ReasoningBlock> {
    let part = RawJson::of(members).ok()?;
    block(&Wire { after, span: None, call: Some(call), part: part.read().ok()? })
}

/// The mark of a part that must be kept whole.
pub(super) fn whole(after: Place, part: &RawValue) -> Option<ReasoningBlock> {
    block(&Wire { after, span: None, call: None, part })
}

fn block(wire: &Wire<'_>) -> Option<ReasoningBlock> {
    // Numbers and JSON that is JSON already always can be written.
    Some(ReasoningBlock { dialect: Dialect::Gemini, origin: None, raw: RawJson::of(wire).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members() -> Extra {
        [(SIGNATURE.to_owned(), RawJson::parse(r#""c2\/ln""#).unwrap())].into_iter().collect()
    }

    #[test]
    fn a_mark_comes_back_as_it_went_and_keeps_the_bytes_of_a_signature() {
        let after = Place { text: 3, calls: 1 };
        let block = on_text(after, "grün", &members()).unwrap();
        let Some(Mark { after: place, marked: Marked::Text(span, part) }) = Mark::read(&block) else {
            panic!()
        };
        assert_eq!((place, span), (after, Span::of("grün")));
        assert_eq!(part.get(SIGNATURE).unwrap().get(), r#""c2\/ln""#);

        let call = CallRef { index: 1, name: "f".into() };
        let block = on_call(after, call.clone(), &members()).unwrap();
        let Some(Mark { marked: Marked::Call(back, part), .. }) = Mark::read(&block) else { panic!() };
        assert_eq!(back, call);
        assert_eq!(part.iter().count(), 1);

        let code = RawValue::from_string(r#"{"executableCode":{"code":"1 + 1"}}"#.to_owned()).unwrap();
        let block = whole(after, &code).unwrap();
        let Some(Mark { marked: Marked::Whole(part), .. }) = Mark::read(&block) else { panic!() };
        assert_eq!(part.get(), code.get());
    }

    #[test]
    fn a_text_that_was_edited_is_not_what_was_signed() {
        let span = Span::of("world");
        assert_eq!(span.within("hello world", 6), Some("world"));
        for (text, begin) in
            [("hello earth", 6), ("hello worl", 6), ("hello world", 5), ("é", 1), ("", usize::MAX)]
        {
            assert_eq!(span.within(text, begin), None, "{text}");
        }
        assert_eq!(Span::of("").within("é", 2), Some(""));
    }

    #[test]
    fn what_is_no_mark_is_passed_over() {
        for (dialect, raw) in [
            (Dialect::Anthropic, r#"{"after":{"text":0,"calls":0},"part":{}}"#),
            (Dialect::Gemini, r#"{"thought":true,"text":"Hm"}"#),
            (Dialect::Gemini, r#"{"after":{"text":0,"calls":0},"call":{"index":0,"name":"f"},"part":7}"#),
        ] {
            let block = ReasoningBlock { dialect, origin: None, raw: RawJson::parse(raw).unwrap() };
            assert!(Mark::read(&block).is_none(), "{raw}");
        }
    }
}
