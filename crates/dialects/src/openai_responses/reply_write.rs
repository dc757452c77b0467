//! A whole reply, written as OpenAI's SDKs expect it (openai-python 3.57).
//!
//! What this dialect cannot spell: a pause is `incomplete` without a reason, for no word asks a caller to go on; an
//! answer that ended without any reason is `completed`. A refusal is `completed` with a refusal part.

use mainstay_canon::{Answer, ChatResponse, Dialect, Extra, FinishReason, Usage};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::items::MADE_UP;
use super::output_write::Output;
use super::reply_read::OBJECT;
use super::usage::WrittenUsage;
use crate::FaceContext;

/// Members that a response must have, or that SDKs read, and what they are where nobody says otherwise.
const USUAL: [(&str, &str); 11] = [
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("reasoning", r#"{"effort":null,"summary":null}"#),
    ("temperature", "null"),
    ("text", r#"{"format":{"type":"text"}}"#),
    ("tool_choice", r#""auto""#),
    ("tools", "[]"),
    ("top_p", "null"),
    ("truncation", r#""disabled""#),
];

/// Members that are written from the answer, or are the same whoever answered.
const OURS: [&str; 14] = [
    "id",
    "object",
    "created_at",
    "status",
    "background",
    "error",
    "incomplete_details",
    "model",
    "output",
    "previous_response_id",
    "store",
    "conversation",
    "usage",
    "mainstay",
];

/// Writes a whole reply.
pub(super) fn write(response: &ChatResponse, context: &FaceContext) -> Vec<u8> {
    let answer = &response.answer;
    let extra = own_extra(answer);
    let written = WrittenResponse {
        id: &response_id(context),
        created: context.created,
        model: answer.model.as_deref().unwrap_or(&response.target.model),
        state: State::of(answer.finish_reason),
        output: &Output { response, context, extra },
        usage: Some(&answer.usage),
        echo: &context.echo,
        extra,
        mark: response.continued_at.map(|continued_at| Mark { continued_at }),
    };
    // Every key is a string and every value plain, so this cannot fail.
    serde_json::to_vec(&written).unwrap_or_default()
}

/// Our id as this dialect's.
pub(super) fn response_id(context: &FaceContext) -> String {
    format!("resp_{}", base_id(context))
}

/// The id of an item, made of ours of the request and the item's place. It can be told from a provider's.
pub(super) fn item_id(prefix: &str, context: &FaceContext, place: usize) -> String {
    format!("{prefix}{MADE_UP}{}_{place}", base_id(context))
}

fn base_id(context: &FaceContext) -> &str {
    context.request_id.strip_prefix("req_").unwrap_or(&context.request_id)
}

/// The extras of the answer, if they are this dialect's.
fn own_extra(answer: &Answer) -> Option<&Extra> {
    (answer.dialect == Some(Dialect::OpenaiResponses)).then_some(&answer.extra)
}

/// How far a response is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State<'a> {
    InProgress,
    Completed,
    Incomplete(Option<&'static str>),
    Failed { code: &'static str, message: &'a str },
}

impl State<'_> {
    /// The state in which an answer with that ending is.
    pub(super) const fn of(reason: FinishReason) -> Self {
        match reason {
            // Lost: of `Empty`, that no reason came. A refusal is said in a part of its own.
            FinishReason::Stop | FinishReason::ToolCall | FinishReason::Refusal | FinishReason::Empty => {
                Self::Completed
            }
            FinishReason::Length => Self::Incomplete(Some("max_output_tokens")),
            FinishReason::ContentFilter => Self::Incomplete(Some("content_filter")),
            // Lost: that the turn can be continued.
            FinishReason::Pause => Self::Incomplete(None),
        }
    }

    /// The word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Incomplete(_) => "incomplete",
            Self::Failed { .. } => "failed",
        }
    }

    /// The status of the item that came last.
    pub(super) const fn of_last_item(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::InProgress | Self::Incomplete(_) | Self::Failed { .. } => "incomplete",
        }
    }
}

/// A response object.
#[derive(Debug)]
pub(super) struct WrittenResponse<'a, O, M> {
    pub(super) id: &'a str,
    pub(super) created: i64,
    pub(super) model: &'a str,
    pub(super) state: State<'a>,
    pub(super) output: O,
    pub(super) usage: Option<&'a Usage>,
    /// Members of the request that are repeated.
    pub(super) echo: &'a Extra,
    /// Members of this dialect that came with the answer.
    pub(super) extra: Option<&'a Extra>,
    /// Our own member (behaviour 7.4).
    pub(super) mark: Option<M>,
}

/// Where the text was continued.
#[derive(Debug, serde::Serialize)]
struct Mark {
    continued_at: usize,
}

impl<O: Serialize, M: Serialize> Serialize for WrittenResponse<'_, O, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Incomplete {
            reason: &'static str,
        }
        #[derive(serde::Serialize)]
        struct Error<'a> {
            code: &'static str,
            message: &'a str,
        }
        let (error, details) = match self.state {
            State::InProgress | State::Completed => (None, None),
            State::Incomplete(reason) => (None, reason.map(|reason| Incomplete { reason })),
            State::Failed { code, message } => (Some(Error { code, message }), None),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        map.serialize_entry("object", OBJECT)?;
        map.serialize_entry("created_at", &self.created)?;
        map.serialize_entry("status", self.state.word())?;
        map.serialize_entry("background", &false)?;
        map.serialize_entry("error", &error)?;
        map.serialize_entry("incomplete_details", &details)?;
        map.serialize_entry("model", self.model)?;
        map.serialize_entry("output", &self.output)?;
        map.serialize_entry("previous_response_id", &())?;
        map.serialize_entry("store", &false)?;
        for (name, usual) in USUAL {
            // What the caller asked, where it said so; a provider repeats what we made of it.
            match self.echo.get(name).or_else(|| self.extra.and_then(|extra| extra.get(name))) {
                Some(raw) => map.serialize_entry(name, raw)?,
                None => map.serialize_entry(name, constant(usual))?,
            }
        }
        map.serialize_entry("usage", &self.usage.map(WrittenUsage::from))?;
        let is_written = |name: &str| OURS.contains(&name) || USUAL.iter().any(|(usual, _)| *usual == name);
        for (name, raw) in self.echo.iter().filter(|(name, _)| !is_written(name)) {
            map.serialize_entry(name, raw)?;
        }
        let mut theirs = self.extra.into_iter().flat_map(Extra::iter);
        theirs.try_for_each(|(name, raw)| {
            let is_news = !is_written(name) && self.echo.get(name).is_none();
            if is_news { map.serialize_entry(name, raw) } else { Ok(()) }
        })?;
        if let Some(mark) = &self.mark {
            map.serialize_entry("mainstay", mark)?;
        }
        map.end()
    }
}

/// A JSON text of ours.
fn constant(json: &'static str) -> &'static RawValue {
    serde_json::from_str(json).unwrap_or(RawValue::NULL)
}
