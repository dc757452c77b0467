//! The events of a stream to a caller, and their framing.
//!
//! Source: OpenAI API reference, "Streaming events", 2026-11, and openai-python 3.57, whose types require every
//! member that stands here. When which event is due is the writer's business.

use mainstay_canon::RawJson;
use serde::Serialize;
use serde_json::value::RawValue;

use super::output_write::{SummaryPart, WrittenPart};
use super::reply_write::WrittenResponse;
use crate::framing::line;

/// Where a piece belongs: the item and its place in the output.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct At<'a> {
    pub(super) item_id: &'a str,
    pub(super) output_index: usize,
}

/// One event, without its type and number.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Event<'a> {
    /// The response begins, or is over.
    Response {
        #[serde(skip)]
        name: &'static str,
        response: Box<WrittenResponse<'a, Vec<&'a RawValue>, &'a RawJson>>,
    },
    /// An item begins.
    Added { output_index: usize, item: &'a RawValue },
    /// An item is done.
    Done { output_index: usize, item: &'a RawValue },
    /// A part of a message begins, or is done.
    Part {
        #[serde(skip)]
        name: &'static str,
        #[serde(flatten)]
        at: At<'a>,
        content_index: usize,
        part: WrittenPart<'a>,
    },
    /// A piece of text.
    Text {
        #[serde(flatten)]
        at: At<'a>,
        content_index: usize,
        delta: &'a str,
        logprobs: &'a [RawJson],
    },
    /// A whole text.
    TextDone {
        #[serde(flatten)]
        at: At<'a>,
        content_index: usize,
        text: &'a str,
        logprobs: &'a [RawJson],
    },
    /// An annotation of the text so far.
    Annotation {
        #[serde(flatten)]
        at: At<'a>,
        content_index: usize,
        annotation_index: usize,
        annotation: &'a RawJson,
    },
    /// A piece of a refusal.
    Refusal {
        #[serde(flatten)]
        at: At<'a>,
        content_index: usize,
        delta: &'a str,
    },
    /// A whole refusal.
    RefusalDone {
        #[serde(flatten)]
        at: At<'a>,
        content_index: usize,
        refusal: &'a str,
    },
    /// A part of a summary begins, or is done.
    SummaryPart {
        #[serde(skip)]
        name: &'static str,
        #[serde(flatten)]
        at: At<'a>,
        summary_index: usize,
        part: SummaryPart<'a>,
    },
    /// A piece of a summary.
    Summary {
        #[serde(flatten)]
        at: At<'a>,
        summary_index: usize,
        delta: &'a str,
    },
    /// A whole part of a summary.
    SummaryDone {
        #[serde(flatten)]
        at: At<'a>,
        summary_index: usize,
        text: &'a str,
    },
    /// A piece of a call's arguments.
    Arguments {
        #[serde(skip)]
        name: &'static str,
        #[serde(flatten)]
        at: At<'a>,
        delta: &'a str,
    },
    /// All arguments of a function.
    ArgumentsDone {
        #[serde(flatten)]
        at: At<'a>,
        arguments: &'a str,
    },
    /// All that a tool for free text is told.
    InputDone {
        #[serde(flatten)]
        at: At<'a>,
        input: &'a str,
    },
    /// An error. The members stand here and in `error`: some SDKs read the one, some the other.
    Error { code: &'a str, message: &'a str, param: Option<&'a str>, error: Problem<'a> },
}

/// An error in OpenAI's form.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Problem<'a> {
    pub(super) message: &'a str,
    pub(super) r#type: &'static str,
    pub(super) param: Option<&'a str>,
    pub(super) code: &'a str,
}

#[derive(Serialize)]
struct Numbered<'a> {
    r#type: &'static str,
    sequence_number: u64,
    #[serde(flatten)]
    event: &'a Event<'a>,
}

impl Event<'_> {
    const fn name(&self) -> &'static str {
        match self {
            Self::Response { name, .. }
            | Self::Part { name, .. }
            | Self::SummaryPart { name, .. }
            | Self::Arguments { name, .. } => name,
            Self::Added { .. } => "response.output_item.added",
            Self::Done { .. } => "response.output_item.done",
            Self::Text { .. } => "response.output_text.delta",
            Self::Annotation { .. } => "response.output_text.annotation.added",
            Self::TextDone { .. } => "response.output_text.done",
            Self::Refusal { .. } => "response.refusal.delta",
            Self::RefusalDone { .. } => "response.refusal.done",
            Self::Summary { .. } => "response.reasoning_summary_text.delta",
            Self::SummaryDone { .. } => "response.reasoning_summary_text.done",
            Self::ArgumentsDone { .. } => "response.function_call_arguments.done",
            Self::InputDone { .. } => "response.custom_tool_call_input.done",
            Self::Error { .. } => "error",
        }
    }

    /// Adds the event under that number.
    pub(super) fn write(&self, sequence_number: u64, out: &mut Vec<u8>) {
        let name = self.name();
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        // Plain structs into memory: this cannot fail.
        let _ = line::json(&Numbered { r#type: name, sequence_number, event: self }, out);
        out.extend_from_slice(b"\n\n");
    }
}
