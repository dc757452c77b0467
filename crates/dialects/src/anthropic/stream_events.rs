//! The events of a stream to a caller, and their framing.
//!
//! Source: Anthropic API reference, Streaming, 2026-11. SDKs pass over events without a name. When which event is due
//! is the writer's business.

use mainstay_canon::RawJson;
use serde::Serialize;
use serde_json::value::RawValue;

use super::json::Object;
use super::reply_write::{NewBlock, OutUsage, StopDetails};
use crate::framing::line;

/// One event.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    MessageStart {
        message: Start<'a>,
    },
    ContentBlockStart {
        index: u64,
        content_block: Opened<'a>,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta<'a>,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Stop<'a>,
        usage: OutUsage<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        context_management: Option<&'a RawJson>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mainstay: Option<&'a RawJson>,
    },
    MessageStop,
    Ping,
}

impl Event<'_> {
    const fn name(&self) -> &'static str {
        match self {
            Self::MessageStart { .. } => "message_start",
            Self::ContentBlockStart { .. } => "content_block_start",
            Self::ContentBlockDelta { .. } => "content_block_delta",
            Self::ContentBlockStop { .. } => "content_block_stop",
            Self::MessageDelta { .. } => "message_delta",
            Self::MessageStop => "message_stop",
            Self::Ping => "ping",
        }
    }

    /// Adds the event.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        frame(self.name(), self, out);
    }
}

/// The message of `message_start`.
#[derive(Serialize)]
pub(super) struct Start<'a> {
    pub(super) id: &'a str,
    pub(super) r#type: &'static str,
    pub(super) role: &'static str,
    pub(super) model: &'a str,
    pub(super) content: [(); 0],
    pub(super) stop_reason: Option<&'static str>,
    pub(super) stop_sequence: Option<&'static str>,
    pub(super) usage: OutUsage<'a>,
}

/// A block as it is begun.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Opened<'a> {
    New(NewBlock<'a>),
    Call {
        r#type: &'static str,
        id: &'a str,
        name: &'a str,
        input: Object<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a RawJson>,
    },
    Whole(&'a RawValue),
    Members(Object<'a>),
}

/// A piece of a block.
#[derive(Serialize)]
#[serde(tag = "type")]
pub(super) enum Delta<'a> {
    #[serde(rename = "text_delta")]
    Text { text: &'a str },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: &'a str },
    #[serde(rename = "signature_delta")]
    Signature { signature: &'a str },
    #[serde(rename = "input_json_delta")]
    Json { partial_json: &'a str },
    /// One that only this dialect knows, such as `citations_delta`, with its type in it.
    #[serde(untagged)]
    Own(&'a RawJson),
}

/// The `delta` of `message_delta`.
#[derive(Serialize)]
pub(super) struct Stop<'a> {
    #[serde(rename = "stop_reason")]
    pub(super) reason: &'static str,
    #[serde(rename = "stop_sequence")]
    pub(super) sequence: Option<&'a str>,
    #[serde(rename = "stop_details")]
    pub(super) details: Details<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) container: Option<&'a RawJson>,
}

/// Details of a stop: as the provider stated them, or ours.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Details<'a> {
    Stated(&'a RawJson),
    Ours(Option<StopDetails<'a>>),
}

/// Adds one server-sent event.
pub(super) fn frame<T: Serialize>(name: &str, data: &T, out: &mut Vec<u8>) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    // Plain structs into memory: this cannot fail.
    let _ = line::json(data, out);
    out.extend_from_slice(b"\n\n");
}
