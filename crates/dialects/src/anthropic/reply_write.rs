//! A whole reply to a caller.
//!
//! Source: Anthropic API reference, Messages, 2026-11. An answer that came in this dialect is given back with the
//! very blocks it had, as long as they still say what the answer says.

use std::borrow::Cow;

use mainstay_canon::{
    Answer, ChatResponse, Dialect, Extra, FinishReason, RawJson, ReasoningBlock, ToolCall, Usage, WireReply,
};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use super::json::{JsonKind, Object, kind, put, raw};
use super::parts::raw_type;
use super::reply_read::read_content;
use super::request_read::TAKES_SEALED;
use super::wire::{arguments, is_blank};
use crate::FaceContext;
use crate::envelope::seal;
use crate::media::in_words;

/// Members of an answer of this dialect that are given back as they came.
const RETURNED: [&str; 2] = ["container", "context_management"];

/// Writes a reply.
pub(super) fn write(response: &ChatResponse, context: &FaceContext) -> Vec<u8> {
    let mut out = Vec::with_capacity(512 + response.text.len());
    put(&mut out, &Message { response, context });
    out
}

/// The id of a message, made from ours of the request.
pub(super) fn message_id(request_id: &str) -> String {
    format!("msg_{}", request_id.strip_prefix("req_").unwrap_or(request_id))
}

/// How an answer ended, as far as the dialect's words depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended<'a> {
    pub(super) reason: FinishReason,
    pub(super) raw: Option<&'a str>,
    pub(super) stop_sequence: Option<&'a str>,
    pub(super) has_calls: bool,
    pub(super) is_refused: bool,
    pub(super) context_full: bool,
}

impl Ended<'_> {
    /// The word for it. What the dialect cannot spell becomes the nearest word.
    pub(super) fn word(&self) -> &'static str {
        match self.reason {
            FinishReason::Stop if self.is_refused => "refusal",
            // Clients run tools only on this word, and some providers say "stop" with a call.
            FinishReason::Stop if self.has_calls => "tool_use",
            FinishReason::Stop if self.stop_sequence.is_some() => "stop_sequence",
            // An answer of nothing has no word of its own.
            FinishReason::Stop | FinishReason::Empty => "end_turn",
            FinishReason::Length if self.context_full => "model_context_window_exceeded",
            FinishReason::Length if self.raw == Some("model_context_window_exceeded") => {
                "model_context_window_exceeded"
            }
            FinishReason::Length => "max_tokens",
            FinishReason::ToolCall => "tool_use",
            // That a filter cut it, not the model, is lost.
            FinishReason::Refusal | FinishReason::ContentFilter => "refusal",
            FinishReason::Pause if self.raw == Some("compaction") => "compaction",
            FinishReason::Pause => "pause_turn",
        }
    }
}

/// `stop_details` of a refusal.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct StopDetails<'a> {
    r#type: &'static str,
    category: Option<&'static str>,
    explanation: &'a str,
}

impl<'a> StopDetails<'a> {
    /// The details of an ending with that word.
    pub(super) fn of(word: &str, explanation: Option<&'a str>) -> Option<Self> {
        let explanation = explanation.filter(|_| word == "refusal")?;
        Some(Self { r#type: "refusal", category: None, explanation })
    }
}

/// Token counts in this dialect's arithmetic, where the input leaves out what was cached.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutUsage<'a> {
    pub(super) usage: Usage,
    pub(super) extra: Option<&'a RawJson>,
}

impl Serialize for OutUsage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            ephemeral_5m_input_tokens: u64,
            ephemeral_1h_input_tokens: u64,
        }
        #[derive(Serialize)]
        struct Details {
            thinking_tokens: u64,
        }
        let usage = &self.usage;
        let written = Written {
            ephemeral_5m_input_tokens: usage.cache_write.saturating_sub(usage.cache_write_1h),
            ephemeral_1h_input_tokens: usage.cache_write_1h,
        };
        let uncached = usage.prompt.saturating_sub(usage.cached).saturating_sub(usage.cache_write);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("input_tokens", &uncached)?;
        map.serialize_entry("cache_creation_input_tokens", &usage.cache_write)?;
        map.serialize_entry("cache_read_input_tokens", &usage.cached)?;
        map.serialize_entry("cache_creation", &written)?;
        map.serialize_entry("output_tokens", &usage.completion)?;
        map.serialize_entry("output_tokens_details", &Details { thinking_tokens: usage.reasoning })?;
        let extra = self.extra.and_then(raw).and_then(Object::of);
        // Compaction rounds are in our totals already; a client that adds them up would count them twice.
        for (name, value) in extra.iter().flat_map(Object::iter).filter(|(name, _)| *name != "iterations") {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct Message<'a> {
    response: &'a ChatResponse,
    context: &'a FaceContext,
}

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = &self.response.answer;
        let ended = Ended {
            reason: answer.finish_reason,
            raw: answer.finish_reason_raw.as_deref(),
            stop_sequence: answer.stop_sequence.as_deref(),
            has_calls: !answer.tool_calls.is_empty(),
            is_refused: answer.refusal.is_some(),
            context_full: answer.context_full,
        };
        let word = ended.word();
        let stated = typed(&answer.extra, "stop_details");
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &message_id(&self.context.request_id))?;
        map.serialize_entry("type", "message")?;
        map.serialize_entry("role", "assistant")?;
        map.serialize_entry("model", answer.model.as_deref().unwrap_or(&self.response.target.model))?;
        if let Some(content) = own_content(answer) {
            map.serialize_entry("content", content)?;
        } else {
            let blocks = Blocks { answer, context: self.context, shows_refusal: stated.is_none() };
            map.serialize_entry("content", &blocks)?;
        }
        map.serialize_entry("stop_reason", word)?;
        map.serialize_entry("stop_sequence", &ended.stop_sequence.filter(|_| word == "stop_sequence"))?;
        match stated {
            Some(details) => map.serialize_entry("stop_details", details)?,
            None => {
                map.serialize_entry("stop_details", &StopDetails::of(word, answer.refusal.as_deref()))?;
            }
        }
        let extra = answer.extra.get("usage");
        map.serialize_entry("usage", &OutUsage { usage: answer.usage, extra })?;
        for name in RETURNED {
            if let Some(value) = answer.extra.get(name) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

/// An extra that is an object with a type, as this dialect's are.
pub(super) fn typed<'a>(extra: &'a Extra, name: &str) -> Option<&'a RawJson> {
    let value = extra.get(name)?;
    let object = raw(value).and_then(Object::of)?;
    object.text("type").is_some().then_some(value)
}

/// The content as it came, if it came in this dialect and says what the answer says. Layers above may have moved
/// or repaired things, and other dialects use the same name.
fn own_content(answer: &Answer) -> Option<&RawJson> {
    let content = answer.extra.get("content")?;
    let value = raw(content).filter(|value| kind(value) == JsonKind::Array)?;
    let mut reply = WireReply::default();
    read_content(value, &mut reply, false);
    let calls = &answer.tool_calls;
    let same_calls = reply.tool_calls.len() == calls.len()
        && reply.tool_calls.iter().zip(calls).all(|(theirs, ours)| same_call(theirs, ours));
    (reply.text == answer.text && same_calls).then_some(content)
}

fn same_call(theirs: &ToolCall, ours: &ToolCall) -> bool {
    let same = theirs.arguments == ours.arguments || (ours.arguments.is_empty() && theirs.arguments == "{}");
    theirs.id == ours.id && theirs.name == ours.name && same
}

/// The blocks that the canonical fields make: reasoning, text, calls.
struct Blocks<'a> {
    answer: &'a Answer,
    context: &'a FaceContext,
    shows_refusal: bool,
}

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = self.answer;
        let mut seq = serializer.serialize_seq(None)?;
        let own = || answer.reasoning_blocks.iter().filter_map(own_block);
        if let Some(thinking) = answer.reasoning_content.as_deref().filter(|text| !text.is_empty())
            && !own().any(|raw| raw_type(raw).as_deref() == Some("thinking"))
        {
            // Another provider's reasoning has no signature to show.
            seq.serialize_element(&NewBlock::Thinking { thinking, signature: "" })?;
        }
        for block in &answer.reasoning_blocks {
            if let Some(own) = own_block(block) {
                seq.serialize_element(own)?;
            } else if let Some(sealed) = sealed(block, self.context) {
                seq.serialize_element(&NewBlock::RedactedThinking { data: &sealed })?;
            }
        }
        // Some providers say the same words twice.
        let refusal = answer.refusal.as_deref().filter(|words| self.shows_refusal && *words != answer.text);
        let foreign = answer.shown.iter().filter(|shown| shown.dialect != Dialect::Anthropic).map(in_words);
        let texts = [answer.text.as_str(), refusal.unwrap_or_default()].map(Cow::Borrowed);
        for text in texts.into_iter().chain(foreign) {
            let text = &*text;
            if !text.is_empty() {
                seq.serialize_element(&NewBlock::Text { text })?;
            }
        }
        for call in &answer.tool_calls {
            seq.serialize_element(&OutCall(call))?;
        }
        seq.end()
    }
}

/// A block that is begun by us.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum NewBlock<'a> {
    Text { text: &'a str },
    Thinking { thinking: &'a str, signature: &'a str },
    RedactedThinking { data: &'a str },
}

/// Largest block of another dialect that goes through a caller, in bytes: reasoning and signatures do, pictures do not.
const LARGEST_SEALED: usize = 256 * 1024;

/// A block of another dialect in the envelope in which a caller hands it back; nothing for one who may take it for
/// the answer.
pub(super) fn sealed(block: &ReasoningBlock, context: &FaceContext) -> Option<String> {
    let is_taken = context.echo.get(TAKES_SEALED).is_some() && block.raw.text().len() <= LARGEST_SEALED;
    (is_taken && block.dialect != Dialect::Anthropic).then(|| seal(Some(block)))
}

/// The block of this dialect that goes back through the caller.
pub(super) fn own_block(block: &ReasoningBlock) -> Option<&RawValue> {
    raw(&block.raw).filter(|_| block.dialect == Dialect::Anthropic)
}

struct OutCall<'a>(&'a ToolCall);

impl Serialize for OutCall<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let call = self.0;
        let input = serde_json::from_str::<&RawValue>(&call.arguments).ok();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "tool_use")?;
        map.serialize_entry("id", &call.id)?;
        map.serialize_entry("name", &call.name)?;
        match input {
            Some(input) => map.serialize_entry("input", input)?,
            None if call.arguments.trim().is_empty() => map.serialize_entry("input", &Object::default())?,
            // Arguments that are no JSON are shown as the text they are: nothing can run them by mistake.
            None => map.serialize_entry("input", &call.arguments)?,
        }
        if let Some(caller) = call.extra.get("caller") {
            map.serialize_entry("caller", caller)?;
        }
        map.end()
    }
}

/// The text of a server tool's input, if it says anything.
pub(super) fn input_text(block: &Object<'_>) -> Option<String> {
    let input = block.get("input");
    (!is_blank(input)).then(|| arguments(input))
}
