//! The items of an answer, written as OpenAI's SDKs expect them (openai-python 3.57).
//!
//! An answer that came in this dialect is given back with the very items it had, as long as they still say what the
//! answer says; only reasoning gets its envelope. A refusal is a part of its own: the text of the refusal field where
//! the provider has one, else the text that declines, which stays in the answer's text, too.

use std::borrow::Cow;

use mainstay_canon::{
    Answer, ChatResponse, Dialect, Extra, FinishReason, Quality, RawJson, ReasoningBlock, Target, ToolCall,
    WireReply,
};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use super::items::{self, ItemKind, TYPE, word};
use super::reply_read::{OUTPUT, read_output};
use super::reply_write::{State, item_id};
use super::shown::WrittenPicture;
use super::tools::{Extras, WrittenCall, spelled};
use crate::FaceContext;
use crate::envelope::seal;
use crate::media::in_words;
use crate::openai_chat::json::Members;
use crate::openai_chat::lenient::{Many, read, read_object};

/// What a caller is told where a model declined without a word.
pub(super) const DECLINED: &str = "The model declined to answer.";

/// The items of an answer.
pub(super) struct Output<'a> {
    pub(super) response: &'a ChatResponse,
    pub(super) context: &'a FaceContext,
    /// Extras of this dialect.
    pub(super) extra: Option<&'a Extra>,
}

impl Output<'_> {
    /// The refusal to be told, if the model declined.
    fn refusal(&self) -> Option<&str> {
        let answer = &self.response.answer;
        if let Some(refusal) = &answer.refusal {
            return Some(refusal);
        }
        let declined = answer.finish_reason == FinishReason::Refusal
            || self.response.quality.quality == Quality::Refusal;
        declined.then(|| if answer.text.is_empty() { DECLINED } else { &*answer.text })
    }

    /// The items as they came, if they came in this dialect and say what the answer says. Layers above may have
    /// moved or repaired things.
    fn as_it_came(&self) -> Option<Vec<&RawValue>> {
        let answer = &self.response.answer;
        let output = self.extra?.get(OUTPUT)?.read::<&RawValue>().ok()?;
        let items = read::<Many<&RawValue>>(Some(output)).0;
        let mut reply = WireReply::default();
        read_output(&items, &mut reply);
        let says_the_same = reply.text == answer.text
            && reply.refusal.as_deref() == self.refusal()
            && reply.tool_calls.len() == answer.tool_calls.len()
            && reply.tool_calls.iter().zip(&answer.tool_calls).all(|(theirs, ours)| same_call(theirs, ours));
        says_the_same.then_some(items)
    }
}

fn same_call(theirs: &ToolCall, ours: &ToolCall) -> bool {
    theirs.id == ours.id && theirs.name == ours.name && theirs.arguments == ours.arguments
}

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_it_came() {
            Some(items) => {
                let origin = &self.response.target;
                serializer.collect_seq(items.into_iter().map(|raw| Returned { raw, origin }))
            }
            None => self.made(serializer),
        }
    }
}

impl Output<'_> {
    /// The items that the canonical fields make: reasoning, what was said, calls.
    fn made<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = &self.response.answer;
        let refusal = self.refusal();
        let last = State::of(answer.finish_reason).of_last_item();
        let mut seq = serializer.serialize_seq(None)?;
        let mut place = 0;
        let mut next = |prefix: &str| {
            let id = item_id(prefix, self.context, place);
            place += 1;
            id
        };
        for thought in thoughts(answer) {
            match thought {
                Thought::AsItCame(raw) => seq.serialize_element(raw)?,
                Thought::Shown { text, block } => {
                    let (id, sealed) = (next("rs"), seal(block));
                    let item = WrittenReasoning { id: &id, text: &text, encrypted: Some(&sealed) };
                    seq.serialize_element(&item)?;
                }
            }
        }
        let mut said = Cow::Borrowed(&*answer.text);
        let mut is_shown = false;
        for shown in answer.shown.iter().filter(|shown| shown.dialect != Dialect::OpenaiResponses) {
            if WrittenPicture::of(shown, "").is_none() {
                said.to_mut().push_str(&in_words(shown));
            } else if let Some(picture) = WrittenPicture::of(shown, &next("ig")) {
                seq.serialize_element(&picture)?;
                is_shown = true;
            }
        }
        let calls = &answer.tool_calls;
        let stands_alone = calls.is_empty() && !is_shown;
        if !said.is_empty() || refusal.is_some() || stands_alone {
            let status = if calls.is_empty() { last } else { "completed" };
            let text = Some(WrittenPart::text(&said));
            let text = text.filter(|_| !said.is_empty() || refusal.is_none());
            let parts: Vec<_> =
                text.into_iter().chain(refusal.map(|refusal| WrittenPart::Refusal { refusal })).collect();
            seq.serialize_element(&WrittenMessage::new(&next("msg"), status, &parts))?;
        }
        let extras = if self.extra.is_some() { Extras::Ours } else { Extras::Foreign };
        for (nth, call) in calls.iter().enumerate() {
            let status = if nth + 1 == calls.len() { last } else { "completed" };
            let id = next(call_prefix(call));
            let item_id = Some(id.as_str());
            let status = Some(status);
            seq.serialize_element(&WrittenCall {
                call,
                id: &call.id,
                item_id,
                status,
                extras,
                is_bare: false,
            })?;
        }
        seq.end()
    }
}

/// How the id of a call's item begins.
pub(super) fn call_prefix(call: &ToolCall) -> &'static str {
    match spelled(call).0 {
        "custom_tool_call" => "ctc",
        _ => "fc",
    }
}

/// One piece of reasoning to be shown.
enum Thought<'a> {
    /// An item of a tool that the provider ran.
    AsItCame(&'a RawValue),
    /// Reasoning: what can be read of it, and what goes into the envelope.
    Shown { text: Cow<'a, str>, block: Option<&'a ReasoningBlock> },
}

/// The reasoning of an answer. Where its blocks do not tell the text themselves, the first one shows all of it.
fn thoughts(answer: &Answer) -> Vec<Thought<'_>> {
    let whole = answer.reasoning_content.as_deref().unwrap_or_default();
    let mut out: Vec<Thought<'_>> = Vec::with_capacity(answer.reasoning_blocks.len());
    let mut told = String::new();
    for block in &answer.reasoning_blocks {
        match own_block(block) {
            Own::AsItCame(raw) => out.push(Thought::AsItCame(raw)),
            Own::Reasoning(text) => {
                told.push_str(&text);
                out.push(Thought::Shown { text: Cow::Owned(text), block: Some(block) });
            }
            Own::Foreign => out.push(Thought::Shown { text: Cow::Borrowed(""), block: Some(block) }),
        }
    }
    if told == whole {
        return out;
    }
    let mut whole = Some(Cow::Borrowed(whole));
    for thought in &mut out {
        if let Thought::Shown { text, .. } = thought {
            *text = whole.take().unwrap_or_default();
        }
    }
    if let Some(text) = whole {
        out.insert(0, Thought::Shown { text, block: None });
    }
    out
}

/// What a block is to this dialect.
pub(super) enum Own<'a> {
    /// An item that callers know.
    AsItCame(&'a RawValue),
    /// A reasoning item, with what can be read of it.
    Reasoning(String),
    /// Another dialect's.
    Foreign,
}

/// What a block is to this dialect.
pub(super) fn own_block(block: &ReasoningBlock) -> Own<'_> {
    let raw = block.raw.read::<&RawValue>().ok().filter(|_| block.dialect == Dialect::OpenaiResponses);
    let Some(raw) = raw else { return Own::Foreign };
    let members: Members<'_> = read_object(Some(raw));
    if is_reasoning(&members) { Own::Reasoning(items::thought(&members)) } else { Own::AsItCame(raw) }
}

fn is_reasoning(members: &Members<'_>) -> bool {
    let kind = word(members, TYPE).unwrap_or_default();
    ItemKind::of(&kind, members) == ItemKind::Reasoning
}

/// An item as it came, reasoning with its envelope.
struct Returned<'a> {
    raw: &'a RawValue,
    origin: &'a Target,
}

impl Serialize for Returned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members: Members<'_> = read_object(Some(self.raw));
        let Some(block) = items::block(self.raw).filter(|_| is_reasoning(&members)) else {
            return self.raw.serialize(serializer);
        };
        let sealed = seal(Some(&ReasoningBlock { origin: Some(self.origin.clone()), ..block }));
        let mut map = serializer.serialize_map(None)?;
        for (name, raw) in members.iter().filter(|(name, _)| *name != "encrypted_content") {
            map.serialize_entry(name, raw)?;
        }
        map.serialize_entry("encrypted_content", &sealed)?;
        map.end()
    }
}

/// A reasoning item of ours.
#[derive(Debug)]
pub(super) struct WrittenReasoning<'a> {
    pub(super) id: &'a str,
    pub(super) text: &'a str,
    /// Nothing while it is still being thought.
    pub(super) encrypted: Option<&'a str>,
}

/// A part of a summary.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(super) struct SummaryPart<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> SummaryPart<'a> {
    /// A part of that text.
    pub(super) const fn new(text: &'a str) -> Self {
        Self { r#type: "summary_text", text }
    }
}

impl Serialize for WrittenReasoning<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "reasoning")?;
        map.serialize_entry("id", self.id)?;
        let summary = Some(SummaryPart::new(self.text)).filter(|_| !self.text.is_empty());
        map.serialize_entry("summary", &Vec::from_iter(summary))?;
        if let Some(encrypted) = self.encrypted {
            map.serialize_entry("encrypted_content", encrypted)?;
        }
        map.end()
    }
}

/// A part of a message of ours. All members are required by the SDKs.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum WrittenPart<'a> {
    OutputText { text: &'a str, annotations: &'a [RawJson], logprobs: &'a [RawJson] },
    Refusal { refusal: &'a str },
}

impl<'a> WrittenPart<'a> {
    /// A text.
    pub(super) const fn text(text: &'a str) -> Self {
        Self::OutputText { text, annotations: &[], logprobs: &[] }
    }
}

/// A message of ours.
#[derive(Debug, serde::Serialize)]
pub(super) struct WrittenMessage<'a> {
    r#type: &'static str,
    id: &'a str,
    status: &'static str,
    role: &'static str,
    content: &'a [WrittenPart<'a>],
}

impl<'a> WrittenMessage<'a> {
    /// A message with that content.
    pub(super) const fn new(id: &'a str, status: &'static str, content: &'a [WrittenPart<'a>]) -> Self {
        Self { r#type: "message", id, status, role: "assistant", content }
    }
}
