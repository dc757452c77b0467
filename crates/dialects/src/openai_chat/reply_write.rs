//! A whole reply, written as OpenAI's SDKs expect it (openai-python 3.57).
//!
//! What this dialect cannot spell: a pause is `stop`, for there is no word that asks a caller to go on; so is
//! an answer that ended without any reason. A refusal is `stop` with `message.refusal` set: to the text of the
//! refusal field where the provider has one, else to the text that declines, which stays in `content` too.

use std::borrow::Cow;

use mainstay_canon::{ChatResponse, Dialect, Extra, FinishReason, Quality, Shown};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::reasoning::AsDetails;
use super::reply_read::{CHOICE, MESSAGE, OBJECT};
use super::shown::{IMAGES, WrittenPicture};
use super::tools::{Extras, WrittenCall};
use super::usage_write::WrittenUsage;
use crate::FaceContext;
use crate::media::in_words;
use crate::paths::spelled;

/// What a caller is told where a model declined without a word.
pub(super) const DECLINED: &str = "The model declined to answer.";

/// The finish word of this dialect.
pub(super) const fn finish_word(reason: FinishReason) -> &'static str {
    match reason {
        // Lost: of a pause, that the turn can be continued; of `Empty`, that no reason came, for the SDKs do
        // not take null. A refusal is said in its own field.
        FinishReason::Stop | FinishReason::Pause | FinishReason::Refusal | FinishReason::Empty => "stop",
        FinishReason::Length => "length",
        FinishReason::ToolCall => "tool_calls",
        FinishReason::ContentFilter => "content_filter",
    }
}

/// Writes a whole reply.
pub(super) fn write(response: &ChatResponse, context: &FaceContext) -> Vec<u8> {
    // Every key is a string and every value plain, so this cannot fail.
    serde_json::to_vec(&Whole { response, context }).unwrap_or_default()
}

/// Our id as this dialect's.
pub(super) fn completion_id(context: &FaceContext) -> String {
    format!("chatcmpl-{}", context.request_id)
}

struct Whole<'a> {
    response: &'a ChatResponse,
    context: &'a FaceContext,
}

impl Whole<'_> {
    /// The extras of the answer, if they are this dialect's.
    fn extra(&self) -> Option<&Extra> {
        let answer = &self.response.answer;
        (answer.dialect == Some(Dialect::OpenaiChat)).then_some(&answer.extra)
    }

    /// Extras whose path begins with `prefix` and goes on with a plain name.
    fn beneath(&self, prefix: &'static str) -> impl Iterator<Item = (&str, &mainstay_canon::RawJson)> {
        let all = self.extra().into_iter().flat_map(Extra::iter);
        all.filter_map(move |(path, raw)| path.strip_prefix(prefix).map(|name| (name, raw)))
    }

    /// What another dialect shows: ours is among the extras.
    fn foreign(&self) -> impl Iterator<Item = &Shown> {
        self.response.answer.shown.iter().filter(|shown| shown.dialect != Dialect::OpenaiChat)
    }

    fn refusal(&self) -> Option<&str> {
        let answer = &self.response.answer;
        if let Some(refusal) = &answer.refusal {
            return Some(refusal);
        }
        let declined = answer.finish_reason == FinishReason::Refusal
            || self.response.quality.quality == Quality::Refusal;
        declined.then(|| if answer.text.is_empty() { DECLINED } else { &*answer.text })
    }
}

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = &self.response.answer;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &completion_id(self.context))?;
        map.serialize_entry("object", OBJECT)?;
        map.serialize_entry("created", &self.context.created)?;
        map.serialize_entry("model", answer.model.as_deref().unwrap_or(&self.response.target.model))?;
        map.serialize_entry("choices", &[Choice(self)])?;
        map.serialize_entry("usage", &WrittenUsage::from(&answer.usage))?;
        let own = ["id", "object", "created", "model", "choices", "usage", "mainstay"];
        for (name, raw) in
            self.beneath("").filter(|(name, _)| !name.starts_with(CHOICE) && !own.contains(name))
        {
            map.serialize_entry(spelled(name), raw)?;
        }
        if let Some(continued_at) = self.response.continued_at {
            map.serialize_entry("mainstay", &Mark { continued_at })?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Mark {
    continued_at: usize,
}

struct Choice<'a>(&'a Whole<'a>);

impl Serialize for Choice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("index", &0)?;
        map.serialize_entry("message", &Message(whole))?;
        let mut has_logprobs = false;
        let own = ["index", "message", "finish_reason"];
        for (name, raw) in
            whole.beneath(CHOICE).filter(|(name, _)| !name.starts_with("message.") && !own.contains(name))
        {
            has_logprobs |= name == "logprobs";
            map.serialize_entry(spelled(name), raw)?;
        }
        if !has_logprobs {
            map.serialize_entry("logprobs", &())?;
        }
        map.serialize_entry("finish_reason", finish_word(whole.response.answer.finish_reason))?;
        map.end()
    }
}

struct Message<'a>(&'a Whole<'a>);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.0;
        let answer = &whole.response.answer;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "assistant")?;
        map.serialize_entry("content", &self.content())?;
        map.serialize_entry("refusal", &whole.refusal())?;
        let mut pictures: Vec<WrittenPicture<'_>> = Vec::new();
        for shown in whole.foreign() {
            pictures.extend(WrittenPicture::of(shown, pictures.len()));
        }
        if !pictures.is_empty() {
            map.serialize_entry(IMAGES, &pictures)?;
        }
        if let Some(reasoning) = &answer.reasoning_content {
            map.serialize_entry("reasoning_content", reasoning)?;
        }
        if !answer.reasoning_blocks.is_empty() {
            map.serialize_entry("reasoning_details", &AsDetails(&answer.reasoning_blocks))?;
        }
        if !answer.tool_calls.is_empty() {
            let extras = if whole.extra().is_some() { Extras::Ours } else { Extras::Unsaid };
            let calls: Vec<_> =
                answer.tool_calls.iter().map(|call| WrittenCall { call, id: &call.id, extras }).collect();
            map.serialize_entry("tool_calls", &calls)?;
        }
        let own = ["role", "content", "refusal", "reasoning_content", "reasoning_details", "tool_calls"];
        for (name, raw) in whole.beneath(MESSAGE).filter(|(name, _)| !own.contains(name)) {
            map.serialize_entry(spelled(name), raw)?;
        }
        map.end()
    }
}

impl Message<'_> {
    /// Null only where something stands in its place. What has no other form is put into words.
    fn content(&self) -> Option<Cow<'_, str>> {
        let answer = &self.0.response.answer;
        let in_words = self.0.foreign().filter(|shown| WrittenPicture::of(shown, 0).is_none()).map(in_words);
        let mut text = Cow::Borrowed(&*answer.text);
        in_words.for_each(|words| text.to_mut().push_str(&words));
        let is_sound = answer.shown.iter().any(|shown| shown.dialect == Dialect::OpenaiChat);
        let stands_in = !answer.tool_calls.is_empty() || answer.refusal.is_some() || is_sound;
        (!text.is_empty() || !stands_in).then_some(text)
    }
}
